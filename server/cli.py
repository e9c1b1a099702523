"""The command line: which vault, which port, which model; then run until told to stop."""

from __future__ import annotations

import argparse
import dataclasses
import gc
import os
import random
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Protocol

from twisted.internet.defer import Deferred
from twisted.internet.error import CannotListenError

from agents.memory.strategy import loaded_strategies
from agents.simulation.recording import SimulationError
from config.settings import MEGABYTE, ROLES, ServerSettings
from server.accounts.database import AccountDatabase, default_folder, read_accounts
from server.accounts.password_reset import first_admin, reset_password
from server.accounts.passwords import Argon2
from server.accounts.store import THREAD_BUSY_SECONDS, AccountStore, WriterThread
from server.app import Fallwater
from server.check.command import add_doctor_command, run_doctor
from server.check.vault import COMMANDS, add_vault_commands, run_vault_command
from server.lifecycle.preflight import ONLY_TRY, Preflight, Trial, cannot_open, read_all, why_not_again
from server.lifecycle.restart import inherited, reexec, this_program
from server.lifecycle.shutdown import ShutdownRequest
from server.lifecycle.systemd import SystemdNotifier
from server.model_option import with_model
from server.monitoring.health import Check, Verdict, unsaved, unwritable
from server.monitoring.logs import LogFile, capture_library_logs, write_log
from server.monitoring.options import add_operations_options, with_operations
from server.monitoring.watching import watch
from server.net.listeners import ANY_FREE, TELNET, ListeningReactor, Ports
from server.simulation import add_simulate_command, run_simulation
from vault.config_notes import Settings
from vault.errors import NoteError
from vault.memory.archive import put_by
from vault.vault import MARK, Vault, open_vault

LOOKS_AT_ALL = 100
"""Of so many times that the garbage collector looks at what is not new, once at everything; Python's own is 10."""


class Reactor(ListeningReactor, Protocol):
    """The part of a reactor that starting and ending needs."""

    def run(self) -> None: ...
    def stop(self) -> None: ...
    def callFromThread(self, callable: Callable[[], None]) -> None: ...
    def callWhenRunning(self, callable: Callable[[], object]) -> object: ...
    def addSystemEventTrigger(self, phase: str, event: str, callable: Callable[[], object]) -> object: ...


OnSignals = Callable[[Callable[[], None], Callable[[], None]], None]


def run(reactor: Reactor, arguments: Sequence[str] | None = None, on_signals: OnSignals = lambda *_: None) -> None:
    """Read the command line, open the vault and run until told to stop. Exits with 1 and one line if it cannot.

    `on_signals` is given, once the reactor runs, what is to be called when a signal asks the world to end, and what
    when one asks it to begin anew.
    """
    options = _parser().parse_args(arguments)
    write_log(getattr(options, "log_format", None) or "text")
    capture_library_logs()
    try:
        if options.command == "begin-anew":
            _begin_anew(options)
        elif options.command == "reset-password":
            _reset_password(options)
        elif options.command == "backup-accounts":
            _back_up_accounts(options)
        elif options.command == "simulate":
            sys.exit(run_simulation(options, lambda: default_vault(Path.cwd()), _say))
        elif options.command == "doctor":
            sys.exit(run_doctor(options, lambda: default_vault(Path.cwd()), _say))
        elif options.command in COMMANDS:
            sys.exit(run_vault_command(options, lambda: default_vault(Path.cwd()), _say))
        elif options.only_try:
            _try(options)
        else:
            _serve(reactor, options, on_signals)
    except (NoteError, SimulationError) as error:
        sys.exit(f"fallwater: {error}")


