"""What goes on inside."""

from __future__ import annotations

from world.command import command
from world.events import Event, Thought
from world.model import Character, Role, World


@command("think <text>", "ponder", category="mind", role=Role.PLAYER)
def think(world: World, actor: Character, text: str) -> list[Event]:
    """Think something to yourself; nobody else perceives it."""
    return [Thought(actor.character_id, text)]


COMMANDS = (think,)
