"""What a client tells of itself may come later than a name and a password that were pasted: that is waited for."""

from __future__ import annotations

from twisted.internet.defer import Deferred

from server.clock import DelayedCall, ReactorClock
from server.connection.connection import Connection, Identification

WAIT_SECONDS = 0.3
"""How long at most. A client answers four questions, one after the other, on which the first room's look depends."""


class CapabilityWait:
    """Waits for what one client may still tell, if its player comes in before it could.

    One that has said nothing yet is given its time from the call on, so that nobody who types their name waits for a
    client that never tells; one that is telling is given it from now on, because it may be far away.
    """

    __slots__ = ("_clock", "_connection", "_end", "_known", "_since")

    def __init__(self, connection: Connection, clock: ReactorClock) -> None:
        self._connection = connection
        self._clock = clock
        self._since = clock.seconds()
        self._known: Deferred[None] | None = None
        self._end: DelayedCall | None = None

    def wait(self) -> Deferred[None] | None:
        """Return what fires when the client is known, or has had its time; None if there is nothing to wait for."""
        seconds = self._seconds()
        if seconds <= 0:
            return None
        self._known = Deferred(lambda _: self._cancel())
        self._end = self._clock.callLater(seconds, self.end)
        return self._known

    def end(self) -> None:
        """Wait no longer: the client is known, or its time is over."""
        self._cancel()
        known, self._known = self._known, None
        if known:
            known.callback(None)

    def _seconds(self) -> float:
        match self._connection.identification:
            case Identification.ANSWERING:
                return WAIT_SECONDS
            case Identification.ASKED:
                return self._since + WAIT_SECONDS - self._clock.seconds()
        return 0.0

    def _cancel(self) -> None:
        if self._end and self._end.active():
            self._end.cancel()
