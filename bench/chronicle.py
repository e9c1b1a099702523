"""Measure the index of the chronicle: `python -m bench.chronicle`.

Writes a log of generated events and indexes it in a thread. Reads random hours of it as the page does, and opens it
with `fallwater observe`.
"""

from __future__ import annotations

import random
import re
import shutil
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

from bench.lib.reporting import Table, argument_parser, percentile, publish, time_call
from bench.lib.servers import run_program, wait_for
from bench.lib.worlds import speech
from config.settings import WorldSettings
from server.chronicle.reading import reader_of
from server.chronicle.scope import Whole
from vault.chronicle.event_log import EventLog, LoggedEvent, Period, day_ms
from vault.chronicle.index import DAY_MS
from vault.chronicle.intake import HOUR_MS
from vault.message_notes import load_wording
from vault.vault import STARTER, Vault

PEOPLE, ROOMS, BATCH = 60, 40, 10_000
FIRST_DAY = "2026-11-01"
PROMISES = ("I will bring you the brass lamp tomorrow, I promise.", "Thank you for the brass lamp.")
PROMISE_SHARE = 0.02
KINDS = ("said",) * 10 + ("emoted",) * 3 + ("left", "arrived") * 3 + ("whispered", "gave", "took", "room_message")


def generate_events(count: int, days: int, rng: random.Random) -> Iterator[LoggedEvent]:
    """Yield events of a lively town, evenly over the days."""
    start, step = day_ms(FIRST_DAY), days * DAY_MS / count
    for number in range(count):
        kind, who = rng.choice(KINDS), f"Person {rng.randrange(PEOPLE)}"
        words = rng.choice(PROMISES) if rng.random() < PROMISE_SHARE else speech(rng)
        yield LoggedEvent(
            start + int(number * step),
            kind,
            who,
            f"Person {rng.randrange(PEOPLE)}" if kind in ("whispered", "gave") or rng.random() < 0.3 else "",
            f"Room {rng.randrange(ROOMS)}",
            f'{who} says, "{words}"' if kind == "said" else f"{who} does something here.",
            words=words if kind == "said" else "",
            thing="brass lamp" if kind in ("gave", "took") else "",
            to_room=f"Room {rng.randrange(ROOMS)}" if kind == "left" else "",
            by="agent",
            secret=words if kind == "whispered" else "",
            reason="It is what I would do." if kind == "said" else "",
        )


def measure_index(root: Path, count: int, days: int, hours: int) -> Table:
    """Write a log, and measure building its index and reading hours of it."""
    rng, vault = random.Random(1), Vault(root)
    log, events = EventLog(vault), generate_events(count, days, rng)
    while batch := list(islice(events, BATCH)):
        log.append(batch)
    wording = load_wording(Vault(STARTER))
    reader = reader_of(vault, WorldSettings(), lambda: wording)
    thread = threading.Thread(target=reader.index.update)
    thread.start()
    built = time_call(thread.join)
    starts = [day_ms(FIRST_DAY) + rng.randrange(days * 24) * HOUR_MS for _ in range(hours)]
    periods = [Period("hour", start_ms, start_ms + HOUR_MS) for start_ms in starts]
    seconds = [time_call(partial(reader.read, period, Whole())).seconds for period in periods]
    reader.index.close()
    size = sum(path.stat().st_size for path in (root / ".index").iterdir())
    row = [f"{count:,}", f"{built.seconds:.0f} s", f"{size / 1e6:.0f} MB"]
    row += [f"{percentile(seconds, share):.2f} s" for share in (0.5, 0.95)]
    return Table(["events", "index built in", "index", "hour p50", "hour p95"], [row])


def measure_observe(root: Path, days: int, hours: int) -> Table:
    """Measure how soon `fallwater observe` opens this vault, whose index is there, and shows an hour of it."""
    rng, began, seconds = random.Random(2), time.perf_counter(), []
    with run_program(["server", "observe", str(root), "--no-browser"]) as process:
        found = re.search(r"http://\S+", wait_for(process, "http://"))
        assert found
        opened = time.perf_counter() - began
        for _ in range(hours + 1):
            at = f"{FIRST_DAY[:8]}{1 + rng.randrange(days):02}T{rng.randrange(24):02}"
            began = time.perf_counter()
            with urllib.request.urlopen(f"{found[0]}view?view=chronicle&period={at}") as answer:
                assert b'"events"' in answer.read()
            seconds.append(time.perf_counter() - began)
    row = [f"{one:.2f} s" for one in (opened, seconds[0], percentile(seconds[1:], 0.95), 2)]
    return Table(["opened in", "first hour", "later hours p95", "goal"], [row], "`fallwater observe` over it")


def main() -> None:
    """Measure and print."""
    parser = argument_parser(__doc__)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--days", type=int, default=10, help="over how many days they are spread")
    parser.add_argument("--hours", type=int, default=40, help="how many hours are read")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "world"
        shutil.copytree(STARTER, root)
        index = measure_index(root, options.events, options.days, options.hours)
        publish("chronicle", [index, measure_observe(root, options.days, options.hours)], options.record)


if __name__ == "__main__":
    main()
