"""Doing one act of building so that it is saved, remembered on the workbench and can be taken back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from world.building.subjects import Subject
from world.building.workbench import CHANGED_BY, MADE_BY, Act, Ref, fields_of, put_back
from world.errors import CommandError
from world.events import Altered, Arrived, Event, Left, Moved
from world.model import Character, Exit, Room, Thing, World


class Alteration:
    """One act of an actor on some rooms, things or characters, begun before anything is changed.

    What it names and does not exist yet will be made; what exists and is gone at the end was destroyed.
    """

    def __init__(self, world: World, actor: Character, refs: Iterable[Ref]) -> None:
        self._world = world
        self._actor = actor
        self._was = {ref: found(world, ref) for ref in refs}
        self._before = {ref: fields_of(one) for ref, one in self._was.items() if one is not None}
        self._moved: dict[str, tuple[str, str]] = {}
        self._events: list[Event] = []

    def move_out(self, place_id: str, to_id: str) -> None:
        """Put every thing in a place somewhere else."""
        for thing in self._world.things_at(place_id):
            thing.place_id = to_id
            self._moved[thing.thing_id] = (place_id, to_id)
            self._events.append(Moved(self._actor.character_id, thing.thing_id))

    def done(self, name: str) -> list[Event]:
        """Keep the act and return the events that have it saved. `name` is that of what was changed."""
        world, who = self._world, self._actor.name
        now = {ref: found(world, ref) for ref in self._was}
        made = {ref: one for ref, one in now.items() if one is not None and self._was[ref] is None}
        gone = {ref: one for ref, one in self._was.items() if one is not None and now[ref] is None}
        kept = {ref: fields_of(one) for ref, one in now.items() if one is not None and ref in self._before}
        differing = {ref: _differing(self._before[ref], after) for ref, after in kept.items()}
        changed = {ref: names for ref, names in differing.items() if names}
        for ref, one in now.items():
            if one is not None and (ref in changed or ref in made):
                one.properties[MADE_BY if ref in made else CHANGED_BY] = who
        act = Act(
            name,
            {ref: _only(self._before[ref], names) for ref, names in changed.items()},
            {ref: _only(kept[ref], names) for ref, names in changed.items()},
            {ref: fields_of(one) for ref, one in made.items()},
            gone,
            self._moved,
        )
        if changed or made or gone:
            world.workbench.add(self._actor.character_id, act)
        return [*self._events, *_altered(self._actor, [*changed, *made, *gone])]


def take_back(world: World, actor: Character) -> tuple[str, list[Event]]:
    """Undo the last act of an actor; return what it was done to and the events that have it saved.

    Raises: CommandError if there is none, or if somebody has changed since what it left.
    """
    act = world.workbench.last(actor.character_id)
    if act is None:
        raise CommandError(world.wording("building.nothing_to_undo"))
    _check_untouched(world, actor, act)
    world.workbench.drop(actor.character_id)
    events: list[Event] = []
    for ref in act.made:
        events += _unmake(world, actor, ref)
    for (kind, subject_id), one in act.gone.items():
        _table(world, kind)[subject_id] = one
        if isinstance(one, Thing) and one.place_id not in {*world.rooms, *world.things, *world.characters}:
            one.place_id = actor.room_id
    for ref, values in act.before.items():
        put_back(found(world, ref), values, {**act.after[ref], **values})
    for thing_id, (place_id, to_id) in act.moved.items():
        thing = world.things.get(thing_id)
        if thing and thing.place_id == to_id:
            thing.place_id = place_id
            events.append(Moved(actor.character_id, thing_id))
    return act.name, [*events, *_altered(actor, [*act.made, *act.gone, *act.before])]


def remove_room(world: World, room: Room) -> list[Event]:
    """Take a room out of the world; who was in it, awake or asleep, is somewhere safe. The exits into it stay."""
    safe = refuge(world, room)
    events: list[Event] = []
    for one in [one for one in world.characters.values() if one.room_id == room.room_id]:
        one.room_id = safe
        if one.awake:
            events += [Left(one.character_id, room.room_id, "", safe), Arrived(one.character_id, safe, room.room_id)]
    del world.rooms[room.room_id]
    return events


def refuge(world: World, room: Room) -> str:
    """Return the id of the room into which whoever is in one comes if it is destroyed: a neighbour, or the start."""
    ways = [exit.room_id for exit in room.exits.values() if exit.room_id != room.room_id]
    return next((room_id for room_id in ways if room_id in world.rooms), world.start_room_id)


def rooms_leading_to(world: World, room_id: str) -> list[Room]:
    """Return the other rooms that have an exit into one."""
    return [
        room
        for room in world.rooms.values()
        if room.room_id != room_id and any(exit.room_id == room_id for exit in room.exits.values())
    ]


def found(world: World, ref: Ref) -> Subject | None:
    """Return what a kind and an id name, or None if there is no such thing (any more)."""
    subject: Subject | None = _table(world, ref[0]).get(ref[1])
    return subject


def _check_untouched(world: World, actor: Character, act: Act) -> None:
    for ref, values in (*act.after.items(), *act.made.items()):
        one = found(world, ref)
        now = fields_of(one) if one is not None else {}
        missing = object()
        same = all(now.get(name, missing) == value for name, value in values.items())
        gone = set(act.before.get(ref, {})) - set(values)  # properties that the act took away
        whole = ref not in act.made or set(now) == set(values)
        if one is None or not same or not whole or gone & set(now) or _is_in_use(world, actor, ref, act):
            raise CommandError(world.wording("building.changed_since", name=act.name))
    for _, subject_id in act.gone:
        if world.id_like(subject_id) is not None:
            raise CommandError(world.wording("building.changed_since", name=act.name))
    if any(exit.room_id not in world.rooms for ref in act.before for exit in _exits_after(act, ref)):
        raise CommandError(world.wording("building.changed_since", name=act.name))


def _exits_after(act: Act, ref: Ref) -> list[Exit]:
    """Return the exits that a room would have again, but for those into a room that comes back with them."""
    exits = act.before[ref].get("exits")
    back = {subject_id for _, subject_id in act.gone}
    return [exit for exit in exits.values() if exit.room_id not in back] if isinstance(exits, dict) else []


def _is_in_use(world: World, actor: Character, ref: Ref, act: Act) -> bool:
    """Return whether somebody else has, or leads to, what the act made."""
    if ref not in act.made:
        return False
    kind, subject_id = ref
    if kind == "room":
        return any(("room", room.room_id) not in act.before for room in rooms_leading_to(world, subject_id))
    place_id = world.things[subject_id].place_id
    return bool(world.things_at(subject_id)) or (place_id not in world.rooms and place_id != actor.character_id)


def _unmake(world: World, actor: Character, ref: Ref) -> list[Event]:
    kind, subject_id = ref
    if kind == "thing":
        del world.things[subject_id]
        return []
    room = world.rooms[subject_id]
    things = world.things_at(subject_id)
    for thing in things:
        thing.place_id = refuge(world, room)
    return [*(Moved(actor.character_id, thing.thing_id) for thing in things), *remove_room(world, room)]


def _table(world: World, kind: str) -> dict[str, Any]:
    tables: dict[str, dict[str, Any]] = {"room": world.rooms, "thing": world.things, "character": world.characters}
    return tables[kind]


def _differing(before: Mapping[str, object], after: Mapping[str, object]) -> set[str]:
    nothing = object()
    return {name for name in {**before, **after} if before.get(name, nothing) != after.get(name, nothing)}


def _only(values: Mapping[str, object], names: set[str]) -> dict[str, object]:
    return {name: value for name, value in values.items() if name in names}


def _altered(actor: Character, refs: Iterable[Ref]) -> list[Event]:
    return [Altered(actor.character_id, kind, subject_id) for kind, subject_id in refs]
