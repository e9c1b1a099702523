"""The agent's knowledge and opinions of those who are here, and its insights; opinions are told as such."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from agents.attending.privacy import may_hear
from agents.component import Moment, Section, Turn
from agents.reflection.acquaintances import speaker_of
from agents.reflection.opinions import AS_TOLD_BY, Opinions
from agents.reflection.reflection import Reflection
from vault.errors import NoteError
from vault.memory.bullet_note import Statement
from vault.memory.memory_line import Memory
from world.entities import Character, Role
from world.events import Event
from world.message_catalog import Wording
from world.world import World

MAX_PEOPLE = 6
"""Maximum number of people in the room who are told about; the partner comes first."""

BOND_TOKENS = 180
FACT_CHARACTERS = 280
"""Maximum length of the line with the quotes of one person, in characters; one quote is told in any case."""

INSIGHT_TOKENS = 64
MAX_INSIGHTS = 2
RECENT_MEMORIES = 4
"""Number of the newest memories whose speeches count as the subject of the talk."""

MIN_SHARED = 6
"""Weight of the words that an opinion on nobody present shares with the talk, so that it is told."""

MAX_NAMES = 12
MIN_LETTERS = 3
"""Shorter words say nothing of what a text is about, in any language that sets words apart."""

_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


class Bonds:
    """Tells, for each person present, their quotes and the agent's opinion of them: two lines at most.

    Private lines are told only if all who will hear the agent know of them. In a prompt that is too long, the oldest
    lines of the tail give way to it: who somebody is matters for longer.
    """

    name = "bonds"

    def __init__(self, reflection: Reflection) -> None:
        self._reflection = reflection
        self._people = reflection.people

    def observe(self, memory: Memory, event: Event | None) -> None:
        """Words are kept when the agent reflects."""

    def context(self, moment: Moment) -> Section | None:
        others = [one for one in moment.company if one is not moment.partner]
        present = [*([moment.partner] if moment.partner else []), *others][:MAX_PEOPLE]
        talk, say, agent = _talk_words(moment), moment.world.wording, moment.actor.name
        lines, shows = list[str](), set[int]()
        for name in (one.name for one in present):
            quotes = _chosen(self._told(name, moment), talk)
            opinions = [
                one for one in _best(self._people.opinions(name), talk) if _may_tell(self._reflection, one, moment)
            ]
            lines += [" ".join(self._sentence(name, one, say) for one in quotes)] if quotes else []
            lines += [opinion_sentence(agent, one, say) for one in opinions[:1]]
            shows |= {seq for one in (*quotes, *opinions[:1]) for seq in one.evidence}
        names = self._told_names(present, moment.world)
        lines += [say("mind.called", who=name, agent=agent, name=told) for name, told in names.items()]
        if not lines:
            return None
        names = {**self._people.names_of_guests(), **names}
        return Section(self.name, "\n".join(lines), BOND_TOKENS, shows=frozenset(shows), names=names)

    def acted(self, turn: Turn) -> None:
        """Nothing is kept."""

    def _told(self, person: str, moment: Moment) -> list[Statement]:
        """Return the quotes of a person that all who will hear the agent may know."""
        quotes, agent = self._people.facts(person), moment.actor.name
        return [one for one in quotes if may_hear(self._people.parties_of(person, one), agent, moment.hearers)]

    def _sentence(self, person: str, quote: Statement, say: Wording) -> str:
        if quote.by_hand and not self._people.parties_of(person, quote):
            return say("mind.known", who=person, words=_ended(quote.words))
        key = "mind.quoted_whispered" if self._people.parties_of(person, quote) else "mind.quoted_said"
        return say(key, who=speaker_of(quote, person), words=quote.words, day=quote.day)

    def _told_names(self, present: Iterable[Character], world: World) -> dict[str, str]:
        """Return the names that guests have told, but for those of others: nobody is taken for somebody else."""
        told = {one.name: self._people.called(one.name) for one in present if one.role is Role.GUEST}
        return {name: own for name, own in told.items() if own and own not in world.characters}

    def describe(self, say: Wording) -> list[str]:
        names = self._people.met()
        shown = [*names[:MAX_NAMES], *(["…"] if len(names) > MAX_NAMES else [])]
        told = say("mind.people", count=len(names), names=", ".join(shown)) if names else say("mind.no_people")
        return [told, *self._people.problems()]


class Insights:
    """Tells at most two opinions, on who is present or on what is being talked of. It is the first to give way."""

    name = "insights"

    def __init__(self, reflection: Reflection) -> None:
        self._reflection = reflection
        self._opinions = reflection.opinions

    def observe(self, memory: Memory, event: Event | None) -> None:
        """Opinions are made when the agent reflects."""

    def context(self, moment: Moment) -> Section | None:
        present = {one.name: 1 for one in moment.company} | ({moment.partner.name: 2} if moment.partner else {})
        talk = _talk_words(moment)
        scored = [(_matter(one, present, talk), one) for one in self._opinions.in_force]
        ranked = sorted((row for row in scored if row[0] > 0), key=lambda row: -row[0])
        found = [row for row in ranked if _may_tell(self._reflection, row[1], moment)][:MAX_INSIGHTS]
        lines = [opinion_sentence(moment.actor.name, one, moment.world.wording) for _, one in found]
        lines = [line for line in lines if line not in moment.told]
        if not lines:
            return None
        shows = frozenset(seq for _, one in found for seq in one.evidence)
        return Section(self.name, "\n".join(lines), INSIGHT_TOKENS, gives_way=4, shows=shows)

    def acted(self, turn: Turn) -> None:
        """Nothing is kept."""

    def describe(self, say: Wording) -> list[str]:
        opinions, record = self._opinions, self._reflection.record
        lines = [say("mind.insights" if opinions.in_force else "mind.no_insights")]
        lines += [f"  {statement_line(one, say)}" for one in opinions.in_force]
        dropped = [
            say("mind.dropped_one", about=one.label, words=one.words, why=one.tags[0]) for one in _told_why(opinions)
        ]
        lines += [say("mind.dropped"), *(f"  {line}" for line in dropped)] if dropped else []
        when = opinions.reflected.told
        looked_back = say("mind.looked_back", when=when) if when else say("mind.never_reflected")
        lines.append(looked_back)
        lines += [say("mind.reflecting")] if self._reflection.is_running else []
        cost = {"tokens": f"{record.prompt_tokens + record.completion_tokens:,}", "seconds": f"{record.seconds:.0f}"}
        lines.append(say("mind.since_start", made=record.made, cut=record.cut_short, **cost))
        lines += [say("mind.failed", why=record.last_error)] if record.last_error else []
        return [*lines, *([opinions.problem] if opinions.problem else [])]


def person_lines(reflection: Reflection, person: str, say: Wording) -> list[str]:
    """Return an agent's knowledge and opinion of a person, a line each, for a screen; empty if there is none."""
    people = reflection.people
    return [statement_line(one, say, person) for one in (*people.facts(person), *people.opinions(person))]


