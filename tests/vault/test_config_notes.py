"""Settings are read from notes, every one of them is documented, and every one does something."""

from __future__ import annotations

import dataclasses
import re
from functools import cache
from pathlib import Path

import pytest

from config.settings import KINDS, AgentSettings, MemorySettings, ModelSettings, ServerSettings, WorldSettings
from tests.vault.vault_of import vault_of
from vault.config_notes import Settings, load_settings, load_text
from vault.folder import STARTER, Vault
from vault.notes import NoteError

ROOT = Path(__file__).parents[2]
EVERY_SETTING = [
    pytest.param(name, field, id=f"{name}.{field.name}")
    for name, kind in KINDS.items()
    for field in dataclasses.fields(kind)
]
DEFAULTS = Settings(ServerSettings(), WorldSettings(), AgentSettings(), ModelSettings(), MemorySettings())


def refusal(root, path: str, text: str) -> str:
    """Return the message with which a vault is refused for one note."""
    with pytest.raises(NoteError) as refused:
        load_settings(vault_of(root, {path: text}))
    return str(refused.value)


def test_a_vault_without_settings_has_the_defaults(tmp_path):
    assert load_settings(Vault(tmp_path)) == DEFAULTS


def test_settings_stand_in_properties_or_among_the_prose(tmp_path):
    vault = vault_of(
        tmp_path,
        {
            "config/server.md": "---\nport: 5000\ntags: [x]\n---\n# Server\n\nThis **host**: 0.0.0.0 is no setting.\n",
            "config/memory_compaction.md": "Windows.\n\n- **immediate_window**: 24 (a day)\n**recent_window**: `24`\n",
            "config/models.md": '**summary_model**: ""\n**keep_alive**: 5m\n',
        },
    )
    settings = load_settings(vault)
    assert settings.server == ServerSettings(port=5000)
    assert settings.memory == MemorySettings(immediate_window=24, recent_window=24)
    assert settings.models == ModelSettings(keep_alive="5m")


def test_an_unknown_setting_is_refused_with_the_one_that_was_meant(tmp_path):
    message = refusal(tmp_path, "config/memory_compaction.md", "# Memory\n\n**immediate_windw**: 24\n")
    assert message.startswith(
        "config/memory_compaction.md:3: unknown setting 'immediate_windw'; did you mean 'immediate_window'?"
    )


def test_a_value_out_of_range_is_refused_with_the_range(tmp_path):
    message = refusal(tmp_path, "config/server.md", "**port**: 70000\n")
    assert message == "config/server.md:1: port is 70000; expected a whole number from 0 to 65535 (the telnet port)."


def test_a_setting_that_stands_twice_is_refused_with_both_lines(tmp_path):
    message = refusal(tmp_path, "config/server.md", "**port**: 1\n\n**port**: 2\n")
    assert message == "config/server.md:3: 'port' is set twice; it stands in line 1 already."


def test_a_note_that_holds_no_settings_is_refused_with_the_names_there_are(tmp_path):
    assert refusal(tmp_path, "config/memory.md", "") == (
        "config/memory.md: there are no such settings; the notes are server, world, agents, models, memory_compaction, "
        "colors."
    )


def test_a_text_without_properties_ends_where_its_last_line_does(tmp_path):
    assert load_text(vault_of(tmp_path, {"text/welcome.md": "Hello.\n"}), "welcome") == "Hello."


def test_a_text_is_its_note_without_properties(tmp_path):
    vault = vault_of(tmp_path, {"text/welcome.md": "---\ntags: [text]\n---\nHello.\n\n  Come in.\n"})
    assert load_text(vault, "welcome") == "Hello.\n\n  Come in."
    assert load_text(vault, "farewell") == ""


@pytest.mark.parametrize("name", ["welcome", "first-steps", "farewell"])
def test_the_starter_vault_has_every_text(name):
    assert load_text(Vault(STARTER), name).strip()


def test_the_starter_vault_sets_the_defaults_and_nothing_else():
    assert load_settings(Vault(STARTER)) == DEFAULTS


@pytest.mark.parametrize(("name", "field"), EVERY_SETTING)
def test_a_setting_is_documented_in_the_starter_vault_with_its_default(name, field):
    given = Vault(STARTER).read("config", f"{name}.md").settings()
    assert given[field.name].value == field.default


@pytest.mark.parametrize(("name", "field"), EVERY_SETTING)
def test_a_documented_setting_is_followed_by_what_it_is_about(name, field):
    note = Vault(STARTER).read("config", f"{name}.md")
    line = note.settings()[field.name].line
    assert len(note.body.split("\n")[line - note.body_line + 1]) > 10


@pytest.mark.parametrize(("name", "field"), EVERY_SETTING)
def test_a_setting_is_read_somewhere(name, field):
    assert field.name in _attributes_read()


@cache
def _attributes_read() -> set[str]:
    """Return the names of all attributes that the profiles, the vault, the agents and the server read."""
    sources = [path for package in ("vault", "agents", "server") for path in (ROOT / package).rglob("*.py")]
    sources.append(ROOT / "config" / "profiles.py")
    return {name for path in sources for name in re.findall(r"(?<=[\w)])\.(\w+)", path.read_text(encoding="utf-8"))}
