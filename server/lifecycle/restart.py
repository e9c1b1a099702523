"""Restarting in the same process, with the ports open all the while.

Whoever calls meanwhile waits in the sockets' queues, and is let in by the one that follows. The process keeps its
number, as whoever supervises it expects.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
from collections.abc import Callable, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from server.lifecycle.systemd import sockets_given
from server.net.listeners import AdoptedSockets, RequestedPorts

log = logging.getLogger(__name__)

STAGE_SECONDS = 0.4
"""How long each stage of closing may take before a restart: all of it within 2 seconds."""

VARIABLE = "FALLWATER_LISTENING"


@dataclass(frozen=True)
class Inherited:
    """Sockets that listen already; `asked` says of those that a world opened itself what its settings were."""

    sockets: AdoptedSockets = field(default_factory=dict)
    asked: RequestedPorts = field(default_factory=dict)


def inherited(environ: MutableMapping[str, str], pid: int) -> Inherited:
    """Return the sockets that this process has from the world before it, or else from systemd.

    What says so is taken out of `environ`.
    """
    from_systemd = sockets_given(environ)
    text = environ.pop(VARIABLE, "")
    try:
        kept = json.loads(text) if text else {}
        if kept.get("pid") != pid:  # another's, of whom we are a child
            return Inherited(from_systemd)
        sockets = {service: [int(one) for one in several] for service, several in kept["sockets"].items()}
        asked = {service: (str(host), int(port)) for service, (host, port) in kept["asked"].items()}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        log.warning("%s is not valid, so the ports are opened again: %s", VARIABLE, error)
        return Inherited(from_systemd)
    for descriptor in (one for several in sockets.values() for one in several):
        os.set_inheritable(descriptor, False)
    return Inherited(sockets, asked)


def this_program() -> list[str]:
    """Return the command that executes this program as it was started: with this Python, and all that was given."""
    return [sys.executable, *sys.orig_argv[1:]]


def reexec(
    sockets: AdoptedSockets,
    asked: RequestedPorts,
    environ: Mapping[str, str] = os.environ,
    execute: Callable[[str, list[str], dict[str, str]], Any] = os.execve,
) -> str:
    """Execute this program again in this process, which goes on listening on these sockets.

    Does not return unless that fails, and then why: the world is closed, with everything saved.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # nobody reads it any more
            stream.flush()
    for descriptor in (one for several in sockets.values() for one in several):
        os.set_inheritable(descriptor, True)
    kept = {
        "pid": os.getpid(),
        "sockets": {name: list(several) for name, several in sockets.items()},
        "asked": asked,
    }
    # A SIGHUP would end the next world until it handles signals. Blocked, it waits; ignored, it would stay ignored.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
    try:
        execute(sys.executable, this_program(), {**environ, VARIABLE: json.dumps(kept)})
        return ""
    except OSError as error:
        return f"the world is closed and cannot begin anew: {sys.executable} cannot be executed: {error.strerror}."
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
