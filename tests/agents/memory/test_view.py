"""What of a memory goes into a prompt, and what micro-compaction leaves of results."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory.view import (
    RESULT_CHARACTERS,
    ResultLimits,
    Tier,
    View,
    collapse_repeats,
    memory_text,
    result_texts,
    tail_tier,
    truncate,
)
from tests.agents.memory.views import seen
from vault.markdown import LINE_BREAK, one_line
from vault.memory.memory_line import KINDS, Memory, Range, RangeSet
from vault.memory.summaries import Summary


def memory(seq: int, text: str, kind: str = "observed") -> Memory:
    return Memory(seq, 1_764_000_000_000 + seq, kind, "The Weir", text)


def view_of(*memories: Memory, b: int = 0, longterm: Summary | None = None, recent: Summary | None = None) -> View:
    return seen("Moss", memories, b, longterm=longterm, recent=recent)


@pytest.mark.parametrize(
    ("kind", "text", "shown"),
    [
        ("acted", "say Tomorrow. | a letter keeps", "~Moss> say Tomorrow. | a letter keeps"),
        ("observed", "Odile arrives.", "Odile arrives."),
        ("told", 'Ana whispers to you, "psst"', 'Ana whispers to you, "psst"'),
        ("result", "Brown as tea. ⏎ It hurries.", "Brown as tea. It hurries."),
        ("noted", "Ask Ana.", "[You noted: Ask Ana.]"),
        ("dreamt", "The weir stopped.", "[You dreamt: The weir stopped.]"),
        ("thought", "Half a tone lower.", "Half a tone lower."),
    ],
)
def test_a_memory_is_told_as_its_owner_saw_it(kind, text, shown):
    assert memory_text(memory(7, text, kind), "Moss") == shown


def test_a_long_result_is_cut_between_words_with_its_number():
    shown = memory_text(memory(7, "word " * 100, "result"), "Moss")
    assert shown.endswith("word [… ^m7]")
    assert len(shown) <= RESULT_CHARACTERS + len(" [… ^m7]")


def test_what_somebody_says_is_never_cut():
    text = f'Ana says, "{"word " * 100}"'
    assert memory_text(memory(7, text), "Moss") == text


def test_a_run_of_equal_lines_is_one_with_its_count():
    assert collapse_repeats(["It rains.", "It rains.", "It rains.", "Moss nods.", "It rains."]) == [
        "It rains. (×3)",
        "Moss nods.",
        "It rains.",
    ]


def test_a_summary_is_told_with_what_it_stands_for_and_without_its_links():
    view = view_of(
        b=129, longterm=Summary(1, 65, "I met Ana."), recent=Summary(66, 129, "I walked ([[2026-11-21#^m66]]).")
    )
    assert view.told_in("older") == "I met Ana.\n[Summarized 65 memories: 1–65]"
    assert view.told_in("recent") == "I walked.\n[Summarized 64 memories: 66–129]"


def test_without_summaries_there_is_nothing_to_tell_of_before():
    assert (view_of().told_in("older"), view_of().told_in("recent"), view_of().tail_text()) == ("", "", "")


def test_what_is_left_out_is_named_with_its_numbers():
    view = view_of(*(memory(seq, f"Thing {seq}.") for seq in range(66, 70)), b=65)
    assert view.tail_text(2).split("\n") == [
        "[Memories 66–67 are not shown here for want of room; they are in the journal]",
        "Thing 68.",
        "Thing 69.",
    ]
    assert view.tail_text(4) == "[Memories 66–69 are not shown here for want of room; they are in the journal]"


def test_what_was_too_much_to_be_read_counts_as_left_out():
    view = seen("Moss", (memory(seq, f"Thing {seq}.") for seq in (999, 1000)))
    assert view.tail_text().startswith("[Memories 1–998 are not shown here")


def test_the_tail_in_two_parts_is_divided_after_the_last_deed():
    view = view_of(
        memory(1, "look", "acted"), memory(2, "A hall."), memory(3, "nod", "acted"), memory(4, "You nod."), b=0
    )
    assert view.before_text() == "~Moss> look\nA hall.\n~Moss> nod"
    assert view.since_text() == "You nod."


@given(st.lists(st.sampled_from(["acted", "observed", "result"]), max_size=12), st.integers(0, 13))
def test_the_two_parts_of_the_tail_are_the_tail(kinds, left_out):
    view = view_of(*(memory(seq, f"Thing {seq}.", kind) for seq, kind in enumerate(kinds, 1)))
    both = [text for text in (view.before_text(left_out), view.since_text(left_out)) if text]
    assert "\n".join(both) == view.tail_text(left_out)


@given(st.lists(st.sampled_from("abc-"), max_size=12), st.integers(0, 3))
def test_a_view_is_a_list_of_tiers_that_stand_for_every_memory_once(topics, tail):
    parts = {name: [seq for seq, topic in enumerate(topics, 1) if topic == name] for name in sorted(set(topics))}
    tiers = [Tier(name, RangeSet.of(*(Range(seq, seq) for seq in seqs))) for name, seqs in parts.items()]
    view = View("Moss", (*tiers, tail_tier(len(topics), len(topics) + tail)))
    assert [view.tier_of(seq).name for seq in range(1, view.n + 1)] == [*topics, *["tail"] * tail]
    assert (view.n, view.covered, len(view.verbatim)) == (len(topics) + tail, len(topics), tail)
    for missing in tiers:
        with pytest.raises(ValueError, match="not a partition"):
            View("Moss", (*(tier for tier in tiers if tier is not missing), tail_tier(len(topics), len(topics) + 1)))
    for twice in tiers:
        with pytest.raises(ValueError, match="not a partition"):
            View("Moss", (twice, *view.tiers))


def test_a_view_ends_with_the_tail():
    with pytest.raises(ValueError, match="ends with the verbatim tail"):
        View("Moss", (tail_tier(0, 3), Tier("later", RangeSet.of(Range(4, 4)))))
    with pytest.raises(ValueError, match="ends with the verbatim tail"):
        View("Moss", ())


LONG = "The Landing\nGreen planks, still wet. " + "The river goes by. " * 20


def command_memory(seq: int, kind: str, text: str, refused: bool = False) -> Memory:
    return Memory(seq, 1_764_000_000_000 + seq, kind, "The Landing", one_line(text), refused=refused)


def tail_of(*memories: Memory, limits: ResultLimits | None = None) -> list[str]:
    view = seen("Moss", memories, limits=limits or ResultLimits())
    return view.tail_text().split("\n")


@pytest.mark.parametrize(
    ("result", "result_characters"),
    [
        ("You nod.", 240),
        ("You go east.", 10),  # a placeholder would be longer
        (LONG, 0),
    ],
)
def test_a_result_stays_as_it_is_if_it_is_short_or_every_result_shall(result, result_characters):
    lines = tail_of(
        command_memory(1, "acted", "go"),
        command_memory(2, "result", result),
        command_memory(3, "acted", "nod"),
        limits=ResultLimits(result_characters=result_characters),
    )
    assert lines[1] == one_line(result).replace(LINE_BREAK, " ")


@given(st.sampled_from([kind for kind in KINDS if kind != "result"]), st.text(min_size=1, max_size=2000))
def test_speech_thoughts_and_poses_are_never_touched(kind, text):
    assert result_texts([command_memory(1, kind, text), command_memory(2, "acted", "nod")], 2, ResultLimits()) == {}


@given(st.text(), st.integers(500, 5000), st.integers(0, 20))
def test_what_is_held_is_within_the_cap_and_says_how_much_is_missing(text, cap, times):
    whole = (text + "x") * times + "y" * 5001
    told = truncate(whole, cap, "2026-11-21-12#123456")
    assert len(told) <= cap
    begun, _, mark = told.rpartition(" [… ")
    assert whole.startswith(begun)
    assert int(mark.split(" ")[0].replace(",", "")) == len(whole) - len(begun)


def test_3_12_if_no_placeholder_can_be_made_the_result_itself_is_told(caplog):
    def broken(result: Memory, deed: str) -> str:
        raise RuntimeError("no")

    tail = [command_memory(1, "acted", "look"), command_memory(2, "result", LONG), command_memory(3, "acted", "nod")]
    assert result_texts(tail, 3, ResultLimits(), broken) == {1: tail[1].text.replace(" ⏎ ", " ")}
    assert "1 results from memory 2 on are shown whole" in caplog.text


@given(st.lists(st.tuples(st.sampled_from(KINDS), st.sampled_from([LONG, "It rains.", "x" * 300])), max_size=20))
@pytest.mark.filterwarnings("error")
def test_a_result_that_is_a_placeholder_stays_one_to_the_letter(lived):
    memories = [command_memory(seq, kind, text) for seq, (kind, text) in enumerate(lived, 1)]
    settled: dict[int, str] = {}
    for n in range(1, len(memories) + 1):
        view = seen("Moss", memories[:n])
        for place, told in settled.items():
            assert view._texts[place] == told
        settled = dict(enumerate(view._texts[: view._done]))
