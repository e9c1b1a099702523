"""Measure the index of the chronicle: `python -m bench.chronicle`.

A log of generated events is written, and indexed in a thread while another one ticks every few milliseconds. Then it
is asked for random hours, as the page and the exported file ask: events, top moments, everybody's place. `--record`
keeps the table in bench/results/.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bench.lib.reporting import RECORD, Table, record
from config.settings import WorldSettings
from server.chronicle.reading import Reader, Whole, index_of
from vault.chronicle.event_log import EventLog, LoggedEvent, Period, day_ms
from vault.chronicle.index import DAY_MS
from vault.chronicle.intake import HOUR_MS
from vault.message_notes import load_wording
from vault.vault import STARTER, Vault

TICK_SECONDS = 0.005
IDLE_SECONDS = 10.0
PEOPLE, ROOMS, BATCH = 60, 40, 10_000
FIRST_DAY = "2026-11-01"
WORDS = [f"{head}{tail}" for head in "br cl dr fl gr m p st t w".split() for tail in "ane ick oat ummer ilt".split()]
PROMISES = ("I will bring you the brass lamp tomorrow, I promise.", "Thank you for the brass lamp.")
PROMISE_SHARE = 0.02
KINDS = ("said",) * 10 + ("emoted",) * 3 + ("left", "arrived") * 3 + ("whispered", "gave", "took", "room_message")


HEADS = (
    "events",
    "log per event",
    "index built in",
    "wait of another thread, p99 / p99.9 / most",
    "the same with nothing to do",
    "index",
    "moments",
    "events in an hour",
    "hour p50",
    "hour p95",
    "hour p95, processor",
    "index unchanged",
)


def speech(rng: random.Random) -> str:
    """Return a sentence of a dozen words, or now and then a promise."""
    if rng.random() < PROMISE_SHARE:
        return rng.choice(PROMISES)
    return f"Have you heard of the {' '.join(rng.choices(WORDS, k=7))} yet?"


def generate_events(count: int, days: int, rng: random.Random) -> Iterator[LoggedEvent]:
    """Yield events of a lively town, evenly over the days."""
    start, step = day_ms(FIRST_DAY), days * DAY_MS / count
    for number in range(count):
        kind, who = rng.choice(KINDS), f"Person {rng.randrange(PEOPLE)}"
        to = f"Person {rng.randrange(PEOPLE)}" if kind in ("whispered", "gave") or rng.random() < 0.3 else ""
        words = speech(rng)
        yield LoggedEvent(
            start + int(number * step),
            kind,
            who,
            to,
            f"Room {rng.randrange(ROOMS)}",
            f'{who} says, "{words}"' if kind == "said" else f"{who} does something here.",
            words=words if kind == "said" else "",
            thing="brass lamp" if kind in ("gave", "took") else "",
            to_room=f"Room {rng.randrange(ROOMS)}" if kind == "left" else "",
            by="agent",
            secret=words if kind == "whispered" else "",
            reason="It is what I would do." if kind == "said" else "",
        )


@dataclass
class Waits:
    """The waits of a thread for its turns, in seconds: by the clock, and for the other thread.

    On a busy machine the clock counts what other programs do. For the other thread it waits no longer than that one
    works meanwhile, less what the system lets the waiting thread itself wait for a processor.
    """

    by_clock: list[float] = field(default_factory=list)
    for_other: list[float] = field(default_factory=list)

    def take(self, seconds: float, worked: float, queued: float) -> None:
        """Take in one turn of `TICK_SECONDS`, in which the other thread worked and this one waited for a processor."""
        self.by_clock.append(seconds - TICK_SECONDS)
        self.for_other.append(max(0.0, min(seconds - TICK_SECONDS, worked) - queued))

    def __str__(self) -> str:
        parts = [sorted(self.by_clock), sorted(self.for_other)]
        told = [" / ".join(f"{1000 * share(part, at):.0f}" for at in (0.99, 0.999, 1.0)) for part in parts]
        return f"{told[0]} ms; {told[1]} ms for the index"


def in_thread(work: Callable[[], object], waits: Waits) -> float:
    """Return how long work took in a thread, and take in how long another one waited for its turns meanwhile."""
    thread = threading.Thread(target=work)
    began = time.perf_counter()
    thread.start()
    while thread.is_alive():
        before, worked, queued = time.perf_counter(), time.process_time(), queued_seconds()
        time.sleep(TICK_SECONDS)
        ended = time.perf_counter()
        waits.take(ended - before, time.process_time() - worked, queued_seconds() - queued)
    return time.perf_counter() - began


def queued_seconds() -> float:
    """Return how long this thread has waited for a processor so far; 0 where the system does not tell (not Linux)."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text("ascii").split()[1]) / 1e9
    except OSError:
        return 0.0


