"""Command-line options that several sub-commands share, and the settings in force: of the vault, options and edits."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from config.settings import MODEL_CHOICES, MODEL_PATTERN, SETTINGS_BY_NOTE, ServerSettings
from server.accounts.database import default_folder
from server.listeners import ANY_FREE
from vault.config_notes import Settings
from vault.errors import NoteError
from vault.vault import Vault, is_vault

LOG_FORMATS = ("text", "json")
LOG_LEVELS = ("debug", "info", "warning", "error")


def add_vault_option(parser: argparse.ArgumentParser, about: str = "the folder of the world (./world)") -> None:
    """Declare `--vault`."""
    parser.add_argument("--vault", type=Path, metavar="DIR", help=about)


def add_accounts_option(parser: argparse.ArgumentParser) -> None:
    """Declare `--accounts`."""
    parser.add_argument(
        "--accounts", type=Path, metavar="DIR", help="the folder of the accounts (beside the vault, VAULT.accounts)"
    )


def add_serve_options(serve: argparse.ArgumentParser) -> None:
    """Declare the options that override settings."""
    serve.add_argument("--port", type=int, metavar="N", help="the telnet port, 0 for any free one (config/server.md)")
    serve.add_argument("--host", metavar="ADDRESS", help="the address to listen on (config/server.md)")
    serve.add_argument("--tls-port", type=int, metavar="N", help="a port for telnet over TLS too, 0 for any free one")
    serve.add_argument("--web-port", type=int, metavar="N", help="the port of the page, 0 for any free one")
    serve.add_argument("--model", metavar="M", help="auto, embedded, none, ollama:NAME or gguf:FILE (config/models.md)")
    serve.add_argument("--log-format", choices=LOG_FORMATS, help="how the log is written (config/server.md)")
    serve.add_argument("--log-level", choices=LOG_LEVELS, help="what is worth a line in the log (config/server.md)")
    serve.add_argument(
        "--metrics-port",
        type=int,
        metavar="N",
        help="the HTTP port for metrics and health, 0 for none, -1 for any free one",
    )


def default_vault(here: Path) -> Path:
    """Return where the vault is when nobody says: `./world`, or beside it where that is this project's own package."""
    folder = here / "world"
    return here / "fallwater-world" if (folder / "__init__.py").exists() else folder


def vault_root(options: argparse.Namespace) -> Path:
    """Return the folder of the world, whether it is there or not."""
    return Path(options.vault or default_vault(Path.cwd())).absolute()


def existing_vault(options: argparse.Namespace) -> Vault:
    """Return the vault. Raises: NoteError if there is none."""
    vault = Vault(vault_root(options))
    if not is_vault(vault.root):
        raise NoteError(f"{vault.root}: there is no vault here. Name it with --vault.")
    return vault


def accounts_folder(vault: Vault, options: argparse.Namespace) -> Path:
    """Return where the accounts are kept. Raises: NoteError if that is in the vault."""
    folder = Path(options.accounts or default_folder(vault.root)).absolute()
    if folder.resolve().is_relative_to(vault.root):
        raise NoteError(
            f"--accounts is {folder}, which lies inside the vault {vault.root}: passwords do not belong in a folder "
            "that is opened, synced and shared. Give another one."
        )
    return folder


def with_options(settings: Settings, options: argparse.Namespace) -> Settings:
    """Return settings with what `serve` was asked for. Raises: NoteError."""
    return with_model(replace(settings, server=_server_with(settings.server, options)), options.model)


def with_model(settings: Settings, model: str | None) -> Settings:
    """Return settings with the model that was asked for, if one was. Raises: NoteError."""
    if model is None:
        return settings
    if not re.fullmatch(MODEL_PATTERN, model):
        raise NoteError(f"--model is {model!r}; expected {MODEL_CHOICES}.")
    return replace(settings, models=replace(settings.models, model=model), is_model_chosen=True)


def _server_with(server: ServerSettings, options: argparse.Namespace) -> ServerSettings:
    port, tls_port, web_port = options.port, options.tls_port, options.web_port
    metrics_port = options.metrics_port
    for name, given in (("--port", port), ("--tls-port", tls_port), ("--web-port", web_port)):
        if given is not None and not 0 <= given <= 65535:
            raise NoteError(f"{name} is {given}; expected a port from 0 to 65535.")
    if metrics_port is not None and not -1 <= metrics_port <= 65535:
        raise NoteError(
            f"--metrics-port is {metrics_port}; expected a port from 1 to 65535, 0 for none, or -1 for any free one."
        )
    return replace(
        server,
        host=options.host or server.host,
        port=server.port if port is None else port,
        tls_port=server.tls_port if tls_port is None else tls_port or ANY_FREE,
        web_port=server.web_port if web_port is None else web_port or ANY_FREE,
        log_format=options.log_format or server.log_format,
        log_level=options.log_level or server.log_level,
        metrics_port=server.metrics_port if metrics_port is None else metrics_port,
    )


LIVE_MODEL_SETTINGS = frozenset({"summary_style", "summary_temperature"})
"""The settings of the models that count for the next thought; the others count from the next start."""

_PARTS = {
    "server": "server",
    "world": "world",
    "agents": "agents",
    "models": "models",
    "memory_compaction": "memory",
    "colors": "colors",
}
"""The parts of `Settings` by the names of their notes."""

_AT_START = (
    "host port admin_name tls_port tls_host tls_certificate tls_key web_port web_host web_tls "
    "log_format log_level log_file log_megabytes log_files_kept metrics_port metrics_host"
)
NEEDS_RESTART = {
    "server": frozenset(_AT_START.split()),
    "models": frozenset(field.name for field in fields(SETTINGS_BY_NOTE["models"])) - LIVE_MODEL_SETTINGS,
    "memory_compaction": frozenset({"journal_fsync_ms", "max_compactions"}),
}
"""The settings that hold until the next start, by note; the command line may have set them."""


def merge_settings(in_force: Settings, before: Settings, now: Settings) -> tuple[Settings, list[str]]:
    """Return the settings to go on with, and a sentence for each that was edited and counts only from the next start.

    `before` and `now` are the settings of the notes before and after the edit.
    """
    messages: list[str] = []
    parts: dict[str, Any] = {}
    for note, part in _PARTS.items():
        mine, old, new = (getattr(one, part) for one in (in_force, before, now))
        later = NEEDS_RESTART.get(note, frozenset())
        parts[part] = replace(new, **{name: getattr(mine, name) for name in later})
        messages += [
            f"config/{note}.md: {name} counts from the next start." for name in _edited(old, new) if name in later
        ]
    return Settings(**parts, profiles=now.profiles, is_model_chosen=in_force.is_model_chosen), messages


def notes_edited(before: Settings, now: Settings) -> list[str]:
    """Return the sources of the notes in which something else is set than before."""
    edited = {note for note, part in _PARTS.items() if getattr(before, part) != getattr(now, part)}
    edited |= {"models"} if before.profiles != now.profiles else set()
    return [f"config/{note}.md" for note in _PARTS if note in edited]


def _edited(before: Any, now: Any) -> Iterator[str]:
    return (one.name for one in fields(before) if getattr(before, one.name) != getattr(now, one.name))
