"""The way in: which ports are opened, and what is said of them."""

from __future__ import annotations

import logging

import pytest
from twisted.internet.protocol import ServerFactory
from twisted.internet.task import Clock

from config.settings import ServerSettings
from server.net.connection_limits import ConnectionLimiter
from server.net.listeners import Listeners, limits_of
from server.net.listening import BACKLOG, Ports
from tests.server.net.test_listening import PortReactor
from vault.notes import NoteError

NOW_MS = 1_795_000_000_000  # 2026-11-18


class Opened:
    def __init__(self, folder, **settings):
        self.reactor = PortReactor()
        self.clock = Clock()
        given = ServerSettings(port=4000, **settings)
        self.crowd = ConnectionLimiter(lambda: given, self.clock)
        self.listeners = Listeners(
            Ports(self.reactor), self.crowd, lambda: given, folder, self.clock, lambda: NOW_MS, list[str]().append
        )
        self.listeners.open(ServerFactory())


def test_on_this_machine_alone_there_is_nothing_to_warn_of(tmp_path):
    opened = Opened(tmp_path)
    assert opened.reactor.asked == [("127.0.0.1", 4000, BACKLOG)]
    assert (opened.listeners.sentences, opened.listeners.warning, list(tmp_path.iterdir())) == ([], "", [])


def test_plain_telnet_for_other_machines_is_warned_of_loudly(tmp_path, caplog):
    with caplog.at_level(logging.WARNING):
        opened = Opened(tmp_path, host="0.0.0.0")
    warning = (
        "WARNING: telnet is open to other machines on 0.0.0.0:4000, in plain text: whoever is on the way can read "
        "along, passwords too. Set tls_port in config/server.md, or start with --tls-port, and have people use that."
    )
    assert opened.listeners.sentences == [warning]
    assert [record.getMessage() for record in caplog.records] == [warning]


def test_where_there_is_tls_the_warning_names_its_port(tmp_path):
    opened = Opened(tmp_path, host="0.0.0.0", tls_port=4443)
    assert "Have people use TLS on port 4443" in opened.listeners.warning


def test_a_port_for_tls_is_opened_beside_the_other_and_its_certificate_told(tmp_path):
    opened = Opened(tmp_path, tls_port=-1)
    assert opened.reactor.asked == [("127.0.0.1", 0, BACKLOG), ("127.0.0.1", 4000, BACKLOG)]
    [told] = opened.listeners.sentences
    assert told.startswith("Over TLS it is open on 127.0.0.1:5000. Nobody has signed its certificate")
    assert "SHA-256 " in told
    opened.listeners.close()
    assert opened.clock.getDelayedCalls() == []


def test_a_certificate_that_will_not_do_opens_nothing(tmp_path):
    with pytest.raises(NoteError, match=r"mine\.pem: this file cannot be read"):
        Opened(tmp_path, tls_port=4443, tls_certificate="mine.pem")


def test_what_one_connection_may_cost_is_as_the_settings_have_it():
    limits = limits_of(ServerSettings(lines_per_second=7, lines_at_once=70, max_negotiation_bytes=7000))
    assert (limits.lines_per_second, limits.lines_at_once, limits.max_negotiation_bytes) == (7, 70, 7000)


def test_the_world_may_come_in_by_tls_and_only_this_machine_in_plain_text(tmp_path):
    opened = Opened(tmp_path, tls_port=4443, tls_host="0.0.0.0")
    assert opened.reactor.asked == [("0.0.0.0", 4443, BACKLOG), ("127.0.0.1", 4000, BACKLOG)]
    assert opened.listeners.warning == ""