def default_vault(here: Path) -> Path:
    """Return where the vault is when nobody says: `./world`, or beside it where that is this project's own package."""
    folder = here / "world"
    return here / "fallwater-world" if (folder / "__init__.py").exists() else folder


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "fallwater", description="A text world in which language-model agents live beside people."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    serve = commands.add_parser("serve", help="open a world")
    serve.add_argument(
        "--vault", type=Path, metavar="DIR", help="the folder of the world; made if it does not exist (./world)"
    )
    serve.add_argument("--port", type=int, metavar="N", help="the telnet port, 0 for any free one (config/server.md)")
    serve.add_argument("--host", metavar="ADDRESS", help="the address to listen on (config/server.md)")
    serve.add_argument("--tls-port", type=int, metavar="N", help="a port for telnet over TLS too, 0 for any free one")
    serve.add_argument("--model", metavar="M", help="auto, embedded, none, ollama:NAME or gguf:FILE (config/models.md)")
    serve.add_argument(ONLY_TRY, action="store_true", help="see whether the world could be opened, and open none")
    _add_accounts_option(serve)
    add_operations_options(serve)
    reset = commands.add_parser("reset-password", help="give somebody a new one-time password, or a role")
    reset.add_argument("name", metavar="NAME", help="who has forgotten theirs")
    reset.add_argument("--role", choices=ROLES, default="", help="what they may do from now on (as before)")
    reset.add_argument("--vault", type=Path, metavar="DIR", help="the folder of the world (./world)")
    _add_accounts_option(reset)
    copy = commands.add_parser("backup-accounts", help="copy the accounts into one file, beside an open world or not")
    copy.add_argument("file", metavar="FILE", type=Path, help="the copy, which replaces one that is there")
    copy.add_argument("--vault", type=Path, metavar="DIR", help="the folder of the world (./world)")
    _add_accounts_option(copy)
    anew = commands.add_parser("begin-anew", help="put by what an agent remembers, while its world is closed")
    anew.add_argument("agent", metavar="AGENT", help="the name of its folder in agents/")
    anew.add_argument("--vault", type=Path, metavar="DIR", help="the folder of the world (./world)")
    anew.add_argument("--keep-archive", action="store_true", help="leave its archive where it is, and go on in it")
    add_simulate_command(commands)
    add_vault_commands(commands)
    add_doctor_command(commands)
    return parser


def _add_accounts_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--accounts", type=Path, metavar="DIR", help="the folder of the accounts (beside the vault, VAULT.accounts)"
    )


def _accounts_folder(vault: Vault, options: argparse.Namespace) -> Path:
    folder = (options.accounts or default_folder(vault.root)).absolute()
    if folder.resolve().is_relative_to(vault.root):
        raise NoteError(
            f"--accounts is {folder}, which lies inside the vault {vault.root}: passwords do not belong in a folder "
            "that is opened, synced and shared. Give another one."
        )
    return folder


def _log_file(vault: Vault, server: ServerSettings) -> LogFile | None:
    path = vault.root.parent / server.log_file
    return LogFile(path, server.log_megabytes * MEGABYTE, server.log_files_kept) if server.log_file else None


def _vault_there(options: argparse.Namespace) -> Vault:
    vault = Vault((options.vault or default_vault(Path.cwd())).absolute())
    if not (vault.root / MARK).is_file() and not vault.exists("rooms"):
        raise NoteError(f"{vault.root}: there is no vault here. Name it with --vault.")
    return vault


def _reset_password(options: argparse.Namespace) -> None:
    vault = _vault_there(options)
    new_role = loaded_strategies().load_settings(vault).server.new_role
    with closing(AccountDatabase(_accounts_folder(vault, options))) as database:
        _say(reset_password(database, vault, options.name, options.role, new_role, Argon2()))


def _back_up_accounts(options: argparse.Namespace) -> None:
    with closing(AccountDatabase(_accounts_folder(_vault_there(options), options))) as database:
        database.copy_to(options.file)
    _say(f"The accounts are in {options.file}. How to restore them is in docs/hosting.md.")


