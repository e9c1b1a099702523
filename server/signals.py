"""Signals: the first that asks a world to end closes it in good order, and those that follow change nothing."""

from __future__ import annotations

import signal
from collections.abc import Callable


def take_signals(close: Callable[[], None]) -> None:
    """Have `close` called at each SIGINT and SIGTERM from now on, instead of what the reactor would do."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: close())


def once(act: Callable[[], None]) -> Callable[[], None]:
    """Return what does this the first time that it is called, and nothing from then on."""
    left = [act]

    def act_once() -> None:
        if left:
            left.pop()()

    return act_once
