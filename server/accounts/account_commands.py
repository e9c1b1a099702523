"""The command with which somebody changes a password. No password is ever part of a line that is typed in the game."""

from __future__ import annotations

from dataclasses import dataclass

from world.command import Command, command
from world.entities import Character, Role
from world.errors import CommandError
from world.events import Event
from world.world import World


@dataclass(frozen=True)
class PasswordChangeRequested(Event):
    """The actor wants another password: its own, or one for one time for `name`. Its session does the rest."""

    reach = "actor"

    name: str = ""


@command("@password [<text>]", category="self", for_agents=False)
def password(world: World, actor: Character, text: str = "") -> list[Event]:
    """Change your password: type @password alone, and you are asked for the old one and a new one.

    An admin gives somebody who has forgotten theirs a password for one time with @password Ana.
    """
    if actor.is_agent or actor.role is Role.GUEST:
        raise CommandError(world.wording("door.has_no_password"))
    if text and actor.role < Role.ADMIN:
        # Not repeated: it may be a password that somebody has typed where everybody would see it scroll by.
        raise CommandError(world.wording("door.password_alone"))
    return [PasswordChangeRequested(actor.character_id, text)]


ACCOUNT_COMMANDS: tuple[Command, ...] = (password,)
