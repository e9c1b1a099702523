"""Many people at once, beside Evennia: `python -m bench.load [--people 1,50,200] [--seconds 5] [--alone] [--record]`.

Real sockets against a real server process, on this machine. Everyone logs in with an account that was made beforehand,
and walks out to rooms for ten people each. Accounts are put straight into Fallwater's database, all with one hash; to
check it costs what it always does, 40 ms of a core, so 5,000 people take two minutes or more to come in. Evennia is
set to a hash that takes no time. Coming in is measured for neither. What is measured then, for so many seconds each:

- look, say: everyone types the next line as soon as the last is answered
- a line a second: everyone looks, looks, says something; latency counts from when a line was due
- crowded: all in one room, where everyone hears everyone; say as above, and ten lines said a second in all

Memory is resident memory of all the server's processes over what they had before anybody came: at the door, come in and
idle, and busy. The clients are one process that waits with epoll; the table has its share of a core. Evennia is asked
up to 500 (`--beside`).

For both servers, 25 callers at a time connect and are greeted before the next do: nobody fails because of a queue of
calls, and simultaneous calls are not measured here. In Fallwater only `crowd` people of a room (`config/world.md`, 50)
are told who comes and goes, and `look` names 20 of more; Evennia tells everyone and names all of them. So coming in and
walking cost each server what it does as it is delivered, and neither is timed. With more than 1,000 people in one room
nobody types as fast as they can: a line from each of 5,000 is 25 million messages.

`--broadcast 200,500` measures only so many people in Fallwater and at a bare broadcast server over Twisted
(`bench/lib/broadcast_server.py`), in turn and so often (`--rounds`). The cheapest round of each counts: other load on
the machine only makes an answer dearer.

At last 500 people type a line a second while 50 agents act, whose model is a program that answers by rule after 1.5 s.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from bench.lib.crowd import Answered, Crowd, CrowdError
from bench.lib.evennia import EvenniaServer
from bench.lib.reporting import Table, argument_parser, record
from bench.lib.servers import AGENTS, BARE, TICKS_A_SECOND, Served, broadcast, cpu_seconds, fallwater, resident_kib
from bench.lib.town import live, look, say, spread_out, together

PEOPLE = "1,50,200,500,1000,5000"
BESIDE = "1,50,200,500"
COMPRESSED = "500"
CROWDED = 1000
WITH_AGENTS = 500
SAID_A_SECOND = 10
SPARE_FILES = 200
CORES = os.cpu_count() or 1


def own_cpu_seconds() -> float:
    """Return the processor time that this process has used, in seconds."""
    return sum(os.times()[:2])


def busy_seconds() -> float:
    """Return the processor time that everything on this machine has used, in seconds."""
    with open("/proc/stat", encoding="utf-8") as file:
        user, nice, system, _, _, *rest = (int(field) for field in file.readline().split()[1:9])
    return (user + nice + system + sum(rest)) / TICKS_A_SECOND


def open_files(wanted: int) -> int:
    """Let this process and its children open `wanted` files; return how many it may open now."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return max(soft, most)


@dataclass(frozen=True)
class Load:
    """One measure, which took so many seconds with all its waiting. The shares of a core are of all the server's
    processes and of the clients'; `noise` is the share of the whole machine that everything else took meanwhile.
    """

    what: str
    answered: Answered
    seconds: float
    server_cores: float
    client_cores: float
    noise: float


@dataclass
class Measured:
    """The measures of one server with a number of people; `failure` says what ended it early.

    Memory is in KiB: of the server before anybody came, and what each connection adds at the door, idle, and busy.
    """

    server: str
    people: int
    empty_kib: int = 0
    door_kib: float = 0.0
    idle_kib: float = 0.0
    busy_kib: float = 0.0
    loads: list[Load] = field(default_factory=list)
    failure: str = ""


