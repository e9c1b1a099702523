"""How many connections a process can hold open."""

from __future__ import annotations

import resource

import pytest

from server.net import fd_limit
from server.net.fd_limit import RESERVED, raise_fd_limit


@pytest.fixture
def limits(monkeypatch):
    """Stand in for the operating system; `limits[0]` is what is allowed, `limits[1]` what may be asked for."""
    limits = [1024, 4096]
    monkeypatch.setattr(resource, "getrlimit", lambda which: tuple(limits))
    monkeypatch.setattr(resource, "setrlimit", lambda which, wanted: limits.__setitem__(slice(None), wanted))
    monkeypatch.setattr(fd_limit, "_in_use", lambda: 20)
    return limits


def test_what_is_allowed_is_enough_for_few_connections(limits):
    assert (raise_fd_limit(500), limits) == (1024 - 20 - RESERVED, [1024, 4096])


def test_as_many_handles_are_asked_for_as_many_connections_need(limits):
    assert (raise_fd_limit(2000), limits) == (2000, [2000 + 20 + RESERVED, 4096])


def test_there_is_no_room_beyond_what_may_be_asked_for(limits):
    assert (raise_fd_limit(20000), limits) == (4096 - 20 - RESERVED, [4096, 4096])


def test_a_limit_that_is_absurdly_low_leaves_room_for_one(limits):
    limits[:] = [64, 64]
    assert raise_fd_limit(500) == 1
