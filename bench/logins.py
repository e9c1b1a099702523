"""What accounts cost, and who waits for them: `python -m bench.logins [--accounts 100,5000,20000] [--held 10]`.

Real sockets against a real server process, with so many accounts in its database. Somebody looks every 10 ms, each
look as soon as the one before is answered; what counts is the longest wait for a look. Meanwhile

- nothing happens;
- new names are typed at the door, one after the other: each is compared with every name there is;
- ten people log in and out, one after the other, then all at once (argon2 takes 40 ms of a core for each);
- forty guess at one name at the same moment;
- another process gives somebody a new password, and it is tried until it lets in;
- another process holds the database for so many seconds, while somebody logs in, and somebody new chooses a password.

`start` is from executing the program until the door is open, the median of three. All accounts have the same hash, made
at its real cost, so a login costs what it costs anybody. Nobody has a note in `people` before coming in. Of a login,
300 ms wait for a client that does not say what it is. CPU is that of the whole server, its answers to looks included.
"""

from __future__ import annotations

import asyncio
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

from bench.lib.reporting import argument_parser
from bench.lib.servers import MARK, SECRET, Player, Running, caller_name, cpu_seconds, prepare_accounts, run_server
from server.accounts.database import AccountDatabase, default_folder
from vault.vault import open_vault

LOOK_EVERY_SECONDS = 0.01
QUIET_SECONDS = 3.0
STARTS = 3
NAMES = 200
LOGINS = 10
GUESSES = 40
MIN_ACCOUNTS = 100


class Bench:
    """The measures of one server, each a row: what, and what came of it in words and milliseconds."""

    def __init__(self, server: Running, vault: Path, held_seconds: float) -> None:
        self._server = server
        self._vault = vault
        self._held_seconds = held_seconds
        self.rows: dict[str, str] = {}

    async def measure(self) -> None:
        """Measure everything."""
        bystander = await Player.enter(self._server.port, caller_name(0))
        watched: list[tuple[str, Callable[[], Awaitable[str]]]] = [
            ("nothing happens", self._nothing),
            ("a new name typed at the door", self._names),
            ("a login, alone", self._one_after_the_other),
            (f"{LOGINS} logins at once", self._at_once),
            (f"{GUESSES} guesses at once", self._guesses),
            ("reset-password by another process", self._reset),
            (f"another process holds the database for {self._held_seconds:g} s", self._measure_held),
        ]
        for what, meanwhile in watched:
            waits, told = await watch(bystander, meanwhile())
            self.rows[what] = f"{told}; look {max(waits) * 1000:.0f} ms at longest".removeprefix("; ")
            print(f"  {what}: {self.rows[what]}", flush=True)

    async def _nothing(self) -> str:
        await asyncio.sleep(QUIET_SECONDS)
        return ""

    async def _names(self) -> str:
        caller = await Player.at_the_door(self._server.port)
        took, began = [], cpu_seconds([self._server.process.pid])
        for number in range(NAMES):
            name = f"Zo{caller_name(number)[2:]}"
            took.append(await seconds_of(answer_seconds(caller, name, b": " + MARK)))
            await answer_seconds(caller, "", b"? " + MARK)
        cpu = (cpu_seconds([self._server.process.pid]) - began) / NAMES
        caller.close()
        return f"{statistics.median(took) * 1000:.1f} ms, at most {cpu * 1000:.1f} ms of CPU"

    async def _one_after_the_other(self) -> str:
        took, began = [], cpu_seconds([self._server.process.pid])
        for number in range(1, LOGINS + 1):
            caller = await Player.at_the_door(self._server.port)
            took.append(await seconds_of(caller.come_in(caller_name(number))))
            caller.close()
        cpu = (cpu_seconds([self._server.process.pid]) - began) / LOGINS
        return f"{statistics.median(took) * 1000:.0f} ms, with the logout at most {cpu * 1000:.0f} ms of CPU"

    async def _at_once(self) -> str:
        callers = [await Player.at_the_door(self._server.port) for _ in range(LOGINS)]
        come_in = (caller.come_in(caller_name(number)) for number, caller in enumerate(callers, 1))
        took = await seconds_of(asyncio.gather(*come_in))
        for caller in callers:
            caller.close()
        return f"the last is in after {took * 1000:.0f} ms"

    async def _guesses(self) -> str:
        callers = [await Player.at_the_door(self._server.port) for _ in range(GUESSES)]
        for caller in callers:
            caller.writer.write(f"{caller_name(50)}\r\nwrong\r\nwrong\r\nwrong\r\n".encode())
        await asyncio.sleep(QUIET_SECONDS)
        for caller in callers:
            caller.close()
        return ""

    async def _reset(self) -> str:
        command = ["-m", "server", "reset-password", caller_name(60), "--vault", str(self._vault)]
        process = await asyncio.create_subprocess_exec(sys.executable, *command, stdout=asyncio.subprocess.PIPE)
        printed, _ = await process.communicate()
        given = re.findall(rb"(?:[a-z]{4}-){4}[a-z]{4}", printed)[0]
        caller = await Player.at_the_door(self._server.port)
        await answer_seconds(caller, caller_name(60), b": " + MARK)
        took = await seconds_of(answer_seconds(caller, given.decode(), b"Choose a password: " + MARK))
        caller.close()
        return f"it lets in at once, after {took * 1000:.0f} ms"

    async def _measure_held(self) -> str:
        newcomer = await Player.at_the_door(self._server.port)
        with closing(AccountDatabase(default_folder(self._vault))) as other, other.transaction():
            end = time.perf_counter() + self._held_seconds
            known = await Player.at_the_door(self._server.port)
            login = await seconds_of(known.come_in(caller_name(70)))
            name = await seconds_of(answer_seconds(newcomer, "Zonked", b": " + MARK))
            signing_up = asyncio.ensure_future(newcomer.looks(SECRET))
            await asyncio.sleep(end - time.perf_counter())
            is_kept_waiting = not signing_up.done()
        later = await seconds_of(signing_up)
        known.close()
        assert is_kept_waiting, "somebody was let in before the account was on disk"
        return (
            f"login {login * 1000:.0f} ms, name {name * 1000:.1f} ms, a first password {later * 1000:.0f} ms after that"
        )


