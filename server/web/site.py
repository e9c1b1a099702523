"""The web server of the page: static files, requests, and the upgrade to a socket."""

from __future__ import annotations

import gzip
import hashlib
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, cast

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Protocol, ServerFactory, connectionDone
from twisted.python.failure import Failure
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request, Site

from config.settings import ColorSettings
from server.clock import DelayedCall, ReactorClock, cancel
from server.web.rendering import style_sheet

log = logging.getLogger(__name__)

IDLE_SECONDS = 15.0
"""Maximum seconds of silence on a browser's connection between two requests."""
MAX_BODY_BYTES = 4096
MAX_REQUESTS = 64
"""Maximum number of requests on one connection; browsers open another then."""

_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'"
)
HEADERS: Mapping[bytes, bytes] = {
    b"content-security-policy": _POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"permissions-policy": b"camera=(), geolocation=(), microphone=()",
    b"server": b"fallwater",
}


@dataclass(frozen=True)
class StaticFile:
    """A file of the page, packed once: its type, its contents as they are and packed, and its tag."""

    kind: str
    content: bytes
    packed: bytes
    tag: bytes


def static_files(package: str = "server.web") -> dict[bytes, StaticFile]:
    """Return the files that ship with a page, by their path; `/` is the page itself."""
    found: dict[bytes, StaticFile] = {}
    for one in files(package).joinpath("static").iterdir():
        suffix = one.name[one.name.rfind(".") :]
        if suffix in _TYPES:
            found[b"/" + one.name.encode()] = packed_file(_TYPES[suffix], one.read_bytes())
    found[b"/"] = found.pop(b"/index.html")
    return found


def packed_file(kind: str, content: bytes) -> StaticFile:
    """Return a file of a media type."""
    tag = b'"%b"' % hashlib.sha256(content).hexdigest()[:20].encode()
    return StaticFile(f"{kind}; charset=utf-8", content, gzip.compress(content, 9, mtime=0), tag)


@lru_cache(maxsize=4)
def color_file(palette: ColorSettings) -> StaticFile:
    """Return the style sheet of a palette."""
    return packed_file(_TYPES[".css"], style_sheet(palette).encode())


@dataclass(frozen=True)
class Response:
    """The response to a request: a status, an object for JSON, and the cookies to set."""

    status: int
    content: Mapping[str, object]
    cookies: Sequence[str] = ()


Ask = Callable[[Request, Mapping[str, Any]], Response | Deferred[Response]]
Check = Callable[[Request], str]


class Pages(Resource):
    """Every path of the site. `check` says why a request is refused, `posts` answer what is sent, `gets` what is
    asked, `palette` returns the colours that hold now, and `upgrade` opens a socket.
    """

    isLeaf = True

    def __init__(
        self,
        check: Check,
        gets: Mapping[bytes, Ask],
        posts: Mapping[bytes, Ask],
        palette: Callable[[], ColorSettings],
        upgrade: Callable[[Request], int],
    ) -> None:
        Resource.__init__(self)
        self._files = static_files()
        self._check = check
        self._gets = gets
        self._posts = posts
        self._palette = palette
        self._upgrade = upgrade

    def render(self, request: Request) -> Any:
        for name, value in HEADERS.items():
            request.setHeader(name, value)
        if why := self._check(request):
            return _plain(request, 403, why)
        match bytes(request.method), bytes(request.path):
            case b"GET", b"/socket":
                return self._upgrade(request)
            case ((b"GET" | b"HEAD"), path) if path in self._files:
                return _file(request, self._files[path])
            case ((b"GET" | b"HEAD"), b"/colors.css"):
                return _file(request, color_file(self._palette()))
            case b"GET", path if path in self._gets:
                return _ask(request, self._gets[path], {})
            case b"POST", path if path in self._posts:
                return self._post(request, self._posts[path])
            case ((b"GET" | b"HEAD" | b"POST"), _):
                return _plain(request, 404, "There is nothing here.")
        return _plain(request, 405, "That is not done here.")

    def _post(self, request: Request, ask: Ask) -> Any:
        """Answer a request of our own page: another page can set neither this type nor this header."""
        if request.getHeader(b"x-fallwater") != b"1" or request.getHeader(b"origin") is None:
            return _plain(request, 403, "Only the page itself may ask that.")
        try:
            given = json.loads((request.content.read() if request.content else b"") or b"{}")
        except (ValueError, RecursionError):
            given = None
        if not isinstance(given, dict):
            return _plain(request, 400, "A JSON object is expected.")
        return _ask(request, ask, given)


def _ask(request: Request, ask: Ask, given: Mapping[str, Any]) -> Any:
    answer = ask(request, given)
    if isinstance(answer, Response):
        _finish(answer, request)
        return NOT_DONE_YET
    request.notifyFinish().addErrback(lambda _: answer.cancel())
    answer.addCallbacks(_finish, _fail, callbackArgs=(request,), errbackArgs=(request,))
    return NOT_DONE_YET


