"""The sub-command `serve`: opens a world and runs it until it is stopped."""

from __future__ import annotations

import argparse
import gc
import os
import random
import sys
import time
from collections.abc import Callable
from typing import Protocol

from twisted.internet.defer import Deferred
from twisted.internet.error import CannotListenError

from agents.memory.strategy import loaded_strategies
from config.settings import MEGABYTE, ServerSettings
from server.accounts.database import AccountDatabase, read_accounts
from server.accounts.password_change import first_admin
from server.accounts.passwords import Argon2
from server.accounts.store import THREAD_BUSY_SECONDS, AccountStore, WriterThread
from server.app import Fallwater
from server.bridge import server_threads
from server.clock import Runtime
from server.health import check_write, unsaved_work
from server.listeners import TELNET, ListeningReactor, Ports
from server.logs import LogFile, write_log
from server.options import accounts_folder, existing_vault, vault_root, with_options
from server.preflight import Preflight, Trial, check_notes, port_error, port_problem
from server.restart import ShutdownRequest, SystemdNotifier, inherited_sockets, reexec, this_program
from server.vault_check import every_command
from vault.config_notes import Settings
from vault.errors import NoteError
from vault.message_notes import load_command_texts
from vault.vault import Vault, open_vault

FULL_COLLECTION_THRESHOLD = 100
"""Number of younger collections before the garbage collector looks at everything; Python's own is 10."""


class Reactor(ListeningReactor, Protocol):
    """The part of a reactor that starting and ending needs."""

    def run(self) -> None: ...
    def stop(self) -> None: ...
    def callFromThread(self, callable: Callable[[], None]) -> None: ...
    def callWhenRunning(self, callable: Callable[[], object]) -> object: ...
    def addSystemEventTrigger(self, phase: str, event: str, callable: Callable[[], object]) -> object: ...


OnSignals = Callable[[Callable[[], None], Callable[[], None]], None]
"""Installs handlers of signals: the first function closes the world, the second restarts it."""


def check_start(options: argparse.Namespace) -> Vault:
    """Return the vault if a world could be opened with these options; open and write nothing. Raises: NoteError."""
    vault = existing_vault(options)
    folder = accounts_folder(vault, options)
    check_notes(vault, with_options(loaded_strategies().load_settings(vault), options), folder)
    read_accounts(folder)
    load_command_texts(vault, every_command())
    return vault


