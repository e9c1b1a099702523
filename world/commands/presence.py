"""Who is in the world, where, and leaving it."""

from __future__ import annotations

from world.command import command
from world.events import Departed, Event, Saw
from world.matching import find
from world.model import Character, World


@command("who", category="people")
def who(world: World, actor: Character) -> list[Event]:
    """List everyone who is in the world now."""
    lines = [f"{c.name}{' (agent)' if c.is_agent else ''}{' (you)' if c is actor else ''}" for c in world.awake()]
    return [Saw(actor.character_id, "\n".join([f"In the world now: {len(lines)}", *(f"  {line}" for line in lines)]))]


@command("where [<text>]", category="people")
def where(world: World, actor: Character, text: str = "") -> list[Event]:
    """Say where you are, and where everybody or somebody else is."""
    awake = world.awake()
    if text:
        wanted = text.removeprefix("is ").rstrip("?").strip()
        awake = [find(wanted, awake, f"There is no {wanted!r} in the world now. Type who to see who is.")]
    return [Saw(actor.character_id, "\n".join(f"{c.name} is in {c.room_id}." for c in awake))]


@command("quit", "logout", "exit", category="general", for_agents=False)
def quit_world(world: World, actor: Character) -> list[Event]:
    """Leave the world; you wake where you fell asleep."""
    return [Departed(actor.character_id)]


COMMANDS = (who, where, quit_world)
