"""Signals, stages, systemd, and a restart in the same process after which everybody is where they were."""

from __future__ import annotations

import json
import logging
import os
import random
import signal
import socket
import sys
from collections.abc import Iterator

import pytest
from twisted.internet.defer import CancelledError, Deferred, fail
from twisted.internet.task import Clock

from agents.population import Population
from config.settings import ServerSettings
from server.restart import (
    VARIABLE,
    Inherited,
    SessionRestore,
    ShutdownRequest,
    SystemdNotifier,
    inherited_sockets,
    install_signal_handlers,
    reexec,
    run_stages,
    sockets_given,
)
from tests.agents.templates import TEMPLATES
from tests.server.fake_connection import Guest
from tests.server.front_door import NOW_MS, lobby_of
from tests.vault.vault_of import vault_of
from tests.world.inn import inn_game
from vault.config_notes import load_settings

TAKEN = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

NOTES = TEMPLATES | {"agents/Rook/agent.md": "---\nroom: '[[The Common Room]]'\n---\nYou are Rook.\n"}


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in TAKEN}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_a_hang_up_that_the_parent_ignores_stays_ignored():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    asked: list[str] = []
    install_signal_handlers(lambda: asked.append("close"), lambda: asked.append("restart"))
    signal.raise_signal(signal.SIGHUP)
    assert asked == []
    signal.raise_signal(signal.SIGTERM)
    assert asked == ["close"]


def test_a_hang_up_that_came_during_a_restart_is_answered_once_signals_are_taken():
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    asked: list[str] = []
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
    signal.raise_signal(signal.SIGHUP)
    install_signal_handlers(lambda: asked.append("close"), lambda: asked.append("restart"))
    assert len(asked) == 1


def has_ended(shutdown: Deferred[None]) -> bool:
    """Return whether all stages are over; a Deferred that waits for another counts as called."""
    return shutdown.called and not shutdown.paused


def test_stages_come_one_after_the_other():
    clock, done, slow = Clock(), list[str](), Deferred[None]()

    def first() -> Deferred[None]:
        done.append("first")
        return slow

    ended = run_stages(clock, 10, [("first", first), ("second", lambda: done.append("second"))])
    assert done == ["first"]
    slow.callback(None)
    assert done == ["first", "second"]
    assert has_ended(ended)
    assert clock.getDelayedCalls() == []


def test_slow_stage_is_logged_and_left_behind(caplog):
    clock, done, late = Clock(), list[str](), Deferred[None]()
    slow = [("closing the door", lambda: late), ("ending thoughts", Deferred)]
    ended = run_stages(clock, 10, [*slow, ("saving", lambda: done.append("saving"))])
    clock.pump([10, 9.9])
    assert (done, has_ended(ended)) == ([], False)
    clock.advance(0.1)
    late.errback(RuntimeError("far too late"))
    assert (done, has_ended(ended)) == (["saving"], True)
    assert [record.getMessage() for record in caplog.records] == [
        f"{name} did not end well: it took longer than 10 seconds" for name, _ in slow
    ]


def test_a_stage_may_take_too_long_where_everything_is_done_in_haste(caplog):
    clock, done = Clock(), list[str]()
    run_stages(clock, 0.4, [("ending thoughts", Deferred), ("saving", lambda: done.append("saving"))], in_haste=True)
    clock.advance(0.4)
    warnings = [one for one in caplog.records if one.levelno >= logging.WARNING]
    assert (done, warnings) == (["saving"], [])


def test_a_stage_that_fails_is_logged_and_the_next_one_follows(caplog):
    done: list[str] = []

    def raising() -> None:
        raise OSError("no room on the disk")

    stages = [
        ("saving", raising),
        ("sending people home", lambda: fail(ValueError("nobody"))),
        ("last", lambda: done.append("last")),
    ]
    assert has_ended(run_stages(Clock(), 10, stages))
    assert done == ["last"]
    first, second = [r.getMessage() for r in caplog.records]
    assert first.startswith("saving did not end well: ") and "no room on the disk" in first
    assert second.startswith("sending people home did not end well: ") and "nobody" in second


