"""Who an agent is, from its notes."""

from __future__ import annotations

import pytest

from config.settings import AgentSettings, MemorySettings
from tests.english import ENGLISH
from tests.vault.vault_of import vault_of
from vault.entities.agent_notes import AgentNote, load_agent
from vault.errors import NoteError
from vault.vault import STARTER, Vault, agent_names
from world.commands.table import world_commands
from world.entities import Character
from world.errors import CommandError
from world.parsing import parse_line

PROFILE = "You are Moss.\n\n  You speak rarely, {and} never at length.\n\n---\n\nYou like ferns."


def moss(root, head: str, profile: str = PROFILE) -> AgentNote:
    """Return Moss as an `agent.md` with these properties makes him."""
    return load_agent(vault_of(root, {"agents/Moss/agent.md": f"---\n{head}\n---\n{profile}\n"}), "Moss")


def test_properties_and_profile_make_an_agent(tmp_path):
    note = moss(tmp_path, "room: '[[Spray Garden]]'\ndescription: A long, still man.")
    assert note.character == Character("Moss", "Spray Garden", "A long, still man.", is_agent=True)
    assert note.source == "agents/Moss/agent.md"


def test_the_profile_is_kept_to_the_letter(tmp_path):
    assert moss(tmp_path, "room: Hall").profile == PROFILE


def test_an_agent_is_told_neither_comments_nor_its_table_and_code_to_the_letter(tmp_path):
    text = (
        "You are Moss. %% shy %%\n\n```\n## Reactions\n```\n<!--\n## Goals\n-->\n\n## reactions\n| use | | show x |\n"
    )
    note = moss(tmp_path, "room: Hall", f"{text}\n## Goals\nTea.")
    assert note.profile == "You are Moss.\n\n```\n## Reactions\n```\n\n## Goals\nTea."
    assert len(note.character.triggers) == 1


def test_an_agent_without_properties_is_one_all_the_same(tmp_path):
    notes = {"agents/Moss/agent.md": "You are Moss.\n", "agents/Moss/yesterday.md": "~Moss> look\n"}
    note = load_agent(vault_of(tmp_path, notes), "Moss")
    assert (note.character.room_id, note.character.description, note.profile, note.yesterday) == (
        "",
        "",
        "You are Moss.",
        "~Moss> look",
    )
    assert note.agent_settings(AgentSettings()) == AgentSettings()


def test_its_own_settings_win_and_the_rest_are_everybody_s(tmp_path):
    note = moss(tmp_path, "think_seconds: 45\ntemperature: 0\nimmediate_window: 24\nrecent_window: 8")
    general = AgentSettings(think_seconds=20, reply_tokens=99)
    assert note.agent_settings(general) == AgentSettings(think_seconds=45.0, temperature=0.0, reply_tokens=99)
    assert note.memory_settings(MemorySettings()) == MemorySettings(immediate_window=24, recent_window=8)


@pytest.mark.parametrize("key", ["think_secnds", "Think-Seconds", "THINK_SECONDS"])
def test_a_misspelt_setting_is_refused_with_file_line_and_what_was_meant(tmp_path, key):
    with pytest.raises(NoteError) as refused:
        moss(tmp_path, f"room: Hall\n{key}: 45")
    assert str(refused.value) == f"agents/Moss/agent.md:3: unknown setting {key!r}; did you mean 'think_seconds'?"


def test_a_property_that_is_like_no_setting_is_somebody_s_own(tmp_path):
    assert moss(tmp_path, "room: Hall\nfavourite_fern: maidenhair\ncreated: 2026-11-21").character.room_id == "Hall"


@pytest.mark.parametrize("kind", [AgentSettings, MemorySettings])
def test_a_value_that_will_not_do_is_refused_with_file_and_line(tmp_path, kind):
    note = moss(tmp_path, "room: Hall\nthink_seconds: often\nimmediate_window: 0")
    read = note.agent_settings if kind is AgentSettings else note.memory_settings
    line = 3 if kind is AgentSettings else 4
    with pytest.raises(NoteError, match=rf"^agents/Moss/agent.md:{line}: .* expected "):
        read(kind())


def test_a_folder_without_a_note_is_no_agent(tmp_path):
    paths = ("agents/Moss/agent.md", "agents/Eliza/journal/2026-11-21.md", "agents/x.md")
    vault = vault_of(tmp_path, dict.fromkeys(paths, ""))
    assert agent_names(vault) == ["Moss"]


@pytest.mark.parametrize("name", agent_names(Vault(STARTER)))
def test_an_agent_of_the_starter_vault_can_be_read_with_its_settings(name):
    note = load_agent(Vault(STARTER), name)
    assert note.profile.startswith(f"You are {name}")
    assert note.character.description
    note.agent_settings(AgentSettings())
    note.memory_settings(MemorySettings())


@pytest.mark.parametrize("name", agent_names(Vault(STARTER)))
def test_what_an_agent_of_the_starter_vault_typed_yesterday_are_commands_with_reasons(name):
    table = world_commands()
    lines = load_agent(Vault(STARTER), name).yesterday.splitlines()
    typed = [line.removeprefix(f"~{name}> ") for line in lines if line.startswith("~")]
    assert len(typed) >= 5
    assert [line for line in lines if line.startswith("~") and not line.startswith(f"~{name}> ")] == []
    faults = []
    for text in typed:
        line = parse_line(text)
        command = table.get(line.verb)
        try:
            assert command and command.for_agents and line.reason, text
            command.arguments_in(line.arguments, ENGLISH)
        except (CommandError, AssertionError) as error:
            faults.append(f"{text}: {error}")
    assert faults == []
