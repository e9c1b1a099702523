"""What compaction itself costs, without a model: `python -m bench.compaction [--quick]`.

- placeholder: telling a tail of 64 results of some size, as placeholders and whole.
- decision: whether a cycle by tokens is due and worth it, for tails of some length.
- archive: writing a turn's entries of some size, forced to disk at the end of every turn.
- cycle: a whole cycle from plan to publication, by length of the summary, with a model that answers at once.

Each row has the median of its runs and the most that it may be; ends with 1 if a row is above that. The limits are
five times and more what a machine with two slow cores needs, so that they catch what has become slower by a class.
"""

from __future__ import annotations

import asyncio
import itertools
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from agents.memory.cost import estimate_compaction, verbatim_sizes
from agents.memory.view import ResultLimits, View, tail_tier
from agents.models.model import Request
from bench.lib.reporting import argument_parser
from config.settings import MemorySettings
from tests.agents.memory.lives import Life, windows
from tests.scripted_model import ScriptedModel
from vault.memory.archive import Archive
from vault.memory.archive_file import ArchiveEntry
from vault.memory.memory_line import Memory
from vault.vault import Vault

WORDS = "the river goes by and I sit with Moss until it rains "


@dataclass(frozen=True)
class Row:
    """A figure in milliseconds, with the most that it may be."""

    name: str
    case: str
    milliseconds: float
    at_most: float


def median_ms(work: Callable[[], object], runs: int) -> float:
    """Return the median time of a piece of work."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


def placeholders(runs: int) -> Iterator[Row]:
    """Time the telling of a tail of results."""
    for size, at_most in ((100, 2.0), (4_000, 4.0), (100_000, 20.0)):
        text = (WORDS * (size // len(WORDS) + 1))[:size]
        pairs = itertools.product(range(64), ("acted", "result"))
        tail = tuple(
            Memory(seq, 0, kind, "", text if kind == "result" else "look") for seq, (_, kind) in enumerate(pairs, 1)
        )
        for told, limits in (("as placeholders", ResultLimits()), ("whole", ResultLimits(0, 1_000_000))):

            def tell(tail: tuple[Memory, ...] = tail, limits: ResultLimits = limits) -> str:
                return View("Eliza", (tail_tier(0, len(tail), tail),), limits).tail_text()

            yield Row("placeholder", f"64 results of {size:,} characters, {told}", median_ms(tell, runs), at_most)


def decisions(root: Path, runs: int) -> Iterator[Row]:
    """Time the decision whether a compaction by tokens is due and worth it."""
    for count, at_most in ((16, 1.0), (128, 2.0), (2_048, 100.0)):
        life = Life(root / str(count), windows(64, 64, strategy="layered", threshold_tokens=100), ScriptedModel())
        life.live(count)
        settings = life.memory.settings

        def decide(life: Life = life, settings: MemorySettings = settings) -> str:
            sizes = verbatim_sizes(life.memory, life.model.count_tokens)
            plan = life.memory.plan(sizes=sizes)
            return estimate_compaction(plan, sizes, (None, None), settings, 0.5).objection(500) if plan else "not due"

        yield Row("decision", f"a tail of {count:,} memories", median_ms(decide, runs), at_most)


def archive_writes(root: Path, runs: int) -> Iterator[Row]:
    """Time the writing of a turn: a prompt, a command, and a result of some size."""
    for size, at_most in ((200, 50.0), (4_000, 50.0), (1_000_000, 150.0)):
        archive = Archive(Vault(root), f"of {size}")
        text = (WORDS * (size // len(WORDS) + 1))[:size]
        turn = [ArchiveEntry("tool_call", 0, 1, {"command": "look"}), ArchiveEntry("tool_result", 0, 2, {"text": text})]

        def write(archive: Archive = archive, turn: list[ArchiveEntry] = turn) -> None:
            archive.append_all(turn)
            archive.sync()

        yield Row("archive", f"a turn with a result of {size:,} characters", median_ms(write, runs), at_most)
        archive.close()


def cycles(root: Path, runs: int) -> Iterator[Row]:
    """Time whole cycles with a model that answers at once."""
    for words, at_most in ((12, 200.0), (60, 200.0)):
        times = itertools.count(1)
        filler = " and then we went on by the river" * (words // 8)

        def reply(request: Request, times: Iterator[int] = times, filler: str = filler) -> str:
            mood = "cold " * (next(times) % 2)
            # A long-term summary is shorter than what it is folded from.
            return f"I sat with Moss, it was {mood}late{filler if 'once more' in request.prompt else ''}."

        model = ScriptedModel(reply)
        life = Life(root / f"words {words}", windows(64, 64), model)
        life.live(129)

        def cycle(life: Life = life) -> None:
            asyncio.run(life.compact())
            life.live(64)

        took = median_ms(cycle, min(runs, 12))
        assert not life.compactor.stats.last_error, life.compactor.stats.last_error
        yield Row("cycle", f"64 memories, a summary of about {words} words", took, at_most)


def measure(runs: int) -> list[Row]:
    """Return all rows."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        return [
            *placeholders(runs),
            *decisions(root / "decisions", runs),
            *archive_writes(root / "archive", runs),
            *cycles(root / "cycles", runs),
        ]


def main(arguments: list[str] | None = None) -> int:
    """Measure, print the table, and return 1 if a row is above its limit."""
    options = argument_parser(__doc__)
    options.add_argument("--quick", action="store_true", help="three runs of each instead of twenty")
    return report(measure(3 if options.parse_args(arguments).quick else 20))


def report(rows: list[Row]) -> int:
    """Print rows as a table; return 1 if one is above its limit."""
    print(f"{'what':12} {'case':52} {'ms':>9} {'at most':>8}")
    for row in rows:
        mark = "" if row.milliseconds <= row.at_most else "  TOO SLOW"
        print(f"{row.name:12} {row.case:52} {row.milliseconds:9.3f} {row.at_most:8.0f}{mark}")
    return 0 if all(row.milliseconds <= row.at_most for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
