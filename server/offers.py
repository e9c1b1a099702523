"""The telnet options that a world offers: those that every one does, and those that are about this one."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from config.settings import ServerSettings
from server.telnet.compression import compression_option
from server.telnet.mssp import mssp_option
from server.telnet.negotiation import Option
from server.telnet.options import OPTIONS, Client


def offered(figures: Callable[[], Mapping[str, str]], settings: ServerSettings) -> tuple[Option[Client], ...]:
    """Return the rows for the next connection, in the order in which they are offered."""
    compression = (compression_option(),) if settings.compression else ()
    return (*OPTIONS, mssp_option(figures), *compression)
