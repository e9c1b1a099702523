"""Whether a compaction by tokens is worth it, and when to stop trying: the arithmetic, row by row."""

from __future__ import annotations

import itertools

import pytest

from agents.memory.cost import WINDOW_MS, CompactionBreaker, CompactionEstimate

# saved a turn, turns, request, response, share that is cached, weight of a cached token, and whether it is worth it:
# saved x (1 - share x (1 - weight)) x turns > request + response.
ROWS = [
    *((100, 10, 800, 199, 0.0, 0.1, True), (100, 10, 800, 200, 0.0, 0.1, False), (100, 10, 801, 200, 0.0, 0.1, False)),
    *((1, 1, 0, 0, 0.0, 0.1, True), (1, 1, 1, 0, 0.0, 0.1, False), (1, 2, 1, 0, 0.0, 0.1, True)),
    *((0, 50, 0, 0, 0.0, 0.1, False), (0, 50, 100, 10, 0.0, 0.1, False), (-5, 50, 100, 10, 0.0, 0.1, False)),
    *((50, 1, 40, 9, 0.0, 0.1, True), (50, 1, 40, 10, 0.0, 0.1, False), (50, 1, 0, 50, 0.0, 0.1, False)),
    *((2000, 50, 4000, 300, 0.0, 0.1, True), (2000, 2, 4000, 300, 0.0, 0.1, False)),
    *((2000, 3, 4000, 300, 0.0, 0.1, True), (4300, 1, 4000, 300, 0.0, 0.1, False)),
    *((4301, 1, 4000, 300, 0.0, 0.1, True), (430, 10, 4000, 300, 0.0, 0.1, False)),
    # All of it cached, at a tenth: ten times as many turns are needed.
    *((100, 10, 90, 9, 1.0, 0.1, True), (100, 10, 91, 9, 1.0, 0.1, False), (100, 100, 900, 99, 1.0, 0.1, True)),
    *((100, 100, 900, 101, 1.0, 0.1, False), (2000, 3, 4000, 300, 1.0, 0.1, False)),
    *((2000, 21, 4000, 300, 1.0, 0.1, False), (2000, 22, 4000, 300, 1.0, 0.1, True)),
    # All of it cached, and cached tokens cost nothing: never.
    *((10_000, 1000, 1, 0, 1.0, 0.0, False), (10_000, 1000, 0, 1, 1.0, 0.0, False)),
    # All of it cached, and cached tokens cost the same: as if nothing were.
    *((100, 10, 800, 199, 1.0, 1.0, True), (100, 10, 800, 200, 1.0, 1.0, False), (50, 1, 40, 9, 1.0, 1.0, True)),
    # Half of it cached at nothing: half counts.
    *((100, 10, 499, 0, 0.5, 0.0, True), (100, 10, 500, 0, 0.5, 0.0, False), (100, 10, 250, 249, 0.5, 0.0, True)),
    # Half of it cached at a half: three quarters count.
    *((100, 10, 749, 0, 0.5, 0.5, True), (100, 10, 750, 0, 0.5, 0.5, False), (100, 10, 700, 51, 0.5, 0.5, False)),
    # Nine tenths cached at nothing: a tenth and no more, give or take how fractions are kept.
    *((100, 10, 99, 0, 0.9, 0.0, True), (100, 10, 101, 0, 0.9, 0.0, False)),
    # A quarter cached at nothing: three quarters count.
    *((400, 1, 299, 0, 0.25, 0.0, True), (400, 1, 300, 0, 0.25, 0.0, False), (400, 2, 599, 0, 0.25, 0.0, True)),
    *((400, 2, 600, 0, 0.25, 0.0, False), (400, 0, 0, 0, 0.25, 0.0, False)),
    # No turn is expected: nothing is worth anything.
    *((10_000, 0, 0, 0, 0.0, 0.1, False), (10_000, 0, 1, 1, 0.0, 0.1, False)),
    # The defaults: fifty turns, 300 tokens of summary.
    *((700, 50, 1000, 300, 0.0, 0.1, True), (700, 50, 1000, 300, 0.9, 0.1, True), (30, 50, 1000, 300, 0.0, 0.1, True)),
    *((26, 50, 1000, 300, 0.0, 0.1, False), (27, 50, 1000, 300, 0.0, 0.1, True), (27, 50, 1000, 300, 0.9, 0.1, False)),
]


