"""A real Chromium before the page, and a cable to it that can be pulled out."""

from __future__ import annotations

import os
import select
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.integration.line_player import HOST, SECRET

SHOTS = Path(__file__).parents[2] / "build" / "screenshots"
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
)
SOON_MS = 45_000


@contextmanager
def chromium() -> Iterator[Any]:
    """Start Debian's Chromium; skip if it or Playwright is missing, but fail where everything must be there."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        program = None
    if program is None:
        why = "there is no browser: apt-get install chromium, pip install -e '.[dev]'"
        if os.environ.get("CI") == "true":
            pytest.fail(why)
        pytest.skip(why)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


class Visitor:
    """Somebody at a browser of their own. `faults` are errors of the page, and requests that leave this machine."""

    def __init__(
        self, browser: Any, port: int, width: int = 1000, height: int = 720, scheme: str = "http", **options: Any
    ) -> None:
        self.context = browser.new_context(viewport={"width": width, "height": height}, **options)
        self.context.set_default_timeout(SOON_MS)
        self.address = f"{scheme}://{HOST}:{port}/"
        self.faults: list[str] = []
        self.page = self.opens()

    def opens(self) -> Any:
        """Open the page in a new tab, which is `page` from now on."""
        self.page = self.context.new_page()
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda message: self._note(message.type, message.text))
        self.page.on("request", lambda request: self._ask(request.url))
        self.page.on("dialog", self._refuse)
        self.page.goto(self.address)
        return self.page

    def comes_as_guest(self) -> None:
        """Come in by one click."""
        self.page.click("#guest")
        self.sees("Exits:")

    def comes_as(self, name: str, password: str = SECRET) -> None:
        """Come in with a name; a new one is given this password."""
        self.page.fill("#name", name)
        self.page.fill("#password", password)
        self.page.press("#password", "Enter")
        self.page.locator("#chosen:visible, #log:visible").first.wait_for()
        chosen = self.page.locator("#chosen")
        if chosen.is_visible():
            chosen.fill(password)
            chosen.press("Enter")
        self.sees("Exits:")

    def types(self, line: str) -> None:
        """Type a line where one types."""
        self.page.fill("#line", line)
        self.page.press("#line", "Enter")

    def sees(self, text: str, times: int = 1) -> None:
        """Wait until a text stands in the log so many times."""
        until = time.monotonic() + SOON_MS / 1000
        while (shown := self.log().count(text)) < times:
            assert time.monotonic() < until, f"{text!r} was shown {shown} times of {times}:\n{self.log()}"
            self.page.wait_for_timeout(30)

    def log(self) -> str:
        """Return what the log shows."""
        return str(self.page.evaluate("document.getElementById('log').textContent"))

    def shot(self, name: str) -> None:
        """Keep a picture of what is on the screen, for people to look at."""
        SHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=str(SHOTS / f"{name}.png"))

    def violations(self) -> list[str]:
        """Return what axe finds, a line a rule."""
        return violations(self.page)

    def _note(self, kind: str, text: str) -> None:
        if kind == "error" and "net::ERR_" not in text and "WebSocket connection" not in text:  # a cut cable is none
            self.faults.append(text)

    def _refuse(self, dialog: Any) -> None:
        self.faults.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def _ask(self, url: str) -> None:
        if not url.startswith((self.address, self.address.replace("http", "ws"), "data:")):
            self.faults.append(f"asked {url}")


def violations(page: Any) -> list[str]:
    """Return what axe finds on a page, a line a rule."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {[node['html'][:120] for node in one['nodes']]}" for one in found]


@contextmanager
def visitors(browser: Any, port: int) -> Iterator[Callable[..., Visitor]]:
    """Let visitors come to a page, by a name if one is given; at the end no page has had a fault."""
    come: list[Visitor] = []

    def comes(name: str = "", **options: Any) -> Visitor:
        come.append(visitor := Visitor(browser, port, **options))
        if name:
            visitor.comes_as(name)
        return visitor

    yield comes
    faults = [fault for visitor in come for fault in visitor.faults]
    for visitor in come:
        visitor.context.close()
    assert faults == []


class Cable:
    """A cable between a browser and the page's port: whoever calls `port` is connected, until it is pulled out."""

    def __init__(self, port: int, to: int) -> None:
        self.port = port
        self.is_in = True
        self._to = to
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._dead: list[tuple[socket.socket, socket.socket]] = []
        self._listening = socket.create_server((HOST, port))
        self._is_over = False
        threading.Thread(target=self._accept, daemon=True).start()

    def pull(self) -> None:
        """Lose all that is on the way, and let nobody connect."""
        self.is_in = False
        for pair in self._pairs + self._dead:
            for end in pair:
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                end.close()
        self._pairs.clear()
        self._dead.clear()

    def plug(self) -> None:
        """Let everybody connect again."""
        self.is_in = True

    def deaden(self) -> None:
        """Lose all that is on the way and all that is sent from now on, telling neither end, as lost wireless does."""
        self._pairs, self._dead = [], self._dead + self._pairs

    def close(self) -> None:
        """End."""
        self._is_over = True
        self.pull()
        self._listening.close()

    def _accept(self) -> None:
        while not self._is_over:
            try:
                near, _ = self._listening.accept()
                if not self.is_in:
                    near.close()
                    continue
            except OSError:
                return
            try:
                far = socket.create_connection((HOST, self._to))
            except OSError:  # the server is not there
                near.close()
                continue
            self._pairs.append((near, far))
            threading.Thread(target=self._carry, args=(near, far), daemon=True).start()

    def _carry(self, near: socket.socket, far: socket.socket) -> None:
        with near, far, suppress(OSError, ValueError):
            while True:
                for end in select.select([near, far], [], [])[0]:
                    content = end.recv(65536)  # a killed server that had not read all resets the connection
                    if not content:
                        return
                    if (near, far) in self._dead:
                        continue
                    (far if end is near else near).sendall(content)
