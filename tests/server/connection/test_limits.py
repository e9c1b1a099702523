"""How many may call, in all and from one address."""

from __future__ import annotations

import logging
import resource
from contextlib import nullcontext
from typing import Any

import pytest
from twisted.internet.address import IPv4Address
from twisted.internet.protocol import Protocol, ServerFactory
from twisted.internet.task import Clock

from config.settings import ServerSettings
from server.connection import limits as connection_limits
from server.connection.limits import (
    OVERFLOW,
    OVERFLOW_PER_ADDRESS,
    RESERVED_FDS,
    ConnectionLimiter,
    LimitingFactory,
    raise_fd_limit,
)

CALLER: Any = IPv4Address("TCP", "127.0.0.1", 40000)
SETTINGS = ServerSettings(max_connections=10, connections_per_address=3, connects_per_minute=6)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def limiter(clock):
    return ConnectionLimiter(lambda: SETTINGS, clock)


def admitted(limiter, hosts):
    return [limiter.admit(host) for host in hosts].count(True)


def test_those_who_are_a_few_too_many_may_call_to_be_told_so_and_more_are_hung_up_on(limiter):
    hosts = [f"203.0.113.{number}" for number in range(200)]
    assert (limiter.room, admitted(limiter, hosts), limiter.count) == (10, 10 + OVERFLOW, 10 + OVERFLOW)


def test_one_address_may_call_so_often_at_once_and_a_few_more_are_told_why_not(limiter):
    told = []
    for _ in range(20):
        if limiter.admit("203.0.113.5"):
            told.append(limiter.exceeds_address_limit("203.0.113.5"))
    assert told == [False, False, False, True, True, True]  # the rest is more than six calls a minute
    assert not limiter.exceeds_address_limit("203.0.113.6")


def test_a_network_of_ipv6_counts_as_one_address(clock):
    limiter = ConnectionLimiter(lambda: ServerSettings(connections_per_address=2, connects_per_minute=0), clock)
    assert admitted(limiter, [f"2001:db8::{number}" for number in range(1, 20)]) == 2 + OVERFLOW_PER_ADDRESS
    assert limiter.exceeds_address_limit("2001:db8::ffff")
    assert limiter.admit("2001:db8:0:1::1")


def test_this_machine_itself_may_call_as_often_as_it_likes_within_the_number_of_all(limiter):
    assert admitted(limiter, ["127.0.0.1"] * 40 + ["::1"] * 100) == 10 + OVERFLOW
    assert not limiter.exceeds_address_limit("127.0.0.1")


def test_who_has_gone_makes_room(limiter):
    for _ in range(3):
        limiter.admit("203.0.113.5")
    limiter.leave("203.0.113.5")
    assert limiter.count == 2
    assert limiter.admit("203.0.113.5")
    assert not limiter.exceeds_address_limit("203.0.113.5")


def test_one_address_may_make_so_many_connections_a_minute(limiter, clock):
    calls = []
    for _ in range(60):
        calls.append(limiter.admit("203.0.113.5"))
        if calls[-1]:
            limiter.leave("203.0.113.5")
        clock.advance(1)
    assert calls[:6] == [True] * 6
    assert 10 <= calls.count(True) <= 12
    assert limiter.admit("203.0.113.6")


def test_0_allows_any_number_of_one_address(clock):
    limiter = ConnectionLimiter(lambda: ServerSettings(connections_per_address=0, connects_per_minute=0), clock)
    assert admitted(limiter, ["203.0.113.5"] * 300) == 300
    assert not limiter.exceeds_address_limit("203.0.113.5")


def test_there_is_never_room_for_more_than_the_process_can_hold_open(limiter):
    limiter.most = OVERFLOW + 4
    assert limiter.room == 4
    assert admitted(limiter, ["127.0.0.1"] * 200) == OVERFLOW + 4


