"""Fact extraction by rule, from one memory: from the world's own sentences and from what people say."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from agents.memory.facts.narration_parser import ENGLISH, NarrationParser, ParsedEvent
from agents.memory.facts.speech_acts import (
    MAX_SENTENCE_CHARACTERS,
    classify,
    content_words,
    is_bare_reminder,
    is_same_topic,
    is_secret,
    releases,
    replaces,
    secret_spans,
    spans,
    takes_back,
    tells_of_keeping,
    wants_forgotten,
)
from agents.memory.facts.store import ME, FactStore, minute_of
from agents.memory.numerals import NUMBER_WORDS
from vault.markdown import LINE_BREAK
from vault.memory.facts_note import (
    BEEN_THERE,
    CONFIDED,
    LESSONS,
    PEOPLE,
    PLACES,
    PROMISES,
    REQUESTS,
    TELLABLE,
    THINGS,
    Fact,
)
from vault.memory.memory_line import Memory
from world.parsing import parse_line, split_reason
from world.sanitize import name_key

PARTED_MINUTES = 30
"""Minutes without a sign of a person after which the next sign counts as a new meeting."""

_PRIVATELY = frozenset({"whispers_to_you", "tells_you"})
_SPEAKING = _PRIVATELY | {"says", "says_to", "says_to_you"}
_FROM_AFAR = frozenset({"tells_you", "shouts_from"})
_COMING = frozenset({"arrives", "wakes"})

# The first that fits counts, and what is taken out of something would fit what is taken as well.
_OWN_EVENTS = (
    "narration.you_give",
    "narration.you_take_from",
    "narration.you_take",
    "narration.you_put_in",
    "narration.you_drop",
)
_EXITS = ("narration.no_exits", "narration.exits")
# A crowd first: otherwise it would read as several people, one of them called `30 others`.
_COMPANY = ("narration.crowd_is_here", "narration.some_are_here", "narration.one_is_here")
_CARRYING = ("looking.you_carry",)
_LYING = ("narration.lying_here",)
_INSIDE = ("things.inside",)
_GOING = ("narration.you_go", "narration.you_go_along")

MAX_SENTENCES = 40
"""Maximum number of sentences of one speech that begin or settle something: each is compared with all known facts."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_APPOINTMENT = re.compile(r"\b(?:come|meet|visit|be|wait|go|return)\b", re.IGNORECASE)


def extract_facts(known: FactStore, memory: Memory, refused: bool = False, reading: NarrationParser = ENGLISH) -> None:
    """Extract the facts of one memory into `known`; a memory extracted already changes nothing.

    `refused` says that the command was refused: words that nobody heard promise nothing.
    """
    if memory.seq <= known.upto:
        return
    known.upto = memory.seq
    if memory.room and memory.room != known.place:
        known.place = memory.room
        _visit(known, memory)
    match memory.kind:
        case "observed" | "told" if memory.people:
            _perceive(known, memory, memory.people[0], reading)
        case "result":
            _see(known, memory, reading)
        case "acted" if (
            not refused and not awaits_outcome(memory) and (spoken := utterance_in(memory, people=known.people()))
        ):
            update_commitments(known, spoken, memory)


def utterance_in(memory: Memory, reading: NarrationParser = ENGLISH, people: Iterable[str] = ()) -> Utterance | None:
    """Return the words spoken in a memory, with their speaker; None if nothing was said.

    `people` are those to whom words may have been whispered whose names have several words.
    """
    if memory.kind == "acted":
        line = parse_line(memory.text)
        match line.verb:
            case "say" | "speak":
                return Utterance(ME, line.arguments)
            case "reply":
                return Utterance(ME, line.arguments)
            case "whisper" | "tell" | "page":
                return Utterance(ME, _behind_name(line.arguments, people))
        return None
    is_heard = memory.kind in ("observed", "told") and memory.people
    heard = reading.event_in(memory.text, memory.people[0]) if is_heard else None
    return _spoken(heard, memory.people[0]) if heard else None


