"""What an agent knows by rule, as its prompt tells it: a part that stays for long, and a line for the moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from agents.component import Moment, Section
from agents.memory.facts.file import FactRegistry
from agents.memory.facts.store import fact_text, fit_budget, rank_by_relevance
from agents.memory.summaries.picked import picked_words
from agents.memory.view import View
from agents.turn import Turn
from config.settings import MemorySettings
from vault.markdown import LINE_BREAK
from vault.memory.facts_note import COMMITMENTS, PLACES, THINGS, TOLD, Fact, Pin
from vault.memory.memory_line import Memory
from world.commands.communication import board_lines
from world.events import Event

SHARE = 8
"""At most one part in so many of the prompt goes to facts, to what is shared, and to what was looked up."""

TALK_FACTS = 4
"""How many facts a talk is begun with; a small model speaks of whatever it has read."""

REMINDERS = 3
REMINDER_TOKENS = 80


class Facts:
    """Tells the pins and the facts that matter most.

    The facts are chosen again only when the memories told begin elsewhere, as after a publication, or a person or a pin
    has changed something: the text before the memories then changes in any case. Places and counts are never told:
    they say nothing of what to do. `settings` returns those in force.
    """

    name = "facts"

    def __init__(self, registry: FactRegistry, settings: Callable[[], MemorySettings]) -> None:
        self._registry = registry
        self._settings = settings
        self._chosen_for: tuple[object, ...] = ()
        self._chosen: tuple[str, ...] = ()

    def observe(self, memory: Memory, event: Event | None) -> None:
        """The registry reads the journal by itself."""

    def acted(self, turn: Turn) -> None:
        """Nothing is kept."""

    def context(self, moment: Moment) -> Section | None:
        """Raises: NoteError if the journal cannot be read."""
        self._registry.take_in()
        view = moment.view
        lines = list(self._pins(view, view.tail_text(moment.left_out)))
        budget = min(self._settings().facts_tokens, moment.budget_tokens // SHARE)
        if moment.kind == "speech":
            partner = frozenset([moment.partner.name]) if moment.partner else frozenset[str]()
            about = (fact for fact in self._older(moment) if _is_about(fact, partner))
            chosen = [in_prompt(one) for one in rank_by_relevance(about, partner, "")][:TALK_FACTS]
            lines += fit_budget(chosen, moment.count_tokens, budget)
        else:
            lines += self._of_view(moment, budget)
        return Section(self.name, "\n".join(f"- {line}" for line in lines), is_stable=True) if lines else None

    def reminder(self, moment: Moment) -> str:
        """Return what matters to those present and is neither told above nor in the memories that are shown."""
        company, first_shown = _names(moment), moment.view.first_shown(moment.left_out)
        older = (fact for fact in self._told() if fact.since < first_shown or not fact.since)
        near = rank_by_relevance((fact for fact in older if _is_about(fact, company)), company, "")
        lines = [line for line in map(in_prompt, near) if f"- {line}" not in moment.told]
        found = fit_budget(lines[:REMINDERS], moment.count_tokens, REMINDER_TOKENS)
        return f"[You know: {' '.join(found)}]" if found else ""

    def _of_view(self, moment: Moment, budget_tokens: int) -> tuple[str, ...]:
        """Return the facts chosen when the view began where it does."""
        registry, view = self._registry, moment.view
        chosen_for = (
            view.summaries,
            view.first_shown(),
            registry.version,
            registry.is_behind,
            registry.profile_goals,
            budget_tokens,
        )
        if chosen_for != self._chosen_for:
            facts = rank_by_relevance(self._told(), _names(moment), moment.actor.room_id)
            goals = [f"My goal: {goal}" for goal in registry.goals if goal not in registry.profile_goals]
            self._chosen = tuple(fit_budget([*goals, *map(in_prompt, facts)], moment.count_tokens, budget_tokens))
            self._chosen_for = chosen_for
        return self._chosen

    def _older(self, moment: Moment) -> Iterable[Fact]:
        """Yield the facts that do not rest on the memories shown word for word."""
        first_shown = moment.view.first_shown(moment.left_out)
        return (fact for fact in self._told() if fact.since < first_shown or not fact.since)

    def _told(self) -> Iterable[Fact]:
        return (fact for fact in self._registry.facts if fact.section != PLACES or fact.remark)

    def _pins(self, view: View, shown: str) -> Iterable[str]:
        """Yield the pins, word for word, but those that stand below in any case."""
        return (pin.text for pin in self._registry.pins if not _stands_in(pin, view, shown))


def board_text(moment: Moment) -> str:
    """Return what an agent reads on the board, in order; of too much the oldest is left to the command `board`."""
    lines = board_lines(moment.world, moment.actor)
    return "\n".join(reversed(fit_budget(lines[::-1], moment.count_tokens, moment.budget_tokens // SHARE)))


def in_prompt(fact: Fact) -> str:
    """Return a fact as a prompt tells it: without how often somebody was met."""
    return fact_text(fact, counted=False)


def _names(moment: Moment) -> frozenset[str]:
    return frozenset(one.name for one in moment.company)


def _stands_in(pin: Pin, view: View, shown: str) -> bool:
    """Return whether a pinned memory is told below in the words of the pin: as a line of a summary, or verbatim."""
    if not pin.seq:
        return False
    lines = (line for tier in view.summaries for line in tier.text.split("\n"))
    if any(line.removeprefix("- ") == pin.text for line in lines):
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
