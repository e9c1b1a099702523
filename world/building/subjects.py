"""What somebody who builds means by a name: any room, thing or character, near by before far off."""

from __future__ import annotations

from world.errors import CommandError
from world.matching import candidates, find
from world.model import Character, Detail, Role, Room, Thing, World

Subject = Room | Thing | Character


def subject_meant(world: World, actor: Character, wanted: str) -> Subject:
    """Return the room, thing or character that an actor means.

    `here` is its room, `me` itself; a full name counts wherever it is, part of one near by first. Raises: CommandError.
    """
    found = _found(world, actor, wanted)
    if found is None:
        raise CommandError(world.wording("building.no_such", wanted=wanted))
    return found


def room_meant(world: World, actor: Character, wanted: str) -> Room:
    """Return the room that an actor means. Raises: CommandError."""
    if wanted.lower() == "here":
        return world.room_of(actor)
    missing = world.wording("building.no_such_room", wanted=wanted)
    return find(wanted, world.rooms.values(), missing, world.wording)


def detail_meant(world: World, actor: Character, wanted: str) -> tuple[Room, Detail] | None:
    """Return the detail that `here/hearth`, or `hearth` where nothing else is called so, means, and its room.

    None if it is no detail that is meant. Raises: CommandError if the room has no such detail.
    """
    place, slash, name = (part.strip() for part in wanted.partition("/"))
    if slash and _is_name(world, wanted):
        return None
    if not slash and _found(world, actor, wanted) is None:
        found = candidates(wanted, world.room_of(actor).details.values())
        return (world.room_of(actor), found[0]) if len(found) == 1 else None
    if not slash:
        return None
    room = room_meant(world, actor, place)
    missing = world.wording("building.no_detail", wanted=name, room=room.name)
    return room, find(name, room.details.values(), missing, world.wording)


def check_may_change(world: World, actor: Character, subject: Subject) -> None:
    """Raises: CommandError if it is somebody else, or what somebody else carries, and the actor is no admin."""
    if actor.role >= Role.ADMIN:
        return
    owner = subject if isinstance(subject, Character) else None
    if isinstance(subject, Thing):
        owner = bearer(world, subject)
    if owner is not None and owner is not actor:
        raise CommandError(world.wording("building.not_yours", who=owner.name))


def bearer(world: World, thing: Thing) -> Character | None:
    """Return who carries a thing, or the container that it is in; None if nobody does."""
    around = world.things_around(thing.thing_id)
    return world.characters.get(world.things[around[-1]].place_id) if around else None


def kind_of(subject: Subject) -> str:
    """Return `room`, `thing` or `character`."""
    match subject:
        case Room():
            return "room"
        case Thing():
            return "thing"
        case _:
            return "character"


def id_of(subject: Subject) -> str:
    """Return the id of a room, thing or character."""
    match subject:
        case Room(room_id=found) | Thing(thing_id=found) | Character(character_id=found):
            return found


def _is_name(world: World, wanted: str) -> bool:
    """Return whether a room or thing is called just that, as in `The Court / Yard`."""
    every: list[Room | Thing] = [*world.rooms.values(), *world.things.values()]
    return any(one.name.lower() == wanted.lower() for one in every)


def _found(world: World, actor: Character, wanted: str) -> Subject | None:
    """Raises: CommandError if several can be meant."""
    key = wanted.lower()
    if key in ("me", "myself", "self"):
        return actor
    if key in ("here", "room"):
        return world.room_of(actor)
    every: list[Subject] = [*world.rooms.values(), *world.things.values(), *world.characters.values()]
    exact = [one for one in every if key in (id_of(one).lower(), one.name.lower())]
    if len(exact) == 1:
        return exact[0]
    near: list[Subject] = [*world.occupants(actor.room_id), *world.things_at(actor.room_id)]
    near += [*world.things_at(actor.character_id), world.room_of(actor)]
    for among in (near, every):
        if candidates(wanted, among):
            return find(wanted, among, "", world.wording)
    try:
        return find(wanted, near, "", world.wording)  # it may be numbered, as in lamp 2
    except CommandError:
        return None
