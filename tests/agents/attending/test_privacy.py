"""A secret is withheld: its words stand nowhere that others could hear of, always in the same way."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.attending.privacy import may_hear
from tests.agents.house import House
from vault.memory.memory_line import Memory

SECRET = "xylem"
MARKS = st.text("abc é是 \"'“”[]:|.,?!→\\#^~<>", max_size=12)
secrets = st.builds(lambda before, after: f"{before} {SECRET} {after}".strip(), MARKS, MARKS)
PEOPLE = ("Ana", "Ben", "Cat", "Rook")
some = st.frozensets(st.sampled_from(PEOPLE))


@given(some, some)
def test_words_may_be_told_where_all_who_hear_them_know_of_them(parties, hearers):
    told = may_hear(sorted(parties), "Rook", hearers)
    others = hearers - {"Rook"}  # where nobody is known to hear them, somebody may walk in
    assert told == (not parties or (bool(others) and others <= parties))


def remembered(house: House, *lines: str) -> list[Memory]:
    """Return what Rook remembers of lines, each with who types it in front."""
    journal = house.agents["Rook"].memory.journal
    before = journal.last
    for line in lines:
        who, _, typed = line.partition(" ")
        house.agents[who].perform(typed) if who in house.agents else house.game.perform(who, typed)
    return journal.read(before + 1, journal.last)


def untyped(memory: Memory) -> Memory:
    """Return a memory as it was written before there were fields."""
    return replace(memory, by="", to="", event="", parties=())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=secrets)
def test_what_was_whispered_or_told_stands_in_no_withheld_text_in_either_direction(tmp_path_factory, words):
    house = House(tmp_path_factory.mktemp("house"))
    lines = [f"{verb} {words}" for verb in ("whisper Rook", "tell Rook", "page Rook", 'TELL "Rook"')]
    own = [f"{verb} {words}" for verb in ("whisper Ana", "tell Ana", "page Ana", "Whisper ana", "tell Old Tom")]
    found = remembered(house, *(f"Ana {one}" for one in lines), *(f"Rook {one}" for one in own))
    private = [memory for memory in found if SECRET in memory.text]
    assert len(private) >= len(lines)
    withhold = house.agents["Rook"].withhold
    for memory in [*private, *map(untyped, private)]:
        withheld = withhold(memory)
        assert SECRET not in withheld.text
        assert (withheld.parties, withheld.seq, withheld.kind) == (withhold.parties_of(memory), memory.seq, memory.kind)
        assert withhold(withheld) == withheld
    house.end()


def test_a_private_line_whose_wording_nobody_knows_any_more_is_withheld_all_the_same(tmp_path):
    house = House(tmp_path)
    (memory,) = remembered(house, f"Ana whisper Rook The {SECRET} is ripe.")
    for line in (memory, untyped(memory)):
        worded = replace(line, text=f"Ana murmelt dir zu: {SECRET}")
        assert SECRET not in house.agents["Rook"].withhold(worded).text


@pytest.mark.parametrize("pair", ["whisper Rook", "tell Rook"])
def test_what_stands_in_the_place_of_a_secret_does_not_depend_on_it(tmp_path, pair):
    house = House(tmp_path)
    found = remembered(house, f"Ana {pair} Yes.", f"Ana {pair} The {SECRET} is under the mat, they say.")
    own = remembered(house, "Rook whisper Ana Yes.", f"Rook whisper Ana I know of the {SECRET}.")
    withhold = house.agents["Rook"].withhold
    assert len({withhold(memory).text for memory in found}) == len({withhold(memory).text for memory in own}) == 1


def test_all_else_is_left_as_it_is(tmp_path):
    house = House(tmp_path)
    lines = (
        "Ana say Rook, is it late?",
        "Ana say to Rook I whisper nothing.",
        "Ana whisper Ben It is late.",
        "Ana emote whispers to nobody.",
        "Ana give copper coin to Rook",
        "Rook say whisper Ana tell",
        "Rook look",
        "Rook think Ana whispers to you, “Hm.”",
    )
    found = remembered(house, *lines)
    assert len(found) >= len(lines)
    withhold = house.agents["Rook"].withhold
    for memory in [*found, *map(untyped, found)]:
        assert withhold(memory) is memory
