"""Who waits while others log in: `python -m bench.logins [LOGINS]` (10).

Real sockets against a real server process. Somebody looks every 10 ms, each look as soon as the one before is
answered; meanwhile so many others give their passwords at the same moment, right ones and then wrong ones. What counts
is the wait of whoever looks; the first line says what it is when nobody logs in.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import Awaitable

from bench.players import Player
from bench.server_process import running, wait_for

LOOK_EVERY_SECONDS = 0.01
QUIET_SECONDS = 3.0


async def main(logins: int) -> None:
    """Print the waits, a line each."""
    with running("none") as server:
        wait_for(server.process, "No language model")
        names = [f"Bench{chr(ord('a') + number % 26)}{chr(ord('a') + number // 26)}" for number in range(logins)]
        for name in names:
            (await Player.enter(server.port, name)).close()
        bystander = await Player.enter(server.port, "Bystander")
        await watched("nobody logs in", bystander, asyncio.sleep(QUIET_SECONDS))
        callers = [await Player.at_the_door(server.port) for _ in names]
        begun = time.perf_counter()
        everybody = asyncio.gather(*(caller.come_in(name) for caller, name in zip(callers, names, strict=True)))
        await watched(f"{logins} give their passwords at once", bystander, everybody)
        print(f"the last of them was in after {time.perf_counter() - begun:.2f} s")
        guesses = [await Player.at_the_door(server.port) for _ in range(logins * 5)]
        for guess in guesses:
            guess.writer.write(f"{names[0]}\r\nwrong\r\nwrong\r\nwrong\r\n".encode())
        await watched(f"{len(guesses)} guess at one of them", bystander, asyncio.sleep(QUIET_SECONDS))


async def watched(what: str, bystander: Player, meanwhile: Awaitable[object]) -> None:
    """Print how long somebody waits for looks while something happens."""
    waits: list[float] = []
    happening = asyncio.ensure_future(meanwhile)
    while not happening.done():
        begun = time.perf_counter()
        await bystander.looks()
        waits.append(time.perf_counter() - begun)
        await asyncio.sleep(max(0.0, LOOK_EVERY_SECONDS - waits[-1]))
    await happening
    median, longest = statistics.median(waits) * 1000, max(waits) * 1000
    print(f"{what}: {len(waits)} looks, median {median:.1f} ms, longest {longest:.1f} ms")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10))
