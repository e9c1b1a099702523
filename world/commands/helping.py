"""Help: made from the table of commands itself, so that it cannot be wrong about it."""

from __future__ import annotations

from itertools import groupby

from world.command import Command, CommandTable, command
from world.errors import CommandError
from world.events import Event, Saw
from world.matching import suggestions
from world.model import Character, World


def help_commands(table: CommandTable) -> tuple[Command, ...]:
    """Return the commands that explain a table."""

    @command("help [<topic>]", "h", category="help", for_agents=False)
    def help_(world: World, actor: Character, topic: str = "") -> list[Event]:
        """Explain a command or a category of commands.

        help            the categories
        help look       one command
        """
        text = _about(world, table, actor, topic.lower()) if topic else _overview(world, table, actor)
        return [Saw(actor.character_id, text)]

    @command("commands", category="help", for_agents=False)
    def commands(world: World, actor: Character) -> list[Event]:
        """List every command that you can use, a line each."""
        lines = [f"{one.usage:<32} {one.summary}" for one in table.allowed(actor)]
        return [Saw(actor.character_id, "\n".join(lines))]

    return (help_, commands)


def _overview(world: World, table: CommandTable, actor: Character) -> str:
    allowed = sorted(table.allowed(actor), key=lambda one: one.category)
    lines = [
        f"{category}: {', '.join(one.verb for one in group)}"
        for category, group in groupby(allowed, key=lambda one: one.category)
    ]
    return "\n".join([*lines, world.wording("helping.more")])


def _about(world: World, table: CommandTable, actor: Character, topic: str) -> str:
    allowed = table.allowed(actor)
    for one in allowed:
        if topic in one.names:
            usages = [one.usage, *one.also]
            short = [world.wording("helping.also", names=", ".join(one.aliases))] if one.aliases else []
            return "\n".join([*usages, one.help, *short, world.wording(f"helping.noticed_by_{one.noticed}")])
    in_category = [one for one in allowed if one.category == topic]
    if in_category:
        return "\n".join(f"{one.usage:<32} {one.summary}" for one in in_category)
    close = suggestions(topic, [name for one in allowed for name in (*one.names, one.category)])
    if close:
        raise CommandError(world.wording("helping.did_you_mean", topic=topic, names=world.wording.any_of(close)))
    raise CommandError(world.wording("helping.no_help", topic=topic))
