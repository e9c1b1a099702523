"""An agent's own notes: `agent.md` with its settings and profile, and the example day it begins with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from config.settings import (
    ROLES,
    AgentSettings,
    Given,
    MemorySettings,
    SettingsError,
    current_name,
    misspelt,
    override,
    setting_names,
)
from vault.folder import Vault
from vault.notes import Note, NoteError, link_target
from vault.plan_note import Errand, errands_in
from vault.subjects.life_notes import life_in, profile_in
from vault.subjects.subject_notes import names_in, own_properties, table_in, text_in, texts_in
from world.entities import Character, Role
from world.triggers import Reaction

S = TypeVar("S")

OWN_KEYS = ("room", "description", "aliases", "tags", "role", "grants", "preferences")
KEYS = (*OWN_KEYS, *setting_names(AgentSettings), *setting_names(MemorySettings))
"""The properties that mean something; the others are the builders' own."""


@dataclass(frozen=True)
class AgentNote:
    """What stands in an agent's folder. `profile` is kept to the letter; `yesterday` is an example day, or empty.

    `reactions` is its table of what it does by itself and `errands` what it sets out to do each day, which are no part
    of the profile. `role` and `grants` are what it may do.
    """

    name: str
    room_id: str
    description: str
    profile: str
    yesterday: str
    given: dict[str, Given]
    source: str
    reactions: tuple[Reaction, ...] = ()
    role: Role = Role.PLAYER
    grants: frozenset[str] = frozenset()
    aliases: tuple[str, ...] = ()
    properties: Mapping[str, str] = field(default_factory=dict)
    preferences: Mapping[str, str] = field(default_factory=dict)
    errands: tuple[Errand, ...] = ()

    @property
    def character(self) -> Character:
        """A new character, asleep in the agent's room."""
        return Character(
            self.name,
            self.room_id,
            self.description,
            self.role,
            is_agent=True,
            aliases=self.aliases,
            grants=self.grants,
            properties=dict(self.properties),
            preferences=dict(self.preferences),
            reactions=self.reactions,
        )

    def agent_settings(self, general: AgentSettings) -> AgentSettings:
        """Return the settings of config/agents.md with the agent's own. Raises: NoteError naming file and line."""
        return _with_own(self, general)

    def memory_settings(self, general: MemorySettings) -> MemorySettings:
        """Return the settings of config/memory_compaction.md with the agent's own. Raises: NoteError."""
        return _with_own(self, general)


def agent_names(vault: Vault) -> list[str]:
    """Return the names of all agents: the folders in `agents` that hold an `agent.md`."""
    return [name for name in vault.folders("agents") if vault.exists("agents", name, "agent.md")]


def load_agent(vault: Vault, name: str) -> AgentNote:
    """Return what stands in an agent's folder.

    Raises: NoteError if `agent.md` is not valid or a setting in it is misspelt, naming file and line.
    """
    note = vault.read("agents", name, "agent.md")
    yesterday = vault.read("agents", name, "yesterday.md").body if vault.exists("agents", name, "yesterday.md") else ""
    return agent_of(note, name, yesterday)


def agent_of(note: Note, name: str, yesterday: str = "") -> AgentNote:
    """Return what an `agent.md` says; see `load_agent`."""
    for key, given in note.given.items():
        meant = "" if current_name(key) in KEYS else misspelt(key.lower().replace("-", "_"), KEYS)
        if meant:
            raise NoteError(f"{note.source}:{given.line}: unknown setting {key!r}; did you mean {meant!r}?")
    return AgentNote(
        name,
        link_target(note.properties.get("room")),
        text_in(note, "description"),
        profile_in(note),
        yesterday.strip("\n"),
        note.given,
        note.source,
        life_in(note).reactions,
        _role(note),
        frozenset(grant.lower() for grant in texts_in(note, "grants")),
        names_in(note),
        own_properties(note, [*KEYS, *(key for key in note.typed if current_name(key) in KEYS)]),
        table_in(note, "preferences"),
        errands_in(note),
    )


def _role(note: Note) -> Role:
    """Raises: NoteError if the role is none of those there are."""
    given = text_in(note, "role").strip().lower() or "player"
    if given not in ROLES:
        line = note.property_lines.get("role", 1)
        raise NoteError(f"{note.source}:{line}: role is {given!r}; expected one of {', '.join(ROLES)}.")
    return Role[given.upper()]


def _with_own(note: AgentNote, general: S) -> S:
    names = setting_names(type(general))
    try:
        return override(
            general, {key: given for key, given in note.given.items() if current_name(key) in names}, note.source
        )
    except SettingsError as error:
        raise NoteError(str(error)) from error
