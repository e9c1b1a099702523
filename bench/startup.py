"""Measure how long a server takes to start, and its memory: `python -m bench.startup [--runs 5] [--accounts 20000]`.

Starts the server a few times without a model and with the embedded one; with `--accounts` only without a model, beside
a world without accounts. Seconds run from starting the process to the line that says it accepts telnet, and to the
line that says the agents have their model.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from statistics import median

from bench.lib.reporting import Table, argument_parser, publish
from bench.lib.servers import READY, cpu_seconds, run_server, wait_for
from bench.lib.worlds import add_accounts
from vault.vault import open_vault


def measure_start(model: str, runs: int) -> list[str]:
    """Return the medians of some starts as a row."""
    opened, ready, weights = [], [], []
    for _ in range(runs):
        with run_server(model) as server:
            opened.append(server.seconds)
            began = time.perf_counter() - server.seconds
            wait_for(server.process, READY[model])
            ready.append(time.perf_counter() - began)
            weights.append(server.rss_megabytes())
    return [model, f"{median(opened):.2f} s", f"{median(ready):.2f} s", f"{median(weights):.0f} MB"]


def measure_accounts(count: int, runs: int) -> Table:
    """Measure the processor time of opening a world with so many accounts beside one without any."""
    cpu = []
    for accounts in (0, count):
        with tempfile.TemporaryDirectory() as folder:
            vault, _ = open_vault(Path(folder) / "world")
            add_accounts(vault.root, accounts)
            taken = []
            for _ in range(runs):
                with run_server("none", vault.root) as server:
                    taken.append(cpu_seconds([server.process.pid]))
        cpu.append(median(taken))
    return Table(
        ["accounts", "CPU of them until login", "goal"], [[f"{count:,}", f"{cpu[1] - cpu[0]:+.2f} s", "0.2 s"]]
    )


def main() -> None:
    """Print a table."""
    parser = argument_parser(__doc__)
    parser.add_argument("--accounts", type=int, help="start with so many accounts")
    parser.add_argument("--runs", type=int, default=5, help="how often it is started (5)")
    options = parser.parse_args()
    if options.accounts:
        table = measure_accounts(options.accounts, options.runs)
    else:
        heads = ["model", "accepts telnet after", "model ready after", "resident memory"]
        table = Table(heads, [measure_start(model, options.runs) for model in READY])
    publish("startup", [table], options.record)


if __name__ == "__main__":
    main()
