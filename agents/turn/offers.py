"""Offers: what an agent may do along with its words, made for this moment from names and things, never from verbs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Protocol

from agents.attending.conversation import Conversation
from agents.components.visitors import Visitors
from agents.offer import Act, Occasion
from agents.turn.promises import Promises
from world.entities import Character, Role
from world.find import names_in
from world.naming import is_free_name, normalize_name
from world.navigation import shortest_path
from world.parsing import is_named, strip_article
from world.preferences import ignored_names
from world.world import World

MOST_ACTS = 8
"""Maximum number of acts on offer; those named in the newest words come first."""

MOST_NAMES = 5
"""Maximum number of a guest's words that are on offer as their name."""

LEAVES_AFTER = 3
"""Number of own speeches after which an agent may take leave."""

MOST_LED = 3
"""Number of times a day that an agent leads one person somewhere."""

MOST_ROOMS = 2
"""Maximum number of rooms on offer to lead somebody to, those named last."""

_ENDS = ("", "\n", *".!?…。！？؟।")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


class KnowsPeople(Protocol):
    """What the offers need to know of people; see `agents.reflection.acquaintances.Acquaintances`."""

    def called(self, person: str) -> str: ...
    def call(self, guest: str, name: str, seq: int) -> bool: ...


class Offers:
    """Makes the offers of one agent, and keeps the count of what it has given and whom it has led."""

    def __init__(
        self,
        conversation: Conversation,
        visitors: Visitors,
        people: KnowsPeople,
        promises: Promises,
        needs: Callable[[], Collection[str]],
        tell: Callable[[str, str], None],
    ) -> None:
        """`needs` returns the names of what the agent's errands need; `tell` tells a character a sentence."""
        self._tell = tell
        self._conversation = conversation
        self._visitors = visitors
        self._people = people
        self._promises = promises
        self._needs = needs
        self._given: set[tuple[str, int]] = set()
        self._led: Counter[tuple[str, int]] = Counter()

    def acts(self, now: Occasion, more: Iterable[Act] = ()) -> tuple[Act, ...]:
        """Return what is on offer, nothing first; empty if only that. `more` are the offers of plugins."""
        found: list[Act] = []
        every = self._silence, self._gifts, self._keeping, self._promise, self._leading, self._along, self._names
        for offer in every:
            found += offer(now)
        found += more
        if not found:
            return ()
        first = [one for one in found if one.is_silence]
        others = sorted((one for one in found if not one.is_silence), key=lambda one: not _is_named_in(now.heard, one))
        nothing = Act(now.say("offers.nothing"))
        return (nothing, *{one.label: one for one in (*first, *others)}.values())[:MOST_ACTS]

    def _silence(self, now: Occasion) -> Iterator[Act]:
        if not now.is_named and len(now.company) > 1:
            yield Act(now.say("offers.silent"), is_silence=True)

    def _gifts(self, now: Occasion) -> Iterator[Act]:
        """Yield what may be handed to the partner: nothing that is kept, promised, or needed; one thing a day."""
        who, key = now.partner, (now.partner.name, now.day)
        if who.room_id != now.actor.room_id or key in self._given:
            return
        promised = {one.thing.casefold() for one in self._promises.open() if one.thing}
        kept = {one.casefold() for one in (*now.keeps, *self._needs())} | promised
        for thing in now.world.things_at(now.actor.character_id):
            if thing.name.casefold() in kept:
                continue
            label = now.say("offers.give", thing=thing.name, who=now.called(who.name))
            line = f"give {thing.name} to {who.name}"
            yield Act(label, (line,), (thing.name,), lambda: self._given.add(key))

    def _keeping(self, now: Occasion) -> Iterator[Act]:
        """Yield to keep what was just given for somebody absent whose name stands in the words."""
        for other in _absent_in(now) if now.gift else ():
            if self._may_promise(now, other):
                yield self._promise_of(now, other, "offers.keep", now.gift)

    def _promise(self, now: Occasion) -> Iterator[Act]:
        """Yield to promise to tell somebody absent, whose name stands in the words, what was said."""
        for other in _absent_in(now) if not now.gift else ():
            if self._may_promise(now, other):
                yield self._promise_of(now, other, "offers.promise")

    def _promise_of(self, now: Occasion, other: Character, key: str, thing: str = "") -> Act:
        asker, words, parties = now.partner.name, now.words, self._parties(now)

        def take_note() -> None:
            self._promises.make(asker, other.name, words, now.seq, thing=thing, parties=parties)

        return Act(now.say(key, who=other.name, thing=thing), (), (other.name,), take_note)

    def _may_promise(self, now: Occasion, other: Character) -> bool:
        asker, parties = now.partner, self._parties(now)
        if other.role is Role.GUEST or asker.name in ignored_names(other) or (parties and asker.role is Role.GUEST):
            return False  # a guest's number is the next guest's, too
        return not self._promises.refusal(asker.name, other.name, now.words, parties, now.gift, now.say)

    def _parties(self, now: Occasion) -> tuple[str, ...]:
        return (now.partner.name, now.actor.name) if now.is_private else ()

    def _leading(self, now: Occasion) -> Iterator[Act]:
        """Yield to lead the partner to a room that was named in the last speeches; or to stop leading."""
        who, key = now.partner, (now.partner.name, now.day)
        if who.is_agent or who.room_id != now.actor.room_id:
            return
        if self._visitors.is_leading:
            yield Act(now.say("offers.stop_leading"), take_note=lambda: self._visitors.stop_leading(who.character_id))
            return
        if self._led[key] >= MOST_LED:
            return
        for room_id in _rooms_in(now):
            yield self._leading_to(now, room_id, key)

    def _leading_to(self, now: Occasion, room_id: str, key: tuple[str, int]) -> Act:
        who, actor, room = now.partner, now.actor, now.world.rooms[room_id].name
        label = now.say("offers.lead", who=now.called(who.name), room=room)

        def take_note() -> None:
            self._led[key] += 1
            self._visitors.lead(actor, who.character_id, room_id)
            if who.transient.following_id != actor.character_id:
                self._tell(who.character_id, now.say("talk.how_to_follow", name=actor.name))

        return Act(label, ("unfollow",) if actor.transient.following_id else (), (strip_article(room),), take_note)

    def _along(self, now: Occasion) -> Iterator[Act]:
        """Yield to go along with a person who talks with the agent, and after some speeches to take leave."""
        who, own = now.partner, now.actor.transient
        if who.is_agent or who.room_id != now.actor.room_id:
            return
        if own.following_id != who.character_id and who.transient.following_id != now.actor.character_id:
            label, line = now.say("offers.along", who=now.called(who.name)), f"follow {who.name}"
            yield Act(label, (line,), take_note=lambda: self._visitors.stop_leading(who.character_id))
        if now.words_here >= LEAVES_AFTER:
            yield Act(now.say("offers.leave"), take_note=lambda: self._conversation.part(who.character_id))

    def _names(self, now: Occasion) -> Iterator[Act]:
        """Yield by what names a guest who has told none may be called: words of theirs, as they stand."""
        who = now.partner
        if who.role is not Role.GUEST or now.is_private or self._people.called(who.name):
            return  # by that name all would hear them called
        for name in list(_names_in(now))[:MOST_NAMES]:
            yield self._calling(now, name)

    def _calling(self, now: Occasion, name: str) -> Act:
        who = now.partner.name
        label = now.say("offers.call", guest=who, name=name)
        return Act(label, (), (name,), lambda: self._people.call(who, name, now.seq))


