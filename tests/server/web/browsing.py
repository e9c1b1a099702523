"""A browser without a socket: it speaks HTTP and WebSocket with a `WebDoor`, and keeps what it is shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from twisted.internet.address import IPv4Address
from twisted.internet.error import ConnectionLost
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure
from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    CloseConnection,
    Event,
    Message,
    Ping,
    RejectConnection,
    Request,
    TextMessage,
)
from wsproto.extensions import PerMessageDeflate

from config.settings import ServerSettings
from server.connection.input import ConnectionServices
from server.session.registry import SessionRegistry
from server.telnet.options import OPTIONS
from server.web.door import PAGE, WebDoor
from tests.server.front_door import lobby_of
from tests.world.inn import inn_game

PORT = 4080
SITE = f"127.0.0.1:{PORT}"
ORIGIN = f"http://{SITE}"
HERE = IPv4Address("TCP", "127.0.0.1", PORT)


class House:
    """An inn with a door for browsers. `again` is the same house after `kill -9`: only its disk is left."""

    def __init__(self, folder: Path, settings: ServerSettings | None = None, clock: Clock | None = None) -> None:
        self.folder = folder
        self.settings = settings or ServerSettings(return_seconds=60)
        self.clock = clock or Clock()
        self.registry: SessionRegistry = lobby_of(folder, inn_game(), self.settings, clock=self.clock)
        self.services = ConnectionServices(self.clock)
        self.door = WebDoor(
            self.registry,
            self.services,
            lambda: self.settings,
            folder / "web",
            lambda: PORT,
            lambda: "The Inn",
            lambda: OPTIONS,
        )

    def again(self) -> House:
        return House(self.folder, self.settings, Clock())

    def goes_on(self, seconds: float = 0) -> None:
        for _ in range(4):
            self.clock.advance(0)
        if seconds:
            self.clock.advance(seconds)
            self.clock.advance(0)

    def caller(self, host: str = "127.0.0.1") -> Any:
        """Return a new connection: a protocol with a transport that keeps what is written."""
        protocol = self.door.factory.buildProtocol(cast(Any, IPv4Address("TCP", host, 50000)))
        protocol.makeConnection(StringTransport(hostAddress=HERE, peerAddress=IPv4Address("TCP", host, 50000)))
        return protocol


class Browser:
    """A browser with its cookies, at one address."""

    def __init__(self, house: House, host: str = "127.0.0.1") -> None:
        self.house = house
        self.host = host
        self.cookie = ""
        self.forwarded = ""

    def request(self, path: str, given: object = None, **headers: str) -> tuple[int, dict[str, str], bytes]:
        """Ask for a path, or send it an object; a header that is given as empty is left out."""
        body = b"" if given is None else json.dumps(given).encode()
        sent = {"host": SITE}
        if given is not None:
            sent |= {"origin": ORIGIN, "x-fallwater": "1", "content-length": str(len(body))}
        if self.cookie:
            sent["cookie"] = self.cookie
        if self.forwarded:
            sent["x-forwarded-for"] = self.forwarded
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items() if value)
        caller = self.house.caller(self.host)
        caller.dataReceived(f"{'GET' if given is None else 'POST'} {path} HTTP/1.1\r\n{lines}\r\n".encode() + body)
        self.house.goes_on()
        return self._answer(caller.transport.value())

    def enters(self, name: str, password: str = "", chosen: str = "", **headers: str) -> dict[str, Any]:
        """Send the form, and return what is answered."""
        return self.asks("/enter", {"name": name, "password": password, "chosen": chosen}, **headers)

    def asks(self, path: str, given: object = None, **headers: str) -> dict[str, Any]:
        """Ask for JSON; the status is in it too."""
        status, told, body = self.request(path, given, **headers)
        jar = dict(pair.partition("=")[::2] for pair in self.cookie.split("; ") if pair)
        for line in told.get("set-cookie", "").splitlines():
            jar |= [line.partition(";")[0].partition("=")[::2]]
        self.cookie = "; ".join(f"{name}={value}" for name, value in jar.items())
        return {"status": status, **(json.loads(body) if body.startswith(b"{") else {"text": body.decode()})}

    def plays(self, ticket: str = "", page: Window | None = None, resumes: bool = False) -> Window:
        """Open a socket with a ticket, by default a new one of the login's, and go on in a window."""
        window = page or Window()
        window.opens(self, ticket or self.asks("/ticket", {})["ticket"], resumes)
        return window

    @staticmethod
    def _answer(content: bytes) -> tuple[int, dict[str, str], bytes]:
        head, _, body = content.partition(b"\r\n\r\n")
        status, *lines = head.decode().split("\r\n")
        headers = dict[str, str]()
        for name, _, value in (line.partition(": ") for line in lines):
            former = headers.get(name.lower(), "")
            headers[name.lower()] = f"{former}\n{value}" if former else value
        return int(status.split()[1]), headers, body


