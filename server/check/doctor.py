"""The sub-command `doctor`: looks at the machine and the vault, and says what is wrong and what to do about it."""

from __future__ import annotations

import argparse
import json
import logging
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from agents.memory.strategy import loaded_strategies
from server.accounts.database import default_folder
from server.check.checks import (
    Probe,
    Result,
    accounts,
    backups,
    certificate,
    clock,
    disk_space,
    exposure,
    journals,
    notes,
    page,
    problem,
    watch_limit,
    watches,
)
from server.check.models import Try, find_refusal, models, try_model
from server.check.ports import probe_page
from server.check.vault import find_faults
from server.options import add_accounts_option, add_vault_option, vault_root
from vault.errors import NoteError
from vault.vault import MARK, Vault


def examine(
    root: Path,
    accounts_folder: Path,
    now: datetime,
    try_one: Try = try_model,
    find_refusal: Try = find_refusal,
    probe: Probe = probe_page,
) -> list[Result]:
    """Return how everything is that the world in a folder needs. `now` knows its zone. Changes nothing."""
    vault = Vault(root)
    if not (vault.root / MARK).is_file() and not vault.exists("rooms"):
        remedy = "Name the folder of the world with --vault, or have one made: fallwater serve --vault DIR"
        return [problem("vault", f"There is no vault in {vault.root}.", remedy)]
    try:
        settings = loaded_strategies().load_settings(vault)
    except NoteError as error:
        remedy = "Mend that setting: no world opens with it."
        return [problem("settings", str(error), remedy), *_on_disk(vault, accounts_folder, now)]
    return [
        clock(now, _newest_memory(vault, now)),
        watches(sum(1 for _ in os.walk(vault.root)), watch_limit()),
        *_on_disk(vault, accounts_folder, now),
        exposure(settings.server),
        page(settings.server, settings.world.name, probe),
        certificate(settings.server, accounts_folder, now),
        *models(settings, try_one, find_refusal=find_refusal),
    ]


def report(results: Sequence[Result], as_json: bool, echo: Callable[[str], None]) -> int:
    """Say what was found; return the exit code: 1 if there is a problem, 0 whatever the warnings."""
    problems, warnings = (sum(one.state == state for one in results) for state in ("problem", "warning"))
    if as_json:
        rows = [asdict(one) for one in results]
        echo(json.dumps({"checks": rows, "problems": problems, "warnings": warnings}, ensure_ascii=False, indent=2))
    else:
        for sentence in _sentences(results):
            echo(sentence)
        echo(f"{_counted(problems, 'problem')} and {_counted(warnings, 'warning')}.")
    return 1 if problems else 0


def _on_disk(vault: Vault, accounts_folder: Path, now: datetime) -> Iterator[Result]:
    found = find_faults(vault, now.timestamp())
    yield notes(vault, found)
    yield journals(vault, found)
    yield accounts(accounts_folder)
    disk = os.statvfs(vault.root)
    yield disk_space(vault.root, shutil.disk_usage(vault.root).free, disk.f_favail if disk.f_files else None)
    yield backups(vault, now)


def _newest_memory(vault: Vault, now: datetime) -> datetime | None:
    times = [path.stat().st_mtime for path in vault.root.glob("agents/*/journal/*.md")]
    return datetime.fromtimestamp(max(times), now.tzinfo) if times else None


def _sentences(results: Sequence[Result]) -> Iterator[str]:
    for one in results:
        yield f"{one.state:8} {one.name}: {one.what}"
        if one.remedy:
            yield f"{'':8} -> {one.remedy}"


def _counted(count: int, what: str) -> str:
    return f"{count or 'no'} {what}{'s' * (count != 1)}"


def add_doctor_command(commands: Any) -> None:
    """Declare it; `commands` is what `add_subparsers` returned."""
    doctor = commands.add_parser(
        "doctor", help="check the machine and the vault, and say what to do; exits with 1 on a problem"
    )
    add_vault_option(doctor)
    add_accounts_option(doctor)
    doctor.add_argument("--json", action="store_true", help="print JSON: an object with `checks`")


def run_doctor(options: argparse.Namespace, echo: Callable[[str], None]) -> int:
    """Look, say what was found, and return the exit code."""
    root = vault_root(options).resolve()
    folder = (options.accounts or default_folder(root)).absolute()
    logging.disable(logging.WARNING)  # what loaders warn of is among the findings
    try:
        return report(examine(root, folder, datetime.now().astimezone()), options.json, echo)
    finally:
        logging.disable(logging.NOTSET)
