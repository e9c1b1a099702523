"""The monitoring port: /metrics for Prometheus, /healthz and /readyz.

Figures are read from the world at the moment they are asked for. No label has anything that was written by somebody who
plays: they are verbs of the table, kinds of events, models and endpoints as the operator has named them.
"""

from __future__ import annotations

import json
import logging
from collections import Counter as Counted
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib.metadata import version
from typing import Any, Protocol, TypeVar

from prometheus_client import (
    CollectorRegistry,
    Counter,
    GCCollector,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from twisted.internet.defer import CancelledError, Deferred, maybeDeferred, succeed
from twisted.internet.error import CannotListenError
from twisted.protocols.policies import WrappingFactory
from twisted.python.failure import Failure
from twisted.web.http import INTERNAL_SERVER_ERROR, OK, SERVICE_UNAVAILABLE
from twisted.web.pages import notFound
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request, Site

from agents.models.endpoint import Endpoint
from server.clock import DelayedCall, InThread, ReactorClock, cancel
from server.connection.connection import DROP_REASONS, REFUSAL_REASONS
from server.health import (
    DiskCheck,
    HealthStatus,
    MonitoredServer,
    ReactorLag,
    doors,
    health,
    readiness,
)
from server.listeners import ANY_FREE, ListeningPort
from world.events import Event
from world.game import CommandResult

Labels = TypeVar("Labels", bound=tuple[str, ...])

SECONDS_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)
UNKNOWN = "unknown"

log = logging.getLogger(__name__)

RETRY_SECONDS = 5.0
IDLE_SECONDS = 30.0
BACKLOG = 50
MAX_OPEN_CONNECTIONS = 32
Answer = tuple[int, str, bytes]


