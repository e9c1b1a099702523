"""An endpoint that is down for an hour costs next to nothing, and is found again soon after it is back."""

from __future__ import annotations

import asyncio

import pytest

from agents.models.endpoint import MAX_OPEN_SECONDS
from agents.models.model import ModelError
from agents.models.scheduler import NoEndpoint
from tests.agents.models.places import Places, settle

HOUR = 3600
EVERY_SECONDS = 5
AGENTS = ("Eliza", "Moss", "Odile")
GONE = ModelError("Ollama does not answer.", remedy="Start it with: ollama serve", is_gone=True)


async def thoughts(town: Places, seconds: int) -> list[BaseException | str]:
    """Let all agents think every few seconds for so long; return how each thought ended."""
    ended: list[BaseException | str] = []
    for _ in range(0, seconds, EVERY_SECONDS):
        asked = await town.asked(*AGENTS)
        while any(not task.done() for task in asked):
            await settle()
            for place in town.places:
                if any(not one.done() for one in place.under_way):
                    place.answer()
            await settle()
        for task in asked:
            error = task.exception()
            ended.append(error or "answered")
        town.clock += EVERY_SECONDS
    return ended


@pytest.fixture(scope="module")
def outage() -> tuple[Places, list[BaseException | str], int, list[BaseException | str]]:
    """Return a town, its thoughts of an hour without its endpoint, how often that was tried, and those afterwards."""

    async def story() -> tuple[Places, list[BaseException | str], int, list[BaseException | str]]:
        town = Places("near")
        (near,) = town.places
        near.dead = GONE
        lost = await thoughts(town, HOUR)
        tried = near.started + len(near.asked)
        near.dead = None
        return town, lost, tried, await thoughts(town, 2 * int(MAX_OPEN_SECONDS))

    return asyncio.run(story())


def test_it_is_tried_no_more_than_a_few_times_a_minute_and_at_least_once(outage):
    _, lost, tried, _ = outage
    assert HOUR / (MAX_OPEN_SECONDS + EVERY_SECONDS) - 1 < tried < 2.2 * HOUR / MAX_OPEN_SECONDS
    assert len(lost) == len(AGENTS) * HOUR // EVERY_SECONDS


def test_each_thought_of_that_hour_failed_at_once_with_what_is_wrong_when_it_is_tried_and_what_to_do(outage):
    _, lost, tried, _ = outage
    assert all(isinstance(one, ModelError) and "Ollama does not answer." in str(one) for one in lost)
    waited = [one for one in lost if isinstance(one, NoEndpoint)]
    assert len(waited) >= len(lost) - 2 * tried
    assert all("It is tried again in" in str(one) and str(one).endswith("ollama serve") for one in waited)


def test_once_it_is_back_one_probe_is_enough_and_it_comes_within_the_longest_pause(outage):
    _, _, _, after = outage
    first = after.index("answered")
    assert first <= len(AGENTS) * (MAX_OPEN_SECONDS / EVERY_SECONDS + 1)
    assert set(after[first:]) == {"answered"}


def test_nothing_is_left_waiting(outage):
    town = outage[0]
    assert town.pool.counts(town.queue) == (0, 0)
