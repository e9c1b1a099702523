"""What people, files and networks get wrong: a clear message, nothing lost, and everybody else unaffected."""

from __future__ import annotations

import re
import socket
import time

import pytest

from tests.integration.line_player import HOST, LinePlayer
from tests.integration.running import new_vault, running

pytestmark = pytest.mark.integration

PROMPT_ENOUGH = 20.0  # seconds for another player's look; on an idle machine it takes milliseconds
UNBRAKED = {"config/server.md": {"lines_per_second": 5000}}  # or a minute would be waited for a paste to be let in


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One server for all of this module; at the end nothing of it has left a traceback."""
    with running(new_vault(tmp_path_factory.mktemp("bad") / "world", UNBRAKED)) as server:
        yield server
        assert not server.failure
        assert "failed" not in server.log


@pytest.fixture
def bystander(server):
    """Somebody else, who is answered before and after."""
    bystander = server.player("Bystander")
    looks(bystander)
    yield bystander
    looks(bystander)
    bystander.close()


def looks(player: LinePlayer) -> None:
    """Look, as somebody whom none of this concerns, and be answered soon."""
    player.types("look")
    player.expects("Exits: north (Pump Yard), east (Eel Stage), west (Ink Yard).\n", PROMPT_ENOUGH)


def test_a_line_of_ten_megabytes_is_ignored_and_told(server, bystander):
    ana = server.player("Ana")
    ana.socket.sendall(b"say " + b"a" * 5_000_000)
    looks(bystander)
    ana.socket.sendall(b"a" * 5_000_000 + b"\nlook\n")
    ana.expects("That line was ignored: it is longer than 4096 bytes.\n> ")
    ana.expects("Exits: north (Pump Yard)")
    looks(bystander)
    assert "aaaa" not in bystander.text
    ana.close()


def test_a_line_that_never_ends_holds_nobody_up(server, bystander):
    ana = server.player("Ana")
    for _ in range(50):
        ana.socket.sendall(b"x" * 100_000)
    looks(bystander)
    ana.close()


def test_bytes_that_are_no_utf_8_are_shown_as_such_and_the_rest_as_it_is(server, bystander):
    ana = server.player("Ana")
    ana.socket.sendall(b"say na\xefve caf\xe9\n")
    ana.expects('You say, "naïve café"')  # as a Windows client sends it that has said nothing of itself
    ana.types("say naïve")  # and as one sends it that has UTF-8 after all
    ana.expects('You say, "naïve"')
    ana.socket.sendall(b"say caf\xe9 \xc3\x28 \xf0\x28\x8c\xbc end\n")
    ana.expects('You say, "caf\ufffd \ufffd( \ufffd(\ufffd\ufffd end"')
    bystander.expects('Ana says, "caf\ufffd \ufffd( \ufffd(\ufffd\ufffd end"')
    ana.close()


def files(vault):
    """Return all files of a vault and beside it, but for drafts, which come and go."""
    found = {path for path in vault.parent.rglob("*") if path.is_file()}
    return {path for path in found if not path.name.endswith(".draft")}


NAMES = [
    "../x",
    "..",
    "/etc/passwd",
    "---",
    "-",
    "'",
    "con",
    "nul",
    "x" * 200,
    "[[Moss]]",
    "a b",
    "me",
    "%s",
    "{0}",
    "Éliza",
    "Wаrden",
]


@pytest.mark.parametrize("name", NAMES, ids=lambda name: name[:12])
def test_a_name_that_nobody_can_have_is_refused_and_asked_again(name, server, bystander):
    before = files(server.vault)
    caller = server.player()
    caller.expects("By what name shall we know you? ")
    caller.types(name)
    told = caller.expects("By what name shall we know you? ")
    assert re.search(r"is not\s+a\s+valid\s+name|is the name of something else here\.|looks too much like", told), told
    assert files(server.vault) == before
    caller.names("Ana")
    caller.expects("Exits: ")
    caller.close()


def test_the_name_of_an_agent_is_refused_with_the_reason(server, bystander):
    caller = server.player()
    caller.expects("By what name shall we know you? ")
    caller.types("eliza")
    caller.expects("Eliza lives here already and is one of the agents. Choose another name.")
    caller.close()


def test_a_second_session_takes_the_character_over_and_tells_the_first(server, bystander):
    first = server.player("Twice")
    bystander.expects("Twice wakes up here.")
    second = server.player()
    assert second.enters("twice").startswith("The Landing\n")
    assert "You have connected from somewhere else, and go on there." in first.is_shown_out()
    second.types("say It is still me")
    told = bystander.expects('Twice says, "It is still me"')
    assert "Twice falls asleep" not in told
    bystander.types("where")
    bystander.expects("Twice is in The Landing.")
    second.types("quit")
    assert "Twice is in" not in bystander.expects("Twice falls asleep and is gone.")


def test_callers_who_hang_up_at_once_leave_nothing_behind(server, bystander):
    before = server.sockets
    for number in range(200):
        caller = socket.create_connection((HOST, server.port))
        if number % 3 == 1:
            caller.sendall(b"Half a na")
        if number % 3 == 2:
            caller.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # hang up with a reset
        caller.close()
    looks(bystander)
    until = time.monotonic() + PROMPT_ENOUGH
    while server.sockets > before and time.monotonic() < until:
        looks(bystander)
    assert server.sockets <= before


def test_thousands_of_lines_in_one_packet_are_all_done_and_hold_nobody_up(server, bystander):
    ana = server.player("Ana")
    ana.socket.sendall(b"inventory\n" * 4000 + b"say done\n")
    looks(bystander)
    ana.expects('You say, "done"')
    assert ana.text.count("You carry nothing.") == 4000
    ana.close()


def test_who_never_reads_is_dropped_and_others_go_on(server, bystander):
    deaf = server.player("Ana")
    with pytest.raises(OSError):
        for _ in range(2000):
            deaf.socket.sendall(b"help\nlook\n" * 1000)
    looks(bystander)
    server.says("does not read; dropped with")


def test_broken_telnet_is_no_trouble_for_anybody(server, bystander):
    ana = server.player("Ana")
    ana.socket.sendall(bytes([255, 250, 31, 255, 240, 255, 255, 255, 236, 255, 238, 255, 250]) + b"z" * 100_000)
    looks(bystander)
    ana.socket.sendall(bytes([255, 240]) + b"\nsay still here\n")
    ana.expects('You say, "still here"')
    ana.socket.sendall(b"".join(bytes([255, 251 + number % 4, number % 255]) for number in range(20_000)) + b"look\n")
    looks(bystander)
    ana.expects("Exits: north (Pump Yard)")
    ana.close()
