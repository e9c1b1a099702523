"""What somebody wants of an agent's belongings: to have one, or to have back what they gave; and who has one now.

The patterns are English, as those of `agents.attending.questions`; the phrases by which one asks are the world's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from agents.attending.questions import written_out
from agents.memory.facts.extraction import speeches_in
from agents.memory.facts.narration_parser import NarrationParser
from agents.memory.facts.store import ME
from vault.memory.memory_line import Memory
from world.entities import Character
from world.parsing import has_phrase, is_named, parse_line
from world.sanitize import name_key
from world.world import World

GIVEN = 60
"""Among so many of the newest memories are the gifts that are remembered."""

NEAR_GIFT = 6
"""Among so many memories before and after a gift are the words of its giver about it."""

MOST_OFFERED = 3
"""Of so many things somebody who asks for anything may be given one."""

_IT = re.compile(
    r"\b(?:have|borrow|hold|take|use|try|get|keep|see|(?:give|lend|pass|hand|show) me)\s+"
    r"(?:it|that|this|one|mine|yours)\b",
    re.IGNORECASE,
)
_IT_BACK = re.compile(r"\b(?:have|get|give me)\s+(?:it|mine) back\b", re.IGNORECASE)
_ELSEWHERE = re.compile(r"\b(?:gave|given|left|lent|lost|said)\b", re.IGNORECASE)
_ANYTHING = re.compile(
    r"\b(?:some|any)thing\b(?:\s+\w+){0,3}?\s+(?:hold|keep|play|look at|take|carry|read)\b", re.IGNORECASE
)
_BACK = re.compile(r"\bback\b|\bagain\b|\breturn\b|\bmine\b|\bmy\b", re.IGNORECASE)
_PASSES_ON = re.compile(
    r"\b(?:give|pass|hand|bring|take|return) (?:it|that|this|them|these|(?:the|my) \w+(?: \w+)?)"
    r"(?: (?:back|on|over))? to (?P<to>\w+)|\b(?:it|that|this|these)(?: is| are|['’]?s) (?:meant )?for (?P<for>\w+)|"
    r"\bgive (?P<whom>\w+) (?:it|that|this|the)\b",
    re.IGNORECASE,
)
_WANTS_ONE = re.compile(
    r"\b(?:(?:have|got|haven['’]?t) you (?:got )?|do you have |(?:lend|hand|pass|give|spare|get) (?:me|us) |"
    r"borrow |spare )"
    r"(?:an?|some|your|ur|any|the|that) (?P<thing>[\w'-]+(?: [\w'-]+)?)",
    re.IGNORECASE,
)
_MEANT = r"\b(?:you?r|ur|the|that|this|some|any|an?|my|of) (?:\w+ )?"


@dataclass(frozen=True)
class Gift:
    """Something that changed hands: who gave it, who has it since, and its name. The agent itself is `ME`.

    `seq` is the number of the memory that tells of it.
    """

    giver: str
    receiver: str
    thing: str
    seq: int = 0


def asked_for(world: World, actor: Character, words: str, talk: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the names of the things that `actor` carries and that words ask for; the phrases are the world's.

    `talk` is what has been said and done before, the newest first: "it" is the thing that was named there last, or of
    what somebody wants back the only one that the actor carries.
    """
    if not has_phrase(world.wording("talk.asks_for"), words):
        return ()
    names = tuple(thing.name for thing in world.things_at(actor.character_id))
    if named := tuple(name for name in names if names_thing(name, words)):
        return named
    if asks_for_anything(words):
        return names[:MOST_OFFERED]
    if found := _meant_by_it(names, words, talk):
        return (found,)
    is_back = len(names) == 1 and _IT_BACK.search(words) and not _ELSEWHERE.search(words)
    return names if is_back and not any(names_thing(one.name, words) for one in world.things.values()) else ()


def thing_meant(names: Sequence[str], words: str, talk: Iterable[str]) -> str:
    """Return which of some things words mean: one that they name, or as "it" the one that the talk named last."""
    named = next((name for name in names if names_thing(name, words)), "")
    return named or _meant_by_it(names, words, talk)


