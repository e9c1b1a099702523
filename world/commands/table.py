"""The table of all commands of the world, in the order in which help lists them."""

from __future__ import annotations

from world.command import CommandTable
from world.commands import building, communication, editing, items, movement, preferences, senses, who
from world.commands.help import help_commands
from world.commands.preferences import preference_commands

COMMANDS = (
    *(senses.look, senses.examine, senses.exits, senses.map_, senses.rooms),
    *(movement.go, movement.on, movement.back, movement.follow, movement.unfollow),
    *(communication.say, communication.emote, communication.whisper, communication.shout),
    *(communication.tell, communication.reply, communication.share, communication.unshare, communication.board),
    *(items.get, items.drop, items.give, items.inventory, items.put, items.read, items.write, items.use),
    communication.think,
    *(who.who, who.where, who.lastseen, who.quit_world),
    *(preferences.hush, preferences.unhush),
    senses.time,
    *(building.dig, building.make_exit, building.remove_exit),
    *(editing.describe, editing.detail, editing.rename, editing.alias),
    *(building.create, building.destroy, building.teleport, building.undo),
    *(editing.set_property, editing.inspect),
)


def world_commands() -> CommandTable:
    """Return a new table with every command of the world, help included."""
    table = CommandTable(COMMANDS)
    table.add(preference_commands(table))
    table.add(help_commands(table))
    return table