def test_a_stage_that_was_cancelled_ended_as_it_should(caplog):
    assert has_ended(run_stages(Clock(), 10, [("ending thoughts", lambda: fail(CancelledError()))]))
    assert caplog.records == []


def test_what_is_asked_first_happens_and_closing_has_the_last_word():
    stopped: list[str] = []
    first, second = ShutdownRequest(lambda: stopped.append("first")), ShutdownRequest(lambda: stopped.append("second"))
    first.restart()
    first.restart()
    second.close()
    second.restart()
    assert (stopped, first.restarts, second.restarts) == (["first", "second"], True, False)
    first.close()
    assert (stopped, first.restarts) == (["first", "second"], False)


def given(count: object, names: str | None = None, pid: int | None = None) -> dict[str, str]:
    """Return the environment that systemd starts a service with."""
    environ = {"LISTEN_FDS": str(count), "LISTEN_PID": str(pid or os.getpid()), "HOME": "/"}
    return environ if names is None else environ | {"LISTEN_FDNAMES": names}


@pytest.mark.parametrize(
    ("environ", "sockets"),
    [
        (given(2, "telnet:tls"), {"telnet": [3], "tls": [4]}),
        (given(2, "tls:telnet"), {"tls": [3], "telnet": [4]}),
        (given(3, "telnet:telnet:tls"), {"telnet": [3, 4], "tls": [5]}),
        (given(1), {"telnet": [3]}),
        (given(1, "fallwater.socket"), {"telnet": [3]}),
        (given(2, "tls:fallwater.socket"), {"tls": [3], "telnet": [4]}),
        (given(1, "telnet", pid=1), {}),
        (given("many", "telnet"), {}),
        (given(0), {}),
        ({"HOME": "/"}, {}),
    ],
)
def test_sockets_are_known_by_their_names_and_one_without_is_for_telnet(environ, sockets):
    assert sockets_given(environ) == sockets
    assert environ == {"HOME": "/"}


def test_a_socket_for_nothing_known_is_not_used_and_the_log_says_so(caplog):
    assert sockets_given(given(3, "telnet:http:web")) == {"telnet": [3], "web": [5]}
    told = "the socket called 'http' is not used; name it telnet, tls or web"
    assert [r.getMessage() for r in caplog.records] == [told]


class Systemd:
    """The other end of the socket on which a service says how it is."""

    def __init__(self, address: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(address)
        self.socket.setblocking(False)

    def hears(self) -> list[str]:
        found = []
        while True:
            try:
                found.append(self.socket.recv(4096).decode())
            except BlockingIOError:
                return found


@pytest.fixture(params=["file", "abstract"])
def address(request, tmp_path):
    return str(tmp_path / "notify") if request.param == "file" else f"@fallwater-test-{os.getpid()}"


def test_systemd_is_told_when_the_world_is_open_restarts_and_closes(address):
    systemd = Systemd(address.replace("@", "\0"))
    supervisor = SystemdNotifier({"NOTIFY_SOCKET": address}, 7, Clock())
    supervisor.notify_ready()
    supervisor.notify_reloading()
    supervisor.notify_stopping()
    ready, reloading, stopping = systemd.hears()
    systemd.socket.close()
    assert (ready, stopping) == ("READY=1", "STOPPING=1")
    assert reloading.startswith("RELOADING=1\nMONOTONIC_USEC=")


def test_a_watchdog_hears_twice_in_its_span_until_the_world_closes(tmp_path):
    address, clock = str(tmp_path / "notify"), Clock()
    systemd = Systemd(address)
    environ = {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "20000000", "WATCHDOG_PID": "7"}
    supervisor = SystemdNotifier(environ, 7, clock)
    supervisor.notify_ready()
    clock.pump([10, 10])
    supervisor.notify_stopping()
    clock.advance(100)
    told = systemd.hears()
    systemd.socket.close()
    assert told == ["READY=1", "WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1", "STOPPING=1"]


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"WATCHDOG_USEC": "20000000"},
        {"NOTIFY_SOCKET": "vsock:2:1", "WATCHDOG_USEC": "x"},
        {"NOTIFY_SOCKET": "", "WATCHDOG_USEC": "20000000", "WATCHDOG_PID": "1"},
    ],
)
def test_where_nobody_wants_to_know_nothing_is_told_and_nothing_goes_on(environ, caplog):
    caplog.set_level(logging.INFO)
    clock = Clock()
    supervisor = SystemdNotifier(environ, 7, clock)
    supervisor.notify_ready()
    supervisor.notify_reloading()
    supervisor.notify_stopping()
    assert (clock.getDelayedCalls(), caplog.records) == ([], [])


