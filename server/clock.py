"""Time, as Twisted tells it: the parts of a reactor and of a delayed call that the server needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from twisted.internet.defer import Deferred

InThread = Callable[..., Deferred[Any]]
"""Calls its first argument with the rest of them in another thread, and returns a Deferred of the outcome."""


class DelayedCall(Protocol):
    """A call to come, as Twisted's reactor makes it."""

    def active(self) -> bool:
        """True while it is to come."""

    def getTime(self) -> float:
        """Return when it is to come, in seconds of its clock."""

    def cancel(self) -> None:
        """See that it never comes."""


class ReactorClock(Protocol):
    """The part of a reactor (or of `twisted.internet.task.Clock`) that is needed here."""

    def seconds(self) -> float:
        """Return the time, in seconds since whenever."""

    def callLater(self, delay: float, callable: Callable[..., object], *args: Any) -> DelayedCall:
        """Call after `delay` seconds; 0 is the next turn."""