LOADS: dict[str, Callable[[Measured, Load], str]] = {
    "server": lambda m, load: m.server,
    "people": lambda m, load: f"{m.people:,}",
    "what": lambda m, load: load.what,
    "answers a second": lambda m, load: f"{load.answered.a_second:,.0f}",
    "p50": lambda m, load: f"{load.answered.percentile(0.5):,.1f}",
    "p95": lambda m, load: f"{load.answered.percentile(0.95):,.1f}",
    "p99": lambda m, load: f"{load.answered.percentile(0.99):,.1f} ms",
    "unanswered": lambda m, load: f"{load.answered.unanswered:,}" if load.answered.unanswered else "",
    "heard a second": lambda m, load: f"{load.answered.heard / load.answered.seconds:,.0f}",
    "CPU each": lambda m, load: f"{cpu_milliseconds(load):.3f} ms" if load.answered.latencies else "",
    "server, cores": lambda m, load: f"{load.server_cores:.2f}",
    "clients": lambda m, load: f"{load.client_cores:.2f}",
    "others": lambda m, load: f"{load.noise:.0%}",
}
MEMORY: dict[str, Callable[[Measured], str]] = {
    "server": lambda m: m.server,
    "people": lambda m: f"{m.people:,}",
    "empty": lambda m: f"{m.empty_kib / 1024:.0f} MiB",
    "each at the door": lambda m: f"{m.door_kib:.1f} KiB",
    "each idle": lambda m: f"{m.idle_kib:.1f} KiB",
    "each busy": lambda m: f"{m.busy_kib:.1f} KiB",
    "all, busy": lambda m: f"{(m.empty_kib + m.busy_kib * m.people) / 1024:.0f} MiB",
    "": lambda m: m.failure,
}


def loads_of(measured: Measured) -> list[list[str]]:
    """Return a row a load."""
    return [[cell(measured, load) for cell in LOADS.values()] for load in measured.loads]


def tables(results: Sequence[Measured]) -> list[Table]:
    """Return all that was measured."""
    loads = [row for measured in results for row in loads_of(measured)]
    memory = [[cell(measured) for cell in MEMORY.values()] for measured in results]
    return [Table(list(LOADS), loads, "Latencies in milliseconds."), Table(list(MEMORY), memory)]


def cpu_milliseconds(load: Load) -> float:
    """Return the cost of an answer on the server's cores, in milliseconds. There must be one."""
    return load.server_cores * load.seconds / len(load.answered.latencies) * 1000


class Measuring:
    """Measures one server with a number of people, after each has come in."""

    def __init__(self, served: Served, people: int, seconds: float, compressed: bool = False) -> None:
        self._served = served
        self._seconds = seconds
        self.measured = Measured(served.name + (", compressed" if compressed else ""), people)
        self.measured.empty_kib = resident_kib(served.pids)
        self._crowd = Crowd(served.port, people, served.greeting, compressed)
        self.measured.door_kib = self._each_kib()
        self._crowd.do(served.comes_in)
        self._crowd.settle()
        self._crowd.do(spread_out(people))
        if compressed and not all(client.is_compressed for client in self._crowd.clients):
            raise CrowdError("The server compresses nothing.")
        time.sleep(1)
        self.measured.idle_kib = self._each_kib()

    def spread(self) -> None:
        """Measure everyone in small rooms."""
        self._load("look", lambda: self._crowd.as_fast_as_answered(look, self._seconds))
        self._load("say", lambda: self._crowd.as_fast_as_answered(say, self._seconds))
        self.paced(self._seconds)
        self.measured.busy_kib = self._each_kib()

    def paced(self, seconds: float, what: str = "a line a second") -> None:
        """Measure everyone at a line a second."""
        self._load(what, lambda: self._crowd.paced(live, 1.0, seconds))
        self.measured.busy_kib = self._each_kib()

    def crowded(self) -> None:
        """Measure everyone in one room."""
        self._crowd.do(together)
        if self.measured.people <= CROWDED:
            self._load("crowded: say", lambda: self._crowd.as_fast_as_answered(say, self._seconds))
        every = max(1.0, self.measured.people / SAID_A_SECOND)
        self._load("crowded: ten lines said a second", lambda: self._crowd.paced(say, every, self._seconds))
        self.measured.busy_kib = self._each_kib()

    def broadcast(self) -> None:
        """Measure `look` in small rooms, and `say` with everyone in one."""
        self._load("look", lambda: self._crowd.as_fast_as_answered(look, self._seconds))
        self._crowd.do(together)
        self._load("crowded: say", lambda: self._crowd.as_fast_as_answered(say, self._seconds))

    def close(self) -> None:
        """Hang up, everyone."""
        self._crowd.close()

    def _load(self, what: str, measure: Callable[[], Answered]) -> None:
        self._crowd.quiet()
        began, server, own, busy = (
            time.perf_counter(),
            cpu_seconds(self._served.pids),
            own_cpu_seconds(),
            busy_seconds(),
        )
        answered = measure()
        seconds = time.perf_counter() - began
        server, own = cpu_seconds(self._served.pids) - server, own_cpu_seconds() - own
        others = max(0.0, busy_seconds() - busy - server - own) / seconds / CORES
        self.measured.loads.append(Load(what, answered, seconds, server / seconds, own / seconds, others))
        print(" | ".join(loads_of(self.measured)[-1]), flush=True)

    def _each_kib(self) -> float:
        return (resident_kib(self._served.pids) - self.measured.empty_kib) / self.measured.people


