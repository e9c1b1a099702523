"""Changing one setting: its line changes, and no other."""

from __future__ import annotations

import pytest

from config.settings import ModelSettings
from tests.vault.vault_of import vault_of
from vault.config_notes import load_settings
from vault.config_writing import write_setting
from vault.folder import STARTER, Vault
from vault.notes import NoteError


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
        ("", "keep_alive", "5m", "**keep_alive**: 5m\n"),
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
        ("keep_alive", "soon (or later)", "soon (or later)"),
        ("keep_alive", 'say "hi"', 'say "hi"'),
        ("keep_alive", "a\\b", "a\\b"),
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
