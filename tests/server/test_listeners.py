"""The way in: which ports are opened, and what is said of them."""

from __future__ import annotations

import logging
import os
import socket
from errno import EADDRINUSE

import pytest
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.defer import Deferred
from twisted.internet.error import CannotListenError
from twisted.internet.protocol import Factory, ServerFactory
from twisted.internet.task import Clock
from twisted.internet.tcp import Port

from config.settings import ServerSettings
from server.connection.limits import ConnectionLimiter
from server.listeners import BACKLOG, MAX_ACCEPTS_PER_TURN, TELNET, TLS, Listeners, Ports, limits_of
from vault.errors import NoteError


class OpenPort:
    """A port that is open as far as anybody can tell; its closing ends when `closed` does."""

    def __init__(self, address, closed=None):
        self.address = address
        self.closed = closed
        self.is_open = self.reads = True

    def getHost(self):
        return self.address

    def fileno(self):
        return 100 + self.address.port

    def stopReading(self):
        self.reads = False

    def stopListening(self):
        self.is_open = False
        return self.closed


class PortReactor(Clock):
    """A reactor that remembers what it was asked to listen on, and gives ports from 5000 on where any will do."""

    def __init__(self, closed=None, taken=()):
        super().__init__()
        self._taken = taken
        self.asked = []
        self.ports = []
        self._closed = closed

    def listenTCP(self, port, factory, backlog, interface):
        self.asked.append((interface, port, backlog))
        if port in self._taken:
            raise CannotListenError(interface, port, OSError(EADDRINUSE, "Address already in use"))
        return self._opened(IPv4Address("TCP", interface, port or 5000 + len(self.ports)))

    def adoptStreamPort(self, descriptor, family, factory):
        self.asked.append((descriptor, family))
        return self._opened(IPv6Address("TCP", "::1", 6000 + descriptor))

    def _opened(self, address):
        self.ports.append(OpenPort(address, self._closed))
        return self.ports[-1]


def test_a_port_is_opened_for_many_callers_at_once_and_can_be_asked_for():
    reactor = PortReactor()
    ports = Ports(reactor)
    ports.open(TELNET, "127.0.0.1", 0, Factory())
    ports.open(TLS, "127.0.0.1", 4443, Factory())
    assert BACKLOG >= 512
    assert reactor.asked == [("127.0.0.1", 0, BACKLOG), ("127.0.0.1", 4443, BACKLOG)]
    assert (ports.telnet_port, ports.tls_port) == (5000, 4443)
    assert (ports.address(TELNET), ports.hosts(TLS), ports.failed) == ("127.0.0.1:5000", ["127.0.0.1"], "")


class CrowdedPort(Port):
    """A port of Twisted's at which more wait than it lets in, so that it will let in more the next time."""

    def __init__(self):
        self.let_in, self.numberAccepts = [], 100

    def doRead(self):
        self.let_in.append(self.numberAccepts)
        self.numberAccepts += 20


def test_a_storm_of_callers_is_let_in_a_few_a_turn():
    reactor, port = PortReactor(), CrowdedPort()
    reactor.listenTCP = lambda *asked: port  # type: ignore[method-assign]
    Ports(reactor).open(TELNET, "127.0.0.1", 0, Factory())
    for _ in range(3):
        port.doRead()
    assert port.let_in == [MAX_ACCEPTS_PER_TURN] * 3
    assert MAX_ACCEPTS_PER_TURN <= 20


def test_what_is_not_open_has_no_port_and_no_address():
    ports = Ports(PortReactor())
    assert (ports.telnet_port, ports.tls_port, ports.address(TLS), ports.hosts(TLS)) == (0, 0, "", [])
    assert ports.close() is None


