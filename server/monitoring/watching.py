"""Answering programs that watch a world, where its settings have a port for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from twisted.internet.threads import deferToThread

from config.settings import ServerSettings
from server.monitoring.health import MonitoredServer

if TYPE_CHECKING:
    from server.monitoring.http import HttpReactor


def watch(
    watched: MonitoredServer,
    settings: ServerSettings,
    reactor: HttpReactor,
    say: Callable[[str], None],
    in_thread: Callable[..., Any] = deferToThread,
) -> None:
    """Open the port once the reactor runs, and close it when it ends, after the world; nothing for port 0.

    The web server is imported only if it is wanted: it takes a tenth of the memory of an empty world.
    """
    if settings.metrics_port:
        from server.monitoring.http import MonitoringSite

        MonitoringSite(watched, reactor, say, in_thread).run(settings.metrics_host, settings.metrics_port)
