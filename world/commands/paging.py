"""Speaking to one person, wherever they are."""

from __future__ import annotations

from world.command import command
from world.commands.social import unquoted
from world.errors import CommandError
from world.events import Event, Paged, Saw
from world.model import Character, World
from world.people import absence, whereabouts
from world.people import anyone as meant


@command("tell <anyone> <text>", "page", category="speech", noticed="named")
def tell(world: World, actor: Character, anyone: str, text: str) -> list[Event]:
    """Say something to one person, wherever they are; nobody else hears it."""
    return _paged(world, actor, _listener(world, actor, anyone), text)


@command("reply <text>", "r", category="speech", for_agents=False, noticed="named")
def reply(world: World, actor: Character, text: str) -> list[Event]:
    """Tell something to whoever told or whispered something to you last."""
    listener = world.characters.get(actor.doings.answer_to_id)
    if listener is None:
        raise CommandError(world.wording("social.nobody_to_answer"))
    return _paged(world, actor, listener, text)


def _listener(world: World, actor: Character, wanted: str) -> Character:
    found = meant(world, actor, wanted)
    if found is actor:
        raise CommandError(world.wording("social.yourself"))
    return found


def _paged(world: World, actor: Character, listener: Character, text: str) -> list[Event]:
    if not listener.awake:
        raise CommandError(whereabouts(world, listener))
    listener.doings.answer_to_id = actor.character_id
    paged = Paged(actor.character_id, listener.character_id, unquoted(text))
    away = absence(world, listener)
    return [paged, Saw(actor.character_id, away)] if away else [paged]


COMMANDS = (tell, reply)
