"""A visitor talks with Eliza through the real server: gives a name and a loss, talks on, and asks for both again.

She types a line, waits for Eliza's words or for two acts of hers without any, and types the next. What counts is what
stands on her screen.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.lib.servers import run_server, wait_for
from bench.minds.checks import has_any, swaps_persons
from bench.minds.stage import edit, prepare_vault
from bench.minds.turns import Act, PlayedTurn
from tests.integration.line_player import LinePlayer
from world.events import Said
from world.game import CommandResult

AGENT = "Eliza"
TURNS = 2
"""Number of turns that the agent has for an answer."""

QUIET_SECONDS = 1.5
STEP_SECONDS = 0.1

_ACT = re.compile(rf"(?:{AGENT} (?!arrives|wakes|is here|falls)\w+|You follow {AGENT} \w+).*")
_SPEECH = re.compile(rf'{AGENT} (?:says|says to you|whispers to you|tells you), "(?P<text>.*)"')


@dataclass(frozen=True)
class Visitor:
    """A visitor: a name, the sentence about a loss, and words that name it."""

    name: str
    loss: str
    lost: tuple[str, ...]


VISITORS = (
    Visitor("Tilda", "I lost my red kite over the mill this morning.", ("kite",)),
    Visitor("Karel", "I lost my brass compass on the stairs last night.", ("compass",)),
    Visitor("Wilma", "I lost my green scarf somewhere near the pump.", ("scarf",)),
)
SMALL_TALK = (
    "What are you writing today?",
    "I walked here from the coast. It took two days.",
    "Is the water always this brown?",
    "I had bread and an apple for breakfast.",
    "Who keeps that bell in order?",
    "My feet are wet already.",
    "Do you ever leave the river?",
    "They say that the eels here are good.",
    "What do people do here in the evening?",
    "You write so small.",
)
ASKS_NAME, ASKS_LOSS = "Do you still know my name, Eliza?", "And what was it that I lost?"
GIFT = "seed bun"


@dataclass
class Exchange:
    """One line of the visitor's, and what she saw until the next. `seconds` is how long Eliza's words took."""

    typed: str
    seen: list[str] = field(default_factory=list)
    seconds: float | None = None

    @property
    def acts(self) -> list[str]:
        """The acts of Eliza, as they were shown."""
        return [line for line in self.seen if _ACT.match(line)]

    @property
    def words(self) -> list[str]:
        """The words of Eliza to the visitor, or to all."""
        return [found["text"] for line in self.seen if (found := _SPEECH.match(line))]

    @property
    def is_answered(self) -> bool:
        """True if Eliza spoke in her first two acts."""
        return any(_SPEECH.match(line) for line in self.acts[:TURNS])


@dataclass(frozen=True)
class Talk:
    """A whole visit. Only those `exchanges` that ask for an answer count."""

    visitor: Visitor
    exchanges: Sequence[Exchange]

    @property
    def answered(self) -> list[bool]:
        """One value for each of the visitor's lines: whether it was answered."""
        return [one.is_answered for one in self.exchanges]

    @property
    def recalled(self) -> list[bool]:
        """One value for the name and one for the loss: whether Eliza told it when the visitor asked."""
        visitor = self.visitor
        return [
            recalls(one.words, (visitor.name,) if one.typed.endswith(ASKS_NAME) else visitor.lost, visitor)
            for one in self.exchanges
            if one.typed.endswith((ASKS_NAME, ASKS_LOSS))
        ]

    @property
    def transcript(self) -> list[str]:
        """The typed and the seen lines."""
        return [line for one in self.exchanges for line in (f"> {one.typed}", *one.seen)]


def recalls(words: Sequence[str], wanted: Sequence[str], visitor: Visitor) -> bool:
    """Return whether an answer has one of the words wanted, and swaps no persons."""
    acts = tuple(Act(AGENT, f"say {text}", CommandResult("say", (Said(AGENT, "", text),))) for text in words)
    people = frozenset([AGENT, visitor.name])
    turn = PlayedTurn(AGENT, acts, people, (), "", "", frozenset(), visitor.lost)
    return has_any("\n".join(words), wanted) and not swaps_persons(turn)


def lines_of(visitor: Visitor) -> tuple[str, ...]:
    """Return the lines of a visitor that ask for an answer, in order."""
    said = (f"Good morning, {AGENT}! My name is {visitor.name}.", visitor.loss, *SMALL_TALK, ASKS_NAME, ASKS_LOSS)
    return (
        *(f"say {text}" for text in said),
        f"give {GIFT} to {AGENT}",
        f"whisper {AGENT} I think that somebody is listening to us.",
        f"say Thank you. I must go now. Goodbye, {AGENT}!",
    )


def play_dialogue(model: str, host: str, seed: int, patience_seconds: float, without: Sequence[str] = ()) -> Talk:
    """Return a visit to a server of its own. Raises: RuntimeError if the server does not open."""
    visitor = VISITORS[(seed - 1) % len(VISITORS)]
    with tempfile.TemporaryDirectory() as folder:
        vault = prepare_vault(Path(folder) / "vault", {}, without)
        edit(vault, ("things", f"{GIFT}.md"), r"^at: .*$", "at: '[[The Landing]]'")
        if host:
            edit(vault, ("config", "models.md"), r"^\*\*ollama_host\*\*: .*$", f"**ollama_host**: {host}")
        with run_server(model, vault.root) as server:
            wait_for(server.process, "The agents think with")
            return _visit(LinePlayer(server.port), visitor, patience_seconds)


def _visit(player: LinePlayer, visitor: Visitor, patience_seconds: float) -> Talk:
    try:
        player.enters(visitor.name)
        for line in ("screenreader on", f"get {GIFT}", f"follow {AGENT}"):
            player.asks(line)
        exchanges = [_exchange(player, line, patience_seconds) for line in lines_of(visitor)]
        player.types("quit")
    finally:
        player.close()
    return Talk(visitor, exchanges)


def _exchange(player: LinePlayer, line: str, patience_seconds: float) -> Exchange:
    exchange, began, begin = Exchange(line), time.perf_counter(), len(player.text)
    player.types(line)
    while not exchange.is_answered and len(exchange.acts) < TURNS:
        if time.perf_counter() - began > patience_seconds:
            return exchange
        _read(player, STEP_SECONDS)
        exchange.seen = lines_in(player.text[begin:])
    if exchange.is_answered:
        exchange.seconds = time.perf_counter() - began
    while _read(player, QUIET_SECONDS):
        exchange.seen = lines_in(player.text[begin:])
    return exchange


def _read(player: LinePlayer, seconds: float) -> bool:
    """Wait for something to come; return whether anything did. Raises: ConnectionError where the server is gone."""
    has_come = player.receives(seconds)
    if player.is_closed:
        raise ConnectionError("The server has hung up on the visitor.")
    return has_come


def lines_in(text: str) -> list[str]:
    """Return the lines of a screen, without prompts."""
    return [line for part in text.split("\n") if (line := part.removeprefix("> ").strip())]
