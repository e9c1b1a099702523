"""The browsers' door: what the page weighs, how soon a typed line is shown, what cuts lose, what a socket costs.

    python -m bench.web                     # all of it, about two minutes
    python -m bench.web --quick             # a few sockets and cuts, to see that it runs
    python -m bench.web --record            # keep the tables in bench/results/

Clients are raw sockets in this process, the server is a process of its own, and everybody is in one room.
"""

from __future__ import annotations

import json
import random
import re
import selectors
import socket
import struct
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from bench.lib.reporting import Table, argument_parser, percentile, record
from bench.lib.servers import WIDE_OPEN, Running, run_server
from server.web.site import static_files
from vault.vault import open_vault

HOST = "127.0.0.1"
SOCKETS = (1, 50, 200)
LINE_SECONDS = {"look": 1.0, "say hello": 10.0}
"""Each types one line in so many seconds, at a moment of its own."""
MEASURED_SECONDS = 10.0
CUTS = 1000
GOAL_MS = 50.0


@dataclass
class Page:
    """One page's socket: what it has shown by number, and how long its typed lines took to be shown."""

    sock: socket.socket
    stream: str = ""
    last: int = 0
    typed: int = 0
    took: int = 0
    wrong: int = 0
    texts: list[str] = field(default_factory=list)
    sent: dict[int, float] = field(default_factory=dict)
    waits: list[float] = field(default_factory=list)
    _rest: bytes = b""

    def type(self, line: str) -> None:
        """Type a line."""
        self.typed += 1
        self.sent[self.typed] = time.perf_counter()
        self.say({"line": line, "number": self.typed})

    def say(self, message: object) -> None:
        """Send a message."""
        content = json.dumps(message).encode()
        size = bytes([128 | len(content)]) if len(content) < 126 else b"\xfe" + struct.pack("!H", len(content))
        self.sock.sendall(b"\x81" + size + b"\0\0\0\0" + content)

    def read(self) -> bool:
        """Take in what has come; return whether the socket goes on."""
        content = self.sock.recv(262144)
        self._rest += content
        while len(self._rest) >= 2:
            size, head = self._rest[1], 2
            if size == 126:
                size, head = struct.unpack("!H", self._rest[2:4])[0] if len(self._rest) >= 4 else 1 << 20, 4
            elif size == 127:
                size, head = struct.unpack("!Q", self._rest[2:10])[0] if len(self._rest) >= 10 else 1 << 20, 10
            if len(self._rest) < head + size:
                break
            opcode, payload = self._rest[0] & 15, self._rest[head : head + size]
            self._rest = self._rest[head + size :]
            if opcode == 1:
                self._take(json.loads(payload))
            elif opcode == 9:
                self.sock.sendall(b"\x8a\x80\0\0\0\0")
        return bool(content)

    def _take(self, items: list[dict[str, Any]]) -> None:
        for item in items:
            if "n" in item:
                self.wrong += item["n"] not in (self.last + 1, *range(1, self.last + 1))
                if item["n"] > self.last:
                    self.last = item["n"]
                    self.texts.append(item.get("text", ""))
                    if item.get("kind") == "typed" and item["typed"] in self.sent:
                        self.waits.append(time.perf_counter() - self.sent.pop(item["typed"]))
            elif "hello" in item:
                self.stream, self.took = item["hello"]["stream"], item["hello"]["took"]
            elif "took" in item:
                self.took = item["took"]


class Door:
    """The page's port of a server."""

    def __init__(self, port: int) -> None:
        self.port = port

    def ask(self, path: str, given: object, cookie: str = "") -> tuple[dict[str, Any], str]:
        """Send an object; return what is answered, and the cookie."""
        asking = HTTPConnection(HOST, self.port, timeout=30)
        headers = {"origin": f"http://{HOST}:{self.port}", "x-fallwater": "1", "cookie": cookie}
        asking.request("POST", path, json.dumps(given), headers)
        answer = asking.getresponse()
        told, kept = json.loads(answer.read()), answer.getheader("set-cookie", "").partition(";")[0]
        asking.close()
        return told, kept or cookie

    def connect(self) -> socket.socket:
        """Open a WebSocket."""
        sock = socket.create_connection((HOST, self.port), timeout=30)
        lines = ["GET /socket HTTP/1.1", f"Host: {HOST}:{self.port}", f"Origin: http://{HOST}:{self.port}"]
        lines += ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
        lines += ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: page.fallwater"]
        sock.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += sock.recv(1)
        return sock

    def guest(self) -> Page:
        """Come in as a guest."""
        page = Page(self.connect())
        page.say({"ticket": self.ask("/enter", {"name": "guest"})[0]["ticket"], "page": "bench"})
        while not page.last:
            page.read()
        return page


