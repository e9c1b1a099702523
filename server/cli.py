"""The command line: its sub-commands, and how errors are reported."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from agents.memory.strategy import loaded_strategies
from agents.simulation.recording import SimulationError
from config.settings import ROLES
from server.accounts.database import AccountDatabase
from server.accounts.password_change import reset_password
from server.accounts.passwords import Argon2
from server.chronicle.command import add_chronicle_command, run_chronicle
from server.doctor import add_doctor_command, run_doctor
from server.experiments.command import add_sweep_commands, run_report, run_sweep
from server.logs import capture_library_logs, write_log
from server.options import (
    accounts_folder,
    add_accounts_option,
    add_serve_options,
    add_vault_option,
    existing_vault,
    vault_root,
)
from server.preflight import CHECK
from server.research.command import add_export_command, add_measure_command, run_export, run_measure
from server.runs.command import add_observe_command, run_observe
from server.serve import OnSignals, Reactor, ServedWorld, check_start
from server.simulate_command import add_simulate_command, run_simulation
from server.vault_check import add_vault_commands, run_import, run_vault_check
from vault.errors import NoteError
from vault.memory.archive import archive_memories
from vault.vault import Vault

Echo = Callable[[str], None]

PIPE_CLOSED = 141
"""The exit code of a program that wrote into a closed pipe, for shells."""


def run(reactor: Reactor, arguments: Sequence[str] | None = None, on_signals: OnSignals = lambda *_: None) -> None:
    """Read the command line and do what it asks. Exits with 1 and one line if that fails.

    `on_signals` is called once the reactor runs.
    """
    options = _parser().parse_args(arguments)
    write_log(getattr(options, "log_format", None) or "text")
    capture_library_logs()
    try:
        if options.command == "serve" and not options.check:
            ServedWorld(reactor, options, _echo).run(on_signals)
        elif options.command == "observe":
            run_observe(options, _echo, reactor)
        elif code := _COMMANDS[options.command](options, _echo):
            sys.exit(code)
    except (NoteError, SimulationError) as error:
        sys.exit(f"fallwater: {error}")
    except BrokenPipeError:  # as `| head` ends: what is left to be flushed goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(PIPE_CLOSED)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "fallwater", description="A text world in which language-model agents live beside people."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    serve = commands.add_parser("serve", help="open a world")
    add_vault_option(serve, "the folder of the world; made if it does not exist (./world)")
    add_serve_options(serve)
    check_help = "check whether the world could be opened, and open nothing"
    serve.add_argument(CHECK, dest="check", action="store_true", help=check_help)
    add_accounts_option(serve)
    reset = commands.add_parser("reset-password", help="give somebody a new one-time password, or a role")
    reset.add_argument("name", metavar="NAME", help="whose password is set")
    reset.add_argument("--role", choices=ROLES, default="", help="their new role (default: unchanged)")
    add_vault_option(reset)
    add_accounts_option(reset)
    copy = commands.add_parser("backup-accounts", help="copy the accounts into one file, with the world open or closed")
    copy.add_argument("file", metavar="FILE", type=Path, help="the copy; replaces an existing file")
    add_vault_option(copy)
    add_accounts_option(copy)
    forget = commands.add_parser("reset-agent", help="archive what an agent remembers, while its world is closed")
    forget.add_argument("agent", metavar="AGENT", help="the name of its folder in agents/")
    add_vault_option(forget)
    forget.add_argument("--keep-archive", action="store_true", help="leave its archive in place")
    add_simulate_command(commands)
    add_sweep_commands(commands)
    add_chronicle_command(commands)
    add_observe_command(commands)
    add_measure_command(commands)
    add_export_command(commands)
    add_vault_commands(commands)
    add_doctor_command(commands)
    return parser


def _check_start(options: argparse.Namespace, echo: Echo) -> int:
    echo(f"The world in {check_start(options).root} could be opened.")
    return 0


def _reset_password(options: argparse.Namespace, echo: Echo) -> int:
    vault = existing_vault(options)
    new_role = loaded_strategies().load_settings(vault).server.new_role
    with closing(AccountDatabase(accounts_folder(vault, options))) as database:
        echo(reset_password(database, vault, options.name, options.role, new_role, Argon2()))
    return 0


def _back_up_accounts(options: argparse.Namespace, echo: Echo) -> int:
    with closing(AccountDatabase(accounts_folder(existing_vault(options), options))) as database:
        database.copy_to(options.file)
    echo(f"The accounts are in {options.file}. How to restore them is in docs/hosting.md.")
    return 0


def _reset_agent(options: argparse.Namespace, echo: Echo) -> int:
    vault = Vault(vault_root(options))
    life = archive_memories(vault, options.agent, time.time_ns() // 1_000_000, archive=not options.keep_archive)
    echo(f"{options.agent} remembers nothing now. What it remembered is in {life}; move it back to undo this.")
    return 0


def _echo(sentence: str) -> None:
    print(sentence, flush=True)


_COMMANDS: dict[str, Callable[[argparse.Namespace, Echo], int]] = {
    "serve": _check_start,
    "reset-password": _reset_password,
    "backup-accounts": _back_up_accounts,
    "reset-agent": _reset_agent,
    "simulate": run_simulation,
    "sweep": run_sweep,
    "report": run_report,
    "chronicle": run_chronicle,
    "measure": run_measure,
    "export": run_export,
    "vault": run_vault_check,
    "import": run_import,
    "doctor": run_doctor,
}
