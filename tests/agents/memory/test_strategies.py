"""When each strategy is due and what it takes, as memories come one by one and as they come in a flood."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory.coverage import NONE, Coverage, Plan, TailSize
from agents.memory.strategy import Layered, MemoryStrategy, Rolling, Waterfall, Window, loaded_strategies
from config.settings import MemorySettings
from tests.agents.memory.topics import Topics
from vault.memory.memory_line import Range

windows = st.integers(1, 100)


def after(plan: Plan, n: int) -> Coverage:
    """Return the coverage once a plan is done and there are n memories."""
    return Coverage(plan.longterm.last if plan.longterm else 0, plan.recent.last, n)


def lived(waterfall: Waterfall, memories: int) -> list[Plan]:
    """Return the plans of a life in which each plan is done at once."""
    coverage, plans = Coverage(0, 0, 0), []
    for n in range(1, memories + 1):
        coverage = replace(coverage, n=n)
        while plan := waterfall.plan(coverage):
            plans.append(plan)
            coverage = after(plan, n)
    return plans


@pytest.mark.parametrize(
    ("immediate", "recent", "due"), [(64, 64, [129, 193, 257, 321]), (24, 24, [49, 73, 97, 121]), (64, 8, [73, 81, 89])]
)
def test_4_5_the_first_cycle_is_due_when_both_windows_overflow_and_then_once_a_window(immediate, recent, due):
    plans = lived(Waterfall(immediate, recent), due[-1])
    assert [plan.n for plan in plans] == due


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


def test_without_a_short_term_summary_the_long_term_one_stays_as_it_is():
    # A crash or a hand took the short-term one: its memories are verbatim again and summarised anew.
    plan = Waterfall(64, 64).plan(Coverage(129, 129, 300))
    assert plan
    assert (plan.longterm, plan.recent) == (NONE, Range(130, 193))


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
        coverage = replace(coverage, n=coverage.n + arrived)
        while plan := waterfall.plan(coverage):
            assert coverage.n >= waterfall.next_due_at(coverage)
            coverage = after(plan, coverage.n)
        assert coverage.n < waterfall.next_due_at(coverage)
        assert len(coverage.verbatim) <= immediate + recent


# What all have in common

WORD = 10
FOUR: dict[str, MemoryStrategy] = {
    "waterfall": Waterfall(6, 4),
    "rolling": Rolling(7, 3, most=8),
    "rolling that retains more than its threshold": Rolling(2, 5),
    "layered": Layered(80, most=9),
    "window": Window(5),
    "topics": Topics(topics_keep=4),
}
every_strategy = pytest.mark.parametrize("strategy", FOUR.values(), ids=FOUR)


def done(coverage: Coverage, plan: Plan) -> Coverage:
    """Return the coverage once a plan is done."""
    a = plan.longterm.last if plan.longterm else coverage.a
    return Coverage(a, plan.recent.last if plan.recent else a, coverage.n)


def next_plan(strategy: MemoryStrategy, coverage: Coverage, forced: bool = False) -> Plan | None:
    return strategy.plan(coverage, forced, [WORD] * len(coverage.verbatim))


@every_strategy
@given(st.lists(st.one_of(st.integers(0, 30), st.just("force"), st.sampled_from(sorted(FOUR))), max_size=30))
def test_every_plan_takes_the_oldest_and_leaves_a_partition_whatever_came_before(strategy, steps):
    coverage, using = Coverage(0, 0, 0), strategy
    for step in steps:
        using = FOUR.get(step, using)
        coverage = replace(coverage, n=coverage.n + step) if isinstance(step, int) else coverage
        plan = next_plan(using, coverage, forced=step == "force")
        if plan is None:
            continue
        assert plan.taken.first == coverage.b + 1
        assert 1 <= len(plan.taken) <= 64
        assert plan.taken.last <= coverage.n
        assert bool(plan.recent) != bool(plan.absorbed)
        assert plan.fault(coverage) == ""
        # The long-term summary takes what stands before: all of it or nothing, and never more than there is.
        assert plan.longterm in (Range(1, 0), Range(1, coverage.b), Range(1, plan.absorbed.last))
        assert plan.longterm or plan.recent.first == coverage.a + 1
        coverage = done(coverage, plan)


@every_strategy
@given(st.integers(0, 400), st.integers(0, 60), st.integers(0, 60))
def test_every_backlog_comes_to_an_end_and_then_nothing_is_due(strategy, tail, a, more):
    coverage, cycles = Coverage(a, a + more, a + more + tail), 0
    while plan := next_plan(strategy, coverage):
        coverage, cycles = done(coverage, plan), cycles + 1
    assert cycles <= tail
    assert next_plan(strategy, coverage) is None
    assert coverage.n < strategy.next_due_at(coverage) or not strategy.next_due_at(coverage)


@every_strategy
@given(st.integers(0, 200))
def test_forced_again_and_again_every_strategy_comes_to_rest(strategy, n):
    coverage = Coverage(0, 0, n)
    for _ in range(n + 1):
        plan = next_plan(strategy, coverage, forced=True)
        if plan is None:
            break
        coverage = done(coverage, plan)
    assert next_plan(strategy, coverage, forced=True) is None
    resting = {"Waterfall": 6, "Rolling": 5, "Layered": 0, "Window": n, "Topics": 4}[type(strategy).__name__]
    assert len(coverage.verbatim) <= resting


@every_strategy
@given(st.integers(0, 400), st.booleans())
def test_planning_changes_nothing(strategy, n, forced):
    coverage = Coverage(0, 0, n)
    assert next_plan(strategy, coverage, forced) == next_plan(strategy, coverage, forced)


@pytest.mark.parametrize("name", ["waterfall", "rolling", "layered", "window"])
def test_a_strategy_is_chosen_by_its_name(name):
    assert type(loaded_strategies().strategy_of(MemorySettings(strategy=name))).__name__.lower() == name


def test_2_3_rolling_compresses_the_oldest_and_keeps_the_newest_and_is_due_only_above_its_threshold():
    rolling = Rolling(7, 3)
    assert rolling.plan(Coverage(0, 0, 7)) is None
    assert rolling.plan(Coverage(0, 0, 8)) == Plan(8, Range(1, 5), Range(1, 0), Range(1, 5))
    assert rolling.plan(Coverage(0, 0, 4), forced=True) == Plan(4, Range(1, 1), Range(1, 0), Range(1, 1))
    assert rolling.plan(Coverage(0, 0, 3), forced=True) is None


def test_rolling_folds_what_a_waterfall_has_left_into_its_one_summary():
    assert Rolling(7, 3).plan(Coverage(10, 20, 31)) == Plan(31, Range(1, 28), Range(1, 0), Range(21, 28))


def test_layered_leaves_no_tail_and_is_due_by_tokens_alone():
    layered = Layered(100)
    assert layered.plan(Coverage(0, 0, 10), sizes=[10] * 10) is None
    assert layered.plan(Coverage(0, 0, 10), sizes=[10] * 9 + [11]) == Plan(10, Range(1, 10), Range(1, 0), Range(1, 10))
    assert layered.plan(Coverage(0, 0, 1000)) is None


# Where the tail has too many tokens


@pytest.mark.parametrize(
    ("sizes", "taken"),
    [
        ([100] * 60, 0),  # 6,000 are not too many
        ([100] * 60 + [1], 31),  # 31 have to go, so that 2,901 are left
        ([5900, 60, 60], 1),
        ([60, 60, 5900], 2),  # the newest fits by itself
        ([60, 60, 6001], 3),  # it is too much by itself
        ([4000] + [30] * 50 + [3000], 51),  # 3,000 are few enough
    ],
)
def test_overfull_tail_goes_down_to_half_of_its_budget(sizes, taken):
    tail = TailSize(tuple(sizes), 6000)
    assert (tail.surplus if tail.is_overfull else 0) == taken


def emptied(strategy: MemoryStrategy, coverage: Coverage, sizes: list[int], budget: int) -> list[Coverage]:
    """Return the coverages after each cycle until nothing is due; `sizes` are those of all memories."""
    coverages = [coverage]
    while True:
        tail = TailSize(tuple(sizes[coverage.b :]), budget)
        plan = strategy.plan(coverage) or (strategy.shorten(coverage, tail.surplus) if tail.is_overfull else None)
        if plan is None:
            return coverages
        assert plan.fault(coverage) == "" and 1 <= len(plan.taken) <= 64 + 1
        coverage = done(coverage, plan)
        coverages.append(coverage)


MAKES_ROOM = (Waterfall(64, 64), Waterfall(6, 4), Rolling(7, 3), Layered(10_000, most=9))


@given(st.sampled_from(MAKES_ROOM), st.lists(st.integers(0, 1200), max_size=300), st.integers(1, 5000))
def test_compaction_run_to_its_end_leaves_a_tail_that_fits(strategy, sizes, budget):
    coverages = emptied(strategy, Coverage(0, 0, len(sizes)), sizes, budget)
    assert sum(sizes[coverages[-1].b :]) <= budget
    assert coverages == emptied(strategy, Coverage(0, 0, len(sizes)), sizes, budget)
    assert all(0 <= one.a <= one.b <= one.n == len(sizes) for one in coverages)


@given(st.lists(st.integers(0, 37), min_size=400, max_size=400))
def test_default_windows_are_in_force_where_their_memories_fit(sizes):
    waterfall, coverage, due = Waterfall(), Coverage(0, 0, 0), []
    for n in range(1, 401):
        *_, last = emptied(waterfall, replace(coverage, n=n), sizes[:n], 4860)
        due += [n] if last.b > coverage.b else []
        coverage = last
    assert due == [129, 193, 257, 321, 385]


def test_windows_in_force_shrink_with_the_budget():
    assert TailSize((25,) * 10, 3200).windows(64, 64) == (64, 64)
    assert TailSize((25,) * 10, 900).windows(64, 64) == (18, 18)
    assert TailSize((), 900).windows(64, 64) == (64, 64)
