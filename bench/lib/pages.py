"""Clients of the page: sockets, the viewers of a town, and tabs of Chromium."""

from __future__ import annotations

import json
import selectors
import shutil
import socket
import struct
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench.lib.crowd import HOST
from bench.lib.servers import AGENTS, Served, cpu_seconds, fallwater, free_port
from bench.lib.worlds import SECRET, caller_name

ANSWER_SECONDS = 0.2
"""Seconds of an answer of the scripted model: 50 agents that think every 20 seconds never wait for each other."""

MAX_TABS = 4
SETTLE_SECONDS = 1.5
BROWSER_SECONDS = 120.0
"""Maximum seconds of coming in of a page, beside other work on the machine."""


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
    """The page's port of a server, for a browser at an address of this machine."""

    def __init__(self, port: int, host: str = HOST) -> None:
        self.port = port
        self.host = host

    def ask(self, path: str, given: object, cookie: str = "") -> tuple[dict[str, Any], str]:
        """Send an object; return what is answered, and the cookie."""
        asking = HTTPConnection(HOST, self.port, timeout=30, source_address=(self.host, 0))
        headers = {"origin": f"http://{HOST}:{self.port}", "x-fallwater": "1", "cookie": cookie}
        asking.request("POST", path, json.dumps(given), headers)
        answer = asking.getresponse()
        told, kept = json.loads(answer.read()), answer.getheader("set-cookie", "").partition(";")[0]
        asking.close()
        return told, kept or cookie

    def connect(self) -> socket.socket:
        """Open a WebSocket."""
        sock = socket.create_connection((HOST, self.port), 30, (self.host, 0))
        lines = ["GET /socket HTTP/1.1", f"Host: {HOST}:{self.port}", f"Origin: http://{HOST}:{self.port}"]
        lines += ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
        lines += ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: page.fallwater"]
        sock.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += sock.recv(1)
        return sock

    def page(self, ticket: str) -> Page:
        """Come in with a ticket."""
        page = Page(self.connect())
        page.say({"ticket": ticket, "page": "bench"})
        while not page.last:
            page.read()
        return page

    def resume(self, ticket: str, before: Page, typed: Sequence[str]) -> Page:
        """Go on at another socket, and send again the lines that are not known to have arrived."""
        page = Page(self.connect(), before.stream, before.last, before.typed, wrong=before.wrong, texts=before.texts)
        page.say({"ticket": ticket, "stream": before.stream, "last": before.last, "page": "bench", "resumes": True})
        page.stream = ""
        while not page.stream:
            page.read()
        for number in range(page.took + 1, page.typed + 1):
            page.say({"line": typed[number - 1], "number": number})
        return page

    def guest(self) -> Page:
        """Come in as a guest."""
        return self.page(self.ask("/enter", {"name": "guest"})[0]["ticket"])


class Screen(Page):
    """A viewer's socket: how late each entry of the feed was, in milliseconds."""

    def __init__(self, sock: socket.socket) -> None:
        super().__init__(sock)
        self.late_ms: list[float] = []
        self._refused = ""

    @classmethod
    def enter(cls, door: Door, name: str) -> Screen:
        """Come in with an account. Raises: RuntimeError with what the server says, if it lets nobody in."""
        told, _ = door.ask("/enter", {"name": name, "password": SECRET})
        if "ticket" not in told:
            raise RuntimeError(f"{name} is not let in: {told}")
        screen = cls(door.connect())
        screen.say({"ticket": told["ticket"], "page": name})
        while not screen.last:
            if not screen.read():
                raise RuntimeError(f"{name} is hung up on: {screen._refused or 'without a word'}")
        return screen

    def _take(self, items: list[dict[str, Any]]) -> None:
        now_ms, entries = time.time() * 1000, list[dict[str, Any]]()
        for item in items:
            self._refused = item.get("refused", self._refused)
            entries += (item.get("seen") or {}).get("more", ())
        self.late_ms += [now_ms - one["at"] for one in entries]
        super()._take([item for item in items if "seen" not in item])


@dataclass
class Town:
    """A server with 50 agents, and the sockets of its viewers; each looks at the view that `views` has for it."""

    served: Served
    door: Door
    screens: list[Screen]
    views: Sequence[dict[str, str]]
    _watching: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)

    def look(self, at_something: bool = True) -> None:
        """Let everybody look at their view, or at nothing."""
        for number, screen in enumerate(self.screens):
            screen.say(self.views[number % len(self.views)] if at_something else {"view": ""})
        self.read_for(SETTLE_SECONDS)

    def read_for(self, seconds: float) -> None:
        """Read what comes for so long. Raises: RuntimeError if somebody is hung up on."""
        watched = {key.fd for key in self._watching.get_map().values()}
        for screen in self.screens:
            if screen.sock.fileno() not in watched:
                self._watching.register(screen.sock, selectors.EVENT_READ, screen)
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            for key, _ in self._watching.select(left):
                if not key.data.read():
                    raise RuntimeError("the server has hung up on a viewer")

    def worked(self, seconds: float) -> tuple[float, int]:
        """Return the seconds of the server's processor in a while, and the number of turns its agents took."""
        turns, before = self._turns(), cpu_seconds(self.served.pids)
        self.read_for(seconds)
        return cpu_seconds(self.served.pids) - before, self._turns() - turns

    def _turns(self) -> int:
        journals = (self.served.vault or Path()).glob("agents/*/journal/*.md")
        return sum(path.read_bytes().count(b" acted ") for path in journals)


