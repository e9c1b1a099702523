"""The notes in `config/` as settings; one setting can be changed with its prose left as it is."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import yaml

from config.profiles import NAME_PATTERN, THINKER, ModelProfile, ProfileSettings, profile_from
from config.settings import (
    SETTINGS_BY_NOTE,
    AgentSettings,
    ColorSettings,
    MemorySettings,
    ModelSettings,
    ServerSettings,
    WorldSettings,
)
from config.validation import OLD_NAMES, SettingsError, SourcedValue, setting_names, settings_from
from vault.copies import copy_fault
from vault.errors import NoteError
from vault.markdown import escape_comments
from vault.note import Note
from vault.note_editor import NoteEditor
from vault.sync_copies import original_of
from vault.vault import Vault

log = logging.getLogger(__name__)

PROFILES = "models"
"""The note whose sections are profiles."""

KEYS = frozenset(
    {name for kind in (*SETTINGS_BY_NOTE.values(), ProfileSettings) for name in setting_names(kind)} | {*OLD_NAMES}
)
"""The keys that a line of any note in `config/` may set."""

S = TypeVar("S")


@dataclass(frozen=True)
class Settings:
    """All settings of a world, one member a note in `config/`; `profiles` are the sections of config/models.md.

    `is_model_chosen` is true if the command line has chosen the thinker's model.
    """

    server: ServerSettings
    world: WorldSettings
    agents: AgentSettings
    models: ModelSettings
    memory: MemorySettings
    profiles: Mapping[str, ModelProfile] = field(default_factory=dict)
    is_model_chosen: bool = False
    colors: ColorSettings = field(default_factory=ColorSettings)

    @property
    def profiles_in_force(self) -> Mapping[str, ModelProfile]:
        """The profiles; the thinker's has another place and name of its model if the command line says which."""
        thinker = self.profiles.get(THINKER)
        if not (self.is_model_chosen and thinker):
            return self.profiles
        replaced = ("endpoints", "api", *(() if self.models.model == "auto" else ("model",)))
        return {**self.profiles, THINKER: thinker.without(*replaced)}


def load_settings(vault: Vault, memory: type[MemorySettings] = MemorySettings) -> Settings:
    """Return the settings in `config/`; a note that is missing leaves the defaults.

    `memory` is the kind of config/memory_compaction.md, with the settings of the memory strategies that there are; what
    is not its own is left alone without one. Raises: NoteError naming file, line, value and what is expected.
    """
    for name in vault.names("config"):
        if original := "" if name in SETTINGS_BY_NOTE else original_of(name, frozenset(SETTINGS_BY_NOTE)):
            log.warning("%s", copy_fault(f"config/{name}.md", f"config/{original}.md"))
        elif name not in SETTINGS_BY_NOTE:
            raise NoteError(
                f"config/{name}.md: there are no such settings; the notes are {', '.join(SETTINGS_BY_NOTE)}."
            )
    return Settings(
        _kind(vault, "server", ServerSettings),
        _kind(vault, "world", WorldSettings),
        _kind(vault, "agents", AgentSettings),
        _kind(vault, "models", ModelSettings),
        _kind(vault, "memory_compaction", memory),
        load_profiles(vault),
        colors=_kind(vault, "colors", ColorSettings),
    )


def load_profiles(vault: Vault) -> dict[str, ModelProfile]:
    """Return the profiles by name. Raises: NoteError as `load_settings`, also for a fallback that is no profile."""
    source = f"config/{PROFILES}.md"
    if not vault.exists("config", f"{PROFILES}.md"):
        return {}
    found: dict[str, ModelProfile] = {}
    fallbacks: dict[str, SourcedValue] = {}
    for name, part in profile_parts(vault.read("config", f"{PROFILES}.md"))[1:]:
        if name in found:
            raise NoteError(f"{source}:{part.body_line - 1}: there are two profiles {name!r}; give one another name.")
        given = part.settings(KEYS)
        try:
            found[name] = profile_from(name, given, source)
        except SettingsError as error:
            raise NoteError(f"{error}") from error
        if found[name].settings.fallback:
            fallbacks[name] = given["fallback"]
    # There is always a thinker: what stands before the first section is one.
    known = dict.fromkeys((THINKER, *found))
    for name, fallback in fallbacks.items():
        if fallback.value not in known:
            listed = ", ".join(known)
            raise NoteError(
                f"{source}:{fallback.line}: the fallback of {name} is {fallback.value!r}; the profiles are {listed}."
            )
    return found