def _spoken(event: ParsedEvent, who: str) -> Utterance | None:
    is_speech = event.name in _SPEAKING and "text" in event.values
    return Utterance(who, event.values["text"], event.name in _PRIVATELY) if is_speech else None


def _behind_name(arguments: str, people: Iterable[str]) -> str:
    """Return the whispered words: all behind the longest known name, or behind the first word."""
    typed = name_key(arguments)
    named = (name.count(" ") + 1 for name in people if typed.startswith(f"{name_key(name)} "))
    return arguments.split(" ", max(named, default=1))[-1] if " " in arguments else ""


def awaits_outcome(memory: Memory) -> bool:
    """Return whether it shows only in the next memory if something was done: nobody may be there to hear it."""
    return memory.kind == "acted" and parse_line(memory.text).verb in ("whisper", "tell", "page", "reply")


def _visit(known: FactStore, memory: Memory) -> None:
    old = known.find(PLACES, memory.room)
    if old is None:
        known.put(Fact(PLACES, memory.room, BEEN_THERE, memory.seq, memory.seq, minute_of(memory)))
    else:
        known.renew(old, BEEN_THERE, memory, old.count + 1)


def _meet(known: FactStore, memory: Memory, name: str, arrived: bool = False) -> None:
    old, value = known.find(PEOPLE, name), f"last seen in {memory.room}"
    if old is None:
        known.put(Fact(PEOPLE, name, value, memory.seq, memory.seq, minute_of(memory)))
        return
    parted = arrived or old.value != value or minute_of(memory) - old.minute > PARTED_MINUTES
    known.renew(old, value, memory, old.count + parted)


def _perceive(known: FactStore, memory: Memory, who: str, reading: NarrationParser) -> None:
    event = reading.event_in(memory.text, who)
    if event is None:
        if memory.text.startswith(who):  # a pose, as they begin in every language
            _meet(known, memory, who)
        return
    if event.name not in _FROM_AFAR:
        _meet(known, memory, who, arrived=event.name in _COMING)
    if event.name in _COMING:
        keep_appointments(known, who, memory)
    elif event.name == "leaves" and "room" in event.values and (seen := known.find(PEOPLE, who)):
        known.renew(seen, f"last seen in {event.values['room']}", memory)
    elif spoken := _spoken(event, who):
        if not spoken.privately:  # what is told in confidence stands in no fact
            update_commitments(known, spoken, memory)
    else:
        _move_things(known, memory, who, event)


def _move_things(known: FactStore, memory: Memory, who: str, event: ParsedEvent) -> None:
    has = "I have it" if who == ME else f"{who} has it"
    match event:
        case ParsedEvent(name="takes" | "takes_from" | "you_take" | "you_take_from", values={"thing": thing}):
            _place(known, thing, has, memory)
        case ParsedEvent(name="drops" | "you_drop", values={"thing": thing}):
            _place(known, thing, f"it lies in {memory.room}", memory)
        case ParsedEvent(name="puts_in" | "you_put_in", values={"thing": thing, "container": container}):
            _place(known, thing, f"it lies in the {container}", memory)
        case ParsedEvent(name="gives_you", values={"thing": thing}):
            _hand_over(known, who, ME, thing, memory)
        case ParsedEvent(name="gives" | "you_give", values={"thing": thing, "to": to}):
            _hand_over(known, who, to, thing, memory)


def _hand_over(known: FactStore, giver: str, receiver: str, thing: str, memory: Memory) -> None:
    if receiver != ME:
        _meet(known, memory, receiver)
    _place(known, thing, "I have it" if receiver == ME else f"{receiver} has it", memory)
    keep_by_giving(known, giver, receiver, thing, memory)


def _place(known: FactStore, thing: str, value: str, memory: Memory) -> None:
    old = known.find(THINGS, thing)
    if old is None:
        known.put(Fact(THINGS, thing, value, memory.seq, memory.seq, minute_of(memory)))
    else:
        known.renew(old, value, memory)


