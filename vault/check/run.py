"""Checking a whole vault, and fixing what can be fixed without losing anything.

Every fault is told with file and line, what is wrong and what would be right. What a file was before a fix is kept in
the trash.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from config.settings import WorldSettings
from vault.check.files import check_files
from vault.check.memories import check_memories
from vault.check.world import check_settings, check_world
from vault.config_notes import settings_in
from vault.errors import NoteError
from vault.findings import Finding, Overlay, collect_errors
from vault.vault import Vault, agent_names

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
    list(collect_errors(overlay, lambda vault: settings_in(vault.read(source)) if vault.exists(source) else None))
    try:
        given = settings_in(overlay.read(source)).get("start_room")
    except NoteError:
        return default
    return str(given.value) if given and given.value is not None else default


TRASH = ".trash"
MAX_ROUNDS = 5


def fix_vault(vault: Vault, check: Callable[[], list[Finding]]) -> list[str]:
    """Mend whatever `check` finds that is safe to mend; return a sentence for each thing that was done.

    It is checked again until nothing is left to mend, for one thing may hide another.
    Raises: NoteError if a file cannot be written or moved.
    """
    done: list[str] = []
    for _ in range(MAX_ROUNDS):
        mendable = [finding for finding in check() if finding.fix]
        if not mendable:
            break
        kept: set[str] = set()
        for finding in mendable:
            try:
                done += _fix(vault, finding, kept)
            except OSError as error:
                raise NoteError(f"{finding.source}: cannot be mended: {error.strerror}.") from error
    vault.sync()
    return done


def _fix(vault: Vault, finding: Finding, kept: set[str]) -> list[str]:
    mend, path = finding.fix, vault.path(finding.source)
    if mend is None or not os.path.lexists(path):  # it was renamed just now, and comes up again in the next round
        return []
    if mend.new_name:
        target = path.with_name(mend.new_name)
        if target.exists() and not target.samefile(path):
            return []
        path.rename(target)
        return [f"{finding.source}: {mend.did} to {mend.new_name}, with its accents in one piece."]
    if mend.change is None:
        where = _free_trash_path(vault, finding.source)
        vault.disk.replace(path, where)
        vault.force_soon(path)
        vault.force_soon(where)
        return [f"{finding.source}: {mend.did} as {vault.source(where)}."]
    before = path.read_bytes()
    after = mend.change(before)
    if after == before:
        return []
    remark = "" if finding.source in kept else f"; what it was is in {_back_up(vault, finding.source, before)}"
    kept.add(finding.source)
    path = vault.file(finding.source)
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    vault.disk.begin_draft(draft, path)
    vault.disk.write_draft(draft, after, durable=True)
    vault.disk.replace(draft, path)
    vault.force_soon(path)
    return [f"{finding.source}: {mend.did}{remark}."]


def _back_up(vault: Vault, source: str, raw: bytes) -> str:
    where = _free_trash_path(vault, source)
    vault.disk.write_draft(where, raw, durable=True)
    return vault.source(where)


def _free_trash_path(vault: Vault, source: str) -> Path:
    """Return a free place in the trash for a file, under its own path there."""
    where, part = vault.path(TRASH, source), 1
    where.parent.mkdir(parents=True, exist_ok=True)
    free = where
    while os.path.lexists(free):
        part += 1
        free = where.with_name(f"{where.stem} {part}{where.suffix}")
    return free
