"""Putting things into containers, and taking them out again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from world.command import command
from world.errors import CommandError
from world.events import Event, PutIn, TookFrom
from world.matching import candidates, find
from world.model import DEEPEST, Character, Thing, World
from world.narration import with_article

ALL = ("all", "everything")


@command(
    "put <carried> in <container>",
    category="things",
    noticed="room",
    also=("put <carried> into <container>",),
)
def put(world: World, actor: Character, carried: str, container: str) -> list[Event]:
    """Put a thing that you carry into a container: `put letter in basket`; `put all in basket`.

    `get letter from basket` takes it out again.
    """
    goal = container_meant(world, actor, container)
    own = world.things_at(actor.character_id)
    if everything(carried):
        things = [thing for thing in own if thing is not goal]
        if not things:
            raise CommandError(world.wording("things.nothing_carried"))
    else:
        things = [find(carried, own, world.wording("things.not_carried", wanted=carried), world.wording)]
    # What is inside another is not in reach, so that nothing can come to be inside itself by a detour.
    if things[0] is goal:
        raise CommandError(world.wording("things.in_itself", thing=things[0].name))
    if any(_levels(world, thing) >= DEEPEST for thing in things):
        raise CommandError(world.wording("things.too_deep", container=goal.name))
    for thing in things:
        thing.place_id = goal.thing_id
    return [PutIn(actor.character_id, actor.room_id, thing.thing_id, goal.thing_id) for thing in things]


def take_out(world: World, actor: Character, content: str, container: str) -> list[Event]:
    """Let an actor take something, or everything, out of a container. Raises: CommandError."""
    source = container_meant(world, actor, container)
    inside = world.things_at(source.thing_id)
    missing = world.wording("things.not_inside", wanted=content, container=source.name)
    things = (
        [t for t in inside if not t.fixed] if everything(content) else [find(content, inside, missing, world.wording)]
    )
    if not things:
        raise CommandError(world.wording("things.empty", container=source.name))
    if things[0].fixed:
        raise CommandError(world.wording("things.fixed", thing=things[0].name))
    for thing in things:
        thing.place_id = actor.character_id
    return [TookFrom(actor.character_id, actor.room_id, thing.thing_id, source.thing_id) for thing in things]


def in_reach(world: World, actor: Character) -> list[Thing]:
    """Return what lies here and what an actor carries; what is in a container is not in reach."""
    return [*world.things_at(actor.room_id), *world.things_at(actor.character_id)]


def container_meant(world: World, actor: Character, wanted: str) -> Thing:
    """Return the container in reach that is meant. Raises: CommandError if there is none, or more than one."""
    reach = in_reach(world, actor)
    containers = [thing for thing in reach if thing.is_container]
    others = [] if candidates(wanted, containers) else candidates(wanted, reach)
    if others:
        raise CommandError(world.wording("things.no_container", thing=others[0].name))
    return find(wanted, containers, world.wording("things.no_such_container", wanted=wanted), world.wording)


def contents_of(world: World, things: Iterable[Thing], depth: int = 1) -> Iterator[str]:
    """Yield what is in containers, and in those inside them, a line each, indented by how deep it is.

    What is deeper than `DEEPEST` is left out; one sees it by looking into what it is in.
    """
    ahead = [(one, depth) for one in reversed(list(things))]
    while ahead:
        one, deep = ahead.pop()
        inside = world.things_at(one.thing_id)
        if inside:
            names = world.wording.all_of([with_article(thing) for thing in inside])
            yield "  " * deep + world.wording("things.inside", container=one.name, things=names)
            ahead += [(thing, deep + 1) for thing in reversed(inside) if deep < DEEPEST]


def _levels(world: World, thing: Thing) -> int:
    """Return how many containers stand in one another in a thing, itself among them; no more than `DEEPEST`."""
    level, levels = [thing], 0
    while levels < DEEPEST and (level := [one for holder in level for one in world.things_at(holder.thing_id)]):
        levels += 1
    return levels


def everything(wanted: str) -> bool:
    """Return whether all things are meant, and not one of that name."""
    return wanted.lower() in ALL


COMMANDS = (put,)