def _see(known: FactStore, memory: Memory, reading: NarrationParser) -> None:
    """Take in what a command of one's own brought: something done, a list of things, a look around."""
    text, lines = memory.text, memory.text.split(LINE_BREAK)
    if len(lines) == 1 and (event := reading.sentence_in(_OWN_EVENTS, text)):
        _move_things(known, memory, ME, event)
    elif carried := reading.sentence_in(_CARRYING, lines[0]):
        _list(known, carried, "I have it", memory, reading)
        _look_inside(known, lines[1:], memory, reading)
    elif len(lines) > 1 and reading.sentence_in(_EXITS, lines[-1]):  # under the room's title, which need not be its id
        _look_around(known, lines[1:-1], memory, reading)
    elif reading.sentence_in(_INSIDE, lines[0]):
        _look_inside(known, lines, memory, reading)
    elif len(lines) == 1 and reading.sentence_in(_GOING, text):
        keep_appointments(known, ME, memory)


def _look_around(known: FactStore, lines: list[str], memory: Memory, reading: NarrationParser) -> None:
    present = reading.sentence_in(_COMPANY, lines[-1]) if lines else None
    lines = lines[:-1] if present else lines
    for name in reading.names(present.values["who"]) if present and "who" in present.values else ():
        _meet(known, memory, name)
    lying = reading.sentence_in(_LYING, lines[-1]) if lines else None
    _list(known, lying, f"it lies in {memory.room}", memory, reading)


def _look_inside(known: FactStore, lines: list[str], memory: Memory, reading: NarrationParser) -> None:
    for line in lines:
        if (inside := reading.sentence_in(_INSIDE, line)) and "container" in inside.values:
            _list(known, inside, f"it lies in the {inside.values['container']}", memory, reading)


def _list(known: FactStore, seen: ParsedEvent | None, value: str, memory: Memory, reading: NarrationParser) -> None:
    """Take in a whole list of things: what was believed to be in it and is not, has gone who knows where."""
    names = reading.things(seen.values.get("things", "")) if seen else []
    if names is None:
        return
    for name in names:
        _place(known, name, value, memory)
    listed = {name.casefold() for name in names}
    for fact in list(known.facts.values()):
        if fact.section == THINGS and fact.value == value and fact.subject.casefold() not in listed:
            known.renew(fact, "", memory)


@dataclass(frozen=True)
class Utterance:
    """Something said, and by whom; `privately` if it was whispered to the agent."""

    speaker: str
    text: str
    privately: bool = False

    @property
    def words(self) -> str:
        """The words without the reason that an agent gives for them."""
        return split_reason(self.text)[0]


def update_commitments(known: FactStore, spoken: Utterance, memory: Memory) -> None:
    """Take in the first sentences of a speech; then the rest, if it was said in confidence or to be remembered."""
    text = spoken.text.replace(LINE_BREAK, " ")
    spent, section = set[int](), CONFIDED if spoken.privately or is_secret(text) else ""
    for start, end in islice(spans(text), MAX_SENTENCES):
        sentence = text[start:end][:MAX_SENTENCE_CHARACTERS]
        if is_bare_reminder(sentence):
            section = LESSONS
        elif _counts(known, spoken.speaker, sentence, memory):
            spent.add(start)
    if section and spoken.speaker != ME:
        for piece in secret_spans(text, spent):
            _commit(known, _said(section, spoken.speaker, piece, memory))


def _counts(known: FactStore, speaker: str, sentence: str, memory: Memory) -> bool:
    """Take in a sentence that settles or begins something; return whether it did."""
    if takes_back(sentence):
        return _withdraw(known, speaker, sentence, memory)
    if tells_of_keeping(sentence):
        kept = _nearest(known.open(), content_words(sentence))
        for fact in kept:
            known.end(fact, "kept", memory)
        return bool(kept)
    if section := classify(sentence):
        _commit(known, _said(section, speaker, sentence, memory))
    return bool(section)


def _said(section: str, speaker: str, words: str, memory: Memory) -> Fact:
    return Fact(section, speaker, words, memory.seq, memory.seq, minute_of(memory))


