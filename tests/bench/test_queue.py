"""The figures of bench.queue, in small: what they say of the pool holds at any size."""

from __future__ import annotations

import pytest

from bench.queue import FAULTS, Case, Outcome, outcome

AGENTS, SECONDS = 60, 60.0


@pytest.fixture(scope="module")
def once() -> Outcome:
    return outcome(Case(AGENTS, SECONDS))


def test_no_slot_is_idle_while_somebody_waits_although_requests_fail_now_and_then():
    assert outcome(Case(AGENTS, SECONDS, faults=FAULTS)).busy >= 0.95


def test_nobody_waits_longer_than_twice_the_median(once):
    assert once.mean_over_median <= 2


def test_an_endpoint_killed_in_the_midst_of_its_answers_loses_no_job():
    killed = outcome(Case(AGENTS, SECONDS, is_killed=True))
    assert (killed.answered, killed.failed) == (killed.asked, 0)


def test_agents_that_come_back_to_their_endpoint_have_less_read_for_them(once):
    without = outcome(Case(AGENTS, SECONDS, has_affinity=False))
    assert once.read_tokens * 5 < without.read_tokens
    assert once.turns > without.turns
