"""The agent's knowledge and opinions of those who are here, and its insights; opinions are told as such."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agents.component import Moment, Section, Turn
from agents.memory.facts.extraction import utterance_in
from agents.memory.facts.narration_parser import NarrationParser
from agents.memory.facts.store import ME
from agents.reflection.acquaintances import AS_TOLD_BY, WHISPERED, Acquaintances, Opinions
from agents.reflection.reflection import Reflection
from agents.reflection.speech_facts import (
    HOME,
    KIN,
    LIKE,
    LOSS,
    NAME,
    OTHER,
    PROMISE,
    REQUEST,
    answered_name,
    asks_name,
    heard_facts,
    in_third_person,
    key_words,
)
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
"""Maximum length of the line with the facts on one person, in characters; one fact is told in any case."""

INSIGHT_TOKENS = 64
MAX_INSIGHTS = 2
RECENT_MEMORIES = 4
"""Number of the newest memories whose speeches count as the subject of the talk."""

MIN_SHARED = 1
MAX_NAMES = 12
_RANKS = {kind: place for place, kind in enumerate((LOSS, PROMISE, REQUEST, KIN, HOME, LIKE, NAME, OTHER))}


class Bonds:
    """Tells, for each person present, the facts from speech and the agent's opinion of them: two lines at most.

    A statement about oneself that matches the patterns of `speech_facts` is known as soon as it is heard.
    In a prompt that is too long, the oldest lines of the tail give way to it: who somebody is matters for longer.
    """

    name = "bonds"

    def __init__(
        self,
        people: Acquaintances,
        reading: NarrationParser,
    ) -> None:
        self._people = people
        self._reading = reading
        self._has_asked_name = False

    def observe(self, memory: Memory, event: Event | None) -> None:
        """Take in what was said to or before the agent."""
        spoken = utterance_in(memory, self._reading)
        if spoken is None:
            return
        if spoken.speaker == ME:
            self._has_asked_name = asks_name(spoken.text)
            return
        facts = heard_facts(spoken, memory.seq, memory.day)
        if self._has_asked_name and not facts and (name := answered_name(spoken, memory.seq, memory.day)):
            facts = [name]
        self._has_asked_name = False
        for fact in facts:
            self._people.take(fact)

    def context(self, moment: Moment) -> Section | None:
        others = [one for one in moment.company if one is not moment.partner]
        present = [*([moment.partner] if moment.partner else []), *others][:MAX_PEOPLE]
        talk, say = talk_words(moment), moment.world.wording
        lines, shows = list[str](), set[int]()
        names = self._told_names(present, moment.world)
        for name in (one.name for one in present):
            known = [one for one in self._people.facts(name) if one.by_hand or one.label != NAME or name not in names]
            facts = _chosen(name, known, talk)
            opinions = _best(self._people.opinions(name), talk)[:1]
            lines += [" ".join(fact_sentence(name, one, say) for one in facts)] if facts else []
            lines += [opinion_sentence(moment.actor.name, one, say) for one in opinions]
            shows |= {seq for one in (*facts, *opinions) for seq in one.evidence}
        agent = moment.actor.name
        lines += [say("mind.called", who=name, agent=agent, name=told) for name, told in names.items()]
        if not lines:
            return None
        names = {**self._people.names_of_guests(), **names}
        return Section(self.name, "\n".join(lines), BOND_TOKENS, shows=frozenset(shows), names=names)

    def acted(self, turn: Turn) -> None:
        """Nothing is kept."""

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
        talk = talk_words(moment)
        scored = [(_matter(one, present, talk), one) for one in self._opinions.in_force]
        found = sorted((row for row in scored if row[0] > 0), key=lambda row: -row[0])[:MAX_INSIGHTS]
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
    return [statement_line(one, say) for one in (*people.facts(person), *people.opinions(person))]


def statement_line(one: Statement, say: Wording) -> str:
    """Return a fact or an opinion with what it rests on, for a screen."""
    about = ", ".join(part for part in (one.label, *one.tags) if part)
    if one.by_hand:
        return say("mind.by_hand", about=about, words=one.words)
    return say("mind.rests_on", about=about, words=one.words, memories=", ".join(f"^m{seq}" for seq in one.evidence))


def _told_why(opinions: Opinions) -> list[Statement]:
    return [one for one in opinions.dropped if one.tags]


def talk_words(moment: Moment) -> frozenset[str]:
    """Return the key words of what was said and done last."""
    return frozenset(word for memory in moment.view.tail[-RECENT_MEMORIES:] for word in key_words(memory.text))


def fact_sentence(person: str, fact: Statement, say: Wording) -> str:
    """Return a fact in the third person where the rule for that is safe; else in the very words, as a quotation."""
    if fact.by_hand:
        return say("mind.known", who=person, words=_ended(fact.words))
    speaker = next((tag for tag in fact.tags if tag != WHISPERED), person)
    how = "whispered" if WHISPERED in fact.tags else "said"
    told = in_third_person(fact.words) if speaker == person else ""
    if told:
        return say(f"mind.fact_{how}", who=person, words=told, day=fact.day)
    key = f"mind.quoted_{how}" if speaker == person else f"mind.quoted_{how}_of"
    return say(key, who=speaker, person=person, words=fact.words, day=fact.day)


def opinion_sentence(agent: str, opinion: Statement, say: Wording) -> str:
    """Return an agent's opinion as an opinion and never as a fact."""
    teller = next((tag.removeprefix(AS_TOLD_BY) for tag in opinion.tags if tag.startswith(AS_TOLD_BY)), "")
    key = "mind.opinion_told" if teller and teller != opinion.label else "mind.opinion"
    return say(key, agent=agent, who=teller, words=_ended(opinion.words))


def _chosen(person: str, facts: Sequence[Statement], talk: frozenset[str]) -> list[Statement]:
    """Return the facts for one line, what matters most; in an order that stays when the talk goes on."""
    found: list[Statement] = []
    for one in _best((fact for fact in facts if not _is_plain_name(person, fact)), talk):
        if found and sum(len(fact.words) for fact in (*found, one)) > FACT_CHARACTERS:
            break
        found.append(one)
    return sorted(found, key=lambda one: (not one.by_hand, _RANKS.get(one.label, len(_RANKS))))


def _best(statements: Iterable[Statement], talk: frozenset[str]) -> list[Statement]:
    newest_first = list(statements)[::-1]
    return sorted(
        newest_first,
        key=lambda one: (not one.by_hand, -len(key_words(one.words) & talk), _RANKS.get(one.label, len(_RANKS))),
    )


def _is_plain_name(person: str, fact: Statement) -> bool:
    """Return whether a fact says no more than that somebody is called as everybody sees."""
    return fact.label == NAME and not fact.by_hand and person.casefold() in fact.words.casefold()


def _matter(opinion: Statement, present: dict[str, int], talk: frozenset[str]) -> int:
    """Return how much an opinion matters here: 0 if it is neither on anybody present nor on what is talked of."""
    shared = len((key_words(opinion.words) - key_words(opinion.label)) & talk)
    here = present.get(opinion.label, 0)
    return 3 * here + shared + opinion.by_hand if here or shared > MIN_SHARED else 0


def _ended(words: str) -> str:
    return words if words.endswith((".", "!", "?", "…", "。")) else f"{words}."
