"""Trying the program before a restart: what it is asked, how long it may take, and what is told of it."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from server.lifecycle.trial import Trial, reason

SERVE = ["python", "-m", "server", "serve", "--vault", "w"]
BROKEN = """\
Traceback (most recent call last):
  File "<frozen runpy>", line 198, in _run_module_as_main
  File "/opt/fallwater/server/__main__.py", line 33, in main
    from server.cli import run
  File "/opt/fallwater/server/app.py", line 12, in <module>
    import nothing_of_that_name
ModuleNotFoundError: No module named 'nothing_of_that_name'
"""
MISTYPED = """\
Traceback (most recent call last):
  File "/opt/fallwater/server/cli.py", line 18, in <module>
    from server.app import Fallwater
  File "/opt/fallwater/server/app.py", line 3
    def (
        ^
SyntaxError: invalid syntax
"""


class Program:
    """A process as far as anybody can tell. It remembers how it was started, and whether it was killed."""

    def __init__(self, status: int = 0, said: str = "", lasts: bool = False, failure: OSError | None = None) -> None:
        self.started: list[list[str]] = []
        self.returncode = status
        self.killed = 0
        self._said = said.encode()
        self._lasts = lasts
        self._failure = failure

    def __call__(self, command: list[str], **streams: int) -> Any:
        self.started.append(command)
        if self._failure:
            raise self._failure
        return self

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def communicate(self, timeout: float) -> tuple[bytes, bytes]:
        if self._lasts:
            raise subprocess.TimeoutExpired("python", timeout)
        return b"", self._said

    def kill(self) -> None:
        self.killed += 1


def test_the_same_command_is_run_and_opens_nothing():
    program = Program()
    assert Trial(SERVE, start=program).why_not() == ""
    assert program.started == [[*SERVE, "--only-try"]]


@pytest.mark.parametrize(
    ("status", "said", "told"),
    [
        (
            1,
            BROKEN,
            "the program cannot be loaded: /opt/fallwater/server/app.py:12: "
            "ModuleNotFoundError: No module named 'nothing_of_that_name'",
        ),
        (1, MISTYPED, "the program cannot be loaded: /opt/fallwater/server/app.py:3: SyntaxError: invalid syntax"),
        (1, "fallwater: config/server.md:3: unknown setting 'prt'.\n", "config/server.md:3: unknown setting 'prt'."),
        (
            2,
            "usage: fallwater [-h] COMMAND ...\nfallwater: error: unrecognized arguments: --metrics\n\n",
            "error: unrecognized arguments: --metrics",
        ),
        (1, "python: No module named server\n", "the program cannot be loaded: python: No module named server"),
        (1, "Oh\x1b[2J no\u202e\n", "the program cannot be loaded: Oh no"),
        (-11, "", "the program cannot be loaded: it ended by signal 11 and said nothing."),
        (3, "\n", "the program cannot be loaded: it ended with status 3 and said nothing."),
    ],
)
def test_what_failed_is_told_in_one_line(status, said, told):
    assert reason(said, status) == told
    assert Trial(SERVE, start=Program(status, said)).why_not() == told


def test_a_program_without_end_is_ended():
    program = Program(lasts=True)
    assert Trial(SERVE, 5, program).why_not() == "the program was not loaded within 5 seconds."
    assert program.killed == 1


def test_a_program_that_is_gone_is_told():
    gone = Program(failure=OSError(2, "No such file or directory"))
    assert Trial(SERVE, start=gone).why_not() == "python cannot be executed: No such file or directory."


def test_when_the_world_ends_what_runs_is_ended_and_nothing_else_begun():
    program = Program()
    trial = Trial(SERVE, start=program)
    trial.why_not()
    trial.stop()
    assert (trial.why_not(), len(program.started), program.killed) == ("", 1, 1)
