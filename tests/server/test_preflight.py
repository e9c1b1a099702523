"""Looking whether a world could open again before it ends in order to."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Callable
from typing import Any, NoReturn

import pytest
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.protocol import Factory

from config.settings import ServerSettings
from server.listeners import TLS, OpenPorts, Ports
from server.preflight import Preflight, Trial, port_error, port_problem, reason
from tests.server.test_listeners import PortReactor

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
    assert Trial(SERVE, start=program).failure_reason() == ""
    assert program.started == [[*SERVE, "--check"]]


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
    assert Trial(SERVE, start=Program(status, said)).failure_reason() == told


def test_a_program_without_end_is_ended():
    program = Program(lasts=True)
    assert Trial(SERVE, 5, program).failure_reason() == "the program was not loaded within 5 seconds."
    assert program.killed == 1


def test_a_program_that_is_gone_is_told():
    gone = Program(failure=OSError(2, "No such file or directory"))
    assert Trial(SERVE, start=gone).failure_reason() == "python cannot be executed: No such file or directory."


def test_when_the_world_ends_what_runs_is_ended_and_nothing_else_begun():
    program = Program()
    trial = Trial(SERVE, start=program)
    trial.failure_reason()
    trial.stop()
    assert (trial.failure_reason(), len(program.started), program.killed) == ("", 1, 1)


HOST = "127.0.0.1"


def rehearsed(outcome):
    """Return what becomes of a rehearsal that ends like this."""
    done: list[str] = []
    Preflight(lambda: no_check, lambda: done.append("restarted"), done.append, lambda why_not: outcome)()
    return done


def no_check() -> str:
    return ""


def listening(**asked) -> OpenPorts:
    ports = Ports(PortReactor())
    for service, (host, port) in asked.items():
        ports.open(service, host, port, Factory())
    return ports.snapshot()


@pytest.fixture
def taken():
    with socket.create_server((HOST, 0)) as other:
        yield other.getsockname()[1]


def test_a_world_that_could_open_restarts_and_another_goes_on():
    assert rehearsed(succeed("")) == ["restarted"]
    assert rehearsed(succeed("rooms/Attic.md:4: it leads nowhere.")) == ["rooms/Attic.md:4: it leads nowhere."]


def test_a_world_that_cannot_even_be_looked_at_goes_on():
    assert rehearsed(fail(RecursionError("too deep"))) == ["too deep"]


def test_the_world_is_read_by_the_reactor_and_only_the_check_runs_in_another_thread():
    agents, said, threads = {"Eliza": ""}, list[str](), list[Callable[[], str]]()

    def prepare() -> Callable[[], str]:
        waiting = "; ".join(agents)
        return lambda: waiting

    def in_thread(check: Callable[[], str]) -> Deferred[str]:
        threads.append(check)
        return Deferred()

    Preflight(prepare, lambda: None, said.append, in_thread)()
    agents["Moss"] = ""
    assert [check() for check in threads] == ["Eliza"]


def test_a_world_that_cannot_be_read_goes_on():
    def prepare() -> NoReturn:
        raise RuntimeError("no ports")

    said: list[str] = []
    Preflight(prepare, lambda: said.append("restarted"), said.append)()
    assert said == ["no ports"]


def test_who_asks_twice_gets_one_restart_and_may_ask_again_after_a_refusal():
    waiting: list[Deferred[str]] = []

    def in_thread(why_not):
        waiting.append(Deferred())
        return waiting[-1]

    done: list[str] = []
    rehearsal = Preflight(lambda: no_check, lambda: done.append("restarted"), done.append, in_thread)
    rehearsal()
    rehearsal()
    assert len(waiting) == 1
    waiting[0].callback("no")
    rehearsal()
    waiting[1].callback("")
    assert done == ["no", "restarted"]


def test_of_a_rehearsal_nothing_comes_any_more_once_the_world_ends():
    waiting: list[Deferred[str]] = []
    done: list[str] = []
    rehearsal = Preflight(lambda: no_check, lambda: done.append("restarted"), done.append, lambda _: waiting[-1])
    waiting.append(Deferred())
    rehearsal()
    rehearsal.stop()
    waiting.pop().callback("the program was ended by signal 9")
    rehearsal()  # would fail if it asked for another thread
    assert done == []


def test_ports_that_stay_as_they_are_stand_in_nobody_s_way(taken):
    settings = ServerSettings(host=HOST, port=taken)
    assert port_problem(settings, listening(telnet=(HOST, taken))) == ""


def test_a_port_that_somebody_else_has_is_told_with_its_option(taken):
    ports = listening(telnet=(HOST, 0))
    assert port_problem(ServerSettings(host=HOST, port=0), ports) == ""
    assert port_problem(ServerSettings(host=HOST, port=taken), ports) == (
        f"{HOST}:{taken} cannot be opened: Address already in use. "
        "Give another port with --port, or 0 for any free one."
    )
    found = port_problem(ServerSettings(host=HOST, port=0, tls_port=taken), ports)
    assert found.endswith("Give another port with --tls-port, or 0 for any free one.")


def test_our_own_port_may_be_opened_at_another_address(taken):
    ports = listening(telnet=("127.0.0.2", taken))
    assert port_problem(ServerSettings(host=HOST, port=taken), ports) == ""


def test_an_address_that_is_not_ours_is_not_blamed_on_the_port():
    found = port_problem(ServerSettings(host="192.0.2.1", port=0), listening(telnet=(HOST, 0)))
    assert found == (
        "192.0.2.1:0 cannot be opened: Cannot assign requested address. "
        "Give an address of this machine with --host, or as host in config/server.md."
    )
    assert "as tls_host or host in config/server.md" in port_error(TLS, "192.0.2.1", 0, OSError(99, "No such"))
