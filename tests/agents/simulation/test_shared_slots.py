"""Slots of an endpoint that processes share: never too many at a time, in the order of arrival."""

from __future__ import annotations

import asyncio
import itertools
from types import SimpleNamespace

from agents.simulation import shared_slots
from agents.simulation.shared_slots import SharedSlots

LOOKS = 5
"""How often a request that waits looks for a free slot in vain, before it counts as waiting."""


async def test_as_many_requests_run_as_there_are_slots_and_all_others_wait(tmp_path, monkeypatch):
    slots, other = SharedSlots(tmp_path, "a server", 2), SharedSlots(tmp_path, "a server", 2)

    looked, looks, loop = asyncio.Event(), itertools.count(1), asyncio.get_running_loop()

    def look(seconds: float) -> None:
        if next(looks) == LOOKS:
            loop.call_soon_threadsafe(looked.set)

    monkeypatch.setattr(shared_slots, "time", SimpleNamespace(sleep=look))

    async def third() -> int:
        async with slots.acquire() as number:
            return number

    async with asyncio.timeout(30):
        async with slots.acquire() as first, other.acquire() as second:
            assert {first, second} == {0, 1}
            waiting = asyncio.create_task(third())
            await looked.wait()
            assert not waiting.done()
        assert await waiting in (0, 1)


async def test_never_more_requests_run_than_there_are_slots_and_all_get_one(tmp_path):
    running, most, got = 0, 0, []

    async def world(name: str) -> None:
        nonlocal running, most
        slots = SharedSlots(tmp_path, "a server", 2)
        for _ in range(3):
            async with slots.acquire():
                running, most = running + 1, max(most, running + 1)
                await asyncio.sleep(0)
                got.append(name)
                running -= 1

    await asyncio.gather(*(world(name) for name in "abcd"))
    assert most <= 2
    assert sorted(got) == sorted("abcd" * 3)


async def test_a_request_that_is_cancelled_while_it_waits_takes_no_slot(tmp_path):
    slots, other = SharedSlots(tmp_path, "a server", 1), SharedSlots(tmp_path, "a server", 1)
    async with slots.acquire():
        waiting = asyncio.create_task(other.acquire().__aenter__())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
    async with asyncio.timeout(5), SharedSlots(tmp_path, "a server", 1).acquire() as number:
        assert number == 0


async def test_other_endpoints_have_slots_of_their_own(tmp_path):
    async with (
        asyncio.timeout(5),
        SharedSlots(tmp_path, "one server", 1).acquire(),
        SharedSlots(tmp_path, "another", 1).acquire(),
    ):
        pass
