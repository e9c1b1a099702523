"""What an agent knows as its prompt tells it: a part that stays to the letter for long, and a line for the moment."""

from __future__ import annotations

from collections.abc import Callable

from agents.memory.knowing.facts_text import by_relevance, fact_text, within
from agents.memory.knowing.registry import FactRegistry
from agents.memory.reminding.recollecting import Recollecting, Recollection
from agents.memory.summaries.picked import picked_words
from agents.memory.view import View
from config.settings import MemorySettings
from vault.remembered.fact_line import COMMITMENTS, THINGS, TOLD, Fact
from vault.remembered.facts_note import Pin
from vault.remembered.memory_line import LINE_BREAK
from world.commands.sharing import board_lines
from world.crowds import made_out
from world.model import Character, World

CountTokens = Callable[[str], int]

SHARE = 8
"""At most one part in so many of the prompt goes to facts, to what is shared, and to what was looked up."""

RECOLLECTED_TOKENS = 320
"""What comes to mind unasked takes no more than this of the prompt."""

REMINDERS = 3
REMINDER_TOKENS = 80


class Knowledge:
    """Chooses what to tell of a registry.

    The facts are chosen anew only when the memories told begin elsewhere, as after a publication, or a person or a pin
    has changed something: the text before the memories then changes in any case. `recalled` is what was looked up in
    the last turn, `shown` what filled the slots last.
    """

    def __init__(self, registry: FactRegistry, recollecting: Recollecting) -> None:
        self._registry = registry
        self._recollecting = recollecting
        self._recollected: list[Recollection] = []
        self.recalled = ""
        self.shown: dict[str, str] = {}
        self._chosen_for: tuple[object, ...] = ()
        self._chosen: tuple[str, ...] = ()

    def of_moment(
        self,
        view: View,
        world: World,
        actor: Character,
        count: CountTokens,
        settings: MemorySettings,
        budget_tokens: int,
    ) -> Callable[[str, int], dict[str, str]]:
        """Return what fills the slots `facts` and `known`, given the memories shown and the number of the first.

        `recollected` is what came to mind unasked, to stand behind `known` where there is room for it.

        Raises: NoteError if the journal cannot be read.
        """
        self._registry.take_in()
        most = budget_tokens // SHARE
        company = frozenset(one.name for one in made_out(world, actor.room_id, actor))
        self.choose(view, company, actor.room_id, count, min(settings.facts_tokens, most))
        recalled = within(self.recalled.split("\n"), count, most)
        told = "\n".join([view.older(), view.recent_past(), self.told(view, ""), *recalled])
        found = self._recollecting.of_moment(view, company, actor.room_id, settings.recall, told)
        lines = within([one.line for one in found], count, min(most, RECOLLECTED_TOKENS))
        self._recollected = [one for one in found if one.line in lines]

        def slots(shown: str, first_shown: int) -> dict[str, str]:
            reminder = self.reminder(company, first_shown, count)
            known = "\n".join(line for line in (*recalled, reminder) if line)
            self.shown = {"facts": self.told(view, shown), "known": known, "recollected": "\n".join(lines)}
            return self.shown

        return slots

    def end_turn(self, line: str) -> None:
        """Take in what the agent has done: what it looked up is shown no more, what came to mind unused may rest."""
        self.recalled = ""
        self._recollecting.end_turn(self._recollected, line)
        self._recollected = []

    def choose(self, view: View, company: frozenset[str], place: str, count: CountTokens, budget_tokens: int) -> None:
        """Choose the facts for the company and place of this moment, if it is time to."""
        registry, first_shown = self._registry, view.tail[0].seq if view.tail else 0
        told = (view.longterm, view.recent, first_shown)
        moment = (*told, registry.version, registry.is_behind, registry.profile_goals, budget_tokens)
        if moment == self._chosen_for:
            return
        facts = by_relevance(self._registry.facts, company, place)
        goals = [f"My goal: {goal}" for goal in self._registry.goals if goal not in self._registry.profile_goals]
        self._chosen = tuple(within([*goals, *map(fact_text, facts)], count, budget_tokens))
        self._chosen_for = moment

    def told(self, view: View, shown: str) -> str:
        """Return the pins, word for word, and the facts chosen, a line each; no pin that stands below in any case."""
        pins = [pin.text for pin in self._registry.pins if not _stands_in(pin, view, shown)]
        return "\n".join(f"- {line}" for line in (*pins, *self._chosen))

    def reminder(self, company: frozenset[str], first_shown: int, count: CountTokens) -> str:
        """Return what matters to those present and is neither told above nor in the memories from `first_shown` on."""
        older = (fact for fact in self._registry.facts if fact.since < first_shown or not fact.since)
        near = by_relevance((fact for fact in older if _is_about(fact, company)), company, "")
        lines = [line for line in map(fact_text, near) if line not in self._chosen]
        found = within(lines[:REMINDERS], count, REMINDER_TOKENS)
        return f"[You know: {' '.join(found)}]" if found else ""


def board_text(world: World, actor: Character, count: CountTokens, budget_tokens: int) -> str:
    """Return what an agent reads on the board, in order; of too much the oldest is left to the command `board`."""
    lines = board_lines(world, actor)
    return "\n".join(reversed(within(lines[::-1], count, budget_tokens // SHARE)))


def _stands_in(pin: Pin, view: View, shown: str) -> bool:
    """Return whether a pinned memory is told below in the words of the pin: as a line of a summary, or verbatim."""
    if not pin.seq:
        return False
    summaries = f"{view.older()}\n{view.recent_past()}"
    if any(line.removeprefix("- ") == pin.text for line in summaries.split("\n")):
        return True
    memory = next((one for one in view.tail if one.seq == pin.seq), None)
    if memory is None or pin.text != picked_words(memory).replace(LINE_BREAK, " "):
        return False
    return memory.text.replace(LINE_BREAK, " ") in shown


def _is_about(fact: Fact, company: frozenset[str]) -> bool:
    if fact.section in (*COMMITMENTS, *TOLD):
        return fact.subject in company or any(name in fact.value for name in company)
    if fact.section == THINGS:
        return fact.value.removesuffix(" has it") in company
    return bool(fact.remark) and fact.subject in company
