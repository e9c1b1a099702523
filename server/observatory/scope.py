"""Permissions of viewers: the whole world, or the perception of a character in one room.

Nothing else decides that. Every view is made for a scope, by `server.observatory.views`, and the feed keeps of each
event what these functions say of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from world.entities import Character, Role
from world.events import (
    Announced,
    Arrived,
    Event,
    Left,
    Paged,
    Refused,
    Shouted,
    Thought,
    Whispered,
)
from world.narration import narrate
from world.preferences import IgnorableLine, IgnoreList, ignore_list
from world.world import World

EVERYWHERE = "*"
"""Stands for every room, where something is perceived in all of them."""

BYSTANDER = "(a bystander)"
"""The id of somebody who perceives and is nobody: no character has a name like that."""


@dataclass(frozen=True)
class Scope:
    """How much is seen: the whole world, or through the window what is perceived in `room_id`.

    Through the window those are not heard whom somebody has `hushed`.
    """

    room_id: str = ""
    ignored: IgnoreList | None = None

    @property
    def is_whole(self) -> bool:
        """Whether minds, reasons and whispers are seen too."""
        return not self.room_id

    def hides(self, one: IgnorableLine | None) -> bool:
        """Return whether something is of somebody hushed, and not seen for that."""
        return self.ignored is not None and self.ignored.hides(one)


WHOLE = Scope()


def scope_of(character: Character) -> Scope:
    """Return how much somebody sees just now; equal scopes are mostly one object."""
    if character.role.includes(Role.OBSERVER):
        return WHOLE
    return _window(character.room_id, ignore_list(character) if character.preferences else None)


@lru_cache(maxsize=1024)  # asked for each viewer before each update
def _window(room_id: str, hushed: IgnoreList | None) -> Scope:
    return Scope(room_id, hushed)


def window_texts(event: Event, world: World) -> Mapping[str, str]:
    """Return what is perceived of an event, by the rooms in which it is; `EVERYWHERE` for all of them.

    It is what a bystander perceives: of a whisper that there was one, of thoughts, tells and reasons nothing.
    """
    match event:
        case Announced():
            return _perceived(event, EVERYWHERE, world)
        case Shouted(room_id=room_id) if room_id in world.rooms:
            near = dict.fromkeys([room_id, *(exit.room_id for exit in world.rooms[room_id].exits.values())])
            return {one: text for each in near for one, text in _perceived(event, each, world).items()}
        case Arrived() | Left() if world.is_crowded(event.room_id):
            return {}
        case _ if event.audience == "room":
            return _perceived(event, event.room_id, world)  # type: ignore[attr-defined]
    return {}


def whole_text(event: Event, rooms: Mapping[str, str], world: World) -> str:
    """Return what happened to those who see all of it; empty if it is nothing that happened to anybody else.

    `rooms` is what is perceived of it by room, as of `window_texts`.
    """
    say = world.wording
    match event:
        case Whispered(actor_id=actor, to_id=to, text=text):
            return say("observatory.whispers", who=_name(actor, world), to=_name(to, world), text=text)
        case Paged(actor_id=actor, to_id=to, text=text):
            return say("observatory.tells", who=_name(actor, world), to=_name(to, world), text=text)
        case Thought(actor_id=actor, text=text):
            return say("observatory.thinks", who=_name(actor, world), text=text)
        case Refused(actor_id=actor, text=text):
            return say("observatory.is_refused", who=_name(actor, world), text=text)
    here: str = getattr(event, "room_id", EVERYWHERE)
    return rooms.get(here, "") or next(iter(rooms.values()), "") or _in_a_crowd(event, world)


def _in_a_crowd(event: Event, world: World) -> str:
    """Return who came into a crowd or left it, which nobody there notices."""
    return _perceived(event, event.room_id, world).get(event.room_id, "") if isinstance(event, Arrived | Left) else ""


def _perceived(event: Event, room_id: str, world: World) -> dict[str, str]:
    text = narrate(event, _bystander(room_id), world)
    return {room_id: text} if text else {}


@lru_cache(maxsize=1024)  # to make one takes as long as the sentence
def _bystander(room_id: str) -> Character:
    return Character(BYSTANDER, room_id)


def _name(character_id: str, world: World) -> str:
    found = world.characters.get(character_id)
    return found.name if found else character_id
