"""Let an editor and the world write the same notes: `python -m bench.two_writers [SEEDS] [EDITS]` (20 and 1000).

For each seed, three builders and three agents live in a world while an editor saves, cuts, renames, takes away, copies
and breaks its notes. Each change of either side carries a word. A word is lost that stands at the end neither in a note
nor in a file that the log names, unless its own side removed it.
"""

from __future__ import annotations

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.lib.reporting import Table, argument_parser, publish
from tests.integration.two_writers import Outcome, edit_a_lived_in_world

AT_ONCE = 4


HEADS = [
    "seed",
    "edits",
    "the editor's words",
    "the world's words",
    "lost",
    "without a body",
    "copies alive",
    "differing",
]


def main() -> None:
    """Run all seeds, a few at once, and show what each has lost."""
    parser = argument_parser(__doc__)
    parser.add_argument("seeds", nargs="?", type=int, default=20)
    parser.add_argument("edits", nargs="?", type=int, default=1000)
    options = parser.parse_args()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        outcomes = list(pool.map(lambda seed: run_seed(seed, options.edits), range(1, options.seeds + 1)))
    for outcome in outcomes:
        for fault in outcome.faults:
            print(f"seed {outcome.seed}: {fault}")
    publish("two_writers", [Table(HEADS, [row_of(outcome) for outcome in outcomes])], options.record)


def run_seed(seed: int, edits: int) -> Outcome:
    """Return what one seed leaves."""
    with tempfile.TemporaryDirectory() as folder:
        return edit_a_lived_in_world(Path(folder), seed, edits)


def row_of(outcome: Outcome) -> list[str]:
    """Return the figures of one seed."""
    words = (outcome.editor_words, outcome.world_words)
    faults = (outcome.lost, outcome.bodiless, outcome.alive, outcome.differing)
    return [str(number) for number in (outcome.seed, outcome.edits, *words, *map(len, faults))]


if __name__ == "__main__":
    main()