def _begin_anew(options: argparse.Namespace) -> None:
    vault = Vault(options.vault or default_vault(Path.cwd()))
    life = put_by(vault, options.agent, time.time_ns() // 1_000_000, archive=not options.keep_archive)
    _say(f"{options.agent} remembers nothing now. What it remembered is in {life}; move it back to undo this.")


def _try(options: argparse.Namespace) -> None:
    vault = _vault_there(options)
    folder = _accounts_folder(vault, options)
    read_all(
        vault,
        lambda: _with_options(loaded_strategies().load_settings(vault), options),
        lambda: read_accounts(folder),
        folder,
    )
    _say(f"The world in {vault.root} could be opened.")


def _serve(reactor: Reactor, options: argparse.Namespace, on_signals: OnSignals) -> None:
    vault, made = open_vault((options.vault or default_vault(Path.cwd())).absolute())
    written = loaded_strategies().load_settings(vault)
    settings = _with_options(written, options)
    write_log(settings.server.log_format, settings.server.log_level, _log_file(vault, settings.server))
    accounts_folder = _accounts_folder(vault, options)
    database = AccountDatabase(accounts_folder)
    accounts = AccountStore(database, WriterThread(reactor.callFromThread))
    fallwater = Fallwater(
        vault,
        settings,
        reactor,
        random.Random(),
        lambda: time.time_ns() // 1_000_000,
        _say,
        reactor.callFromThread,
        accounts,
        written,
        lambda restart: rehearsal() if restart else ending.close(),
    )
    if told := first_admin(database, vault, settings.server.admin_name, Argon2()):
        accounts.read_now()
        _say(told)
    database.wait_at_most(THREAD_BUSY_SECONDS)
    ending = ShutdownRequest(reactor.stop)
    # Looking through a big world and hundreds of sessions for what nobody needs stops it for up to 50 ms at a time.
    gc.set_threshold(*gc.get_threshold()[:2], LOOKS_AT_ALL)
    gc.collect()
    gc.freeze()
    failures: list[str] = []

    given = inherited(os.environ, os.getpid())
    ports, supervisor = Ports(reactor, given.sockets, given.asked), SystemdNotifier(os.environ, os.getpid(), reactor)

    trial = Trial(this_program())

    def prepare_check() -> Callable[[], str]:
        saving, now_open = unsaved(fallwater.watched), ports.snapshot()
        return lambda: (
            "; ".join(Verdict((Check("vault", unwritable(vault)), *saving.checks)).reasons)
            or why_not_again(
                vault,
                lambda: _with_options(loaded_strategies().load_settings(vault), options),
                fallwater.game.commands,
                lambda: read_accounts(accounts_folder),
                accounts_folder,
                now_open,
            )
            or trial.why_not()
        )

    rehearsal = Preflight(
        prepare_check,
        ending.restart,
        fallwater.refuse_restart,
    )

    def open_it() -> None:
        try:
            fallwater.listen(ports)
        except (CannotListenError, NoteError) as error:
            if isinstance(error, CannotListenError):
                failures.append(cannot_open(ports.failed, str(error.interface), int(error.port), error.socketError))
            else:
                failures.append(str(error))
            ending.close()
            return
        ports.let_go()
        address, to_type = ports.address(TELNET), " ".join(ports.address(TELNET).rsplit(":", 1))
        _say(f"{settings.world.name} is open on {address}. In another terminal, type:  telnet {to_type}")
        for sentence in fallwater.listeners.sentences if fallwater.listeners else ():
            _say(sentence)
        _say(f"Its vault is {vault.root}{', made just now' if made else ''}: open it in Obsidian or any editor.")
        fallwater.start()
        supervisor.is_open()

    def end() -> Deferred[None] | None:
        rehearsal.stop()
        trial.stop()
        if not fallwater.running:
            return None
        if ending.restarts:
            supervisor.restarts()
        else:
            supervisor.closes()
        return fallwater.stop(ending.restarts).addCallback(lambda _: follow())

    def follow() -> None:
        if ending.restarts and (failure := reexec(ports.kept, ports.asked)):
            failures.append(failure)

    reactor.addSystemEventTrigger("before", "shutdown", end)
    reactor.callWhenRunning(
        lambda: on_signals(lambda: reactor.callFromThread(ending.close), lambda: reactor.callFromThread(rehearsal))
    )
    watch(fallwater.watched, settings.server, reactor, _say)
    reactor.callWhenRunning(open_it)
    reactor.run()
    on_signals(
        lambda: None, lambda: None
    )  # the reactor has put back what there was before, which would end us in mid-sentence
    if failures:
        sys.exit(f"fallwater: {failures[0]}")
    if lost := sum(agent.memory.waiting for agent in fallwater.agents.values()):
        sys.exit(f"fallwater: {lost} memories could not be written and are lost; the lines above say why.")
    if accounts.waiting:
        sys.exit(f"fallwater: changes of accounts that could not be kept: {accounts.waiting}; the lines above say why.")
    _say("Everything is saved. Good-bye.")


def _with_options(settings: Settings, options: argparse.Namespace) -> Settings:
    server = dataclasses.replace(settings.server, host=options.host or settings.server.host)
    if options.port is not None:
        if not 0 <= options.port <= 65535:
            raise NoteError(f"--port is {options.port}; expected a port from 0 to 65535.")
        server = dataclasses.replace(server, port=options.port)
    if options.tls_port is not None:
        if not 0 <= options.tls_port <= 65535:
            raise NoteError(f"--tls-port is {options.tls_port}; expected a port from 0 to 65535.")
        server = dataclasses.replace(server, tls_port=options.tls_port or ANY_FREE)
    server = with_operations(server, options)
    return with_model(dataclasses.replace(settings, server=server), options.model)


def _say(sentence: str) -> None:
    print(sentence, flush=True)
