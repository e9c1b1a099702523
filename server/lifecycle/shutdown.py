"""Closing a world: the signals that ask for it, who has the last word, and stages that may take only so long."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence

from twisted.internet.defer import CancelledError, Deferred, maybeDeferred, succeed

from server.clock import ReactorClock, cancel

Act = Callable[[], None]


def install_signal_handlers(close: Act, restart: Act) -> None:
    """Call `close` at each SIGINT and SIGTERM from now on, instead of what the reactor would do.

    SIGHUP calls `restart`, or `close` if the world was started in a terminal that has gone. A SIGHUP that the parent
    process ignores, as `nohup` does, stays ignored.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: close())
    had_terminal = has_terminal()
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: close() if had_terminal and not has_terminal() else restart())
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGHUP})  # a restart has blocked it


def has_terminal() -> bool:
    """Return whether the process reads from or writes to a terminal that is still there."""
    return any(_is_terminal(stream.fileno()) for stream in (sys.__stdin__, sys.__stdout__, sys.__stderr__) if stream)


def _is_terminal(descriptor: int) -> bool:
    try:
        return os.isatty(descriptor)
    except OSError:
        return False


def once(act: Callable[[], None]) -> Callable[[], None]:
    """Return what does this the first time that it is called, and nothing from then on."""
    left = [act]

    def act_once() -> None:
        if left:
            left.pop()()

    return act_once


log = logging.getLogger(__name__)


class ShutdownRequest:
    """A request to close or to restart. A request to close always wins.

    `stop` stops the reactor.
    """

    def __init__(self, stop: Callable[[], None]) -> None:
        self.restarts = False
        self._has_begun = False
        self._stop = once(stop)

    def close(self) -> None:
        """Close it, even if a restart was asked for."""
        self.restarts, self._has_begun = False, True
        self._stop()

    def restart(self) -> None:
        """Restart it, unless it closes already."""
        self.restarts = self.restarts or not self._has_begun
        self._has_begun = True
        self._stop()


Stage = tuple[str, Callable[[], Deferred[None] | None]]


def in_stages(clock: ReactorClock, seconds: float, stages: Sequence[Stage], in_haste: bool = False) -> Deferred[None]:
    """Do the stages one after the other; one that fails or takes too long is logged and the next one follows.

    That one takes too long is no error `in_haste`.
    """
    done: Deferred[None] = succeed(None)
    for stage in stages:
        done.addCallback(_bounded, stage, clock, seconds, logging.INFO if in_haste else logging.ERROR)
    return done


def _bounded(_: None, stage: Stage, clock: ReactorClock, seconds: float, level: int) -> Deferred[None]:
    name, act = stage
    ended: Deferred[None] = Deferred()

    def end(problem: object = None, level: int = logging.ERROR) -> None:
        if not ended.called:
            if problem:
                log.log(level, "%s did not end well: %s", name, problem)
            ended.callback(None)

    late = clock.callLater(seconds, end, f"it took longer than {seconds:g} seconds", level)
    doing = maybeDeferred(act)
    doing.addCallbacks(lambda _: end(), lambda failure: end(None if failure.check(CancelledError) else failure))
    ended.addCallback(lambda _: cancel(late))
    return ended
