"""A clock for tests that can run one turn of the reactor at a time."""

from __future__ import annotations

from twisted.internet.task import Clock


class TurnClock(Clock):
    """A clock that can run one turn of the reactor: what is due now, but nothing that this brings about."""

    def turn(self) -> None:
        """Run it."""
        due = [call for call in self.calls if call.getTime() <= self.seconds()]
        for call in due:
            self.calls.remove(call)
            call.called = 1
            call.func(*call.args, **call.kw)
