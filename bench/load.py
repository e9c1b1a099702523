"""Measure many people at once, beside Evennia: `python -m bench.load [--people 1,50,200] [--seconds 5] [--alone]`.

Real sockets against a real server process, on this machine. Everyone logs in with an account that was made beforehand,
and walks out to rooms for ten people each. Accounts are put straight into Fallwater's database, all with one hash; to
check it costs what it always does, 40 ms of a core, so 5,000 people take two minutes or more to come in. Evennia is
set to a hash that takes no time. Coming in is measured for neither. What is measured then, for so many seconds each:

- look, say: everyone types the next line as soon as the last is answered
- a line a second: everyone looks, looks, says something; latency counts from when a line was due
- crowded: all in one room, where everyone hears everyone; say as above, and ten lines said a second in all

Memory is resident memory of all the server's processes after that. The clients are one process that waits with epoll.
Evennia is measured up to 500 people (`--beside`).

For both servers, 25 callers at a time connect and are greeted before the next do: nobody fails because of a queue of
calls, and simultaneous calls are not measured here. In Fallwater only `crowd` people of a room (`config/world.md`, 50)
see who comes and goes, and `look` names 20 of more; Evennia tells everyone and names all of them. So coming in and
walking cost each server what it does as it is delivered, and neither is timed. With more than 1,000 people in one room
nobody types as fast as they can: a line from each of 5,000 is 25 million messages.

`--broadcast 200,500` measures only so many people in Fallwater and at a bare broadcast server over Twisted
(`bench/lib/broadcast_server.py`), in turn and so often (`--rounds`). The cheapest round of each counts: other load on
the machine only makes an answer dearer.

At last 500 people type a line a second while 50 agents act, whose model is a program that answers by rule after 1.5 s.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass

from bench.lib.crowd import Answered, Crowd, CrowdError, live, look, say, spread_out, together
from bench.lib.reporting import Table, argument_parser, publish
from bench.lib.servers import AGENTS, BARE, EvenniaServer, Served, broadcast, cpu_seconds, fallwater, resident_kib

PEOPLE = "1,50,200,500,1000,5000"
BESIDE = "1,50,200,500"
CROWDED = 1000
WITH_AGENTS = 500
SAID_A_SECOND = 10
SPARE_FILES = 200


def open_files(wanted: int) -> int:
    """Let this process and its children open `wanted` files; return how many it may open now."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return max(soft, most)


@dataclass(frozen=True)
class Load:
    """One measure of a server with a number of people; `cpu_ms` is what an answer costs its processes.

    `memory_kib` is the resident memory of the server afterwards.
    """

    server: str
    people: int
    what: str
    answered: Answered
    cpu_ms: float
    memory_kib: int


COLUMNS: dict[str, Callable[[Load], str]] = {
    "server": lambda load: load.server,
    "people": lambda load: f"{load.people:,}",
    "what": lambda load: load.what,
    "answers a second": lambda load: f"{len(load.answered.latencies) / load.answered.seconds:,.0f}",
    "p50 ms": lambda load: f"{load.answered.percentile(0.5):,.1f}",
    "p95 ms": lambda load: f"{load.answered.percentile(0.95):,.1f}",
    "p99 ms": lambda load: f"{load.answered.percentile(0.99):,.1f}",
    "unanswered": lambda load: f"{load.answered.unanswered:,}",
    "CPU each": lambda load: f"{load.cpu_ms:.3f} ms",
    "memory": lambda load: f"{load.memory_kib / 1024:.0f} MiB",
}


def load_table(loads: Iterable[Load]) -> Table:
    """Return a row a load."""
    return Table(list(COLUMNS), [[cell(load) for cell in COLUMNS.values()] for load in loads])


