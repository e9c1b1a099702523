"""Reading, writing on and using things."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from world.cleaning import clean_line
from world.command import command
from world.commands.containers import in_reach
from world.commands.looking import sights
from world.commands.things import carried_thing
from world.errors import CommandError
from world.events import Altered, Event, ReadThing, Saw, Used, Wrote
from world.matching import Named, find
from world.model import Character, Detail, Role, Room, Thing, World
from world.parsing import one_spaced

T = TypeVar("T", bound=Named)

WRITABLE = "writable"
"""The property of a thing that can be written on; it is `true`."""

LONGEST_WRITING = 2000
"""How much may stand on a thing, in characters."""


@command("read <writing>", category="things", noticed="room")
def read(world: World, actor: Character, writing: str) -> list[Event]:
    """Read what is written on something here: `read letter`."""
    wanted = writing.removeprefix("the writing on ").strip()
    thing = _picked(world, wanted, readable(world, actor))
    if thing:
        text = world.wording("things.it_reads", text=thing.writing)
        return [ReadThing(actor.character_id, actor.room_id, thing.thing_id), Saw(actor.character_id, text)]
    seen = find(wanted, sights(world, actor), world.wording("looking.no_such", wanted=wanted), world.wording)
    if isinstance(seen, Detail) and seen.description:
        return [Saw(actor.character_id, seen.description)]
    raise CommandError(world.wording("things.nothing_written", what=seen.name))


@command("write <writable> -> <text>", category="things", role=Role.PLAYER, noticed="room")
def write(world: World, actor: Character, writable: str, text: str) -> list[Event]:
    """Write on something that you carry, below what stands there already.

    write sheet -> I owe Moss a bun.
    """
    wanted, line = writable.removeprefix("on "), one_spaced(clean_line(text))
    thing = _writable(world, actor, wanted)
    whole = f"{thing.writing}\n{line}" if thing.writing else line
    if not line or len(whole) > LONGEST_WRITING:
        raise CommandError(world.wording("things.no_room_to_write", thing=thing.name, most=LONGEST_WRITING))
    thing.writing = whole
    wrote = Wrote(actor.character_id, actor.room_id, thing.thing_id, line)
    return [wrote, Altered(actor.character_id, "thing", thing.thing_id)]


@command("use <usable>", category="things", noticed="room")
def use(world: World, actor: Character, usable: str) -> list[Event]:
    """Use a thing that you carry, that lies here or is part of this place; what comes of it depends on the thing."""
    used = _picked(world, usable, usables(world, actor))
    if used:
        return [Used(actor.character_id, actor.room_id, used.thing_id if isinstance(used, Thing) else used.name)]
    seen = find(usable, sights(world, actor), world.wording("looking.no_such", wanted=usable), world.wording)
    raise CommandError(world.wording("things.no_use", what=seen.name))


def readable(world: World, actor: Character) -> list[Thing]:
    """Return the things in reach that have something written on them."""
    return [thing for thing in in_reach(world, actor) if thing.writing]


def writables(world: World, actor: Character) -> list[Thing]:
    """Return the things carried that can be written on."""
    return [thing for thing in world.things_at(actor.character_id) if _takes_ink(thing)]


def usables(world: World, actor: Character) -> list[Thing | Detail]:
    """Return the things in reach, and the details of the room, that something comes of if they are used."""
    room = world.room_of(actor)
    things: list[Thing | Detail] = [*in_reach(world, actor), *room.details.values()]
    return [one for one in things if _has_use(one, room)]


def _has_use(one: Thing | Detail, room: Room) -> bool:
    own = one.reactions if isinstance(one, Thing) else ()
    return any(row.on == "use" for row in own) or any(
        row.on == "use" and row.is_about(one.name) for row in room.reactions
    )


def _writable(world: World, actor: Character, wanted: str) -> Thing:
    thing = _picked(world, wanted, writables(world, actor))
    if thing is None:
        other = carried_thing(world, actor, wanted)
        raise CommandError(world.wording("things.not_writable", thing=other.name))
    return thing


def _picked(world: World, wanted: str, among: Sequence[T]) -> T | None:
    """Return the one that is meant among some, or None. Raises: CommandError if it can be more than one."""
    try:
        return find(wanted, among, "", world.wording)
    except CommandError as error:
        if str(error):
            raise
        return None


def _takes_ink(thing: Thing) -> bool:
    return thing.properties.get(WRITABLE, "").lower() == "true"


COMMANDS = (read, write, use)
