"""A component in one file: how the agent feels, by what it has heard."""

from __future__ import annotations

from agents.component import AddedComponent, Moment, Owner, Section, Turn
from vault.memory.memory_line import Memory
from world.events import Event
from world.message_catalog import Wording

WORDS = {"thank": 1, "lovely": 1, "fool": -1, "go away": -1}


class Mood(AddedComponent):
    """Tells whether the agent is glad or hurt; it is over after some turns."""

    name = "mood"

    def __init__(self, owner: Owner) -> None:
        super().__init__(owner)
        self.level = 0

    def observe(self, memory: Memory, event: Event | None) -> None:
        if memory.kind != "acted":
            self.level += sum(weight for word, weight in WORDS.items() if word in memory.text.lower())

    def context(self, moment: Moment) -> Section | None:
        return Section(self.name, f"[You feel {self._word}.]", gives_way=1) if self.level else None

    def acted(self, turn: Turn) -> None:
        self.level -= (self.level > 0) - (self.level < 0)

    def describe(self, say: Wording) -> list[str]:
        return [f"{self.owner.name} feels {self._word}."]

    @property
    def _word(self) -> str:
        return "glad" if self.level > 0 else "hurt" if self.level < 0 else "as always"
