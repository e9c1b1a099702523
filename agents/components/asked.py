"""Answers of the world to a question: the way to a place, where somebody is, who has a thing.

The engine looks the answer up, so that the model need not make it up. The answer stands right before the words to
reply to. If the model is too small to use it, the engine replies with it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from agents.attending.conversation import is_question
from agents.attending.pressure import pressure_in
from agents.attending.questions import (
    MEASURED,
    answer_type,
    asking_part,
    asks_advice,
    asks_to_remember,
    is_of_type,
    is_personal,
    subject_of,
    written_out,
    yes_or_no_part,
)
from agents.component import AddedComponent, Moment, Section, last_heard
from agents.components.earlier import fitting, told_of
from agents.memory.facts.extraction import Utterance, utterance_in
from agents.memory.facts.narration_parser import NarrationParser
from agents.memory.facts.store import ME
from agents.reflection.speech_facts import LOSS, NAME, heard_facts, in_first_person, in_second_person, key_words
from vault.memory.bullet_note import Statement
from world.entities import Character, Exit, Role, Thing
from world.lore import LoreEntry
from world.narration import list_things
from world.navigation import paths_from, shortest_path
from world.parsing import has_phrase, is_named, strip_article
from world.world import World

MAX_ROOMS = 200
"""Maximum number of rooms that are searched, the nearest first, and of things and of people."""

MAX_LINES = 3
TELLING = 2
"""Minimum number of words of a description by which somebody who is not here is recognised."""

SURE = frozenset(
    {"time", "here", "there_is", "there_is_none", "carries", "carries_nothing", "own_place", "exit", "seen"}
)
"""What is looked up only where it is asked for."""

LATEST = 4
"""Number of the newest memories among which the words to be answered are."""


@dataclass(frozen=True)
class Person:
    """The person who asks: id and name in the world, the name they have given (or empty), and facts, oldest first."""

    character_id: str
    name: str
    called: str = ""
    facts: Sequence[Statement] = ()


class Asked(AddedComponent):
    """Tells the world's knowledge of the places, people and things that the partner has named last."""

    name = "asked"

    def context(self, moment: Moment) -> Section | None:
        if moment.kind != "speech" or moment.partner is None:
            return None
        heard = last_heard(moment.view.tail[-LATEST:], moment.partner.name)
        words = moment.heard or (heard.text if heard else "")
        found = _looked_up(words, moment.world, moment.actor, moment.partner.name) if words else ()
        say, partner = moment.world.wording, moment.partner
        lines = [say(f"asked.{key}", **values) for key, values in islice(found, MAX_LINES)]
        if partner.role is not Role.GUEST and has_phrase(say("asked.asks_name"), words):
            lines.append(say("asked.name", who=moment.actor.name, name=partner.name))
        if pressure_in(words, say):
            lines.append(say("asked.stays_itself", who=moment.actor.name))
        return Section(self.name, "\n".join(lines), is_aside=True) if lines else None


def to_be_answered(moment: Moment, reading: NarrationParser) -> Utterance | None:
    """Return the partner's words that wait for an answer, else their last if they are among the newest memories."""
    if moment.kind != "speech" or moment.partner is None:
        return None
    if moment.heard:
        return Utterance(moment.partner.name, moment.heard)
    heard = last_heard(moment.view.tail[-LATEST:], moment.partner.name)
    return utterance_in(heard, reading) if heard else None


def answers(words: str, world: World, actor: Character, person: Person) -> list[str]:
    """Return the answers to some words that an agent can give without a model; none of them is made up.

    They give the world's knowledge or what the agent was told before, or say that it is sorry or will remember.
    """
    say = world.wording
    if not is_question(words, say) and not has_phrase(say("talk.asks_for"), words):
        kinds = {one.kind for one in heard_facts(Utterance(person.character_id, words), 0)}
        if not kinds:
            return []
        return [say("asked.say_sorry" if LOSS in kinds else "asked.say_remembers", name=person.called or person.name)]
    told = [*_names(words, world, actor, person), *_told(words, world, actor, person)]
    if told and subject_of(words) == "asker":
        return told
    looked_up = list(islice(_looked_up(words, world, actor, person.name), MAX_LINES))
    if is_question(words, say) and is_personal(words):
        return [*(say(f"asked.say_{key}", **values) for key, values in looked_up if key != "detail"), *told]
    found = [say(f"asked.say_{key}", **values) for key, values in looked_up]
    is_all = any(key.startswith("there_is") for key, _ in looked_up)
    return [*found, *([] if is_all else _lore_of(words, world, actor)), *told]


def is_seen_first(words: str, world: World, actor: Character) -> bool:
    """Return whether words ask for what the world shows of the actor itself, or look for somebody by name."""
    say = world.wording
    if any(has_phrase(say(f"asked.asks_{key}"), words) for key in ("carried", "own_place")):
        return True
    others = (one for one in islice(world.awake(), MAX_ROOMS) if one is not actor)
    return has_phrase(say("asked.asks_sought"), words) and any(is_named(one.name, words) for one in others)