def _meant_by_it(names: Sequence[str], words: str, talk: Iterable[str]) -> str:
    spoken_of = ([name for name in names if _is_short_for(name, text)] for text in talk if _IT.search(words))
    return next(filter(None, spoken_of), [""])[0]


def names_thing(name: str, words: str) -> bool:
    """Return whether words name a thing in full, by its last word, or by another as "your ink" names an ink bottle."""
    others = name.split()[:-1]
    return _is_short_for(name, words) or any(
        re.search(rf"{_MEANT}{re.escape(name_key(one))}\b(?! \w+ly)", name_key(words)) for one in others if len(one) > 2
    )


def words_for_wanted(words: str) -> frozenset[str]:
    """Return the words for the thing that somebody asks to have, as in "Could you lend me a dry umbrella?"."""
    found = _WANTS_ONE.search(written_out(words))
    return frozenset(found["thing"].casefold().split()) if found else frozenset()


def asks_for_anything(words: str) -> bool:
    """Return whether words speak of something to hold, or the like, whatever it is."""
    return bool(_ANYTHING.search(words))


def asked_back(words: str, things: Sequence[str], partner: str, gifts: Iterable[Gift]) -> str:
    """Return which of the things that somebody asks for they gave to the agent themselves; empty if none."""
    latest: dict[str, str] = {one.thing: one.giver for one in gifts if one.receiver == ME}
    return next((one for one in things if latest.get(one) == partner and _BACK.search(words)), "")


def holder(words: str, actor: Character, world: World, gifts: Iterable[Gift]) -> Gift | None:
    """Return to whom the agent gave what words name, if it does not have it any more; None where it gave no such."""
    carried = {thing.name for thing in world.things_at(actor.character_id)}
    latest = {one.thing: one for one in gifts}
    given = (one for one in latest.values() if one.giver == ME and one.thing not in carried)
    return next((one for one in given if names_thing(one.thing, words)), None)


def gifts_in(tail: Sequence[Memory], reading: NarrationParser) -> Iterator[Gift]:
    """Yield what changed hands in the newest memories, oldest first."""
    for memory in tail[-GIVEN:]:
        if memory.kind == "result":
            event, who = reading.sentence_in(("narration.you_give",), memory.text), ME
        elif memory.kind in ("observed", "told") and memory.people:
            event, who = reading.event_in(memory.text, memory.people[0]), memory.people[0]
        else:
            continue
        if event and event.name in ("you_give", "gives", "gives_you"):
            yield Gift(who, event.values.get("to", ME), event.values["thing"], memory.seq)


def left_with(tail: Sequence[Memory], reading: NarrationParser) -> Iterator[tuple[Gift, str]]:
    """Yield what was given to the agent for others, "Can you give that to Ben?", with the name as it was said."""
    got = [gift for gift in gifts_in(tail, reading) if gift.receiver == ME]
    speeches = [(one.seq, said) for one, said in speeches_in(tail[-GIVEN:], reading)] if got else []
    for gift in got:
        near = [said.text for seq, said in speeches if said.speaker == gift.giver and abs(seq - gift.seq) <= NEAR_GIFT]
        if found := next(filter(None, map(_PASSES_ON.search, reversed(near))), None):
            yield gift, next(filter(None, found.groups()))


def handed_by(line: str) -> tuple[str, str, str]:
    """Return the verb of a line, the thing that it gets or gives, and to whom it gives that."""
    typed = parse_line(line)
    thing, _, to = typed.arguments.rpartition(" to ") if typed.verb == "give" else (typed.arguments, "", "")
    return typed.verb, thing, to


def hands_over(line: str, partner: Character, words: str) -> str:
    """Return the thing that a line gives to the partner whose words name it; empty if it does not."""
    verb, thing, to = handed_by(line)
    is_gift = verb == "give" and name_key(to) == name_key(partner.name)
    return thing if is_gift and names_thing(thing, words) else ""


def _is_short_for(name: str, words: str) -> bool:
    return any(is_named(one, words) for one in (name, name.split()[-1]))
