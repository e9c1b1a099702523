"""The HTTP port for programs that watch a world: /metrics, /healthz and /readyz."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any, Protocol

from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import CollectorRegistry
from twisted.internet.defer import CancelledError, Deferred, maybeDeferred, succeed
from twisted.internet.error import CannotListenError
from twisted.internet.threads import deferToThread
from twisted.protocols.policies import WrappingFactory
from twisted.python.failure import Failure
from twisted.web.http import INTERNAL_SERVER_ERROR, OK, SERVICE_UNAVAILABLE
from twisted.web.pages import notFound
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request, Site

from server.clock import DelayedCall, ReactorClock, cancel
from server.monitoring.health import (
    DiskCheck,
    HealthStatus,
    InThread,
    MonitoredServer,
    ReactorLag,
    doors,
    health,
    readiness,
)
from server.monitoring.metrics import ActivityMetrics, WorldMetrics, new_registry
from server.net.listeners import ANY_FREE, ListeningPort

log = logging.getLogger(__name__)

RETRY_SECONDS = 5.0
IDLE_SECONDS = 30.0
BACKLOG = 50
MAX_OPEN_CONNECTIONS = 32

Answer = tuple[int, str, bytes]


class HttpReactor(ReactorClock, Protocol):
    """The part of a reactor that is needed here."""

    def listenTCP(self, port: int, factory: Any, backlog: int, interface: str) -> ListeningPort: ...
    def callWhenRunning(self, callable: Callable[[], object]) -> object: ...
    def addSystemEventTrigger(self, phase: str, event: str, callable: Callable[[], object]) -> object: ...


class Page(Resource):
    """Answers a GET with what `make` fires with: status, content type, body."""

    isLeaf = True

    def __init__(self, make: Callable[[], Deferred[Answer]]) -> None:
        Resource.__init__(self)
        self._make = make

    def render_GET(self, request: Request) -> int:
        answer = maybeDeferred(self._make)
        request.notifyFinish().addErrback(lambda _: answer.cancel())
        answer.addCallback(_finish, request)
        answer.addErrback(_fail, request)
        return NOT_DONE_YET


def _finish(answer: Answer, request: Request) -> None:
    code, kind, body = answer
    request.setResponseCode(code)
    request.setHeader(b"content-type", kind.encode())
    request.setHeader(b"content-length", str(len(body)).encode())
    request.setHeader(b"cache-control", b"no-store")
    request.write(body)
    request.finish()


def _fail(failure: Failure, request: Request) -> None:
    if not failure.check(CancelledError):  # the caller has gone
        log.error("an HTTP request failed: %s", failure.getTraceback())
        request.setResponseCode(INTERNAL_SERVER_ERROR)
        request.finish()


class Pages(Resource):
    """What there is, and nothing else."""

    def __init__(self) -> None:
        Resource.__init__(self)

    def getChild(self, path: bytes, request: Request) -> Any:
        return notFound()


class CloseAfterRequest(Request):
    """A request after which the connection is closed, so that nobody can send a thousand in one piece."""

    def process(self) -> None:
        self.channel.persistent = False
        self.setHeader(b"connection", b"close")  # type: ignore[no-untyped-call]
        super().process()  # type: ignore[no-untyped-call]


class LimitedSite(WrappingFactory):
    """Accepts MAX_OPEN_CONNECTIONS at once and closes more: handles are needed to save a world."""

    noisy = False

    def buildProtocol(self, addr: Any) -> Any:
        return super().buildProtocol(addr) if len(self.protocols) < MAX_OPEN_CONNECTIONS else None


class MonitoringSite:
    """Opens the port and counts from then on; if the port is taken, it is tried again, and the world goes on."""

    def __init__(
        self,
        monitored: MonitoredServer,
        reactor: HttpReactor,
        echo: Callable[[str], None],
        in_thread: InThread = deferToThread,
    ) -> None:
        self._monitored = monitored
        self._reactor = reactor
        self._echo = echo
        self._registry = new_registry()
        self._activity = ActivityMetrics(self._registry)
        self._lag = ReactorLag(reactor, self._activity.lag_seconds.observe)
        self._registry.register(WorldMetrics(monitored, self._lag))
        self._check_disk = DiskCheck(monitored.vault, reactor, in_thread)
        self._port: ListeningPort | None = None
        self._retry: DelayedCall | None = None
        self._has_logged = False

    def run(self, host: str, port: int) -> None:
        """Open the port once the reactor runs, and close it when it ends, after the world."""
        self._reactor.callWhenRunning(lambda: self.open(host, port))
        self._reactor.addSystemEventTrigger("during", "shutdown", self.close)

    def open(self, host: str, port: int) -> None:
        """Open the port, any free one for -1."""
        self._activity.begin(self._monitored)
        self._lag.start()
        self._listen(host, 0 if port == ANY_FREE else port, self._site())

    def close(self) -> Deferred[Any] | None:
        """Close it."""
        self._lag.stop()
        cancel(self._retry)
        return maybeDeferred(self._port.stopListening) if self._port else None

    def _listen(self, host: str, port: int, site: Any) -> None:
        try:
            self._port = self._reactor.listenTCP(port, site, BACKLOG, host)
        except CannotListenError as error:
            if not self._has_logged:
                log.error("cannot open the metrics port %s:%d, retrying: %s", host, port, error)
            self._has_logged = True
            self._retry = self._reactor.callLater(RETRY_SECONDS, self._listen, host, port, site)
        else:
            self._echo(
                f"Metrics and health are on http://{host}:{self._port.getHost().port}/metrics, /healthz, /readyz."
            )

    def _health(self) -> Deferred[Answer]:
        return self._check_disk().addCallback(
            lambda problem: _json_answer(health(self._monitored, self._lag, problem), doors=doors(self._monitored))
        )

    def _site(self) -> Any:
        root: Any = Pages()
        root.putChild(b"metrics", Page(lambda: succeed(_metrics_page(self._registry))))
        root.putChild(b"healthz", Page(self._health))
        root.putChild(b"readyz", Page(lambda: succeed(_json_answer(readiness(self._monitored)))))
        site = Site(root, timeout=IDLE_SECONDS)
        site.requestFactory = CloseAfterRequest
        site.noisy = False
        site.displayTracebacks = False
        few: Any = LimitedSite
        return few(site)


def _metrics_page(registry: CollectorRegistry) -> Answer:
    return OK, CONTENT_TYPE_LATEST, generate_latest(registry)


def _json_answer(status: HealthStatus, **more: object) -> Answer:
    body = json.dumps(status.row() | more, ensure_ascii=False, indent=2) + "\n"
    return OK if status.is_healthy else SERVICE_UNAVAILABLE, "application/json; charset=utf-8", body.encode()
