"""What the world and its lore say of a name that stands in some words, in sentences of `text/lines.md`.

Names, other names and keys of lore are matched as whole words, in any case. No other word of a language counts.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import TypeVar

from agents.attending.conversation import QUESTION_MARKS
from world.entities import Character, Exit, Room, Thing
from world.lore import LoreEntry
from world.navigation import paths_from
from world.parsing import Named, is_named
from world.sanitize import name_key
from world.world import World

MAX_LOOKED_AT = 200
"""Maximum number of rooms, the nearest first, of people and of things whose names are looked for."""

_CLOSING = "\"'”’»›)]…. "
_SENTENCE = re.compile(r".+?(?:[。！？]|[.!?…؟।]+[\"'”’»)\]]*(?=\s|$)|$)")

N = TypeVar("N", bound=Named)


def is_question(words: str) -> bool:
    """Return whether words end in a question mark."""
    return words.rstrip(_CLOSING).endswith(tuple(QUESTION_MARKS))


@dataclass(frozen=True)
class Surroundings:
    """The knowledge of an agent, `actor`, of where rooms, people and things are, and of the lore."""

    world: World
    actor: Character

    def of_name(self, words: str, speaker: Character) -> str:
        """Return where the thing, the person or the room is that words name; empty if they name none.

        Other names of things count in questions only, as they are common words: "my key", "a box". What is in a
        container is not seen, nor who is asleep, nor what a person carries.
        """
        ways = dict(islice(paths_from(self.world, self.actor.room_id), MAX_LOOKED_AT))
        people = [one for one in islice(self.world.awake(), MAX_LOOKED_AT) if one.room_id in ways]
        if thing := self._thing(words, ways, people):
            return self._where_thing_is(thing, ways)
        others = (one for one in people if one.character_id not in (self.actor.character_id, speaker.character_id))
        if person := _longest_named(words, others):
            return self._with_lore(person.name, self._where_person_is(person, ways))
        elsewhere = (self.world.rooms[room_id] for room_id, way in ways.items() if way)
        if room := _longest_named(words, elsewhere):
            return self._with_lore(room.name, self._way_to(room, ways[room.room_id]))
        return ""

    def of_lore(self, words: str) -> str:
        """Return the first sentence of the lore whose key in the words is the longest; empty if they have no key."""
        fits = [
            (max((len(key) for key in _keys(entry) if is_named(key, words)), default=0), entry) for entry in self.lore()
        ]
        ranked = sorted((fit for fit in fits if fit[0]), key=lambda fit: -fit[0])
        return first_sentence(ranked[0][1].text) if ranked else ""

    def lore(self) -> Iterator[LoreEntry]:
        """Yield the lore that the actor knows and can tell: nobody speaks of themselves by name."""
        for entry in self.world.lore:
            if entry.is_known_to(self.actor.name) and not is_named(self.actor.name, first_sentence(entry.text)):
                yield entry

    def unheard_subject(self, lines: Sequence[str], rng: random.Random) -> str:
        """Return a subject of the lore that none of some lines speaks of; empty if there is none."""
        known, heard = list(self.lore()), "\n".join(lines)
        for entry in rng.sample(known, len(known)):
            if not any(is_named(key, heard) for key in (*_keys(entry), first_sentence(entry.text))):
                return subject_of(entry)
        return ""

    def _thing(self, words: str, ways: Mapping[str, list[Exit]], people: Iterable[Character]) -> Thing | None:
        owners = (one.character_id for one in people if one is not self.actor)
        places = chain((self.actor.character_id,), ways, owners)
        things = islice((thing for place in places for thing in self.world.things_at(place)), MAX_LOOKED_AT)
        return _longest_named(words, things, has_aliases=is_question(words))

    def _where_thing_is(self, thing: Thing, ways: Mapping[str, list[Exit]]) -> str:
        say, place = self.world.wording, thing.place_id
        if place == self.actor.character_id:
            return say("lines.i_have", thing=thing.name)
        if place == self.actor.room_id:
            return say("lines.lies_here", thing=thing.name)
        if place in ways:
            room = self.world.rooms[place].name
            return say("lines.lies_there", thing=thing.name, room=room, exit=ways[place][0].name)
        owner = self.world.characters[place]
        return say("lines.has" if owner.is_agent else "lines.has_not", who=owner.name, thing=thing.name)

    def _where_person_is(self, person: Character, ways: Mapping[str, list[Exit]]) -> str:
        say, way = self.world.wording, ways[person.room_id]
        if not way:
            return say("lines.is_here", who=person.name)
        return say("lines.is_there", who=person.name, room=self.world.rooms[person.room_id].name, exit=way[0].name)

    def _way_to(self, room: Room, way: Sequence[Exit]) -> str:
        if len(way) == 1:
            return self.world.wording("lines.next_door", room=room.name, exit=way[0].name)
        return self.world.wording("lines.way", room=room.name, exit=way[0].name, steps=len(way))

    def _with_lore(self, name: str, sentence: str) -> str:
        """Return a sentence on somebody or some place, behind the lore with that very title."""
        told = (first_sentence(entry.text) for entry in self.lore() if name_key(entry.title) == name_key(name))
        return " ".join((*islice(told, 1), sentence))


def first_sentence(text: str) -> str:
    """Return the first sentence of a text."""
    match = _SENTENCE.match(text)
    return match[0].strip() if match else text


def subject_of(entry: LoreEntry) -> str:
    """Return the longest key of a note that stands in its title, as it is written in a sentence; else the title."""
    return max((key for key in entry.keys if is_named(key, entry.title)), key=len, default=entry.title)


def _keys(entry: LoreEntry) -> tuple[str, ...]:
    return (entry.title, *entry.keys)


def _longest_named(words: str, among: Iterable[N], has_aliases: bool = True) -> N | None:
    """Return whose name in the words is the longest, the first of several; None if they name nobody."""
    best, longest = None, 0
    for item in among:
        names = (item.name, *item.aliases) if has_aliases else (item.name,)
        length = max((len(name) for name in names if is_named(name, words)), default=0)
        if length > longest:
            best, longest = item, length
    return best
