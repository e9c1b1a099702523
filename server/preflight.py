"""Preflight: checks that the world can open again before a graceful restart."""

from __future__ import annotations

import errno
import logging
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import DEVNULL, PIPE, TimeoutExpired
from threading import Lock

from twisted.internet.defer import maybeDeferred
from twisted.internet.threads import deferToThread
from twisted.python.failure import Failure

from config.settings import ServerSettings
from server.clock import InThread
from server.listeners import TELNET, TLS, OpenPorts, address_for, bind_error
from server.session.registry import load_texts
from vault.config_notes import Settings
from vault.entities.load import load_world
from vault.entities.merge_base import MergeBase
from vault.errors import NoteError
from vault.vault import Vault
from world.sanitize import clean_line

MAX_TRIAL_SECONDS = 30.0
MAX_REASON_CHARACTERS = 400
"""Maximum length of the program's output that is shown, in characters."""

CHECK = "--check"
"""The option of `serve` with which nothing is opened: it ends with 0 if the world could be, else with what is wrong."""

_PREFIX = "fallwater: "
_PLACE = re.compile(r'^ *File "(?P<file>[^"\n]+)", line (?P<line>\d+)', re.MULTILINE)


class Trial:
    """Runs a command with `--check` behind it, and ends it if that takes longer than `seconds`.

    It waits, so it is for another thread than the reactor's.
    """

    def __init__(
        self,
        command: Sequence[str],
        seconds: float = MAX_TRIAL_SECONDS,
        start: Callable[..., subprocess.Popen[bytes]] = subprocess.Popen,
    ) -> None:
        self._command = [*command, CHECK]
        self._seconds = seconds
        self._start = start
        self._lock = Lock()
        self._running: subprocess.Popen[bytes] | None = None
        self._is_over = False

    def failure_reason(self) -> str:
        """Return why the program would not do, in one line; empty if it would."""
        with self._lock:
            if self._is_over:
                return ""
            try:
                self._running = running = self._start(self._command, stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE)
            except OSError as error:
                return f"{self._command[0]} cannot be executed: {error.strerror}."
        with running:
            try:
                _, said = running.communicate(timeout=self._seconds)
            except TimeoutExpired:
                running.kill()
                return f"the program was not loaded within {self._seconds:g} seconds."
        return reason(said.decode("utf-8", "replace"), running.returncode) if running.returncode else ""

    def stop(self) -> None:
        """Start no further trial, and end a running one: the world closes."""
        with self._lock:
            self._is_over = True
        if self._running:
            self._running.kill()


def reason(said: str, status: int) -> str:
    """Return the last output of a program that ended with a status, with the file and line where it failed."""
    lines = [line for line in said.splitlines() if line.strip()]
    if not lines:
        ended = f"by signal {-status}" if status < 0 else f"with status {status}"
        return f"the program cannot be loaded: it ended {ended} and said nothing."
    last = clean_line(lines[-1]).strip()[:MAX_REASON_CHARACTERS]
    if last.startswith(_PREFIX):
        return last.removeprefix(_PREFIX)
    places = _PLACE.findall(said)
    where = "{}:{}: ".format(*places[-1]) if places else ""
    return f"the program cannot be loaded: {where}{last}"


log = logging.getLogger(__name__)


class Preflight:
    """Checks whether the world could open again, then calls `restart`, or `refuse` with the reason.

    `prepare` is called in the reactor's thread, where alone the world may be read. It returns the check, which runs in
    another thread and returns the reason, empty if there is none. Asked again meanwhile, it goes on with what it does.
    After `stop` nothing comes of it any more.
    """

    def __init__(
        self,
        prepare: Callable[[], Callable[[], str]],
        restart: Callable[[], None],
        refuse: Callable[[str], None],
        in_thread: InThread = deferToThread,
    ) -> None:
        self._prepare = prepare
        self._restart = restart
        self._refuse = refuse
        self._in_thread = in_thread
        self._is_on = self._is_over = False

    def __call__(self) -> None:
        if not (self._is_on or self._is_over):
            self._is_on = True
            check = maybeDeferred(self._prepare)  # which fails as the check itself may
            check.addCallback(self._in_thread).addCallbacks(self._on_result, self._failed)

    def stop(self) -> None:
        """Ignore any result from now on: the world closes."""
        self._is_over = True

    def _on_result(self, why: str) -> None:
        self._is_on = False
        if self._is_over:
            return
        if why:
            self._refuse(why)
        else:
            self._restart()

    def _failed(self, failure: Failure) -> None:
        log.error("the check before a restart failed: %s", failure.getTraceback())
        self._on_result(failure.getErrorMessage())


def check_notes(vault: Vault, settings: Settings, folder: Path) -> None:
    """Read the notes that a world is opened with, and write nothing. Raises: NoteError.

    `folder` is where a certificate is looked for.
    """
    known = MergeBase()
    load_world(vault, settings.world, known)
    for source, why in known.broken.items():
        if source.startswith("rooms/"):  # it would open, but without what this world still has of it
            raise NoteError(why)
    load_texts(vault)
    server = settings.server
    if (server.tls_port or server.web_tls) and (server.tls_certificate or server.tls_key):
        from server.tls import paths_of, read_certificate  # a self-signed one is made again if need be

        read_certificate(*paths_of(server, folder))


def port_problem(settings: ServerSettings, ports: OpenPorts) -> str:
    """Return which port a world with these settings could not open in the place of this one's, empty if all."""
    for service in (TELNET, TLS) if settings.tls_port else (TELNET,):
        host, port = address_for(settings, service)
        if service in ports.adopted or ports.asked.get(service) == (host, port):
            continue
        # Of what we have ourselves only the address can be tried: it is let go of when that is opened.
        if failure := bind_error(host, 0 if port in ports.numbers else port):
            return port_error(service, host, port, failure)
    return ""


def port_error(service: str, host: str, port: int, error: object) -> str:
    """Return the sentence for a port that cannot be opened."""
    is_tls, why = service == TLS, getattr(error, "strerror", None) or error
    if getattr(error, "errno", None) in (errno.EADDRINUSE, errno.EACCES):
        remedy = f"Give another port with {'--tls-port' if is_tls else '--port'}, or 0 for any free one."
    else:
        remedy = f"Give an address of this machine{', as tls_host or host' if is_tls else ' with --host, or as host'}"
        remedy += " in config/server.md."
    return f"{host}:{port} cannot be opened: {why}. {remedy}"
