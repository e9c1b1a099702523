"""Trying whether the program that a restart executes can be loaded, in a process of its own, before anything ends."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Sequence
from subprocess import DEVNULL, PIPE, TimeoutExpired
from threading import Lock

from world.sanitize import clean_line

TRIAL_SECONDS = 30.0
LONGEST = 400
"""How many characters are told of what the program said."""

ONLY_TRY = "--only-try"
"""The option of `serve` with which nothing is opened: it ends with 0 if the world could be, else with what is wrong."""

_PREFIX = "fallwater: "
_PLACE = re.compile(r'^ *File "(?P<file>[^"\n]+)", line (?P<line>\d+)', re.MULTILINE)


class Trial:
    """Runs a command with `--only-try` behind it, and ends it if that takes longer than so many seconds.

    It waits, so it is for another thread than the reactor's.
    """

    def __init__(
        self,
        command: Sequence[str],
        seconds: float = TRIAL_SECONDS,
        start: Callable[..., subprocess.Popen[bytes]] = subprocess.Popen,
    ) -> None:
        self._command = [*command, ONLY_TRY]
        self._seconds = seconds
        self._start = start
        self._lock = Lock()
        self._running: subprocess.Popen[bytes] | None = None
        self._is_over = False

    def why_not(self) -> str:
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
        """Try nothing any more: the world ends, whatever would come of it."""
        with self._lock:
            self._is_over = True
        if self._running:
            self._running.kill()


def reason(said: str, status: int) -> str:
    """Return what a program that ended with a status said last, with the file and line where it failed, if it did."""
    lines = [line for line in said.splitlines() if line.strip()]
    if not lines:
        ended = f"by signal {-status}" if status < 0 else f"with status {status}"
        return f"the program cannot be loaded: it ended {ended} and said nothing."
    last = clean_line(lines[-1]).strip()[:LONGEST]
    if last.startswith(_PREFIX):
        return last.removeprefix(_PREFIX)
    places = _PLACE.findall(said)
    where = "{}:{}: ".format(*places[-1]) if places else ""
    return f"the program cannot be loaded: {where}{last}"
