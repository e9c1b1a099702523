"""The table of all commands of the world, and `help`, which is generated from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from world.command import Command, CommandTable, command
from world.commands import building, communication, editing, items, movement, preferences, senses
from world.commands.preferences import preference_commands
from world.entities import Character, Role
from world.errors import CommandError
from world.events import Event, Output
from world.parsing import suggestions
from world.preferences import uses_screen_reader
from world.world import World

MEMORY = "memory"
"""The category of the commands that look into memories."""

LINE_COLUMNS = 78
USAGE_COLUMNS = 32
"""The width of a list, and the part of it for usages, in columns."""

COMMANDS = (
    *(senses.look, senses.examine, senses.exits, senses.map_, senses.rooms),
    *(movement.go, movement.on, movement.back, movement.follow, movement.unfollow),
    *(communication.say, communication.emote, communication.whisper, communication.shout),
    *(communication.tell, communication.reply, communication.share, communication.unshare, communication.board),
    *(items.get, items.drop, items.give, items.inventory, items.put, items.read, items.write, items.use),
    communication.think,
    *(senses.who, senses.where, senses.lastseen, senses.quit_world),
    *(preferences.ignore, preferences.unignore),
    senses.time,
    *(building.dig, building.make_exit, building.remove_exit),
    *(editing.describe, editing.detail, editing.rename, editing.alias),
    *(building.create, building.destroy, building.teleport, building.undo, building.prune_missing),
    *(editing.set_property, editing.inspect),
)


def help_commands(table: CommandTable) -> tuple[Command, ...]:
    """Return the commands that explain a table."""

    @command("help [<topic>]", "h", category="help", for_agents=False)
    def help_(world: World, actor: Character, topic: str = "") -> list[Event]:
        """Explain a command, a category of commands or another topic.

        help            what to try first, and the categories
        help things     the commands of a category
        help look       one command
        """
        lines = _help_on(world, table, actor, topic.lower()) if topic else _overview(world, table, actor)
        return [Output(actor.character_id, "\n".join(lines), is_own=True)]

    @command("commands", category="help", for_agents=False)
    def commands(world: World, actor: Character) -> list[Event]:
        """List every command that you can use."""
        allowed = _listed_commands(table, actor)
        if uses_screen_reader(actor):
            groups = _by_category(allowed)
            lines = [f"{category}: {', '.join(one.verb for one in group)}" for category, group in groups]
        else:
            lines = in_columns(sorted((one.verb for one in allowed), key=lambda verb: (verb.startswith("@"), verb)))
        return [Output(actor.character_id, "\n".join(lines))]

    return (help_, commands)


def in_columns(words: list[str]) -> list[str]:
    """Return words in columns of one width, row by row, in lines that fit a screen of 80 columns."""
    width = max(map(len, words), default=0) + 2
    in_row = max(1, LINE_COLUMNS // width)
    rows = (words[start : start + in_row] for start in range(0, len(words), in_row))
    return ["".join(f"{word:<{width}}" for word in row).rstrip() for row in rows]


def _overview(world: World, table: CommandTable, actor: Character) -> list[str]:
    say = world.wording
    found = {
        category: say(f"helping.category_{category}") for category, _ in _by_category(_listed_commands(table, actor))
    }
    other = sorted(set(table.texts.topics) - set(found))
    return [
        say("helping.first"),
        *_pairs(actor, found.items(), 12),
        *([say("helping.topics", topics=", ".join(other))] if other else []),
        say("helping.more"),
    ]


def _help_on(world: World, table: CommandTable, actor: Character, topic: str) -> list[str]:
    allowed = table.allowed(actor)
    for one in allowed:
        if topic in table.names_of(one):
            return list(_command_help(world, table, one))
    in_category = [(one.usage, table.summary_of(one)) for one in allowed if one.category == topic]
    text = table.texts.topics.get(topic, "")
    if text or in_category:
        return [*([text] if text else []), *_pairs(actor, in_category, USAGE_COLUMNS)]
    names = [name for one in allowed for name in (*table.names_of(one), one.category)]
    close = suggestions(topic, [*names, *table.texts.topics])
    if close:
        raise CommandError(world.wording("helping.did_you_mean", topic=topic, names=world.wording.join_or(close)))
    raise CommandError(world.wording("helping.no_help", topic=topic))


def _command_help(world: World, table: CommandTable, one: Command) -> Iterator[str]:
    """Yield usages, help, other names, and who may and who notices if that is not what one expects."""
    say = world.wording
    yield from (one.usage, *one.also)
    yield table.help_of(one)
    if others := table.names_of(one)[1:]:
        yield say("helping.also", names=", ".join(others))
    if one.role > Role.PLAYER:
        yield say("helping.for_role", role=say(f"roles.{one.role.name.lower()}"))
    if one.visible_to != "nobody":
        yield say(f"helping.noticed_by_{one.visible_to}")


def _listed_commands(table: CommandTable, actor: Character) -> list[Command]:
    """Return the commands that help lists for somebody: only agents, observers and admins look into memories."""
    looks = actor.is_agent or actor.role.includes(Role.OBSERVER)
    return [one for one in table.allowed(actor) if looks or one.category != MEMORY]


def _by_category(commands: Iterable[Command]) -> Iterator[tuple[str, Iterator[Command]]]:
    return groupby(sorted(commands, key=lambda one: one.category), key=lambda one: one.category)


def _pairs(actor: Character, pairs: Iterable[tuple[str, str]], columns: int) -> list[str]:
    """Return pairs in two columns, or as sentences for who listens."""
    if uses_screen_reader(actor):
        return [f"{name}: {text}" for name, text in pairs]
    lines: list[str] = []
    for name, text in pairs:
        if len(name) > columns:  # on a line of its own, with its text in the column where the others have theirs
            lines.append(f"  {name}")
            name = ""
        lines.append(f"  {name:<{columns}} {text}")
    return lines


def world_commands() -> CommandTable:
    """Return a new table with every command of the world, help included."""
    table = CommandTable(COMMANDS)
    table.add(preference_commands(table))
    table.add(help_commands(table))
    return table
