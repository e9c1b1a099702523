"""Whatever is edited in the vault comes into force in a world that runs, and is told in a line."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
from twisted.internet.task import Clock

from agents.memory.strategy import loaded_strategies
from tests.server.monitored_world import world_of
from vault.entities.agent_notes import ProfileHistory
from vault.entities.reload import run_steps
from vault.vault import Vault
from vault.watch import MISSING_SECONDS
from world.entities import Character, Role


class Town:
    """The starter world, wired as the server has it, without a model."""

    def __init__(self, root: Path) -> None:
        self.clock = Clock()
        self.app = world_of(root, self.clock)
        self.world = self.app.world
        self.vault = Vault(root / "world")
        self.root = self.vault.root

    def change(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text()
        assert old in text, text
        (self.root / path).write_text(text.replace(old, new))

    def reload_paths(self) -> list[str]:
        """Take everything in, with a second look at what seems to be gone."""
        edits = self.app._hot_reload
        told = run_steps(edits.steps())
        if edits.is_waiting:
            self.clock.rightNow += MISSING_SECONDS
            told += run_steps(edits.steps())
        return told


@pytest.fixture
def town(tmp_path) -> Town:
    return Town(tmp_path)


def test_without_an_edit_nothing_is_told(town):
    assert town.reload_paths() == []


def test_lore_counts_as_soon_as_it_is_written_and_stays_while_a_note_is_not_valid(town):
    (town.root / "lore" / "Kites.md").write_text("Kites fly by dusk.\n")
    assert town.reload_paths() == ["lore/Kites.md: reloaded."]
    assert [one.text for one in town.world.lore.about("Kites again?", "Moss")] == ["Kites fly by dusk."]
    (town.root / "lore" / "Kites.md").write_text("---\nkeys: [kite]\n---\n")
    (told,) = town.reload_paths()
    assert told.startswith("lore/Kites.md: nothing stands") and told.endswith("The lore stays as it was.")
    assert [one.text for one in town.world.lore.about("Kites again?", "Moss")] == ["Kites fly by dusk."]
    (town.root / "lore" / "Kites.md").unlink()
    assert town.reload_paths() == ["lore/Kites.md: reloaded."]
    assert town.world.lore.about("Kites again?", "Moss") == []


def test_an_edited_sentence_is_said_from_then_on(town):
    town.change("text/movement.md", "There is no exit '{wanted}' here. Exits: {exits}.", "Nicht nach {wanted}.")
    assert town.reload_paths() == ["text/movement.md: reloaded."]
    assert town.world.wording("movement.no_exit", wanted="oben", exits="") == "Nicht nach oben."


def test_a_broken_sentence_leaves_all_as_they_were_and_is_told_once(town):
    town.change("text/movement.md", "'{wanted}' here. Exits", "'{wnated}' here. Exits")
    told = town.reload_paths()
    assert len(told) == 1
    assert told[0].startswith("text/movement.md:")
    assert told[0].endswith("The sentences stay as they were.")
    assert (town.reload_paths(), town.app._hot_reload.problems) == ([], told)
    assert "There is no exit" in town.world.wording("movement.no_exit", wanted="up", exits="")
    town.change("text/movement.md", "{wnated}", "{wanted}")
    assert town.reload_paths() == ["text/movement.md: reloaded."]
    assert town.app._hot_reload.problems == []


def test_an_admin_who_comes_in_is_told_which_notes_are_not_valid(tmp_path):
    root = Town(tmp_path).root
    landing = root / "rooms" / "The Landing.md"
    landing.write_text(landing.read_text() + "\n## exits\n")
    (root / "agents" / "Eliza" / "agent.md").write_text("---\nroom: [\n---\n")
    town = Town(tmp_path)
    assert [one.partition(":")[0] for one in town.app._hot_reload.problems] == [
        "agents/Eliza/agent.md",
        "rooms/The Landing.md",
    ]
    ana = Character("Ana", town.world.start_room_id, role=Role.ADMIN)
    town.world.add_character(ana)
    screen: list[str] = []
    town.app.game.wake("Ana", lambda event, sentence: screen.append(sentence))
    town.app._entered(ana)
    assert list(filter(None, screen)) == town.app._hot_reload.problems


def test_what_people_are_greeted_with_is_read_anew(town):
    (town.root / "text/welcome.md").write_text("Willkommen.\n")
    town.reload_paths()
    assert town.app.registry.texts.welcome == "Willkommen."


def test_settings_that_can_change_do_and_the_others_say_when(town):
    town.change("config/server.md", "**guests**: true", "**guests**: false")
    town.change("config/server.md", "**port**: 4000", "**port**: 4001")
    town.change("config/server.md", "**web_tls**: false", "**web_tls**: true")
    town.change("config/models.md", "**num_ctx**: 8192", "**num_ctx**: 4096")
    assert town.reload_paths() == [
        "config/server.md: reloaded.",
        "config/models.md: reloaded.",
        "config/server.md: port counts from the next start.",
        "config/server.md: web_tls counts from the next start.",
        "config/models.md: num_ctx counts from the next start.",
    ]
    server = town.app.settings.server
    assert (server.guests, server.port, server.web_tls) == (False, 4000, False)
    assert town.app.settings.models.num_ctx == 8192
    assert town.app.registry.login_services.settings.guests is False


def test_a_bad_setting_leaves_all_as_they_were(town):
    town.change("config/world.md", "**name**: Fallwater", "**name**: Elsewhere")
    town.change("config/agents.md", "**think_seconds**: 20", "**think_seconds**: never")
    told = town.reload_paths()
    assert len(told) == 1
    assert told[0].startswith("config/agents.md:")
    assert "think_seconds is 'never'" in told[0]
    assert town.app.settings.world.name == "Fallwater"


def test_newcomers_arrive_elsewhere_as_soon_as_the_settings_say_so(town):
    town.change("config/world.md", "start_room**: The Landing", "start_room**: The Mill")
    town.reload_paths()
    assert town.world.start_room_id == "The Mill"
    town.change("config/world.md", "start_room**: The Mill", "start_room**: The Moon")
    assert town.reload_paths()[0].startswith("config/world.md: the start room 'The Moon' does not exist")
    assert town.world.start_room_id == "The Mill"


def test_the_settings_follow_a_start_room_that_is_renamed(town):
    (town.root / "rooms/The Landing.md").rename(town.root / "rooms/The Pier.md")
    told = town.reload_paths()
    assert "rooms/The Pier.md: was The Landing before; everything in it came along." in told
    assert town.world.start_room_id == "The Pier"
    assert loaded_strategies().load_settings(town.vault).world.start_room == "The Pier"
    assert town.reload_paths() == []


def test_an_agent_s_profile_and_looks_are_taken_in(town):
    town.change("agents/Eliza/agent.md", "inky to the second knuckle", "inky to the elbow")
    town.change("agents/Eliza/agent.md", "think_seconds: 20", "think_seconds: 7")
    assert town.reload_paths() == ["agents/Eliza/agent.md: reloaded."]
    assert "elbow" in town.world.characters["Eliza"].description
    assert town.app.agents["Eliza"].settings.think_seconds == 7


def test_edited_lines_of_an_agent_count_at_once(town):
    (town.root / "agents/Moss/lines.md").write_text("**is it wet**: Always.\n")
    assert town.reload_paths() == ["agents/Moss/lines.md: reloaded."]
    assert [entry.answers for entry in town.app.agents["Moss"].note.lines.entries] == [("Always.",)]


def test_a_profile_that_an_older_copy_replaces_is_kept(town):
    path = "agents/Moss/agent.md"
    older, vault = (town.root / path).read_text(), town.app._vault
    ProfileHistory(vault, lambda: 0).set_profile(town.world.characters["Moss"], "You are weathered.")
    town.reload_paths()
    (town.root / path).write_text(older.replace("think_seconds: 45", "think_seconds: 46"))
    told = town.reload_paths()
    kept = next(town.root.glob(".trash/agents/Moss/agent*.md"))
    assert "You are weathered." in kept.read_text() and any(kept.name in sentence for sentence in told)
    assert town.reload_paths() == []


def test_a_broken_agent_goes_on_as_before(town):
    town.change("agents/Eliza/agent.md", "think_seconds: 20", "think_seconds: often")
    told = town.reload_paths()
    assert len(told) == 1
    assert told[0].startswith("agents/Eliza/agent.md:3: think_seconds is 'often'")
    assert told[0].endswith("Eliza goes on as before.")
    assert town.app.agents["Eliza"].settings.think_seconds == 20


def test_a_template_is_taken_in_for_everybody(town):
    town.change("templates/agent_prompt.md", "## Relevant Private Notes", "## Notes")
    assert town.reload_paths() == ["templates/agent_prompt.md: reloaded."]


def test_a_new_agent_comes_alive_with_a_memory(town):
    folder = town.root / "agents" / "Pim"
    folder.mkdir()
    (folder / "agent.md").write_text("---\nroom: '[[The Mill]]'\ndescription: A boy.\n---\nYou are Pim.\n")
    assert town.reload_paths() == ["agents/Pim/agent.md: loaded, as it is new."]
    assert (town.world.characters["Pim"].room_id, town.app.agents["Pim"].note.profile) == ("The Mill", "You are Pim.")
    town.app.agents["Pim"].memory.record("thought", "I am here.", "The Mill")
    assert list((folder / "journal").iterdir())
    assert town.reload_paths() == []


def test_a_new_agent_whose_note_is_not_valid_is_left_out_until_it_is(town):
    folder = town.root / "agents" / "Pim"
    folder.mkdir()
    (folder / "agent.md").write_text("---\nthink_seconds: often\n---\n")
    assert town.reload_paths()[0].startswith("agents/Pim/agent.md")
    assert "Pim" not in town.world.characters
    (folder / "agent.md").write_text("You are Pim.\n")
    assert town.reload_paths() == ["agents/Pim/agent.md: loaded, as it is new."]
    assert town.world.characters["Pim"].room_id == "The Landing"


@pytest.mark.parametrize("is_whole_folder", [False, True])
def test_an_agent_whose_note_is_gone_sleeps_and_loses_no_file(town, is_whole_folder):
    async def run() -> list[str]:
        town.app.agents["Moss"].memory.record("thought", "Something.", "Spray Garden")
        if is_whole_folder:
            shutil.move(town.root / "agents" / "Moss", town.root.parent / "Moss")
        else:
            (town.root / "agents" / "Moss" / "agent.md").unlink()
        told: list[str] = town.reload_paths()
        await asyncio.sleep(0)
        for _ in range(5):
            await asyncio.sleep(0)
        return told

    gone = "agents/Moss/agent.md: is gone, and Moss sleeps; what it remembers stays on disk."
    assert asyncio.run(run()) == [f"{gone} What the note said is in .trash/agents/Moss/agent.md."]
    assert "Moss" not in town.world.characters
    assert "Moss" not in town.app.agents
    kept = town.root.parent / "Moss" if is_whole_folder else town.root / "agents" / "Moss"
    assert "Something." in "".join(path.read_text() for path in (kept / "journal").iterdir())
    assert (town.root / "agents" / "Moss").exists() is not is_whole_folder


def test_an_agent_that_comes_back_remembers(town):
    async def run() -> None:
        town.app.agents["Moss"].memory.record("thought", "Something.", "Spray Garden")
        note = town.root / "agents" / "Moss" / "agent.md"
        text = note.read_text()
        note.unlink()
        town.reload_paths()
        for _ in range(5):
            await asyncio.sleep(0)
        note.write_text(text)
        town.reload_paths()

    asyncio.run(run())
    memories = town.app.agents["Moss"].memory.journal.read(1, 9)
    assert [memory.text for memory in memories] == ["Something."]