def keep_appointments(known: FactStore, who: str, memory: Memory) -> None:
    """End the promises to come to a room, once their giver comes in."""
    room = content_words(memory.room)
    for fact in known.open():
        if fact.section != PROMISES or fact.subject != who:
            continue
        if _APPOINTMENT.search(fact.value) and room and room <= content_words(fact.value):
            known.end(fact, "kept", memory)


def keep_by_giving(known: FactStore, giver: str, receiver: str, thing: str, memory: Memory) -> None:
    """End the giver's promises of a thing and the receiver's requests for it, once it is handed over."""
    for fact in known.open():
        meant = fact.subject == (giver if fact.section == PROMISES else receiver)
        if meant and _speaks_of(fact.value, thing):
            known.end(fact, "kept", memory)


def _commit(known: FactStore, fact: Fact) -> None:
    """Replace the facts that a new one repeats; a lesson that is repeated in confidence stays a lesson."""
    same = (old for old in known.facts.values() if _says_again(fact, old))
    replaced = sorted(same, key=lambda old: (old.since, old.key))
    if fact.section == CONFIDED and any(old.section == LESSONS for old in replaced):
        fact = replace(fact, section=LESSONS)
    if replaced and replaced[-1].key == fact.key:
        fact = replace(replaced[-1], last=fact.last, minute=fact.minute)
    elif replaced and replaced[-1].value != fact.value:
        fact = replace(fact, was=replaced[-1].value)
    for old in replaced:
        known.drop(old)
    known.put(fact)


def _says_again(fact: Fact, old: Fact) -> bool:
    if old.closed or old.subject != fact.subject:
        return False
    if CONFIDED in (fact.section, old.section) and {fact.section, old.section} <= set(TELLABLE):
        return old.value.casefold() == fact.value.casefold() or replaces(fact.value, old.value)
    return old.section == fact.section and (old.key == fact.key or is_same_topic(old.value, fact.value))


def _withdraw(known: FactStore, speaker: str, sentence: str, memory: Memory) -> bool:
    """End the facts that a speaker takes back: its own, and promises to it that it releases.

    What it told and takes back is no longer known. Return whether there was anything.
    """
    words = content_words(sentence)
    own = [fact for fact in known.open() if fact.subject == speaker]
    ended = _nearest(own, words) if words else own[-1:]
    released = releases(sentence) or any(fact.section == REQUESTS for fact in ended)
    about = words.union(*(content_words(fact.value) for fact in ended))
    others = [fact for fact in known.open() if fact.subject != speaker and fact.section == PROMISES]
    ended += _nearest(others, about) if released else []
    for fact in ended:
        known.end(fact, "withdrawn", memory)
    untold = _untold(known, speaker, sentence) if not ended else []
    for fact in untold:
        known.drop(fact)
    return bool(ended or untold)


def _untold(known: FactStore, speaker: str, sentence: str) -> list[Fact]:
    """Return the facts from a speaker that the speaker wants forgotten."""
    told = [fact for fact in known.facts.values() if fact.section in TELLABLE and fact.subject == speaker and fact.last]
    return _nearest(told, content_words(sentence)) if wants_forgotten(sentence) else []


def _nearest(facts: list[Fact], words: frozenset[str]) -> list[Fact]:
    """Return those that have most of the words, none if none has any."""
    shared = [len(content_words(fact.value) & words) for fact in facts]
    most = max(shared, default=0)
    return [fact for fact, count in zip(facts, shared, strict=True) if most and count == most]


def _speaks_of(sentence: str, thing: str) -> bool:
    """Return whether a sentence has a thing's noun, and no word before it that makes it another thing.

    The oak chest is not the iron chest; where in doubt, what was promised stays open.
    """
    own = thing.lower().split()
    said = ["", *_WORD.findall(sentence.lower())]
    return any(
        _singular(word) == _singular(own[-1]) and (before in own or before in NUMBER_WORDS or not content_words(before))
        for before, word in pairwise(said)
    )


def _singular(word: str) -> str:
    return word.removesuffix("s")
