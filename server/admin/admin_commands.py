"""The commands of admins for operations: save, back up, reload, announce, shut down, and read the audit log."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from twisted.internet.threads import deferToThread

from agents.commands.agent_commands import Possession, population_commands
from agents.population import Population
from config.settings import SETTINGS_BY_NOTE, ModelSettings
from config.validation import SettingsError, setting_names, settings_from
from server.accounts.accounts import Accounts
from server.admin.audit import DONE, AuditEntry, AuditLog
from server.admin.moderation import ModerationCommands
from server.admin.training_export import ExportCommands
from server.clock import DelayedCall, InThread, ReactorClock, cancel
from server.options import LIVE_MODEL_SETTINGS
from server.session.registry import SessionRegistry
from vault.backup import Backup
from vault.config_notes import Settings, given_settings, write_setting
from vault.errors import NoteError
from vault.vault import Vault
from world.command import command, commands_of
from world.entities import Character, Role
from world.errors import CommandError
from world.events import Announced, Event, Output
from world.game import Game
from world.parsing import is_number, suggestions
from world.world import World


class ConfigCommands:
    """The commands about settings; `settings` are those in force, `reload` as for `AdminServices`."""

    def __init__(self, vault: Vault, settings: Callable[[], Settings], reload: Callable[[], list[str]]) -> None:
        self._vault = vault
        self._settings = settings
        self._reload = reload

    @command("@show-config [<text>]", category="admin", role=Role.ADMIN, for_agents=False)
    def show_config(self, world: World, actor: Character, text: str = "") -> list[Event]:
        """Show the current settings with their meaning and source: @show-config models.

        Without a note, show all. The name of a setting shows that one.
        """
        return self._show(world, actor, text)

    def _show(self, world: World, actor: Character, text: str) -> list[Event]:
        wanted = text.lower().removesuffix(".md").removeprefix("config/")
        names = [name for name in SETTINGS_BY_NOTE if wanted in ("", name)]
        only = "" if names else wanted
        try:
            lines = [
                line
                for name in names or SETTINGS_BY_NOTE
                for line in _note_lines(world, self._vault, self._settings(), name, only)
            ]
        except (NoteError, SettingsError) as error:
            raise CommandError(str(error)) from error
        if not lines:
            notes = world.wording.join_and(list(SETTINGS_BY_NOTE))
            raise CommandError(world.wording("config.no_such", wanted=text, notes=notes))
        return [Output(actor.character_id, "\n".join(lines))]

    @command("@llm-config [<property>] [<text>]", category="models", role=Role.ADMIN, for_agents=False)
    def llm_config(self, world: World, actor: Character, property: str = "", text: str = "") -> list[Event]:
        """Change one setting of config/models.md: @llm-config timeout_seconds 60.

        Without a value, show it. Without a name, show all.
        """
        if not text:
            return self._show(world, actor, property or "models")
        known = setting_names(ModelSettings)
        if property not in known:
            close = world.wording.join_or(suggestions(property, known) or list(known))
            raise CommandError(world.wording("config.no_setting", wanted=property, names=close))
        try:
            write_setting(self._vault, "models", property, text)
        except NoteError as error:
            raise CommandError(str(error)) from error
        key = "config.set_now" if property in LIVE_MODEL_SETTINGS else "config.set_later"
        sentence = world.wording(key, name=property, value=text)
        return [Output(actor.character_id, "\n".join([sentence, *self._reload()]))]


def _note_lines(world: World, vault: Vault, settings: Settings, name: str, only: str = "") -> Iterator[str]:
    say = world.wording
    given = given_settings(vault, name)
    in_force = next(one for one in vars(settings).values() if isinstance(one, SETTINGS_BY_NOTE[name]))
    fresh = settings_from(type(in_force), given, f"config/{name}.md")
    fields: tuple[dataclasses.Field[Any], ...] = dataclasses.fields(in_force)
    for field in (field for field in fields if only in ("", field.name)):
        value = getattr(in_force, field.name)
        place = say("config.by_default")
        if field.name in given:
            key = "config.in_note" if value == getattr(fresh, field.name) else "config.in_note_later"
            place = say(key, note=f"config/{name}.md:{given[field.name].line}")
        elif value != field.default:
            place = say("config.at_the_start")
        shown, default = _shown(world, value), _shown(world, field.default)
        about = field.metadata["about"]
        yield say("config.setting", name=field.name, value=shown, about=about, default=default, place=place)


def _shown(world: World, value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) or world.wording("config.empty")


ANNOUNCED_SECONDS = (600, 300, 120, 60, 30, 10)
"""The seconds before the end at which it is announced again."""

MINUTE = 60


class Countdown:
    """Calls `end` when the time has come, and `tell` with the seconds that are left, now and then until then.

    Both are called with whether the world restarts. `was_announced` says that the time has come that was announced.
    """

    def __init__(self, clock: ReactorClock, tell: Callable[[int, bool], None], end: Callable[[bool], None]) -> None:
        self._clock = clock
        self._tell = tell
        self._end = end
        self._calls: list[DelayedCall] = []
        self.was_announced = False

    @property
    def is_running(self) -> bool:
        """True while the world is about to close."""
        return any(call.active() for call in self._calls)

    def start(self, seconds: int, restart: bool = False) -> None:
        """Start, or restart with another time; 0 ends it as soon as this line is answered."""
        self.stop()
        if seconds:
            self._tell(seconds, restart)
        for mark in (mark for mark in ANNOUNCED_SECONDS if mark < seconds):
            self._calls.append(self._clock.callLater(seconds - mark, self._tell, mark, restart))
        self._calls.append(self._clock.callLater(seconds, self._expire, seconds > 0, restart))

    def stop(self) -> bool:
        """Cancel the countdown; return whether it was running."""
        running, self.was_announced = self.is_running, False
        for call in self._calls:
            cancel(call)
        self._calls.clear()
        return running

    def _expire(self, was_announced: bool, restart: bool) -> None:
        self.was_announced = was_announced
        self._end(restart)


MAX_MINUTES = 1440
RESTART = "--restart"
DEFAULT_AUDIT_LINES = 20
MAX_AUDIT_LINES = 200


@dataclass(frozen=True)
class AdminServices:
    """The parts of a running world that admins look at and change.

    `save` writes all that is not on disk yet. `back_up` makes an archive, in another thread. `reload` reloads every
    edit and returns what is wrong. `close` ends the world in the next turn; its argument says whether it restarts.
    """

    game: Game
    registry: SessionRegistry
    accounts: Accounts
    agents: Population
    vault: Vault
    audit: AuditLog
    leading: Possession
    settings: Callable[[], Settings]
    clock: ReactorClock
    now_ms: Callable[[], int]
    save: Callable[[], None]
    back_up: Callable[[], Backup]
    reload: Callable[[], list[str]]
    close: Callable[[bool], None]
    in_thread: InThread = deferToThread

    def now(self) -> datetime:
        """Return the present time in UTC."""
        return datetime.fromtimestamp(self.now_ms() / 1000, UTC)


class AdminCommands:
    """The commands that save, back up, reload and close a world, and look at the audit log."""

    def __init__(self, services: AdminServices, countdown: Countdown) -> None:
        self._services = services
        self._countdown = countdown

    @command("@save", category="admin", role=Role.ADMIN, for_agents=False)
    def save(self, world: World, actor: Character) -> list[Event]:
        """Write everything to disk now, ahead of the autosave."""
        try:
            self._services.save()
        except NoteError as error:
            raise CommandError(str(error)) from error
        return [Output(actor.character_id, world.wording("admin.saved"))]

    @command("@backup", category="admin", role=Role.ADMIN, for_agents=False)
    def backup(self, world: World, actor: Character) -> list[Event]:
        """Back up the whole vault into a dated archive, while the world goes on."""
        say, who = world.wording, actor.character_id
        self._services.in_thread(self._services.back_up).addCallbacks(
            lambda backup: self._services.game.tell(who, say("admin.backed_up", path=backup)),
            lambda failure: self._services.game.tell(who, say("admin.not_backed_up", why=failure.getErrorMessage())),
        )
        return [Output(who, say("admin.backing_up"))]

    @command("@reload", category="admin", role=Role.ADMIN, for_agents=False)
    def reload(self, world: World, actor: Character) -> list[Event]:
        """Reload edited notes now, and report invalid ones."""
        problems = self._services.reload()
        return [Output(actor.character_id, "\n".join(problems) or world.wording("admin.reloaded"))]

    @command("@shutdown [<number>]", category="admin", role=Role.ADMIN, for_agents=False, visible_to="everyone")
    def shutdown(self, world: World, actor: Character, number: str = "") -> list[Event]:
        """Close the world now, or in some minutes: @shutdown 5. Everybody is warned; everything is saved.

        @shutdown --restart      restart now, with the program and the notes as installed
        @shutdown 5 --restart    restart in five minutes; any number will do
        @shutdown cancel         cancel it
        Players who reconnect after a restart are where they were; guests start over.
        """
        say, words = world.wording, number.split()
        restart = RESTART in words
        number = " ".join(word for word in words if word != RESTART)
        if number.lower() == "cancel":
            if not self._countdown.stop():
                raise CommandError(say("admin.not_closing"))
            return [Announced(actor.character_id, say("admin.stays_open", who=actor.name))]
        if number and not (is_number(number) and int(number) <= MAX_MINUTES):
            raise CommandError(say("admin.no_minutes", number=number, most=MAX_MINUTES))
        minutes = int(number or 0)
        self._countdown.start(MINUTE * minutes, restart)
        if minutes:
            return []  # everybody sees when
        return [Output(actor.character_id, say("admin.restarting") if restart else say("admin.closing"))]

    @command("@announce <text>", category="admin", role=Role.ADMIN, for_agents=False, visible_to="everyone")
    def announce(self, world: World, actor: Character, text: str) -> list[Event]:
        """Say something to everybody in the world, wherever they are."""
        return [Announced(actor.character_id, world.wording("admin.announcement", who=actor.name, text=text))]

    @command("@audit [<text>]", category="admin", role=Role.ADMIN, for_agents=False)
    def audit(self, world: World, actor: Character, text: str = "") -> list[Event]:
        """Show the newest commands of observers, builders and admins, and their results.

        @audit 50     the last 50; any number will do
        @audit Ana    by one name, or through one agent
        """
        count = min(int(text), MAX_AUDIT_LINES) if is_number(text) else DEFAULT_AUDIT_LINES
        try:
            uses = self._services.audit.last(max(count, 1), "" if is_number(text) else text)
        except NoteError as error:
            raise CommandError(str(error)) from error
        if not uses and text:
            raise CommandError(world.wording("admin.none_of", wanted=text))
        return [
            Output(actor.character_id, "\n".join(_use(world, one) for one in uses) or world.wording("admin.none_yet"))
        ]


def _use(world: World, use: AuditEntry) -> str:
    """Return a use as a line: time, person, address, line and result."""
    say = world.wording
    who = say("admin.through", who=use.who, agent=use.through) if use.through else use.who
    result = say("admin.done") if use.result == DONE else use.result
    key = "admin.use_from" if use.host else "admin.use"
    return say(key, at=use.at, who=who, host=use.host, line=use.line, result=result)


class Administration:
    """Adds the commands of admins to a game, and counts down to its end."""

    def __init__(self, services: AdminServices) -> None:
        self._game = game = services.game
        self.countdown = Countdown(services.clock, self._announce_end, services.close)
        for owner in (
            AdminCommands(services, self.countdown),
            ModerationCommands(services.accounts, services.registry, game.commands, services.now),
            ConfigCommands(services.vault, services.settings, services.reload),
            ExportCommands(
                services.agents,
                services.vault,
                game.tell,
                lambda: f"{services.now():%Y-%m-%d %H%M%S}",
                services.in_thread,
            ),
        ):
            game.commands.add(commands_of(owner))
        game.commands.add(population_commands(services.agents, services.leading))

    def cancel_restart(self) -> None:
        """Tell everybody that the world does not restart after all, if they saw that it would by now."""
        if self.countdown.was_announced:
            self.countdown.stop()
            self._game.publish((Announced("", self._game.world.wording("admin.does_not_restart")),))

    def _announce_end(self, seconds: int, restart: bool) -> None:
        say = self._game.world.wording
        minutes = seconds // MINUTE
        if seconds < MINUTE:
            time = say("admin.some_seconds", count=seconds)
        else:
            time = say("admin.one_minute") if minutes == 1 else say("admin.some_minutes", count=minutes)
        sentence = say("admin.restarting_in", time=time) if restart else say("admin.closing_in", time=time)
        self._game.publish((Announced("", sentence),))
