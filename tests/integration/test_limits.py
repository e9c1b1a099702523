"""What one machine may ask of a world, and that those who play notice nothing of who asks for more."""

from __future__ import annotations

import os
import re
import select
import shlex
import socket
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.integration.line_player import HOST, LONG
from tests.integration.running import RunningServer, eventually, new_vault, running, serve_command, started

pytestmark = pytest.mark.integration

PROMPT_ENOUGH = 20.0  # on an idle machine it takes milliseconds
STORM = 600
MEGABYTE = 1024 * 1024

CHANGES = {"config/server.md": {"lines_per_second": 50, "lines_at_once": 20, "max_negotiation_bytes": 20_000}}
"""The server of this module takes few lines at once, and little talk."""


def comes_in(server: RunningServer, name: str) -> bool:
    """Try to come in; who has just hung up may still be counted for a second."""
    try:
        return "Exits" in server.player(name).asks("look")
    except AssertionError:
        return False


def storm(port: int, count: int) -> list[socket.socket]:
    """Connect as often as that, all at once."""
    callers = []
    for _ in range(count):
        caller = socket.socket()
        caller.setblocking(False)
        caller.connect_ex((HOST, port))
        callers.append(caller)
    return callers


def still_open(callers: list[socket.socket]) -> int:
    """Read what has come, and return how many have not been hung up on."""
    count = 0
    for caller in callers:
        try:
            while (content := caller.recv(65536)) != b"":
                del content
        except BlockingIOError:
            count += 1
        except OSError:
            pass
    return count


def test_a_paste_of_two_hundred_lines_comes_through_whole_and_in_order_only_slowed(server):
    ana, bystander = server.player("Ana"), server.player("Bystander")
    began = time.monotonic()
    ana.socket.sendall("".join(f"say line {number}.\r\n" for number in range(200)).encode())
    bystander.looks(PROMPT_ENOUGH)
    ana.expects('You say, "line 199."')
    assert re.findall(r'You say, "line (\d+)\."', ana.text) == [str(number) for number in range(200)]
    assert time.monotonic() - began > (200 - 20) / 50 - 0.5
    ana.close()
    bystander.close()


def test_a_house_that_is_full_says_so_and_closes_and_has_room_again_when_somebody_goes(tmp_path):
    with running(new_vault(tmp_path / "world", {"config/server.md": {"max_connections": 3}})) as server:
        ana, ben, caller = server.player("Ana"), server.player("Ben"), server.player()
        rejection_for = server.player().is_shown_out()
        assert rejection_for == "The world is full: 3 people are here. Come back later.\n"
        caller.close()
        ana.asks("look")
        assert eventually(lambda: comes_in(server, "Cat"))
        ben.expects("Cat")


def test_a_storm_of_callers_is_bounded_and_who_plays_goes_on(tmp_path):
    with running(new_vault(tmp_path / "world", {"config/server.md": {"max_connections": 50}})) as server:
        ana = server.player("Ana")
        before = server.resident_bytes
        callers = storm(server.port, STORM)
        most = 0
        for _ in range(20):
            ana.looks(PROMPT_ENOUGH)
            most = max(most, server.open_files)
        server.says("rejected: too many connections")
        assert eventually(lambda: still_open(callers) == 49)  # and Ana
        assert most < 50 + 64 + 80
        assert server.resident_bytes - before < 40 * MEGABYTE
        for caller in callers:
            caller.close()
        assert eventually(lambda: server.open_files < 80)
        assert eventually(lambda: comes_in(server, "Ben"))
        assert not server.failure


def test_when_file_handles_are_few_nobody_notices_but_who_is_one_too_many(tmp_path):
    vault = new_vault(tmp_path / "world")
    command = serve_command("--vault", str(vault), "--port", "0", "--model", "none")
    with started(["sh", "-c", f"ulimit -n 260; exec {shlex.join(command)}"], vault) as server:
        server.says("max_connections is 500, but the limit of open files (ulimit -n) has room for")
        ana = server.player("Ana")
        callers = storm(server.port, STORM)
        for number in range(10):
            ana.looks(PROMPT_ENOUGH)
            ana.asks(f"say number {number}")  # which is remembered, by agents who open their journals for it
        ana.asks("get letter")
        assert cpu_seconds(server, during=2.0) < 1.0  # it does not spin
        for caller in callers:
            caller.close()
        assert eventually(lambda: comes_in(server, "Ben"))
        server.signal(15)
        assert server.exit_code() == 0
        assert server.lines[-1] == "Everything is saved. Good-bye."
        assert not server.failure
        assert "Too many open files" not in server.log


def cpu_seconds(server: RunningServer, during: float) -> float:
    """Return how much of a processor the server takes meanwhile, in seconds."""

    def taken() -> float:
        fields = Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    before = taken()
    select.select([], [], [], during)
    return taken() - before


def test_what_many_hostile_connections_hold_is_bounded(tmp_path):
    with running(new_vault(tmp_path / "world")) as server:
        ana = server.player("Ana")
        before = server.resident_bytes
        callers = [socket.create_connection((HOST, server.port), timeout=LONG) for _ in range(100)]
        for caller in callers:
            caller.setblocking(False)
        for content in (b"x" * 500_000, b"\xff\xfa\x1f" + b"z" * 500_000, b"look\n" * 100_000):
            for caller in callers:
                with suppress(OSError):
                    caller.send(content)
            ana.looks(PROMPT_ENOUGH)
        assert server.resident_bytes - before < 100 * MEGABYTE / 2
        for caller in callers:
            caller.close()
        ana.looks(PROMPT_ENOUGH)
        assert not server.failure
