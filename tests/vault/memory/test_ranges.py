"""Sets of memory numbers, and whether some of them are a partition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault.memory.ranges import Range, RangeSet, partition_fault

sets = st.frozensets(st.integers(1, 30))


def numbers(one: RangeSet) -> list[int]:
    return [seq for part in one.ranges for seq in range(part.first, part.last + 1)]


@given(sets, sets)
def test_a_set_of_ranges_has_the_numbers_that_it_was_made_of(one, other):
    made = RangeSet.of_numbers(one)
    assert numbers(made) == sorted(one)
    assert len(made) == len(one)
    assert [seq for seq in range(32) if seq in made] == sorted(one)
    assert numbers(made | RangeSet.of_numbers(other)) == sorted(one | other)
    assert (made == RangeSet.of_numbers(other)) == (one == other)
    assert (made.first, made.last) == ((min(one), max(one)) if one else (1, 0))


@given(sets)
def test_what_a_set_is_written_as_is_read_as_the_same(one):
    made = RangeSet.of_numbers(one)
    assert str(made) == "none" if not one else RangeSet.parse(str(made)) == made


def test_a_set_is_written_as_people_write_it():
    assert str(RangeSet.of_numbers([7, 1, 2, 3])) == "1–3, 7"
    assert RangeSet.parse(" 1-3,7 ") == RangeSet((Range(1, 3), Range(7, 7)))


@pytest.mark.parametrize("text", ["", "soon", "0", "5-3", "1;2", "-1", "1, , 2"])
def test_what_is_no_set_of_numbers_is_refused(text):
    with pytest.raises(ValueError, match="no numbers of memories"):
        RangeSet.parse(text)


@given(st.lists(sets, max_size=5), st.integers(0, 30))
def test_parts_are_a_partition_if_every_number_is_in_exactly_one(parts, n):
    told = sorted(seq for part in parts for seq in part)
    fault = partition_fault([RangeSet.of_numbers(part) for part in parts], Range(1, n))
    assert (fault == "") == (told == list(range(1, n + 1)))


def test_a_fault_says_which_memories_are_missing_or_twice():
    one, other = RangeSet.of_numbers([1, 2, 5]), RangeSet.of_numbers([2, 3])
    assert partition_fault([one], Range(1, 5)) == "memories 3–4 are in no part"
    assert partition_fault([one, other], Range(1, 5)) == "memory 2 is in two parts, or before 1"
    assert partition_fault([one, RangeSet.of_numbers([3, 4])], Range(1, 7)) == "memories 6–7 are in no part"
    assert (
        partition_fault([one, RangeSet.of_numbers([3, 4])], Range(1, 4)) == "the parts go to memory 5, and there are 4"
    )
