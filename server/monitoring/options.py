"""What the command line says of the log and the figures; it wins over config/server.md."""

from __future__ import annotations

import argparse
from dataclasses import replace

from config.settings import ServerSettings
from vault.errors import NoteError

FORMS = ("text", "json")
LEVELS = ("debug", "info", "warning", "error")


def add_operations_options(serve: argparse.ArgumentParser) -> None:
    """Declare them."""
    serve.add_argument("--log-format", choices=FORMS, help="how the log is written (config/server.md)")
    serve.add_argument("--log-level", choices=LEVELS, help="what is worth a line in the log (config/server.md)")
    serve.add_argument(
        "--metrics-port",
        type=int,
        metavar="N",
        help="the HTTP port for figures and health, 0 for none, -1 for any free one",
    )


def with_operations(server: ServerSettings, options: argparse.Namespace) -> ServerSettings:
    """Return settings with what was asked for. Raises: NoteError."""
    port = options.metrics_port
    if port is not None and not -1 <= port <= 65535:
        raise NoteError(
            f"--metrics-port is {port}; expected a port from 1 to 65535, 0 for none, or -1 for any free one."
        )
    return replace(
        server,
        log_format=options.log_format or server.log_format,
        log_level=options.log_level or server.log_level,
        metrics_port=server.metrics_port if port is None else port,
    )
