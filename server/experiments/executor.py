"""Executors of runs: each starts command lines and says how each ended. There are this machine, Ray and Slurm.

All nodes of a cluster see the folder of the sweep and the vaults under the same paths, and have this program installed.
"""

from __future__ import annotations

import logging
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, Protocol

import server

ROOT = Path(server.__file__).resolve().parents[1]
"""The folder with the packages of this program, which a worker finds first."""

MAX_MESSAGE_CHARACTERS = 500


@dataclass(frozen=True)
class CommandExit:
    """The exit of a command: its exit code, negative for a signal, and the last line of its error output."""

    code: int
    message: str = ""


class ExecutorError(Exception):
    """An executor that is gone, or cannot begin; the message says why, and what would be right."""


class Executor(Protocol):
    """Starts command lines elsewhere. `capacity` is the number that may run at a time."""

    capacity: int

    def submit(self, commands: Sequence[Sequence[str]]) -> Sequence[Future[CommandExit]]:
        """Start commands, given as the arguments of `fallwater`; a future may raise ExecutorError."""

    def close(self) -> None:
        """End the commands that still run, and release everything."""


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


RAY_INSTALL = "Ray is not installed. Run: pip install 'fallwater[ray]'"
CHECK_SECONDS = 3.0
CHECKS_UNTIL_LOST = 3
"""Number of checks in a row without an answer of the head after which it counts as gone."""


class RayExecutor:
    """Runs commands as tasks of Ray, each with one processor, on a cluster or one begun here. Needs the extra `ray`."""

    def __init__(self, address: str | None, workers: int | None = None) -> None:
        """Join the cluster at an address ("auto", "HOST:6379"), or begin one. Raises: ExecutorError."""
        try:
            import ray
        except ImportError as error:
            raise ExecutorError(RAY_INSTALL) from error
        self._ray: Any = ray
        try:
            self._ray.init(
                address=address,
                num_cpus=workers if address is None else None,
                include_dashboard=False if address is None else None,
                log_to_driver=False,
                logging_level=logging.ERROR,
                runtime_env={"env_vars": {"PYTHONPATH": str(ROOT)}},
            )
        except (ConnectionError, ValueError, RuntimeError, OSError) as error:
            told = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            raise ExecutorError(f"no Ray cluster answers at {address or 'this machine'}: {told}") from error
        self.capacity = workers or max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        self._task = self._ray.remote(num_cpus=1, max_retries=0)(run_command)
        self._futures: set[Future[CommandExit]] = set()
        self._lock = Lock()
        self._is_lost = False
        self._closed = Event()
        host, _, port = self._ray.get_runtime_context().gcs_address.rpartition(":")
        self._head = (host, int(port))
        Thread(target=self._watch, name="ray-head", daemon=True).start()

    def submit(self, commands: Sequence[Sequence[str]]) -> Sequence[Future[CommandExit]]:
        """Start commands; see `Executor`."""
        if self._is_lost:
            raise self._lost_error()
        return [self._submit(command) for command in commands]

    def close(self) -> None:
        """Leave the cluster, which ends what still runs."""
        self._closed.set()
        if not self._is_lost:  # without a head it would wait for one
            self._ray.shutdown()

    def _submit(self, command: Sequence[str]) -> Future[CommandExit]:
        ended: Future[CommandExit] = Future()
        with self._lock:
            self._futures.add(ended)
        self._task.remote(list(command)).future().add_done_callback(lambda done: self._end(ended, done))
        return ended

    def _end(self, ended: Future[CommandExit], done: Future[CommandExit]) -> None:
        with self._lock:
            if ended not in self._futures:
                return
            self._futures.discard(ended)
        error = done.exception()
        if error is None:
            ended.set_result(done.result())
        elif isinstance(error, self._ray.exceptions.RayError):
            ended.set_result(CommandExit(1, f"the worker died: {str(error).strip().splitlines()[0]}"))
        else:
            ended.set_exception(ExecutorError(str(error)))

    def _watch(self) -> None:
        """Look whether the head still answers: without it nothing ends, and Ray itself would wait for minutes."""
        silent = 0
        while not self._closed.wait(CHECK_SECONDS):
            try:
                socket.create_connection(self._head, CHECK_SECONDS).close()
                silent = 0
            except OSError:
                silent += 1
            if silent >= CHECKS_UNTIL_LOST:
                self._give_up()
                return

    def _give_up(self) -> None:
        with self._lock:
            self._is_lost = True
            waiting, self._futures = self._futures, set()
        for future in waiting:
            future.set_exception(self._lost_error())

    def _lost_error(self) -> ExecutorError:
        return ExecutorError(f"the head of the Ray cluster at {self._head[0]}:{self._head[1]} is gone")


SLURM_INSTALL = "submitit is not installed. Run: pip install 'fallwater[slurm]'"
DEFAULT_JOBS = 100
POLL_SECONDS = 2.0
MINUTES = 24 * 60


class SlurmExecutor:
    """Runs commands as an array of jobs of Slurm, each with one processor. Needs the extra `slurm`."""

    def __init__(self, folder: Path, partition: str | None = None, workers: int | None = None) -> None:
        """`folder` is for the jobs' scripts and logs. Raises: ExecutorError."""
        try:
            import submitit
        except ImportError as error:
            raise ExecutorError(SLURM_INSTALL) from error
        if shutil.which("sbatch") is None:
            raise ExecutorError("there is no sbatch on the path; run this on a login node of a Slurm cluster")
        self.capacity = workers or DEFAULT_JOBS
        self._submitit: Any = submitit
        self._executor: Any = submitit.SlurmExecutor(folder=folder)
        given: dict[str, Any] = {"time": MINUTES, "cpus_per_task": 1, "array_parallelism": self.capacity}
        self._executor.update_parameters(
            job_name="fallwater", **given, **({"partition": partition} if partition else {})
        )
        self._jobs: dict[Future[CommandExit], Any] = {}
        self._lock = Lock()
        self._closed = Event()
        Thread(target=self._watch, name="slurm-jobs", daemon=True).start()

    def submit(self, commands: Sequence[Sequence[str]]) -> Sequence[Future[CommandExit]]:
        """Start commands as one array; see `Executor`."""
        try:
            with self._executor.batch():
                jobs = [self._executor.submit(run_command, list(command)) for command in commands]
        except (self._submitit.core.utils.FailedSubmissionError, OSError) as error:
            raise ExecutorError(f"sbatch refused: {str(error).strip().splitlines()[-1]}") from error
        futures: list[Future[CommandExit]] = [Future() for _ in jobs]
        with self._lock:
            self._jobs |= dict(zip(futures, jobs, strict=True))
        return futures

    def close(self) -> None:
        """Cancel the jobs that have not ended."""
        self._closed.set()
        with self._lock:
            jobs, self._jobs = self._jobs, {}
        for job in jobs.values():
            job.cancel(check=False)

    def _watch(self) -> None:
        while not self._closed.wait(POLL_SECONDS):
            with self._lock:
                jobs = dict(self._jobs)
            for future, job in jobs.items():
                if job.done() and self._take(future):
                    future.set_result(self._ended(job))

    def _take(self, future: Future[CommandExit]) -> bool:
        with self._lock:
            return self._jobs.pop(future, None) is not None

    def _ended(self, job: Any) -> CommandExit:
        try:
            found = job.result()
        except Exception as error:  # whatever the job raised, or how it ended
            return CommandExit(1, f"job {job.job_id} died: {str(error).strip().splitlines()[0]}")
        return found if isinstance(found, CommandExit) else CommandExit(1, f"job {job.job_id} returned {found!r}")