async def watch(bystander: Player, meanwhile: Awaitable[str]) -> tuple[list[float], str]:
    """Return how long somebody waited for each look while something happened, and what came of that."""
    waits: list[float] = []
    happening = asyncio.ensure_future(meanwhile)
    while not happening.done():
        waits.append(await seconds_of(bystander.looks()))
        await asyncio.sleep(max(0.0, LOOK_EVERY_SECONDS - waits[-1]))
    return waits, await happening


async def answer_seconds(caller: Player, line: str, ending: bytes) -> None:
    """Type a line, and wait for what ends the answer."""
    caller.writer.write(f"{line}\r\n".encode())
    await caller.reader.readuntil(ending)


async def seconds_of(work: Awaitable[object]) -> float:
    """Return how long something takes."""
    began = time.perf_counter()
    await work
    return time.perf_counter() - began


def measure_accounts(count: int, held_seconds: float) -> dict[str, str]:
    """Return what was measured with so many accounts."""
    with tempfile.TemporaryDirectory() as folder:
        vault, _ = open_vault(Path(folder) / "world")
        prepare_accounts(vault.root, count)
        starts = []
        for _ in range(STARTS):
            with run_server("none", vault.root) as server:
                starts.append((server.seconds, cpu_seconds([server.process.pid])))
        seconds, cpu = (statistics.median(times) for times in zip(*starts, strict=True))
        start = f"{seconds:.2f} s, {cpu:.2f} s of CPU"
        print(f"{count} accounts: start {start}", flush=True)
        with run_server("none", vault.root) as server:
            bench = Bench(server, vault.root, held_seconds)
            asyncio.run(bench.measure())
            memory = f"{server.rss_megabytes():.0f} MB"
        return {"start": start, **bench.rows, "memory at the end": memory}


def main() -> None:
    """Measure with each number of accounts, and print a table."""
    parser = argument_parser(__doc__)
    parser.add_argument("--accounts", default="100,5000,20000", help="how many, one measure after the other")
    parser.add_argument("--held", type=float, default=10.0, help="for how long the database is held, in seconds (10)")
    options = parser.parse_args()
    counts = [int(one) for one in options.accounts.split(",")]
    if min(counts) < MIN_ACCOUNTS:
        raise SystemExit(f"--accounts is {options.accounts}; give {MIN_ACCOUNTS} or more of each.")
    columns = [measure_accounts(count, options.held) for count in counts]
    print("\n| | " + " | ".join(f"{count:,} accounts" for count in counts) + " |")
    print("| --- |" + " --- |" * len(counts))
    for what in columns[0]:
        print(f"| {what} | " + " | ".join(column[what] for column in columns) + " |")


if __name__ == "__main__":
    main()
