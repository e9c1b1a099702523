"""Making agents, letting them rest, and leading them, as it looks on screens and stays in memories."""

from __future__ import annotations

import asyncio
import random

import pytest

from agents.agent import Agent
from agents.commands.agent_commands import Possession, population_commands
from agents.commands.model_commands import model_text
from agents.commands.self_commands import own_commands
from agents.component import Turn
from agents.models.queue import ModelQueue
from agents.population import Population
from agents.prompts.scene import command_list
from tests.agents.test_population import NOTES
from tests.playing import play
from tests.scripted_model import ScriptedModel
from tests.vault.vault_of import vault_of
from tests.world.inn import Player
from vault.config_notes import load_settings
from vault.entities.load import load_world
from world.commands.table import world_commands
from world.entities import Character, Role
from world.game import Game


class Town:
    """Eliza and Moss on The Landing, thinking with a script; Ana is an admin there, and Ben plays."""

    def __init__(self, root, *script: str, awake: bool = True) -> None:
        vault = vault_of(root, NOTES)
        settings = load_settings(vault)
        self.vault = vault
        self.game = Game(load_world(vault, settings.world), world_commands())
        self.agents = Population(vault, settings, self.game, random.Random(1), lambda: 0)
        self.noted: list[tuple[str, str, str, str]] = []
        self.leading = Possession(self.game, lambda *use: self.noted.append(use))
        self.game.subscribe("leading", self.leading.on_events, first=True)
        self.game.commands.add(population_commands(self.agents, self.leading))
        self.players: dict[str, Player] = {}
        for name, role in (("Ana", Role.ADMIN), ("Ben", Role.PLAYER)):
            self.game.world.add_character(Character(name, "The Landing", role=role))
            self.players[name] = Leader(self.game, name, self.leading)
        if awake:
            self.agents.wake(ModelQueue(ScriptedModel(*script)))

    def think(self, name: str) -> Turn:
        return asyncio.run(self.agents[name].tick())

    def memories(self, name: str) -> list[tuple[str, str]]:
        return [(one.kind, one.text) for one in self.agents[name].memory.view().tail]


class Leader(Player):
    """Somebody at a screen whose lines may be done by an agent."""

    def __init__(self, game: Game, name: str, leading: Possession) -> None:
        self._leading = leading
        super().__init__(game, name)

    def types(self, line: str) -> None:
        self._leading.perform(self.name, line)


@pytest.fixture
def town(tmp_path):
    return Town(tmp_path, "say hello", "say I am new here")


def test_an_agent_is_made_on_the_spot_and_lives_at_once(town):
    play(
        town.game,
        town.players,
        """
Ben> @create-agent Wren -> You are Wren.
Ben| @create-agent is for an admin and above; you are a player.
Ana> @create-agent wren -> You are Wren.\\nYou mend nets.
Ana| Wren wakes up here.
Ana| Wren is an agent now, and thinks for the first time.
Ben| Wren wakes up here.
Ana> @create-agent Wren -> You are another Wren.
Ana| The name Wren is taken. Choose another one.
Ana> @create-agent Old Tom -> You are old.
Ana| 'Old Tom' is not a valid name. An agent has a name of one word with 2 to 20 letters, such as Wren.
Ana> @create-agent Tom
Ana| Usage: @create-agent <name> -> <text>
""",
    )
    assert town.vault.read_text("agents", "Wren", "agent.md") == (
        "---\nroom: '[[The Landing]]'\n---\nYou are Wren.\nYou mend nets.\n"
    )
    assert town.think("Wren").line == "say hello"
    assert ("acted", "say hello") in town.memories("Wren")


def test_an_agent_gets_another_profile_and_its_note_says_so(tmp_path):
    vault_of(tmp_path, {"config/models.md": "## small\n**endpoints**: http://b:2\n"})
    town = Town(tmp_path, awake=False)
    queues = {name: ModelQueue(ScriptedModel(), name=name) for name in ("thinker", "small")}
    town.agents.wake(queues["thinker"], (), queues)
    play(
        town.game,
        town.players,
        """
Ana> @agent-model Moss
Ana| Moss thinks with the profile thinker.
Ana> @agent-model moss smal
Ana| There is no profile 'smal' in config/models.md. Did you mean small?
Ana> @agent-model moss small
Ana| Moss thinks with the profile small from its next thought on.
""",
    )
    assert (town.agents["Moss"].queue, town.agents["Eliza"].queue) == (queues["small"], queues["thinker"])
    assert "model_profile: small\n" in town.vault.read_text("agents", "Moss", "agent.md")


