"""What is on disk: the vault, its journals, the accounts, backups, and room for more."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from server.accounts.database import Contents, read_accounts
from server.accounts.schema import NAME, account_of, ban_of, key
from server.check.result import Result, ok, problem, warning
from server.monitoring.health import unwritable
from vault.backup import backups_folder
from vault.errors import NoteError
from vault.findings import Finding
from vault.vault import Vault

MEGABYTE = 1024 * 1024
LEAST_BYTES = 100 * MEGABYTE
FEW_BYTES = 1024 * MEGABYTE
OLDEST_BACKUP = timedelta(days=7)
SHOWN = 3


def is_of_a_journal(finding: Finding) -> bool:
    """Return whether a finding is about what an agent remembers."""
    return finding.source.startswith("agents/") and "/journal" in finding.source


def notes(vault: Vault, findings: Sequence[Finding]) -> Result:
    """Return whether the vault can be written and its notes are valid; `findings` are those of `vault check`."""
    if why := unwritable(vault):
        remedy = f"Make room, or give the user that runs the world the folder: sudo chown -R USER {vault.root}"
        return problem("vault", f"{why}.", remedy)
    return _found("vault", vault, [one for one in findings if not is_of_a_journal(one)], f"{vault.root} is valid.")


def journals(vault: Vault, findings: Sequence[Finding]) -> Result:
    """Return whether what the agents remember is consistent."""
    return _found("journals", vault, list(filter(is_of_a_journal, findings)), "All journals are consistent.")


def _found(name: str, vault: Vault, findings: Sequence[Finding], good: str) -> Result:
    faults = [str(one) for one in findings if not one.is_remark]
    if not faults:
        return ok(name, good)
    told, more = " ".join(faults[:SHOWN]), len(faults) - SHOWN
    rest = f" And {more} more." if more > 0 else ""
    remedy = f"Mend the notes; this tells all that is wrong: fallwater vault check --vault {vault.root}"
    return problem(name, told + rest, remedy)


def accounts(folder: Path) -> Result:
    """Return whether the accounts are valid, and can be read by their owner alone."""
    path = folder / NAME
    remedy = f"Restore a copy of {path} (docs/hosting.md)."
    try:
        contents = read_accounts(folder)
    except NoteError as error:
        return problem("accounts", str(error), remedy)
    if contents is None:
        return ok("accounts", f"There is no {path} yet; it is made when the world opens first.")
    if faults := list(_row_faults(contents)):
        more = f" And {len(faults) - SHOWN} more." if len(faults) > SHOWN else ""
        remedy = f"Correct the rows with the sqlite3 program, or restore a copy of {path} (docs/hosting.md)."
        return problem("accounts", f"{path}: {' '.join(faults[:SHOWN])}{more}", remedy)
    files = [one for one in sorted(folder.glob(f"{NAME}*")) if _others_can_read(one)]
    if _others_can_read(folder) or files:
        modes = [f"chmod 600 '{one}'" for one in files] + [f"chmod 700 '{folder}'"] * _others_can_read(folder)
        return problem(
            "accounts", f"{[*files, folder][0]} can be read by others on this machine.", f"Run: {' && '.join(modes)}"
        )
    if not any(row[1] == "admin" and row[2] for row in contents.accounts.values()):
        return warning("accounts", f"{path} has no admin.", "Run: fallwater reset-password NAME --role admin")
    return ok("accounts", f"{path} is valid and can be read by its owner alone; accounts: {len(contents.accounts)}.")


def _row_faults(contents: Contents) -> Iterator[str]:
    """Yield what is wrong with rows, in a sentence each."""
    for account_key, row in contents.accounts.items():
        try:
            if key(account_of(row).name) != account_key:
                yield f"the account {row[0]!r} has the key {account_key!r}; expected {key(row[0])!r}."
        except NoteError as error:
            yield str(error)
    for row in contents.bans.values():
        try:
            ban_of(row)
        except NoteError as error:
            yield str(error)


def _others_can_read(path: Path) -> bool:
    return bool(stat.S_IMODE(path.stat().st_mode) & 0o077)


def room(folder: Path, free_bytes: int, free_files: int | None) -> Result:
    """Return whether there is room on the disk of a folder; `free_files` is None where there is no such limit."""
    megabytes = free_bytes // MEGABYTE
    remedy = "Make room; docs/hosting.md says what grows, and what may be deleted."
    if free_bytes < LEAST_BYTES:
        return problem("disk", f"The disk of {folder} has {megabytes} MB left.", remedy)
    if free_files is not None and free_files < 1000:
        return problem("disk", f"The disk of {folder} has room for {free_files} more files.", remedy)
    if free_bytes < FEW_BYTES:
        return warning("disk", f"The disk of {folder} has {megabytes} MB left.", remedy)
    return ok("disk", f"The disk of {folder} has {megabytes} MB left.")


def backups(vault: Vault, now: datetime) -> Result:
    """Return whether there is a backup that is not too old. `now` knows its zone."""
    folder = backups_folder(vault)
    remedy = "Type @backup in the world, as an admin, or have it done daily (docs/hosting.md)."
    archives = list(folder.glob("*.tar.gz")) if folder.is_dir() else []
    if not archives:
        return warning("backups", f"There is no backup in {folder}.", remedy)
    newest = max(path.stat().st_mtime for path in archives)
    age = now - datetime.fromtimestamp(newest, now.tzinfo)
    if age > OLDEST_BACKUP:
        return warning("backups", f"The newest backup in {folder} is {age.days} days old.", remedy)
    return ok("backups", f"The newest backup in {folder} is {max(0, age.days)} days old.")
