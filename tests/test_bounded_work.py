"""Text of players and models is read in time that grows no faster than its length, whatever it is made of."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress

import pytest

from agents.commands.mind_commands import lines_with
from agents.escaping import plain, quoted, typed
from agents.memory.facts.extraction import extract_facts
from agents.memory.facts.store import FactStore, goals_in
from agents.memory.inspection import changes
from agents.memory.judging.evidence import evidence_of
from agents.memory.retrieval import distinctive_words
from agents.memory.summaries.form import person_faults
from agents.memory.summaries.formats import BadJson, readable, sections_of
from agents.memory.summary_verifier import Source, faults_by_sentence, judge
from agents.memory.view import _BLOCK_LINK
from agents.reflection.acquaintances import quote_in
from agents.repetition.loop_detector import shingles
from agents.replies.reply import first_command
from agents.turn.answer import answer_in
from bench.hostile_text import fragments, repeated
from server.telnet.options import read_gmcp
from tests.world.inn import Player, inn_game
from vault.entities.schema import room_of, thing_of
from vault.errors import NoteError
from vault.markdown import escape_section, unescape_section
from vault.memory.bullet_note import BulletNote
from vault.memory.facts_note import PEOPLE, parse_fact
from vault.memory.memory_line import Memory
from vault.memory.promises_note import PromisesNote
from vault.note import parse_note
from world.commands.table import world_commands
from world.errors import WorldError
from world.game import Game
from world.message_catalog import strip_markup
from world.parsing import is_named, parse_line
from world.sanitize import clean_block
from world.triggers import parse_trigger

SHORT, LONG = 500, 8_000
AT_ONCE = 0.05
"""What takes less than so many seconds of the processor at its longest is not held against the short text."""

PART = 4
"""What is read clause by clause is shorter in life than what anybody types, and given so small a part of the text."""

HALF = 2
"""What is read in tens of milliseconds at full length would look slow on any busy machine, and is given half of it."""

MOST_GROWTH = 4 * LONG // SHORT
"""Sixteen times the text may take four times as long again, for what else the machine does. A pattern that looks at
each character once for every other takes 256 times as long."""

TABLE = world_commands()
FRAGMENTS = tuple(dict.fromkeys(fragments()))
TOLD = [
    Memory(1, 0, "observed", "Mill", 'Ana says, "I owe you 3 pennies, Moss. The lamp is not mine."', ("Ana",)),
    Memory(2, 0, "observed", "Mill", "Ana gives you the lamp.", ("Ana",)),
]
ROSTER = frozenset({"Ana", "Ink Yard", "lamp"})
EVIDENCE = evidence_of(tuple(TOLD), (), ROSTER, "Moss")
A_NAME = Source((), ("Ana came to the mill.",), name="Moss", prompt="Tell what happened.")


def a_crowd() -> Game:
    game = inn_game()
    game.world.characters["Rook"].room_id = "The Common Room"
    game.world.characters["Ana"].preferences["alias q"] = "say %* %1"
    for name in ("Ana", "Ben", "Rook"):
        Player(game, name)
    return game


GAME = a_crowd()


def hear(text: str) -> None:
    for kind, heard in (("told", f'Ana whispers to you, "{text}"'), ("observed", text), ("result", text)):
        extract_facts(FactStore(), Memory(1, 0, kind, "Mill", heard, ("Ana",)))


def read_json(text: str) -> None:
    with suppress(BadJson):
        readable(text, A_NAME.text)


def read_summary(text: str) -> None:
    half = text[: len(text) // HALF]
    judge(half, A_NAME, len)
    list(person_faults(half, "Moss"))


def read_evidence(text: str) -> None:
    heard = Memory(1, 0, "observed", "Mill", f'Ana says, "{text[: len(text) // PART]}"', ("Ana",))
    evidence = evidence_of((heard, *TOLD), (), ROSTER, "Moss")
    list(faults_by_sentence("Ana gave me the lamp at the Ink Yard, and I owe her 3 pennies, she said.", evidence))


def read_note(text: str) -> None:
    for read in (room_of, thing_of):
        with suppress(NoteError):
            read(parse_note(f"A room.\n\n## Exits\n\n- **{text}", "rooms/A.md"), "A")
    with suppress(NoteError):
        PromisesNote(f"- Ana → Ben: {text}\n- {text}\n- Ana → {text}: x\n- Ana → Ben: [thing:: {text}", "promises.md")
    unescape_section(escape_section(f"A{text}"))
    parse_fact(f"- **Ana**: {text}", PEOPLE)
    with suppress(WorldError):
        parse_trigger("say", "", f"set {text}; give {text}")


def read_quote(text: str) -> None:
    """Read words for a person's note, and a line of one that somebody has written."""
    quote_in(Memory(1, 0, "observed", "Mill", f'Ana says, "{text}"', ("Ana",)), "Moss")
    with suppress(NoteError):
        BulletNote(f"## Said\n- **private** · {' '.join(text.split())}", "Ana.md")


READERS: Mapping[str, Callable[[str], object]] = {
    "say": lambda text: GAME.perform("Ana", f"say {text}"),
    "say to": lambda text: GAME.perform("Ana", f"say to Ben {text}"),
    "emote": lambda text: GAME.perform("Ana", f"emote {text}"),
    "tell": lambda text: GAME.perform("Ana", f"tell {text}"),
    "give": lambda text: GAME.perform("Ana", f"give {text} to {text}"),
    "look": lambda text: GAME.perform("Ana", f"look {text}"),
    "alias": lambda text: GAME.perform("Ana", f"q {text}"),
    "line": lambda text: (parse_line(text), clean_block(text), strip_markup(text), is_named("Ana", text)),
    "hear": hear,
    "quote": read_quote,
    "cue": lambda text: (distinctive_words(text), shingles(text)),
    "reply": lambda text: first_command(text, "Moss", TABLE),
    "words": lambda text: answer_in(text, "Moss", "say"),
    "prompt": lambda text: (plain(text), typed(text), quoted(text)),
    "summary": lambda text: (sections_of(text), goals_in(f"# Goals\n{text}"), _BLOCK_LINK.sub("", text)),
    "verdict": read_summary,
    "claims": lambda text: list(faults_by_sentence(text[: len(text) // PART], EVIDENCE)),
    "evidence": read_evidence,
    "json": read_json,
    "recall": lambda text: lines_with(text, [text] * 20),
    "diff": lambda text: list(changes(text, text.replace("x", "y"))),
    "note": read_note,
    "gmcp": lambda text: read_gmcp(None, f"Core.Hello {text}".encode(errors="replace")),
}


def seconds(read: Callable[[str], object], text: str, tries: int = 1) -> float:
    """Return how long it takes at the least to read a text; each try has a text of its own."""
    taken = []
    for count in range(tries):
        began = time.process_time()
        read(text + "." * count)
        taken.append(time.process_time() - began)
    return min(taken)


@pytest.mark.parametrize("reader", READERS)
def test_work_grows_no_faster_than_the_text(reader: str) -> None:
    read = READERS[reader]
    for fragment in FRAGMENTS:
        long = repeated("", fragment, LONG)
        if seconds(read, long) > AT_ONCE and seconds(read, long, tries=4) > AT_ONCE:
            short = seconds(read, repeated("", fragment, SHORT), tries=4)
            assert seconds(read, long, tries=4) <= MOST_GROWTH * short, f"{LONG:,} bytes of {fragment!r}"