def test_there_are_fifty_rows_or_more():
    assert len(set(ROWS)) == len(ROWS) >= 50


@pytest.mark.parametrize(("saved", "turns", "request_", "response", "share", "weight", "worth"), ROWS)
def test_3_6_it_is_made_only_if_what_it_saves_in_all_turns_is_more_than_it_costs(
    saved, turns, request_, response, share, weight, worth
):
    offer = CompactionEstimate(saved, turns, request_, response, share, weight)
    assert (offer.gain > offer.cost) == worth
    assert (offer.objection(min_saving_tokens=-100) == "") == worth


def test_3_5_a_saving_below_the_guard_is_not_worth_it_whatever_it_comes_to():
    offer = CompactionEstimate(saved_per_turn=499, expected_turns=1000, request_tokens=1, response_tokens=1)
    assert offer.objection(500) == "it would save 499 tokens a turn, less than 500"
    assert offer.objection(499) == ""


def test_an_objection_says_what_it_would_save_and_cost():
    assert CompactionEstimate(100, 10, 900, 300).objection(50) == "it would save 1000 tokens in 10 turns and cost 1200"


def after(*runs: tuple[int, int], apart_ms: int = WINDOW_MS) -> CompactionBreaker:
    """Return a breaker after runs (tokens before, after), so many milliseconds apart, the last of them at 0."""
    breaker = CompactionBreaker()
    for number, (before, tokens) in enumerate(runs, 1 - len(runs)):
        breaker.note_run(before, tokens, number * apart_ms)
    return breaker


@pytest.mark.parametrize(
    ("runs", "is_open"),
    [
        ([(1000, 950)], False),
        ([(1000, 950), (1000, 901)], True),
        ([(1000, 950), (1000, 900)], False),  # a tenth is enough
        ([(1000, 950), (1000, 500), (1000, 950)], False),  # not in a row
        ([(1000, 1200), (1200, 1300)], True),
        ([(1000, 100)] * 9, False),
        ([(0, 0), (0, 0)], False),
    ],
)
def test_two_runs_in_a_row_that_saved_less_than_a_tenth_open_the_breaker(runs, is_open):
    assert after(*runs).is_open(0, 1) == is_open


@pytest.mark.parametrize(("runs", "apart_ms", "is_open"), [(4, 1000, False), (5, 1000, True), (5, 150_000, False)])
def test_more_than_four_runs_in_ten_minutes_open_it(runs, apart_ms, is_open):
    assert after(*[(1000, 100)] * runs, apart_ms=apart_ms).is_open(0, 1) == is_open


def test_it_closes_after_ten_minutes():
    runs = [(1000, 950), (1000, 950)]
    assert after(*runs).is_open(950, WINDOW_MS - 1)
    assert not after(*runs).is_open(950, WINDOW_MS)


def test_it_closes_when_the_view_has_grown_by_a_fifth():
    runs = [(1000, 1000), (1000, 1000)]
    assert after(*runs).is_open(1199, 1)
    assert not after(*runs).is_open(1200, 1)


def test_once_closed_it_begins_to_count_anew():
    breaker = after((1000, 950), (1000, 950))
    assert not breaker.is_open(950, WINDOW_MS)
    breaker.note_run(1000, 950, WINDOW_MS + 1)
    assert not breaker.is_open(950, WINDOW_MS + 2)
    breaker.note_run(1000, 950, WINDOW_MS + 3)
    assert breaker.is_open(950, WINDOW_MS + 4)


def test_it_says_why_it_is_open():
    assert after((1000, 950), (1000, 950)).why == "2 runs saved less than 10%"
    assert after(*itertools.repeat((1000, 100), 5), apart_ms=1).why == "5 runs within ten minutes"
