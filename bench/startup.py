"""How soon a world is open, and what it weighs: `python -m bench.startup [--quick]`.

Starts the server a few times without a model and with the embedded one. Seconds run from starting the process to
the line that says it accepts telnet; the second figure is until the agents have their model.
"""

from __future__ import annotations

import statistics
import time

from bench.lib.reporting import argument_parser
from bench.lib.servers import run_server, wait_for

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


if __name__ == "__main__":
    options = argument_parser(__doc__)
    options.add_argument("--quick", action="store_true", help="start once instead of five times")
    main(1 if options.parse_args().quick else RUNS)