def test_an_agent_without_a_model_sleeps_until_there_is_one(tmp_path):
    town = Town(tmp_path, awake=False)
    born: list[Agent] = []
    town.agents.on_born = born.append
    town.players["Ana"].types("@create-agent Wren -> You are Wren.")
    assert town.players["Ana"].screen()[-1] == "Wren is here, and sleeps until there is a model to think with."
    town.agents.wake(ModelQueue(ScriptedModel()))
    assert town.game.world.characters["Wren"].awake
    assert born == []  # whoever wakes all of them gives each its timer


def test_a_folder_that_is_there_already_is_not_written_over(town):
    vault_of(town.vault.root, {"agents/Wren/notes.md": "old"})
    town.players["Ana"].types("@create-agent Wren -> You are Wren.")
    assert town.players["Ana"].screen()[-1] == (
        "Wren could not be made: agents/Wren: this folder is there already; move it away, or choose another name."
    )
    assert "Wren" not in town.game.world.characters


def test_a_paused_agent_hears_and_remembers_and_does_not_think(town):
    play(
        town.game,
        town.players,
        """
Ben> @pause-agent Moss
Ben| @pause-agent is for an admin and above; you are a player.
Ana> @pause-agent moss
Ana| Moss thinks no more, until @resume-agent Moss. It hears and remembers all the same.
Ana> @pause-agent moss
Ana| Moss is paused already.
Ana> @pause-agent Mos
Ana| There is no agent 'Mos'. Did you mean Moss?
Ben> say hello, Moss
Ben| You say, "hello, Moss"
Ana| Ben says, "hello, Moss"
""",
    )
    assert town.think("Moss") == Turn("paused", why="Its agent.md says so; @resume-agent Moss ends that.")
    assert ("observed", 'Ben says, "hello, Moss"') in town.memories("Moss")
    assert "paused: true\n" in town.vault.read_text("agents", "Moss", "agent.md")
    assert town.game.world.characters["Moss"].transient.afk_message == "lost in thought"
    play(
        town.game,
        town.players,
        """
Ana> @resume-agent Moss
Ana| Moss thinks again.
Ana> @resume-agent Moss
Ana| Moss is not paused.
Ben> @resume-agent Moss
Ben| @resume-agent is for an admin and above; you are a player.
""",
    )
    assert town.think("Moss").outcome == "acted"
    assert "paused" not in town.vault.read_text("agents", "Moss", "agent.md")
    assert town.game.world.characters["Moss"].transient.afk_message is None


@pytest.mark.parametrize("line", ["@pause-agent Moss", "@edit-interval Moss 30"])
def test_who_would_change_a_note_that_is_broken_reads_which_one(town, line):
    own = own_commands(town.agents, town.vault, town.game.publish, lambda: None, random.Random(1), lambda: 0, 60.0)
    town.game.commands.add(own)
    vault_of(town.vault.root, {"agents/Moss/agent.md": "---\nroom: [\n---\n"})
    assert town.game.perform("Ana", line).refusal.startswith("agents/Moss/agent.md:")


def test_who_leads_an_agent_does_as_the_agent_and_sees_what_it_sees(town):
    play(
        town.game,
        town.players,
        """
Ben> @possess Moss
Ben| @possess is for an admin and above; you are a player.
Ana> @release
Ana| You lead nobody.
Ana> @possess Moss
Ana| You lead Moss: it does what you type, and remembers it as its own. Type @release to end that.
Ana> say good evening
Ana| [Moss] You say, "good evening"
Ana| Moss says, "good evening"
Ben| Moss says, "good evening"
Ben> say hello
Ben| You say, "hello"
Ana| [Moss] Ben says, "hello"
Ana| Ben says, "hello"
Ana> fly
Ana| [Moss] There is no command 'fly'. Type commands to see what you can do.
Ana> @possess Eliza
Ana| You lead Eliza: it does what you type, and remembers it as its own. Type @release to end that.
Ana> @release
Ana| Eliza is itself again.
Ana> say it was me
Ana| You say, "it was me"
Ben| Ana says, "it was me"
""",
    )
    assert town.memories("Moss")[:3] == [
        ("acted", "say good evening"),
        ("observed", 'Ben says, "hello"'),
        ("acted", "fly"),
    ]
    assert town.noted == [
        ("Ana", "say good evening", "", "Moss"),
        ("Ana", "fly", "There is no command 'fly'. Type commands to see what you can do.", "Moss"),
    ]