def _is_named_in(words: str, act: Act) -> bool:
    """Return whether a name or thing of an act stands in the words that are answered."""
    return any(is_named(name, words) for name in act.names)


def _absent_in(now: Occasion) -> list[Character]:
    """Return who is not here and is named in the words, as a list of one; empty if nobody is."""
    here = {now.actor.character_id, now.partner.character_id, *(one.character_id for one in now.company)}
    named = (now.world.characters.get(one) for one in names_in(now.world, now.heard))
    return [one for one in named if one is not None and one.character_id not in here][:1]


def _rooms_in(now: Occasion) -> list[str]:
    """Return the ids of the rooms elsewhere that were named, or where somebody is who was named, the latest first."""
    world, here, found = now.world, now.actor.room_id, dict[str, None]()
    talking = now.actor.character_id, now.partner.character_id
    for words in (now.heard, *reversed(now.spoken)):
        for one in names_in(world, words):
            person = world.characters.get(one)
            if one in world.rooms:
                found[one] = None
            elif person and person.awake and one not in talking:
                found[person.room_id] = None
    return [one for one in found if one != here and shortest_path(world, here, one)][:MOST_ROOMS]


def _names_in(now: Occasion) -> Iterator[str]:
    """Yield the words of a guest that may be a name by the door's rules, capitals inside a sentence first."""
    words = list(_WORD.finditer(now.heard))
    before = [now.heard[: one.start()].rstrip(" \t")[-1:] for one in words]
    inside = [one[0] for one, mark in zip(words, before, strict=True) if one[0][:1].isupper() and mark not in _ENDS]
    few = [one[0] for one in words] if len(words) <= MOST_NAMES else []
    for word in dict.fromkeys([*inside, *few]):
        name = normalize_name(word)
        if name and is_free_name(name) and not _is_of_world(name, now.world):
            yield name


def _is_of_world(name: str, world: World) -> bool:
    """Return whether a character, room or thing has a name."""
    rooms, things = (one.name for one in world.rooms.values()), (one.name for one in world.things.values())
    return world.characters.id_ignoring_case(name) is not None or any(is_named(name, one) for one in (*rooms, *things))
