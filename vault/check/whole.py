"""Checking a whole vault: every fault in it, with file and line, what is wrong and what would be right."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from config.settings import WorldSettings
from vault.agent_notes import agent_names
from vault.check.files import check_files
from vault.check.finding import Finding, Overlay, every_fault
from vault.check.journals import check_memories
from vault.check.places import check_world
from vault.check.settings import check_settings
from vault.config_notes import settings_in
from vault.folder import Vault
from vault.notes import NoteError

Check = Callable[[Vault], Iterable[Finding]]


def check_vault(vault: Vault, now: float, more: Iterable[Check] = ()) -> list[Finding]:
    """Return all that is wrong with a vault, by file and line; nothing in it is changed.

    `now` is in seconds since 1970. `more` are checks of what only other packages know.
    """
    checks: list[Check] = [
        lambda vault: check_files(vault, now),
        check_settings,
        lambda vault: check_world(vault, _start_room(vault)),
        *(lambda vault, name=name: check_memories(vault, name) for name in vault.folders("agents")),
        _without_note,
        *more,
    ]
    found = {(one.source, one.line, one.text): one for check in checks for one in check(vault)}
    unreadable = {one.source for one in found.values() if one.text.startswith("not UTF-8")}
    # A file that is no text is told of once, with its line, and not by every loader that meets it.
    return sorted(one for one in found.values() if one.line or one.source not in unreadable)


def _without_note(vault: Vault) -> Iterable[Finding]:
    for name in sorted(set(vault.folders("agents")) - set(agent_names(vault))):
        yield Finding(f"agents/{name}", 0, "there is no agent.md in this folder, so nobody lives here.", True)


def _start_room(vault: Vault) -> str:
    source, overlay = "config/world.md", Overlay(vault)
    default = WorldSettings().start_room
    if not vault.exists(source):
        return default
    list(every_fault(overlay, lambda vault: settings_in(vault.read(source)) if vault.exists(source) else None))
    try:
        given = settings_in(overlay.read(source)).get("start_room")
    except NoteError:
        return default
    return str(given.value) if given and given.value is not None else default
