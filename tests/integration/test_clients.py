"""Six client programs that people really use: each enters, looks, speaks and leaves, and shows everything whole."""

from __future__ import annotations

import re

import pytest

from tests.integration.line_player import SECRET
from tests.integration.programs import (
    NETCAT,
    PLINK,
    TELNET,
    TELNETLIB3,
    TINTIN,
    TINYFUGUE,
    screen_of,
)
from tests.integration.running import new_vault, running

pytestmark = [pytest.mark.integration, pytest.mark.client]

PROGRAMS = [TELNET, TINTIN, TINYFUGUE, PLINK, NETCAT, TELNETLIB3]
# Telnet's own bytes on a screen: as what is no UTF-8, as Latin-1, as carets, or by name.
STRAY = re.compile(r"[\ufffd\xff\x80-\x9f]|\^[\[MJ@]|\bIAC\b")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running(new_vault(tmp_path_factory.mktemp("clients") / "world")) as server:
        yield server


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_a_client_enters_looks_speaks_and_leaves(program, server, tmp_path):
    with screen_of(program, server.port, tmp_path) as screen:
        witness = server.player("Witness")
        screen.enters("Ana")
        screen.shows("Exits: north (Pump Yard), east (Eel Stage), west (Ink Yard).")
        screen.shows("\n>")  # the prompt; TinyFugue keeps it in the line that is typed into
        screen.types("say Good morning to you")
        screen.shows('You say, "Good morning to you"')
        witness.expects('Ana says, "Good morning to you"\n')
        witness.types("say And to you")
        screen.shows('\nWitness says, "And to you"')
        screen.types("quit")
        shown = screen.shows("The river goes on without you, and somebody makes a note of the time.")
        witness.expects("Ana falls asleep and is gone.\n")
        witness.close()
    assert "Welcome to Fallwater, a small town at the foot of a long weir.\n\nIt makes paper" in shown
    assert not STRAY.search(shown) or program is NETCAT, shown  # netcat shows every byte there is
    assert SECRET not in shown or program is NETCAT, shown  # nor can it be asked to hide anything
    assert "say Good morning to you" in shown  # what is typed is shown again


@pytest.mark.parametrize("program", [p for p in PROGRAMS if p is not NETCAT], ids=lambda program: program.name)
def test_no_password_stands_on_a_screen_wrong_or_right_old_or_new(program, server, tmp_path):
    server.player(name := f"Eve-{'abcdef'[PROGRAMS.index(program)]}").close()
    with screen_of(program, server.port, tmp_path) as screen:
        screen.enters(name, "a wrong secret")
        screen.shows(f"Wrong password for {name}.")
        screen.types(SECRET)
        screen.shows("Exits:")
        screen.types("@password")
        screen.shows("Your password now:")
        screen.types(SECRET)
        screen.shows("Your new password:")
        screen.types("another secret")
        screen.shows("Password changed.")
        screen.types("say Seen again")
        shown = screen.shows('You say, "Seen again"')
    assert "secret" not in shown, shown
    assert "say Seen again" in shown, shown
    server.player().enters(name, "another secret")
    assert "secret" not in server.log


# TinyFugue knows seven bits only, whatever is typed.
@pytest.mark.parametrize("program", [p for p in PROGRAMS if p is not TINYFUGUE], ids=lambda program: program.name)
def test_letters_beyond_ascii_go_through_whole(program, server, tmp_path):
    with screen_of(program, server.port, tmp_path) as screen:
        witness = server.player("Witness")
        screen.enters("Ben")
        screen.shows("Exits:")
        screen.types("say Grüße ✓ 你好")
        screen.shows('You say, "Grüße ✓ 你好"')
        witness.expects('Ben says, "Grüße ✓ 你好"\n')
        witness.close()


def test_no_client_left_a_traceback_in_the_log(server):
    assert not server.failure
