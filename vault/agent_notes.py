"""An agent's own notes: `agent.md` with its settings and profile, and the example day it begins with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from config.settings import (
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
from vault.life_notes import life_in, without_reactions
from vault.notes import NoteError, link_target
from world.model import Character
from world.reaction import Reaction

S = TypeVar("S")

OWN_KEYS = ("room", "description", "aliases", "tags")


@dataclass(frozen=True)
class AgentNote:
    """What stands in an agent's folder. `profile` is kept to the letter; `yesterday` is an example day, or empty.

    `reactions` is its table of what it does by itself, which is no part of the profile.
    """

    name: str
    room_id: str
    description: str
    profile: str
    yesterday: str
    given: dict[str, Given]
    source: str
    reactions: tuple[Reaction, ...] = ()

    @property
    def character(self) -> Character:
        """A new character, asleep in the agent's room."""
        return Character(self.name, self.room_id, self.description, is_agent=True, reactions=self.reactions)

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
    known = (*OWN_KEYS, *setting_names(AgentSettings), *setting_names(MemorySettings))
    for key, given in note.given.items():
        meant = "" if current_name(key) in known else misspelt(key, known)
        if meant:
            raise NoteError(f"{note.source}:{given.line}: unknown setting {key!r}; did you mean {meant!r}?")
    yesterday = vault.read("agents", name, "yesterday.md").body if vault.exists("agents", name, "yesterday.md") else ""
    return AgentNote(
        name,
        link_target(note.properties.get("room")),
        str(note.properties.get("description") or ""),
        without_reactions(note.body).strip("\n"),
        yesterday.strip("\n"),
        note.given,
        note.source,
        life_in(note).reactions,
    )


def _with_own(note: AgentNote, general: S) -> S:
    names = setting_names(type(general))
    try:
        return override(
            general, {key: given for key, given in note.given.items() if current_name(key) in names}, note.source
        )
    except SettingsError as error:
        raise NoteError(str(error)) from error
