"""Ending so that the next world begins in the same process."""

from __future__ import annotations

import json
import os
import signal
import sys

import pytest

from server.lifecycle.restart import VARIABLE, Inherited, inherited, reexec


class Execution:
    """What executes a program, as far as anybody can tell: it remembers what it was asked, and how it was asked."""

    def __init__(self, failure: OSError | None = None) -> None:
        self.asked: tuple[str, list[str], dict[str, str]] = ("", [], {})
        self.inheritable: list[bool] = []
        self.blocked: set[signal.Signals] = set()
        self._failure = failure

    def __call__(self, path: str, arguments: list[str], environ: dict[str, str]) -> None:
        self.asked = (path, arguments, environ)
        self.blocked = set(map(signal.Signals, signal.pthread_sigmask(signal.SIG_BLOCK, set())))
        sockets = json.loads(environ[VARIABLE])["sockets"]
        self.inheritable = [os.get_inheritable(one) for several in sockets.values() for one in several]
        if self._failure:
            raise self._failure


@pytest.fixture
def descriptor():
    reading, writing = os.pipe()
    yield reading
    os.close(reading)
    os.close(writing)


def test_the_same_program_is_executed_with_its_sockets_while_a_hang_up_waits(descriptor):
    before, execute = signal.getsignal(signal.SIGHUP), Execution()
    reexec({"telnet": [descriptor]}, {"telnet": ("127.0.0.1", 0)}, {"HOME": "/"}, execute)
    path, arguments, environ = execute.asked
    assert (path, arguments) == (sys.executable, [sys.executable, *sys.orig_argv[1:]])
    assert (execute.inheritable, execute.blocked) == ([True], {signal.SIGHUP})
    assert signal.getsignal(signal.SIGHUP) is before
    assert signal.pthread_sigmask(signal.SIG_BLOCK, set()) == set()
    found = inherited(environ, os.getpid())
    assert found == Inherited({"telnet": [descriptor]}, {"telnet": ("127.0.0.1", 0)})
    assert (os.get_inheritable(descriptor), environ) == (False, {"HOME": "/"})


def test_a_program_that_cannot_be_executed_is_told():
    failure = reexec({}, {}, {}, Execution(OSError(2, "No such file or directory")))
    assert failure == (
        f"the world is closed and cannot begin anew: {sys.executable} cannot be executed: No such file or directory."
    )


def test_what_another_process_was_given_is_not_taken():
    environ = {VARIABLE: json.dumps({"pid": os.getpid() + 1, "sockets": {"telnet": [3]}, "asked": {}})}
    assert (inherited(environ, os.getpid()), environ) == (Inherited(), {})


@pytest.mark.parametrize("text", ["{", "[]", "7", '{"pid": 7}', '{"pid": 7, "sockets": {"telnet": 3}, "asked": {}}'])
def test_what_cannot_be_understood_is_not_taken_either(text, caplog):
    assert inherited({VARIABLE: text}, 7) == Inherited()
    assert "so the ports are opened again" in caplog.text
