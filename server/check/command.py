"""The sub-command `doctor`."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Callable
from datetime import datetime
from typing import Any

from server.accounts.database import default_folder
from server.check.checks import examine, tell
from server.options import add_accounts_option, add_vault_option, vault_root


def add_doctor_command(commands: Any) -> None:
    """Declare it; `commands` is what `add_subparsers` returned."""
    doctor = commands.add_parser("doctor", help="look at the machine and the vault, and say what to do; 1 if need be")
    add_vault_option(doctor)
    add_accounts_option(doctor)
    doctor.add_argument("--json", action="store_true", help="say it for a program: an object with `checks`")


def run_doctor(options: argparse.Namespace, say: Callable[[str], None]) -> int:
    """Look, say what was found, and return the exit code."""
    root = vault_root(options).resolve()
    folder = (options.accounts or default_folder(root)).absolute()
    logging.disable(logging.WARNING)  # what loaders warn of is among the findings
    try:
        return tell(examine(root, folder, datetime.now().astimezone()), options.json, say)
    finally:
        logging.disable(logging.NOTSET)
