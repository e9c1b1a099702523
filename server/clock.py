"""The parts of a reactor and of the process that the server uses: time, delayed calls, threads."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from twisted.internet.defer import Deferred

InThread = Callable[..., Deferred[Any]]
"""Calls its first argument with the rest in another thread, and returns a Deferred of the result."""


class DelayedCall(Protocol):
    """A call to come, as Twisted's reactor makes it."""

    def active(self) -> bool:
        """True while it is to come."""

    def getTime(self) -> float:
        """Return when it is to come, in seconds of its clock."""

    def cancel(self) -> None:
        """See that it never comes."""


def cancel(call: DelayedCall | None) -> None:
    """See that a call never comes, if it is still to come."""
    if call is not None and call.active():
        call.cancel()


class ReactorClock(Protocol):
    """The part of a reactor (or of `twisted.internet.task.Clock`) that is needed here."""

    def seconds(self) -> float:
        """Return the time, in seconds since whenever."""

    def callLater(self, delay: float, callable: Callable[..., object], *args: Any) -> DelayedCall:
        """Call after `delay` seconds; 0 is the next turn."""


@dataclass(frozen=True)
class Runtime:
    """The services of the process to a world: time, chance, and a way to print to the operator.

    `echo` prints sentences for the operator. Another thread uses `in_reactor` to call something in the reactor's
    thread. `on_shutdown` is called when an admin closes the world from inside, with whether it restarts.
    """

    reactor: ReactorClock
    rng: random.Random
    now_ms: Callable[[], int]
    echo: Callable[[str], None]
    in_reactor: Callable[[Callable[[], None]], None]
    on_shutdown: Callable[[bool], None] = lambda restart: None