def guest_in(house: House) -> tuple[Browser, Window]:
    """Return a browser whose visitor has come in as a guest, and the window."""
    browser = Browser(house)
    return browser, browser.plays(browser.enters("guest")["ticket"])


class Window:
    """What the page's script does with a socket. `shown` are the lines that were shown, in order."""

    numbers = iter(range(1_000_000))

    def __init__(self) -> None:
        self.page = f"window{next(self.numbers)}"
        self.stream, self.last, self.typed = "", 0, 0
        self.shown: list[dict[str, Any]] = []
        self.told: list[dict[str, Any]] = []
        self.waiting: list[dict[str, Any]] = []
        self.closed: int | None = None
        self.wire: WSConnection
        self.house: House
        self.caller: Any
        self.is_in = False

    def opens(self, browser: Browser, ticket: str, resumes: bool = False) -> None:
        self.house, self.closed, self.is_in = browser.house, None, False
        self._part = ""
        self.caller = open_socket(browser)
        self.wire = self.caller.wire
        self.reads()
        self.sends(ticket=ticket, stream=self.stream, last=self.last, page=self.page, resumes=resumes, reader=False)
        self.reads()

    def types(self, text: str) -> list[str]:
        """Type a line, and return the texts that were shown since."""
        before = len(self.shown)
        self.typed += 1
        line = {"line": text, "number": self.typed}
        self.waiting.append(line)
        if self.is_in:
            self.sends(**line)
        self.reads()
        return [text_of(one) for one in self.shown[before:]]

    def sends(self, **message: object) -> None:
        self.caller.dataReceived(self.wire.send(TextMessage(json.dumps(message))))

    def reads(self, up_to: int | None = None) -> None:
        """Take in what the server has sent, or only so many bytes of it: the rest is lost on the way."""
        self.house.goes_on()
        content = self.caller.transport.value()
        self.caller.transport.clear()
        self.wire.receive_data(content if up_to is None else content[:up_to])
        for event in list(self.wire.events()):
            self._take(event)

    def is_cut(self, up_to: int | None = None) -> None:
        """Lose the connection, and all but `up_to` bytes of what was on the way to here."""
        self.reads(up_to)
        self.is_in = False
        self.caller.connectionLost(Failure(ConnectionLost()))
        self.house.goes_on()

    def _take(self, event: Event) -> None:
        if isinstance(event, CloseConnection):
            self.closed = int(event.code)
        elif isinstance(event, Ping):
            self.caller.dataReceived(self.wire.send(event.response()))
        elif isinstance(event, Message):
            self._part += event.data
            if event.message_finished and event.frame_finished:
                whole, self._part = self._part, ""
                for item in json.loads(whole):
                    self._item(item)

    def _item(self, item: dict[str, Any]) -> None:
        if "n" in item:
            if item["n"] > self.last:
                self.last = item["n"]
                self.shown.append(item)
        elif "hello" in item:
            if not item["hello"]["goes_on"]:
                self.last = 0
                self.shown.clear()
            self.stream, self.is_in = item["hello"]["stream"], True
            self._arrived(item["hello"]["took"])
            self.typed = max(self.typed, item["hello"]["took"])
            for line in self.waiting:
                self.sends(**line)
        else:
            if "took" in item:
                self._arrived(item["took"])
            self.told.append(item)

    def _arrived(self, number: int) -> None:
        self.waiting = [line for line in self.waiting if line["number"] > number]

    @property
    def texts(self) -> list[str]:
        return [text_of(one) for one in self.shown]

    def last_told(self, key: str) -> Any:
        return [item[key] for item in self.told if key in item][-1]


def text_of(item: dict[str, Any]) -> str:
    return item["text"] if "text" in item else "".join(run[0] for run in item["runs"])


def open_socket(browser: Browser, subprotocol: str = PAGE, origin: str = ORIGIN, site: str = SITE) -> Any:
    """Open a WebSocket; `wire` of what is returned is its client's side, `answer` what the handshake brought."""
    caller = browser.house.caller(browser.host)
    wire = WSConnection(ConnectionType.CLIENT)
    extra = [(b"origin", origin.encode())] if origin else []
    if browser.forwarded:
        extra.append((b"x-forwarded-for", browser.forwarded.encode()))
    request = Request(
        host=site, target="/socket", subprotocols=[subprotocol], extra_headers=extra, extensions=[PerMessageDeflate()]
    )
    caller.dataReceived(wire.send(request))
    browser.house.goes_on()
    content = caller.transport.value()
    caller.transport.clear()
    wire.receive_data(content)
    caller.wire = wire
    caller.answer = next((one for one in wire.events() if isinstance(one, AcceptConnection | RejectConnection)), None)
    return caller
