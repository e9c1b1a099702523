"""The scene of an agent in its prompt: in full, in one line for a small model, or in a sentence for a talk."""

from __future__ import annotations

from world.command import CommandTable
from world.entities import Character
from world.game_time import MINUTES_PER_DAY
from world.room_view import describe_room, exits_line, inventory_line, items_line, people_line, time_line
from world.world import World

LONG_MINUTES = 45
"""Minutes of doing nothing after which an agent is told of it."""


def command_list(table: CommandTable, actor: Character) -> str:
    """Return the commands that agents are shown, a line each."""
    return "\n".join(f"{one.usage} - {table.summary_of(one)}" for one in table if one.is_listed_for(actor))


def scene_text(world: World, actor: Character, idle_ms: int = 0) -> str:
    """Return where an agent is at this moment: time, place, company, things and exits, a line each.

    `idle_ms` is the time since it last did anything, in milliseconds; the scene mentions it when that is long.
    """
    room = world.room_of(actor)
    lines = [
        f"{time_line(world)} {_in_room(world, actor)} {describe_room(room, world).replace(chr(10), ' ')}",
        idle_text(world, idle_ms),
        items_line(world, actor),
        inventory_line(world, actor),
        people_line(world, actor) or world.wording("talk.alone"),
        exits_line(world, actor),
    ]
    return "\n".join(line for line in lines if line)


def idle_text(world: World, idle_ms: int) -> str:
    """Return since when an agent has done nothing as a sentence, or an empty string if that is not long."""
    minutes = idle_ms // 60_000
    if minutes < LONG_MINUTES:
        return ""
    hours, days = minutes // 60, minutes // MINUTES_PER_DAY
    key, count = ("days", days) if days > 1 else ("hours", hours) if hours > 1 else ("minutes", minutes)
    return world.wording(f"life.idle_{key}", count=count)


def place_text(world: World, actor: Character) -> str:
    """Return the same in one line without the description; a small model talks about the last thing it read."""
    parts = [
        _in_room(world, actor),
        items_line(world, actor),
        inventory_line(world, actor),
        people_line(world, actor),
        exits_line(world, actor),
    ]
    return f"[{' '.join(part for part in parts if part)}]"


def here_text(world: World, actor: Character) -> str:
    """Return where the agent is, with whom and what it carries, for a talk: a small model speaks of what it reads."""
    parts = [
        world.wording("talk.place", room=world.room_of(actor).name, part=world.wording(f"life.at_{world.time.part}")),
        people_line(world, actor),
        inventory_line(world, actor),
    ]
    return " ".join(part for part in parts if part)


def _in_room(world: World, actor: Character) -> str:
    return world.wording("talk.in_room", room=world.room_of(actor).name)