class ServedWorld:
    """One world in one process. Raises: NoteError if it cannot be opened."""

    def __init__(self, reactor: Reactor, options: argparse.Namespace, echo: Callable[[str], None]) -> None:
        self._reactor = reactor
        self._options = options
        self._echo = echo
        self._failures: list[str] = []
        self._vault, self._is_new = open_vault(vault_root(options))
        written = loaded_strategies().load_settings(self._vault)
        self._settings = settings = with_options(written, options)
        write_log(settings.server.log_format, settings.server.log_level, _log_file(self._vault, settings.server))
        self._request = ShutdownRequest(reactor.stop)
        self._trial = Trial(this_program())
        self._threads = server_threads()
        self._accounts, self._world = self._make_world(written)
        self._preflight = Preflight(self._prepare_check, self._request.restart, self._world.refuse_restart)
        given = inherited_sockets(os.environ, os.getpid())
        self._ports = Ports(reactor, given.sockets, given.asked)
        self._systemd = SystemdNotifier(os.environ, os.getpid(), reactor)

    def run(self, on_signals: OnSignals) -> None:
        """Run the reactor until the world is closed, then say how that went. Exits with 1 and one line if it failed."""
        reactor = self._reactor
        _freeze_garbage()
        reactor.addSystemEventTrigger("before", "shutdown", self._end)
        reactor.callWhenRunning(
            lambda: on_signals(
                lambda: reactor.callFromThread(self._request.close), lambda: reactor.callFromThread(self._preflight)
            )
        )
        if port := self._settings.server.metrics_port:
            from server.metrics import MonitoringSite  # it takes a tenth of the memory of an empty world

            site = MonitoringSite(self._world.monitored, reactor, self._echo, self._threads.health)
            site.run(self._settings.server.metrics_host, port)
        reactor.callWhenRunning(self._open)
        reactor.run()
        # The reactor has put back what there was before, which would end us in mid-sentence.
        on_signals(lambda: None, lambda: None)
        self._tell_end()

    def _make_world(self, written: Settings) -> tuple[AccountStore, Fallwater]:
        reactor, settings = self._reactor, self._settings
        database = AccountDatabase(accounts_folder(self._vault, self._options))
        accounts = AccountStore(database, WriterThread(reactor.callFromThread))
        runtime = Runtime(
            reactor,
            random.Random(),
            lambda: time.time_ns() // 1_000_000,
            self._echo,
            reactor.callFromThread,
            lambda restart: self._preflight() if restart else self._request.close(),
            self._threads,
        )
        world = Fallwater(self._vault, settings, runtime, accounts, written)
        if startup_messages := first_admin(database, self._vault, settings.server.admin_name, Argon2()):
            accounts.read_now()
            self._echo(startup_messages)
        database.set_busy_timeout(THREAD_BUSY_SECONDS)
        return accounts, world

    def _prepare_check(self) -> Callable[[], str]:
        """Return a function, for another thread, that returns why the world could not open again; empty if it could."""
        not_saved, now_open = unsaved_work(self._world.monitored).reasons, self._ports.snapshot()

        def why_not() -> str:
            problem = check_write(self._vault)
            if problem or not_saved:
                return "; ".join([f"vault: {problem}"] * bool(problem) + not_saved)
            try:
                settings = with_options(loaded_strategies().load_settings(self._vault), self._options)
            except NoteError as error:
                return str(error)
            return port_problem(settings.server, now_open) or self._trial.failure_reason()

        return why_not

    def _open(self) -> None:
        ports, world, vault = self._ports, self._world, self._vault
        try:
            world.listen(ports)
        except CannotListenError as error:
            self._fail(port_error(ports.failed, str(error.interface), int(error.port), error.socketError))
            return
        except NoteError as error:
            self._fail(str(error))
            return
        ports.close_adopted()
        address, to_type = ports.address(TELNET), " ".join(ports.address(TELNET).rsplit(":", 1))
        self._echo(f"{self._settings.world.name} is open on {address}. In another terminal, type:  telnet {to_type}")
        for sentence in world.listeners.startup_messages if world.listeners else ():
            self._echo(sentence)
        made = ", made just now" if self._is_new else ""
        self._echo(f"Its vault is {vault.root}{made}: open it in Obsidian or any editor.")
        world.start()
        self._systemd.notify_ready()

    def _fail(self, why: str) -> None:
        self._failures.append(why)
        self._request.close()

    def _end(self) -> Deferred[None] | None:
        self._preflight.stop()
        self._trial.stop()
        if not self._world.running:
            return None
        restarts = self._request.restarts
        if restarts:
            self._systemd.notify_reloading()
        else:
            self._systemd.notify_stopping()
        return self._world.stop(restarts).addCallback(lambda _: self._follow())

    def _follow(self) -> None:
        if self._request.restarts and (failure := reexec(self._ports.kept_sockets, self._ports.asked)):
            self._failures.append(failure)

    def _tell_end(self) -> None:
        if self._failures:
            sys.exit(f"fallwater: {self._failures[0]}")
        if lost := sum(agent.memory.waiting for agent in self._world.agents.values()):
            sys.exit(f"fallwater: {lost} memories could not be written and are lost; the lines above say why.")
        if waiting := self._accounts.waiting:
            sys.exit(f"fallwater: changes of accounts that could not be kept: {waiting}; the lines above say why.")
        self._echo("Everything is saved. Good-bye.")


def _log_file(vault: Vault, server: ServerSettings) -> LogFile | None:
    path = vault.root.parent / server.log_file
    return LogFile(path, server.log_megabytes * MEGABYTE, server.log_files_kept) if server.log_file else None


def _freeze_garbage() -> None:
    """Look seldom through a big world and hundreds of sessions for what nobody needs: it stops all for up to 50 ms."""
    gc.set_threshold(*gc.get_threshold()[:2], FULL_COLLECTION_THRESHOLD)
    gc.collect()
    gc.freeze()
