"""The conversation at an agent's place, and its manners: for whom words are, whom it has greeted, when to end.

It begins again when the agent walks into a room, except that the agent remembers for a while whom it has spoken to.
Nothing here asks a model, and nothing reads what words mean: names, marks and places decide.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from unicodedata import category

from world.entities import Character
from world.events import Arrived, Emoted, Event, Gave, Left, Said, Whispered
from world.parsing import is_named
from world.sanitize import name_key
from world.world import World

IN_TALK_MS = 90_000
"""Milliseconds in which an agent does not walk off after a person came, spoke to it or led it along."""

ANSWER_MS = 45_000
"""Milliseconds in which an agent leaves one of two others time to answer the other."""

MET_MS = 900_000
"""Milliseconds after a speech to somebody in which an agent that has walked off and comes back greets them no more."""

KEPT_TURNS = 2
"""Number of speeches that are searched for a talk of two others."""

QUESTION_MARKS = frozenset("?？؟")

Speech = tuple[str, str]
"""The id of the speaker and the id of the addressee; the second is empty if the words are for nobody in particular."""

NO_SPEECH: Speech = ("", "")

_SENTENCE_ENDS = frozenset(".!…。！\n?？؟।۔")


@dataclass(frozen=True)
class Manners:
    """The demands of the conversation on an agent at this moment.

    `in_talk_with` is the id of the person who talks with it, or empty. `is_waiting` is true while nobody has spoken
    since its own last words here, and `others_talk` while two others here talk with each other. `spoken_to` holds the
    ids of those it has spoken to lately. `words_here` counts its own speeches in this room. `parted` holds the
    ids of those of whom it has taken leave since they spoke.
    """

    in_talk_with: str = ""
    is_waiting: bool = False
    others_talk: bool = False
    spoken_to: frozenset[str] = frozenset()
    words_here: int = 0
    parted: frozenset[str] = frozenset()


class Conversation:
    """The conversation in the room of the agent called `name`."""

    def __init__(self, name: str, now_ms: Callable[[], int]) -> None:
        self._name = name
        self._now_ms = now_ms
        self._person, self._person_ms, self._spoken_ms = "", 0, 0
        self._spoken_to: dict[str, int] = {}  # when, in milliseconds
        self._begin()

    def _begin(self) -> None:
        self._turns: deque[Speech] = deque(maxlen=KEPT_TURNS)
        self._spoken_to = {one: at for one, at in self._spoken_to.items() if self._now_ms() - at < MET_MS}
        self._parted: set[str] = set()
        self._words_here = 0
        self._is_waiting = False

    def observe(self, event: Event, world: World, to_id: str = "") -> None:
        """Take in an event that the agent perceives, its own included; `to_id` is whom words are for, if that is known.

        See `addressee`.
        """
        own = event.actor_id == self._name
        match event:
            case Arrived() | Left() if own:
                self._begin()
                self._person = ""
                if leader := world.characters[self._name].transient.following_id:
                    self._attend(leader, world)
            case Arrived() | Left():
                other = world.characters.get(event.actor_id)
                if other is None or other.transient.following_id != self._name:
                    self._spoken_to.pop(event.actor_id, None)
                self._parted.discard(event.actor_id)
                if event.actor_id == self._person:
                    self._person = ""
                if isinstance(event, Arrived):
                    self._is_waiting = False
                    self._attend(event.actor_id, world)
            case Said() | Whispered():
                self._hear(event, world, own, event.to_id or to_id)
            case Gave(to_id=receiver) if receiver == self._name:
                self._attend(event.actor_id, world)
            case Emoted() if not own:
                self._is_waiting = False

    def part(self, other_id: str) -> None:
        """Take in that the agent has taken leave of somebody: they talk no more, until they speak to it again."""
        self._parted.add(other_id)

    def manners(self) -> Manners:
        """Return the demands of the conversation on the agent now."""
        is_in_talk = bool(self._person) and self._now_ms() - self._person_ms < IN_TALK_MS
        return Manners(
            self._person if is_in_talk and self._person not in self._parted else "",
            self._is_waiting,
            self._do_others_talk(),
            frozenset(self._spoken_to),
            self._words_here,
            frozenset(self._parted),
        )

    def _hear(self, event: Said | Whispered, world: World, own: bool, to_id: str) -> None:
        meant = world.characters.get(to_id)
        if to_id and (meant is None or meant.room_id != event.room_id):
            self._is_waiting = own
            return
        if own:
            others = [to_id] if to_id else [one.character_id for one in world.occupants(event.room_id)]
            self._spoken_to |= {one: self._now_ms() for one in others if one != self._name}
            self._words_here += 1
            self._is_waiting = True
            self._attend(to_id, world)
        else:
            self._is_waiting = False
            self._parted.discard(event.actor_id)
            if to_id in ("", self._name):
                self._attend(event.actor_id, world)
        self._turns.append((event.actor_id, to_id))
        self._spoken_ms = self._now_ms()

    def _attend(self, actor_id: str, world: World) -> None:
        other = world.characters.get(actor_id)
        if other is not None and not other.is_agent:
            self._person, self._person_ms = actor_id, self._now_ms()

    def _do_others_talk(self) -> bool:
        """Return whether one of two others has just spoken to the other, or the last two speeches were theirs."""
        *before, newest = self._turns or [NO_SPEECH]
        if not newest[1] or self._name in newest:
            return False
        is_due = self._now_ms() - self._spoken_ms < ANSWER_MS
        return is_due or bool(before and set(before[-1]) == set(newest))


def is_question(words: str) -> bool:
    """Return whether words ask something: they have a question mark."""
    return not QUESTION_MARKS.isdisjoint(words)


def addressee(event: Said, world: World, partner_id: str = "") -> str:
    """Return the id of the addressee of a speech, empty if the words are for nobody in particular.

    In this order: whom the words are known to be meant for; who is called, by a name first or last in a sentence; the
    speaker's last partner (`partner_id`), if still here; who is named elsewhere in the words; the only other one here.
    """
    if meant_for := event.to_id or event.meant_for_id:
        return meant_for
    here = [one for one in world.occupants(event.room_id) if one.character_id != event.actor_id]
    if called := _called(event.text, here):
        return called
    if any(one.character_id == partner_id for one in here):
        return partner_id
    if named := next((one.character_id for one in _longest_first(here) if is_named(one.name, event.text)), ""):
        return named
    return here[0].character_id if len(here) == 1 else ""


def _called(words: str, here: Iterable[Character]) -> str:
    """Return the id of who is called first in some words; whose name begins a sentence before whose name ends it.

    Of names of which one is a part of the other, the longer counts.
    """
    said = name_key(words)
    begun, ended = _begun(said), _begun(said[::-1])
    first, found = 2 * len(said) + 1, ""
    for one in _longest_first(here):
        name = name_key(one.name)
        for start in _places(name, said):
            end = start + len(name)
            place = start if begun[start] else end + len(said) if ended[len(said) - end] else first
            if place < first:
                first, found = place, one.character_id
    return found


def _longest_first(here: Iterable[Character]) -> list[Character]:
    return sorted(here, key=lambda one: -len(name_key(one.name)))


def _places(name: str, said: str) -> Iterator[int]:
    """Yield where a name begins as a word of its own."""
    start = said.find(name) if name else -1
    while start >= 0:
        if is_named(name, said[max(0, start - 1) : start + len(name) + 1]):
            yield start
        start = said.find(name, start + 1)


def _begun(said: str) -> list[bool]:
    """Return for each place of a text, its end included, whether no letter or digit stands before it in a sentence."""
    is_begun, found = True, [True]
    for one in said:
        is_begun = one in _SENTENCE_ENDS or (is_begun and category(one)[0] not in "LMN")
        found.append(is_begun)
    return found