def test_a_systemd_that_does_not_listen_is_a_warning_and_no_more(tmp_path, caplog):
    SystemdNotifier({"NOTIFY_SOCKET": str(tmp_path / "nobody")}, 7, Clock()).notify_ready()
    assert [r.getMessage().partition(": ")[0] for r in caplog.records] == ["cannot notify systemd of READY=1"]


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
    found = inherited_sockets(environ, os.getpid())
    assert found == Inherited({"telnet": [descriptor]}, {"telnet": ("127.0.0.1", 0)})
    assert (os.get_inheritable(descriptor), environ) == (False, {"HOME": "/"})


def test_a_program_that_cannot_be_executed_is_told():
    failure = reexec({}, {}, {}, Execution(OSError(2, "No such file or directory")))
    assert failure == (
        f"the world is closed and cannot restart: {sys.executable} cannot be executed: No such file or directory."
    )


@pytest.mark.parametrize("text", ["{", "[]", "7", '{"pid": 7}', '{"pid": 7, "sockets": {"telnet": 3}, "asked": {}}'])
def test_malformed_or_foreign_sockets_are_not_taken(text, caplog):
    assert inherited_sockets({VARIABLE: text}, 7) == Inherited()
    assert "so the ports are opened again" in caplog.text
    environ = {VARIABLE: json.dumps({"pid": 8, "sockets": {"telnet": [3]}, "asked": {}})}
    assert (inherited_sockets(environ, 7), environ) == (Inherited(), {})


class Run:
    """One life of a process that serves the inn; another one of the same folder is the next."""

    def __init__(self, root, now_ms: int = NOW_MS) -> None:
        self.vault = vault_of(root / "vault", NOTES)
        self.game = inn_game()
        self.world = self.game.world
        self.clock = Clock()
        self.registry = lobby_of(root, self.game, clock=self.clock)
        self.agents = Population(self.vault, load_settings(self.vault), self.game, random.Random(1), lambda: now_ms)
        self.world.characters["Rook"].room_id = "The Common Room"
        settings = ServerSettings(return_seconds=60)
        self.resuming = SessionRestore(
            self.vault, self.game, self.agents, self.registry, lambda: settings, lambda: now_ms
        )
        self.resuming.resume()

    def wakes_rook(self) -> None:
        self.game.wake("Rook", self.agents["Rook"].perceive)

    def ends(self, restart: bool = True) -> None:
        self.resuming.save_state(restart)

    def remembered(self) -> list[str]:
        journal = self.agents["Rook"].memory.journal
        return [one.text for one in journal.read(1, journal.last)]

    def awake(self) -> list[str]:
        return sorted(one.name for one in self.world.awake())


def talking(root) -> Run:
    """Return a run in which Ana has spoken to Rook, follows Ben, and was told something by him."""
    run = Run(root)
    run.wakes_rook()
    ana, ben = Guest(run.registry), Guest(run.registry)
    ana.enters("Ana")
    ben.enters("Ben")
    ana.types("follow ben", "say Rook, are you there?")
    ben.types("tell ana This way.")
    return run


