"""Measure what it takes to be reminded: `python -m bench.recall --memories 1000000`.

A long life is written at once and read into the index; then each of many questions is put to its owner, who is asked
of twelve words, some rare and some in every memory. Nothing is lived, and no model is asked.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from agents.memory.journal_search import JournalSearch
from agents.memory.retrieval import NotesIndex, Retriever
from agents.memory.view import Tier, View, tail_tier
from bench.lib.journals import write_journal
from vault.memory.journal import Journal
from vault.memory.memory_line import Memory
from vault.memory.ranges import Range, RangeSet
from vault.vault import Vault

NAME, PLACE = "Eliza", "The Landing"
NEWEST_MS = 1_795_248_000_000
TAIL = 64
QUESTIONS = 200


def main() -> None:
    """Print how long the index took to read and a look-up to make."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=10_000, help="how long the life is (default 10000)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(_measured(Path(folder), options.memories))


def _measured(root: Path, memories: int) -> str:
    write_journal(root / "agents" / NAME, memories, NEWEST_MS)
    journal = Journal(Vault(root), NAME)
    journal.load()
    finder = JournalSearch(journal)
    finder.has_time = True
    began = time.perf_counter()
    finder.is_ready(journal.last)
    reading = time.perf_counter() - began
    mind = Retriever(finder, NotesIndex(journal.vault, NAME))
    tail = journal.read(journal.last - TAIL + 1, journal.last)
    took, cpu, reminded = list[float](), list[float](), 0
    for number in range(QUESTIONS):
        said = (
            f'Moss says, "Eliza, which of my stones {number * 31 % memories} and {number * 977 % memories} lies in the '
            f'wall, and was the river {number % 90} inches high, or did the heron see the kettle of Quillon?"'
        )
        asked = Memory(journal.last + 1, NEWEST_MS, "observed", PLACE, said, ("Moss",), 5)
        covered = journal.last - TAIL
        older = Tier("older", RangeSet.of(Range(1, covered)))
        view = View(NAME, (older, tail_tier(covered, journal.last + 1, (*tail, asked))))
        began, began_cpu = time.perf_counter(), time.process_time()
        reminded += bool(mind.of_moment(view, frozenset(["Moss"]), PLACE, 3, ""))
        took.append((time.perf_counter() - began) * 1000)
        cpu.append((time.process_time() - began_cpu) * 1000)
    p95 = statistics.quantiles(took, n=20)[-1]
    return (
        f"{memories:,} memories: read into the index in {reading:.1f} s; a look-up {statistics.median(took):.1f} ms "
        f"(p95 {p95:.1f} ms, CPU {statistics.median(cpu):.1f} ms); "
        f"{reminded} of {QUESTIONS} questions brought something to mind"
    )


if __name__ == "__main__":
    main()
