"""Command-line options that several sub-commands share, and options that override the settings of a vault."""

from __future__ import annotations

import argparse
import re
from dataclasses import replace
from pathlib import Path

from config.settings import MODEL_CHOICES, MODEL_PATTERN, ServerSettings
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
