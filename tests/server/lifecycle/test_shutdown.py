"""A world closes in stages; none of them keeps the others from their turn."""

from __future__ import annotations

import logging
import signal
from collections.abc import Iterator

import pytest
from twisted.internet.defer import CancelledError, Deferred, fail
from twisted.internet.task import Clock

from server.lifecycle.restart import ShutdownRequest, in_stages, install_signal_handlers

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


def has_ended(shutdown: Deferred[None]) -> bool:
    """Return whether all stages are over; a Deferred that waits for another counts as called."""
    return shutdown.called and not shutdown.paused


def test_stages_come_one_after_the_other():
    clock, done, slow = Clock(), list[str](), Deferred[None]()

    def first() -> Deferred[None]:
        done.append("first")
        return slow

    ended = in_stages(clock, 10, [("first", first), ("second", lambda: done.append("second"))])
    assert done == ["first"]
    slow.callback(None)
    assert done == ["first", "second"]
    assert has_ended(ended)
    assert clock.getDelayedCalls() == []


def test_a_stage_that_takes_too_long_is_left_behind_and_logged(caplog):
    clock, done = Clock(), list[str]()
    ended = in_stages(clock, 10, [("closing the door", Deferred), ("saving", lambda: done.append("saving"))])
    clock.advance(9.9)
    assert done == []
    clock.advance(0.1)
    assert (done, has_ended(ended)) == (["saving"], True)
    assert [r.getMessage() for r in caplog.records] == [
        "closing the door did not end well: it took longer than 10 seconds"
    ]


def test_a_stage_may_take_too_long_where_everything_is_done_in_haste(caplog):
    clock, done = Clock(), list[str]()
    in_stages(clock, 0.4, [("ending thoughts", Deferred), ("saving", lambda: done.append("saving"))], in_haste=True)
    clock.advance(0.4)
    warnings = [one for one in caplog.records if one.levelno >= logging.WARNING]
    assert (done, warnings) == (["saving"], [])


def test_a_stage_that_ends_after_its_time_changes_nothing(caplog):
    clock, late = Clock(), Deferred[None]()
    in_stages(clock, 10, [("closing the door", lambda: late)])
    clock.advance(10)
    late.errback(RuntimeError("far too late"))
    assert len(caplog.records) == 1


def test_a_stage_that_fails_is_logged_and_the_next_one_follows(caplog):
    done: list[str] = []

    def raising() -> None:
        raise OSError("no room on the disk")

    stages = [
        ("saving", raising),
        ("sending people home", lambda: fail(ValueError("nobody"))),
        ("last", lambda: done.append("last")),
    ]
    assert has_ended(in_stages(Clock(), 10, stages))
    assert done == ["last"]
    first, second = [r.getMessage() for r in caplog.records]
    assert first.startswith("saving did not end well: ") and "no room on the disk" in first
    assert second.startswith("sending people home did not end well: ") and "nobody" in second


def test_a_stage_that_was_cancelled_ended_as_it_should(caplog):
    assert has_ended(in_stages(Clock(), 10, [("ending thoughts", lambda: fail(CancelledError()))]))
    assert caplog.records == []


def test_the_time_given_is_each_stage_s_own():
    clock = Clock()
    ended = in_stages(clock, 10, [(name, Deferred) for name in ("one", "two", "three")])
    clock.pump([10, 10])
    assert not has_ended(ended)
    clock.advance(10)
    assert has_ended(ended)


def test_what_is_asked_first_happens_and_closing_has_the_last_word():
    stopped: list[str] = []
    first, second = ShutdownRequest(lambda: stopped.append("first")), ShutdownRequest(lambda: stopped.append("second"))
    first.restart()
    first.restart()
    second.close()
    second.restart()
    assert (stopped, first.restarts, second.restarts) == (["first", "second"], True, False)
    first.close()
    assert (stopped, first.restarts) == (["first", "second"], False)
