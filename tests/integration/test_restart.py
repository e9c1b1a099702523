"""A restart of the real server: nobody is refused, nothing is forgotten, and conversations go on."""

from __future__ import annotations

import os
import pty
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import pytest

from tests.integration.line_player import HOST, LONG
from tests.integration.running import (
    ADMIN,
    CLEAN,
    ROOT,
    RunningServer,
    eventually,
    free_port,
    journal_lines,
    new_vault,
    running,
    serve_command,
    started,
)
from tests.integration.tls_player import TlsPlayer

pytestmark = pytest.mark.integration

BOUND_SECONDS = 20.0  # on an idle machine it takes less than one and a half
OPEN = " is open on "


@dataclass
class Calls:
    """Calls one after the other, every few milliseconds: how many were greeted, and what happened to others."""

    port: int
    greeted: int = 0
    failed: list[str] = field(default_factory=list)
    longest_seconds: float = 0.0
    is_over: bool = False

    def call(self) -> None:
        began = time.monotonic()
        try:
            with socket.create_connection((HOST, self.port), timeout=LONG) as caller:
                self.greeted += bool(caller.recv(100))
        except OSError as error:
            self.failed.append(repr(error))
        self.longest_seconds = max(self.longest_seconds, time.monotonic() - began)

    def go_on(self) -> None:
        while not self.is_over:
            self.call()
            time.sleep(0.005)


@contextmanager
def calling(port: int) -> Iterator[Calls]:
    """Have calls made all the while."""
    calls = Calls(port)
    thread = threading.Thread(target=calls.go_on)
    thread.start()
    try:
        yield calls
    finally:
        calls.is_over = True
        thread.join(LONG)


def restarted(server: RunningServer, by: str, admin: object = None) -> float:
    """Restart by a signal or by a command and return how long it took until players could come in again."""
    times = sum(OPEN in line for line in server.lines)
    began = time.monotonic()
    if by == "SIGHUP":
        os.kill(server.pid, signal.SIGHUP)
    else:
        admin.types("@shutdown --restart")  # type: ignore[attr-defined]
    server.says(OPEN, BOUND_SECONDS, times + 1)
    return time.monotonic() - began


@pytest.mark.parametrize("by", ["SIGHUP", "@shutdown --restart"])
def test_a_restart_refuses_nobody_and_players_go_on_where_they_were(by, tmp_path):
    with running(new_vault(tmp_path / "world")) as server:
        pid, warden = server.pid, server.player(ADMIN)
        ana, ben = server.player("Ana"), server.player("Ben")
        for player in (ana, ben):
            player.asks("north")
        ana.asks("follow ben")
        ben.asks("tell Ana This way, please.")
        ana.expects("This way")
        ben.asks("afk tea")
        with calling(server.port) as calls:
            seconds = restarted(server, by, warden)
            goodbyes = [player.is_shown_out(BOUND_SECONDS) for player in (ana, ben)]
            again = server.player("Ana")
            assert eventually(lambda: calls.greeted > 20)
        assert (calls.failed, server.pid) == ([], pid)
        assert calls.longest_seconds < BOUND_SECONDS, seconds
        assert ["The world restarts and is back in a moment." in said for said in goodbyes] == [True, True]
        assert "Ben is here." in again.asks("look")
        assert "Ben, absent for a moment" in again.asks("who")
        back = server.player()
        back.enters("Ben")
        assert "away: tea" in again.asks("who")
        assert 'You tell Ben, "Right behind you."' in again.asks("reply Right behind you.")
        assert 'Ben tells you, "This way, please."' in again.asks("history")
        back.asks("north")
        assert "You follow Ben north to Flood Stairs." in again.expects("Exits")
        assert "wakes up" not in again.text + back.text
        assert not server.failure


def test_the_world_can_restart_again_and_again_and_then_be_closed_for_good(tmp_path):
    with running(new_vault(tmp_path / "world")) as server:
        handles = []
        with calling(server.port) as calls:
            for _ in range(3):
                restarted(server, "SIGHUP")
                handles.append(server.open_files)
        assert calls.failed == []
        assert max(handles) - min(handles) <= 8  # callers of the moment, and nothing that grows
        server.signal(signal.SIGTERM)
        assert (server.exit_code(), server.lines[-1]) == (0, "Everything is saved. Good-bye.")
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((HOST, server.port))


