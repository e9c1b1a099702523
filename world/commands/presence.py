"""Who is in the world, where, and leaving it."""

from __future__ import annotations

from world.command import command
from world.events import Departed, Event, Saw
from world.matching import find
from world.model import Character, World
from world.narration import place


@command("who", category="people")
def who(world: World, actor: Character) -> list[Event]:
    """List everyone who is in the world now."""
    lines = [f"  {world.wording(_kind(one, actor), who=one.name)}" for one in world.awake()]
    return [Saw(actor.character_id, "\n".join([world.wording("presence.who", count=len(lines)), *lines]))]


@command("where [<text>]", category="people")
def where(world: World, actor: Character, text: str = "") -> list[Event]:
    """Say where you are, and where everybody or somebody else is."""
    awake = world.awake()
    if text:
        wanted = text.removeprefix("is ").rstrip("?").strip()
        awake = [find(wanted, awake, world.wording("presence.nobody", wanted=wanted), world.wording)]
    lines = [world.wording("presence.where", who=c.name, room=place(c.room_id, world)) for c in awake]
    return [Saw(actor.character_id, "\n".join(lines))]


@command("quit", "logout", "exit", category="general", for_agents=False, noticed="room")
def quit_world(world: World, actor: Character) -> list[Event]:
    """Leave the world; you wake where you fell asleep."""
    return [Departed(actor.character_id)]


def _kind(one: Character, actor: Character) -> str:
    return f"presence.{'you' if one is actor else 'agent' if one.is_agent else 'person'}"


COMMANDS = (who, where, quit_world)
