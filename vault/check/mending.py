"""Putting right what can be put right without losing anything; what a file was before is kept in the trash."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from vault.check.finding import Finding
from vault.folder import Vault
from vault.notes import NoteError

TRASH = ".trash"
MOST_ROUNDS = 5


def mend_vault(vault: Vault, check: Callable[[], list[Finding]]) -> list[str]:
    """Mend whatever `check` finds that is safe to mend; return a sentence for each thing that was done.

    It is checked again until nothing is left to mend, for one thing may hide another.
    Raises: NoteError if a file cannot be written or moved.
    """
    done: list[str] = []
    for _ in range(MOST_ROUNDS):
        mendable = [finding for finding in check() if finding.mend]
        if not mendable:
            break
        kept: set[str] = set()
        for finding in mendable:
            try:
                done += _mended(vault, finding, kept)
            except OSError as error:
                raise NoteError(f"{finding.source}: cannot be mended: {error.strerror}.") from error
    vault.sync()
    return done


def _mended(vault: Vault, finding: Finding, kept: set[str]) -> list[str]:
    mend, path = finding.mend, vault.path(finding.source)
    if mend is None or not os.path.lexists(path):  # it was renamed just now, and comes up again in the next round
        return []
    if mend.new_name:
        target = path.with_name(mend.new_name)
        if target.exists() and not target.samefile(path):
            return []
        path.rename(target)
        return [f"{finding.source}: {mend.did} to {mend.new_name}, with its accents in one piece."]
    if mend.change is None:
        where = _trash(vault, finding.source)
        vault.disk.replace(path, where)
        vault.force_soon(path)
        vault.force_soon(where)
        return [f"{finding.source}: {mend.did} as {vault.source(where)}."]
    before = path.read_bytes()
    after = mend.change(before)
    if after == before:
        return []
    remark = "" if finding.source in kept else f"; what it was is in {_keep(vault, finding.source, before)}"
    kept.add(finding.source)
    path = vault.file(finding.source)
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    vault.disk.begin_draft(draft, path)
    vault.disk.write_draft(draft, after, durable=True)
    vault.disk.replace(draft, path)
    vault.force_soon(path)
    return [f"{finding.source}: {mend.did}{remark}."]


def _keep(vault: Vault, source: str, raw: bytes) -> str:
    where = _trash(vault, source)
    vault.disk.write_draft(where, raw, durable=True)
    return vault.source(where)


def _trash(vault: Vault, source: str) -> Path:
    """Return a free place in the trash for a file, under its own path there."""
    where, part = vault.path(TRASH, source), 1
    where.parent.mkdir(parents=True, exist_ok=True)
    free = where
    while os.path.lexists(free):
        part += 1
        free = where.with_name(f"{where.stem} {part}{where.suffix}")
    return free
