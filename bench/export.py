"""Measure the export of a data set: `python -m bench.export [--turns 1000000] [--quick]`.

The archives, journals and chronicle of a town are generated: so many turns of twelve agents, each with a prompt of
about 3,000 characters, a command, its result, and an event. They are exported to parquet, restored and compared to
the byte, and measured by `fallwater measure`. `--refusing` adds a person who has not agreed, so that every text is
looked through. `--record` keeps the table in bench/results/.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from agents.metrics.measuring import measure
from bench.lib.reporting import Table, argument_parser, record
from server.research.dataset import write_dataset
from server.research.restore import restore
from vault.chronicle.event_log import LoggedEvent, day_ms, event_line
from vault.memory.archive_file import ArchiveEntry, archive_lines, archive_name
from vault.memory.memory_line import Memory, format_line
from vault.memory.segment import MAX_ENTRIES_PER_FILE, header, segment_name

AGENTS = 12
DAY = "2026-11-01"
QUICK_TURNS = 2_000
TURNS_PER_FILE = 2_000
"""Number of turns in one file of an archive, about 8 MB."""

WORDS = [f"{head}{tail}" for head in "br cl dr fl gr m p st t w".split() for tail in "ane ick oat ummer ilt".split()]
HEADS = ("turns", "on disk", "export", "its CPU", "parquet", "memory, most", "measure", "CPU of measure")
"""The memory is that of the process that took most; the first two times are those of the export."""


def generate(root: Path, turns: int, rng: random.Random) -> None:
    """Write a vault with a number of turns."""
    (root / "rooms").mkdir(parents=True)
    (root / "config").mkdir()
    (root / "config" / "agents.md").write_text("---\ntraining_export: true\n---\n", "utf-8")
    (root / "chronicle").mkdir()
    rules = "\n".join(speech(rng) for _ in range(25))
    for number in range(AGENTS):
        name = f"Agent {number}"
        folder = root / "agents" / name
        for part in ("archive", "journal"):
            (folder / part).mkdir(parents=True)
        (folder / "agent.md").write_text("---\n---\nSomebody.\n", "utf-8")
        _write_agent(folder, name, turns // AGENTS, f"You are {name}.\n{rules}\n", rng)


def speech(rng: random.Random) -> str:
    """Return a sentence of a dozen words."""
    return f"Have you heard of the {' '.join(rng.choices(WORDS, k=9))} yet?"


def _write_agent(folder: Path, name: str, turns: int, rules: str, rng: random.Random) -> None:
    """Write the files of one agent: each turn remembers what somebody says, and answers."""
    start, tail, prompt, events = day_ms(DAY), list[str](), "", list[bytes]()
    archive, journal = list[bytes](), list[str]()
    for turn in range(turns):
        at_ms, seq, heard, said = start + turn * 1_000, 3 * turn + 1, speech(rng), speech(rng)
        tail = [*tail[-12:], f'Moss says, "{heard}"', f"~{name}> say {said}"]
        asked = {"prompt": rules + "\n".join(tail[:-1]), "reply": f"say {said}", "model": "m", "prompt_tokens": 900}
        asked |= {"cached_tokens": 700, "completion_tokens": 20, "seconds": 0.5, "finish": "stop", "newest": seq}
        lines, prompt = archive_lines(
            [
                ArchiveEntry("message", at_ms, seq, {**asked, "cause": "free", "told": {"profile": [0, 20]}}),
                ArchiveEntry("tool_call", at_ms, seq + 1, {"command": f"say {said}", "cause": "free"}),
                ArchiveEntry("tool_result", at_ms, seq + 2, {"text": "Done.", "refused": False}),
            ],
            prompt,
        )
        archive += lines
        kinds = (("observed", tail[-2]), ("acted", f"say {said}"), ("result", "Done."))
        for place, (kind, text) in enumerate(kinds):
            journal.append(format_line(Memory(seq + place, at_ms, kind, "The Yard", text)) + "\n")
        line = f'{name} says, "{said}"'
        events.append(event_line(LoggedEvent(at_ms, "said", name, "", "The Yard", line, words=said, by="agent")))
        if (turn + 1) % TURNS_PER_FILE == 0 or turn == turns - 1:
            (folder / "archive" / archive_name(DAY, 1 + turn // TURNS_PER_FILE)).write_bytes(b"".join(archive))
            archive, prompt = [], ""
    for part in range(0, len(journal), MAX_ENTRIES_PER_FILE):
        text = header(name, DAY, part + 1) + "".join(journal[part : part + MAX_ENTRIES_PER_FILE])
        (folder / "journal" / segment_name(DAY, 1 + part // MAX_ENTRIES_PER_FILE)).write_text(text, "utf-8")
    with open(folder.parent.parent / "chronicle" / f"{DAY}.jsonl", "ab") as file:
        file.writelines(events)


def refuse(root: Path) -> None:
    """Let a person who has not agreed have said something."""
    event = LoggedEvent(day_ms(DAY), "said", "Ana", words="The crocodiles guard the cellar door.", line="Ana speaks.")
    with open(root / "chronicle" / f"{DAY}.jsonl", "ab") as file:
        file.write(event_line(event))


def check_round_trip(root: Path, data: Path, again: Path) -> None:
    """Restore a data set in which nothing is withheld. Raises: ValueError if a file is not the same to the byte."""
    restore(data, again)
    for path in sorted(root.rglob("*.jsonl")):
        if path.read_bytes() != (again / root.name / path.relative_to(root)).read_bytes():
            raise ValueError(f"{path.relative_to(root)} is not the same after export and restore")


def time_call(act: Callable[[], object]) -> tuple[str, str]:
    """Return how long something takes by the clock, and of the processor, other processes that it starts included."""
    began, worked = time.perf_counter(), sum(os.times()[:4])
    act()
    return f"{time.perf_counter() - began:.1f} s", f"{sum(os.times()[:4]) - worked:.1f} s"


def size(folder: Path) -> str:
    """Return how large the files of a folder are."""
    return f"{sum(path.stat().st_size for path in folder.rglob('*') if path.is_file()) / 1e6:,.0f} MB"


def main(arguments: argparse.Namespace) -> Table:
    """Generate, export and measure; return the table."""
    turns = QUICK_TURNS if arguments.quick else arguments.turns
    with tempfile.TemporaryDirectory() as folder:
        root, data = arguments.town or Path(folder) / "town", Path(folder) / "data"
        if not root.exists():
            generate(root, turns, random.Random(1))
        if arguments.refusing:
            refuse(root)
        export = time_call(lambda: write_dataset(root, data, time.time_ns() // 1_000_000))
        most = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024
        if not arguments.refusing:
            check_round_trip(root, data, Path(folder) / "again")
        measured = time_call(lambda: measure(root)) if arguments.measure else ("", "")
        rows = [f"{turns:,}", size(root), *export, size(data), f"{most:,.0f} MB", *measured]
    return Table(HEADS, [rows])


def _parsed() -> argparse.Namespace:
    parser = argument_parser(__doc__, records=True)
    parser.add_argument("--turns", type=int, default=1_000_000)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_TURNS:,} turns")
    parser.add_argument(
        "--town", type=Path, help="a folder that has the town already, or where it is generated and kept"
    )
    parser.add_argument("--no-measure", dest="measure", action="store_false", help="only export")
    parser.add_argument("--refusing", action="store_true", help="with a person who has not agreed")
    return parser.parse_args()


if __name__ == "__main__":
    options = _parsed()
    table = main(options)
    print(table)
    if options.record:
        print(record("export", [table]), file=sys.stderr)
