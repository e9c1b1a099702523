"""Many people at once: `python -m bench.load [CLIENTS] [COMMANDS]` (200 and 50).

Real sockets against a real server process. Every client walks to one of four rooms; when all are there, each sends
`look` again and again, once a second; latency runs from writing the command to the prompt behind its answer.
Once without agents and once with three that think with the embedded model, in one run.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time

from bench.players import Player
from bench.server_process import running, wait_for

PACE_SECONDS = 1.0


async def main(clients: int, commands: int) -> None:
    """Print the latencies for both."""
    for model, said in (("none", "No language model"), ("embedded", "The agents think with")):
        with running(model) as server:
            wait_for(server.process, said)
            began = time.perf_counter()
            everybody = asyncio.Barrier(clients)
            people = (_client(server.port, number, commands, everybody) for number in range(clients))
            gathered = await asyncio.gather(*people)
            seconds = time.perf_counter() - began
            latencies = sorted(latency for one in gathered for latency in one)
            p50, p99 = statistics.median(latencies), latencies[int(len(latencies) * 0.99)]
            print(
                f"{model}: {clients} clients, {len(latencies)} looks in {seconds:.1f} s: p50 {p50 * 1000:.1f} ms, "
                f"p99 {p99 * 1000:.1f} ms, max {latencies[-1] * 1000:.1f} ms; server {server.rss_megabytes():.0f} MB"
            )


async def _client(port: int, number: int, commands: int, everybody: asyncio.Barrier) -> list[float]:
    """One person: a command a second at a moment of its own, so that what is measured is an answer, not a queue."""
    player = await Player.enter(port, f"Bench{_letters(number)}")
    for way in ("north", "north", "west")[: number % 4]:
        await player.looks(way)
    latencies = []
    await everybody.wait()
    await asyncio.sleep(PACE_SECONDS * (number % 97) / 97)
    for _ in range(commands):
        sent = time.perf_counter()
        await player.looks()
        latencies.append(time.perf_counter() - sent)
        await asyncio.sleep(max(0.0, PACE_SECONDS - latencies[-1]))
    player.close()
    return latencies


def _letters(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in f"{number:03}")


if __name__ == "__main__":
    given = [int(argument) for argument in sys.argv[1:]]
    asyncio.run(main(*(given + [200, 50][len(given) :])))
