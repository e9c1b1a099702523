"""Taking, dropping and giving things."""

from __future__ import annotations

from world.command import command
from world.commands.social import someone_here
from world.errors import CommandError
from world.events import Dropped, Event, Gave, Took
from world.matching import candidates, find
from world.model import Character, Thing, World


@command("get <near>", "take", "grab", category="things", noticed="room")
def get(world: World, actor: Character, near: str) -> list[Event]:
    """Pick up a thing that lies here."""
    wanted = near.removeprefix("up ")
    lying = world.things_at(actor.room_id)
    fixed = [] if candidates(wanted, lying) else candidates(wanted, world.room_of(actor).details.values())
    if fixed:
        raise CommandError(world.wording("things.fixed", thing=fixed[0].name))
    thing = find(wanted, lying, world.wording("things.not_here", wanted=wanted), world.wording)
    if thing.fixed:
        raise CommandError(world.wording("things.fixed", thing=thing.name))
    thing.place_id = actor.character_id
    return [Took(actor.character_id, actor.room_id, thing.thing_id)]


@command("drop <carried>", category="things", noticed="room")
def drop(world: World, actor: Character, carried: str) -> list[Event]:
    """Put down a thing that you carry."""
    thing = _carried(world, actor, carried)
    thing.place_id = actor.room_id
    return [Dropped(actor.character_id, actor.room_id, thing.thing_id)]


@command("give <carried> to <person>", "hand", category="things", noticed="room")
def give(world: World, actor: Character, carried: str, person: str) -> list[Event]:
    """Give a thing that you carry to somebody here: `give lamp to Moss`."""
    thing = _carried(world, actor, carried)
    receiver = someone_here(world, actor, person)
    thing.place_id = receiver.character_id
    return [Gave(actor.character_id, actor.room_id, thing.thing_id, receiver.character_id)]


def _carried(world: World, actor: Character, wanted: str) -> Thing:
    missing = world.wording("things.not_carried", wanted=wanted)
    return find(wanted, world.things_at(actor.character_id), missing, world.wording)


COMMANDS = (get, drop, give)