def test_sockets_that_listen_already_are_taken_over_instead_of_opening_others():
    reactor = PortReactor()
    with socket.socket() as four, socket.socket(socket.AF_INET6) as six:
        ports = Ports(reactor, {TELNET: [four.fileno(), six.fileno()]})
        ports.open(TELNET, "127.0.0.1", 4000, Factory())
        ports.open(TLS, "127.0.0.1", 4443, Factory())
        given = [(four.fileno(), socket.AF_INET), (six.fileno(), socket.AF_INET6)]
        assert four.getsockname(), "the sockets are still open"
    assert reactor.asked == [*given, ("127.0.0.1", 4443, BACKLOG)]
    assert (ports.is_adopted(TELNET), ports.is_adopted(TLS)) == (True, False)
    assert ports.address(TELNET) == ", ".join(f"[::1]:{6000 + descriptor}" for descriptor, _ in given)


def test_all_ports_are_closed_together_and_that_is_over_when_the_last_one_is():
    closing: Deferred[None] = Deferred()
    reactor = PortReactor(closing)
    ports = Ports(reactor)
    ports.open(TELNET, "127.0.0.1", 4000, Factory())
    ports.open(TLS, "127.0.0.1", 4443, Factory())
    over: list[None] = []
    done = ports.close()
    assert done is not None
    done.addCallback(lambda _: over.append(None))
    assert [port.is_open for port in reactor.ports] == [False, False]
    assert over == []
    closing.callback(None)
    assert over == [None]
    assert ports.telnet_port == 0


def test_a_port_that_is_taken_is_an_error_leaves_nothing_open_and_is_known():
    ports = Ports(PortReactor(taken=(4000,)))
    with pytest.raises(CannotListenError):
        ports.open(TELNET, "127.0.0.1", 4000, Factory())
    assert (ports.telnet_port, ports.failed, ports.close()) == (0, TELNET, None)


def test_ports_that_are_kept_stay_open_and_only_let_nobody_in():
    reactor = PortReactor()
    ports = Ports(reactor)
    ports.open(TELNET, "127.0.0.1", 0, Factory())
    ports.open(TLS, "127.0.0.1", 4443, Factory())
    assert ports.close(keep=True) is None
    assert [(port.is_open, port.reads) for port in reactor.ports] == [(True, False)] * 2
    assert ports.kept_sockets == {TELNET: [5100], TLS: [4543]}
    assert ports.asked == {TELNET: ("127.0.0.1", 0), TLS: ("127.0.0.1", 4443)}


def test_a_socket_of_the_world_before_is_taken_over_where_the_settings_are_the_same():
    reactor = PortReactor()
    with socket.socket() as telnet, socket.socket() as tls:
        given = {TELNET: [telnet.detach()], TLS: [tls.detach()]}
        ports = Ports(reactor, given, {TELNET: ("127.0.0.1", 0), TLS: ("127.0.0.1", 4443)})
        ports.open(TELNET, "127.0.0.1", 0, Factory())
        ports.open(TLS, "127.0.0.1", 5443, Factory())
    assert reactor.asked == [(given[TELNET][0], socket.AF_INET), ("127.0.0.1", 5443, BACKLOG)]
    assert (ports.is_adopted(TELNET), ports.is_adopted(TLS)) == (False, False)
    assert ports.asked == {TELNET: ("127.0.0.1", 0), TLS: ("127.0.0.1", 5443)}
    ports.close_adopted()
    for (descriptor,) in given.values():
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(descriptor)


def test_a_descriptor_that_is_no_socket_is_an_error():
    reading, writing = os.pipe()
    with pytest.raises(CannotListenError, match="Socket operation on non-socket"):
        Ports(PortReactor(), {TELNET: [reading]}).open(TELNET, "127.0.0.1", 4000, Factory())
    os.close(reading)
    os.close(writing)


def test_what_was_given_from_outside_is_given_on_as_such():
    reactor = PortReactor()
    with socket.socket() as given:
        ports = Ports(reactor, {TELNET: [given.detach()]})
        ports.open(TELNET, "127.0.0.1", 4000, Factory())
    ports.close_adopted()
    assert (ports.is_adopted(TELNET), ports.asked) == (True, {})


NOW_MS = 1_795_000_000_000  # 2026-11-18


