"""Wiring: makes a running world of a vault."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import perf_counter

from twisted.internet.defer import Deferred

from agents.commands.agent_commands import Possession
from agents.commands.self_commands import own_commands
from agents.models.queue import ModelQueue
from agents.population import Population
from config.settings import MEGABYTE
from server.accounts.accounts import Accounts
from server.accounts.dialogue import LoginServices
from server.accounts.password_change import ACCOUNT_COMMANDS
from server.accounts.passwords import Authenticator, LoginThrottle, Passwords
from server.accounts.store import AccountStore
from server.admin.admin_commands import Administration, AdminServices
from server.admin.audit import AuditLog
from server.agent_scheduler import AgentScheduler
from server.autosave import FsyncSource, GroupCommit, WorldStore
from server.clock import Runtime, WorldClock, local_ms
from server.command_wiring import add_agent_commands
from server.connection.input import ConnectionServices
from server.health import MonitoredServer
from server.hot_reload import HotReload, ReloadTargets
from server.listeners import Listeners, Ports, limits_of
from server.observatory.observatory import observatory_of
from server.reload_timer import ReloadTimer, shortened
from server.restart import MAX_STAGE_SECONDS, SessionRestore, run_stages
from server.session.registry import SessionRegistry, load_texts, presence_by
from server.session.session import Session
from server.telnet.mssp import ServerStatus, as_text
from server.telnet.protocol import TelnetFactory, options_for
from server.web.door import WebDoor
from vault.backup import back_up
from vault.config_notes import Settings
from vault.errors import NoteError
from vault.message_notes import load_command_texts
from vault.vault import Vault
from world.commands.table import world_commands
from world.entities import Character, Role
from world.events import Left
from world.game import Game

log = logging.getLogger(__name__)

NOTES_FSYNC_MS = 50
"""Interval in which notes are forced to disk, in milliseconds, where each line of a journal is at once."""


class Fallwater:
    """A world with its people and agents, ready to be started.

    `written` are the settings as the notes have them, if the command line overrides some.
    """

    def __init__(
        self,
        vault: Vault,
        settings: Settings,
        runtime: Runtime,
        account_store: AccountStore,
        written: Settings | None = None,
    ) -> None:
        self.settings = settings
        self.running = False
        self._vault = vault
        self._reactor = runtime.reactor
        self._rng = runtime.rng
        self._now_ms = runtime.now_ms
        self._threads = runtime.threads
        self._accounts_folder = account_store.folder
        self._account_store = account_store
        self._ports: Ports | None = None
        self.listeners: Listeners | None = None
        self._make_world(runtime)
        self._add_commands()
        self._make_sessions()
        self._make_timers(runtime, written or settings)
        self._administration = self._make_administration(runtime.on_shutdown)
        self._subscribe()
        self._adopt(settings)
        self.monitored = self._make_monitored()
        # Last: the world's texts about commands are checked against all of them.
        self.game.commands.texts = load_command_texts(vault, self.game.commands, is_strict=False)

    def _make_world(self, runtime: Runtime) -> None:
        """Make the world, and the agents that live in it."""
        vault, settings, reactor, rng = self._vault, self.settings, self._reactor, self._rng
        self._world_store = WorldStore(vault, settings.world, self._tell_admins, reactor)
        self.world, most = self._world_store.world, settings.server.max_line_bytes
        self.game = Game(self.world, world_commands(), lambda times: rng.randrange(times) == 0, most, perf_counter)
        self._world_store.begin(self.game, self._now_ms, lambda: self.settings.world)
        self.agents = Population(vault, settings, self.game, rng, self._now_ms)
        self._scheduler = AgentScheduler(
            self.agents, lambda: self.settings, reactor, rng, runtime.echo, self._tell_admins
        )
        self.agents.on_born = self._scheduler.begin
        self.observatory = observatory_of(
            self.game,
            self.agents,
            self._scheduler,
            reactor,
            self._now_ms,
            self._world_store.chronicle,
            self._threads.readers,
        )

    def _make_sessions(self) -> None:
        """Make the parts that let people in, and decide their rights."""
        self.accounts = Accounts(self._account_store, self._vault, self.world, self.settings.server, self._now_ms)
        self.audit = self._make_audit()
        self.leading = Possession(self.game, self.audit.record_possessed_line)
        self.registry = SessionRegistry(
            self.game,
            self._make_login_services(),
            load_texts(self._vault),
            self._reactor,
            self.leading.perform,
            self._entered,
            self.audit.record_reset,
        )
        self._status = ServerStatus(
            self.world,
            lambda: len(self.registry.playing),
            lambda: self.settings,
            self._now_ms() // 1000,
            lambda: (self._ports.telnet_port, self._ports.tls_port) if self._ports else (0, 0),
        )
        self.world.presence = presence_by(self.registry.playing, self.accounts.last_seen, self._now_ms)
        self._services = ConnectionServices(
            self._reactor, lambda: self.settings.colors, self.registry.traffic["telnet"]
        )

    def _make_timers(self, runtime: Runtime, written: Settings) -> None:
        """Make the parts that run by themselves."""
        reactor, now_ms = self._reactor, self._now_ms
        fsync_ms = self.settings.memory.journal_fsync_ms or NOTES_FSYNC_MS
        self._group_commit = GroupCommit(self._written, fsync_ms, reactor, self._threads.commits)
        self._world_clock = WorldClock(
            self.game, lambda: self.settings.world, reactor, lambda: local_ms(now_ms()), self._own_rng()
        )
        self._hot_reload = self._make_hot_reload(written)
        self._reload_timer = ReloadTimer(self._vault, self._hot_reload, self._tell_admins, reactor, runtime.in_reactor)
        self._world_store.notes.take_edits = self._reload_timer.note_change
        self._session_restore = SessionRestore(
            self._vault, self.game, self.agents, self.registry, lambda: self.settings.server, now_ms
        )

    def _make_monitored(self) -> MonitoredServer:
        return MonitoredServer(
            self._vault,
            self.game,
            self.registry,
            self.agents,
            self._scheduler,
            self._group_commit,
            self._world_store,
            lambda: self.running,
            lambda: self._ports,
        )

    def _subscribe(self) -> None:
        """Connect everything that observes; notes, whereabouts and the board are saved by `WorldStore`."""
        self.game.subscribe("gmcp", self.registry.gmcp_updates.on_events, first=True)
        self.game.subscribe("leading", self.leading.on_events, (Left,), first=True)
        self.game.subscribe_lines("audit", self.audit.record_line, first=True)
        self.observatory.viewers.subscribe_looks(self.audit.record_look)
        self.game.subscribe_lines("speech", self.registry.speech.note_line, first=True)
        self._scheduler.speech_wait = self.registry.speech.wait_seconds
        self._scheduler.subscribe("gmcp", self.registry.gmcp_updates.tell_of_agent)

    def _make_audit(self) -> AuditLog:
        return AuditLog(
            self._accounts_folder / "audit",
            self.game,
            lambda character_id: self.registry.host_of(character_id),
            self._now_ms,
            lambda: self.settings.server.audit_megabytes * MEGABYTE,
            lambda: self.settings.server.audit_files_kept,
        )

    def _make_hot_reload(self, written: Settings) -> HotReload:
        targets = ReloadTargets(
            self.game,
            self.agents,
            self.registry,
            self._world_store.known,
            lambda: self.settings,
            self._adopt,
            self._scheduler.end,
            self._world_store.seen,
        )
        return HotReload(self._vault, targets, written)

    def _make_administration(self, on_shutdown: Callable[[bool], None]) -> Administration:
        services = AdminServices(
            self.game,
            self.registry,
            self.accounts,
            self.agents,
            self._vault,
            self.audit,
            self.leading,
            lambda: self.settings,
            self._reactor,
            self._now_ms,
            self._save_now,
            lambda: back_up(self._vault, self._now_ms(), self.settings.server.backups_kept),
            self._reload_now,
            on_shutdown,
        )
        return Administration(services)

    def _add_commands(self) -> None:
        scheduler, add = self._scheduler, self.game.commands.add
        add_agent_commands(self.game, self.agents, scheduler, self._now_ms, self.observatory.questions)
        add(ACCOUNT_COMMANDS)
        add(
            own_commands(
                self.agents,
                self._vault,
                self.game.publish,
                lambda: scheduler.queue_for("dreamer"),
                self._own_rng(),
                self._now_ms,
                self.settings.models.timeout_seconds,
            )
        )

    def _own_rng(self) -> random.Random:
        """Return a generator of its own for somebody, so that what one draws changes nothing for the others."""
        return random.Random(self._rng.getrandbits(64))

    def _written(self) -> list[FsyncSource]:
        return [*self._world_store.written, *(agent.memory.journal for agent in self.agents.values()), self._vault]

    def _make_login_services(self) -> LoginServices:
        passwords = Passwords(in_thread=self._threads.passwords)
        check = Authenticator(self.accounts, passwords, LoginThrottle(self._reactor), self._reactor)
        return LoginServices(
            self.accounts,
            passwords,
            check,
            self.settings.server,
            lambda: self.world.wording,
            lambda: as_text(self._status()),
        )

    def listen(self, ports: Ports) -> None:
        """Open the door, where the settings have it. Raises: CannotListenError if a port is taken, NoteError."""
        self._ports = ports
        self.listeners = Listeners(
            ports,
            self.registry.limiter,
            lambda: self.settings.server,
            self._accounts_folder,
            self._reactor,
            self._now_ms,
            self._tell_admins,
        )
        factory = TelnetFactory(
            lambda: Session(self.registry),
            self._services,
            lambda: limits_of(self.settings.server),
            lambda: options_for(self._status, self.settings.server.compression),
            lambda: self.settings.server.keep_alive_seconds,
        )
        pages = WebDoor(
            self.registry,
            self._services,
            lambda: self.settings.server,
            self._accounts_folder / "web",
            lambda: ports.web_port,
            lambda: self.settings.world.name,
            lambda: options_for(self._status, compression=False),
        )
        pages.observe = self.observatory.open
        self.listeners.open(factory, pages.factory)

    def start(self) -> None:
        """Begin to force memories to disk, and look for a model; agents wake when there is one."""
        self.running = True
        self.agents.write_pool.is_open = True
        self._world_store.start(self._reactor.seconds)
        self._group_commit.start()
        self._session_restore.resume()
        self._reload_timer.start()
        self._world_clock.start()
        self._account_store.watch(self._reactor)
        self._scheduler.start()
        self.observatory.start()

    def use_models(self, queues: Mapping[str, ModelQueue], later: Sequence[ModelQueue]) -> None:
        """Give the agents these models, and start nothing: somebody else says when they think."""
        self._scheduler.use_models(queues, later)

    def stop(self, restart: bool = False) -> Deferred[None]:
        """Close in stages, each bounded in time: people hear of it, thoughts end, everything is saved.

        For a `restart` the stages are short, callers wait in the sockets that are kept, and nobody falls asleep.
        """
        self.running = False
        seconds = float(self.settings.server.shutdown_seconds)
        if restart:
            seconds = min(seconds, MAX_STAGE_SECONDS)
        return run_stages(
            self._reactor,
            seconds,
            [
                ("closing the door", lambda: self._close_door(restart)),
                ("ending thoughts", self._end_thoughts),
                # Before saving: agents remember who left last, and what is said reaches a screen only in its own time.
                ("sending people home", lambda: self._send_home(restart)),
                ("saving", self.save),
                ("keeping the accounts", self._close_accounts),
            ],
            in_haste=restart,
        )

    def refuse_restart(self, why: str) -> None:
        """Go on although a restart was asked for, and tell admins why."""
        sentence = self.world.wording("admin.cannot_restart", why=why)
        log.error("%s", sentence)
        self._administration.cancel_restart()
        self._tell_admins(sentence)

    def _adopt(self, settings: Settings) -> None:
        """Go on with other settings."""
        self.settings = settings
        self.accounts.adopt(settings.server)
        self.registry.login_services = replace(self.registry.login_services, settings=settings.server)
        self.registry.gmcp_updates.places.area = settings.world.name
        self.world.crowd = settings.world.crowd
        self.game.max_line_bytes = settings.server.max_line_bytes
        self._scheduler.adopt_profiles()

    def _reload_now(self) -> list[str]:
        """Take in every edit now; return what is not valid."""
        self._reload_timer.reload_now()
        return self._hot_reload.problems

    def _save_now(self) -> None:
        """Force everything to disk while the world goes on. Raises: NoteError."""
        self._world_store.save()
        for agent in self.agents.values():
            agent.memory.write_pending()
            agent.memory.journal.sync()
        self._vault.sync()

    def _tell_admins(self, text: str) -> None:
        for character in self.world.awake():
            if character.role >= Role.ADMIN and not character.is_agent:
                self.game.tell(character.character_id, text)

    def _entered(self, character: Character) -> None:
        if self.listeners and self.listeners.warning and character.role >= Role.ADMIN:
            self.game.tell(character.character_id, self.listeners.warning)
        if character.role >= Role.ADMIN:
            for problem in shortened(self._hot_reload.problems):
                self.game.tell(character.character_id, problem)

    def _close_door(self, restart: bool) -> Deferred[None] | None:
        if self.listeners:
            self.listeners.close()
        say = self.world.wording
        self.registry.announce(say("admin.restarts") if restart else say("admin.closes"))
        return self._ports.close(restart) if self._ports else None

    def _send_home(self, restart: bool) -> Deferred[None] | None:
        self._session_restore.save_state(restart)
        return self.registry.send_home(self._session_restore.last_word if restart else None)

    def _end_thoughts(self) -> Deferred[None] | None:
        self._reload_timer.stop()
        self._world_clock.stop()
        self.observatory.stop()
        return self._scheduler.stop()

    def _close_accounts(self) -> Deferred[None]:
        if waiting := self._account_store.waiting:
            log.warning("changes of accounts that are not on disk yet: %s", waiting)
        return self._account_store.close()

    def save(self) -> None:
        """Save everything but the accounts: the world has come to its end."""
        self._group_commit.stop()
        self._world_store.close()
        self.agents.close()
        try:
            self._vault.sync()
        except NoteError as error:
            log.error("%s", error)
