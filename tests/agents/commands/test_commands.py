"""Looking into agents: one's own mind by right, another's for admins, and refusals that say what would do."""

from __future__ import annotations

import re

import pytest

from agents.commands.memory_commands import memory_commands, target_agent
from agents.commands.model_commands import model_commands, model_text
from agents.models.model import ModelError
from agents.models.queue import ModelQueue
from tests.agents.house import House
from tests.agents.test_agent import Life
from tests.english import ENGLISH
from tests.world.inn import Player
from world.entities import Role
from world.errors import CommandError


@pytest.fixture
def life(tmp_path):
    """Rook's life, with the commands about its memory and model; Ana is an admin and Ben a player."""
    life = Life(tmp_path, "say hello", ModelError("scripted is gone."))
    agents = {"Rook": life.agent}
    life.game.commands.add(memory_commands(agents, life.game.tell, lambda: 0))
    life.game.commands.add(model_commands(agents, lambda: life.agent.queue))
    life.game.world.characters["Ana"].role = Role.ADMIN
    return life


def refusal(life: Life, name: str, line: str) -> str:
    """Return what somebody is told whose line is not done."""
    return life.game.perform(name, line).refusal


def test_an_admin_sees_any_agent_s_memory(life):
    life.memory.record("noted", "The lamp is empty.")
    life.ana.screen()
    life.ana.types("@memory-status rook")
    assert life.ana.screen()[0] == "Memory of Rook: 1 memories."


def test_a_player_sees_no_agent_s_memory(life):
    assert (
        refusal(life, "Ben", "@memory-status Rook")
        == "Only Rook, observers and admins can look into the memory of Rook."
    )


@pytest.mark.parametrize("line", ["@memory-status Rook", "@memory-facts Rook", "@memory-find Rook lamp"])
def test_an_observer_sees_any_agent_s_memory(tmp_path, line):
    house = House(tmp_path)
    house.player("Ben", Role.OBSERVER)
    assert house.game.perform("Ben", line).accepted


@pytest.mark.parametrize(
    "line",
    [
        "@memory-pin Rook 1",
        "@memory-unpin Rook 1",
        "@compact-memories Rook",
        "@rebuild-memories Rook",
        "@memory-rollback Rook recent-20261121-203501-m000129",
    ],
)
def test_an_observer_changes_no_memory_and_is_told_why(tmp_path, line):
    house = House(tmp_path)
    house.player("Ben", Role.OBSERVER)
    told = "Observers can look into the memory of Rook; only admins change it."
    assert house.game.perform("Ben", line).refusal == told


def test_an_agent_means_itself_without_a_name(life):
    assert target_agent(life.game.world, {"Rook": life.agent}, life.agent.character, "") is life.agent


def test_a_person_without_a_journal_is_told_who_keeps_one(life):
    assert refusal(life, "Ana", "@memory-status") == "You keep no journal; agents do. Name one: Rook."


@pytest.mark.parametrize(
    ("wanted", "told"),
    [("Rok", "There is no agent 'Rok'. Did you mean Rook?"), ("Zed", "There is no agent 'Zed'. Agents: Rook.")],
)
def test_a_name_that_is_no_agent_s_is_refused_with_those_that_are(life, wanted, told):
    assert refusal(life, "Ana", f"@memory-status {wanted}") == told


def test_in_a_world_without_agents_there_is_none_to_name(life):
    with pytest.raises(CommandError, match="Name one: there are none"):
        target_agent(life.game.world, {}, life.game.world.characters["Ana"], "")


def test_the_model_s_state_is_for_observers_and_admins(life):
    assert refusal(life, "Ben", "@llm-status") == "@llm-status is for an observer and above; you are a player."


def test_without_a_model_it_is_told_how_to_get_one(life):
    life.ana.screen()
    life.ana.types("@llm-status")
    assert life.ana.screen() == [
        "There is no model: the agents sleep. Start with --model embedded, or see config/models.md."
    ]


async def test_how_the_model_was_and_what_each_turn_came_to(life):
    queue: ModelQueue = life.wakes()
    await life.agent.tick()
    await life.agent.tick()
    lines = model_text(queue, {"Rook": life.agent}, ENGLISH).split("\n")
    assert lines[0].startswith("Model: scripted, ")
    assert lines[1:3] == ["Now: 0 running, 0 waiting.", "Since the start: 1 answered, 1 failed, 0 cancelled."]
    assert lines[-2] == "Last error: scripted is gone."
    assert lines[-1].startswith("Rook: failed. See the error above. Its last answer took 0.")
    assert re.search(r" s: queued 0\.\d\d s; \d+ tokens were read and 2 written\.$", lines[-1])


def test_agents_are_told_of_none_of_these(life):
    assert [one.verb for one in life.game.commands if one.verb.startswith("@") and one.for_agents] == []


def test_a_private_command_is_seen_by_nobody_else(life):
    ben = Player(life.game, "Ben")
    life.ana.types("@memory-status Rook")
    assert ben.screen() == []
