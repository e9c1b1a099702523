"""Changing one setting in a note in `config/`, with all its prose left as it is."""

from __future__ import annotations

import json
import re
from typing import Any

import yaml

from config.settings import KINDS, Given, SettingsError, settings_from
from vault.config_notes import PROFILES, profile_parts, settings_in
from vault.escaping import escaped_comments
from vault.folder import Vault
from vault.note_text import NoteText
from vault.notes import NoteError

_READ_OTHERWISE = re.compile(r"\A\Z|[`()#\"']")
"""What a line of prose has for other purposes: quotes, and remarks in brackets."""


def given_settings(vault: Vault, name: str) -> dict[str, Given]:
    """Return what a note in `config/` sets, each with its line; nothing if there is no note. Raises: NoteError."""
    if not vault.exists("config", f"{name}.md"):
        return {}
    return settings_in(vault.read("config", f"{name}.md"))


def write_setting(vault: Vault, name: str, key: str, text: str) -> None:
    """Give a setting of `config/<name>.md` the value that a text is, as it would stand in the note.

    Raises: NoteError saying what is expected if it will not do, or if the note cannot be read or written.
    """
    value = _value_of(text)
    try:
        settings_from(KINDS[name], given_settings(vault, name) | {key: Given(value)}, f"config/{name}.md")
    except SettingsError as error:
        raise NoteError(str(error).partition(f"config/{name}.md:0: ")[2] or str(error)) from error
    parts = ("config", f"{name}.md")
    before = vault.read_exact_if_there(*parts) or ""
    vault.write_text(_changed(before, key, value, f"config/{name}.md"), *parts)


def _changed(before: str, key: str, value: Any, source: str) -> str:
    text = NoteText(before, source)
    if key in text.note.properties:
        text.set_property(key, value)
        return str(text)
    written = escaped_comments(_written(value))
    line = f"**{key}**: {written}"
    given = settings_in(text.note).get(key)
    if given:
        text.set_setting(given.line, written)
    elif (parts := profile_parts(text.note)[1:]) and source == f"config/{PROFILES}.md":
        text.add_paragraph(line, above=parts[0][1].body_line - 1)
    else:
        text.add_paragraph(line)
    return str(text)


def _value_of(text: str) -> Any:
    try:
        found = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return text
    return text if isinstance(found, dict | list) else found


def _written(value: Any) -> str:
    """Return a value as it is read back from a line of prose: in quotes if it would be read as something else."""
    if isinstance(value, str) and (_value_of(value) != value or _READ_OTHERWISE.search(value)):
        return json.dumps(value, ensure_ascii=False)
    if value is None or isinstance(value, bool):
        return {None: '""', True: "true", False: "false"}[value]
    return str(value)
