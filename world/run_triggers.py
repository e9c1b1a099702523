"""The interpreter of triggers (reactions): from events to actions.

What a reaction does sets off no other reaction, so that nothing goes round in circles. Everything is bounded: so many
reactions to one event, so many acts in a row of the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from world.entities import Character, Entity, Room, Thing
from world.events import (
    Arrived,
    Dropped,
    Emoted,
    EntityChanged,
    Event,
    Gave,
    Left,
    LookedAt,
    Moved,
    PutIn,
    ReadThing,
    RoomMessage,
    Said,
    SystemMessage,
    Took,
    TookFrom,
    Used,
)
from world.game_time import GameTime, day_parts_started
from world.narration import format_pose
from world.triggers import Action, Condition, Trigger
from world.world import World

MAX_TRIGGERS = 8
MAX_ACTIONS = 12

Chance = Callable[[int], bool]
"""Decides by chance: true once in so many times on average."""

_EVENT_NAMES: dict[type[Event], str] = {
    Arrived: "arrive",
    Left: "leave",
    Said: "say",
    Emoted: "emote",
    Took: "get",
    TookFrom: "get",
    Dropped: "drop",
    Gave: "give",
    PutIn: "put",
    Used: "use",
    ReadThing: "read",
    LookedAt: "look",
}


def triggered_by(event: Event, world: World, chance: Chance) -> Iterator[list[Event]]:
    """Yield the consequences of an event, act by act; the world has changed by as much each time."""
    name = _EVENT_NAMES.get(type(event), "")
    if not name:
        return
    actor = world.characters.get(event.actor_id)
    done = 0
    for owner in list(_owners(event, world, actor)):
        if done == MAX_TRIGGERS:
            return
        for reaction in owner.triggers:
            fits = reaction.on == name and _is_about(reaction, owner, event, world)
            if fits and _applies(reaction, owner, world, chance, actor):
                done += 1
                yield from _run(reaction, owner, world, actor, event)
                break


def triggered_by_time(before: GameTime, after: GameTime, world: World, chance: Chance) -> Iterator[list[Event]]:
    """Yield the consequences of passing time, in rooms where somebody is; act by act."""
    begun = day_parts_started(before, after)
    for owner in list(world.entities()):
        for reaction in owner.triggers:
            every = reaction.every
            is_due = reaction.on in begun or (every and after.minutes // every > before.minutes // every)
            if is_due and _is_seen(owner, world) and _applies(reaction, owner, world, chance, None):
                yield from _run(reaction, owner, world, None, None)
                break


def ambience(world: World, share: float, draw: Callable[[], float]) -> list[Event]:
    """Return the ambience to notice now, for people alone: agents have enough to remember.

    A room with a person in it has something with a probability of `share`; `draw` returns numbers from 0 to below 1.
    """
    watched = sorted({one.room_id for one in world.awake() if not one.is_agent})
    lines = ((room_id, world.rooms[room_id].ambient) for room_id in watched)
    return [
        RoomMessage("", room_id, ambient[int(draw() * len(ambient))])
        for room_id, ambient in lines
        if ambient and draw() < share
    ]


def _is_seen(owner: Entity, world: World) -> bool:
    """Return whether somebody is where this is."""
    room = world.containing_room(owner)
    return room is not None and world.count_occupants(room.room_id) > 0


def _owners(event: Event, world: World, actor: Character | None) -> Iterator[Entity]:
    """Yield all whose table may speak of an event: the room, who is there, what lies there or is carried."""
    room = world.rooms.get(getattr(event, "room_id", ""))
    if room is None:
        return
    yield room
    yield from (one for one in world.characters.at(room.room_id, "triggers") if one.awake and one is not actor)
    yield from world.things.at(room.room_id, "triggers")
    if actor:
        yield from world.things.at(actor.character_id, "triggers")


def _is_about(reaction: Trigger, owner: Entity, event: Event, world: World) -> bool:
    """Return whether an event is the one that a row means; a thing's or character's row is about itself."""
    about = event.text if isinstance(event, Said | Emoted) else _thing_in(event, world)
    if not reaction.is_about(about):
        return False
    match event, owner:
        case Took() | Dropped() | Used() | ReadThing() | PutIn() | TookFrom(), Thing():
            return owner.thing_id in (event.thing_id, getattr(event, "container_id", ""))
        case Gave(thing_id=thing_id, to_id=to_id), Thing() | Character():
            return owner.name in (thing_id, to_id)
        case LookedAt(to_id=to_id), Character():
            return owner.character_id == to_id
        case LookedAt(), _:
            return False
        case _:
            return True


def _run(
    reaction: Trigger, owner: Entity, world: World, actor: Character | None, event: Event | None
) -> Iterator[list[Event]]:
    for act in reaction.do[:MAX_ACTIONS]:
        yield _run_action(act, owner, world, actor, event)


def _applies(reaction: Trigger, owner: Entity, world: World, chance: Chance, actor: Character | None) -> bool:
    return all(_is_met(one, owner, world, chance, actor) for one in reaction.when)


def _is_met(condition: Condition, owner: Entity, world: World, chance: Chance, actor: Character | None) -> bool:
    match condition.kind:
        case "part":
            return world.time.part == condition.name
        case "chance":
            return chance(int(condition.name))
        case "carries":
            return bool(actor) and any(
                condition.name.lower() in (thing.thing_id.lower(), thing.name.lower())
                for thing in world.things_at(actor.character_id if actor else "")
            )
        case _:
            is_so = owner.properties.get(condition.name, "").lower() == condition.value.lower()
            return is_so == (condition.kind == "is")


def _run_action(act: Action, owner: Entity, world: World, actor: Character | None, event: Event | None) -> list[Event]:
    """Do one act and return what happened; one that cannot be done now happens not."""
    here = world.containing_room(owner)
    if here is None:
        return []
    text = _substitute(act.text, owner, here, world, actor, event)
    match act.verb:
        case "show":
            return [RoomMessage("", here.room_id, text)]
        case "say" if isinstance(owner, Character):
            return [Said(owner.character_id, here.room_id, text, is_scripted=True)]
        case "say":
            return [RoomMessage("", here.room_id, world.wording("life.thing_says", thing=owner.name, text=text))]
        case "emote" if isinstance(owner, Character):
            return [Emoted(owner.character_id, here.room_id, text, is_scripted=True)]
        case "emote":
            who = world.wording("life.the_thing", thing=owner.name)
            return [RoomMessage("", here.room_id, format_pose(who, text))]
        case "tell":
            return [SystemMessage(actor.character_id, text)] if actor else []
        case "remind":
            return [SystemMessage(owner.character_id, text)] if isinstance(owner, Character) else []
        case "set":
            return _set_property(owner, act.text, _substitute(act.target, owner, here, world, actor, event))
        case "move":
            return _move(act, owner, world, actor)
        case _:
            return _give(act, owner, here, world, actor)


def _substitute(
    text: str, owner: Entity, here: Room, world: World, actor: Character | None, event: Event | None
) -> str:
    values = {
        "{actor}": actor.name if actor else world.wording("life.somebody"),
        "{self}": owner.name,
        "{room}": here.name,
        "{thing}": _thing_in(event, world) or owner.name,
    }
    for variable, value in values.items():
        text = text.replace(variable, value)
    return text


def _thing_in(event: Event | None, world: World) -> str:
    """Return the name of the thing that an event is about; of a detail of a room, its id is its name."""
    thing_id = str(getattr(event, "thing_id", ""))
    return world.things[thing_id].name if thing_id in world.things else thing_id


def _set_property(owner: Entity, name: str, value: str) -> list[Event]:
    if value:
        owner.properties[name] = value
    else:
        owner.properties.pop(name, None)
    return [EntityChanged("", owner.kind, owner.id)]


def _move(act: Action, owner: Entity, world: World, actor: Character | None) -> list[Event]:
    who, goal = _resolve(act.text, owner, world, actor), _resolve(act.target, owner, world, actor)
    if isinstance(who, Thing) and isinstance(goal, Room):
        who.place_id = goal.room_id
        return [Moved("", who.thing_id)]
    if isinstance(who, Character) and isinstance(goal, Room) and who.room_id != goal.room_id:
        left = Left(who.character_id, who.room_id, "", goal.room_id)
        who.room_id = goal.room_id
        return [left, Arrived(who.character_id, goal.room_id, left.room_id)] if who.awake else [left]
    return []


def _give(act: Action, owner: Entity, here: Room, world: World, actor: Character | None) -> list[Event]:
    thing, to = _resolve(act.text, owner, world, actor), _resolve(act.target, owner, world, actor)
    if not isinstance(thing, Thing) or not isinstance(to, Character) or world.containing_room(thing) is not here:
        return []
    if thing.place_id == to.character_id:
        return []
    thing.place_id = to.character_id
    if isinstance(owner, Character):
        return [Gave(owner.character_id, here.room_id, thing.thing_id, to.character_id)]
    return [Took(to.character_id, here.room_id, thing.thing_id)]


def _resolve(name: str, owner: Entity, world: World, actor: Character | None) -> Entity | None:
    """Return the target of a name in a table; None if there is no such thing any more."""
    match name.lower():
        case "{actor}":
            return actor
        case "{self}" | "self" | "it":
            return owner
        case _:
            return world.rooms.get(name) or world.things.get(name) or world.characters.get(name)
