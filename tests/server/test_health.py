"""Health and readiness: good while a world is, and failing for a reason that is told."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.error import CannotListenError, ConnectionDone
from twisted.internet.protocol import Factory
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.python.failure import Failure

from config.settings import ServerSettings
from server.app import Fallwater
from server.health import (
    MAX_DISK_SECONDS,
    DiskCheck,
    HealthStatus,
    ReactorLag,
    check_write,
    doors,
    health,
    readiness,
)
from server.listeners import TELNET, WEB, Ports
from server.metrics import MAX_OPEN_CONNECTIONS, MonitoringSite
from tests.server.front_door import at_once
from tests.server.monitored_world import FillingDisk, world_of
from vault.atomic_write import Disk
from world.events import Arrived


@pytest.fixture
def reactor() -> MemoryReactorClock:
    return MemoryReactorClock()


@pytest.fixture
def disk() -> FillingDisk:
    return FillingDisk()


@pytest.fixture
def world(tmp_path, reactor, disk) -> Iterator[Fallwater]:
    made = world_of(tmp_path, reactor, disk)
    yield made
    made.agents.close()


@pytest.fixture
def lag(reactor) -> ReactorLag:
    lag = ReactorLag(reactor)
    lag.start()
    return lag


def checked(world: Fallwater, lag: ReactorLag) -> HealthStatus:
    """Return what /healthz would, with the disk checked at once."""
    found = list[str]()
    DiskCheck(world.monitored.vault, MemoryReactorClock(), at_once)().addCallback(found.append)
    return health(world.monitored, lag, *found)


def test_a_world_without_trouble_is_healthy(world, lag):
    assert checked(world, lag).row() == {
        "status": "ok",
        "reasons": [],
        "checks": {"reactor": "ok", "vault": "ok", "journals": "ok", "saving": "ok"},
    }


def test_each_door_is_told_apart(world, reactor):
    unused = {"connections": 0, "sent_lines": 0, "resumes": 0, "slow_readers": 0, "refused": {}}
    assert doors(world.monitored) == {door: {"listens": "", **unused} for door in ("telnet", "web")}
    ports = Ports(reactor)
    ports.open(WEB, "127.0.0.1", 4080, Factory())
    world.monitored.ports = lambda: ports
    web = world.registry.traffic["web"]
    web.connections, web.dropped["does not read"], web.refused["bad_ticket"] = 3, 1, 2
    told = doors(world.monitored)
    assert told["web"] == unused | {
        "listens": ports.address(WEB),
        "connections": 3,
        "slow_readers": 1,
        "refused": {"bad_ticket": 2},
    }
    assert told["telnet"] == {"listens": "", **unused}


def test_a_check_of_health_writes_nothing_into_the_vault(world, lag):
    class Untouched(Disk):
        def write_draft(self, draft: Path, text: bytes, durable: bool) -> None:
            raise AssertionError(f"{draft} is written")

    world.monitored.vault.disk, root = Untouched(), world.monitored.vault.root
    before = root.stat().st_mtime_ns
    assert checked(world, lag).is_healthy
    assert root.stat().st_mtime_ns == before


def test_a_disk_that_hangs_fails_the_check_in_time_and_holds_one_thread(world, lag, reactor):
    threads, found = list[Deferred[str]](), list[str]()

    def in_thread(check: Callable[..., str], *arguments: Any) -> Deferred[str]:
        threads.append(Deferred())
        return threads[-1]

    check = DiskCheck(world.monitored.vault, reactor, in_thread)
    check().addCallback(found.append)
    check().addCallback(found.append)
    assert found == []
    reactor.advance(MAX_DISK_SECONDS)
    assert found == [f"the disk of {world.monitored.vault.root} has not answered for 2 s"] * 2
    assert health(world.monitored, lag, found[0]).reasons == [f"vault: {found[0]}"]
    check().addCallback(found.append)
    assert len(threads) == 1
    threads.pop().callback("")
    assert found[2:] == [""]
    check()
    assert len(threads) == 1


def test_a_vault_whose_folder_has_gone_is_told(world, lag):
    world.monitored.vault.root.rename(world.monitored.vault.root.with_name("moved"))
    assert checked(world, lag).reasons == [
        f"vault: {world.monitored.vault.root} cannot be written: No such file or directory"
    ]


def test_a_vault_that_cannot_be_written_is_told_even_before_anybody_does_anything(world, lag, disk):
    vault, disk.is_full = world.monitored.vault, True
    assert check_write(vault) == f"{vault.root} cannot be written: No space left on device"
    assert checked(world, lag).row() == {
        "status": "failing",
        "reasons": [f"vault: {vault.root} cannot be written: No space left on device"],
        "checks": {
            "reactor": "ok",
            "vault": f"{vault.root} cannot be written: No space left on device",
            "journals": "ok",
            "saving": "ok",
        },
    }


def test_memories_that_wait_are_told_until_they_are_written(world, lag, disk):
    memory, disk.is_full = world.agents["Eliza"].memory, True
    memory.record("observed", "It rains.")
    memory.record("observed", "It pours.")
    disk.is_full = False
    (reason,) = checked(world, lag).reasons
    assert reason.startswith("journals: 2 memories wait to be written: agents/Eliza/journal: ")
    assert reason.endswith("No space left on device. Make room on the disk or mend its permissions.")
    memory.write_pending()
    assert checked(world, lag).is_healthy


def test_what_could_not_be_saved_is_told_until_it_is(world, lag, disk):
    disk.is_full = True
    moss = world.world.characters["Moss"]
    moss.room_id = "The Weir" if moss.room_id != "The Weir" else "The Landing"
    world.game.publish((Arrived("Moss", moss.room_id),))
    disk.is_full = False
    (reason,) = checked(world, lag).reasons
    assert reason.startswith("saving: ")
    assert "No space left on device" in reason
    world.game.publish((Arrived("Moss", moss.room_id),))
    assert checked(world, lag).is_healthy


def test_a_reactor_that_was_late_is_unwell_for_ten_seconds(world, lag, reactor):
    reactor.advance(6.5)
    assert checked(world, lag).reasons == ["reactor: what was due was done 6.0 s late"]
    reactor.pump([0.5] * 21)
    assert checked(world, lag).is_healthy


def test_a_world_is_ready_from_when_its_port_is_open_until_it_closes(world, reactor):
    assert readiness(world.monitored).reasons == [
        "world: it is not open yet, or is closing",
        "listening: no port is open",
    ]
    ports = Ports(reactor)
    ports.open(TELNET, "127.0.0.1", 4000, Factory())
    world.monitored.ports = lambda: ports
    world.running = True
    assert readiness(world.monitored).is_healthy
    world.running = False
    assert readiness(world.monitored).reasons == ["world: it is not open yet, or is closing"]


class Asking:
    """Asks the pages of a world, as the reactor has them."""

    def __init__(self, world: Fallwater, reactor: Any, port: int, in_thread: Callable[..., Any] = at_once) -> None:
        self.said: list[str] = []
        site = MonitoringSite(world.monitored, reactor, self.said.append, in_thread)
        site.run(ServerSettings().metrics_host, port)
        for call, arguments, named in reactor.whenRunningHooks:
            call(*arguments, **named)
        self.servers = reactor.tcpServers

    def get(self, path: str) -> tuple[str, str]:
        """Return the status line and the body."""
        channel: Any = self.servers[-1][1].buildProtocol(None)
        transport = StringTransport()
        channel.makeConnection(transport)
        channel.dataReceived(f"GET {path} HTTP/1.0\r\n\r\n".encode())
        head, _, body = transport.value().decode().partition("\r\n\r\n")
        channel.connectionLost(None)
        return head.split("\r\n")[0], body


def test_the_port_is_on_loopback_and_answers_with_200_or_503(world, reactor):
    asking = Asking(world, reactor, 9100)
    assert [(server[0], server[3]) for server in asking.servers] == [(9100, "127.0.0.1")]
    status, body = asking.get("/readyz")
    assert (status, json.loads(body)["status"]) == ("HTTP/1.0 503 Service Unavailable", "failing")
    status, body = asking.get("/healthz")
    assert (status, json.loads(body)["status"]) == ("HTTP/1.0 200 OK", "ok")
    status, body = asking.get("/metrics")
    assert (status, "fallwater_memories " in body) == ("HTTP/1.0 200 OK", True)
    assert asking.get("/passwords")[0] == "HTTP/1.0 404 Not Found"


def test_a_check_that_nobody_waits_for_any_more_is_no_fault(world, reactor, caplog):
    asking = Asking(world, reactor, 9100, lambda *_: Deferred())
    channel: Any = asking.servers[-1][1].buildProtocol(None)
    channel.makeConnection(StringTransport())
    channel.dataReceived(b"GET /healthz HTTP/1.0\r\n\r\n")
    channel.connectionLost(Failure(ConnectionDone()))
    reactor.advance(MAX_DISK_SECONDS)
    assert caplog.records == []


def test_of_requests_in_one_piece_the_first_is_answered(world, reactor):
    channel: Any = Asking(world, reactor, 9100).servers[-1][1].buildProtocol(None)
    transport = StringTransport()
    channel.makeConnection(transport)
    channel.dataReceived(b"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n" * 100)
    answer = transport.value().lower()
    assert (answer.count(b"http/1.1 404"), b"connection: close" in answer, transport.disconnecting) == (1, True, True)


def test_of_many_who_ask_at_once_some_are_hung_up_on(world, reactor):
    factory = Asking(world, reactor, 9100).servers[-1][1]
    callers = [factory.buildProtocol(None) for _ in range(MAX_OPEN_CONNECTIONS)]
    for caller in callers:
        caller.makeConnection(StringTransport())
    assert factory.buildProtocol(None) is None
    callers[0].connectionLost(None)
    assert factory.buildProtocol(None)


def test_a_port_that_is_taken_is_tried_again_and_keeps_no_world_from_opening(world, reactor, caplog):
    free, taken = reactor.listenTCP, [True]

    def listen(port, factory, backlog, interface):
        if taken:
            raise CannotListenError(interface, port, OSError(errno.EADDRINUSE, "Address already in use"))
        return free(port, factory, backlog, interface)

    reactor.listenTCP = listen
    asking = Asking(world, reactor, 9100)
    reactor.pump([1.0] * 11)
    assert len(caplog.records) == 1
    assert asking.said == []
    taken.clear()
    reactor.pump([1.0] * 6)
    assert len(asking.said) == 1
