"""Speaking and posing."""

from __future__ import annotations

import re

from world.command import command
from world.errors import CommandError
from world.events import Emoted, Event, Said, Whispered
from world.matching import find, listed
from world.model import Character, World

_MOVED = re.compile(r"(?:takes|puts down|gives .+?) the (.+)")
_WENT = re.compile(r"(?:arrives from|leaves .+ to) (.+)")


@command("say <text>", "speak", category="speech")
def say(world: World, actor: Character, text: str) -> list[Event]:
    """Say something to everyone in the room. `'hello` is short for `say hello`."""
    return [Said(actor.character_id, actor.room_id, unquoted(text))]


@command("emote <text>", "pose", "me", category="speech")
def emote(world: World, actor: Character, text: str) -> list[Event]:
    """Show what you do: `emote waves` or `:waves` shows your name and `waves`."""
    if _pretends(text.removesuffix(".").lower(), world):
        raise CommandError("That would read as if it happened. Do it with get, drop, give or go, or say it otherwise.")
    return [Emoted(actor.character_id, actor.room_id, text)]


@command("whisper <person> <text>", category="speech")
def whisper(world: World, actor: Character, person: str, text: str) -> list[Event]:
    """Say something to one person here; others see only that you whisper."""
    listener = someone_here(world, actor, person)
    return [Whispered(actor.character_id, actor.room_id, listener.character_id, unquoted(text))]


def someone_here(world: World, actor: Character, wanted: str) -> Character:
    """Return the other character in the room that is meant.

    Raises: CommandError naming who is here.
    """
    others = [c for c in world.occupants(actor.room_id) if c is not actor]
    here = listed([c.name for c in others]) or "nobody else"
    name = wanted.removesuffix(",").removesuffix(":")
    if name.lower() in ("me", "myself", actor.name.lower()):
        raise CommandError("That would be you; choose somebody else.")
    return find(
        name,
        others,
        f"There is no {wanted!r} here; {here} is." if len(others) < 2 else f"There is no {wanted!r} here; {here} are.",
    )


def _pretends(pose: str, world: World) -> bool:
    """Return whether a pose is the very sentence by which everyone would know that something moved."""
    if pose in ("wakes up here", "falls asleep and is gone"):
        return True
    moved, went = _MOVED.fullmatch(pose), _WENT.fullmatch(pose)
    things, rooms = {name.lower() for name in world.things}, {name.lower() for name in world.rooms}
    return bool(moved and moved[1] in things) or bool(went and went[1] in rooms)


def unquoted(text: str) -> str:
    """Return speech without one pair of quotes around the whole of it."""
    inner = text[1:-1]
    whole = len(text) > 2 and text[0] == text[-1] == '"' and '"' not in inner
    return inner.strip() if whole else text


COMMANDS = (say, emote, whisper)
