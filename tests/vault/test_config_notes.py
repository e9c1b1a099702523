"""Settings are read from notes, every one of them is documented, and every one does something."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from config.settings import (
    SETTINGS_BY_NOTE,
    AgentSettings,
    MemorySettings,
    ModelSettings,
    ServerSettings,
    WorldSettings,
)
from server.connection.text_screen import STYLES
from tests.vault.vault_of import vault_of
from vault.config_notes import Settings, load_settings, load_text, write_setting
from vault.errors import NoteError
from vault.vault import STARTER, Vault

ROOT = Path(__file__).parents[2]
EVERY_SETTING = [(name, field) for name, kind in SETTINGS_BY_NOTE.items() for field in dataclasses.fields(kind)]
DEFAULTS = Settings(ServerSettings(), WorldSettings(), AgentSettings(), ModelSettings(), MemorySettings())


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


def test_a_note_that_holds_no_settings_is_refused_with_the_names_there_are(tmp_path):
    with pytest.raises(NoteError) as refused:
        load_settings(vault_of(tmp_path, {"config/memory.md": ""}))
    assert str(refused.value) == (
        "config/memory.md: there are no such settings; the notes are server, world, agents, models, memory_compaction, "
        "colors."
    )


def test_a_text_is_its_note_without_properties(tmp_path):
    notes = {"text/welcome.md": "---\ntags: [text]\n---\nHello.\n\n  Come in.\n", "text/first-steps.md": "Look.\n"}
    vault = vault_of(tmp_path, notes)
    texts = [load_text(vault, name) for name in ("welcome", "first-steps", "farewell")]
    assert texts == ["Hello.\n\n  Come in.", "Look.", ""]


@pytest.mark.parametrize("name", ["welcome", "first-steps", "farewell"])
def test_the_starter_vault_has_every_text(name):
    assert load_text(Vault(STARTER), name).strip()


def test_the_starter_vault_sets_the_defaults_and_nothing_else():
    assert load_settings(Vault(STARTER)) == DEFAULTS


def test_every_setting_is_documented_in_the_starter_vault_with_its_default():
    given = {name: Vault(STARTER).read("config", f"{name}.md").settings() for name in SETTINGS_BY_NOTE}
    found = {(name, field.name): given[name][field.name].value for name, field in EVERY_SETTING}
    assert found == {(name, field.name): field.default for name, field in EVERY_SETTING}


@pytest.mark.parametrize("name", SETTINGS_BY_NOTE)
def test_a_documented_setting_is_followed_by_what_it_is_about(name):
    note = Vault(STARTER).read("config", f"{name}.md")
    lines = note.body.split("\n")
    after = {key: lines[value.line - note.body_line + 1] for key, value in note.settings().items()}
    assert [one.name for at, one in EVERY_SETTING if at == name and len(after[one.name]) <= 10] == []


def test_every_setting_is_read_somewhere():
    assert {field.name for _, field in EVERY_SETTING} - _attributes_read() == set()


def _attributes_read() -> set[str]:
    """Return the names of all attributes that the profiles, the vault, the agents and the server read."""
    sources = [path for package in ("vault", "agents", "server") for path in (ROOT / package).rglob("*.py")]
    sources.append(ROOT / "config" / "profiles.py")
    found = (re.findall(r"(?<=[\w)])\.(\w+)", path.read_text(encoding="utf-8")) for path in sources)
    return {*STYLES, *(name for names in found for name in names)}


@pytest.mark.parametrize(
    ("before", "key", "text", "after"),
    [
        (
            "# Models\n\n**num_ctx**: 4096\nIn tokens.\n",
            "num_ctx",
            "8192",
            "# Models\n\n**num_ctx**: 8192\nIn tokens.\n",
        ),
        ("- **num_ctx**: 4096 (small)\n", "num_ctx", "8192", "- **num_ctx**: 8192\n"),
        ("---\nnum_ctx: 4096 # small\ntags: [a]\n---\nProse.\n", "keep_alive", "5m", None),
        (
            "---\nnum_ctx: 4096\ntags: [a]\n---\nProse.\n",
            "num_ctx",
            "2048",
            "---\nnum_ctx: 2048\ntags: [a]\n---\nProse.\n",
        ),
        ("**num_ctx**: 4096\r\nIn tokens.\r\n", "num_ctx", "8192", "**num_ctx**: 8192\r\nIn tokens.\r\n"),
    ],
)
def test_a_setting_is_changed_where_it_stands_or_else_added(tmp_path, before, key, text, after):
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "models.md").write_bytes(before.encode())
    vault = Vault(tmp_path)
    write_setting(vault, "models", key, text)
    written = (tmp_path / "config" / "models.md").read_bytes().decode()
    assert written == (f"{before}\n**{key}**: {text}\n" if after is None else after)


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("timeout_seconds", "90", 90.0),
        ("ollama_model", "gemma3:270m", "gemma3:270m"),
        ("keep_alive", "-1", "-1"),
        ("summary_model", '""', ""),
        ("summary_model", "a, b", "a, b"),
        ("ollama_host", "http://[::1]:11434", "http://[::1]:11434"),
        ("ollama_host", "soon (or later)", "soon (or later)"),
        ("ollama_host", 'say "hi"', 'say "hi"'),
        ("ollama_host", "a\\b", "a\\b"),
    ],
)
def test_what_was_written_is_read_back(tmp_path, key, text, value):
    vault = vault_of(tmp_path, {"config/models.md": Vault(STARTER).read_text("config", "models.md")})
    write_setting(vault, "models", key, text)
    assert getattr(load_settings(vault).models, key) == value
    kept = {name: one for name, one in vars(load_settings(vault).models).items() if name != key}
    assert kept == {name: one for name, one in vars(ModelSettings()).items() if name != key}


@pytest.mark.parametrize("text", ["never", "0", "true", "[1]", "{a: 1}", "1e99"])
def test_what_will_not_do_is_refused_and_nothing_is_written(tmp_path, text):
    vault = vault_of(tmp_path, {"config/models.md": "**timeout_seconds**: 60\n"})
    with pytest.raises(NoteError, match=r"^timeout_seconds is .*; expected a number from 1 to 3600 \("):
        write_setting(vault, "models", "timeout_seconds", text)
    assert vault.read_text("config", "models.md") == "**timeout_seconds**: 60\n"
