"""The waterfall's schedule, as memories come one by one and as they come in a flood."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory.coverage import Coverage, Range
from agents.memory.strategies import Plan, Waterfall

windows = st.integers(1, 100)


def after(plan: Plan, n: int) -> Coverage:
    """Return the coverage once a plan is done and there are n memories."""
    return Coverage(plan.longterm.last if plan.longterm else 0, plan.recent.last, n)


def lived(waterfall: Waterfall, memories: int) -> list[Plan]:
    """Return the plans of a life in which each plan is done at once."""
    coverage, plans = Coverage(0, 0, 0), []
    for n in range(1, memories + 1):
        coverage = coverage.at(n)
        while plan := waterfall.plan(coverage):
            plans.append(plan)
            coverage = after(plan, n)
    return plans


@pytest.mark.parametrize(
    ("immediate", "recent", "due"), [(64, 64, [129, 193, 257, 321]), (24, 24, [49, 73, 97, 121]), (64, 8, [73, 81, 89])]
)
def test_the_first_cycle_is_due_when_both_windows_overflow_and_then_once_a_window(immediate, recent, due):
    plans = lived(Waterfall(immediate, recent), due[-1])
    assert [plan.n for plan in plans] == due


def test_two_agents_keep_their_own_schedules():
    assert [plan.n for plan in lived(Waterfall(24, 24), 200)] == [49, 73, 97, 121, 145, 169, 193]
    assert [plan.n for plan in lived(Waterfall(64, 64), 200)] == [129, 193]


def test_the_first_summary_begins_at_memory_one_and_has_nothing_to_fold():
    first, second, third = lived(Waterfall(64, 64), 257)
    assert (first.recent, first.is_first) == (Range(1, 65), True)
    assert (second.longterm, second.recent, second.is_first) == (Range(1, 65), Range(66, 129), False)
    assert (third.longterm, third.recent) == (Range(1, 129), Range(130, 193))


def test_a_thousand_memories_are_fourteen_cycles_and_twenty_seven_calls():
    plans = lived(Waterfall(64, 64), 1000)
    assert len(plans) == 14
    assert sum(1 if plan.is_first else 2 for plan in plans) == 27


def test_after_each_cycle_the_tail_is_the_immediate_window_again():
    assert {plan.n - plan.recent.last for plan in lived(Waterfall(64, 64), 1000)} == {64}


def test_a_backlog_is_worked_off_oldest_first_in_the_same_steps():
    waterfall, coverage, plans = Waterfall(64, 64), Coverage(0, 0, 10_000), []
    while plan := waterfall.plan(coverage):
        plans.append(plan)
        coverage = after(plan, 10_000)
    assert [plan.recent.first for plan in plans] == [1, *(plan.recent.last + 1 for plan in plans[:-1])]
    assert {len(plan.recent) for plan in plans[1:]} == {64}
    assert len(plans[0].recent) == 65
    assert 64 <= len(coverage.verbatim) < 128


def test_forced_it_summarises_all_that_is_outside_the_immediate_window():
    waterfall = Waterfall(64, 64)
    assert waterfall.plan(Coverage(0, 0, 100)) is None
    assert waterfall.plan(Coverage(0, 0, 100), forced=True) == Plan(100, Range(1, 0), Range(1, 36))
    assert waterfall.plan(Coverage(0, 65, 130), forced=True) == Plan(130, Range(1, 65), Range(66, 66))


@pytest.mark.parametrize("n", [0, 1, 64])
def test_forced_there_is_nothing_to_do_while_all_is_immediate(n):
    assert Waterfall(64, 64).plan(Coverage(0, 0, n), forced=True) is None


def test_forced_twice_it_does_nothing_the_second_time():
    waterfall = Waterfall(64, 64)
    plan = waterfall.plan(Coverage(0, 65, 130), forced=True)
    assert plan
    assert waterfall.plan(after(plan, 130), forced=True) is None


def test_without_a_short_term_summary_the_long_term_one_stays_as_it_is():
    # A crash or a hand took the short-term one: its memories are verbatim again and summarised anew.
    plan = Waterfall(64, 64).plan(Coverage(129, 129, 300))
    assert plan
    assert (plan.is_first, plan.recent) == (True, Range(130, 193))


@given(windows, windows, st.integers(0, 300), st.integers(0, 300), st.integers(0, 2000), st.booleans())
def test_a_plan_always_leaves_a_partition_and_is_bounded(immediate, recent, a, more, tail, forced):
    coverage = Coverage(a, a + more, a + more + tail)
    plan = Waterfall(immediate, recent).plan(coverage, forced)
    if plan is None:
        assert tail - immediate < (1 if forced else recent + (coverage.b == 0))
        return
    assert plan.recent.first == coverage.b + 1
    assert 1 <= len(plan.recent) <= recent + 1
    assert plan.recent.last <= coverage.n - immediate
    assert plan.longterm == Range(1, coverage.b if coverage.recent else 0)


@given(windows, windows, st.lists(st.integers(0, 300), max_size=20))
def test_however_memories_come_what_is_due_is_what_is_announced(immediate, recent, arrivals):
    waterfall, coverage = Waterfall(immediate, recent), Coverage(0, 0, 0)
    for arrived in arrivals:
        coverage = coverage.at(coverage.n + arrived)
        while plan := waterfall.plan(coverage):
            assert coverage.n >= waterfall.next_due_at(coverage)
            coverage = after(plan, coverage.n)
        assert coverage.n < waterfall.next_due_at(coverage)
        assert len(coverage.verbatim) <= immediate + recent


@given(windows, windows, st.integers(0, 2000))
def test_planning_again_without_anything_new_plans_the_same(immediate, recent, n):
    waterfall, coverage = Waterfall(immediate, recent), Coverage(0, 0, n)
    assert waterfall.plan(coverage) == waterfall.plan(coverage)
