"""The commands with which admins run a world from inside it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThread

from agents.commands.leading import Leading
from agents.commands.population_commands import population_commands
from agents.commands.thought_commands import thought_commands
from agents.population import Population
from server.accounts.accounts import Accounts
from server.admin.admin_commands import AdminServices, admin_commands
from server.admin.audit import Audit
from server.admin.config_commands import config_commands
from server.admin.countdown import Countdown
from server.admin.moderation import ModerationServices, moderation_commands
from server.admin.training_export import export_commands
from server.clock import ReactorClock
from server.session.registry import SessionRegistry
from vault.backup import Backup
from vault.config_notes import Settings
from vault.folder import Vault
from world.events import Announced
from world.game import Game

MINUTE = 60


class Administration:
    """Adds the commands of admins to a game.

    `save` writes what is not on disk yet, `back_up` makes an archive (it is called in another
    thread), `take_in` takes in edits and returns what is wrong, `close` ends the world in the next turn
    and is told whether it is to restart.
    """

    def __init__(
        self,
        game: Game,
        registry: SessionRegistry,
        accounts: Accounts,
        agents: Population,
        vault: Vault,
        audit: Audit,
        leading: Leading,
        settings: Callable[[], Settings],
        clock: ReactorClock,
        now_ms: Callable[[], int],
        save: Callable[[], None],
        back_up: Callable[[], Backup],
        take_in: Callable[[], list[str]],
        close: Callable[[bool], None],
        in_thread: Callable[..., Deferred[Any]] = deferToThread,
    ) -> None:
        self._game = game
        self.countdown = Countdown(clock, self._tell_of_the_end, close)
        steward = AdminServices(save, lambda: in_thread(back_up), take_in, game.tell, self.countdown, audit)

        def now() -> datetime:
            return datetime.fromtimestamp(now_ms() / 1000, UTC)

        game.commands.add(admin_commands(steward))
        game.commands.add(moderation_commands(ModerationServices(accounts, registry, game.commands, now)))
        game.commands.add(config_commands(vault, settings, take_in))
        game.commands.add(population_commands(agents, leading))
        game.commands.add(thought_commands(agents))
        game.commands.add(export_commands(agents, vault, game.tell, lambda: f"{now():%Y-%m-%d %H%M%S}", in_thread))

    def call_off(self) -> None:
        """Tell everybody that the world does not restart after all, if they were told that it would by now."""
        if self.countdown.was_told:
            self.countdown.stop()
            self._game.publish((Announced("", self._game.world.wording("admin.does_not_restart")),))

    def _tell_of_the_end(self, seconds: int, restart: bool) -> None:
        say = self._game.world.wording
        minutes = seconds // MINUTE
        if seconds < MINUTE:
            time = say("admin.some_seconds", count=seconds)
        else:
            time = say("admin.one_minute") if minutes == 1 else say("admin.some_minutes", count=minutes)
        told = say("admin.restarting_in", time=time) if restart else say("admin.closing_in", time=time)
        self._game.publish((Announced("", told),))
