"""Variants of a vault for experiments: settings, agents, templates, neutral perturbations.

A setting is named as it stands in its note, such as `strategy`, or with its note or profile before a point:
`memory_compaction.enabled`, `thinker.model`.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from config.profiles import NAME_PATTERN, ProfileSettings
from config.settings import SETTINGS_BY_NOTE, MemorySettings
from config.validation import SettingsError, SourcedValue, closest_name, current_name, setting_names, settings_from
from vault.config_notes import PROFILES, format_value, profile_parts, value_of, write_setting
from vault.entities.agent_notes import set_agent_property
from vault.errors import NoteError
from vault.note_editor import NoteEditor
from vault.perturbations import PERTURBATIONS
from vault.vault import Vault, agent_names

MEMORY = "memory_compaction"
IN_AGENT_NOTES = ("agents", MEMORY)
"""Notes whose settings can also stand in an agent's own `agent.md`, which would win."""


@dataclass(frozen=True)
class SettingPlace:
    """Where a setting stands: a note in `config/`, the profile in config/models.md or nothing, and its key."""

    note: str
    key: str
    kind: type[Any]
    profile: str = ""


@dataclass(frozen=True)
class Variant:
    """What is changed in a copy of a vault. `settings` are texts by name, as they would stand in a note.

    `agents` is how many are kept, the first by name; None keeps all. `templates` is a folder of notes that replace
    those in `templates/`. `perturbations` are names in `PERTURBATIONS`.
    """

    settings: Mapping[str, str] = field(default_factory=dict)
    agents: int | None = None
    templates: Path | None = None
    perturbations: tuple[str, ...] = ()


def apply_variant(vault: Vault, variant: Variant, memory: type[MemorySettings] = MemorySettings) -> None:
    """Change a copy of a vault. `memory` is the class of all memory settings, those of the strategies included.

    A setting of an agent's own note gives way. Raises: NoteError, before anything is changed where that is possible.
    """
    places = {name: find_setting(name, memory) for name in variant.settings}
    for name, place in places.items():
        check_setting(place, value_of(variant.settings[name]), f"--set {name}")
    _keep_agents(vault, variant.agents)
    if variant.templates:
        copy_templates(variant.templates, vault)
    for name, place in places.items():
        _write(vault, place, variant.settings[name])
    for name in variant.perturbations:
        if name not in PERTURBATIONS:
            raise NoteError(f"--perturb is {name!r}; expected one of {', '.join(PERTURBATIONS)}.")
        PERTURBATIONS[name](vault)


def find_setting(name: str, memory: type[MemorySettings] = MemorySettings) -> SettingPlace:
    """Return where the setting with a name stands. Raises: NoteError saying which name is nearest if there is none."""
    kinds: dict[str, type[Any]] = SETTINGS_BY_NOTE | {MEMORY: memory}
    before, point, key = name.rpartition(".")
    if point and before not in kinds:
        if key in setting_names(ProfileSettings) and re.fullmatch(NAME_PATTERN, before):
            return SettingPlace(PROFILES, key, ProfileSettings, before)
        raise NoteError(f"there is no setting {name!r}; did you mean {_nearest(key, kinds)!r}?")
    notes = [before] if point else [note for note in kinds if name in setting_names(kinds[note])]
    if len(notes) == 1 and key in setting_names(kinds[notes[0]]):
        return SettingPlace(notes[0], key, kinds[notes[0]])
    if len(notes) > 1:
        raise NoteError(
            f"{name!r} is a setting of several notes; write {' or '.join(f'{one}.{name}' for one in notes)}."
        )
    raise NoteError(f"there is no setting {name!r}; did you mean {_nearest(key, kinds)!r}?")


def check_setting(place: SettingPlace, value: object, source: str, line: int = 0) -> None:
    """Raises: NoteError naming the source and the line, and what is expected, if a value is not valid."""
    try:
        settings_from(place.kind, {place.key: SourcedValue(value, line)}, source)
    except SettingsError as error:
        raise NoteError(str(error).replace(f"{source}:0: ", f"{source}: ")) from error


def copy_templates(folder: Path, vault: Vault) -> None:
    """Replace templates of a vault by the notes of a folder. Raises: NoteError if there are none, or one is unknown."""
    notes = sorted(folder.glob("*.md"))
    if not notes:
        raise NoteError(f"{folder}: there are no templates here, which are notes such as action_prompt.md.")
    known = vault.names("templates")
    for note in notes:
        if note.stem not in known:
            near = closest_name(note.stem, tuple(known), 0.6)
            hint = f"did you mean {near}.md?" if near else f"there are {', '.join(known)}."
            raise NoteError(f"{note}: the vault has no template of this name; {hint}")
    for note in notes:
        shutil.copyfile(note, vault.path("templates", note.name))


def vault_hash(root: Path) -> str:
    """Return the SHA-256 of what a simulation takes of a vault: all files but hidden ones, with their names.

    Raises: NoteError if a file cannot be read.
    """
    return folder_hash(root, "*")


def folder_hash(root: Path, pattern: str) -> str:
    """Return the SHA-256 of the files in a folder whose names match, with their paths. Raises: NoteError."""
    total = hashlib.sha256()
    try:
        for path in sorted(root.rglob(pattern), key=lambda path: path.relative_to(root).as_posix()):
            name = path.relative_to(root)
            if any(part.startswith(".") for part in name.parts) or not path.is_file():
                continue
            total.update(f"{name.as_posix()}\0".encode("utf-8", "surrogateescape"))
            total.update(hashlib.sha256(path.read_bytes()).digest())
    except OSError as error:
        raise NoteError(f"{root}: cannot be read: {error.strerror} ({error.filename}).") from error
    return total.hexdigest()


def _keep_agents(vault: Vault, count: int | None) -> None:
    names = sorted(agent_names(vault))
    if count is None:
        return
    if not 1 <= count <= len(names):
        raise NoteError(f"--agents is {count}; the vault has {len(names)}: {', '.join(names) or 'none'}.")
    for name in names[count:]:
        shutil.rmtree(vault.path("agents", name))


def _write(vault: Vault, place: SettingPlace, text: str) -> None:
    if place.profile:
        _write_profile_setting(vault, place, text)
        return
    write_setting(vault, place.note, place.key, text)
    if place.note in IN_AGENT_NOTES:
        for name in agent_names(vault):
            for key in vault.read("agents", name, "agent.md").properties:
                if current_name(key) == place.key:
                    set_agent_property(vault, name, key, None)


def _write_profile_setting(vault: Vault, place: SettingPlace, text: str) -> None:
    parts = ("config", f"{PROFILES}.md")
    editor = NoteEditor(vault.read_exact_or_none(*parts) or "", "/".join(parts))
    written = format_value(value_of(text))
    found = dict(profile_parts(editor.note)).get(place.profile)
    given = found.settings(setting_names(ProfileSettings)).get(place.key) if found else None
    if given:
        editor.set_setting(given.line, written)
    elif found:
        editor.add_paragraph(f"**{place.key}**: {written}", above=found.body_line)
    else:
        editor.add_paragraph(f"## {place.profile}")
        editor.add_paragraph(f"**{place.key}**: {written}")
    vault.write_text(str(editor), *parts)


def _nearest(key: str, kinds: Mapping[str, type[Any]]) -> str:
    names = tuple(name for kind in kinds.values() for name in setting_names(kind))
    return closest_name(key, names, 0.3) or "strategy"
