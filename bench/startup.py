"""The start of a world, in seconds, and its memory: `python -m bench.startup [--quick] [--accounts 20000]`.

Starts the server a few times without a model and with the embedded one; with `--accounts` only without a model, beside
a world without accounts. Seconds run from starting the process to the line that says it accepts telnet; the second
figure is until the agents have their model.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from bench.lib.reporting import argument_parser
from bench.lib.servers import cpu_seconds, prepare_accounts, run_server, wait_for
from vault.vault import open_vault

RUNS = 5


def main(runs: int) -> None:
    """Print medians, a line a figure."""
    opened, weights = [], []
    for _ in range(runs):
        with run_server("none") as server:
            wait_for(server.process, "No language model")
            opened.append(server.seconds)
            weights.append(server.rss_megabytes())
    print(
        f"without a model: accepts telnet after {statistics.median(opened):.2f} s (max {max(opened):.2f}); target 1.5 s"
    )
    print(f"without a model: resident memory {statistics.median(weights):.0f} MB; target 80 MB")
    opened, thinking, weights = [], [], []
    for _ in range(runs):
        with run_server("embedded") as server:
            opened.append(server.seconds)
            began = time.perf_counter() - server.seconds
            wait_for(server.process, "The agents think with")
            thinking.append(time.perf_counter() - began)
            weights.append(server.rss_megabytes())
    print(f"embedded model: accepts telnet after {statistics.median(opened):.2f} s (max {max(opened):.2f}); target 4 s")
    print(f"embedded model: agents have it after {statistics.median(thinking):.2f} s (max {max(thinking):.2f})")
    print(f"embedded model: resident memory {statistics.median(weights):.0f} MB")


def start_with_accounts(count: int, runs: int) -> None:
    """Print what opening a world with so many accounts costs beside one without any."""
    cpu = []
    for accounts in (0, count):
        with tempfile.TemporaryDirectory() as folder:
            vault, _ = open_vault(Path(folder) / "world")
            prepare_accounts(vault.root, accounts)
            taken = []
            for _ in range(runs):
                with run_server("none", vault.root) as server:
                    taken.append(cpu_seconds([server.process.pid]))
        cpu.append(statistics.median(taken))
    print(f"{count:,} accounts: {cpu[1] - cpu[0]:+.2f} s of CPU until telnet is accepted; target 0.2 s")


if __name__ == "__main__":
    options = argument_parser(__doc__)
    options.add_argument("--accounts", type=int, help="start with so many accounts")
    options.add_argument("--quick", action="store_true", help="start once instead of five times")
    given = options.parse_args()
    times = 1 if given.quick else RUNS
    if given.accounts:
        start_with_accounts(given.accounts, times)
    else:
        main(times)
