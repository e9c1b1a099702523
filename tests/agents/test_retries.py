"""What an agent was spoken to about is not lost when an endpoint fails it: another one is asked instead."""

from __future__ import annotations

import asyncio
import random

import pytest

from agents.choices.constraints import verbs_in
from agents.component import Turn
from agents.models.endpoint import CircuitBreaker, ConcurrencyLimit, Endpoint, Route
from agents.models.model import ModelError, Request
from agents.models.queue import ModelQueue, Priority
from tests.agents.models.places import settle
from tests.agents.test_agent import Life
from tests.scripted_model import ScriptedModel

GONE = ModelError("Nobody answers.", is_gone=True)


def route(model: ScriptedModel) -> Route:
    return Route(Endpoint(model.name, ConcurrencyLimit(1), CircuitBreaker(random.Random(1))), model)


def turn_spoken_to_while_waiting(life: Life, *models: ScriptedModel) -> Turn:
    """Let Rook have a turn in which Ana speaks to him while he waits for his endpoints, which others use."""

    async def story() -> Turn:
        life.game.wake("Rook", life.agent.perceive)
        life.agent.queue = ModelQueue([route(model) for model in models])
        life.ana.types("say Rook?")
        for model in models:
            model.hold()
        ask = life.agent.queue.ask
        waiting = [ask(f"Other {one}", Priority.THOUGHT, lambda: Request("p")) for one in range(len(models))]
        others = [asyncio.create_task(one) for one in waiting]
        await settle()
        turn = asyncio.create_task(life.agent.tick())
        await settle()
        life.ana.types("say Rook, how are you?")
        for model in models:
            model.release()
        await asyncio.gather(*others)
        return await turn

    return asyncio.run(story())


@pytest.mark.parametrize("which", range(8))
def test_who_is_spoken_to_while_it_waits_answers_though_the_first_endpoint_fails(tmp_path, which):
    life = Life(tmp_path)
    life.agent._conduct.policy._rng.seed(which)
    near = ScriptedModel("look\n", GONE, name="near", constrains=True)
    far = ScriptedModel("look\n", " say I am well. | she asked\n", name="far", constrains=True)
    done = turn_spoken_to_while_waiting(life, near, far)
    assert done.line == "say I am well. | she asked"
    asked = [verbs_in(one.grammar) for model in (near, far) for one in model.requests if one.grammar]
    assert asked == [["say"], ["say"]]


def test_who_could_not_answer_for_want_of_a_model_still_owes_the_answer(tmp_path):
    life = Life(tmp_path)
    near = ScriptedModel("look\n", GONE, name="near", constrains=True)
    done = turn_spoken_to_while_waiting(life, near)
    assert done.outcome == "failed"
    assert life.agent.awareness.addressed.spoken
