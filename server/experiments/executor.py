"""Executors start command lines and report their exit. This module has the protocol and the local one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Protocol

import server

ROOT = Path(server.__file__).resolve().parents[1]
"""The folder with the packages of this program, which a worker finds first."""

MAX_MESSAGE_CHARACTERS = 500


@dataclass(frozen=True)
class CommandExit:
    """How a command ended: its exit code, negative for a signal, and the last line of what it complained."""

    code: int
    message: str = ""


class ExecutorError(Exception):
    """An executor that is gone, or cannot begin; the message says why, and what would be right."""


class Executor(Protocol):
    """Starts command lines elsewhere. `capacity` is how many it is given at a time."""

    capacity: int

    def submit(self, commands: Sequence[Sequence[str]]) -> Sequence[Future[CommandExit]]:
        """Start commands, given as the arguments of `fallwater`; a future may raise ExecutorError."""

    def close(self) -> None:
        """End what still runs, and let everything go."""


def command_line(arguments: Sequence[str]) -> list[str]:
    """Return the command that does what `fallwater` does with these arguments, with this Python."""
    return [sys.executable, "-m", "server", *arguments]


def environment() -> dict[str, str]:
    """Return the environment of a worker: this one, with this program's packages found first."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH", "")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def run_command(arguments: Sequence[str]) -> CommandExit:
    """Run a command to its end, in this process's own folder."""
    done = subprocess.run(
        command_line(arguments), env=environment(), capture_output=True, text=True, errors="replace", check=False
    )
    return CommandExit(done.returncode, last_line(done.stderr))


def last_line(text: str) -> str:
    """Return the last line of what a command complained, without the name of the program."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    told = [line for line in lines if line.startswith("fallwater: ")] or lines
    return told[-1].removeprefix("fallwater: ")[:MAX_MESSAGE_CHARACTERS] if told else ""


class LocalExecutor:
    """Runs commands on this machine, each in a process of its own."""

    def __init__(self, workers: int) -> None:
        self.capacity = workers
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="sweep")
        self._lock = Lock()
        self._processes: set[subprocess.Popen[str]] = set()
        self._is_closed = False

    def submit(self, commands: Sequence[Sequence[str]]) -> Sequence[Future[CommandExit]]:
        """Start commands; see `Executor`."""
        return [self._threads.submit(self._run, arguments) for arguments in commands]

    def close(self) -> None:
        """End the processes that still run, and wait for them."""
        with self._lock:
            self._is_closed = True
            for process in self._processes:
                process.terminate()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _run(self, arguments: Sequence[str]) -> CommandExit:
        with self._lock:
            if self._is_closed:
                return CommandExit(1, "stopped")
            process = subprocess.Popen(
                command_line(arguments),
                env=environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
            )
            self._processes.add(process)
        try:
            _, complaint = process.communicate()
            return CommandExit(process.returncode, last_line(complaint))
        finally:
            with self._lock:
                self._processes.discard(process)
