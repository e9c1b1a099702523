"""All agents of a vault: each with its own notes, none in another's way."""

from __future__ import annotations

import asyncio
import random
import threading
from pathlib import Path

import pytest

from agents.models.queue import ModelQueue
from agents.population import Population
from config.settings import AgentSettings
from tests.agents.templates import TEMPLATES
from tests.scripted_model import ScriptedModel
from tests.vault.vault_of import vault_of
from vault.config_notes import load_settings
from vault.entities.load import load_world
from vault.errors import NoteError
from world.commands.table import world_commands
from world.game import Game

NOTES = TEMPLATES | {
    "rooms/The Landing.md": "Green planks.\n",
    "agents/Eliza/agent.md": "---\nroom: '[[The Landing]]'\n---\nYou are Eliza.\n",
    "agents/Moss/agent.md": "---\nroom: '[[The Landing]]'\nthink_seconds: 45\nrecent_window: 8\n---\nYou are Moss.\n",
}


def population_of(root: Path, notes: dict[str, str] | None = None, seed: int = 1) -> Population:
    """Return the agents of the notes above and of others."""
    vault = vault_of(root, NOTES | (notes or {}))
    settings = load_settings(vault)
    game = Game(load_world(vault, settings.world), world_commands())
    return Population(vault, settings, game, random.Random(seed), lambda: 0)


def test_what_one_part_of_an_agent_cannot_write_at_the_end_keeps_no_other_from_being_written(tmp_path, caplog):
    agents, closed = population_of(tmp_path), list[str]()

    def fail() -> None:
        raise NoteError("The disk is full.")

    agents["Eliza"].memory.close = fail  # type: ignore[method-assign]
    for agent in agents.values():
        agent.facts.close = lambda name=agent.name: closed.append(name)  # type: ignore[misc,method-assign]
    agents.close()
    assert closed == ["Eliza", "Moss"]
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == ["The disk is full."]


def test_each_agent_has_its_own_settings(tmp_path):
    agents = population_of(tmp_path)
    assert sorted(agents) == ["Eliza", "Moss"]
    assert agents["Moss"].settings == AgentSettings(think_seconds=45.0)
    assert agents["Eliza"].settings == AgentSettings()
    assert [agents[name].memory.settings.recent_window for name in ("Eliza", "Moss")] == [64, 8]


@pytest.mark.parametrize(
    ("notes", "message"),
    [
        (
            {"agents/Moss/agent.md": "---\ntemplate: haiku\n---\n"},
            "Moss stays asleep: agents/Moss/agent.md: there is no template 'haiku'; templates/ has agent_prompt",
        ),
        (
            {"agents/Moss/agent.md": "---\nthink_seconds: never\n---\n"},
            "Moss stays asleep: agents/Moss/agent.md:2: think_seconds is 'never'; expected a number from 0.5 to 86400",
        ),
        (
            {
                "agents/Moss/agent.md": "---\ntemplate: mine\n---\n",
                "agents/Moss/templates/mine.md": "{nmae}\n",
            },
            "Moss stays asleep: agents/Moss/templates/mine.md:1: there is no slot {nmae}; did you mean {name}?",
        ),
    ],
)
def test_an_agent_whose_notes_will_not_do_stays_asleep_and_the_others_live(tmp_path, caplog, notes, message):
    assert list(population_of(tmp_path, notes)) == ["Eliza"]
    (said,) = [r.getMessage() for r in caplog.records if r.levelname == "ERROR"]
    assert said.startswith(message)


def test_an_agent_s_own_template_comes_before_the_world_s(tmp_path):
    own = "Mine.\n\n{tail}\n\n{scene}\n~{name}>\n"
    agents = population_of(
        tmp_path, {"agents/Moss/agent.md": "---\ntemplate: mine\n---\n", "agents/Moss/templates/mine.md": own}
    )
    assert agents["Moss"].prompt().text.startswith("Mine.")


def test_with_a_model_all_are_in_the_world_and_perceive_it(tmp_path):
    agents = population_of(tmp_path)

    async def live() -> list[str]:
        agents.wake(ModelQueue(ScriptedModel("say hello")))
        await agents["Eliza"].tick()
        return [m.text for m in agents["Moss"].memory.view().tail]

    assert asyncio.run(live()) == ['Eliza says, "hello"']


def test_closing_puts_every_memory_on_disk_and_a_new_start_finds_it(tmp_path):
    agents = population_of(tmp_path)
    agents["Moss"].memory.record("noted", "The ninth of March.")
    agents.close()
    assert [m.text for m in population_of(tmp_path)["Moss"].memory.view().tail] == ["The ninth of March."]


def test_the_end_leaves_no_thread_behind(tmp_path):
    async def end() -> None:
        agents.write_pool.is_open = True
        agents.write_pool.submit(lambda: None, lambda: None)
        agents.close()

    agents, before = population_of(tmp_path), threading.active_count()
    asyncio.run(end())
    assert threading.active_count() == before


def test_stopping_lets_the_model_go(tmp_path):
    agents, model = population_of(tmp_path), ScriptedModel()

    async def live() -> None:
        agents.wake(ModelQueue(model))
        await agents.stop()

    asyncio.run(live())
    assert model.closed == 1


def test_what_one_agent_draws_changes_nothing_for_the_others(tmp_path):
    def seeds(ticks_of_eliza: int) -> int | None:
        agents, model = population_of(tmp_path / str(ticks_of_eliza)), ScriptedModel(lambda request: "look")

        async def live() -> None:
            agents.wake(ModelQueue(model))
            for _ in range(ticks_of_eliza):
                await agents["Eliza"].tick()
            await agents["Moss"].tick()

        asyncio.run(live())
        return model.requests[-1].seed

    assert seeds(1) == seeds(5)


def test_edited_notes_are_taken_in_and_what_is_not_valid_stays_as_it_was(tmp_path):
    agents = population_of(tmp_path)
    vault = vault_of(
        tmp_path,
        {
            "agents/Eliza/agent.md": "---\nthink_seconds: 5\n---\nYou are Eliza, and older.\n",
            "agents/Moss/agent.md": "---\nthink_seconds: never\n---\nYou are nobody.\n",
        },
    )
    (problem,) = agents.reload(load_settings(vault))
    assert problem.startswith("agents/Moss/agent.md:2: think_seconds is 'never'")
    assert problem.endswith("Moss goes on as before.")
    assert (agents["Eliza"].settings.think_seconds, agents["Eliza"].note.profile) == (5.0, "You are Eliza, and older.")
    assert (agents["Moss"].settings.think_seconds, agents["Moss"].note.profile) == (45.0, "You are Moss.")