class Measuring:
    """Measures one server with a number of people, after each has come in. Raises: CrowdError, as all its measures."""

    def __init__(self, served: Served, people: int, seconds: float) -> None:
        self._served = served
        self._people = people
        self._seconds = seconds
        self.loads: list[Load] = []
        self._crowd = Crowd(served.port, people, served.greeting)
        self._crowd.do(served.comes_in)
        self._crowd.settle()
        self._crowd.do(spread_out(people))

    def everything(self) -> None:
        """Measure everyone spread out in small rooms, and together in one."""
        self._fast("look", look)
        self._fast("say", say)
        self.paced(self._seconds, "a line a second")
        self._crowd.do(together)
        if self._people <= CROWDED:
            self._fast("crowded: say", say)
        every = max(1.0, self._people / SAID_A_SECOND)
        self._load("crowded: ten lines said a second", lambda: self._crowd.paced(say, every, self._seconds))

    def paced(self, seconds: float, what: str) -> None:
        """Measure everyone at a line a second."""
        self._load(what, lambda: self._crowd.paced(live, 1.0, seconds))

    def broadcast(self) -> None:
        """Measure `look` in small rooms, and `say` with everyone in one."""
        self._fast("look", look)
        self._crowd.do(together)
        self._fast("crowded: say", say)

    def close(self) -> None:
        """Hang up, everyone."""
        self._crowd.close()

    def _fast(self, what: str, lines: Callable[[int, int], tuple[bytes, bytes]]) -> None:
        self._load(what, lambda: self._crowd.as_fast_as_answered(lines, self._seconds))

    def _load(self, what: str, measure: Callable[[], Answered]) -> None:
        self._crowd.quiet()
        before = cpu_seconds(self._served.pids)
        answered = measure()
        each = 1000 * (cpu_seconds(self._served.pids) - before) / max(1, len(answered.latencies))
        memory = resident_kib(self._served.pids)
        self.loads.append(Load(self._served.name, self._people, what, answered, each, memory))
        print(" | ".join(cell(self.loads[-1]) for cell in COLUMNS.values()), flush=True)


def measure_server(
    server: AbstractContextManager[Served], people: int, seconds: float, measure: Callable[[Measuring], None]
) -> list[Load]:
    """Return the measures of a server, or those before the one that failed."""
    with server as served:
        loads: list[Load] = []
        try:
            with closing(Measuring(served, people, seconds)) as measuring:
                loads = measuring.loads
                measure(measuring)
        except CrowdError as error:
            print(f"{served.name}, {people} people: {error}", flush=True)
        return loads


def measure_evennia(counts: list[int], seconds: float) -> list[Load]:
    """Measure Evennia in the same way; what hinders that is printed."""
    try:
        other = EvenniaServer(max(counts))
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"Evennia cannot be set up: {error}\n{getattr(error, 'output', '')}", flush=True)
        return []
    print(other.version, flush=True)
    return [one for people in counts for one in measure_server(other.open(), people, seconds, Measuring.everything)]


def measure_broadcast(counts: list[int], seconds: float, rounds: int) -> Table:
    """Measure the CPU of an answer in Fallwater and at a bare broadcast server, in the cheapest round of each."""
    rows = []
    for people in counts:
        each: dict[tuple[str, str], list[float]] = {}
        for _ in range(rounds):
            for server in (fallwater(people), broadcast()):
                for load in measure_server(server, people, seconds, Measuring.broadcast):
                    each.setdefault((load.what, load.server), []).append(load.cpu_ms)
        for what in ("look", "crowded: say"):
            ours, bare = min(each[what, "Fallwater"]), min(each[what, BARE])
            rows.append([what, f"{people:,}", f"{ours:.3f} ms", f"{bare:.3f} ms", f"{ours / bare:.1f} ×"])
    return Table(["what", "people", "CPU each", BARE, "ratio"], rows)


def main() -> None:
    """Measure and print."""
    options = _options()
    if options.broadcast:
        table = measure_broadcast(_numbers(options.broadcast), options.seconds, options.rounds)
        publish("load", [table], options.record)
        return
    wanted, seconds = _numbers(options.people), options.seconds
    highest = max([WITH_AGENTS, *wanted])
    most = open_files(2 * highest + SPARE_FILES)
    if most < highest + SPARE_FILES:
        raise SystemExit(f"This process may open {most} files (`ulimit -Hn`), too few for {highest} connections.")
    loads: list[Load] = []
    for people in wanted:
        loads += measure_server(fallwater(people), people, seconds, Measuring.everything)
    if not options.without_agents:
        what = f"a line a second, {AGENTS} agents acting"
        server = fallwater(WITH_AGENTS, AGENTS)
        loads += measure_server(server, WITH_AGENTS, seconds, lambda one: one.paced(4 * seconds, what))
    if not options.alone:
        loads += measure_evennia(_numbers(options.beside), seconds)
    publish("load", [load_table(loads)], options.record)


def _options() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument("--people", default=PEOPLE, help=f"how many, one measure after the other ({PEOPLE})")
    parser.add_argument("--beside", default=BESIDE, help=f"the same for Evennia ({BESIDE})")
    parser.add_argument("--broadcast", default="", help="only compare with a bare broadcast server, for so many people")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured for that (3)")
    parser.add_argument("--seconds", type=float, default=5.0, help="how long each measure takes (5)")
    parser.add_argument("--alone", action="store_true", help="without Evennia")
    parser.add_argument("--without-agents", action="store_true", help="without the measure with agents")
    return parser.parse_args()


def _numbers(text: str) -> list[int]:
    return [int(one) for one in text.split(",") if one.strip()]


if __name__ == "__main__":
    main()
