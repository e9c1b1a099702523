"""Plain history: the newest memories and no summary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from agents.memory.coverage import Coverage
from agents.memory.strategy import MemoryStrategy
from config.settings import setting
from world.message_catalog import Wording


@dataclass(frozen=True)
class Window(MemoryStrategy):
    """Nothing is ever summarised, and the view shows the newest `max_memories`.

    What was summarised under another strategy stays on disk, untold.
    """

    name: ClassVar[str] = "window"
    tells_summaries: ClassVar[bool] = False
    idle: ClassVar[str] = "compaction.window"

    max_memories: int = setting(128, "window: how many of the newest memories the prompt shows", low=1, high=4096)

    @property
    def max_tail(self) -> int:
        return self.max_memories

    def waits_for(self, coverage: Coverage, say: Wording) -> str:
        return say("status.never_window")

    def why_not_shown(self, say: Wording) -> str:
        return say("memory.outside_the_window", most=self.max_memories)
