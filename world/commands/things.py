"""Taking, dropping and giving things, and what one carries."""

from __future__ import annotations

from world.command import command
from world.commands.containers import contents_of, everything, take_out
from world.commands.social import someone_here
from world.errors import CommandError
from world.events import Dropped, Event, Gave, Saw, Took
from world.matching import candidates, find
from world.model import Character, Thing, World
from world.narration import with_article


@command(
    "get <near>",
    "take",
    "grab",
    category="things",
    noticed="room",
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
    if everything(near):
        found = [thing for thing in lying if not thing.fixed]
        if not found:
            raise CommandError(world.wording("things.nothing_to_take"))
        return [_taken(actor, thing) for thing in found]
    return [_taken(actor, _meant(world, actor, near.removeprefix("up "), lying))]


@command("drop <carried>", category="things", noticed="room")
def drop(world: World, actor: Character, carried: str) -> list[Event]:
    """Put down a thing that you carry, or all of them: `drop all`."""
    if not everything(carried):
        return [_put_down(actor, carried_thing(world, actor, carried))]
    found = world.things_at(actor.character_id)
    if not found:
        raise CommandError(world.wording("things.nothing_carried"))
    return [_put_down(actor, thing) for thing in found]


@command("give <carried> to <person>", "hand", category="things", noticed="room")
def give(world: World, actor: Character, carried: str, person: str) -> list[Event]:
    """Give a thing that you carry to somebody here: `give lamp to Moss`."""
    thing = carried_thing(world, actor, carried)
    receiver = someone_here(world, actor, person)
    thing.place_id = receiver.character_id
    return [Gave(actor.character_id, actor.room_id, thing.thing_id, receiver.character_id)]


@command("inventory", "inv", "i", category="things", for_agents=False)
def inventory(world: World, actor: Character) -> list[Event]:
    """List what you carry, and what is in it."""
    carried = world.things_at(actor.character_id)
    names = world.wording.all_of([with_article(thing) for thing in carried]) or world.wording("lists.nothing")
    lines = [world.wording("looking.you_carry", things=names), *contents_of(world, carried)]
    return [Saw(actor.character_id, "\n".join(lines))]


def carried_thing(world: World, actor: Character, wanted: str) -> Thing:
    """Return the thing that an actor carries and means. Raises: CommandError if there is none, or more than one."""
    missing = world.wording("things.not_carried", wanted=wanted)
    return find(wanted, world.things_at(actor.character_id), missing, world.wording)


def _meant(world: World, actor: Character, wanted: str, lying: list[Thing]) -> Thing:
    part = [] if candidates(wanted, lying) else candidates(wanted, world.room_of(actor).details.values())
    if part:
        raise CommandError(world.wording("things.fixed", thing=part[0].name))
    thing = find(wanted, lying, world.wording("things.not_here", wanted=wanted), world.wording)
    if thing.fixed:
        raise CommandError(world.wording("things.fixed", thing=thing.name))
    return thing


def _taken(actor: Character, thing: Thing) -> Event:
    thing.place_id = actor.character_id
    return Took(actor.character_id, actor.room_id, thing.thing_id)


def _put_down(actor: Character, thing: Thing) -> Event:
    thing.place_id = actor.room_id
    return Dropped(actor.character_id, actor.room_id, thing.thing_id)


COMMANDS = (get, drop, give, inventory)
