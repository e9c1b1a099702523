"""What every test has in common: Hypothesis repeats itself, sets no deadline and is brief; no disk is waited for.

`HYPOTHESIS_EXAMPLES=1000 make test` tries each promise so many times.
"""

import gc
import os
import resource
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

# Until all tests are found: modules and tests come by the thousand, and none of them is garbage.
gc.disable()

MADE_UNTIL_COLLECTED = 100_000  # objects; with Python's 700, collecting takes a tenth of the time of all tests

FILES_IN_MEMORY = Path("/dev/shm")
ROOM_FOR_FILES = 1 << 30


FILES_LEFT_OPEN = 4096  # by the memories of a process's tests, and by others that only their process closes


def no_sync(fd: object) -> None:
    """Leave to the system when to write: no test pulls the plug, and thousands of them would wait for the disk."""


os.fsync = no_sync

# The same examples on every run, and no failure because a machine was busy for a moment.
EXAMPLES = int(os.environ.get("HYPOTHESIS_EXAMPLES", "25"))
settings.register_profile("fallwater", derandomize=True, deadline=None, max_examples=EXAMPLES)
settings.load_profile("fallwater")


def pytest_configure(config: pytest.Config) -> None:
    """Keep the files of unit tests in memory where there is room: they make thousands of vaults and throw them away."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < FILES_LEFT_OPEN and (hard == resource.RLIM_INFINITY or hard >= FILES_LEFT_OPEN):
        resource.setrlimit(resource.RLIMIT_NOFILE, (FILES_LEFT_OPEN, hard))
    wants_disk = config.getoption("markexpr") != "not integration"
    if not wants_disk and FILES_IN_MEMORY.is_dir() and shutil.disk_usage(FILES_IN_MEMORY).free > ROOM_FOR_FILES:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(FILES_IN_MEMORY))
        tempfile.tempdir = str(FILES_IN_MEMORY)


def pytest_collection_finish() -> None:
    """Spare the garbage collector thousands of tests and all modules, none of which will ever be garbage."""
    gc.freeze()
    gc.set_threshold(MADE_UNTIL_COLLECTED)
    gc.enable()
