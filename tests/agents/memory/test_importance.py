"""How much memories matter, by rule, and how long a summary of them may be."""

from __future__ import annotations

import pytest

from agents.memory.importance import (
    FirstEncounters,
    event_importance,
    line_importance,
    notable_share,
    speech_importance,
    summary_budget,
)
from tests.vault.vault_of import vault_of
from vault.memory.memory_line import Memory
from vault.memory.segment import MAX_SCANNED_BYTES
from world.commands.table import world_commands
from world.events import Arrived, Emoted, Gave, Left, LookedAt, Output, Refused, Said, Took, Whispered

ROOM = "The Common Room"
JOURNAL = """\
---
tags: [journal]
---
- 20:35:01.123 observed · The Common Room · Moss arrives from The Weir. [importance:: 2] [with:: Ana, Moss] ^m1
- 20:35:02.123 observed · The Common Room · Odile says, "I was on · The Landing · today." [with:: Odile] ^m2
"""


def memories(*importances: int) -> list[Memory]:
    return [Memory(seq, 0, "observed", ROOM, "x", (), one) for seq, one in enumerate(importances, 1)]


@pytest.mark.parametrize(
    ("event", "addressed", "importance"),
    [
        (Output("Rook", "A long table."), False, 2),
        (Left("Rook", ROOM, "north", "The Kitchen"), False, 2),
        (Arrived("Ana", ROOM, "The Kitchen"), False, 2),
        (Emoted("Ana", ROOM, "waves"), False, 3),
        (LookedAt("Ana", ROOM, "Rook"), False, 3),
        (Said("Ana", ROOM, "Hello, Rook."), True, 5),
        (Said("Ana", ROOM, "I promise to be back by noon."), False, 7),
        (Whispered("Ana", ROOM, "Rook", "The key is under the mat."), True, 6),
        (Whispered("Ana", ROOM, "Rook", "I'll bring you the key."), True, 7),
        (Whispered("Ana", ROOM, "Ben", "I'll bring you the key."), False, 3),
        (Took("Rook", ROOM, "lamp"), False, 5),
        (Took("Ana", ROOM, "lamp"), False, 4),
        (Gave("Ana", ROOM, "lamp", "Rook"), False, 6),
        (Gave("Ana", ROOM, "lamp", "Ben"), False, 4),
        (Refused("Rook", "There is no moon here."), False, 4),
    ],
)
def test_what_concerns_the_agent_matters_more_than_looks_and_steps(event, addressed, importance):
    assert event_importance(event, "Rook", addressed, is_first=False) == importance


def test_a_first_time_raises_what_matters_little_and_lowers_nothing():
    assert event_importance(Arrived("Ana", ROOM), "Rook", addressed=False, is_first=True) == 6
    assert event_importance(Said("Ana", ROOM, "I swear it."), "Rook", addressed=True, is_first=True) == 7


@pytest.mark.parametrize(
    ("words", "importance"),
    [
        ("I promise.", 7),
        ("Good day. I’ll bring you a bun tomorrow.", 7),
        ("Remember that gate nine sticks.", 7),
        ("Could you bring me the umbrella?", 6),
        ("A promising day.", 3),
        ("Will it rain?", 3),
        ("I'll sit down now.", 3),
    ],
)
def test_words_that_bind_matter_whoever_says_them(words, importance):
    assert speech_importance(words) == importance


@pytest.mark.parametrize(
    ("line", "importance"),
    [
        ("look around", 2),
        ("go north", 2),
        ("north", 2),
        ("say Good morning", 3),
        ("say I promise to come back | he looks sad", 7),
        ("give bun to Moss", 3),
    ],
)
def test_a_deed_matters_by_its_kind_and_words(line, importance):
    assert line_importance(line, world_commands()) == importance


def test_somebody_is_met_and_a_place_is_come_to_for_the_first_time_once(tmp_path):
    familiar = FirstEncounters(vault_of(tmp_path, {"agents/Rook/journal/2026-11-21.md": JOURNAL}), "Rook")
    assert not familiar.is_first(Said("Moss", ROOM, "Hello."))
    assert not familiar.is_first(Said("Odile", ROOM, "Hello."))
    assert [familiar.is_first(Said("Os", ROOM, "Hello.")) for _ in range(2)] == [True, False]
    assert not familiar.is_first(Left("Rook", "The Kitchen", "out", ROOM))
    assert [familiar.is_first(Left("Rook", ROOM, "west", "The Landing")) for _ in range(2)] == [True, False]
    assert not familiar.is_first(Output("Rook", "A long table."))


def test_who_stands_only_in_the_old_part_of_a_long_journal_is_met_anew(tmp_path):
    long = JOURNAL + "x" * MAX_SCANNED_BYTES
    files = {"agents/Rook/journal/2026-11-21.md": long, "agents/Rook/journal/2026-11-20.md": JOURNAL}
    assert FirstEncounters(vault_of(tmp_path / "long", files), "Rook").is_first(Said("Moss", ROOM, "Hello."))
    files["agents/Rook/journal/2026-11-21.md"] = JOURNAL.replace("Moss", "Os") + "x" * (MAX_SCANNED_BYTES // 2)
    assert not FirstEncounters(vault_of(tmp_path / "short", files), "Rook").is_first(Said("Moss", ROOM, "Hello."))


def test_the_share_of_what_matters_goes_from_routine_to_what_concerns_the_agent():
    assert notable_share(memories(2, 1, 2)) == 0
    assert notable_share(memories(3, 3)) == 0.5
    assert notable_share(memories(5, 3, 4)) == 1 * (3 + 1 + 2) / 6
    assert notable_share(memories(10, 2)) == 1
    assert notable_share([]) == 0


def test_a_summary_may_be_as_long_as_what_happened_matters():
    assert [summary_budget(memories(one), 100, 300) for one in (2, 3, 5)] == [100, 200, 300]
    assert summary_budget(memories(2), 100, 40) == 40
