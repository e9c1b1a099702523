"""Which signals close a world, which restart it, and which it leaves alone."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from server.lifecycle.signals import install_signal_handlers

TAKEN = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in TAKEN}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_a_hang_up_that_the_parent_ignores_stays_ignored():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    asked: list[str] = []
    install_signal_handlers(lambda: asked.append("close"), lambda: asked.append("restart"))
    signal.raise_signal(signal.SIGHUP)
    assert asked == []
    signal.raise_signal(signal.SIGTERM)
    assert asked == ["close"]


def test_a_hang_up_that_came_during_a_restart_is_answered_once_signals_are_taken():
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    asked: list[str] = []
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
    signal.raise_signal(signal.SIGHUP)
    install_signal_handlers(lambda: asked.append("close"), lambda: asked.append("restart"))
    assert len(asked) == 1
