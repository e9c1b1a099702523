"""What is on disk: the vault, its journals, the accounts, backups, and room for more."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

from server.door.accounts_file import AccountsFile
from server.operations.doctor.result import Result, ok, problem, warning
from server.operations.health import unwritable
from vault.backup import backups_folder
from vault.check.finding import Finding
from vault.folder import Vault
from vault.notes import NoteError

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
    """Return whether the file of the accounts is valid, and nobody else's business."""
    path = folder / "accounts.json"
    if not path.exists():
        return ok("accounts", f"There is no {path} yet; it is made when the world opens first.")
    try:
        records = AccountsFile(folder).records
    except NoteError as error:
        return problem("accounts", str(error), f"Restore {path} from a copy; nobody can come in until it is valid.")
    if open_to_others := [one for one in (path, folder) if stat.S_IMODE(one.stat().st_mode) & 0o077]:
        modes = " && ".join(f"chmod {'600' if one == path else '700'} '{one}'" for one in open_to_others)
        return problem("accounts", f"{open_to_others[0]} can be read by others on this machine.", f"Run: {modes}")
    if not any(account.role == "admin" for account in records.accounts.values()):
        remedy = "Run: fallwater reset-password NAME --role admin"
        return warning("accounts", f"{path} has no admin.", remedy)
    return ok("accounts", f"{path} is valid and nobody else's; accounts: {len(records.accounts)}.")


def room(folder: Path, free_bytes: int, free_files: int | None) -> Result:
    """Return whether there is room on the disk of a folder; `free_files` is None where there is no such limit."""
    megabytes = free_bytes // MEGABYTE
    remedy = "Make room; docs/operations.md says what grows, and what may be deleted."
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
    remedy = "Type @backup in the world, as an admin, or have it done daily (docs/operations.md)."
    archives = list(folder.glob("*.tar.gz")) if folder.is_dir() else []
    if not archives:
        return warning("backups", f"There is no backup in {folder}.", remedy)
    newest = max(path.stat().st_mtime for path in archives)
    age = now - datetime.fromtimestamp(newest, now.tzinfo)
    if age > OLDEST_BACKUP:
        return warning("backups", f"The newest backup in {folder} is {age.days} days old.", remedy)
    return ok("backups", f"The newest backup in {folder} is {max(0, age.days)} days old.")