def profile_parts(note: Note) -> list[tuple[str, Note]]:
    """Return the text before the first profile, under an empty name, and each profile, as notes of their own.

    A profile begins with `## name`; a heading of several words, or with a capital, begins nothing.
    """
    parts: list[tuple[str, list[str], int]] = [("", [], note.body_line)]
    for line in note.lines:
        if line.level == 2 and re.fullmatch(NAME_PATTERN, line.title):
            parts.append((line.title, [], line.number + 1))
        else:
            parts[-1][1].append(line.raw)
    head, *profiles = parts
    first = replace(note, body="\n".join(head[1]))
    return [("", first), *((name, Note(note.source, {}, "\n".join(lines), {}, at)) for name, lines, at in profiles)]


def settings_in(note: Note, more: Collection[str] = ()) -> dict[str, SourcedValue]:
    """Return the settings of a note in `config/`, without its profiles; `more` are keys that it may set besides.

    Raises: NoteError.
    """
    return (profile_parts(note)[0][1] if note.source == f"config/{PROFILES}.md" else note).settings(KEYS.union(more))


def load_text(vault: Vault, name: str) -> str:
    """Return a note in `text/` without its properties, or an empty string if there is none. Raises: NoteError."""
    return vault.read("text", f"{name}.md").body.strip("\n") if vault.exists("text", f"{name}.md") else ""


def _kind(vault: Vault, name: str, kind: type[S]) -> S:
    source = f"config/{name}.md"
    if not vault.exists("config", f"{name}.md"):
        return kind()
    note = vault.read("config", f"{name}.md")
    try:
        return settings_from(kind, settings_in(note, setting_names(kind)), source)
    except SettingsError as error:
        raise NoteError(str(error)) from error


_READ_OTHERWISE = re.compile(r"\A\Z|[`()#\"']")
"""The marks of prose with other purposes: quotes, and remarks in brackets."""


def given_settings(vault: Vault, name: str) -> dict[str, SourcedValue]:
    """Return the settings of a note in `config/`, each with its line; empty if there is no note. Raises: NoteError."""
    if not vault.exists("config", f"{name}.md"):
        return {}
    return settings_in(vault.read("config", f"{name}.md"))


def write_setting(vault: Vault, name: str, key: str, text: str) -> None:
    """Give a setting of `config/<name>.md` a value, given as the note would have it.

    Raises: NoteError saying what is expected if it is not valid, or if the note cannot be read or written.
    """
    value = value_of(text)
    try:
        settings_from(
            SETTINGS_BY_NOTE[name], given_settings(vault, name) | {key: SourcedValue(value)}, f"config/{name}.md"
        )
    except SettingsError as error:
        raise NoteError(str(error).partition(f"config/{name}.md:0: ")[2] or str(error)) from error
    parts = ("config", f"{name}.md")
    before = vault.read_to_change(*parts) if vault.exists(*parts) else ""
    vault.write_text(_with_setting(before, key, value, f"config/{name}.md"), *parts, was=before or None)


def _with_setting(before: str, key: str, value: Any, source: str) -> str:
    text = NoteEditor(before, source)
    if key in text.note.properties:
        text.set_property(key, value)
        return str(text)
    written = escape_comments(format_value(value))
    line = f"**{key}**: {written}"
    given = settings_in(text.note).get(key)
    if given:
        text.set_setting(given.line, written)
    elif (parts := profile_parts(text.note)[1:]) and source == f"config/{PROFILES}.md":
        text.add_paragraph(line, above=parts[0][1].body_line - 1)
    else:
        text.add_paragraph(line)
    return str(text)


def value_of(text: str) -> Any:
    """Return a text as a setting: a number, true or false, or the text itself."""
    try:
        found = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return text
    return text if isinstance(found, dict | list) else found


def format_value(value: Any) -> str:
    """Return a value as it is read back from a line of prose: in quotes if it would be read as something else."""
    if isinstance(value, str) and (value_of(value) != value or _READ_OTHERWISE.search(value)):
        return json.dumps(value, ensure_ascii=False)
    if value is None or isinstance(value, bool):
        return {None: '""', True: "true", False: "false"}[value]
    return str(value)
