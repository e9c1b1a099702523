"""The machine: the packages, the clock, and what the system allows one process."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError
from pathlib import Path

from server.check.result import Result, ok, problem, warning

RESERVED_FILES = 128
INOTIFY = Path("/proc/sys/fs/inotify/max_user_watches")
EARLIEST = datetime(2026, 1, 1, tzinfo=UTC)
_REQUIREMENT = re.compile(r"([\w.-]+)(?:\[[^]]*\])?\s*(?:(>=|==)\s*([\w.]+))?(?:.*extra == ['\"](\w+)['\"])?")


def packages(requirements: Iterable[str], version_of: Callable[[str], str], embedded: bool) -> Result:
    """Return whether what is required is installed, as new as it has to be; what `embedded` needs only if it is so.

    `requirements` are as the metadata of packages have them, `version_of` raises PackageNotFoundError.
    """
    faults, count, extras = list[str](), 0, {None, "embedded"} if embedded else {None}
    for found in filter(None, map(_REQUIREMENT.match, requirements)):
        name, relation, wanted, extra = found.groups()
        if extra not in extras:
            continue
        count += 1
        try:
            version = version_of(name)
        except PackageNotFoundError:
            faults.append(f"{name} is not installed")
            continue
        if wanted and not _fits(version, relation, wanted):
            faults.append(f"{name} is {version}, and {wanted}{' or newer' if relation == '>=' else ''} is needed")
    if faults:
        install = "pip install -e '.[embedded]'" if embedded else "pip install -e ."
        return problem("packages", f"{'; '.join(faults)}.", f"Run, in the folder of the project: {install}")
    return ok("packages", f"All {count} packages are installed, new enough.")


def _fits(version: str, relation: str, wanted: str) -> bool:
    return version == wanted if relation == "==" else _numbers(version) >= _numbers(wanted)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def open_files(limit: int, max_connections: int) -> Result:
    """Return whether the process may open a file for each connection; `limit` is the hard one, -1 for none."""
    needed = max_connections + RESERVED_FILES
    if 0 <= limit < needed:
        return warning(
            "open files",
            f"A process may open {limit} files here, but max_connections is {max_connections}, which needs {needed}.",
            f"Raise the limit (ulimit -Hn {needed}, or LimitNOFILE={needed} in the unit of systemd), or set "
            f"max_connections in config/server.md to {max(1, limit - RESERVED_FILES)}.",
        )
    return ok("open files", f"{'Any number of' if limit < 0 else limit} files may be open; {needed} are needed.")


def watches(folders: int, limit: int | None) -> Result:
    """Return whether all folders of the vault can be watched for edits; `limit` is None where there is none."""
    if limit is not None and folders * 2 > limit:
        return warning(
            "watching",
            f"The vault has {folders} folders, and all programs of a user may watch {limit} together.",
            f"Run: sudo sysctl fs.inotify.max_user_watches={max(65536, folders * 8)}",
        )
    return ok("watching", f"The {folders} folders of the vault can be watched for edits.")


def watch_limit(path: Path = INOTIFY) -> int | None:
    """Return how many folders a user may watch, None if this system does not say."""
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None


def clock(now: datetime, newest: datetime | None) -> Result:
    """Return whether the time can be right: `newest` is when a memory was written last. Both know their zones."""
    if now < EARLIEST:
        remedy = "Set the clock: sudo timedatectl set-ntp true"
        return problem("clock", f"The clock says {now:%Y-%m-%d %H:%M %Z}, which cannot be.", remedy)
    if newest and (newest - now).total_seconds() > 60:
        return warning(
            "clock",
            f"The clock says {now:%Y-%m-%d %H:%M %Z}, but a memory was written at {newest:%Y-%m-%d %H:%M %Z}.",
            "See that the clock is right (timedatectl); until it is past that time, the days of memories are wrong.",
        )
    return ok("clock", f"It is {now:%Y-%m-%d %H:%M} in this machine's zone, {now:%Z}.")
