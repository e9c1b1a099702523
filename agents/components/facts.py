"""The sections of a prompt with facts and older memories.

`facts` stays for long. `known` (the results of a look-up) and `recollected` (memories that the moment brings to mind)
are shown for one turn and become no new memories.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from agents.attending.privacy import may_hear
from agents.component import Moment, Section, Turn
from agents.memory.facts.file import FactRegistry
from agents.memory.facts.store import fact_text, fit_budget, rank_by_relevance
from agents.memory.retrieval import RetrievedMemory, Retriever
from agents.memory.summaries.formats import picked_words
from agents.memory.view import View
from config.settings import MemorySettings
from vault.markdown import LINE_BREAK
from vault.memory.facts_note import COMMITMENTS, CONFIDED, PLACES, TELLABLE, THINGS, Fact, Pin
from vault.memory.memory_line import Memory
from world.commands.communication import board_lines
from world.events import Event

SHARE = 8
"""The share of a prompt, one part in this many, for each of facts, shared entries and look-ups."""

TALK_FACTS = 4
"""Number of facts that a talk begins with; a small model speaks of everything it has read."""

REMINDERS = 3
REMINDER_TOKENS = 80


class Facts:
    """Tells the pins and the facts that matter most.

    The facts are chosen again only when the memories told begin elsewhere, as after a publication, or a person or a pin
    has changed something: the text before the memories then changes in any case. Places and counts are never told:
    they say nothing of what to do. What was told in confidence stands in none of them, and a pin of it is told only to
    those who know of it. `settings` returns those in force, `parties_of` who knows of a memory; empty if anybody may.
    """

    name = "facts"

    def __init__(
        self,
        registry: FactRegistry,
        settings: Callable[[], MemorySettings],
        parties_of: Callable[[int], Collection[str]] = lambda seq: (),
    ) -> None:
        self._registry = registry
        self._settings = settings
        self._parties_of = parties_of
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
        lines = list(self._pins(moment, view.tail_text(moment.left_out)))
        budget = min(self._settings().facts_tokens, moment.budget_tokens // SHARE)
        if moment.kind == "speech":
            partner = frozenset([moment.partner.name]) if moment.partner else frozenset[str]()
            about = (fact for fact in self._older(moment) if _is_about(fact, partner))
            chosen = [in_prompt(one) for one in rank_by_relevance(about, partner, "")][:TALK_FACTS]
            lines += fit_budget(chosen, moment.count_tokens, budget)
        else:
            lines += self._of_view(moment, budget)
        shows = frozenset(pin.seq for pin in self._registry.pins if pin.seq)
        return Section(self.name, "\n".join(f"- {line}" for line in lines), shows=shows) if lines else None

    def reminder(self, moment: Moment) -> str:
        """Return the facts that matter to those present and are neither told above nor in the memories shown."""
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
        facts = (fact for fact in self._registry.facts if fact.section != CONFIDED)
        return (fact for fact in facts if fact.section != PLACES or fact.remark)

    def _pins(self, moment: Moment, shown: str) -> Iterable[str]:
        """Yield the pins that may be told, word for word, except those whose text stands below in any case."""
        for pin in self._registry.pins:
            parties = self._parties_of(pin.seq) if pin.seq else ()
            if may_hear(parties, moment.actor.name, moment.hearers) and not _stands_in(pin, moment.view, shown):
                yield pin.text


def board_text(moment: Moment) -> str:
    """Return the board's entries for an agent, in order; of too many the oldest are left to the command `board`."""
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
    if fact.section in (*COMMITMENTS, *TELLABLE):
        return fact.subject in company or any(name in fact.value for name in company)
    if fact.section == THINGS:
        return fact.value.removesuffix(" has it") in company
    return bool(fact.remark) and fact.subject in company


RECOLLECTED_TOKENS = 320
"""Maximum size of the section with unasked recollections, in tokens."""


class LookedUp:
    """Tells the agent's last look-up, and its knowledge of those present that stands nowhere else.

    `text` is the result of look-ups since its last command.
    """

    name = "known"

    def __init__(self, facts: Facts) -> None:
        self.text = ""
        self._facts = facts

    def observe(self, memory: Memory, event: Event | None) -> None:
        """Drop the result of the look-up at the agent's next command."""
        if memory.kind == "acted":
            self.text = ""

    def context(self, moment: Moment) -> Section | None:
        lines = fit_budget(self.text.split("\n"), moment.count_tokens, moment.budget_tokens // SHARE)
        text = "\n".join(line for line in (*lines, self._facts.reminder(moment)) if line)
        return Section(self.name, text) if text else None

    def acted(self, turn: Turn) -> None:
        """Keep nothing."""


class Retrieval:
    """Tells memories from before the first that is shown, and a line of a note, that the moment brings to mind."""

    name = "recollected"

    def __init__(
        self,
        retriever: Retriever,
        settings: Callable[[], MemorySettings],
        parties_of: Callable[[Memory], Collection[str]],
    ) -> None:
        """`parties_of` returns who knows of a memory's words; empty if anybody may."""
        self._retriever = retriever
        self._settings = settings
        self._parties_of = parties_of
        self._shown: list[RetrievedMemory] = []
        self._view: View | None = None
        self._found: dict[tuple[object, ...], list[RetrievedMemory]] = {}

    def observe(self, memory: Memory, event: Event | None) -> None:
        """Memories are found in the journal by their words."""

    def context(self, moment: Moment) -> Section | None:
        company = frozenset(one.name for one in moment.company)
        most = min(moment.budget_tokens // SHARE, RECOLLECTED_TOKENS)
        found = self._retrieve(moment, company)
        lines = fit_budget([one.line for one in found], moment.count_tokens, most)
        self._shown = [one for one in found if one.line in lines]
        if not lines:
            return None
        shows = frozenset(one.of for one in self._shown if isinstance(one.of, int))
        scores = {one.of if isinstance(one.of, int) else one.of[0]: round(one.score, 2) for one in self._shown}
        return Section(self.name, "\n".join(lines), gives_way=2, shows=shows, scores=scores)

    def _retrieve(self, moment: Moment, company: frozenset[str]) -> list[RetrievedMemory]:
        """Return what a view brings to mind, looked up once for all the lengths of a prompt that are tried with it."""
        if self._view is not moment.view:
            self._view, self._found = moment.view, {}
        query = company, moment.actor.room_id, self._settings().recall, moment.told
        key = *query, moment.left_out, moment.hearers
        if key not in self._found:
            shown = moment.view.without(moment.left_out)
            self._found[key] = self._retriever.retrieve(
                shown,
                *query,
                moment.view.moment,
                lambda one: may_hear(self._parties_of(one), moment.actor.name, moment.hearers),
            )
        return self._found[key]

    def acted(self, turn: Turn) -> None:
        """Rest the memories that the agent has not taken up: they are not shown again for a while."""
        if turn.line:
            self._retriever.end_turn(self._shown, turn.line)
            self._shown = []
