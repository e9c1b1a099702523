"""What @llm-status tells of endpoints, and that @agent-model changes what one agent thinks with."""

from __future__ import annotations

import asyncio
import random

import pytest

from agents.commands.agent_commands import Possession, population_commands
from agents.commands.model_commands import model_text
from agents.models.model import Capabilities, ModelError, Request
from agents.models.profiles import Profiles
from agents.models.queue import ModelQueue
from agents.models.scheduler import Priority
from agents.population import Population
from config.settings import ModelSettings
from tests.agents.models.places import Places, settle
from tests.agents.models.test_profiles import THINKER, Made
from tests.agents.templates import TEMPLATES
from tests.english import ENGLISH
from tests.scripted_model import ScriptedModel
from tests.vault.vault_of import vault_of
from tests.world.inn import Player
from vault.config_notes import load_settings
from vault.entities.store import load_world
from world.commands.table import world_commands
from world.entities import Character, Role
from world.game import Game


async def test_every_endpoint_is_told_with_its_health_its_figures_and_what_to_do():
    town = Places("near", "far", limit=2)
    tasks = await town.asked("Ana", "Ben")
    town.places[0].answer()
    town.places[1].dead = None
    town.places[1].fail(town_error())
    await settle()
    town.places[0].answer()
    await asyncio.gather(*tasks)
    spare = ModelQueue(ScriptedModel(), name="summarizer")
    lines = model_text(town.queue, {}, ENGLISH, {"summarizer": spare}).split("\n")
    assert lines[:4] == [
        "Model: near, well.",
        "Now: 0 running, 0 waiting.",
        "Since the start: 2 answered, 0 failed, 0 cancelled.",
        "Lately: 1.00 s an answer (queued 0.00 s), 2 tokens a second, 0% of the prompts from the cache.",
    ]
    assert lines[4:] == [
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
    near = next(index for index, line in enumerate(lines) if line.startswith("Endpoint near"))
    assert [(index, line) for index, line in enumerate(lines) if "refused" in line] == [
        (
            near + 1,
            "It refused a JSON schema or grammar, and answers without it. "
            "near refused the request with status 400: invalid format.",
        )
    ]


async def test_what_was_chosen_what_the_model_can_do_and_what_nobody_told_are_told_as_that():
    town = Places("near")
    town.places[0].capabilities = Capabilities(chat=True, explanation="an instructed model; mode auto takes chat.")
    town.places[0].cached_tokens = None
    asking = await town.asked("Ana")
    town.places[0].answer()
    await asyncio.gather(*asking)
    lines = model_text(town.queue, {}, ENGLISH, chosen=["The agents think with near (as asked)."]).split("\n")
    assert lines[1] == "The agents think with near (as asked)."
    assert lines[4].endswith("an unknown share of the prompts from the cache.")
    assert lines[6] == "How it is used: an instructed model; mode auto takes chat."


async def test_an_endpoint_that_is_well_again_says_how_long_ago_it_failed_and_a_model_is_sick_whose_endpoints_are():
    town, told = Places("near"), []
    for end in ("fail", "answer"):
        tasks = await town.asked("Ana")
        if end == "fail":
            town.places[0].fail(town_error())
        else:
            town.places[0].answer()
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


def town_error():
    return ModelError("far has no model.", remedy="Fetch it.", retryable=False)


def test_without_a_model_it_is_said_why():
    assert model_text(None, {}, ENGLISH, problem="It is not there. Start it.") == (
        "There is no model: the agents sleep. It is not there. Start it."
    )


NOTES = TEMPLATES | {
    "rooms/The Landing.md": "Green planks.\n",
    "config/models.md": "## small\n**endpoints**: http://b:2\n",
    "agents/Moss/agent.md": "---\nroom: '[[The Landing]]'\n---\nYou are Moss.\n",
}


@pytest.fixture
def town(tmp_path):
    vault = vault_of(tmp_path, NOTES)
    settings = load_settings(vault)
    game = Game(load_world(vault, settings.world), world_commands())
    agents = Population(vault, settings, game, random.Random(1), lambda: 0)
    game.commands.add(population_commands(agents, Possession(game, lambda *use: None)))
    game.world.add_character(Character("Ana", "The Landing", role=Role.ADMIN))
    return vault, agents, Player(game, "Ana")


async def test_an_admin_gives_an_agent_another_profile_and_the_note_says_so(town):
    vault, agents, ana = town
    profiles = Profiles(random.Random(1), make=Made())
    await profiles.set_up(ModelSettings(), dict([THINKER]) | dict(load_settings(vault).profiles))
    agents.wake(profiles.queues["thinker"], (), profiles.queues)
    before = agents["Moss"].queue.name
    ana.screen()
    ana.types("@agent-model moss small")
    assert (before, agents["Moss"].queue.name) == ("thinker", "small")
    ana.types("@agent-model Moss")
    assert ana.screen() == [
        "Moss thinks with the profile small from its next thought on.",
        "Moss thinks with the profile small.",
    ]
    assert "model_profile: small\n" in vault.read_text("agents", "Moss", "agent.md")


def test_a_profile_that_is_not_there_is_refused_with_those_that_are(town):
    _, agents, ana = town
    ana.screen()
    ana.types("@agent-model Moss smal")
    assert ana.screen() == ["There is no profile 'smal' in config/models.md. Did you mean small?"]
    assert agents["Moss"].settings.model_profile == "thinker"


async def test_a_thought_asked_of_a_pool_counts_for_its_agents_queue_only():
    town = Places("a")
    other = ModelQueue(town.routes, pool=town.pool, name="other")
    asking = asyncio.create_task(other.ask("Ana", Priority.THOUGHT, lambda: Request("p")))
    await settle()
    town.places[0].answer()
    await asking
    assert (town.queue.status().answered, other.status().answered) == (0, 1)
