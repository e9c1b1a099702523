"""The sub-commands on a vault: `vault check`, as lines or JSON, with fixes; and `import`."""

from __future__ import annotations

import argparse
import json
import logging
import random
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from twisted.internet.task import Clock

from agents.checking import check_minds
from agents.memory.strategy import loaded_strategies
from server.accounts.database import AccountDatabase
from server.accounts.store import AccountStore
from server.app import Fallwater
from server.clock import Runtime
from server.options import add_vault_option, existing_vault, vault_root
from vault.check import check_vault, fix_vault
from vault.errors import NoteError
from vault.findings import Finding, Overlay, collect_errors
from vault.legacy_import.run import import_vault
from vault.message_notes import load_command_texts
from vault.vault import Vault, open_vault
from world.command import CommandTable


def check_and_report(vault: Vault, now: float, fix: bool, as_json: bool, echo: Callable[[str], None]) -> int:
    """Check a vault and say what was found; return the exit code: 0 if there is no fault, whatever the remarks.

    `now` is in seconds since 1970. With `fix`, what is safe to mend is mended first. Raises: NoteError if that fails.
    """

    table = every_command()

    def check() -> list[Finding]:
        return find_faults(vault, now, table)

    done = fix_vault(vault, check) if fix else []
    found = check()
    faults = [finding for finding in found if not finding.is_remark]
    if as_json:
        echo(
            json.dumps({"mended": done, "findings": [_row(finding) for finding in found]}, ensure_ascii=False, indent=2)
        )
    else:
        for sentence in [*(f"mended: {one}" for one in done), *map(str, found)]:
            echo(sentence)
        echo(_total(vault, faults, found, fix))
    return 1 if faults else 0


def find_faults(vault: Vault, now: float, table: CommandTable | None = None) -> list[Finding]:
    """Return all that is wrong with a vault; `table` has the commands that a server has, if they are known already."""
    commands = table or every_command()
    return check_vault(vault, now, (check_minds, lambda vault: _command_texts(vault, commands)))


def every_command() -> CommandTable:
    """Return the commands of a server, from a world that is built for this alone and removed again."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        vault, _ = open_vault(root / "world")
        accounts, said = AccountStore(AccountDatabase(root, in_memory=True)), list[str]()
        runtime = Runtime(Clock(), random.Random(0), lambda: 0, said.append, lambda call: None)
        made = Fallwater(vault, loaded_strategies().load_settings(vault), runtime, accounts)
        made.agents.close()
        accounts.close()
        return made.game.commands


def _command_texts(vault: Vault, table: CommandTable) -> Iterable[Finding]:
    return collect_errors(Overlay(vault), lambda vault: load_command_texts(vault, table))


def _row(finding: Finding) -> dict[str, object]:
    return {
        "file": finding.source,
        "line": finding.line,
        "kind": "remark" if finding.is_remark else "fault",
        "text": finding.text,
        "fixable": finding.fix is not None,
    }


def _total(vault: Vault, faults: list[Finding], found: list[Finding], fixed: bool) -> str:
    remarks = count_with_noun(len(found) - len(faults), "remark")
    counts = f"{count_with_noun(len(faults), 'fault')} and {remarks} in {vault.root}."
    mendable = sum(finding.fix is not None for finding in found)
    return counts if fixed or not mendable else f"{counts} --fix can mend {mendable} of them."


def count_with_noun(count: int, what: str) -> str:
    """Return a count with its noun: `no faults`, `1 fault`, `2 faults`."""
    return f"{count or 'no'} {what}{'s' * (count != 1)}"


def add_vault_commands(commands: Any) -> None:
    """Declare the sub-commands; `commands` is what `add_subparsers` returned."""
    on_vault = commands.add_parser("vault", help="check a vault, and mend what is safe to mend")
    verbs = on_vault.add_subparsers(dest="verb", required=True, metavar="check")
    check = verbs.add_parser("check", help="list what is wrong, with file and line; exits with 1 if anything is")
    add_vault_option(check)
    check.add_argument("--fix", action="store_true", help="repair what loses nothing; the originals are kept in .trash")
    check.add_argument("--json", action="store_true", help="print JSON: an object with `findings`")
    taking = commands.add_parser("import", help="make a new vault of one of an older layout (docs/hosting.md)")
    taking.add_argument("source", type=Path, metavar="DIR", help="the older vault; nothing in it is touched")
    add_vault_option(taking, "the folder of the new world; empty or new (./world)")
    taking.add_argument(
        "--zone", metavar="ZONE", help="where its times are local to, as Europe/Berlin (this machine's)"
    )


def run_vault_check(options: argparse.Namespace, echo: Callable[[str], None]) -> int:
    """Do `vault check` and return the exit code. Raises: NoteError."""
    vault = existing_vault(options)
    logging.disable(logging.WARNING)  # what loaders warn of is among the findings
    try:
        return check_and_report(vault, time.time(), options.fix, options.json, echo)
    finally:
        logging.disable(logging.NOTSET)


def run_import(options: argparse.Namespace, echo: Callable[[str], None]) -> int:
    """Do `import` and return the exit code. Raises: NoteError."""
    source, target, zone_name = options.source, vault_root(options), options.zone
    try:
        zone = ZoneInfo(zone_name) if zone_name else None
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise NoteError(f"--zone is {zone_name!r}; expected the name of a time zone, as Europe/Berlin.") from error
    report = import_vault(source, target, zone)
    for sentence in [*report.taken, *(f"not taken as it was: {problem}" for problem in report.problems)]:
        echo(sentence)
    echo(f"The new vault is {target}. {source} is as it was. Next: fallwater vault check --vault {target}")
    return 0
