"""Measure the longest step of the reactor over hostile text: `python -m bench.hostile_text [SECONDS]` (60 a kind).

A world with its agents, thirty people in one room and a client in the reactor's place: each line goes in as bytes, and
everybody there hears what comes of it. Notes are read as the server reads them. A step is the time of one thread, which
others on the machine do not lengthen. The three longest of each kind are measured four times more, each time as often
as agents need to learn from them, and the least of these counts.

The texts are made of the world's own sentences, of commands, and of marks, each repeated up to the limit. That all
other readers of text take time in proportion to it, tests/test_bounded_work.py proves.
"""

from __future__ import annotations

import logging
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from twisted.internet.address import IPv4Address
from twisted.internet.testing import MemoryReactorClock, StringTransport

from agents.memory.facts.file import EXTRACT_EVERY
from agents.memory.strategy import loaded_strategies
from bench.lib.reporting import Table, argument_parser, publish
from bench.lib.worlds import NOW_MS
from config.settings import ServerSettings
from server.accounts.database import AccountDatabase
from server.accounts.store import AccountStore
from server.app import Fallwater
from server.clock import Runtime
from server.listeners import Ports
from vault.entities.schema import room_of
from vault.errors import NoteError
from vault.message_notes import starter_sentences
from vault.note import parse_note
from vault.vault import open_vault
from world.entities import Character, Role
from world.message_catalog import variables
from world.preferences import ALIAS

END = "!"

MARKS = (
    "| \\ \\| \" ' “ ” » [ [[ == %* # - ~ ~Moss>"
    " < > { } ( ** __ ` ``` … . ? ! , : ; = 1 2. a é e\u0301 小 ا\u200c 👩\u200d \u202e"
).split(" ")
WORDS = (
    "a b ",
    "to ",
    "Moss ",
    "Old Tom ",
    "please, ",
    "I'll go a. ",
    "I promise to bring a1. ",
    "remember a: ",
    "never mind. ",
    "keep a secret, ",
    "the a, and the b, ",
    "yes|no ",
    ' | "',
    "1.a ",
    ", hey",
    "- and, ",
    "[[a#^m1",
    "(seen 1",
    "<think>",
    "</think>",
    "<|im_start|>",
    '{"command": "say", "text": "',
    "functions.say(",
    '<parameter name="a">',
    "say hi (reason: ",
    "Command: ",
    "## a\n",
    "- **a**: b\n",
    "**a**: b\n",
    "%%\n",
    "<!--",
    "---\n",
    "a: [",
    "\n",
    " ",
    "\t",
)

GOAL_MS = 50.0

NOTE_CHARACTERS = 16_384
LISTENERS = 30
ROUND = EXTRACT_EVERY
"""Agents learn from so many memories at once: as often each line is sent."""

AGAIN = 4

VERBS = (
    "say|emote|tell|whisper|shout|think|look|get|give|put|use|go|help|note|goal|recall|share|write|where|hush|zz|q"
    "|@describe here ->|@describe lamp ->|@create|@rename lamp ->|@set lamp|@memory-find|@memory-facts|@audit|@dig"
).split("|")


def fragments() -> Iterator[str]:
    """Yield pieces of the world's sentences with something in the place of their variables, words and marks."""
    for key, sentence in starter_sentences().items():
        if key.startswith("narration.") and len(variables(sentence)) > 1:
            for variable in variables(sentence):
                sentence = sentence.replace(f"{{{variable}}}", "x")
            yield f"{sentence} "
    yield from (*MARKS, *WORDS)


def repeated(before: str, fragment: str, size: int) -> str:
    """Return a fragment behind something as often as fits into so many bytes, and a mark that fits no fragment."""
    count = (size - len(before.encode()) - len(END)) // len(fragment.encode())
    return before + fragment * count + END


LINE_BYTES = ServerSettings().max_line_bytes


@dataclass(frozen=True)
class Step:
    """The time of a step, in milliseconds, and its subject."""

    ms: float
    about: str