class Opened:
    def __init__(self, folder, taken=(), **settings):
        self.reactor = PortReactor(taken=taken)
        self.clock = Clock()
        given = ServerSettings(port=4000, **{"web_port": 0, **settings})
        self.limiter = ConnectionLimiter(lambda: given, self.clock)
        self.listeners = Listeners(
            Ports(self.reactor), self.limiter, lambda: given, folder, self.clock, lambda: NOW_MS, list[str]().append
        )
        self.listeners.open(ServerFactory(), ServerFactory())


def test_on_this_machine_alone_there_is_nothing_to_warn_of(tmp_path):
    opened = Opened(tmp_path)
    assert opened.reactor.asked == [("127.0.0.1", 4000, BACKLOG)]
    assert (opened.listeners.startup_messages, opened.listeners.warning, list(tmp_path.iterdir())) == ([], "", [])


def test_plain_telnet_for_other_machines_is_warned_of_loudly(tmp_path, caplog):
    with caplog.at_level(logging.WARNING):
        opened = Opened(tmp_path, host="0.0.0.0")
    warning = (
        "WARNING: telnet is open to other machines on 0.0.0.0:4000, in plain text: anyone on the network path can "
        "read it, passwords too. Set tls_port in config/server.md, or start with --tls-port, and have people use that."
    )
    assert opened.listeners.startup_messages == [warning]
    assert [record.getMessage() for record in caplog.records] == [warning]


def test_where_there_is_tls_the_warning_names_its_port(tmp_path):
    opened = Opened(tmp_path, host="0.0.0.0", tls_port=4443)
    assert "Have people use TLS on port 4443" in opened.listeners.warning


def test_a_port_for_tls_is_opened_beside_the_other_and_its_certificate_told(tmp_path):
    opened = Opened(tmp_path, tls_port=-1)
    assert opened.reactor.asked == [("127.0.0.1", 0, BACKLOG), ("127.0.0.1", 4000, BACKLOG)]
    [told] = opened.listeners.startup_messages
    assert told.startswith("Over TLS it is open on 127.0.0.1:5000. Its certificate is self-signed")
    assert "SHA-256 " in told
    opened.listeners.close()
    assert opened.clock.getDelayedCalls() == []


def test_a_certificate_that_will_not_do_opens_nothing(tmp_path):
    with pytest.raises(NoteError, match=r"mine\.pem: this file cannot be read"):
        Opened(tmp_path, tls_port=4443, tls_certificate="mine.pem")


def test_the_page_has_a_port_of_its_own_and_its_address_is_told(tmp_path):
    opened = Opened(tmp_path, web_port=4080)
    assert opened.reactor.asked == [("127.0.0.1", 4000, BACKLOG), ("127.0.0.1", 4080, BACKLOG)]
    assert opened.listeners.startup_messages == ["In a browser it is open on http://127.0.0.1:4080/"]


def test_the_page_may_be_served_over_tls_without_telnet_over_tls(tmp_path):
    opened = Opened(tmp_path, web_port=4080, web_tls=True)
    page, certificate = opened.listeners.startup_messages
    assert page == "In a browser it is open on https://127.0.0.1:4080/"
    assert certificate.startswith("Its certificate is self-signed")
    opened.listeners.close()


def test_without_the_port_of_the_page_the_world_opens_and_says_so(tmp_path, caplog):
    opened = Opened(tmp_path, taken=(4080,), web_port=4080)
    told = "There is no page for browsers: 127.0.0.1:4080 cannot be opened: Address already in use. See web_port."
    assert opened.listeners.startup_messages == [told]
    assert [record.getMessage() for record in caplog.records] == [told]


def test_what_one_connection_may_cost_is_as_the_settings_have_it():
    limits = limits_of(ServerSettings(lines_per_second=7, lines_at_once=70, max_negotiation_bytes=7000))
    assert (limits.lines_per_second, limits.lines_at_once, limits.max_negotiation_bytes) == (7, 70, 7000)


def test_the_world_may_come_in_by_tls_and_only_this_machine_in_plain_text(tmp_path):
    opened = Opened(tmp_path, tls_port=4443, tls_host="0.0.0.0")
    assert opened.reactor.asked == [("0.0.0.0", 4443, BACKLOG), ("127.0.0.1", 4000, BACKLOG)]
    assert opened.listeners.warning == ""
