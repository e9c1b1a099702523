"""What was measured with crowds, as tables."""

from __future__ import annotations

import datetime
import platform
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from bench.crowd.crowd import Answered
from bench.lib.reporting import RESULTS

HEADING = "## Crowds"


@dataclass(frozen=True)
class Load:
    """One measure, which took so many seconds with all its waiting. The shares of a core are of all the server's
    processes and of the clients'; `noise` is the share of the whole machine that everything else took meanwhile.
    """

    what: str
    answered: Answered
    seconds: float
    server_cores: float
    client_cores: float
    noise: float


@dataclass
class Measured:
    """What was measured of one server with so many people; `failure` says what ended it early.

    Memory is in KiB: of the server before anybody came, and what each connection adds at the door, idle, and busy.
    """

    server: str
    people: int
    empty_kib: int = 0
    door_kib: float = 0.0
    idle_kib: float = 0.0
    busy_kib: float = 0.0
    loads: list[Load] = field(default_factory=list)
    failure: str = ""


LOADS: dict[str, Callable[[Measured, Load], str]] = {
    "server": lambda m, load: m.server,
    "people": lambda m, load: f"{m.people:,}",
    "what": lambda m, load: load.what,
    "answers a second": lambda m, load: f"{load.answered.a_second:,.0f}",
    "p50": lambda m, load: f"{load.answered.percentile(0.5):,.1f}",
    "p95": lambda m, load: f"{load.answered.percentile(0.95):,.1f}",
    "p99": lambda m, load: f"{load.answered.percentile(0.99):,.1f} ms",
    "unanswered": lambda m, load: f"{load.answered.unanswered:,}" if load.answered.unanswered else "",
    "heard a second": lambda m, load: f"{load.answered.heard / load.answered.seconds:,.0f}",
    "CPU each": lambda m, load: f"{cpu_milliseconds(load):.3f} ms" if load.answered.latencies else "",
    "server, cores": lambda m, load: f"{load.server_cores:.2f}",
    "clients": lambda m, load: f"{load.client_cores:.2f}",
    "others": lambda m, load: f"{load.noise:.0%}",
}
MEMORY: dict[str, Callable[[Measured], str]] = {
    "server": lambda m: m.server,
    "people": lambda m: f"{m.people:,}",
    "empty": lambda m: f"{m.empty_kib / 1024:.0f} MiB",
    "each at the door": lambda m: f"{m.door_kib:.1f} KiB",
    "each idle": lambda m: f"{m.idle_kib:.1f} KiB",
    "each busy": lambda m: f"{m.busy_kib:.1f} KiB",
    "all, busy": lambda m: f"{(m.empty_kib + m.busy_kib * m.people) / 1024:.0f} MiB",
    "": lambda m: m.failure,
}


def loads_of(measured: Measured) -> list[list[str]]:
    """Return a row a load."""
    return [[cell(measured, load) for cell in LOADS.values()] for load in measured.loads]


def tables(results: Sequence[Measured]) -> str:
    """Return the Markdown of all that was measured."""
    loads = [row for measured in results for row in loads_of(measured)]
    memory = [[cell(measured) for cell in MEMORY.values()] for measured in results]
    return f"{_table(list(LOADS), loads)}\n\n{_table(list(MEMORY), memory)}"


def record(text: str) -> None:
    """Add what was measured to bench/RESULTS.md, with the command, the day and the machine."""
    today = datetime.datetime.now(datetime.UTC).date()
    command = " ".join(["python -m bench.load", *(one for one in sys.argv[1:] if one != "--record")])
    machine = f"{today}, {platform.machine()}, Python {platform.python_version()}. Latencies in milliseconds."
    old = RESULTS.read_text("utf-8")
    heading = "" if HEADING in old else f"\n{HEADING}\n"
    part = f"{heading}\n### `{command}`\n\n{machine}\n\n{text}\n"
    before, found, after = old.partition(f"{HEADING}\n")
    if not found:
        RESULTS.write_text(f"{old.rstrip()}\n{part}", "utf-8")
        return
    own, next_heading, rest = after.partition("\n## ")
    RESULTS.write_text(f"{before}{found}{own.rstrip()}\n{part}{next_heading}{rest}", "utf-8")


def cpu_milliseconds(load: Load) -> float:
    """Return what an answer has cost of the server's cores, in milliseconds. There must be one."""
    return load.server_cores * load.seconds / len(load.answered.latencies) * 1000


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
