"""Measure the browsers' door: `python -m bench.web [--quick]`, about two minutes.

Measures what the page weighs, how soon a typed line is shown, what cuts lose, and what a socket costs. Clients are raw
sockets in this process, the server is a process of its own, and everybody is in one room.
"""

from __future__ import annotations

import random
import selectors
import socket
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from bench.lib.crowd import HOST
from bench.lib.pages import Door, Page
from bench.lib.reporting import Table, argument_parser, percentile, publish
from bench.lib.servers import WIDE_OPEN, Running, free_port, run_server
from bench.lib.worlds import change_settings
from server.web.site import static_files
from vault.vault import open_vault

SOCKETS = (1, 50, 200)
LINE_SECONDS = {"look": 1.0, "say hello": 10.0}
"""Each types one line in so many seconds, at a moment of its own."""
MEASURED_SECONDS = 10.0
CUTS = 1000
GOAL_MS = 50.0


class Telnet:
    """A guest at telnet, for comparison; a line is shown when its answer has come."""

    def __init__(self, port: int) -> None:
        self.sock = socket.create_connection((HOST, port), timeout=30)
        self.sock.sendall(b"\xff\xfc\x18guest\r\n")
        self.waits: list[float] = []
        self._sent: list[float] = []

    def type(self, line: str) -> None:
        """Type a line, with a timing mark behind it, which is answered when it is done."""
        self._sent.append(time.perf_counter())
        self.sock.sendall(line.encode() + b"\r\n\xff\xfd\x06")

    def read(self) -> bool:
        """Take in what has come; return whether the connection goes on."""
        content = self.sock.recv(262144)
        for _ in range(content.count(b"\xff\xfc\x06")):
            self.waits.append(time.perf_counter() - self._sent.pop(0))
        return bool(content)


@contextmanager
def open_server() -> Iterator[tuple[Running, Door]]:
    """Open a starter world with a page."""
    with tempfile.TemporaryDirectory() as folder:
        vault, port = open_vault(Path(folder) / "world")[0].root, free_port()
        change_settings(vault / "config" / "server.md", {**WIDE_OPEN, "web_port": port, "return_seconds": 600})
        with run_server("none", vault) as server:
            yield server, Door(port)


def type_and_watch(clients: Sequence[Page | Telnet], line: str, seconds: float) -> list[float]:
    """Let each client type the line again and again for a while; return how long each took, in seconds."""
    rng, watching = random.Random(1), selectors.DefaultSelector()
    for one in clients:
        watching.register(one.sock, selectors.EVENT_READ, one)
        one.waits.clear()
    begun, every = time.perf_counter(), LINE_SECONDS[line]
    due = sorted((begun + rng.random() * every, number) for number in range(len(clients)))
    until = begun + seconds
    while (now := time.perf_counter()) < until + 1:
        while due and due[0][0] <= now and now < until:
            at, number = due.pop(0)
            clients[number].type(line)
            due.append((at + every, number))
            due.sort()
        for key, _ in watching.select(0.002):
            key.data.read()
    watching.close()
    return [wait for one in clients for wait in one.waits]


def read_until_quiet(clients: Sequence[Page | Telnet], seconds: float) -> None:
    """Read what comes, until nothing has come for so long."""
    watching = selectors.DefaultSelector()
    for one in clients:
        watching.register(one.sock, selectors.EVENT_READ, one)
    while ready := watching.select(seconds):
        for key, _ in ready:
            key.data.read()
    watching.close()


def latencies(sockets: Sequence[int], seconds: float) -> Table:
    """Measure how soon a typed line is shown, at the page and at telnet, and what a connection costs."""
    rows = []
    for count in sockets:
        for door in ("page", "telnet"):
            with open_server() as (server, page_door):
                before = server.rss_megabytes()
                clients: list[Page | Telnet] = []
                for _ in range(count):
                    clients.append(page_door.guest() if door == "page" else Telnet(server.port))
                read_until_quiet(clients, 1.0)  # what they have heard of each other's coming
                figures = []
                for line in LINE_SECONDS:
                    waits = type_and_watch(clients, line, seconds)
                    figures.append(" / ".join(f"{1000 * percentile(waits, share):.1f}" for share in (0.5, 0.95, 0.99)))
                kilobytes = (server.rss_megabytes() - before) * 1024 / count
                rows.append([str(count), door, *figures, f"{kilobytes:.0f}" if count > 1 else ""])
                for one in clients:
                    one.sock.close()
    heads = ["sockets", "door", "look: p50/p95/p99 ms", "say, all in one room: p50/p95/p99 ms", "KiB a connection"]
    return Table(heads, rows, f"From a typed line to its being shown (goal: p95 ≤ {GOAL_MS:.0f} ms)")


def cuts(count: int) -> Table:
    """Cut a page's connection at random moments while it types and hears, and count what is lost and doubled."""
    rng = random.Random(2)
    with open_server() as (server, door):
        told, cookie = door.ask("/enter", {"name": "guest"})
        page = door.page(told["ticket"])
        other = Telnet(server.port)
        typed: list[str] = []
        for number in range(count):
            other.type(f"say other {number}")
            typed.append(f"say mine {number}")
            page.type(typed[-1])
            page.sock.settimeout(rng.random() * 0.004)
            with suppress(OSError):
                while rng.random() < 0.7:
                    page.read()
            page.sock.close()
            page = door.resume(door.ask("/ticket", {}, cookie)[0]["ticket"], page, typed)
        page.type("say the end")
        while 'You say, "the end"' not in page.texts:
            page.read()
    own = [text for number in range(count) for text in (f"say mine {number}", f'You say, "mine {number}"')]
    heard = Counter(text for text in page.texts if " says, " in text)
    lost = sum(text not in page.texts for text in own) + count - len(heard)
    doubled = sum(page.texts.count(text) > 1 for text in own) + heard.total() - len(heard)
    row = [f"{count:,}", f"{len(page.texts):,}", str(lost), str(doubled), str(page.wrong)]
    return Table(["cuts", "lines", "lost", "doubled", "out of order"], [row], "Cut at random moments")


def weight() -> Table:
    """Return the sizes of the page's files."""
    files = sorted(static_files().items())
    rows = [[path.decode(), str(len(file.content)), str(len(file.packed))] for path, file in files]
    return Table(["file", "bytes", "packed"], rows, "What the page weighs (goal: 61,440 packed)")


def main() -> None:
    """Measure and print."""
    parser = argument_parser(__doc__)
    parser.add_argument("--quick", action="store_true", help="a few sockets and cuts, to see that it runs")
    options = parser.parse_args()
    sockets, seconds = ((2,), 1.0) if options.quick else (SOCKETS, MEASURED_SECONDS)
    measures = (weight, lambda: cuts(20 if options.quick else CUTS), lambda: latencies(sockets, seconds))
    publish("web", (measure() for measure in measures), options.record)


if __name__ == "__main__":
    main()
