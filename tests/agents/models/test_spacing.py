"""Spaced work: one piece at a time, in order, and the event loop comes to everything else in between."""

from __future__ import annotations

import asyncio

import pytest

from agents.models.model import Request
from agents.models.pool import TURNS_BETWEEN, LoopYield
from agents.models.queue import Priority
from tests.agents.models.places import Places


class Diary:
    """Writes down what is done, and each turn of the loop as a dot."""

    def __init__(self) -> None:
        self.spaced = LoopYield()
        self.text = ""

    async def write(self, what: str) -> None:
        async with self.spaced:
            self.text += what

    async def turns(self, count: int) -> None:
        for _ in range(count):
            self.text += "."
            await asyncio.sleep(0)


def test_pieces_asked_for_together_are_done_in_order_with_turns_of_the_loop_between():
    async def story() -> str:
        diary = Diary()
        await asyncio.gather(diary.write("a"), diary.write("b"), diary.write("c"), diary.turns(20))
        return diary.text

    text = asyncio.run(story())
    a, b, c = (text.index(letter) for letter in "abc")
    assert b - a > TURNS_BETWEEN
    assert c - b > TURNS_BETWEEN


def test_the_first_piece_is_done_in_the_same_turn():
    async def story() -> str:
        diary = Diary()
        await asyncio.gather(diary.turns(1), diary.write("a"), diary.turns(1))
        return diary.text

    assert asyncio.run(story()) == ".a."


def test_a_piece_that_fails_or_is_given_up_holds_up_nobody():
    async def story() -> str:
        diary = Diary()
        with pytest.raises(ValueError):
            async with diary.spaced:
                raise ValueError
        given_up = asyncio.create_task(diary.write("b"))
        await asyncio.sleep(0)
        given_up.cancel()
        async with asyncio.timeout(5):
            await diary.write("c")
        return diary.text

    assert asyncio.run(story()) == "c"


def test_a_loop_that_ended_too_soon_holds_up_no_later_one():
    spaced = Diary()
    asyncio.run(spaced.write("a"))
    asyncio.run(asyncio.wait_for(spaced.write("b"), 5))
    assert spaced.text == "ab"


def test_requests_for_several_free_endpoints_are_not_built_in_one_turn():
    async def story() -> str:
        town, diary = Places("a", "b"), Diary()

        def make() -> Request:
            diary.text += "p"
            return Request("p")

        tasks = [asyncio.create_task(town.queue.ask(owner, Priority.THOUGHT, make)) for owner in ("Ana", "Ben")]
        await diary.turns(20)
        for place in town.places:
            place.answer()
        await asyncio.gather(*tasks)
        return diary.text

    text = asyncio.run(story())
    assert text.rindex("p") - text.index("p") > TURNS_BETWEEN
