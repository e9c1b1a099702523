"""Signals: the first that asks a world to end closes it in good order, and those that follow change nothing."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable

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