def surely_known(words: str, world: World, actor: Character, person: Person) -> list[str]:
    """Return what the world and lore answer to the sentence of words that asks, if it asks for just that.

    A place or somebody that is only named in it is not asked for.
    """
    say, asked = world.wording, asking_part(words)
    if _THERE.search(asked) and has_phrase(say("asked.asks_way"), asked):
        asked = words  # "He waits at the weir. How does one get there?"
    found: list[str] = []
    for key, values in islice(_looked_up(asked, world, actor, person.name), MAX_LINES):
        named = values.get("thing") or values.get("who", "")
        is_asked = key in SURE or (key == "way" and has_phrase(say("asked.asks_way"), asked))
        if is_asked or (key not in ("way", "detail") and has_phrase(say("asked.asks_where", who=named), asked)):
            found.append(say(f"asked.say_{key}", **values))
    is_of_somebody = any(is_named(one.name, asked) for one in islice(world.awake(), MAX_ROOMS) if one is not actor)
    lore = [] if is_of_somebody else _lore_of(asked, world, actor)
    return [*found, *lore] if has_phrase(say("asked.asks_place"), asked) else found or lore


_ASKS_BEYOND_LOOKS = re.compile(r"\b(?:who(?:m|se)?|why|when|how (?:many|much|old|long))\b", re.IGNORECASE)
_THERE = re.compile(r"\bthere\b", re.IGNORECASE)
_ASKS_LEAVE = re.compile(
    r"\b(?:can|may|could|shall) (?:i|we)\b.*\b(?:you?r|ur)\b|\b(?:ok|okay|all right|alright|mind|fine) if (?:i|we)\b",
    re.IGNORECASE,
)


def _lore_of(words: str, world: World, actor: Character) -> list[str]:
    """Return the lore that fits a question best, if it can hold what is asked for; who asks leave is told none."""
    if _ASKS_LEAVE.search(words):
        return []
    found = next(iter(world.lore.about(words, actor.name)), None)
    if found is None or not _can_answer(found, words, world):
        return []
    return [in_first_person(found.text, actor.name)]


def _can_answer(lore: LoreEntry, words: str, world: World) -> bool:
    """Return whether lore on a subject that a question names can hold the answer to it.

    What asks for a number needs one, unless a key asks for the same, such as "how much". Of what asks for yes or no,
    more than half the words have to stand in it: "Do eels bite?" is not answered by where one buys them. Half will do
    for "Is there a doctor in this town?" and "Can I buy eels?".
    """
    kind = answer_type(words)
    is_keyed = any(answer_type(key) == kind and is_named(key, words) for key in lore.keys)
    if kind in MEASURED and not is_keyed and not is_of_type(kind, lore.text):
        return False
    asked = yes_or_no_part(words)
    is_half_enough = _THERE.search(asked) or asks_advice(asked)
    if is_half_enough:  # "Is there a place to eat and dry one's socks?"
        asked = asked.partition(" and ")[0]
    said, told = key_words(asked), key_words(" ".join([lore.title, *lore.keys, lore.text]))
    least = len(said) if is_half_enough else len(said) + 1
    return not said or 2 * len(said & told) >= least


def recalled(words: str, world: World, actor: Character, person: Person) -> list[str]:
    """Return a person's own statements, where their words ask to be told them again: a name, what they said.

    The phrases by which that is asked stand in `text/asked.md`.
    """
    told = _told(words, world, actor, person) if asks_again(words, world) else []
    return [*_names(words, world, actor, person), *told]


def asks_again(words: str, world: World) -> bool:
    """Return whether words ask for what was said before; the phrases stand in `text/asked.md`."""
    return any(
        has_phrase(world.wording(f"asked.asks_{key}"), words) for key in ("loss", "promise", "request", "told", "other")
    )


def told_by(spoken: Utterance, question: str, actor: Character, partner: Character, world: World) -> str:
    """Return somebody's words that have to do with a question, as the agent tells them to its partner."""
    words, say = fitting(spoken, question, partner.name), world.wording
    if spoken.speaker == partner.name:
        return told_again(words, actor, world)
    if spoken.speaker == ME:
        return say("asked.say_said", words=words)
    return told_of(spoken.speaker, words) or say("asked.say_heard", who=spoken.speaker, words=words)


def _names(words: str, world: World, actor: Character, person: Person) -> list[str]:
    say, found = world.wording, list[str]()
    if has_phrase(say("asked.asks_name"), words if asks_to_remember(words) else asking_part(words)):
        found.append(say("asked.say_name" if person.called else "asked.say_no_name", name=person.called))
    if has_phrase(say("asked.asks_own_name"), words):
        found.append(say("asked.say_own_name", name=actor.name))
    return found


