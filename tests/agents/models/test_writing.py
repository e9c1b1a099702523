"""Texts that are kept or told: what a reasoning model thinks before one is given room, and is no part of it."""

from __future__ import annotations

import asyncio
import random

from agents.models.model import Completion, Request
from agents.models.queue import ModelQueue, Priority
from agents.models.writing import written_by
from agents.own.dreaming import Dreamer
from tests.agents.test_agent import settled
from tests.scripted_model import ScriptedModel
from tests.vault.vault_of import vault_of

STOP = ("\n\n", "SUMMARY:")
THOUGHTS = "<think>\nWhat was it?\n\nThe river.\n</think>\n\n"


def texts(model: ScriptedModel, times: int, request: Request) -> list[Completion]:
    async def asked() -> list[Completion]:
        queue = ModelQueue(model)
        return [await written_by(queue, "Eliza", Priority.SUMMARY, lambda: request) for _ in range(times)]

    return asyncio.run(asked())


def test_a_text_is_what_stands_behind_the_thoughts_up_to_where_it_ends():
    model = ScriptedModel("<think>Hm.</think>", f"{THOUGHTS}I saw the river.\n\nI could add more.")
    assert [one.text for one in texts(model, 2, Request("Tell.", 100, STOP))] == ["", "I saw the river."]


def test_once_a_model_has_shown_thoughts_it_has_room_for_them_and_may_leave_a_line_empty_in_them():
    model = ScriptedModel("<think>Hm.", "I saw the river.", context_tokens=4000)
    texts(model, 2, Request("Tell.", 100, STOP))
    first, second = model.requests
    assert (first.max_tokens, first.stop) == (100, STOP)
    assert (second.max_tokens, second.stop) == (1100, ("SUMMARY:",))


def test_thoughts_are_given_no_more_room_than_the_prompt_leaves():
    prompt = "word " * 300
    model = ScriptedModel("<think>Hm.", "I saw the river.", context_tokens=500)
    texts(model, 2, Request(prompt, 100, STOP))
    assert model.requests[1].max_tokens == max(100, 500 - model.count_tokens(prompt))


def test_who_dreams_with_a_reasoning_model_is_told_the_dream_and_no_thoughts(tmp_path):
    model = ScriptedModel("<think>A dream, then.</think>I flew over the weir.")

    async def night() -> list[str]:
        queue, told = ModelQueue(model), list[str]()
        Dreamer(vault_of(tmp_path, {}), lambda: queue, random.Random(1), 60.0).dream(
            "Rook", "Ana says hi.", told.append
        )
        await settled(50)
        return told

    assert asyncio.run(night()) == ["I flew over the weir."]