def test_after_a_restart_all_stand_where_they_were_and_nobody_has_noticed_anything(tmp_path):
    talking(tmp_path).ends()
    again = Run(tmp_path, NOW_MS + 2000)
    before = again.remembered()
    assert again.awake() == ["Ana", "Ben", "Rook"]
    ana, ben = Guest(again.registry), Guest(again.registry)
    ana.enters("Ana")
    ben.enters("Ben")
    assert again.remembered() == before
    assert ben.screen() + ana.screen() == ""
    assert 'Ben tells you, "This way."' in ana.types("history")
    assert ana.types("reply Coming.") == 'You tell Ben, "Coming."\n> '
    ben.types("north")
    assert again.world.characters["Ana"].room_id == "The Kitchen"


def test_an_agent_hears_what_is_said_before_it_can_think_again_and_still_owes_its_answer(tmp_path):
    talking(tmp_path).ends()
    again = Run(tmp_path, NOW_MS + 2000)
    ana = Guest(again.registry)
    ana.enters("Ana")
    ana.types("say As I said.")
    rook = again.agents["Rook"]
    assert rook.awareness.addressed.by_person
    assert again.remembered()[-1] == 'Ana says, "As I said."'
    again.wakes_rook()
    assert ana.screen() == ""


def test_whoever_does_not_come_back_after_a_restart_falls_asleep_a_minute_later(tmp_path):
    talking(tmp_path).ends()
    again = Run(tmp_path, NOW_MS + 2000)
    Guest(again.registry).enters("Ana")
    again.clock.advance(60)
    assert again.awake() == ["Ana", "Rook"]


def test_after_a_plain_stop_all_are_asleep_but_know_whom_they_answered(tmp_path):
    talking(tmp_path).ends(restart=False)
    again = Run(tmp_path, NOW_MS + 2000)
    assert again.awake() == []
    assert again.world.characters["Ana"].transient.reply_to_id == "Ben"


def test_a_night_later_nothing_is_left_of_it(tmp_path):
    talking(tmp_path).ends()
    again = Run(tmp_path, NOW_MS + 60_001)
    assert (again.awake(), again.world.characters["Ana"].transient.reply_to_id) == ([], "")


def test_a_second_start_after_one_that_crashed_does_not_take_it_for_new(tmp_path):
    talking(tmp_path).ends()
    Run(tmp_path, NOW_MS + 2000)
    assert Run(tmp_path, NOW_MS + 4000).awake() == []


def test_of_guests_nothing_is_kept(tmp_path):
    run = Run(tmp_path)
    Guest(run.registry).types("guest")
    run.ends()
    assert Run(tmp_path).awake() == []


def test_at_a_restart_guests_and_callers_at_the_door_are_promised_nothing_that_is_not_kept(tmp_path):
    run = Run(tmp_path)
    ana, guest, nameless = Guest(run.registry), Guest(run.registry), Guest(run.registry)
    ana.enters("Ana")
    guest.types("guest")
    for one in (ana, guest, nameless):
        one.screen()
    run.registry.send_home(run.resuming.last_word)
    assert [one.connection.screen().strip() for one in (ana, guest, nameless)] == [
        "Connect again now: you go on where you are.",
        "Connect again now. Guests start over; with a name of your own you would go on.",
        "Connect again now.",
    ]


def test_whose_client_connects_again_by_itself_is_not_asked_to_at_a_restart(tmp_path):
    run = Run(tmp_path)
    ana, guest = Guest(run.registry), Guest(run.registry)
    for one in (ana, guest):
        one.connection.tells(returns=True)
    ana.enters("Ana")
    guest.types("guest")
    for one in (ana, guest):
        one.screen()
    run.registry.send_home(run.resuming.last_word)
    assert [one.connection.screen().strip() for one in (ana, guest)] == [
        "This page comes back by itself: you go on where you are.",
        "This page comes back by itself. Guests start over; whoever has a name goes on.",
    ]
