"""The commands with which admins run a world: save it, back it up, take in edits, close it, look at the log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThread

from agents.commands.agent_commands import Possession, population_commands
from agents.commands.thought_commands import thought_commands
from agents.population import Population
from server.accounts.accounts import Accounts
from server.admin.audit import DONE, Audit, Use
from server.admin.config_commands import config_commands
from server.admin.moderation import ModerationServices, moderation_commands
from server.admin.training_export import export_commands
from server.clock import DelayedCall, ReactorClock
from server.session.registry import SessionRegistry
from vault.backup import Backup
from vault.config_notes import Settings
from vault.errors import NoteError
from vault.vault import Vault
from world.command import Command, command
from world.entities import Character, Role
from world.errors import CommandError
from world.events import Announced, Event, Output
from world.game import Game
from world.parsing import is_number
from world.world import World

MARKS = (600, 300, 120, 60, 30, 10)
"""How many seconds before the end everybody is told again."""

Tell = Callable[[int, bool], None]


class Countdown:
    """Calls `end` when the time has come, and `tell` with the seconds that are left, now and then until then.

    Both are told whether the world is to restart. `was_told` says that the time has come that everybody was told of.
    """

    def __init__(self, clock: ReactorClock, tell: Tell, end: Callable[[bool], None]) -> None:
        self._clock = clock
        self._tell = tell
        self._end = end
        self._calls: list[DelayedCall] = []
        self.was_told = False

    @property
    def is_running(self) -> bool:
        """Whether the world is about to close."""
        return any(call.active() for call in self._calls)

    def start(self, seconds: int, restart: bool = False) -> None:
        """Begin, or begin anew with another time; 0 ends it as soon as this line is answered."""
        self.stop()
        if seconds:
            self._tell(seconds, restart)
        for mark in (mark for mark in MARKS if mark < seconds):
            self._calls.append(self._clock.callLater(seconds - mark, self._tell, mark, restart))
        self._calls.append(self._clock.callLater(seconds, self._come, seconds > 0, restart))

    def stop(self) -> bool:
        """Let the world stay open; return whether it was about to close."""
        running, self.was_told = self.is_running, False
        for call in self._calls:
            if call.active():
                call.cancel()
        self._calls.clear()
        return running

    def _come(self, was_told: bool, restart: bool) -> None:
        self.was_told = was_told
        self._end(restart)


MOST_MINUTES = 1440
RESTART = "--restart"
AUDITED = 20
MOST_AUDITED = 200
LONGEST_SHOWN = 300
"""How many characters are shown of a line in the log, and of what came of it."""


@dataclass(frozen=True)
class AdminServices:
    """What can be done to a running world.

    `save` writes all that is not on disk yet. `back_up` makes an archive elsewhere than in the reactor's thread and
    fires with what it has. `take_in` takes in every edit and returns what is wrong. `tell` reaches one character.
    """

    save: Callable[[], None]
    back_up: Callable[[], Deferred[Backup]]
    take_in: Callable[[], list[str]]
    tell: Callable[[str, str], None]
    countdown: Countdown
    audit: Audit


def admin_commands(steward: AdminServices) -> tuple[Command, ...]:
    """Return the commands for a running world."""

    @command("@save", category="admin", role=Role.ADMIN, for_agents=False)
    def save(world: World, actor: Character) -> list[Event]:
        """Write everything to disk now. It is written by itself all the time; this makes sure."""
        try:
            steward.save()
        except NoteError as error:
            raise CommandError(str(error)) from error
        return [Output(actor.character_id, world.wording("admin.saved"))]

    @command("@backup", category="admin", role=Role.ADMIN, for_agents=False)
    def backup(world: World, actor: Character) -> list[Event]:
        """Put the whole vault into an archive with the date in its name; the world goes on meanwhile."""
        say, who = world.wording, actor.character_id
        steward.back_up().addCallbacks(
            lambda backup: steward.tell(who, say("admin.backed_up", path=backup)),
            lambda failure: steward.tell(who, say("admin.not_backed_up", why=failure.getErrorMessage())),
        )
        return [Output(who, say("admin.backing_up"))]

    @command("@reload", category="admin", role=Role.ADMIN, for_agents=False)
    def reload(world: World, actor: Character) -> list[Event]:
        """Take in what was edited in the vault, as it is done by itself, and say what is wrong with it."""
        problems = steward.take_in()
        return [Output(actor.character_id, "\n".join(problems) or world.wording("admin.reloaded"))]

    @command("@shutdown [<number>]", category="admin", role=Role.ADMIN, for_agents=False, visible_to="everyone")
    def shutdown(world: World, actor: Character, number: str = "") -> list[Event]:
        """Close the world, at once or in so many minutes: @shutdown 5. Everybody is told, and everything is saved.

        @shutdown --restart      begin anew at once, with the program and the notes as they are now
        @shutdown 5 --restart    the same in so many minutes
        @shutdown cancel         let it stay open after all
        Whoever connects again after a restart is where they were; guests begin anew.
        """
        say, words = world.wording, number.split()
        restart = RESTART in words
        number = " ".join(word for word in words if word != RESTART)
        if number.lower() == "cancel":
            if not steward.countdown.stop():
                raise CommandError(say("admin.not_closing"))
            return [Announced(actor.character_id, say("admin.stays_open", who=actor.name))]
        if number and not (is_number(number) and int(number) <= MOST_MINUTES):
            raise CommandError(say("admin.no_minutes", number=number, most=MOST_MINUTES))
        minutes = int(number or 0)
        steward.countdown.start(60 * minutes, restart)
        if minutes:
            return []  # everybody is told when
        return [Output(actor.character_id, say("admin.restarting") if restart else say("admin.closing"))]

    @command("@announce <text>", category="admin", role=Role.ADMIN, for_agents=False, visible_to="everyone")
    def announce(world: World, actor: Character, text: str) -> list[Event]:
        """Say something to everybody in the world, wherever they are."""
        return [Announced(actor.character_id, world.wording("admin.announcement", who=actor.name, text=text))]

    @command("@audit [<text>]", category="admin", role=Role.ADMIN, for_agents=False)
    def audit(world: World, actor: Character, text: str = "") -> list[Event]:
        """Show who used commands of builders and admins of late, and what came of it.

        @audit 50     the last so many
        @audit Ana    those of one name, or through one agent
        """
        count = min(int(text), MOST_AUDITED) if is_number(text) else AUDITED
        try:
            uses = steward.audit.last(max(count, 1), "" if is_number(text) else text)
        except NoteError as error:
            raise CommandError(str(error)) from error
        if not uses and text:
            raise CommandError(world.wording("admin.none_of", wanted=text))
        return [
            Output(actor.character_id, "\n".join(_use(world, one) for one in uses) or world.wording("admin.none_yet"))
        ]

    return (save, backup, reload, shutdown, announce, audit)


def _use(world: World, use: Use) -> str:
    """Return a use as a line: when, who, from where, what, and what came of it."""
    say = world.wording
    who = say("admin.through", who=use.who, agent=use.through) if use.through else use.who
    result = say("admin.done") if use.result == DONE else use.result
    key = "admin.use_from" if use.host else "admin.use"
    return say(key, at=use.at, who=who, host=use.host, line=_brief(use.line), result=_brief(result))


def _brief(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]} …"


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
        leading: Possession,
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
