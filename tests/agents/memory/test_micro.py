"""Long results turn into placeholders when their turn is over, once and for good; nothing else is touched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory.micro import Limits, held, placeholder, result_texts
from tests.agents.memory.views import seen
from vault.markdown import one_line
from vault.memory.memory_line import KINDS, Memory

LONG = "The Landing\nGreen planks, still wet. " + "The river goes by. " * 20


def memory(seq: int, kind: str, text: str, refused: bool = False) -> Memory:
    return Memory(seq, 1_764_000_000_000 + seq, kind, "The Landing", one_line(text), refused=refused)


def tail_of(*memories: Memory, limits: Limits | None = None) -> list[str]:
    view = seen("Moss", memories, limits=limits or Limits())
    return view.tail_text().split("\n")


def test_a_placeholder_has_command_status_size_first_words_and_reference():
    assert placeholder(memory(12, "result", LONG), "look | to see") == (
        f'[look: ok, {len(LONG.strip())} characters, "The Landing Green planks, still…" ^m12]'
    )


def test_a_refusal_is_told_as_one():
    refusal = memory(12, "result", "There is no exit 'up' here. Exits: east, west.", refused=True)
    assert placeholder(refusal, "up") == "[up: refused, 46 characters, \"There is no exit 'up' here.…\" ^m12]"


def test_without_a_deed_before_it_a_result_is_called_that():
    assert placeholder(memory(12, "result", LONG), "").startswith("[result: ok, ")


def test_a_result_held_on_arrival_counts_in_full_and_refers_to_the_archive():
    text = held("word " * 10_000, 4000, "2026-11-21#7")
    assert placeholder(memory(12, "result", text), "read") == (
        '[read: ok, 50,000 characters, "word word word word word word…" 2026-11-21#7]'
    )


def test_a_result_is_whole_while_its_turn_lasts_and_a_placeholder_from_the_next_deed_on():
    turn = [memory(1, "acted", "look"), memory(2, "result", LONG), memory(3, "observed", "Ana nods.")]
    whole = tail_of(*turn)
    assert whole == ["~Moss> look", " ".join(LONG.split("\n")).strip(), "Ana nods."]
    after = tail_of(*turn, memory(4, "acted", "nod"))
    assert after[1].startswith("[look: ok, ")
    assert after[0::2] == ["~Moss> look", "Ana nods."]


def test_a_short_result_stays_as_it_is():
    assert (
        tail_of(memory(1, "acted", "nod"), memory(2, "result", "You nod."), memory(3, "acted", "nod"))[1] == "You nod."
    )


def test_a_placeholder_that_were_longer_than_the_result_is_not_made():
    limits = Limits(result_characters=10)
    lines = tail_of(
        memory(1, "acted", "go"), memory(2, "result", "You go east."), memory(3, "acted", "nod"), limits=limits
    )
    assert lines[1] == "You go east."


def test_with_0_every_result_stays_whole():
    lines = tail_of(
        memory(1, "acted", "go"),
        memory(2, "result", LONG),
        memory(3, "acted", "nod"),
        limits=Limits(result_characters=0),
    )
    assert len(lines[1]) > 240


@given(st.sampled_from([kind for kind in KINDS if kind != "result"]), st.text(min_size=1, max_size=2000))
def test_speech_thoughts_and_poses_are_never_touched(kind, text):
    assert result_texts([memory(1, kind, text), memory(2, "acted", "nod")], 2, Limits()) == {}


@given(st.text(), st.integers(500, 5000), st.integers(0, 20))
def test_what_is_held_is_within_the_cap_and_says_how_much_is_missing(text, cap, times):
    whole = (text + "x") * times + "y" * 5001
    told = held(whole, cap, "2026-11-21-12#123456")
    assert len(told) <= cap
    begun, _, mark = told.rpartition(" [… ")
    assert whole.startswith(begun)
    assert int(mark.split(" ")[0].replace(",", "")) == len(whole) - len(begun)


def test_a_result_beyond_the_cap_is_told_within_it_though_the_journal_has_it_whole():
    told = result_texts([memory(7, "result", "word " * 10_000)], 0, Limits())[0]
    assert len(told) <= 4000
    assert told.endswith(" more characters: ^m7]")


def test_3_12_if_no_placeholder_can_be_made_the_result_itself_is_told(caplog):
    def broken(result: Memory, deed: str) -> str:
        raise RuntimeError("no")

    tail = [memory(1, "acted", "look"), memory(2, "result", LONG), memory(3, "acted", "nod")]
    assert result_texts(tail, 3, Limits(), broken) == {1: tail[1].text.replace(" ⏎ ", " ")}
    assert "1 results from memory 2 on are told whole" in caplog.text


@given(st.lists(st.tuples(st.sampled_from(KINDS), st.sampled_from([LONG, "It rains.", "x" * 300])), max_size=20))
@pytest.mark.filterwarnings("error")
def test_a_result_that_is_a_placeholder_stays_one_to_the_letter(lived):
    memories = [memory(seq, kind, text) for seq, (kind, text) in enumerate(lived, 1)]
    settled: dict[int, str] = {}
    for n in range(1, len(memories) + 1):
        view = seen("Moss", memories[:n])
        for place, told in settled.items():
            assert view._texts[place] == told
        settled = dict(enumerate(view._texts[: view._done]))
