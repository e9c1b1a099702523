"""The notice to an agent of its own repetition."""

from __future__ import annotations

from collections.abc import Callable

from agents.component import Moment, Section, Turn
from vault.memory.memory_line import Memory
from world.events import Event
from world.message_catalog import Wording


class Notice:
    """Tells what `notice` returns, in the words of the world."""

    name = "notice"

    def __init__(self, notice: Callable[[Wording], str]) -> None:
        self._notice = notice

    def observe(self, memory: Memory, event: Event | None) -> None:
        """Nothing is kept."""

    def context(self, moment: Moment) -> Section | None:
        text = self._notice(moment.world.wording)
        return Section(self.name, text) if text else None

    def acted(self, turn: Turn) -> None:
        """Nothing is kept."""
