"""Which settings count at once when somebody edits them, and which only from the next start."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from config.settings import KINDS
from server.admin.config_commands import AT_ONCE
from vault.config_notes import Settings

_PARTS = {
    "server": "server",
    "world": "world",
    "agents": "agents",
    "models": "models",
    "memory_compaction": "memory",
    "colors": "colors",
}
"""The parts of `Settings` by the names of their notes."""

_OPERATIONS = {
    "log_format",
    "log_level",
    "log_file",
    "log_megabytes",
    "log_files_kept",
    "metrics_port",
    "metrics_host",
}
NEEDS_RESTART = {
    "server": frozenset(
        {"host", "port", "admin_name", "tls_port", "tls_host", "tls_certificate", "tls_key"} | _OPERATIONS
    ),
    "models": frozenset(field.name for field in fields(KINDS["models"])) - AT_ONCE,
    "memory_compaction": frozenset({"journal_fsync_ms", "max_compactions"}),
}
"""What is settled when the world is opened, maybe by the command line, by note."""


def merge_settings(in_force: Settings, before: Settings, now: Settings) -> tuple[Settings, list[str]]:
    """Return the settings to go on with, and a sentence for each that was edited and counts only from the next start.

    `before` and `now` are what the notes said and say.
    """
    told: list[str] = []
    parts: dict[str, Any] = {}
    for note, part in _PARTS.items():
        mine, old, new = (getattr(one, part) for one in (in_force, before, now))
        later = NEEDS_RESTART.get(note, frozenset())
        parts[part] = replace(new, **{name: getattr(mine, name) for name in later})
        told += [f"config/{note}.md: {name} counts from the next start." for name in _edited(old, new) if name in later]
    return Settings(**parts, profiles=now.profiles, is_model_chosen=in_force.is_model_chosen), told


def notes_edited(before: Settings, now: Settings) -> list[str]:
    """Return the sources of the notes in which something else is set than before."""
    edited = {note for note, part in _PARTS.items() if getattr(before, part) != getattr(now, part)}
    edited |= {"models"} if before.profiles != now.profiles else set()
    return [f"config/{note}.md" for note in _PARTS if note in edited]


def _edited(before: Any, now: Any) -> Iterator[str]:
    return (one.name for one in fields(before) if getattr(before, one.name) != getattr(now, one.name))
