"""Changing a running world as its notes say now: what was edited, renamed or removed from outside.

Each function changes the world and returns what happened, to be published; it writes to nobody.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace

from world.building.subjects import Subject
from world.events import Altered, Arrived, Event, Left, Moved, Told
from world.model import Character, Room, Thing, World

_ELSEWHERE = frozenset("room_id thing_id place_id character_id is_agent awake doings".split())
_OF_THE_ACCOUNT = frozenset({"role", "grants"})


def revise(current: Subject, was: Subject, now: Subject) -> bool:
    """Change in `current` what differs between two states of its note; return whether that made a difference.

    What the note said already stays as it is in the world, for that may be newer. Tables are taken entry by entry.
    Where something is, and what a person may do, are not told by notes.
    """
    changed = False
    for field in fields(current):
        mine, old, new = (getattr(one, field.name) for one in (current, was, now))
        if new == old or not _is_told(current, field.name):
            continue
        wanted = _entries(mine, old, new) if isinstance(mine, dict) else new
        if wanted != mine:
            setattr(current, field.name, wanted)
            changed = True
    return changed


def says(one: Subject, other: Subject) -> bool:
    """Return whether a note says the same of both."""
    return all(
        getattr(one, field.name) == getattr(other, field.name) for field in fields(one) if _is_told(one, field.name)
    )


def rename_room(world: World, old_id: str, new_id: str) -> list[Event]:
    """Give a room another id; whoever and whatever is in it, and every exit into it, comes along."""
    room = world.rooms[old_id]
    room.room_id = new_id
    # In its old place among the others, for their order is the one in which they are listed.
    renamed = {new_id if room_id == old_id else room_id: one for room_id, one in world.rooms.items()}
    world.rooms.clear()
    world.rooms.update(renamed)
    events: list[Event] = [Altered("", "room", new_id)]
    for other in world.rooms.values():
        if any(exit.room_id == old_id for exit in other.exits.values()):
            other.exits = {
                name: replace(exit, room_id=new_id) if exit.room_id == old_id else exit
                for name, exit in other.exits.items()
            }
            events.append(Altered("", "room", other.room_id))
    for character in world.characters.values():
        character.room_id = new_id if character.room_id == old_id else character.room_id
    for thing in world.things_at(old_id):
        thing.place_id = new_id
    board = world.board
    board.entries = [replace(e, room_id=new_id) if e.room_id == old_id else e for e in board.entries]
    if world.start_room_id == old_id:
        world.start_room_id = new_id
    return list(dict.fromkeys(events))


def close_room(world: World, room_id: str) -> list[Event]:
    """Take a room out of the world, which is not the start room; who and what is in it comes to the start room.

    The exits into it are closed.
    """
    start, events = world.start_room_id, list[Event]()
    gone = world.rooms[room_id].name
    for one in [one for one in world.characters.values() if one.room_id == room_id]:
        one.room_id = start
        if one.awake:
            told = world.wording("reload.room_gone", room=gone, to=world.rooms[start].name)
            left = Left(one.character_id, room_id, "", start)
            events += [Told(one.character_id, told), left, Arrived(one.character_id, start, room_id)]
    events += _moved(world, room_id, start)
    del world.rooms[room_id]
    for other in world.rooms.values():
        open_ = {name: exit for name, exit in other.exits.items() if exit.room_id != room_id}
        if len(open_) < len(other.exits):
            other.exits = open_
            events.append(Altered("", "room", other.room_id))
    return events


def lose_thing(world: World, thing_id: str) -> list[Event]:
    """Take a thing out of the world; what is in it stays where it was."""
    thing = world.things[thing_id]
    events = _moved(world, thing_id, thing.place_id)
    del world.things[thing_id]
    return events


def lose_character(world: World, character_id: str) -> list[Event]:
    """Take a character that is asleep out of the world; what it carried lies where it was."""
    character = world.characters[character_id]
    events = _moved(world, character_id, character.room_id)
    del world.characters[character_id]
    return events


def put(world: World, subject: Subject) -> None:
    """Put something new into the world, or something in the place of what has the same id."""
    match subject:
        case Room():
            world.rooms[subject.room_id] = subject
            world.last_number = max(world.last_number, subject.number)
        case Thing():
            world.things[subject.thing_id] = subject
        case Character():
            world.characters[subject.character_id] = subject


def copied(subject: Subject) -> Subject:
    """Return something as it is now, which no later change of it reaches."""
    tables = {
        field.name: dict(value) for field in fields(subject) if isinstance(value := getattr(subject, field.name), dict)
    }
    return replace(subject, **tables)  # type: ignore[arg-type]  # each table in the place of its like


def _is_told(subject: Subject, name: str) -> bool:
    is_person = isinstance(subject, Character) and not subject.is_agent
    return name not in _ELSEWHERE and not (is_person and name in _OF_THE_ACCOUNT)


def _entries(mine: Mapping[str, object], old: Mapping[str, object], new: Mapping[str, object]) -> dict[str, object]:
    nothing = object()
    kept = {key: value for key, value in mine.items() if key in new or key not in old}
    return kept | {key: value for key, value in new.items() if old.get(key, nothing) != value}


def _moved(world: World, place_id: str, to_id: str) -> list[Event]:
    events: list[Event] = []
    for thing in world.things_at(place_id):
        thing.place_id = to_id
        events.append(Moved("", thing.thing_id))
    return events
