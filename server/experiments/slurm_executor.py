"""The Slurm executor, through submitit. Needs the extra `slurm`, and `sbatch` on the path.

All nodes see the folder of the sweep and the vaults under the same paths, and have this program installed.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from server.experiments.executor import CommandExit, ExecutorError, run_command

INSTALL = "submitit is not installed. Run: pip install 'fallwater[slurm]'"
DEFAULT_JOBS = 100
POLL_SECONDS = 2.0
MINUTES = 24 * 60


class SlurmExecutor:
    """Runs commands as an array of jobs, each with one processor."""

    def __init__(self, folder: Path, partition: str | None = None, workers: int | None = None) -> None:
        """`folder` is for the jobs' scripts and logs. Raises: ExecutorError."""
        try:
            import submitit
        except ImportError as error:
            raise ExecutorError(INSTALL) from error
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
        self._lock = threading.Lock()
        self._closed = threading.Event()
        threading.Thread(target=self._watch, name="slurm-jobs", daemon=True).start()

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
