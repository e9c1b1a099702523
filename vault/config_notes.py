"""The notes in `config/` as settings, and the texts and templates beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from config.settings import (
    KINDS,
    AgentSettings,
    MemorySettings,
    ModelSettings,
    ServerSettings,
    SettingsError,
    WorldSettings,
    settings_from,
)
from vault.folder import Vault
from vault.notes import NoteError

S = TypeVar("S")


@dataclass(frozen=True)
class Settings:
    """All settings of a world, one member a note in `config/`."""

    server: ServerSettings
    world: WorldSettings
    agents: AgentSettings
    models: ModelSettings
    memory: MemorySettings


def load_settings(vault: Vault) -> Settings:
    """Return what stands in `config/`; a note that is missing leaves the defaults.

    Raises: NoteError naming file, line, value and what is expected.
    """
    for name in vault.names("config"):
        if name not in KINDS:
            raise NoteError(f"config/{name}.md: there are no such settings; the notes are {', '.join(KINDS)}.")
    return Settings(
        _kind(vault, "server", ServerSettings),
        _kind(vault, "world", WorldSettings),
        _kind(vault, "agents", AgentSettings),
        _kind(vault, "models", ModelSettings),
        _kind(vault, "memory_compaction", MemorySettings),
    )


def load_text(vault: Vault, name: str) -> str:
    """Return a note in `text/` without its properties, or an empty string if there is none. Raises: NoteError."""
    return vault.read("text", f"{name}.md").body.strip("\n") if vault.exists("text", f"{name}.md") else ""


def _kind(vault: Vault, name: str, kind: type[S]) -> S:
    source = f"config/{name}.md"
    if not vault.exists("config", f"{name}.md"):
        return kind()
    try:
        return settings_from(kind, vault.read("config", f"{name}.md").settings(), source)
    except SettingsError as error:
        raise NoteError(str(error)) from error
