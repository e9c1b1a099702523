"""What processes use, as Linux tells it, and how many files they may open."""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Sequence
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def resident_kib(pids: Sequence[int]) -> int:
    """Return the resident memory of some processes, in KiB."""
    texts = [Path(f"/proc/{pid}/status").read_text("utf-8") for pid in pids]
    return sum(int(re.findall(r"VmRSS:\s+(\d+)", text)[0]) for text in texts)


def cpu_seconds(pids: Sequence[int]) -> float:
    """Return the processor time that some processes have used, in seconds."""
    fields = [Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split() for pid in pids]
    return sum(int(one[11]) + int(one[12]) for one in fields) / _TICKS


def own_cpu_seconds() -> float:
    """Return the processor time that this process has used, in seconds."""
    return sum(os.times()[:2])


def busy_seconds() -> float:
    """Return the processor time that everything on this machine has used, in seconds."""
    with open("/proc/stat", encoding="utf-8") as file:
        user, nice, system, _, _, *rest = (int(field) for field in file.readline().split()[1:9])
    return (user + nice + system + sum(rest)) / _TICKS


def open_files(wanted: int) -> int:
    """Let this process, and those that it starts, open so many files; return how many it may open now."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return max(soft, most)