@pytest.mark.parametrize("line", ["@pause-agent Moss", "@possess Moss"])
@pytest.mark.parametrize("waits", [False, True])
async def test_whoever_is_to_be_still_asks_its_model_no_longer(tmp_path, line, waits):
    model, town = ScriptedModel("look"), Town(tmp_path, awake=False)
    model.hold()
    town.agents.wake(ModelQueue(model))
    others = [asyncio.create_task(town.agents["Eliza"].tick())] if waits else []
    await asyncio.sleep(0.01)
    thinking = asyncio.create_task(town.agents["Moss"].tick())
    await asyncio.sleep(0.01)
    before = model_text(town.agents["Moss"].queue, town.agents, town.game.world.wording).split("\n")[-2:]
    town.players["Ana"].types(line)
    turn = await asyncio.wait_for(thinking, 2)
    left = model.running, model.cancelled
    model.release()
    await asyncio.gather(*others)
    assert before == [
        "Eliza: thinking, and before that asleep." if waits else "Eliza: asleep.",
        "Moss: waiting for the model, and before that asleep." if waits else "Moss: thinking, and before that asleep.",
    ]
    assert (turn.outcome, left) == ("paused", (int(waits), int(not waits)))
    assert "acted" not in [kind for kind, _ in town.memories("Moss")]


def test_an_agent_that_is_led_thinks_nothing(town):
    town.players["Ana"].types("@possess Moss")
    assert town.think("Moss") == Turn("paused", why="Ana leads it; @release ends that.")


def test_the_state_of_the_model_tells_who_is_paused_and_who_is_led(town):
    town.players["Ana"].types("@pause-agent Moss")
    town.players["Ana"].types("@possess Eliza")
    text = model_text(town.agents["Moss"].queue, town.agents, town.game.world.wording)
    assert text.split("\n")[-2:] == [
        "Eliza: paused. Ana leads it; @release ends that.",
        "Moss: paused. Its agent.md says so; @resume-agent Moss ends that.",
    ]


def test_two_do_not_lead_one_agent(town):
    town.game.world.characters["Ben"].role = Role.ADMIN
    town.players["Ana"].types("@possess Moss")
    town.players["Ben"].types("@possess Moss")
    assert town.players["Ben"].screen()[-1] == "Moss is led by Ana already."


def test_who_leaves_the_world_lets_go_of_whom_they_lead(town):
    town.players["Ana"].types("@possess Moss")
    town.game.sleep("Ana")
    assert (town.agents["Moss"].led_by, town.leading.end("Ana")) == ("", None)


def test_who_may_do_it_no_more_leads_nobody(town):
    town.players["Ana"].types("@possess Moss")
    town.game.world.characters["Ana"].role = Role.PLAYER
    town.players["Ben"].screen()
    town.players["Ana"].types("say hello")
    assert town.players["Ben"].screen() == ['Ana says, "hello"']
    assert town.agents["Moss"].led_by == ""


def test_an_agent_that_sleeps_cannot_be_led(tmp_path):
    town = Town(tmp_path, awake=False)
    town.players["Ana"].types("@possess Moss")
    assert town.players["Ana"].screen()[-1] == "Moss cannot be led now: it sleeps, or you are an agent yourself."


def test_what_an_agent_is_granted_it_is_told_of_and_nothing_else(town):
    moss = town.game.world.characters["Moss"]
    assert "@dig" not in command_list(town.game.commands, moss)
    moss.grants = frozenset({"@dig"})
    told = command_list(town.game.commands, moss)
    assert "@dig <exit> to <name> - Make a new room" in told
    assert "@destroy" not in told
