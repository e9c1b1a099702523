"""The table of all commands of the world."""

from __future__ import annotations

from world.command import CommandTable
from world.commands import (
    building,
    containers,
    describing,
    hushing,
    inspecting,
    looking,
    making,
    mapping,
    mind,
    movement,
    paging,
    presence,
    setting,
    sharing,
    social,
    things,
    time,
    using,
)
from world.commands.comforts import comfort_commands
from world.commands.helping import help_commands


def world_commands() -> CommandTable:
    """Return a new table with every command of the world, help included."""
    modules = (
        looking,
        mapping,
        movement,
        social,
        paging,
        sharing,
        things,
        containers,
        using,
        mind,
        presence,
        hushing,
        time,
        building,
        describing,
        making,
        setting,
        inspecting,
    )
    table = CommandTable(one for module in modules for one in module.COMMANDS)
    table.add(comfort_commands(table))
    table.add(help_commands(table))
    return table
