"""Edits of a running world: acts of builders with undo, and the three-way merge of edited notes.

Each function changes the world and returns what happened, to be published; it writes to nobody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from world.entities import FIELDS, Character, Entity, Exit, Ref, Room, Thing, noted_value
from world.errors import CommandError
from world.events import Arrived, EntityChanged, Event, Left, Moved, SystemMessage
from world.world import CHANGED_BY, MADE_BY, UndoStep, World, restore, snapshot


class Edit:
    """One act of an actor on some rooms, things or characters, begun before anything is changed.

    `refs` are all that the edit may touch; comparing before and after tells what was created, changed or destroyed.
    """

    def __init__(self, world: World, actor: Character, refs: Iterable[Ref]) -> None:
        self._world = world
        self._actor = actor
        self._was = {ref: world.get(ref) for ref in refs}
        self._before = {ref: snapshot(one) for ref, one in self._was.items() if one is not None}
        self._moved: dict[str, tuple[str, str]] = {}
        self._events: list[Event] = []

    def move_out(self, place_id: str, to_id: str) -> None:
        """Put every thing in a place somewhere else."""
        self._moved |= {thing.thing_id: (place_id, to_id) for thing in self._world.things_at(place_id)}
        self._events += _move_contents(self._world, place_id, to_id, self._actor.character_id)

    def done(self, name: str) -> list[Event]:
        """Keep the act and return the events that have it saved. `name` is that of what was changed."""
        world, who = self._world, self._actor.name
        now = {ref: world.get(ref) for ref in self._was}
        made = {ref: one for ref, one in now.items() if one is not None and self._was[ref] is None}
        gone = {ref: one for ref, one in self._was.items() if one is not None and now[ref] is None}
        kept = {ref: snapshot(one) for ref, one in now.items() if one is not None and ref in self._before}
        differing = {ref: _differing(self._before[ref], after) for ref, after in kept.items()}
        changed = {ref: names for ref, names in differing.items() if names}
        for ref, one in now.items():
            if one is not None and (ref in changed or ref in made):
                one.properties[MADE_BY if ref in made else CHANGED_BY] = who
        act = UndoStep(
            name,
            {ref: _pick(self._before[ref], names) for ref, names in changed.items()},
            {ref: _pick(kept[ref], names) for ref, names in changed.items()},
            {ref: snapshot(one) for ref, one in made.items()},
            gone,
            self._moved,
        )
        if changed or made or gone:
            world.undo_history.add(self._actor.character_id, act)
        return [*self._events, *_changes(self._actor, [*changed, *made, *gone])]


def undo_last(world: World, actor: Character) -> tuple[str, list[Event]]:
    """Undo the last act of an actor; return what it was done to and the events that have it saved.

    Raises: CommandError if there is none, or if somebody has changed since what it left.
    """
    act = world.undo_history.last(actor.character_id)
    if act is None:
        raise CommandError(world.wording("building.nothing_to_undo"))
    _check_untouched(world, actor, act)
    world.undo_history.drop(actor.character_id)
    events: list[Event] = []
    for ref in act.made:
        events += _delete_made(world, actor, ref)
    for one in act.gone.values():
        world.put(one)
        if isinstance(one, Thing) and one.place_id not in {*world.rooms, *world.things, *world.characters}:
            one.place_id = actor.room_id
    for ref, values in act.before.items():
        if (entity := world.get(ref)) is not None:
            restore(entity, values, {**act.after[ref], **values})
    for thing_id, (place_id, to_id) in act.moved.items():
        thing = world.things.get(thing_id)
        if thing and thing.place_id == to_id:
            thing.place_id = place_id
            events.append(Moved(actor.character_id, thing_id))
    return act.name, [*events, *_changes(actor, [*act.made, *act.gone, *act.before])]


def destroy_room(world: World, room: Room) -> list[Event]:
    """Take a room out of the world; who was in it, awake or asleep, is somewhere safe. The exits into it stay."""
    events = _move_people(world, room.room_id, evacuation_room(world, room))
    del world.rooms[room.room_id]
    return events


def evacuation_room(world: World, room: Room) -> str:
    """Return the id of the room into which the people in one come if it is destroyed: a neighbour, or the start."""
    ways = [exit.room_id for exit in room.exits.values() if exit.room_id != room.room_id]
    return next((room_id for room_id in ways if room_id in world.rooms), world.start_room_id)


def rooms_leading_to(world: World, room_id: str) -> list[Room]:
    """Return the other rooms that have an exit into one."""
    return [
        room
        for room in world.rooms.values()
        if room.room_id != room_id and any(exit.room_id == room_id for exit in room.exits.values())
    ]


def _check_untouched(world: World, actor: Character, act: UndoStep) -> None:
    for ref, values in (*act.after.items(), *act.made.items()):
        one = world.get(ref)
        now = snapshot(one) if one is not None else {}
        missing = object()
        same = all(now.get(name, missing) == value for name, value in values.items())
        gone = set(act.before.get(ref, {})) - set(values)  # properties that the act took away
        whole = ref not in act.made or set(now) == set(values)
        if one is None or not same or not whole or gone & set(now) or _is_in_use(world, actor, ref, act):
            raise CommandError(world.wording("building.changed_since", name=act.name))
    for _, entity_id in act.gone:
        if world.id_ignoring_case(entity_id) is not None:
            raise CommandError(world.wording("building.changed_since", name=act.name))
    if any(exit.room_id not in world.rooms for ref in act.before for exit in _exits_after(act, ref)):
        raise CommandError(world.wording("building.changed_since", name=act.name))


def _exits_after(act: UndoStep, ref: Ref) -> list[Exit]:
    """Return the exits that a room would have again, but for those into a room that comes back with them."""
    exits = act.before[ref].get("exits")
    back = {entity_id for _, entity_id in act.gone}
    return [exit for exit in exits.values() if exit.room_id not in back] if isinstance(exits, dict) else []


def _is_in_use(world: World, actor: Character, ref: Ref, act: UndoStep) -> bool:
    """Return whether somebody else has, or leads to, what the act made."""
    if ref not in act.made:
        return False
    kind, entity_id = ref
    if kind == "room":
        return any(("room", room.room_id) not in act.before for room in rooms_leading_to(world, entity_id))
    place_id = world.things[entity_id].place_id
    return bool(world.things_at(entity_id)) or (place_id not in world.rooms and place_id != actor.character_id)


def _delete_made(world: World, actor: Character, ref: Ref) -> list[Event]:
    kind, entity_id = ref
    if kind == "thing":
        del world.things[entity_id]
        return []
    room = world.rooms[entity_id]
    moved = _move_contents(world, entity_id, evacuation_room(world, room), actor.character_id)
    return [*moved, *destroy_room(world, room)]


def _differing(before: Mapping[str, object], after: Mapping[str, object]) -> set[str]:
    nothing = object()
    return {name for name in {**before, **after} if before.get(name, nothing) != after.get(name, nothing)}


def _pick(values: Mapping[str, object], names: set[str]) -> dict[str, object]:
    return {name: value for name, value in values.items() if name in names}


def _changes(actor: Character, refs: Iterable[Ref]) -> list[Event]:
    return [EntityChanged(actor.character_id, kind, entity_id) for kind, entity_id in refs]


def merge(current: Entity, was: Entity, now: Entity) -> bool:
    """Change in `current` what differs between two states of its note; return whether that made a difference.

    What the note said already stays as it is in the world, for that may be newer. Tables are taken entry by entry.
    Notes do not say where something is, nor what a person may do. The exits of a room are to be settled afterwards.
    """
    changed = False
    for name in merged_fields(current.kind, current.is_agent):
        mine, old, new = (noted_value(one, name) for one in (current, was, now))
        if new == old:
            continue
        wanted = _merge_table(mine, old, new) if isinstance(mine, dict) else new
        if wanted != mine:
            setattr(current, name, wanted)
            changed = True
            if isinstance(current, Room) and name == "exits":
                current.closed_exits = {}  # `World.settle_exits` finds out which are closed now
    return changed


def same_content(one: Entity, other: Entity) -> bool:
    """Return whether a note says the same of both, wherever they are."""
    return all(noted_value(one, name) == noted_value(other, name) for name in merged_fields(one.kind, one.is_agent))


@cache
def merged_fields(kind: str, is_agent: bool) -> tuple[str, ...]:
    """Return the fields of a room, thing or character that follow its note, by name."""
    table = FIELDS[kind].items()
    return tuple(name for name, stored in table if stored.is_merged and stored.codec_of(is_agent))


def rename_room(world: World, old_id: str, new_id: str) -> list[Event]:
    """Give a room another id; its people, its things and every exit into it come along."""
    room = world.rooms[old_id]
    room.room_id = new_id
    # In its old place among the others, for their order is the one in which they are listed.
    renamed = {new_id if room_id == old_id else room_id: one for room_id, one in world.rooms.items()}
    world.rooms.clear()
    world.rooms.update(renamed)
    events: list[Event] = [EntityChanged("", "room", new_id)]
    for other in world.rooms.values():
        if any(exit.room_id == old_id for exit in other.exits.values()):
            other.exits = {
                name: replace(exit, room_id=new_id) if exit.room_id == old_id else exit
                for name, exit in other.exits.items()
            }
            events.append(EntityChanged("", "room", other.room_id))
    for character in world.characters.values():
        character.room_id = new_id if character.room_id == old_id else character.room_id
    for thing in world.things_at(old_id):
        thing.place_id = new_id
    board = world.board
    board.entries = [replace(e, room_id=new_id) if e.room_id == old_id else e for e in board.entries]
    world.hidden.rename_room(old_id, new_id)
    if world.start_room_id == old_id:
        world.start_room_id = new_id
    for leading in dict.fromkeys(room.room_id for room, _ in world.closed_exits_to(new_id)):
        world.settle_exits(world.rooms[leading])
    return list(dict.fromkeys(events))


def hide_room(world: World, room_id: str) -> list[Event]:
    """Take a room whose note is gone out of the world; it is not the start room. All of it returns with the note.

    People come to the start room. Things stay in it, where nobody can reach them, and the exits into it are closed.
    """
    start = world.start_room_id
    told = world.wording("reload.room_gone", room=world.rooms[room_id].name, to=world.rooms[start].name)
    world.hidden.hide(world.rooms[room_id])
    for one in world.characters.at(room_id):
        if not one.awake:
            world.hidden.displace(one, room_id, start)
    events = _move_people(world, room_id, start, told)
    leading = rooms_leading_to(world, room_id)
    del world.rooms[room_id]
    for room in leading:
        world.settle_exits(room)
    return events


def hide_thing(world: World, thing_id: str) -> list[Event]:
    """Take a thing whose note is gone out of the world; what is in it stays where it was, until the thing returns."""
    return _hide(world, world.things[thing_id], world.things)


def hide_character(world: World, character_id: str) -> list[Event]:
    """Take a character that is asleep out of the world; what it carried lies where it was, until it returns."""
    return _hide(world, world.characters[character_id], world.characters)


def _hide(world: World, one: Thing | Character, table: dict[str, Any]) -> list[Event]:
    contents = world.things_at(one.id)
    world.hidden.hide(one)
    for thing in contents:
        world.hidden.displace(thing, one.id, one.location_id)
    del table[one.id]
    return [Moved("", thing.thing_id) for thing in contents]


def missing_entities(world: World) -> dict[str, str]:
    """Return what is hidden, and the rooms that are not there although exits lead to them, in words, by id."""
    hidden = world.hidden
    exits, things = Counter(exit.room_id for _, exit in world.closed_exits_to()), Counter[str]()
    for thing in world.things.values():
        home = hidden.home_of(thing) or thing.place_id
        things.update([] if hidden.is_place(home) else [home])
    say = world.wording
    return {
        one_id: say("building.missing", name=one_id, exits=exits[one_id], things=things[one_id])
        for one_id in sorted({*exits, *things, *hidden.places}, key=str.casefold)
    }


def prune(world: World, entity_id: str, actor_id: str = "") -> list[Event]:
    """Let go of what is not there: remove the exits to it; the things in a room are put into the start room."""
    rooms = dict.fromkeys(room.room_id for room, _ in world.closed_exits_to(entity_id))
    for one_id in rooms:
        room = world.rooms[one_id]
        room.closed_exits = {name: one for name, one in room.closed_exits.items() if one.exit.room_id != entity_id}
    world.hidden.forget(entity_id, world.start_room_id)
    changes: list[Event] = [EntityChanged(actor_id, "room", one_id) for one_id in rooms]
    return [*_move_contents(world, entity_id, world.start_room_id, actor_id), *changes]


def _merge_table(mine: Mapping[str, object], old: Mapping[str, object], new: Mapping[str, object]) -> dict[str, object]:
    nothing = object()
    kept = {key: value for key, value in mine.items() if key in new or key not in old}
    return kept | {key: value for key, value in new.items() if old.get(key, nothing) != value}


def _move_contents(world: World, place_id: str, to_id: str, actor_id: str = "") -> list[Event]:
    """Put every thing in a place somewhere else; `actor_id` is whose doing that is, if anybody's."""
    events: list[Event] = []
    for thing in world.things_at(place_id):
        thing.place_id = to_id
        events.append(Moved(actor_id, thing.thing_id))
    return events


def _move_people(world: World, room_id: str, to_id: str, told: str = "") -> list[Event]:
    """Put everybody in a room, awake or asleep, into another; those who are awake are told something, if anything."""
    events: list[Event] = []
    for one in [one for one in world.characters.values() if one.room_id == room_id]:
        one.room_id = to_id
        if one.awake:
            events += [SystemMessage(one.character_id, told)] if told else []
            events += [Left(one.character_id, room_id, "", to_id), Arrived(one.character_id, to_id, room_id)]
    return events
