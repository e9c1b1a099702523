"""Looking into agents: who may, and who may change something; `transcripts/memory.txt` has what they are told."""

from __future__ import annotations

import pytest

from agents.commands.memory_commands import memory_commands, target_agent
from agents.commands.model_commands import model_commands
from agents.commands.thought_commands import mind_command, thought_commands
from tests.agents.house import House
from vault.errors import NoteError
from world.entities import Role
from world.errors import CommandError


@pytest.fixture
def house(tmp_path) -> House:
    """The inn with Rook, the commands about its memory, and Ben as an observer."""
    house = House(tmp_path)
    house.player("Ben", Role.OBSERVER)
    return house


@pytest.mark.parametrize("line", ["@memory-status Rook", "@memory-facts Rook", "@memory-find Rook lamp"])
def test_an_observer_sees_any_agent_s_memory(house, line):
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
def test_an_observer_changes_no_memory_and_is_told_why(house, line):
    told = "Observers can look into the memory of Rook; only admins change it."
    assert house.game.perform("Ben", line).refusal == told


@pytest.mark.parametrize(
    "line", ["@memory-expand Rook 1", "@memory-pin Rook 1", "@why Rook 1", "@memories Rook", "@mind Rook"]
)
def test_whoever_types_a_command_reads_what_is_wrong_with_a_file(house, line):
    def fail(*numbers: int) -> None:
        raise NoteError("agents/Rook/journal: this folder cannot be read.")

    house.game.commands.add([*thought_commands(house.agents, print), *mind_command(house.agents, print)])
    house.agents["Rook"].memory.record("noted", "Buy oats.")
    house.agents["Rook"].memory.journal.read = fail
    house.player("Ana", Role.ADMIN)
    assert house.game.perform("Ana", line).refusal == "agents/Rook/journal: this folder cannot be read."


def test_an_agent_means_itself_without_a_name(house):
    rook = house.agents["Rook"]
    assert target_agent(house.game.world, house.agents, rook.character, "") is rook


def test_in_a_world_without_agents_there_is_none_to_name(house):
    with pytest.raises(CommandError, match="Name one: there are none"):
        target_agent(house.game.world, {}, house.game.world.characters["Ben"], "")


def test_in_a_world_without_agents_no_model_was_asked_anything(house):
    house.game.commands.add(thought_commands({}, print))
    ben = house.player("Ben", Role.OBSERVER)
    ben.types("@llm-log")
    assert ben.screen()[-1] == "The last question of each agent to its model"


def test_agents_are_told_of_no_command_about_memories_and_models():
    commands = [*memory_commands({}, lambda *told: None, lambda: 0), *model_commands({}, lambda: None)]
    assert [one.verb for one in commands if one.for_agents] == []
