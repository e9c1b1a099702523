"""What systemd gives is taken and what it wants to know is told; without it nothing is."""

from __future__ import annotations

import logging
import os
import socket

import pytest
from twisted.internet.task import Clock

from server.lifecycle.restart import SystemdNotifier, sockets_given


def given(count: object, names: str | None = None, pid: int | None = None) -> dict[str, str]:
    """Return the environment that systemd starts a service with."""
    environ = {"LISTEN_FDS": str(count), "LISTEN_PID": str(pid or os.getpid()), "HOME": "/"}
    return environ if names is None else environ | {"LISTEN_FDNAMES": names}


@pytest.mark.parametrize(
    ("environ", "sockets"),
    [
        (given(2, "telnet:tls"), {"telnet": [3], "tls": [4]}),
        (given(2, "tls:telnet"), {"tls": [3], "telnet": [4]}),
        (given(3, "telnet:telnet:tls"), {"telnet": [3, 4], "tls": [5]}),
        (given(1), {"telnet": [3]}),
        (given(1, "fallwater.socket"), {"telnet": [3]}),
        (given(2, "tls:fallwater.socket"), {"tls": [3], "telnet": [4]}),
        (given(1, "telnet", pid=1), {}),
        (given("many", "telnet"), {}),
        (given(0), {}),
        ({"HOME": "/"}, {}),
    ],
)
def test_sockets_are_known_by_their_names_and_one_without_is_for_telnet(environ, sockets):
    assert sockets_given(environ) == sockets
    assert environ == {"HOME": "/"}


def test_a_socket_for_nothing_known_is_not_used_and_the_log_says_so(caplog):
    assert sockets_given(given(3, "telnet:http:web")) == {"telnet": [3], "web": [5]}
    told = "the socket called 'http' is not used; name it telnet, tls or web"
    assert [r.getMessage() for r in caplog.records] == [told]


class Systemd:
    """The other end of the socket on which a service says how it is."""

    def __init__(self, address: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(address)
        self.socket.setblocking(False)

    def hears(self) -> list[str]:
        found = []
        while True:
            try:
                found.append(self.socket.recv(4096).decode())
            except BlockingIOError:
                return found


@pytest.fixture(params=["file", "abstract"])
def address(request, tmp_path):
    return str(tmp_path / "notify") if request.param == "file" else f"@fallwater-test-{os.getpid()}"


def test_systemd_is_told_when_the_world_is_open_restarts_and_closes(address):
    systemd = Systemd(address.replace("@", "\0"))
    supervisor = SystemdNotifier({"NOTIFY_SOCKET": address}, 7, Clock())
    supervisor.is_open()
    supervisor.restarts()
    supervisor.closes()
    ready, reloading, stopping = systemd.hears()
    systemd.socket.close()
    assert (ready, stopping) == ("READY=1", "STOPPING=1")
    assert reloading.startswith("RELOADING=1\nMONOTONIC_USEC=")


def test_a_watchdog_hears_twice_in_its_span_until_the_world_closes(tmp_path):
    address, clock = str(tmp_path / "notify"), Clock()
    systemd = Systemd(address)
    environ = {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "20000000", "WATCHDOG_PID": "7"}
    supervisor = SystemdNotifier(environ, 7, clock)
    supervisor.is_open()
    clock.pump([10, 10])
    supervisor.closes()
    clock.advance(100)
    told = systemd.hears()
    systemd.socket.close()
    assert told == ["READY=1", "WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1", "STOPPING=1"]


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"WATCHDOG_USEC": "20000000"},
        {"NOTIFY_SOCKET": "vsock:2:1", "WATCHDOG_USEC": "x"},
        {"NOTIFY_SOCKET": "", "WATCHDOG_USEC": "20000000", "WATCHDOG_PID": "1"},
    ],
)
def test_where_nobody_wants_to_know_nothing_is_told_and_nothing_goes_on(environ, caplog):
    caplog.set_level(logging.INFO)
    clock = Clock()
    supervisor = SystemdNotifier(environ, 7, clock)
    supervisor.is_open()
    supervisor.restarts()
    supervisor.closes()
    assert (clock.getDelayedCalls(), caplog.records) == ([], [])


def test_a_systemd_that_does_not_listen_is_a_warning_and_no_more(tmp_path, caplog):
    SystemdNotifier({"NOTIFY_SOCKET": str(tmp_path / "nobody")}, 7, Clock()).is_open()
    assert [r.getMessage().partition(": ")[0] for r in caplog.records] == ["cannot notify systemd of READY=1"]
