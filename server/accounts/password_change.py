"""Changing a password: the command `@password`, and the dialogue in which no password is part of a typed line."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from server.accounts.passwords import PasswordOutcome
from server.accounts.prompts import LoginServices, LoginView, NewPassword, Prompts
from world.command import Command, command
from world.entities import Character, Role
from world.errors import CommandError
from world.events import Event
from world.world import World


@dataclass(frozen=True)
class PasswordChangeRequested(Event):
    """The actor wants another password: its own, or one for one time for `name`. Its session does the rest."""

    audience = "actor"

    name: str = ""


@command("@password [<text>]", category="self", for_agents=False)
def password(world: World, actor: Character, text: str = "") -> list[Event]:
    """Change your password: type @password alone, and you are asked for the old one and a new one.

    An admin gives somebody whose password is set a password for one time with @password Ana.
    """
    if actor.is_agent or actor.role is Role.GUEST:
        raise CommandError(world.wording("door.has_no_password"))
    if text and actor.role < Role.ADMIN:
        # Not repeated: it may be a password that somebody has typed where everybody would see it scroll by.
        raise CommandError(world.wording("door.password_alone"))
    return [PasswordChangeRequested(actor.character_id, text)]


ACCOUNT_COMMANDS: tuple[Command, ...] = (password,)


class PasswordChange:
    """Asks a player for both passwords; `over` is called with what to say when it has come to an end."""

    def __init__(self, caller: LoginView, services: LoginServices, name: str, over: Callable[[str], None]) -> None:
        self._caller = caller
        self._services = services
        self._name = name
        self._over = over
        self._prompts = Prompts(caller, services)
        self._prompts.ask("door.ask_old_password", self._tried, hidden=True)

    @property
    def prompt(self) -> str:
        """What is asked now; empty while something is looked at."""
        return self._prompts.prompt

    def line_received(self, text: str) -> None:
        """Take an answer."""
        self._prompts.line_received(text)

    def stop(self) -> None:
        """Forget the player, who has gone."""
        self._prompts.stop()

    def _tried(self, password: str) -> None:
        if not password:
            self._give_up()
            return
        if seconds := self._services.authenticator.seconds(self._name, self._caller.host):
            self._caller.show(self._services.wording()("door.must_wait", seconds=math.ceil(seconds)))
        attempt = self._services.authenticator.attempt(self._name, password, self._caller.host)
        self._prompts.wait_for(attempt, self._judged, self._over)

    def _judged(self, outcome: PasswordOutcome) -> None:
        if outcome is not PasswordOutcome.RIGHT:
            self._over(self._services.wording()("door.not_changed_wrong"))
            return
        NewPassword(
            self._prompts,
            self._caller,
            self._services,
            self._name,
            lambda kept: self._prompts.wait_for(
                self._services.accounts.set_password(self._name, kept),
                lambda _: self._over(self._services.wording()("door.password_changed")),
                self._over,
            ),
            self._give_up,
        ).ask("door.ask_new_password")

    def _give_up(self) -> None:
        self._over(self._services.wording()("door.password_unchanged"))
