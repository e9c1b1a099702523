"""Wait notices: what people are told while an agent that they have spoken to gives no answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from agents.agent import Agent
from agents.attending.perception import Address
from server.clock import DelayedCall, ReactorClock, cancel

Notice = Literal["thinking", "thinking_long", "cannot_think"]
"""That an agent is thinking, that it takes long, and that its model has failed: keys of `text/population.md`."""

PATIENCE_SECONDS = 4.0
LONG_SECONDS = 30.0
"""The waits after which people are told that the agent is thinking, and that it takes long."""

QUIET_SECONDS = 60.0
"""For so long they are not told once more that it is thinking."""


@dataclass
class _Wait:
    """What has been told of one agent: when, in seconds, that it thinks, and at which words it was told to have failed.

    `next` is the notice that comes if it does not answer before.
    """

    next: DelayedCall | None = None
    told_at: float = -QUIET_SECONDS
    failed_at: Address | None = None


class WaitNotices:
    """Tells people who wait for an agent that it is thinking, that it takes long, or that it cannot.

    `tell` is called with the agent and the notice. That a model has failed is told once for the same words.
    """

    def __init__(self, clock: ReactorClock, tell: Callable[[Agent, Notice], None]) -> None:
        self._clock = clock
        self._tell = tell
        self._waits: dict[str, _Wait] = {}

    def begin(self, agent: Agent) -> None:
        """Take in that an agent may have been spoken to, and that it reacts after its `react_seconds`."""
        wait = self._waits.setdefault(agent.name, _Wait())
        if wait.next is None and self._is_awaited(agent):
            seconds = agent.settings.react_seconds + PATIENCE_SECONDS
            wait.next = self._clock.callLater(seconds, self._tell_of_thinking, agent, wait)

    def end_turn(self, agent: Agent, has_failed: bool) -> None:
        """Take in that a turn of an agent has ended; who still waits, waits from now."""
        wait = self._waits.setdefault(agent.name, _Wait())
        cancel(wait.next)
        wait.next = None
        if not has_failed:
            self.begin(agent)
        elif self._is_awaited(agent) and wait.failed_at != agent.awareness.owed.address:
            wait.failed_at = agent.awareness.owed.address
            self._tell(agent, "cannot_think")

    def forget(self, name: str) -> None:
        """Tell nothing more of an agent that is gone."""
        if wait := self._waits.pop(name, None):
            cancel(wait.next)

    def stop(self) -> None:
        """Tell nothing more of anybody."""
        for name in tuple(self._waits):
            self.forget(name)

    def _tell_of_thinking(self, agent: Agent, wait: _Wait) -> None:
        wait.next = None
        if not self._is_thinking(agent):
            return
        now = self._clock.seconds()
        if now - wait.told_at >= QUIET_SECONDS:
            wait.told_at = now
            self._tell(agent, "thinking")
        wait.next = self._clock.callLater(LONG_SECONDS - PATIENCE_SECONDS, self._tell_of_long_wait, agent, wait)

    def _tell_of_long_wait(self, agent: Agent, wait: _Wait) -> None:
        wait.next = None
        if self._is_thinking(agent):
            self._tell(agent, "thinking_long")

    def _is_thinking(self, agent: Agent) -> bool:
        is_asked = agent.queue is not None and agent.queue.stage(agent.name) is not None
        return is_asked and self._is_awaited(agent)

    def _is_awaited(self, agent: Agent) -> bool:
        return agent.awareness.owed.address.by_person
