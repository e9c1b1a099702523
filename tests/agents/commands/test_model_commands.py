"""What @llm-status tells of models, endpoints and the last turns of agents."""

from __future__ import annotations

import asyncio
import re

from agents.commands.model_commands import model_text
from agents.models.model import Capabilities, ModelError, Request
from agents.models.queue import ModelQueue
from agents.models.scheduler import Priority
from tests.agents.models.places import Places, settle
from tests.agents.test_agent import Life
from tests.english import ENGLISH
from tests.scripted_model import ScriptedModel

NO_MODEL = ModelError("far has no model.", remedy="Fetch it.", retryable=False)


async def test_every_endpoint_is_told_with_its_health_its_figures_and_what_to_do():
    town = Places("near", "far", limit=2)
    tasks = await town.asked("Ana", "Ben")
    town.places[0].answer()
    town.places[1].fail(NO_MODEL)
    await town.end(*tasks)
    spare = ModelQueue(ScriptedModel(), name="summarizer")
    assert model_text(town.queue, {}, ENGLISH, {"summarizer": spare}).split("\n") == [
        "Model: near, well.",
        "Now: 0 running, 0 waiting.",
        "Since the start: 2 answered, 0 failed, 0 cancelled, 0 prompts read ahead.",
        "Lately: 1.00 s an answer (queued 0.00 s), 2 tokens a second, 0% of the prompts from the cache.",
        "For summarizer: scripted; 0 running, 0 waiting, 0 answered, 0 failed, 0.00 s an answer.",
        "Endpoint near: well; 0 running of 2 at a time (as set).",
        "It has answered 2 and failed 0, 2 answers in the last minute; "
        "1.00 s an answer, 2 tokens a second, 0% from the cache.",
        "Endpoint far: failing, retried in 1 s; 0 running of 2 at a time (as set).",
        "It has answered 0 and failed 1, 0 answers in the last minute; "
        "0.00 s an answer, 0 tokens a second, an unknown share from the cache.",
        "Last error: far has no model. Fetch it.",
        "Endpoint scripted: well; 0 running of 1 at a time (as set).",
        "It has answered 0 and failed 0, 0 answers in the last minute; "
        "0.00 s an answer, 0 tokens a second, an unknown share from the cache.",
    ]


def test_a_schema_that_a_server_refuses_is_told_once_with_its_endpoint():
    town = Places("near", "far")
    town.places[0].capabilities = Capabilities(refusal="near refused the request with status 400: invalid format.")
    spare = ModelQueue(town.routes, pool=town.pool, name="summarizer")
    lines = model_text(town.queue, {}, ENGLISH, {"summarizer": spare}).split("\n")
    (at,) = [index for index, line in enumerate(lines) if "refused" in line]
    assert lines[at - 1].startswith("Endpoint near")
    assert lines[at] == (
        "It refused a JSON schema or grammar, and answers without it. "
        "near refused the request with status 400: invalid format."
    )


async def test_what_was_chosen_what_the_model_can_do_and_what_nobody_told_are_told_as_that():
    town = Places("near")
    town.places[0].capabilities = Capabilities(chat=True, explanation="an instructed model; mode auto takes chat.")
    town.places[0].cached_tokens = None
    await town.end(town.ask("Ana"))
    lines = model_text(town.queue, {}, ENGLISH, chosen=["The agents think with near (as asked)."]).split("\n")
    assert lines[1] == "The agents think with near (as asked)."
    assert lines[4].endswith("an unknown share of the prompts from the cache.")
    assert lines[6] == "How it is used: an instructed model; mode auto takes chat."


async def test_an_endpoint_that_is_well_again_says_how_long_ago_it_failed_and_a_model_is_sick_whose_endpoints_are():
    town, told = Places("near"), []
    for end in (lambda: town.places[0].fail(NO_MODEL), town.places[0].answer):
        tasks = await town.asked("Ana")
        end()
        await asyncio.gather(*tasks, return_exceptions=True)
        other = ModelQueue(town.routes, pool=town.pool, name="other")
        told += model_text(other, {}, ENGLISH).split("\n")
        town.clock += 30.0
    assert [line for line in told if line.startswith(("Model: ", "Last error", "It failed"))] == [
        "Model: near, failing.",
        "Last error: far has no model. Fetch it.",
        "Model: near, well.",
        "It failed 30 s ago: far has no model. Fetch it.",
    ]


async def test_an_error_of_an_endpoint_that_is_asked_no_more_is_not_told_once_others_answer():
    town = Places("old", "new")
    queue = ModelQueue(town.routes[:1], pool=town.pool, name="thinker")
    for end in (town.places[0].die, town.places[1].answer):
        asking = asyncio.create_task(queue.ask("Ana", Priority.THOUGHT, lambda: Request("p")))
        await settle()
        end()
        await asyncio.gather(asking, return_exceptions=True)
        queue.adopt(town.routes[1:], queue.overrides)
    told = model_text(queue, {}, ENGLISH)
    assert "Model: new, well." in told
    assert "Last error" not in told


def test_without_a_model_it_is_said_why():
    assert model_text(None, {}, ENGLISH, problem="It is not there. Start it.") == (
        "There is no model: the agents sleep. It is not there. Start it."
    )


async def test_how_the_model_was_and_what_each_turn_came_to(tmp_path):
    life = Life(tmp_path, "say hello", ModelError("scripted is gone."))
    queue: ModelQueue = life.wakes()
    await life.agent.tick()
    await life.agent.tick()
    lines = model_text(queue, {"Rook": life.agent}, ENGLISH).split("\n")
    assert lines[0].startswith("Model: scripted, ")
    since = "Since the start: 1 answered, 1 failed, 0 cancelled, 0 prompts read ahead."
    assert lines[1:3] == ["Now: 0 running, 0 waiting.", since]
    assert lines[-2] == "Last error: scripted is gone."
    assert lines[-1].startswith("Rook: failed. See the error above. Its last answer took 0.")
    assert re.search(r" s: queued 0\.\d\d s; \d+ tokens were read and 2 written\.$", lines[-1])
