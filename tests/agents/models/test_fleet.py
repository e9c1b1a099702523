"""The pool before a fleet of simulated endpoints: busy, fair, and no job lost."""

from __future__ import annotations

import pytest

from tests.agents.models.fleet import FAULTS, PROMPT_TOKENS, Case, Outcome, outcome

AGENTS, SECONDS = 60, 60.0


@pytest.fixture(scope="module")
def once() -> Outcome:
    return outcome(Case(AGENTS, SECONDS))


def test_no_slot_is_idle_while_somebody_waits_although_requests_fail_now_and_then():
    assert outcome(Case(AGENTS, SECONDS, faults=FAULTS)).busy >= 0.95


def test_concurrency_that_is_found_out_keeps_the_slots_as_busy_as_if_it_were_given():
    assert outcome(Case(AGENTS, 4 * SECONDS, faults=FAULTS, is_measured=True)).busy >= 0.95


def test_nobody_waits_longer_than_twice_the_median(once):
    assert once.mean_over_median <= 2
    assert once.longest_over_median <= 2


def test_twice_the_endpoints_do_twice_the_turns(once):
    assert outcome(Case(AGENTS, SECONDS, times=2)).turns >= 1.9 * once.turns


def test_an_endpoint_killed_in_the_midst_of_its_answers_loses_no_job():
    killed = outcome(Case(AGENTS, SECONDS, is_killed=True))
    assert (killed.answered, killed.failed) == (killed.asked, 0)


def test_agents_that_come_back_to_their_endpoint_have_less_read_for_them(once):
    assert once.read_tokens < PROMPT_TOKENS / 5