class House:
    """A world on a reactor that is no more than a clock, with somebody who is connected to it."""

    def __init__(self, root: Path) -> None:
        vault, _ = open_vault(root / "world")
        self.reactor = MemoryReactorClock()
        settings = loaded_strategies().load_settings(vault)
        accounts = AccountStore(AccountDatabase(root / "accounts", in_memory=True))
        told: list[str] = []
        runtime = Runtime(
            self.reactor,
            random.Random(1),
            lambda: NOW_MS + int(1000 * self.reactor.seconds()),
            told.append,
            lambda call: call(),
        )
        self.world = Fallwater(vault, settings, runtime, accounts)
        self.world.listen(Ports(self.reactor))
        self._transports: list[StringTransport] = []
        self._sender, *_ = [self._connect(number) for number in range(1 + LISTENERS)]
        people = [one for one in self.world.world.awake() if not one.is_agent]
        people[0].role = Role.ADMIN
        people[0].preferences[f"{ALIAS}q"] = "say %*%*%*%*"
        self.who = people[0].name
        self.world.world.add_character(Character("Old Tom", people[0].room_id, awake=True))
        for agent in self.world.agents.values():
            agent.character.room_id = people[0].room_id
            self.world.game.wake(agent.name, agent.perceive)

    def send(self, content: bytes) -> Iterator[float]:
        """Let bytes come in; yield the time of each step until nothing is left to do, in milliseconds."""
        yield _measure(partial(self._sender.dataReceived, content))
        for _ in range(20):
            yield _measure(partial(self.reactor.advance, 0))
        yield _measure(partial(self.reactor.advance, 1))
        for transport in self._transports:
            transport.clear()

    def _connect(self, number: int) -> Any:
        address = IPv4Address("TCP", f"192.0.2.{number}", 4000)
        factory: Any = self.reactor.tcpServers[0][1]
        protocol: Any = factory.buildProtocol(address)
        self._transports.append(StringTransport(peerAddress=address))
        protocol.makeConnection(self._transports[-1])
        for content in (b"\xff\xfd\xc9", b"guest\r\n"):
            protocol.dataReceived(content)
            self.reactor.advance(1)
        return protocol


def _measure(step: Callable[[], object]) -> float:
    began = time.thread_time()
    step()
    return 1000 * (time.thread_time() - began)


def _longest(seconds: float, attempts: Iterator[tuple[str, Callable[[], float]]]) -> tuple[Step, int]:
    """Return the longest step of all attempts that fit into the time, and how many they were."""
    found, count, until = list[tuple[float, str, Callable[[], float]]](), 0, time.monotonic() + seconds
    for about, attempt in attempts:
        found.append((attempt(), about, attempt))
        found = sorted(found, key=lambda one: -one[0])[:3]
        count += 1
        if time.monotonic() > until:
            break
    settled = [
        Step(min(max(attempt() for _ in range(ROUND)) for _ in range(AGAIN)), about) for _, about, attempt in found
    ]
    return max(settled, key=lambda step: step.ms), count


def _lines(house: House) -> Iterator[tuple[str, Callable[[], float]]]:
    """Yield each verb with each fragment, as long as a line may be."""
    for verb in VERBS:
        for fragment in fragments():
            if "\n" not in fragment:
                line = repeated(f"{verb} ", fragment, LINE_BYTES)
                yield f"{line[:40]!r} …", partial(_longest_step, house, f"{line}\r\n".encode())


def _longest_step(house: House, content: bytes) -> float:
    return max(house.send(content))


def _notes() -> Iterator[tuple[str, Callable[[], float]]]:
    for before in ("", "---\nexits: ", "A room.\n\n## Exits\n", "A room.\n\n## Reactions\n", "- **"):
        for fragment in fragments():
            text = repeated(before, fragment, NOTE_CHARACTERS)
            yield f"{text[:40]!r} …", partial(_measure, partial(_read_note, text))


def _read_note(text: str) -> None:
    with suppress(NoteError):
        room_of(parse_note(text, "rooms/A.md"), "A")


def main() -> None:
    """Print a table."""
    parser = argument_parser(__doc__)
    parser.add_argument("seconds", type=float, nargs="?", default=60.0)
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        kinds = {
            f"lines of {LINE_BYTES:,} bytes": _lines(House(Path(folder))),
            f"notes of {NOTE_CHARACTERS:,} characters": _notes(),
        }
        for kind, attempts in kinds.items():
            step, count = _longest(options.seconds, attempts)
            rows.append([kind, f"{count:,}", f"{step.ms:.1f} ms", step.about.replace("|", "\\|")])
    heads = [f"longest step of the reactor (goal ≤ {GOAL_MS:.0f} ms)", "tried", "longest", "with"]
    publish("hostile_text", [Table(heads, rows)], options.record)


if __name__ == "__main__":
    main()
