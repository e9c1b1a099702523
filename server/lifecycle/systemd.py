"""systemd: sockets that it opens for a service, and notifications of the service's state."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import MutableMapping

from twisted.python.systemd import ListenFDs

from server.clock import DelayedCall, ReactorClock, cancel
from server.net.listeners import TELNET, TLS, WEB

log = logging.getLogger(__name__)

_LISTEN = ("LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES")
_UNNAMED = "unknown"


def sockets_given(environ: MutableMapping[str, str]) -> dict[str, list[int]]:
    """Return the sockets that this process was started with, as descriptors by what is spoken there.

    They are called `telnet`, `tls` and `web`; of those with another name the first is for telnet. What says so is
    taken out of `environ`, so that no other program believes that it is meant.
    """
    count = environ.get("LISTEN_FDS", "")
    names = environ.get("LISTEN_FDNAMES") or ":".join([_UNNAMED] * (int(count) if count.isdecimal() else 0))
    descriptors = ListenFDs.fromEnvironment({**environ, "LISTEN_FDNAMES": names}).inheritedDescriptors()
    for variable in _LISTEN:
        environ.pop(variable, None)
    found: dict[str, list[int]] = {}
    for name, descriptor in zip(names.split(":"), descriptors, strict=False):
        service = name if name in (TELNET, TLS, WEB) else TELNET
        if service != name and TELNET in names.split(":") + list(found):
            log.warning("the socket called %r is not used; name it %s, %s or %s", name, TELNET, TLS, WEB)
            continue
        found.setdefault(service, []).append(descriptor)
    return found


class SystemdNotifier:
    """Tells systemd how the world is, if it wants to know; it asks by what it puts into `environ`.

    A sign of life is given twice in each span that a watchdog allows, for as long as the reactor turns.
    """

    def __init__(self, environ: MutableMapping[str, str], pid: int, clock: ReactorClock) -> None:
        self._address = environ.get("NOTIFY_SOCKET", "")
        self._clock = clock
        self._next: DelayedCall | None = None
        self._alive_seconds = _watchdog_seconds(environ, pid) / 2

    def is_open(self) -> None:
        """Players can come in."""
        self._tell("READY=1")
        if self._alive_seconds and self._address:
            self._live()

    def restarts(self) -> None:
        """The world restarts in the same process."""
        self._tell("RELOADING=1", f"MONOTONIC_USEC={time.monotonic_ns() // 1000}")

    def closes(self) -> None:
        """The world is about to end."""
        self._tell("STOPPING=1")
        cancel(self._next)

    def _live(self) -> None:
        self._tell("WATCHDOG=1")
        self._next = self._clock.callLater(self._alive_seconds, self._live)

    def _tell(self, *states: str) -> None:
        if not self._address.startswith(("/", "@")):
            return
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as notifier:
                notifier.setblocking(False)
                notifier.sendto("\n".join(states).encode(), address)
        except OSError as error:
            log.warning("cannot notify systemd of %s: %s", states[0], error)


def _watchdog_seconds(environ: MutableMapping[str, str], pid: int) -> float:
    micros = environ.get("WATCHDOG_USEC", "")
    is_meant = environ.get("WATCHDOG_PID", str(pid)) == str(pid)
    return int(micros) / 1e6 if micros.isdecimal() and is_meant else 0.0
