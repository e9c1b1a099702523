"""Measure the export of a data set: `python -m bench.export [--turns 1000000]`.

Generates the archives, journals and chronicle of a town: so many turns of twelve agents, each with a prompt of about
3,000 characters, a command, its result, and an event. They are exported to parquet, restored, and compared to the byte.
"""

from __future__ import annotations

import random
import resource
import tempfile
import time
from pathlib import Path

from bench.lib.reporting import Table, argument_parser, publish, time_call
from bench.lib.worlds import speech
from server.research.dataset import write_dataset
from server.research.rows import restore
from vault.chronicle.event_log import LoggedEvent, day_ms, event_line
from vault.memory.archive_file import ArchiveEntry, archive_lines, archive_name
from vault.memory.memory_line import Memory, format_line
from vault.memory.segment import MAX_ENTRIES_PER_FILE, header, segment_name

AGENTS = 12
DAY = "2026-11-01"
TURNS_PER_FILE = 2_000
"""Number of turns in one file of an archive, about 8 MB."""

HEADS = ("turns", "on disk", "export", "parquet", "memory, most")
"""The memory is that of the process that took most."""


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


def check_round_trip(root: Path, data: Path, again: Path) -> None:
    """Restore a data set in which nothing is withheld. Raises: ValueError if a file is not the same to the byte."""
    restore(data, again)
    for path in sorted(root.rglob("*.jsonl")):
        if path.read_bytes() != (again / root.name / path.relative_to(root)).read_bytes():
            raise ValueError(f"{path.relative_to(root)} is not the same after export and restore")


def megabytes(folder: Path) -> str:
    """Return the size of the files of a folder."""
    return f"{sum(path.stat().st_size for path in folder.rglob('*') if path.is_file()) / 1e6:,.0f} MB"


def measure(turns: int) -> Table:
    """Generate a town, export it, and compare what is restored."""
    with tempfile.TemporaryDirectory() as folder:
        root, data = Path(folder) / "town", Path(folder) / "data"
        generate(root, turns, random.Random(1))
        took = time_call(lambda: write_dataset(root, data, time.time_ns() // 1_000_000))
        most = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024
        check_round_trip(root, data, Path(folder) / "again")
        row = [f"{turns:,}", megabytes(root), f"{took.seconds:.1f} s", megabytes(data), f"{most:,.0f} MB"]
    return Table(HEADS, [row])


def main() -> None:
    """Print the table."""
    parser = argument_parser(__doc__)
    parser.add_argument("--turns", type=int, default=1_000_000)
    options = parser.parse_args()
    publish("export", [measure(options.turns)], options.record)


if __name__ == "__main__":
    main()
