"""Kill agents at every point of their lives, over and over, and count what was lost.

Run `make soak`, or `python -m tests.integration.soak [--seeds N] [--lives M]`; SOAK_SEEDS sets N as well (default 500).
A seed is one vault whose agent dies twice: at a named file operation or at any instant, every other time with the power
gone too. Then the state machine of memory lives M lives (default 5000), in which anything happens in any order. Prints
one line for the seeds; ends with 1 if there was any damage, and with the steps of the first life that fails.
"""

from __future__ import annotations

import argparse
import datetime
import os
import time
from concurrent.futures import ThreadPoolExecutor

from tests.agents.memory.test_state_machine import run as live_through_anything
from tests.integration.crashing import Damage, survive

SHOWN_EVERY = 50
STEPS = 60


def main() -> None:
    """Print the line, and whatever damage there was."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seeds", type=int, default=int(os.environ.get("SOAK_SEEDS", "500")))
    options.add_argument("--lives", type=int, default=5000, help="lives of the state machine (default 5000)")
    options.add_argument("--first", type=int, default=0, help="the first seed, to go over others (default 0)")
    given = options.parse_args()
    total, start = Damage(), time.monotonic()
    with ThreadPoolExecutor(2) as two:
        seeds = range(given.first, given.first + given.seeds)
        for number, damage in enumerate(two.map(survive, seeds), 1):
            total.add(damage)
            if number % SHOWN_EVERY == 0:
                print(f"  {number} seeds: {total}", flush=True)
    today = datetime.datetime.now(datetime.UTC).date()
    line = f"- {today} soak, {given.seeds} seeds in {time.monotonic() - start:.0f} s: {total}."
    print(line)
    for fault in total.all_faults:
        print(f"  {fault}")
    if given.lives:
        live_through_anything(given.lives, STEPS)
        print(f"- {given.lives} lives of {STEPS} steps: nothing was lost.")
    raise SystemExit(1 if total.all_faults else 0)


if __name__ == "__main__":
    main()