def told_again(words: str, actor: Character, world: World) -> str:
    """Return somebody's words as the agent tells them to the same person."""
    words = words.removeprefix(f"{actor.name}, ")
    told = in_second_person(words)
    return world.wording("asked.say_told", words=told) if told else world.wording("asked.say_quoted", words=words)


def _told(words: str, world: World, actor: Character, person: Person) -> list[str]:
    """Return a person's earlier statement that answers their question: at most one, the latest that fits best."""
    asked, asks_loss = key_words(words), has_phrase(world.wording("asked.asks_loss"), words)
    ranked = [
        (asks_loss and one.label == LOSS, len(asked & key_words(one.words)), at)
        for at, one in enumerate(person.facts)
        if one.label != NAME
    ]
    best = max(ranked, default=(False, 0, 0))
    return [told_again(person.facts[best[2]].words, actor, world)] if best[0] or best[1] else []


def _looked_up(words: str, world: World, actor: Character, partner: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the keys of sentences in `text/asked.md` on what words name, and what fills them."""
    if has_phrase(world.wording("asked.asks_time"), words):
        time = world.time
        yield "time", {"part": world.wording(f"life.at_{time.part}"), "clock": time.clock}
    if has_phrase(world.wording("asked.asks_place"), words):
        yield "here", {"room": world.room_of(actor).name}
    if has_phrase(world.wording("asked.asks_carried"), words):
        things = list_things(world.things_at(actor.character_id), world)
        yield ("carries" if things else "carries_nothing"), {"who": actor.name, "things": things}
    asker = world.characters.get(partner)
    is_apart = asker and asker.room_id != actor.room_id and has_phrase(world.wording("asked.asks_own_place"), words)
    if asker and is_apart and (way := shortest_path(world, asker.room_id, actor.room_id)):
        yield "own_place", {"who": actor.name, "room": world.room_of(actor).name, "exits": _exits(way, world)}
    ways = dict(islice(paths_from(world, actor.room_id), MAX_ROOMS))
    yield from _exits_asked_for(words, world, actor)
    named = [one for one in ways if is_named(world.rooms[one].name, words)] or _places_meant(words, ways, world)
    for room_id in named:
        yield _way(room_id, ways[room_id], world, actor)
    asked = asking_part(words) if is_question(words, world.wording) else words
    asleep = (one for one in world.characters.values() if not one.awake)
    known = chain(islice(world.awake(), MAX_ROOMS), islice(asleep, MAX_ROOMS))
    for one in (one for one in known if one is not actor and one.name != partner):
        if one.awake and is_named(one.name, asked) and ways.get(one.room_id):
            yield "person", _whereabouts(one, ways[one.room_id], world)
        elif _is_asked_after(one, asked, world, one.room_id == actor.room_id):
            yield "looks", {"who": one.name, "looks": one.description}
            if one.awake and ways.get(one.room_id):
                yield "person", _whereabouts(one, ways[one.room_id], world)
    if found := _existence(words, ways, world, actor) or (None if named else _seen_elsewhere(words, ways, world)):
        yield found
    for thing in islice(_things(ways, world), MAX_ROOMS):
        if is_named(thing.name, words) and thing.place_id != actor.character_id:
            key = "lies_here" if thing.place_id == actor.room_id else "has_not"
            yield key, {"who": actor.name, "thing": thing.name}
    if is_question(words, world.wording) and not _ASKS_BEYOND_LOOKS.search(asked):
        for detail in world.room_of(actor).details.values():
            if any(is_named(name, words) for name in (detail.name, *detail.aliases)):
                yield "detail", {"thing": detail.name, "looks": detail.description}


def place_named(words: str, world: World, actor: Character, asker_id: str) -> str:
    """Return the id of another room that words name, or where somebody is whom they name; empty if there is no way."""
    ways = dict(islice(paths_from(world, actor.room_id), MAX_ROOMS))
    named = [one for one in ways if is_named(strip_article(world.rooms[one].name), words)]
    if rooms := [one for one in named or _places_meant(words, ways, world) if ways[one]]:
        return max(rooms, key=lambda one: len(world.rooms[one].name))
    people = (one for one in islice(world.awake(), MAX_ROOMS) if ways.get(one.room_id) and one.character_id != asker_id)
    return next((one.room_id for one in people if is_named(one.name, words)), "")


def _places_meant(words: str, ways: Mapping[str, list[Exit]], world: World) -> list[str]:
    """Return the ids of the rooms elsewhere that one looks for by a last word that no other has: "the fern garden"."""
    if not has_phrase(world.wording("asked.asks_way"), words):
        return []
    last = {one: world.rooms[one].name.casefold().split()[-1] for one in ways}
    kinds = Counter(last.values())
    meant = (one for one, kind in last.items() if kinds[kind] == 1 and ways[one])
    return [one for one in meant if is_named(last[one], words) and _looks_for(last[one], words, "the")]


def _exits_asked_for(words: str, world: World, actor: Character) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield where the exits lead that words name, if they ask for one: "What is east and west of here?"."""
    exits = [(name, one) for name, one in world.room_of(actor).exits_by_name.items() if is_named(name, words)]
    if has_phrase(world.wording("dialogue.is_mood"), words):  # "What's up?"
        exits = [one for one in exits if not is_named(one[0], world.wording("dialogue.is_mood"))]
    is_asked = any(has_phrase(world.wording("asked.asks_exit", exit=name), words) for name, _ in exits)
    for one in dict.fromkeys(one for _, one in exits if is_asked):
        yield "exit", {"exit": one.name, "room": world.rooms[one.room_id].name}


def _seen_elsewhere(words: str, ways: Mapping[str, list[Exit]], world: World) -> tuple[str, dict[str, str]] | None:
    """Return where there is what somebody looks for that can be seen in one other room alone; None if there is none."""
    if not has_phrase(world.wording("asked.asks_way"), written_out(words)):
        return None
    details = [(one, detail) for one in ways for detail in world.rooms[one].details.values()]
    named = [(one, name) for one, detail in details for name in (detail.name, *detail.aliases) if is_named(name, words)]
    places = Counter(name for _, name in named)
    for room_id, name in named:
        is_meant = places[name] == 1 and _looks_for(name, words)
        if is_meant and ways[room_id]:
            room, exits = world.rooms[room_id].name, _exits(ways[room_id], world)
            return "seen", {"thing": name, "room": room, "exits": exits}
    return None


def _looks_for(name: str, words: str, article: str = "the|that|some|an?") -> bool:
    """Return whether words speak of a thing or a kind of place as people do who look for it: "some big wheel"."""
    return bool(re.search(rf"\b(?:{article}) (?:[\w'-]+ )?{re.escape(name)}\b", words, re.IGNORECASE))


_IS_THERE = re.compile(
    r"\b(?:is|are) there (?:an?|any|some) (?P<thing>(?:[\w'-]{1,30} ){0,4}?(?P<noun>[\w'-]{1,30}))"
    r" (?:in (?:this|the) (?:town|place)|in these parts|around here|round here|here|near ?by|anywhere)\b",
    re.IGNORECASE,
)


def _existence(words: str, ways: Collection[str], world: World, actor: Character) -> tuple[str, dict[str, str]] | None:
    """Return where there is what somebody asks for, as in "Is there a cat in this town?", or that none is known.

    None where they do not ask that, or if anything that is told of the world has the word: a model may know more.
    """
    match = _IS_THERE.search(words)
    if match is None:
        return None
    noun, rooms = match["noun"].lower(), [world.rooms[one] for one in ways]
    nouns = {noun, f"{noun}s", noun.removesuffix("s")}
    for room in rooms:
        if any(nouns & {name.lower() for name in (one.name, *one.aliases)} for one in room.details.values()):
            return "there_is", {"thing": match["thing"], "room": room.name}
    told = [*(f"{one.name} {one.description}" for one in rooms), *(f"{one.title} {one.text}" for one in world.lore)]
    told += [one.name for one in islice(_things(ways, world), MAX_ROOMS)]
    is_told = any(is_named(one, text) for text in told for one in nouns) or world.lore.about(noun, actor.name)
    return None if is_told else ("there_is_none", {"who": actor.name, "thing": match["thing"]})


def _is_asked_after(one: Character, words: str, world: World, is_near: bool) -> bool:
    """Return whether words ask who or where somebody is, by what they look like or do."""
    shared = key_words(one.description) & key_words(words)
    return len(shared) >= (1 if is_near else TELLING) and has_phrase(world.wording("asked.asks_who"), words)


def _way(room_id: str, way: list[Exit], world: World, actor: Character) -> tuple[str, dict[str, str]]:
    room = world.rooms[room_id].name
    if not way:
        return "here", {"room": room}
    return "way", {"who": actor.name, "room": room, "exits": _exits(way, world)}


def _whereabouts(one: Character, way: list[Exit], world: World) -> dict[str, str]:
    return {"who": one.name, "room": world.rooms[one.room_id].name, "exits": _exits(way, world)}


def _exits(way: list[Exit], world: World) -> str:
    return f"{world.wording('asked.then')} ".join(one.name for one in way)


def _things(ways: Collection[str], world: World) -> Iterator[Thing]:
    """Yield the things in the nearest rooms, and the things that somebody in them carries."""
    owners = (one.character_id for one in islice(world.awake(), MAX_ROOMS) if one.room_id in ways)
    for place_id in (*ways, *owners):
        yield from world.things_at(place_id)
