"""Item commands: get, drop, give, put, read, write, use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from world.command import command
from world.commands.communication import find_person_here
from world.entities import Character, Detail, Role, Room, Thing
from world.errors import CommandError
from world.events import Dropped, EntityChanged, Event, Gave, Output, PutIn, ReadThing, Took, TookFrom, Used, Wrote
from world.find import visible_targets
from world.narration import list_things
from world.parsing import Named, candidates, collapse_whitespace, find
from world.sanitize import clean_line
from world.world import MAX_CONTAINER_DEPTH, World


@command(
    "get <near>",
    "take",
    "grab",
    category="things",
    visible_to="room",
    also=("get <content> from <container>", "get <content> out of <container>"),
)
def get(world: World, actor: Character, near: str = "", content: str = "", container: str = "") -> list[Event]:
    """Pick up a thing that lies here, or take one out of a container.

    get lamp                  get all takes whatever can be taken
    get letter from basket    out of something that lies here or that you carry
    """
    if container:
        return take_out(world, actor, content, container)
    lying = world.things_at(actor.room_id)
    if means_all(near):
        found = [thing for thing in lying if not thing.fixed]
        if not found:
            raise CommandError(world.wording("things.nothing_to_take"))
        return [_take(actor, thing) for thing in found]
    return [_take(actor, _find_near(world, actor, near.removeprefix("up "), lying))]


@command("drop <carried>", category="things", visible_to="room")
def drop(world: World, actor: Character, carried: str) -> list[Event]:
    """Put down a thing that you carry, or all of them: `drop all`."""
    if not means_all(carried):
        return [_drop(actor, find_carried(world, actor, carried))]
    found = world.things_at(actor.character_id)
    if not found:
        raise CommandError(world.wording("things.nothing_carried"))
    return [_drop(actor, thing) for thing in found]


@command("give <carried> to <person>", "hand", category="things", visible_to="room")
def give(world: World, actor: Character, carried: str, person: str) -> list[Event]:
    """Give a thing that you carry to somebody here: `give lamp to Moss`."""
    thing = find_carried(world, actor, carried)
    receiver = find_person_here(world, actor, person)
    thing.place_id = receiver.character_id
    return [Gave(actor.character_id, actor.room_id, thing.thing_id, receiver.character_id)]


@command("inventory", "inv", "i", category="things", for_agents=False)
def inventory(world: World, actor: Character) -> list[Event]:
    """List what you carry, and what is in it."""
    carried = world.things_at(actor.character_id)
    things = list_things(carried, world) or world.wording("lists.nothing")
    lines = [world.wording("looking.you_carry", things=things), *contents_of(world, carried)]
    return [Output(actor.character_id, "\n".join(lines))]


def find_carried(world: World, actor: Character, wanted: str) -> Thing:
    """Return the thing that an actor carries and means. Raises: CommandError if there is none, or more than one."""
    missing = world.wording("things.not_carried", wanted=wanted)
    return find(wanted, world.things_at(actor.character_id), missing, world.wording)


def _find_near(world: World, actor: Character, wanted: str, lying: list[Thing]) -> Thing:
    part = [] if candidates(wanted, lying) else candidates(wanted, world.room_of(actor).details.values())
    if part:
        raise CommandError(world.wording("things.fixed", thing=part[0].name))
    thing = find(wanted, lying, world.wording("things.not_here", wanted=wanted), world.wording)
    if thing.fixed:
        raise CommandError(world.wording("things.fixed", thing=thing.name))
    return thing


def _take(actor: Character, thing: Thing) -> Event:
    thing.place_id = actor.character_id
    return Took(actor.character_id, actor.room_id, thing.thing_id)


def _drop(actor: Character, thing: Thing) -> Event:
    thing.place_id = actor.room_id
    return Dropped(actor.character_id, actor.room_id, thing.thing_id)


ALL = ("all", "everything")


@command(
    "put <carried> in <container>",
    category="things",
    visible_to="room",
    also=("put <carried> into <container>",),
)
def put(world: World, actor: Character, carried: str, container: str) -> list[Event]:
    """Put a thing that you carry into a container: `put letter in basket`; `put all in basket`.

    `get letter from basket` takes it out again.
    """
    goal = find_container(world, actor, container)
    own = world.things_at(actor.character_id)
    if means_all(carried):
        things = [thing for thing in own if thing is not goal]
        if not things:
            raise CommandError(world.wording("things.nothing_carried"))
    else:
        things = [find_carried(world, actor, carried)]
    # What is inside another is not in reach, so that nothing can come to be inside itself by a detour.
    if things[0] is goal:
        raise CommandError(world.wording("things.in_itself", thing=things[0].name))
    if any(_levels(world, thing) >= MAX_CONTAINER_DEPTH for thing in things):
        raise CommandError(world.wording("things.too_deep", container=goal.name))
    for thing in things:
        thing.place_id = goal.thing_id
    return [PutIn(actor.character_id, actor.room_id, thing.thing_id, goal.thing_id) for thing in things]


def take_out(world: World, actor: Character, content: str, container: str) -> list[Event]:
    """Let an actor take something, or everything, out of a container. Raises: CommandError."""
    source = find_container(world, actor, container)
    inside = world.things_at(source.thing_id)
    missing = world.wording("things.not_inside", wanted=content, container=source.name)
    things = (
        [t for t in inside if not t.fixed] if means_all(content) else [find(content, inside, missing, world.wording)]
    )
    if not things:
        raise CommandError(world.wording("things.empty", container=source.name))
    if things[0].fixed:
        raise CommandError(world.wording("things.fixed", thing=things[0].name))
    for thing in things:
        thing.place_id = actor.character_id
    return [TookFrom(actor.character_id, actor.room_id, thing.thing_id, source.thing_id) for thing in things]


def reachable_things(world: World, actor: Character) -> list[Thing]:
    """Return what lies here and what an actor carries; what is in a container is not in reach."""
    return [*world.things_at(actor.room_id), *world.things_at(actor.character_id)]


def find_container(world: World, actor: Character, wanted: str) -> Thing:
    """Return the container in reach that is meant. Raises: CommandError if there is none, or more than one."""
    audience = reachable_things(world, actor)
    containers = [thing for thing in audience if thing.is_container]
    others = [] if candidates(wanted, containers) else candidates(wanted, audience)
    if others:
        raise CommandError(world.wording("things.no_container", thing=others[0].name))
    return find(wanted, containers, world.wording("things.no_such_container", wanted=wanted), world.wording)


def contents_of(world: World, things: Iterable[Thing], depth: int = 1) -> Iterator[str]:
    """Yield what is in containers, and in those inside them, a line each, indented by how deep it is.

    What is deeper than `MAX_CONTAINER_DEPTH` is left out; one sees it by looking into what it is in.
    """
    ahead = [(one, depth) for one in reversed(list(things))]
    while ahead:
        one, deep = ahead.pop()
        inside = world.things_at(one.thing_id)
        if inside:
            names = list_things(inside, world)
            yield "  " * deep + world.wording("things.inside", container=one.name, things=names)
            ahead += [(thing, deep + 1) for thing in reversed(inside) if deep < MAX_CONTAINER_DEPTH]


def _levels(world: World, thing: Thing) -> int:
    """Return how deep containers are nested in a thing, itself included, up to `MAX_CONTAINER_DEPTH`."""
    level, levels = [thing], 0
    while levels < MAX_CONTAINER_DEPTH and (
        level := [one for holder in level for one in world.things_at(holder.thing_id)]
    ):
        levels += 1
    return levels


def means_all(wanted: str) -> bool:
    """Return whether all things are meant, and not one of that name."""
    return wanted.lower() in ALL


T = TypeVar("T", bound=Named)

WRITABLE = "writable"
"""The property of a thing that can be written on; it is `true`."""

MAX_WRITING_LENGTH = 2000
"""Maximum length of the writing on a thing, in characters."""


@command("read <writing>", category="things", visible_to="room")
def read(world: World, actor: Character, writing: str) -> list[Event]:
    """Read what is written on something here: `read letter`."""
    wanted = writing.removeprefix("the writing on ").strip()
    thing = _find_one(world, wanted, readable(world, actor))
    if thing:
        text = world.wording("things.it_reads", text=thing.writing)
        return [ReadThing(actor.character_id, actor.room_id, thing.thing_id), Output(actor.character_id, text)]
    seen = find(wanted, visible_targets(world, actor), world.wording("looking.no_such", wanted=wanted), world.wording)
    if isinstance(seen, Detail) and seen.description:
        return [Output(actor.character_id, seen.description)]
    raise CommandError(world.wording("things.nothing_written", what=seen.name))


@command("write <writable> -> <text>", category="things", role=Role.PLAYER, visible_to="room")
def write(world: World, actor: Character, writable: str, text: str) -> list[Event]:
    """Write on something that you carry, below what stands there already.

    write sheet -> I owe Moss a bun.
    """
    wanted, line = writable.removeprefix("on "), collapse_whitespace(clean_line(text))
    thing = _writable(world, actor, wanted)
    whole = f"{thing.writing}\n{line}" if thing.writing else line
    if not line or len(whole) > MAX_WRITING_LENGTH:
        raise CommandError(world.wording("things.no_room_to_write", thing=thing.name, most=MAX_WRITING_LENGTH))
    thing.writing = whole
    wrote = Wrote(actor.character_id, actor.room_id, thing.thing_id, line)
    return [wrote, EntityChanged(actor.character_id, "thing", thing.thing_id)]


@command("use <usable>", category="things", visible_to="room")
def use(world: World, actor: Character, usable: str) -> list[Event]:
    """Use a thing that you carry, that lies here or is part of this place; what comes of it depends on the thing."""
    used = _find_one(world, usable, usables(world, actor))
    if used:
        return [Used(actor.character_id, actor.room_id, used.thing_id if isinstance(used, Thing) else used.name)]
    seen = find(usable, visible_targets(world, actor), world.wording("looking.no_such", wanted=usable), world.wording)
    raise CommandError(world.wording("things.no_use", what=seen.name))


def readable(world: World, actor: Character) -> list[Thing]:
    """Return the things in reach that have something written on them."""
    return [thing for thing in reachable_things(world, actor) if thing.writing]


def writables(world: World, actor: Character) -> list[Thing]:
    """Return the things carried that can be written on."""
    carried = world.things_at(actor.character_id)
    return [thing for thing in carried if thing.properties.get(WRITABLE, "").lower() == "true"]


def usables(world: World, actor: Character) -> list[Thing | Detail]:
    """Return the things in reach, and the details of the room, that something comes of if they are used."""
    room = world.room_of(actor)
    things: list[Thing | Detail] = [*reachable_things(world, actor), *room.details.values()]
    return [one for one in things if _has_use(one, room)]


def _has_use(one: Thing | Detail, room: Room) -> bool:
    own = one.triggers if isinstance(one, Thing) else ()
    return any(row.on == "use" for row in own) or any(
        row.on == "use" and row.is_about(one.name) for row in room.triggers
    )


def _writable(world: World, actor: Character, wanted: str) -> Thing:
    thing = _find_one(world, wanted, writables(world, actor))
    if thing is None:
        other = find_carried(world, actor, wanted)
        raise CommandError(world.wording("things.not_writable", thing=other.name))
    return thing


def _find_one(world: World, wanted: str, among: Sequence[T]) -> T | None:
    """Return the one that is meant among some, or None. Raises: CommandError if it can be more than one."""
    try:
        return find(wanted, among, "", world.wording)
    except CommandError as error:
        if str(error):
            raise
        return None
