"""Three ranges that always partition all memories."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory.coverage import Coverage, resolve_ranges
from vault.memory.memory_line import Range
from vault.memory.summaries import Summary

summaries = st.none() | st.builds(
    lambda first, length: Summary(first, first + length - 1, "I walked."),
    st.integers(1, 40) | st.just(1),
    st.integers(1, 40),
)


def summary(first: int, last: int) -> Summary:
    return Summary(first, last, "I walked.")


def numbers(*ranges: Range) -> list[int]:
    """Return the numbers in some ranges, one after the other."""
    return [seq for one in ranges for seq in range(one.first, one.last + 1)]


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_coverage_is_a_partition_or_none_at_all(a, b, n):
    if a <= b <= n:
        coverage = Coverage(a, b, n)
        assert numbers(coverage.longterm, coverage.recent, coverage.verbatim) == list(range(1, n + 1))
    else:
        with pytest.raises(ValueError, match="not a partition"):
            Coverage(a, b, n)


@given(summaries, summaries, st.integers(0, 100))
def test_any_two_summaries_leave_a_partition(longterm, recent, n):
    settled = resolve_ranges(longterm, recent)
    coverage = settled.coverage(n)
    covered = [s for s in (settled.longterm, settled.recent) if s]
    told = numbers(*(Range(s.first, s.last) for s in covered), coverage.verbatim)
    assert told == list(range(1, max(n, coverage.b) + 1))


@given(summaries, summaries)
def test_a_summary_is_either_in_force_or_objected_to_by_name(longterm, recent):
    settled = resolve_ranges(longterm, recent)
    assert [name for name, _ in settled.objections] == [
        name
        for name, given, kept in (("longterm.md", longterm, settled.longterm), ("recent.md", recent, settled.recent))
        if given and not kept
    ]


@pytest.mark.parametrize(
    ("longterm", "recent", "kept"),
    [
        (None, None, (None, None)),
        (None, summary(1, 65), (None, summary(1, 65))),
        (summary(1, 65), summary(66, 129), (summary(1, 65), summary(66, 129))),
        (summary(1, 65), None, (summary(1, 65), None)),
        # Stopped between the two: the long-term one has taken in what the short-term one still tells.
        (summary(1, 129), summary(66, 129), (summary(1, 129), None)),
        (summary(1, 65), summary(60, 129), (summary(1, 65), None)),
        (summary(1, 65), summary(70, 129), (summary(1, 65), None)),
        (None, summary(66, 129), (None, None)),
        (summary(2, 65), summary(66, 129), (None, None)),
        (summary(2, 65), summary(1, 65), (None, summary(1, 65))),
    ],
)
def test_which_summaries_hold_follows_from_the_ranges_alone(longterm, recent, kept):
    settled = resolve_ranges(longterm, recent)
    assert (settled.longterm, settled.recent) == kept


def test_an_objection_says_what_would_be_missing_or_twice():
    assert resolve_ranges(summary(1, 129), summary(66, 129)).objections == (
        ("recent.md", "it covers 66–129, and the long-term summary covers 1–129 already"),
    )
    assert resolve_ranges(summary(1, 65), summary(70, 129)).objections == (
        ("recent.md", "it covers 70–129, and memories from 66 on would be missing or twice"),
    )
    assert resolve_ranges(summary(2, 65), None).objections == (("longterm.md", "it begins at memory 2 and not at 1"),)
