"""The frame of a bench: its arguments, its clocks, and its tables as Markdown and as JSON in bench/results/."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import re
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

RESULTS = Path(__file__).parents[1] / "results"
RECORD = "--record"


def argument_parser(doc: str | None, records: bool = True) -> argparse.ArgumentParser:
    """Return a parser whose help is the docstring of a bench; with `--record` if it `records`."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    if records:
        parser.add_argument(RECORD, action="store_true", help="keep the tables in bench/results/")
    return parser


@dataclass(frozen=True)
class Table:
    """Rows of figures under their heads, and what they are figures of."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""

    def __str__(self) -> str:
        """Return it as Markdown."""
        lines = [self.heads, ["---"] * len(self.heads), *self.rows]
        shown = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return f"{self.title}\n\n{shown}" if self.title else shown


@dataclass(frozen=True)
class Timing:
    """The time that some work took: by the clock, and of this process on a processor."""

    seconds: float
    cpu_seconds: float


def time_call(call: Callable[[], object]) -> Timing:
    """Do some work and return how long it took."""
    began, cpu = time.perf_counter(), time.process_time()
    call()
    return Timing(time.perf_counter() - began, time.process_time() - cpu)


def percent(share: float, digits: int = 0) -> str:
    """Return a share from 0 to 1 as a cell of a table; a dash if it is NaN."""
    return "–" if share != share else f"{share:.{digits}%}"


def percentile(values: Iterable[float], share: float) -> float:
    """Return the value that this share of all do not pass; NaN if there are none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float("nan")


def machine() -> str:
    """Return the machine of a measure: the number of processors, their name, and Python."""
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        found = None
    return f"{os.cpu_count()} × {found[1] if found else 'unknown processor'}, Python {platform.python_version()}"


def publish(bench: str, tables: Iterable[Table], is_recorded: bool, *, hidden: str = "") -> None:
    """Print each table as soon as it is there, and record them all if that is wanted; `hidden` as in `record`."""
    found = []
    for table in tables:
        print(f"\n{table}", flush=True)
        found.append(table)
    if is_recorded:
        print(f"\nWritten to {record(bench, found, hidden=hidden)}.", file=sys.stderr)


def record(bench: str, tables: Sequence[Table], *, hidden: str = "", results: Path = RESULTS) -> Path:
    """Add the measures to the JSON file of a bench and this day, with the command; return the file.

    `hidden` is a path of this machine in the command, which is left out.
    """
    day = str(datetime.datetime.now(datetime.UTC).date())
    command = shlex.join(["python", "-m", f"bench.{bench}", *(one for one in sys.argv[1:] if one != RECORD)])
    entry = {
        "command": command.replace(hidden, "DIR") if hidden else command,
        "date": day,
        "machine": machine(),
        "tables": [_as_json(table) for table in tables],
    }
    file = results / f"{bench}-{day}.json"
    entries = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    results.mkdir(exist_ok=True)
    file.write_text(json.dumps([*entries, entry], ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return file


def _as_json(table: Table) -> dict[str, object]:
    rows = [dict(zip(table.heads, row, strict=True)) for row in table.rows]
    return {"title": table.title, "rows": rows} if table.title else {"rows": rows}