def measure_server(
    server: AbstractContextManager[Served],
    people: int,
    seconds: float,
    measure: Callable[[Measuring], None],
    compressed: bool = False,
) -> list[Measured]:
    """Return the measures of a server, or how far it came."""
    with server as served:
        try:
            measuring = Measuring(served, people, seconds, compressed)
        except CrowdError as error:
            print(f"{served.name}, {people} people: {error}", flush=True)
            return []
        try:
            measure(measuring)
        except CrowdError as error:
            measuring.measured.failure = str(error)
        finally:
            measuring.close()
        return [measuring.measured]


def everything(measuring: Measuring) -> None:
    """Measure everyone spread out, and together."""
    measuring.spread()
    measuring.crowded()


def with_agents(seconds: float) -> list[Measured]:
    """Measure people at a line a second while agents act."""
    return measure_server(
        fallwater(WITH_AGENTS, AGENTS),
        WITH_AGENTS,
        seconds,
        lambda measuring: measuring.paced(4 * seconds, f"a line a second, {AGENTS} agents acting"),
    )


def beside_evennia(counts: list[int], seconds: float) -> list[Measured]:
    """Measure Evennia in the same way; what hinders that is printed."""
    try:
        other = EvenniaServer(max(counts))
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"Evennia cannot be set up: {error}\n{getattr(error, 'output', '')}", flush=True)
        return []
    print(other.version, flush=True)
    return [one for people in counts for one in measure_server(other.open(), people, seconds, everything)]


def beside_broadcast(counts: list[int], seconds: float, rounds: int) -> None:
    """Print how much CPU an answer costs in Fallwater and at a bare broadcast server, in the cheapest round of each."""
    for people in counts:
        each: dict[tuple[str, str], list[float]] = {}
        for _ in range(rounds):
            for server in (fallwater(people), broadcast()):
                for one in measure_server(server, people, seconds, Measuring.broadcast):
                    for load in one.loads:
                        each.setdefault((load.what, one.server), []).append(cpu_milliseconds(load))
        for what in ("look", "crowded: say"):
            ours, bare = min(each[what, "Fallwater"]), min(each[what, BARE])
            print(
                f"{what}, {people} people: {ours:.3f} ms of CPU each, bare {bare:.3f} ms: {ours / bare:.1f} ×",
                flush=True,
            )


def main() -> None:
    """Measure, print, and record if asked to."""
    options = _options()
    if options.broadcast:
        print(" | ".join(LOADS), flush=True)
        beside_broadcast(_numbers(options.broadcast), options.seconds, options.rounds)
        return
    wanted, seconds = _numbers(options.people), options.seconds
    highest = max([WITH_AGENTS, *wanted])
    most = open_files(2 * highest + SPARE_FILES)
    if most < highest + SPARE_FILES:
        raise SystemExit(f"This process may open {most} files (`ulimit -Hn`), too few for {highest} connections.")
    print(" | ".join(LOADS), flush=True)
    results: list[Measured] = []
    for people in wanted:
        results += measure_server(fallwater(people), people, seconds, everything)
    for people in _numbers(options.compressed):
        results += measure_server(fallwater(people), people, seconds, everything, compressed=True)
    if not options.without_agents:
        results += with_agents(seconds)
    if not options.alone:
        results += beside_evennia(_numbers(options.beside), seconds)
    found = tables(results)
    print("", *found, sep="\n\n")
    if options.record:
        record("load", found)


def _options() -> argparse.Namespace:
    parser = argument_parser(__doc__, records=True)
    parser.add_argument("--people", default=PEOPLE, help=f"how many, one measure after the other ({PEOPLE})")
    parser.add_argument("--beside", default=BESIDE, help=f"the same for Evennia ({BESIDE})")
    parser.add_argument("--compressed", default=COMPRESSED, help=f"the same with compression ({COMPRESSED})")
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