def test_many_hang_ups_at_once_are_one_restart_and_closing_has_the_last_word(tmp_path):
    with running(new_vault(tmp_path / "world")) as server:
        for _ in range(5):
            os.kill(server.pid, signal.SIGHUP)
        server.says(OPEN, BOUND_SECONDS, 2)
        server.player("Ana").asks("look")
        os.kill(server.pid, signal.SIGHUP)
        os.kill(server.pid, signal.SIGTERM)
        assert server.exit_code(BOUND_SECONDS) in (0, -signal.SIGTERM)
        assert sum(OPEN in line for line in server.lines) <= 3
        assert not server.failure


@pytest.mark.parametrize(
    ("note", "text", "why"),
    [
        ("rooms/Attic.md", "---\ntype: room\nexits: [[[\n---\n", "rooms/Attic.md:4: the front matter is not valid"),
        ("text/movement.md", "**no_exit**: a\n**no_exit**: b\n", "text/movement.md:2: 'no_exit' stands twice"),
        (
            "config/server.md",
            "**tls_port**: -1\n**tls_certificate**: /gone.pem\n",
            "/gone.pem: this file cannot be read",
        ),
        ("config/server.md", "**host**: 192.0.2.1\n", "192.0.2.1:0 cannot be opened"),
    ],
)
def test_a_world_that_could_not_open_again_goes_on_and_says_why(note, text, why, tmp_path):
    vault = new_vault(tmp_path / "world")
    with running(vault) as server:
        warden, ana = server.player(ADMIN), server.player("Ana")
        (vault / note).write_text(text)
        warden.types("@shutdown --restart")
        warden.expects("could not open again:", BOUND_SECONDS)
        os.kill(server.pid, signal.SIGHUP)
        server.says(f"could not open again: {why}", BOUND_SECONDS, 2)
        assert 'You say, "Still here."' in ana.asks("say Still here.")
        assert sum(OPEN in line for line in server.lines) == 1


def test_a_world_that_cannot_be_saved_does_not_restart_until_it_can(tmp_path):
    with running(new_vault(tmp_path / "world")) as server:
        warden = server.player(ADMIN)
        before = resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))  # a disk that is full
        warden.types("@describe here -> Only in mind.")
        os.kill(server.pid, signal.SIGHUP)
        server.says("could not open again: vault: ", BOUND_SECONDS)
        assert "Only in mind." in warden.asks("look")
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, before)
        assert "Everything is on disk." in warden.asks("@save")
        restarted(server, "SIGHUP")
        assert "Only in mind." in server.player(ADMIN).asks("look")


def test_a_port_that_was_changed_in_the_settings_is_another_after_a_restart(tmp_path):
    vault = new_vault(tmp_path / "world")
    port = free_port()
    command = serve_command("--vault", str(vault), "--model", "none")
    note = vault / "config" / "server.md"
    note.write_text(note.read_text().replace("**port**: 4000", "**port**: 0"))
    with started(command, vault) as server:
        note.write_text(note.read_text().replace("**port**: 0", f"**port**: {port}"))
        restarted(server, "SIGHUP")
        socket.create_connection((HOST, port)).close()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((HOST, server.port))


def test_the_port_for_tls_is_handed_over_too(tmp_path):
    with running(new_vault(tmp_path / "world", {"config/server.md": {"tls_port": -1}})) as server:
        before = server.says("Over TLS it is open on")
        restarted(server, "SIGHUP")
        assert server.says("Over TLS it is open on", times=2) == before
        assert "Exits: " in TlsPlayer(server.tls_port).enters("Ana")


def test_a_client_that_does_not_read_cannot_hold_a_restart_up(tmp_path):
    with running(new_vault(tmp_path / "world")) as server:
        deaf = server.player("Deaf")
        deaf.socket.sendall(b"look\n" * 2000)
        server.player("Ana").asks("look")
        assert restarted(server, "SIGHUP") < BOUND_SECONDS
        assert server.player("Deaf")


def test_a_new_version_that_cannot_be_loaded_ends_nothing_until_it_can(tmp_path):
    program, vault = tmp_path / "program", new_vault(tmp_path / "world")
    for package in ("config", "world", "vault", "agents", "server"):
        shutil.copytree(ROOT / package, program / package, ignore=shutil.ignore_patterns("__pycache__"))
    python = tmp_path / "python"
    python.symlink_to(sys.executable)
    environ = f"PYTHONPATH={os.pathsep.join(path for path in sys.path if path and path != str(ROOT))}"
    command = [
        "env",
        environ,
        str(python),
        "-m",
        "server",
        "serve",
        "--vault",
        str(vault),
        "--port",
        "0",
        "--model",
        "none",
    ]
    with started(command, vault, program) as server:
        warden, ana = server.player(ADMIN), server.player("Ana")
        app = program / "server" / "app.py"
        as_it_was = app.read_text()
        app.write_text(f"{as_it_was}import nothing_of_that_name\n")
        line = as_it_was.count("\n") + 1
        warden.types("@shutdown --restart")
        warden.expects("could not open again:", BOUND_SECONDS)
        server.says(f"{app}:{line}: ModuleNotFoundError: No module named 'nothing_of_that_name'", BOUND_SECONDS)
        app.write_text(as_it_was)
        python.rename(tmp_path / "away")
        os.kill(server.pid, signal.SIGHUP)
        server.says(f"could not open again: {python} cannot be executed: No such file or directory.", BOUND_SECONDS)
        assert 'You say, "Still here."' in ana.asks("say Still here.")
        (tmp_path / "away").rename(python)
        restarted(server, "SIGHUP")
        assert server.player("Ana").asks("look")
        assert not server.failure


