"""What time it is in the world."""

from __future__ import annotations

from world.command import command
from world.events import Event, Saw
from world.model import Character, World
from world.scenes import time_of_day


@command("time", category="senses", for_agents=False)
def time(world: World, actor: Character) -> list[Event]:
    """Tell the day and the time in this world."""
    return [Saw(actor.character_id, time_of_day(world))]


COMMANDS = (time,)