def _finish(answer: Response, request: Request) -> None:
    body = json.dumps(answer.content, ensure_ascii=False).encode("utf-8", "replace")
    request.setResponseCode(answer.status)
    request.setHeader(b"content-type", b"application/json; charset=utf-8")
    request.setHeader(b"cache-control", b"no-store")
    request.responseHeaders.setRawHeaders(b"set-cookie", [cookie.encode() for cookie in answer.cookies])
    request.setHeader(b"content-length", str(len(body)).encode())
    request.write(body)
    request.finish()


def _fail(failure: Failure, request: Request) -> None:
    if failure.check(CancelledError):  # the caller has gone
        return
    log.error("a request cannot be answered: %s", failure.getTraceback())
    _finish(Response(500, {"told": "Something went wrong. The server's log has the details."}), request)


def _file(request: Request, file: StaticFile) -> Any:
    request.setHeader(b"content-type", file.kind.encode())
    request.setHeader(b"cache-control", b"no-cache")
    request.setHeader(b"etag", file.tag)
    request.setHeader(b"vary", b"accept-encoding")
    if file.tag in (request.getHeader(b"if-none-match") or b""):
        request.setResponseCode(304)
        return b""
    content = file.content
    if b"gzip" in (request.getHeader(b"accept-encoding") or b""):
        request.setHeader(b"content-encoding", b"gzip")
        content = file.packed
    if request.method == b"HEAD":
        request.setHeader(b"content-length", str(len(content)).encode())
        return b""
    return content


def _plain(request: Request, status: int, why: str) -> bytes:
    request.setResponseCode(status)
    request.setHeader(b"content-type", b"text/plain; charset=utf-8")
    request.setHeader(b"cache-control", b"no-store")
    return f"{why}\n".encode()


class BoundedRequest(Request):
    """A request of at most `MAX_BODY_BYTES`, one of at most `MAX_REQUESTS` on its connection."""

    def gotLength(self, length: int | None) -> None:
        """Hang up on a body that is too long, or does not say how long it is."""
        if length is None or length > MAX_BODY_BYTES:
            transport = cast(Any, self.channel).transport
            transport.write(b"HTTP/1.1 413 Content Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
            self.channel.loseConnection()
            length = 0
        super().gotLength(length)  # type: ignore[no-untyped-call]

    def process(self) -> None:
        """Answer it, and close the connection behind its last one."""
        channel = cast(Any, self.channel)
        channel.answered = getattr(channel, "answered", 0) + 1
        if channel.answered >= MAX_REQUESTS:
            channel.persistent = False
            self.setHeader(b"connection", b"close")  # type: ignore[no-untyped-call]
        super().process()  # type: ignore[no-untyped-call]


class Deadlines:
    """Ends connections that are not through with HTTP in time: a byte now and then keeps none open for ever."""

    def __init__(self, clock: ReactorClock, seconds: Callable[[], float]) -> None:
        self._clock = clock
        self._seconds = seconds
        self._calls: dict[Any, DelayedCall] = {}

    def begin(self, transport: Any) -> None:
        """Give a connection its time."""
        self._calls[transport] = self._clock.callLater(self._seconds(), transport.abortConnection)

    def end(self, transport: Any) -> None:
        """Stop the deadline of a connection: it has ended, or is a socket now."""
        cancel(self._calls.pop(transport, None))


class HttpConnection(Protocol):
    """One connection of a browser, which says when it has ended."""

    def __init__(self, behind: Any, deadlines: Deadlines) -> None:
        self._behind = behind
        self._deadlines = deadlines
        self._when_lost: Callable[[], None] = lambda: None

    def when_lost(self, call: Callable[[], None]) -> None:
        """Call something when the connection has ended."""
        self._when_lost = call

    def connectionMade(self) -> None:
        self._deadlines.begin(self.transport)
        self._behind.makeConnection(self.transport)

    def dataReceived(self, data: bytes) -> None:
        self._behind.dataReceived(data)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._deadlines.end(self.transport)
        try:
            self._behind.connectionLost(reason)
        finally:
            self._when_lost()


class WebFactory(ServerFactory):
    """Makes the HTTP protocol for each caller. No log of requests is kept."""

    noisy = False

    def __init__(self, pages: Pages, clock: ReactorClock, deadlines: Deadlines) -> None:
        site = Site(cast(Any, pages), timeout=IDLE_SECONDS, reactor=clock)
        site.requestFactory = BoundedRequest
        site.noisy = False
        site.displayTracebacks = False
        self._site = site
        self._deadlines = deadlines

    def buildProtocol(self, addr: IAddress | None) -> HttpConnection:
        """Return the protocol of a caller."""
        return HttpConnection(self._site.buildProtocol(addr), self._deadlines)