def test_who_shuts_the_terminal_in_which_the_world_runs_closes_it(tmp_path):
    vault, (ours, theirs) = new_vault(tmp_path / "world"), pty.openpty()
    server = subprocess.Popen(
        serve_command("--vault", str(vault), "--port", "0", "--model", "none"),
        cwd=ROOT,
        env=CLEAN,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    try:
        os.close(theirs)
        shown = b""
        while OPEN.encode() not in shown:
            shown += os.read(ours, 4096)
        os.kill(server.pid, signal.SIGHUP)
        while shown.count(OPEN.encode()) < 2:  # the terminal is there, so somebody wants a restart
            shown += os.read(ours, 4096)
        os.close(ours)
        os.kill(server.pid, signal.SIGHUP)
        server.wait(BOUND_SECONDS)
    finally:
        with suppress(ProcessLookupError):
            server.kill()
        server.wait()


GIVING = """
import os, socket, sys
telnet = socket.create_server(("127.0.0.1", 0), backlog=512)
os.dup2(telnet.fileno(), 3)
os.set_inheritable(3, True)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", LISTEN_FDNAMES="telnet")
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


def test_a_socket_given_as_systemd_does_is_used_and_outlives_restarts(tmp_path):
    vault = new_vault(tmp_path / "world")
    serve = serve_command("--vault", str(vault), "--port", "1", "--model", "none")[1:]  # not to be opened
    with started([sys.executable, "-c", GIVING, *serve], vault) as server:
        assert server.port > 1023
        with calling(server.port) as calls:
            restarted(server, "SIGHUP")
            server.player("Ana").asks("look")
        assert calls.failed == []
        server.signal(signal.SIGTERM)
        assert server.exit_code() == 0


@pytest.mark.skipif(
    not shutil.which("systemd-socket-activate"), reason="systemd-socket-activate is missing: apt-get install systemd"
)
def test_the_first_caller_starts_a_world_that_systemd_listens_for(tmp_path):
    vault = new_vault(tmp_path / "world")
    port = free_port()
    activate = ["systemd-socket-activate", f"--listen={HOST}:{port}", "--fdname=telnet"]
    server = RunningServer(
        [*activate, *serve_command("--vault", str(vault), "--port", "1", "--model", "none")], vault, ROOT
    )
    try:
        server.says("Listening on")
        with socket.create_connection((HOST, port), timeout=LONG) as first:
            assert first.recv(100)
            server.wait_until_open()
            assert server.port == port
            ana = server.player("Ana")
            assert "Exits" in ana.asks("look")
    finally:
        server.kill()


@pytest.mark.embedded
def test_agents_who_think_are_back_with_every_memory_and_owe_their_answers(tmp_path):
    vault = new_vault(tmp_path / "world", {"config/agents.md": {"think_seconds": 2}})
    with running(vault, "embedded") as server:
        server.says("The agents think with the embedded model")
        ana = server.player("Ana")
        for number in range(10):
            ana.asks(f"say Eliza, remember the number {number}.")
        before = journal_lines(vault)
        assert restarted(server, "SIGHUP") < BOUND_SECONDS
        ana = server.player("Ana")
        ana.asks("say Eliza, remember the number 10.")  # said before any model is loaded
        server.says("The agents think with the embedded model", times=2)
        ana.expects("Eliza ")
        server.signal(signal.SIGTERM)
        assert server.exit_code(BOUND_SECONDS) == 0
        assert not server.failure
    after = journal_lines(vault)
    assert [after[name][: len(lines)] for name, lines in before.items()] == list(before.values())
    numbers = [line.rpartition("^m")[2] for line in after["Eliza"]]
    assert numbers == [str(number) for number in range(1, len(numbers) + 1)]
    told = "\n".join(after["Eliza"])
    assert [told.count(f"remember the number {number}.") for number in range(11)] == [1] * 11