def statement_line(one: Statement, say: Wording, person: str = "") -> str:
    """Return a quote of a person or an opinion with what it rests on, for a screen."""
    about = ", ".join(part for part in (one.label or person, *one.tags) if part)
    if one.by_hand:
        return say("mind.by_hand", about=about, words=one.words)
    return say("mind.rests_on", about=about, words=one.words, memories=", ".join(f"^m{seq}" for seq in one.evidence))


def _told_why(opinions: Opinions) -> list[Statement]:
    return [one for one in opinions.dropped if one.tags]


def _may_tell(reflection: Reflection, opinion: Statement, moment: Moment) -> bool:
    """Return whether all who will hear the agent know of all that an opinion rests on."""
    try:
        parties = reflection.parties_of(opinion)
    except NoteError:
        return False
    return all(may_hear(one, moment.actor.name, moment.hearers) for one in parties)


def _talk_words(moment: Moment) -> frozenset[str]:
    """Return the longer words of what was said and done last."""
    return frozenset(word for memory in moment.view.tail[-RECENT_MEMORIES:] for word in _long_words(memory.text))


@lru_cache(maxsize=1024)
def _long_words(text: str) -> frozenset[str]:
    """Return the longer words of a text, without case; of a script without spaces, each pair of signs."""
    found = set[str]()
    for word in _WORD.findall(text.casefold()):
        if _UNSPACED.search(word):
            found.update(word[at : at + 2] for at in range(max(1, len(word) - 1)))
        elif len(word) >= MIN_LETTERS:
            found.add(word)
    return frozenset(found)


def _weight(words: Iterable[str]) -> int:
    """Return how much some shared words say: longer words are rarer."""
    return sum(MIN_LETTERS if _UNSPACED.search(word) else len(word) - MIN_LETTERS + 1 for word in words)


def opinion_sentence(agent: str, opinion: Statement, say: Wording) -> str:
    """Return an agent's opinion as an opinion and never as a fact."""
    teller = next((tag.removeprefix(AS_TOLD_BY) for tag in opinion.tags if tag.startswith(AS_TOLD_BY)), "")
    key = "mind.opinion_told" if teller and teller != opinion.label else "mind.opinion"
    return say(key, agent=agent, who=teller, words=_ended(opinion.words))


def _chosen(quotes: Sequence[Statement], talk: frozenset[str]) -> list[Statement]:
    """Return the quotes for one line, those that fit the talk first chosen; in an order that stays as it goes on."""
    found: list[Statement] = []
    for one in _best(quotes, talk):
        if found and sum(len(quote.words) for quote in (*found, one)) > FACT_CHARACTERS:
            break
        found.append(one)
    return [one for one in quotes if one in found]


def _best(statements: Sequence[Statement], talk: frozenset[str]) -> list[Statement]:
    newest_first = statements[::-1]
    return sorted(newest_first, key=lambda one: (not one.by_hand, -_weight(_long_words(one.words) & talk)))


def _matter(opinion: Statement, present: dict[str, int], talk: frozenset[str]) -> int:
    """Return how much an opinion matters here: 0 if it is neither on anybody present nor on what is talked of."""
    shared = _weight((_long_words(opinion.words) - _long_words(opinion.label)) & talk)
    here = present.get(opinion.label, 0)
    return MIN_SHARED * here + shared + opinion.by_hand if here or shared >= MIN_SHARED else 0


def _ended(words: str) -> str:
    return words if words.endswith((".", "!", "?", "…", "。")) else f"{words}."
