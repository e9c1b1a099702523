"""Variants of a vault for experiments: settings, agents, templates, neutral perturbations.

A setting has its name in the note, such as `strategy`, or with its note or profile before a point:
`memory_compaction.enabled`, `thinker.model`.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from config.profiles import NAME_PATTERN, ProfileSettings
from config.settings import SETTINGS_BY_NOTE, MemorySettings
from config.validation import SettingsError, SourcedValue, closest_name, current_name, setting_names, settings_from
from vault.config_notes import PROFILES, format_value, profile_parts, value_of, write_setting
from vault.entities.agent_notes import agent_of, only_reactions, set_agent_property, without_reactions
from vault.errors import NoteError
from vault.note_editor import NoteEditor
from vault.vault import Vault, agent_names

EXITS = "Exits"
OTHER_NAMES = (
    "Thea Bram Ilka Corin Mara Jory Nessa Tobin Wren Aldo Petra Silas Juna Hollis Vera Osric Linnet Garrick Sela Dorn"
).split()
"""Other names for agents, in the order of their names."""

TEXT_FILES = ("*.md", "*.jsonl")
_SENTENCE_END = re.compile(r"(?<=[.!?])[ \t]+(?=\S)")

OTHER_WORDS = {
    "You act by typing one command a line": "Each line that you type is one command",
    "Nobody sees the reason.": "The reason is seen by no one.",
    "You can type:": "These can be typed:",
    "What you know for certain:": "What is certain:",
    "You live in a text world, and you act by choosing one command at a time.": (
        "Your home is a text world, in which you act by choosing a single command at a time."
    ),
    "What stands in (brackets) happens around you.": "Whatever is written in (brackets) takes place around you.",
    "If something was refused, do something else.": "When something is refused, try something different.",
    "When nobody needs you, go on with your errand.": "While nobody needs you, carry on with your errand.",
    "You can type one of these:": "One of these can be typed:",
    "Stay in character as {name}": "Remain in character as {name}",
    "Never repeat yourself.": "Do not say the same thing twice.",
    "one or two short sentences": "a short sentence or two",
}
"""Rules of the templates, and the same in other words."""


def reorder_exits(vault: Vault) -> None:
    """List the exits of every room in the opposite order, and so the rooms that they lead to. Raises: NoteError."""
    for name in vault.names("rooms"):
        text = vault.read_exact("rooms", f"{name}.md")
        editor = NoteEditor(text, f"rooms/{name}.md")
        entries = list(editor.note.entries(EXITS))
        lines = text.split("\n")
        written = [lines[one.line - 1 : one.end - 1] for one in entries]
        for one, other in zip(reversed(entries), written, strict=True):  # from the last, so that numbers stay right
            lines[one.line - 1 : one.end - 1] = other
        vault.write_text("\n".join(lines), "rooms", f"{name}.md")


def rename_agents(vault: Vault) -> None:
    """Give every agent another name, everywhere in the vault. Raises: NoteError if there are too few names."""
    paths = [path for pattern in TEXT_FILES for path in sorted(vault.root.rglob(pattern))]
    texts = {path: path.read_text(encoding="utf-8") for path in paths}
    agents = sorted(agent_names(vault))
    words = {word for text in texts.values() for word in re.findall(r"\w+", text)}
    free = [name for name in OTHER_NAMES if name not in words]
    if len(free) < len(agents):
        raise NoteError(f"there are other names for {len(free)} agents, and the vault has {len(agents)}; use --agents.")
    other = dict(zip(agents, free, strict=False))
    any_name = re.compile(rf"\b(?:{'|'.join(map(re.escape, agents))})\b") if agents else None
    for path, text in texts.items():
        if any_name and (changed := any_name.sub(lambda found: other[found[0]], text)) != text:
            path.write_text(changed, encoding="utf-8")
    for name in agents:
        vault.path("agents", name).rename(vault.path("agents", other[name]))


def list_personas(vault: Vault) -> None:
    """Write every agent's profile as a list, a sentence an item, instead of as prose. Raises: NoteError."""
    for name in agent_names(vault):
        parts = ("agents", name, "agent.md")
        editor = NoteEditor(vault.read_exact(*parts), "/".join(parts))
        prose = without_reactions(editor.note)
        sentences = [one for line in prose.split("\n") if line.strip() for one in _SENTENCE_END.split(line.strip())]
        listed = "\n".join(f"- {one}" for one in sentences)
        editor.set_body("\n\n".join(part for part in (listed, only_reactions(editor.note)) if part))
        agent_of(editor.note, name)
        vault.write_text(str(editor), *parts)


def reword_rules(vault: Vault) -> None:
    """Rewrite the rules of the templates in other words. Raises: NoteError if none of the known sentences is there."""
    found = 0
    for name in vault.names("templates"):
        before = text = vault.read_exact("templates", f"{name}.md")
        for words, others in OTHER_WORDS.items():
            text = text.replace(words, others)
        if text != before:
            found += 1
            vault.write_text(text, "templates", f"{name}.md")
    if not found:
        raise NoteError("templates/: none of the rules that can be reworded stands here; use the factor templates.")


PERTURBATIONS: Mapping[str, Callable[[Vault], None]] = {
    "rooms": reorder_exits,
    "names": rename_agents,
    "persona": list_personas,
    "rules": reword_rules,
}


MEMORY = "memory_compaction"
IN_AGENT_NOTES = ("agents", MEMORY)
"""Notes whose settings an agent's own `agent.md` may have too, which would win."""


@dataclass(frozen=True)
class SettingPlace:
    """The place of a setting: a note in `config/`, the profile in config/models.md or nothing, and its key."""

    note: str
    key: str
    kind: type[Any]
    profile: str = ""


@dataclass(frozen=True)
class Variant:
    """The changes to a copy of a vault. `settings` are texts by name, as a note would have them.

    `agents` is the number of agents that stay, the first by name; None keeps all. `templates` is a folder of notes that
    replace those in `templates/`. `perturbations` are names in `PERTURBATIONS`.
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