@contextmanager
def town(viewers: int, views: Sequence[dict[str, str]]) -> Iterator[Town]:
    """Open a town, and let so many observers in by the page."""
    port = free_port()
    with fallwater(viewers + MAX_TABS + 1, AGENTS, {"web_port": port}, "observer", ANSWER_SECONDS) as served:
        door = Door(port)
        yield Town(served, door, [Screen.enter(door, caller_name(number)) for number in range(viewers)], views)


@contextmanager
def open_chromium() -> Iterator[Any]:
    """Start Debian's Chromium; yield None if it or Playwright is missing."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None or find_spec("playwright") is None:
        yield None
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield browser
        finally:
            browser.close()


@dataclass(frozen=True)
class TabMemory:
    """The memory of one tab: megabytes of its process and of its scripts, nodes of the page, and lines in its feed."""

    whole: float
    scripts: float
    elements: int
    lines: int


def _tab_memory(browser: Any, page: Any) -> TabMemory:
    told = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    pids = [int(one["id"]) for one in told if one["type"] == "renderer"]
    cdp = page.context.new_cdp_session(page)
    cdp.send("HeapProfiler.collectGarbage")
    cdp.send("Performance.enable")
    figures = {one["name"]: one["value"] for one in cdp.send("Performance.getMetrics")["metrics"]}
    lines = page.locator("ol.feed li").count()
    return TabMemory(max(map(_own_megabytes, pids)), figures["JSHeapUsedSize"] / 1e6, int(figures["Nodes"]), lines)


def _own_megabytes(pid: int) -> float:
    """Return the memory of a process, of what it shares its share (Linux)."""
    rows = Path(f"/proc/{pid}/smaps_rollup").read_text("utf-8").split("\n")
    return next(int(row.split()[1]) for row in rows if row.startswith("Pss:")) / 1024


def open_tab(town: Town, browser: Any, view: str, number: int = 0) -> Any:
    """Open a tab that shows a view, of somebody with the account behind those of the sockets, and return its page."""
    page = browser.new_context(viewport={"width": 1000, "height": 720}).new_page()
    page.context.set_default_timeout(BROWSER_SECONDS * 1000)
    page.goto(f"http://{HOST}:{town.door.port}/")
    page.fill("#name", caller_name(len(town.screens) + number))
    page.fill("#password", SECRET)
    page.press("#password", "Enter")
    page.wait_for_selector("#log:visible >> text=Exits:")
    page.evaluate(f"location.hash = '#/{view}'")
    page.wait_for_selector("#seen section")
    return page


NOTE_PAINTS = """() => {
  window.paints = [];
  const note = (times) => requestAnimationFrame(() => requestAnimationFrame(() => {
    times.forEach((at) => window.paints.push(Date.now() - at));
  }));
  new MutationObserver((changes) => note(changes.flatMap((one) => [...one.addedNodes])
    .map((one) => one.querySelector?.("time")).filter(Boolean).map((one) => Date.parse(one.dateTime))))
    .observe(document.querySelector("ol.feed"), { childList: true });
}"""
"""Notes for each line of the feed how long after its event it is painted: at the frame after the one that draws it."""


def painted_ms(town: Town, pages: Sequence[Any], seconds: float) -> list[float]:
    """Return how late each line of the feed was painted in tabs that show it, while the sockets read on."""
    for page in pages:
        page.evaluate(NOTE_PAINTS)
    town.read_for(seconds)
    return [late for page in pages for late in page.evaluate("window.paints")]


def tab_left_open(town: Town, browser: Any, view: str, lines: int) -> tuple[TabMemory, TabMemory]:
    """Return the memory of a tab that shows a view, at first and after somebody has typed some lines."""
    page = open_tab(town, browser, view)
    page.wait_for_timeout(1000)
    before = _tab_memory(browser, page)
    typist = town.screens[0]
    for number in range(lines):
        typist.type(f"emote counts {number} stones")
        if number % 20 == 19:
            town.read_for(0.05)
            page.wait_for_timeout(50)
    town.read_for(1.0)
    page.wait_for_timeout(1000)
    after = _tab_memory(browser, page)
    page.context.close()
    return before, after