def test_who_is_hung_up_on_is_counted_by_the_reason(limiter):
    for _ in range(7):
        limiter.admit("203.0.113.5")
        limiter.leave("203.0.113.5")
    assert limiter.traffic["telnet"].refused == {"too_often": 1}
    few = ConnectionLimiter(
        lambda: ServerSettings(max_connections=10, connections_per_address=3, connects_per_minute=0), Clock()
    )
    admitted(few, ["203.0.113.5"] * 9)
    admitted(few, ["127.0.0.1"] * 80)
    assert few.traffic["telnet"].refused == {
        "too_many_from_there": 9 - 3 - OVERFLOW_PER_ADDRESS,
        "full": 80 - (10 + OVERFLOW - 7),
    }


def test_settings_that_change_count_at_once(clock):
    now = [ServerSettings(max_connections=1)]
    limiter = ConnectionLimiter(lambda: now[0], clock)
    assert limiter.room == 1
    now[0] = ServerSettings(max_connections=100)
    assert limiter.room == 100


def test_a_storm_leaves_two_lines_a_minute_in_the_log(limiter, clock, caplog):
    with caplog.at_level(logging.WARNING):
        admitted(limiter, ["203.0.113.5"] * 100 + ["203.0.113.6"] * 10)
        clock.advance(60)
    assert [record.getMessage() for record in caplog.records] == [
        "203.0.113.5 rejected: too many connections. Further rejections are summed up once a minute.",
        "98 connections rejected within a minute, 94 of them from 203.0.113.5.",
    ]


def test_what_is_known_of_callers_is_bounded(clock):
    limiter = ConnectionLimiter(lambda: ServerSettings(max_connections=20000), clock)
    for number in range(12_000):
        host = f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"
        limiter.admit(host)
        limiter.leave(host)
    assert len(limiter._calls) <= 10_000
    assert (limiter.count, len(limiter._of_address)) == (0, 0)


class Leaver(Protocol):
    def when_lost(self, call):
        self.leave = call


class Known(ServerFactory):
    noisy = False
    protocol = Leaver


def test_a_gate_hangs_up_on_whom_the_crowd_does_not_admit_and_tells_it_who_has_gone(limiter):
    gate = LimitingFactory(Known(), limiter)
    made = [gate.buildProtocol(CALLER) for _ in range(10 + OVERFLOW)]
    assert gate.buildProtocol(CALLER) is None
    made[0].leave()
    assert limiter.count == 10 + OVERFLOW - 1
    assert gate.buildProtocol(CALLER) is not None


class Closed(ServerFactory):
    """Takes nobody, or fails to."""

    def __init__(self, error: Exception | None) -> None:
        self.error = error

    def buildProtocol(self, addr):
        if self.error:
            raise self.error


@pytest.mark.parametrize("error", [None, RuntimeError("no settings")])
def test_a_gate_counts_nobody_whom_the_factory_does_not_take(limiter, error):
    with pytest.raises(RuntimeError) if error else nullcontext():
        assert LimitingFactory(Closed(error), limiter).buildProtocol(CALLER) is None
    assert limiter.count == 0


@pytest.fixture
def limits(monkeypatch):
    """Stand in for the operating system; `limits[0]` is what is allowed, `limits[1]` what may be asked for."""
    limits = [1024, 4096]
    monkeypatch.setattr(resource, "getrlimit", lambda which: tuple(limits))
    monkeypatch.setattr(resource, "setrlimit", lambda which, wanted: limits.__setitem__(slice(None), wanted))
    monkeypatch.setattr(connection_limits, "_in_use", lambda: 20)
    return limits


@pytest.mark.parametrize(
    ("soft", "hard", "wanted", "room", "then"),
    [
        (1024, 4096, 500, 1024 - 20 - RESERVED_FDS - 128, 1024),  # what is allowed is enough
        (260, 260, 500, 260 - 20 - RESERVED_FDS - 32, 260),  # of few handles most are for connections
        (1024, 4096, 2000, 2000, 2000 + 20 + RESERVED_FDS + 256),  # as many are asked for as are needed
        (1024, 4096, 20000, 4096 - 20 - RESERVED_FDS - 256, 4096),  # and no more than may be
        (64, 64, 500, 1, 64),  # an absurdly low limit leaves room for one
    ],
)
def test_as_many_handles_are_asked_for_as_connections_need(limits, soft, hard, wanted, room, then):
    limits[:] = [soft, hard]
    assert (raise_fd_limit(wanted), limits) == (room, [then, hard])
