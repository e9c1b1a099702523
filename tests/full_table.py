"""The table of every command there is, as the server makes it for a new world."""

from __future__ import annotations

from functools import cache

from server.vault_check import every_command
from world.command import CommandTable


@cache
def full_table() -> CommandTable:
    """Return the commands of the world, of agents and of the server, with what the starter vault says of them."""
    return every_command()