class Telnet:
    """A guest at telnet, for comparison; a line is shown when its answer has come."""

    def __init__(self, port: int) -> None:
        self.sock = socket.create_connection((HOST, port), timeout=30)
        self.sock.sendall(b"\xff\xfc\x18guest\r\n")
        self.waits: list[float] = []
        self._sent: list[float] = []
        self._answers = 0

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
        vault = open_vault(Path(folder) / "world")[0].root
        note = vault / "config" / "server.md"
        with socket.socket() as trying:
            trying.bind((HOST, 0))
            port = trying.getsockname()[1]
        text = note.read_text("utf-8")
        for key, value in {**WIDE_OPEN, "web_port": port, "return_seconds": 600}.items():
            text = re.sub(rf"^\*\*{key}\*\*:.*$", f"**{key}**: {value}", text, flags=re.MULTILINE)
        note.write_text(text, "utf-8")
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
                    waits = sorted(type_and_watch(clients, line, seconds))
                    figures.append(" / ".join(f"{1000 * percentile(waits, share):.1f}" for share in (0.5, 0.95, 0.99)))
                kilobytes = (server.rss_megabytes() - before) * 1024 / count
                rows.append([str(count), door, *figures, f"{kilobytes:.0f}" if count > 1 else ""])
                for one in clients:
                    one.sock.close()
    heads = ["sockets", "door", "look: p50/p95/p99 ms", "say, all in one room: p50/p95/p99 ms", "KiB a connection"]
    return Table(heads, rows, f"From a typed line to its being shown (goal: p95 ≤ {GOAL_MS:.0f} ms)")


def cuts(count: int) -> Table:
    """Cut a page's connection at random moments while it types and hears, and count what is lost and doubled."""
    rng, lost, doubled = random.Random(2), 0, 0
    with open_server() as (server, door):
        told, cookie = door.ask("/enter", {"name": "guest"})
        page = Page(door.connect())
        page.say({"ticket": told["ticket"], "page": "bench"})
        while not page.last:
            page.read()
        other = Telnet(server.port)
        typed: list[str] = []
        begun = time.perf_counter()
        for number in range(count):
            other.type(f"say other {number}")
            typed.append(f"say mine {number}")
            page.type(typed[-1])
            page.sock.settimeout(rng.random() * 0.004)
            try:
                while rng.random() < 0.7:
                    page.read()
            except OSError:
                pass
            page.sock.close()
            page = _reconnect(door, cookie, page, typed)
        page.type("say the end")
        while 'You say, "the end"' not in page.texts:
            page.read()
        seconds = time.perf_counter() - begun
        for number in range(count):
            for text in (f"say mine {number}", f'You say, "mine {number}"'):
                lost, doubled = lost + (text not in page.texts), doubled + (page.texts.count(text) > 1)
        heard = [text for text in page.texts if " says, " in text]
        lost, doubled = lost + count - len(set(heard)), doubled + len(heard) - len(set(heard))
    row = [f"{count:,}", f"{len(page.texts):,}", str(lost), str(doubled), str(page.wrong), f"{seconds:.0f}"]
    return Table(["cuts", "lines", "lost", "doubled", "out of order", "seconds"], [row], "Cut at random moments")


def _reconnect(door: Door, cookie: str, before: Page, typed: Sequence[str]) -> Page:
    """Go on at another socket, and send again what is not known to have arrived."""
    ticket = door.ask("/ticket", {}, cookie)[0]["ticket"]
    page = Page(door.connect(), before.stream, before.last, before.typed, wrong=before.wrong, texts=before.texts)
    page.say({"ticket": ticket, "stream": page.stream, "last": page.last, "page": "bench", "resumes": True})
    page.stream = ""
    while not page.stream:
        page.read()
    for number in range(page.took + 1, page.typed + 1):
        page.say({"line": typed[number - 1], "number": number})
    return page


def weight() -> Table:
    """Return the sizes of the page's files."""
    files = static_files()
    rows = [[path.decode(), str(len(file.content)), str(len(file.packed))] for path, file in sorted(files.items())]
    total = [str(sum(len(getattr(file, part)) for file in files.values())) for part in ("content", "packed")]
    return Table(["file", "bytes", "packed"], [*rows, ["all", *total]], "What the page weighs (goal: 61,440 packed)")


def main() -> None:
    """Measure and print."""
    parser = argument_parser(__doc__, records=True)
    parser.add_argument("--quick", action="store_true", help="a few sockets and cuts")
    options = parser.parse_args()
    sockets, seconds = ((2,), 1.0) if options.quick else (SOCKETS, MEASURED_SECONDS)
    tables = [weight(), cuts(20 if options.quick else CUTS), latencies(sockets, seconds)]
    print("\n\n".join(map(str, tables)))
    if options.record:
        record("web", tables)


if __name__ == "__main__":
    main()
