"""All looks in their order, and what is told of them."""

from __future__ import annotations

import json
import os
import resource
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from agents.memory.strategy import loaded_strategies
from server.check.machine import clock, open_files, packages, watch_limit, watches
from server.check.models import Try, models, try_model
from server.check.network import certificate, exposure, port_of_pages, port_of_world
from server.check.result import Result, problem
from server.check.storage import accounts, backups, journals, notes, room
from server.check.vault import found_in
from vault.config_notes import Settings
from vault.errors import NoteError
from vault.vault import MARK, Vault

PROJECT = "fallwater"


def examine(root: Path, accounts_folder: Path, now: datetime, try_one: Try = try_model) -> list[Result]:
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
        packages(_requirements(), version, _wants_embedded(settings)),
        clock(now, _newest_memory(vault, now)),
        open_files(resource.getrlimit(resource.RLIMIT_NOFILE)[1], settings.server.max_connections),
        watches(sum(1 for _ in os.walk(vault.root)), watch_limit()),
        *_on_disk(vault, accounts_folder, now),
        port_of_world(settings.server.host, settings.server.port, settings.world.name),
        port_of_pages(settings.server.metrics_host, settings.server.metrics_port),
        exposure(settings.server),
        certificate(settings.server, accounts_folder, now),
        *models(settings, try_one),
    ]


def tell(results: Sequence[Result], as_json: bool, say: Callable[[str], None]) -> int:
    """Say what was found; return the exit code: 1 if there is a problem, 0 whatever the warnings."""
    problems, warnings = (sum(one.state == state for one in results) for state in ("problem", "warning"))
    if as_json:
        rows = [asdict(one) for one in results]
        say(json.dumps({"checks": rows, "problems": problems, "warnings": warnings}, ensure_ascii=False, indent=2))
    else:
        for sentence in _sentences(results):
            say(sentence)
        say(f"{_counted(problems, 'problem')} and {_counted(warnings, 'warning')}.")
    return 1 if problems else 0


def _on_disk(vault: Vault, accounts_folder: Path, now: datetime) -> Iterator[Result]:
    found = found_in(vault, now.timestamp())
    yield notes(vault, found)
    yield journals(vault, found)
    yield accounts(accounts_folder)
    disk = os.statvfs(vault.root)
    yield room(vault.root, shutil.disk_usage(vault.root).free, disk.f_favail if disk.f_files else None)
    yield backups(vault, now)


def _requirements() -> list[str]:
    with suppress(PackageNotFoundError):
        return requires(PROJECT) or []
    return []


def _wants_embedded(settings: Settings) -> bool:
    return settings.models.model == "embedded"


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
