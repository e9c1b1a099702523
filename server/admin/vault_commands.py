"""The sub-commands that work on a vault without opening a world: `vault check` and `import`."""

from __future__ import annotations

import argparse
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from server.admin.vault_check import check_and_tell
from vault.folder import MARK, Vault
from vault.notes import NoteError
from vault.older.importing import import_vault

COMMANDS = ("vault", "import")


def add_vault_commands(commands: Any) -> None:
    """Declare the sub-commands; `commands` is what `add_subparsers` returned."""
    on_vault = commands.add_parser("vault", help="check a vault, and mend what is safe to mend")
    verbs = on_vault.add_subparsers(dest="verb", required=True, metavar="check")
    check = verbs.add_parser("check", help="say what is wrong in it, with file and line; ends with 1 if something is")
    check.add_argument("--vault", type=Path, metavar="DIR", help="the folder of the world (./world)")
    check.add_argument("--fix", action="store_true", help="mend what loses nothing; what was there is kept in .trash")
    check.add_argument("--json", action="store_true", help="say it for a program: an object with `findings`")
    taking = commands.add_parser("import", help="make a new vault of one of an older layout (docs/hosting.md)")
    taking.add_argument("source", type=Path, metavar="DIR", help="the older vault; nothing in it is touched")
    taking.add_argument("--vault", type=Path, metavar="NEW", help="the folder of the new world; empty or new (./world)")
    taking.add_argument(
        "--zone", metavar="ZONE", help="where its times are local to, as Europe/Berlin (this machine's)"
    )


def run_vault_command(
    options: argparse.Namespace, default_vault: Callable[[], Path], say: Callable[[str], None]
) -> int:
    """Do one of these sub-commands and return the exit code. Raises: NoteError."""
    root = options.vault or default_vault()
    if options.command == "import":
        return _import(options.source, root, options.zone, say)
    vault = Vault(root)
    if not (vault.root / MARK).is_file() and not vault.exists("rooms"):
        raise NoteError(f"{vault.root}: there is no vault here. Name it with --vault.")
    logging.disable(logging.WARNING)  # what loaders warn of is among the findings
    try:
        return check_and_tell(vault, time.time(), options.fix, options.json, say)
    finally:
        logging.disable(logging.NOTSET)


def _import(source: Path, target: Path, zone_name: str | None, say: Callable[[str], None]) -> int:
    try:
        zone = ZoneInfo(zone_name) if zone_name else None
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise NoteError(f"--zone is {zone_name!r}; expected the name of a time zone, as Europe/Berlin.") from error
    report = import_vault(source, target, zone)
    for sentence in [*report.taken, *(f"not taken as it was: {problem}" for problem in report.problems)]:
        say(sentence)
    say(f"The new vault is {target}. {source} is as it was. Next: fallwater vault check --vault {target}")
    return 0
