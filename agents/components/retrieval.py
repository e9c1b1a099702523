"""What was looked up, and older memories that matter to what was just said: shown for one turn, and no new memories."""

from __future__ import annotations

from collections.abc import Callable

from agents.component import Moment, Section
from agents.components.facts import SHARE, Facts
from agents.memory.facts.store import fit_budget
from agents.memory.retrieval import RetrievedMemory, Retriever
from agents.turn import Turn
from config.settings import MemorySettings
from vault.memory.memory_line import Memory
from world.events import Event

RECOLLECTED_TOKENS = 320
"""What comes to mind unasked takes no more than this of the prompt."""


class LookedUp:
    """Tells what the agent has just looked up, and what it knows of those present that stands nowhere else.

    `text` is what was looked up since its last command.
    """

    name = "known"

    def __init__(self, facts: Facts) -> None:
        self.text = ""
        self._facts = facts

    def observe(self, memory: Memory, event: Event | None) -> None:
        """What was looked up is shown until the agent's next command."""
        if memory.kind == "acted":
            self.text = ""

    def context(self, moment: Moment) -> Section | None:
        lines = fit_budget(self.text.split("\n"), moment.count_tokens, moment.budget_tokens // SHARE)
        text = "\n".join(line for line in (*lines, self._facts.reminder(moment)) if line)
        return Section(self.name, text) if text else None

    def acted(self, turn: Turn) -> None:
        """Nothing is kept."""


class Retrieval:
    """Tells memories from before the tail, and a line of the agent's notes, that the moment brings to mind."""

    name = "recollected"

    def __init__(self, retriever: Retriever, settings: Callable[[], MemorySettings]) -> None:
        self._retriever = retriever
        self._settings = settings
        self._shown: list[RetrievedMemory] = []

    def observe(self, memory: Memory, event: Event | None) -> None:
        """Memories are found in the journal by their words."""

    def context(self, moment: Moment) -> Section | None:
        company = frozenset(one.name for one in moment.company)
        most = min(moment.budget_tokens // SHARE, RECOLLECTED_TOKENS)
        found = self._retriever.retrieve(
            moment.view, company, moment.actor.room_id, self._settings().recall, moment.told
        )
        lines = fit_budget([one.line for one in found], moment.count_tokens, most)
        self._shown = [one for one in found if one.line in lines]
        if not lines:
            return None
        shows = frozenset(one.of for one in self._shown if isinstance(one.of, int))
        return Section(self.name, "\n".join(lines), gives_way=2, shows=shows)

    def acted(self, turn: Turn) -> None:
        """What the agent has not taken up is not shown again for a while."""
        if turn.line:
            self._retriever.end_turn(self._shown, turn.line)
            self._shown = []