def share(sorted_seconds: list[float], part: float) -> float:
    """Return the time that a part of all took no longer than."""
    return sorted_seconds[round(part * (len(sorted_seconds) - 1))]


def time_readings(reader: Reader, days: int, count: int, rng: random.Random) -> tuple[list[float], list[float], int]:
    """Return how long each hour took by the clock and of the processor, in seconds, and how many events one had."""
    seconds, worked, events = list[float](), list[float](), 0
    for _ in range(count):
        start_ms = day_ms(FIRST_DAY) + rng.randrange(days * 24) * HOUR_MS
        began, began_to_work = time.perf_counter(), time.process_time()
        reading = reader.read(Period("hour", start_ms, start_ms + HOUR_MS), Whole())
        seconds.append(time.perf_counter() - began)
        worked.append(time.process_time() - began_to_work)
        events = len(reading.events)
    return sorted(seconds), sorted(worked), events


def measure(root: Path, count: int, days: int, hours: int) -> Table:
    """Return the table of what was measured in a new folder."""
    rng, vault = random.Random(1), Vault(root)
    log, events = EventLog(vault), generate_events(count, days, rng)
    while batch := [event for _, event in zip(range(BATCH), events, strict=False)]:
        log.append(batch)
    say = load_wording(Vault(STARTER))
    reader = Reader(vault, index_of(vault, WorldSettings(), say), lambda: say)
    idle, waits = Waits(), Waits()
    in_thread(lambda: time.sleep(IDLE_SECONDS), idle)
    began_to_work = time.process_time()
    build = in_thread(reader.index.update, waits)
    build_work = time.process_time() - began_to_work
    in_thread(lambda: time.sleep(IDLE_SECONDS), idle)
    seconds, worked, shown = time_readings(reader, days, hours, rng)
    moments = len(reader.index.moments(0, 1 << 60))
    reader.index.close()
    size = sum(path.stat().st_size for path in (root / "chronicle").iterdir())
    index = sum(path.stat().st_size for path in (root / ".index").iterdir())
    again = Reader(vault, index_of(vault, WorldSettings(), say), lambda: say)
    began = time.perf_counter()
    again.index.update()
    unchanged = time.perf_counter() - began
    row = [
        f"{count:,}",
        f"{size / count:.0f} B",
        f"{build:.0f} s ({build_work:.0f} s of the processor)",
        str(waits),
        str(idle),
        f"{index / 1e6:.0f} MB",
        f"{moments:,}",
        f"{shown:,}",
        f"{share(seconds, 0.5):.3f} s",
        f"{share(seconds, 0.95):.3f} s",
        f"{share(worked, 0.95):.3f} s",
        f"{1000 * unchanged:.0f} ms",
    ]
    return Table(HEADS, [row])


def time_observe(root: Path, days: int, hours: int) -> Table:
    """Return how soon `fallwater observe` opens this vault, whose index is there, and answers with an hour of it."""
    rng, began = random.Random(2), time.perf_counter()
    command = [sys.executable, "-m", "server", "observe", str(root), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found, "observe has said no address"
        address, opened = found[0], time.perf_counter() - began
        seconds = []
        for _ in range(hours + 1):
            at = f"{FIRST_DAY[:8]}{1 + rng.randrange(days):02}T{rng.randrange(24):02}"
            began = time.perf_counter()
            with urllib.request.urlopen(f"{address}view?run=1&view=chronicle&period={at}") as answer:
                assert b'"events"' in answer.read()
            seconds.append(time.perf_counter() - began)
        process.terminate()
    first, rest = seconds[0], sorted(seconds[1:])
    row = [f"{opened:.2f} s", f"{first:.2f} s", f"{share(rest, 0.5):.2f} s", f"{share(rest, 0.95):.2f} s", "2 s"]
    return Table(["opened in", "first hour", "hour p50", "hour p95", "goal"], [row], "`fallwater observe` over it")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--days", type=int, default=10, help="over how many days they are spread")
    parser.add_argument("--hours", type=int, default=40, help="how many hours are asked for")
    parser.add_argument(RECORD, action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "world"
        shutil.copytree(STARTER, root)
        tables = [measure(root, options.events, options.days, options.hours)]
        tables.append(time_observe(root, options.days, options.hours))
    print(*tables, sep="\n\n")
    if options.record:
        print(record("chronicle", tables), file=sys.stderr)


if __name__ == "__main__":
    main()