class ActivityMetrics:
    """Counts what cannot be read from a world later: lines, events, and how long things take.

    Commands are by the verb of the table (or "unknown"), who ("people" or "agents") and result ("done", "refused" or
    "failed").
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        def histogram(name: str, about: str) -> Histogram:
            return Histogram(f"fallwater_{name}", about, buckets=SECONDS_BUCKETS, registry=registry)

        labels = ("command", "by", "result")
        self.commands = Counter(
            "fallwater_commands", "Lines by command, by whom and by result.", labels, registry=registry
        )
        self.events = Counter("fallwater_events", "What happened, by kind.", ("kind",), registry=registry)
        self.command_seconds = histogram("command_seconds", "How long a line of a player takes.")
        self.sync_seconds = histogram("journal_sync_seconds", "Forcing memories to disk.")
        self.lag_seconds = histogram("reactor_lag_seconds", "How late the reactor is, measured twice a second.")

    def begin(self, monitored: MonitoredServer) -> None:
        """Count the events of a world from now on."""
        game = monitored.game
        went_wrong = game.world.wording("commands.went_wrong")

        def count_line(character_id: str, text: str, done: CommandResult) -> None:
            actor = game.world.characters.get(character_id)
            who = "agents" if actor and actor.is_agent else "people"
            result = "done" if done.accepted else "failed" if done.refusal == went_wrong else "refused"
            self.commands.labels(done.verb or UNKNOWN, who, result).inc()
            if who == "people":
                self.command_seconds.observe(done.seconds)

        game.subscribe("metrics", self._count)
        game.subscribe_lines("metrics", count_line)
        monitored.sync.subscribe("metrics", self.sync_seconds.observe)

    def _count(self, events: tuple[Event, ...]) -> None:
        for event in events:
            self.events.labels(type(event).__name__).inc()


class WorldMetrics(Collector):
    """Yields the metrics that can be read from a world at the moment of the request."""

    def __init__(self, monitored: MonitoredServer, lag: ReactorLag) -> None:
        self._monitored = monitored
        self._lag = lag

    def collect(self) -> Iterable[Metric]:
        """Return the metrics."""
        return [*self._people(), *self._doors(), *self._models(), *self._memories(), *self._machine()]

    def describe(self) -> Iterable[Metric]:
        """Return nothing: what there will be is known only when it is there."""
        return []

    def _people(self) -> Iterable[Metric]:
        registry, agents = self._monitored.registry, self._monitored.agents
        asleep = sum(not agent.character.awake for agent in agents.values())
        paused = sum(agent.settings.paused and agent.character.awake for agent in agents.values())
        states = {("awake",): len(agents) - asleep - paused, ("paused",): paused, ("asleep",): asleep}
        yield _gauge("players", "Characters that somebody plays.", len(registry.playing))
        yield _gauges("agents", "Agents by what they do.", ("state",), states)

    def _doors(self) -> Iterable[Metric]:
        registry = self._monitored.registry
        doors = registry.traffic.items()
        sessions = Counted(session.door for session in registry.sessions)
        by_door = ("door",)
        connections = {(door,): float(one.connections) for door, one in doors}
        yield _gauges("connections", "Open connections.", by_door, connections)
        entered = {(door,): float(sessions[door]) for door, _ in doors}
        yield _gauges("sessions", "Those who log in or play, a page's absent visitors too.", by_door, entered)
        sent = {(door,): float(one.sent_bytes) for door, one in doors}
        yield _counters("output_bytes", "Bytes sent to players.", by_door, sent)
        lines = {(door,): float(one.sent_lines) for door, one in doors}
        yield _counters("output_lines", "Lines shown to players.", by_door, lines)
        resumes = {(door,): float(one.resumes) for door, one in doors}
        yield _counters("resumes", "Players who came back after a lost connection.", by_door, resumes)
        labels = ("door", "reason")
        dropped = {
            (door, why.replace(" ", "_")): float(one.dropped[why]) for door, one in doors for why in DROP_REASONS
        }
        yield _counters("dropped_clients", "Clients dropped, by reason.", labels, dropped)
        refused = {(door, why): float(one.refused[why]) for door, one in doors for why in REFUSAL_REASONS}
        yield _counters("turned_away", "Refused connections, by reason.", labels, refused)

    def _models(self) -> Iterable[Metric]:
        queues = self._monitored.scheduler.queues_by_name()
        status = {(name,): queue.status() for name, queue in queues.items()}
        waiting = {name: float(one.waiting) for name, one in status.items()}
        yield _gauges("model_queue_waiting", "Requests that wait for a model.", ("queue",), waiting)
        running = {name: float(one.running) for name, one in status.items()}
        yield _gauges("model_queue_running", "Requests that a model works on.", ("queue",), running)
        yield from self._endpoints({route.endpoint for queue in queues.values() for route in queue.routes})

    def _endpoints(self, endpoints: Iterable[Endpoint]) -> Iterable[Metric]:
        records = {one.name: one.record for one in endpoints}
        requests = {(name, "answered"): float(one.answered) for name, one in records.items()}
        requests |= {(name, "failed"): float(one.failed) for name, one in records.items()}
        yield _counters("model_requests", "Requests by endpoint and result.", ("endpoint", "result"), requests)
        tokens = {(name, "prompt"): float(one.prompt_tokens) for name, one in records.items()}
        tokens |= {(name, "completion"): float(one.completion_tokens) for name, one in records.items()}
        yield _counters("model_tokens", "Tokens by endpoint and kind.", ("endpoint", "kind"), tokens)
        seconds = {(name,): one.seconds for name, one in records.items()}
        yield _counters("model_seconds", "Time that answers took.", ("endpoint",), seconds)

    def _memories(self) -> Iterable[Metric]:
        agents = self._monitored.agents.values()
        records = [agent.compactor.stats for agent in agents]
        results = {("done",): sum(one.cycles for one in records), ("failed",): sum(one.failures for one in records)}
        yield _gauge("memories", "Memories of all agents.", sum(agent.memory.journal.last for agent in agents))
        yield _gauge("memories_unwritten", "Memories that wait to be written.", sum(a.memory.waiting for a in agents))
        yield _counters("compactions", "Compactions of memories by result.", ("result",), results)

    def _machine(self) -> Iterable[Metric]:
        yield _gauge("reactor_lag_worst_seconds", "The latest within a minute.", self._lag.worst())
        yield _gauge("open", "1 while people may come in.", float(self._monitored.is_open()))
        yield InfoMetricFamily("fallwater", "What runs here.", value={"version": version("fallwater")})


def new_registry() -> CollectorRegistry:
    """Return a registry that has the metrics of the process."""
    disable_created_metrics()  # type: ignore[no-untyped-call]  # a second series for each counter, that says when it began
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    GCCollector(registry=registry)
    return registry


def _gauge(name: str, about: str, value: float) -> Metric:
    return GaugeMetricFamily(f"fallwater_{name}", about, value)


def _filled(
    kind: Callable[..., GaugeMetricFamily | CounterMetricFamily],
    name: str,
    about: str,
    labels: tuple[str, ...],
    rows: Mapping[Labels, float],
) -> Metric:
    family = kind(f"fallwater_{name}", about, labels=labels)
    for values, number in rows.items():
        family.add_metric(values, number)
    return family


_gauges = partial(_filled, GaugeMetricFamily)
_counters = partial(_filled, CounterMetricFamily)


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
        in_thread: InThread,
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
        root: Any = notFound()  # at every other path
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
