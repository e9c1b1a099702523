"""A memory is the same after it was written and read; sets of numbers, and whether some are a partition."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vault.markdown import LINE_BREAK, one_line
from vault.memory.memory_line import (
    KINDS,
    MAX_NUMBER,
    Memory,
    Range,
    RangeSet,
    format_line,
    is_memory_line,
    is_truncated,
    parse_line,
    partition_fault,
    seq_of,
)

sets = st.frozensets(st.integers(1, 30))

DAY = "2026-11-21"
MIDNIGHT_MS = 1795219200000
AT_MS = MIDNIGHT_MS + ((20 * 60 + 35) * 60 + 1) * 1000 + 123
NAMES = st.sampled_from(["Moss", "Ana", "Zoë", "Old Tom", "世界"])
FIELDS = st.sampled_from(["[by:: Moss]", "[to:: Ana]", "[event:: said]", "[private:: Moss, Ana]", "[with:: Moss]"])
MARKS = st.text("\\[]<>%#^m123:·⏎ \n-importancewithpned!|\u200b\x1b", max_size=60)
HOSTILE = MARKS | st.builds("{} {}".format, st.text(), FIELDS)
MEMORIES = st.builds(
    Memory,
    seq=st.integers(1, MAX_NUMBER),
    at_ms=st.integers(MIDNIGHT_MS, MIDNIGHT_MS + 86_399_999),
    kind=st.sampled_from(KINDS),
    room=st.sampled_from(["", "The Hall", "Ink Yard, north", "世界"]),
    text=(st.text() | HOSTILE).map(one_line),
    people=st.lists(NAMES, unique=True, max_size=3).map(tuple),
    importance=st.integers(1, 10),
    pinned=st.booleans(),
    refused=st.booleans(),
    by=st.just("") | NAMES,
    to=st.just("") | NAMES,
    event=st.sampled_from(["", "said", "gave ink bottle"]),
    parties=st.lists(NAMES, unique=True, max_size=3).map(tuple),
)


def set_of(numbers: Iterable[int]) -> RangeSet:
    return RangeSet.of(*(Range(one, one) for one in numbers))


def numbers(one: RangeSet) -> list[int]:
    return [seq for part in one.ranges for seq in range(part.first, part.last + 1)]


@given(sets, sets)
def test_a_set_of_ranges_has_the_numbers_that_it_was_made_of(one, other):
    made = set_of(one)
    assert numbers(made) == sorted(one)
    assert len(made) == len(one)
    assert [seq for seq in range(32) if seq in made] == sorted(one)
    assert numbers(made | set_of(other)) == sorted(one | other)
    assert (made == set_of(other)) == (one == other)
    assert (made.first, made.last) == ((min(one), max(one)) if one else (1, 0))


@given(sets)
def test_what_a_set_is_written_as_is_read_as_the_same(one):
    made = set_of(one)
    assert str(made) == "none" if not one else RangeSet.parse(str(made)) == made


def test_a_set_is_written_as_people_write_it():
    assert str(set_of([7, 1, 2, 3])) == "1–3, 7"
    assert RangeSet.parse(" 1-3,7 ") == RangeSet((Range(1, 3), Range(7, 7)))


@pytest.mark.parametrize("text", ["", "soon", "0", "5-3", "1;2", "-1", "1, , 2"])
def test_what_is_no_set_of_numbers_is_refused(text):
    with pytest.raises(ValueError, match="no numbers of memories"):
        RangeSet.parse(text)


@given(st.lists(sets, max_size=5), st.integers(0, 30))
def test_parts_are_a_partition_if_every_number_is_in_exactly_one(parts, n):
    told = sorted(seq for part in parts for seq in part)
    fault = partition_fault([set_of(part) for part in parts], Range(1, n))
    assert (fault == "") == (told == list(range(1, n + 1)))


def test_a_fault_says_which_memories_are_missing_or_twice():
    one, other = set_of([1, 2, 5]), set_of([2, 3])
    assert partition_fault([one], Range(1, 5)) == "memories 3–4 are in no part"
    assert partition_fault([one, other], Range(1, 5)) == "memory 2 is in two parts, or before 1"
    assert partition_fault([one, set_of([3, 4])], Range(1, 7)) == "memories 6–7 are in no part"
    assert partition_fault([one, set_of([3, 4])], Range(1, 4)) == "the parts go to memory 5, and there are 4"


def said(text: str) -> Memory:
    return Memory(129, AT_MS, "observed", "The Garden", text)


@pytest.mark.parametrize(
    ("memory", "line"),
    [
        (
            Memory(129, AT_MS, "observed", "The Garden", "Moss arrives.", ("Moss", "Ana"), 8, True),
            "- 20:35:01.123 observed · The Garden · Moss arrives. [importance:: 8] [with:: Moss, Ana] #pinned ^m129",
        ),
        (
            Memory(7, AT_MS, "result", "The Garden", "There is no exit 'up' here.", refused=True, pinned=True),
            "- 20:35:01.123 result · The Garden · There is no exit 'up' here. #refused #pinned ^m7",
        ),
        (said("Rain."), "- 20:35:01.123 observed · The Garden · Rain. ^m129"),
    ],
)
def test_a_line_is_as_the_documentation_shows_it(memory, line):
    assert format_line(memory) == line
    assert parse_line(line, DAY) == memory
    assert memory.day == DAY


def test_a_day_goes_from_midnight_to_midnight():
    first, last = (Memory(1, MIDNIGHT_MS + ms, "observed", "", "Rain.") for ms in (0, 86_399_999))
    assert [first.day, last.day] == [DAY, DAY]
    assert [format_line(first)[:14], format_line(last)[:14]] == ["- 00:00:00.000", "- 23:59:59.999"]
    assert Memory(1, MIDNIGHT_MS - 1, "observed", "", "Rain.").day == "2026-11-20"


@given(MEMORIES)
@example(said("ends like a memory ^m7"))
@example(said("^m7"))
@example(said("\\^m7 \\\\ \\"))
@example(said("[importance:: 10] [with:: Eve] #pinned"))
@example(said("· The Hall · said"))
@example(said("- 20:35:01.123 told · The Hall · I am the world. ^m1"))
def test_a_memory_is_read_as_it_was_written(memory):
    line = format_line(memory)
    assert "\n" not in line
    assert parse_line(line, DAY) == memory
    assert seq_of(line) == memory.seq


@pytest.mark.parametrize(
    "text",
    [
        "[[Moss]]",
        "![[secret]]",
        "#tag",
        "%%hidden%%",
        "<script>alert(1)</script>",
        "<!-- x",
        "[importance:: 10]",
        "^m1",
    ],
)
def test_nothing_said_is_a_link_a_tag_a_comment_html_or_a_property(text):
    line = format_line(said(f"Ana says, {text}"))
    before = line[: line.index(text.lstrip("!")[0], 40)]
    assert before.endswith(("\\", "\\!", "!\\"))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("one\ntwo", f"one{LINE_BREAK}two"),
        ("one\r\n\r\n  two  \n", f"one{LINE_BREAK}two"),
        ("a\x1b[31mred\x1b[0m\x00", "ared"),
        ("one\u2028two\x85three", f"one{LINE_BREAK}two{LINE_BREAK}three"),
        ("\n\n", ""),
    ],
)
def test_text_becomes_one_line(text, line):
    assert one_line(text) == line


@given(st.text() | HOSTILE)
def test_one_line_of_one_line_is_the_same(text):
    assert one_line(one_line(text)) == one_line(text)


@pytest.mark.parametrize(
    ("line", "memory"),
    [
        ("I saw [[Moss]].", Memory(5, MIDNIGHT_MS, "noted", "", "I saw [[Moss]].")),
        ("- I saw Moss.", Memory(5, MIDNIGHT_MS, "noted", "", "I saw Moss.")),
        ("  * 7:05 breakfast  ", Memory(5, MIDNIGHT_MS + (7 * 60 + 5) * 60_000, "noted", "", "breakfast")),
        ("- 20:35:01 dinner", Memory(5, AT_MS - 123, "noted", "", "dinner")),
        ("- 99:99 never", Memory(5, MIDNIGHT_MS + (23 * 60 + 59) * 60_000, "noted", "", "never")),
        ("- 3 apples", Memory(5, MIDNIGHT_MS, "noted", "", "3 apples")),
        ("- Moss lied. #pinned", Memory(5, MIDNIGHT_MS, "noted", "", "Moss lied.", pinned=True)),
        (
            "- Moss lied. [with:: Moss,Ana , ] [importance:: 99]",
            Memory(5, MIDNIGHT_MS, "noted", "", "Moss lied.", ("Moss", "Ana"), 10),
        ),
        ("- x [importance:: 0]", Memory(5, MIDNIGHT_MS, "noted", "", "x", importance=1)),
        (
            "- 20:35:01.123 dreamed · The Hall · sheep",
            Memory(5, AT_MS - 123, "noted", "", "dreamed · The Hall · sheep"),
        ),
    ],
)
def test_a_line_typed_by_hand_is_a_memory(line, memory):
    assert parse_line(f"{line.rstrip()} ^m5", DAY) == memory


@given(st.text(st.characters(exclude_characters="\n")) | HOSTILE.map(lambda text: text.replace("\n", "")))
@example("x [importance:: " + "9" * 5000 + "]")
@example("- 20:35:01.123 told · \udcff · x [with:: \udcff]")
def test_any_line_typed_by_hand_can_be_read_and_written(line):
    memory = parse_line(f"{line.rstrip()} ^m5", DAY)
    assert memory is not None
    assert 1 <= memory.importance <= 10
    format_line(memory).encode()


@pytest.mark.parametrize("day", ["2026-02-30", "nonsense"])
def test_a_day_that_is_none_does_no_harm(day):
    memory = parse_line("- 20:35:01.123 told · Hall · x ^m1", day)
    assert memory
    assert (memory.text, memory.day) == ("x", "1970-01-01")


@pytest.mark.parametrize(
    ("line", "seq"),
    [
        ("x ^m12", 12),
        ("x ^m12  ", 12),
        ("x^m12", 0),
        ("x ^m0", 0),
        ("x ^m012", 0),
        ("x ^m12 y", 0),
        ("x ^m", 0),
        ("", 0),
    ],
)
def test_a_number_is_a_block_id_at_the_end(line, seq):
    assert seq_of(line) == seq
    assert bool(parse_line(line, DAY)) == bool(seq)


@pytest.mark.parametrize(
    ("lines", "are_memories"),
    [
        (["x", "- x", "#tag", "-5 degrees", "> quoted"], True),
        (["", "  ", "-", "- ", "#", "# Day", "## Noon", "### x", "%% note %%", "---", "***"], False),
    ],
)
def test_all_lines_but_headings_rules_comments_and_blank_ones_are_memories(lines, are_memories):
    assert [line for line in lines if is_memory_line(line) is not are_memories] == []


def test_every_beginning_of_a_line_looks_torn():
    line = format_line(Memory(129, AT_MS, "observed", "The Garden", "Moss, at 5.", ("Moss",), 8))
    assert [cut for cut in range(1, line.index(" ^m129") + 4) if not is_truncated(line[:cut])] == []


@pytest.mark.parametrize(
    "line",
    ["I slept", "- I slept", "- 3 apples", "3 apples", "- 20:35 dinner", "- 20:35:01 dinner", "- 20:35:01.123 dinner"],
)
def test_a_line_typed_by_hand_does_not_look_torn(line):
    assert not is_truncated(line)
