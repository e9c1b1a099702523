"""The Ray executor: an existing cluster, or one on this machine. Needs the extra `ray`.

All nodes see the folder of the sweep and the vaults under the same paths, and have this program installed.
"""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from server.experiments.executor import ROOT, CommandExit, ExecutorError, run_command

INSTALL = "Ray is not installed. Run: pip install 'fallwater[ray]'"
CHECK_SECONDS = 3.0
CHECKS_UNTIL_LOST = 3
"""So many checks in a row without an answer of the head, and it counts as gone."""


class RayExecutor:
    """Runs commands as tasks of Ray, each with one processor."""

    def __init__(self, address: str | None, workers: int | None = None) -> None:
        """Join the cluster at an address ("auto", "HOST:6379"), or begin one. Raises: ExecutorError."""
        try:
            import ray
        except ImportError as error:
            raise ExecutorError(INSTALL) from error
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
        self._lock = threading.Lock()
        self._is_lost = False
        self._closed = threading.Event()
        host, _, port = self._ray.get_runtime_context().gcs_address.rpartition(":")
        self._head = (host, int(port))
        threading.Thread(target=self._watch, name="ray-head", daemon=True).start()

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
