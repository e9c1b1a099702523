"""Six client programs that people really use: each plays, shows everything whole, in colour, and inflates it."""

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

EXITS = "Exits: north (Pump Yard), east (Eel Stage), west (Ink Yard)."
CYAN = f"\x1b[36m{EXITS}"
FAREWELL = "The river goes on without you, and somebody makes a note of the time."
PROGRAMS = [TELNET, TINTIN, TINYFUGUE, PLINK, NETCAT, TELNETLIB3]
# Telnet's own bytes on a screen: as what is no UTF-8, as Latin-1, as carets, or by name.
STRAY = re.compile(r"[\ufffd\xff\x80-\x9f]|\^[\[MJ@]|\bIAC\b")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_a_client_enters_looks_speaks_and_leaves(program, server, tmp_path):
    with screen_of(program, server.port, tmp_path) as screen:
        witness = server.player("Witness")
        screen.enters("Ana")
        screen.shows(EXITS)
        screen.shows("\n>")  # the prompt; TinyFugue keeps it in the line that is typed into
        screen.types("say Good morning to you")
        screen.shows('You say, "Good morning to you"')
        witness.expects('Ana says, "Good morning to you"\n')
        witness.types("say And to you")
        screen.shows('\nWitness says, "And to you"')
        screen.types("quit")
        shown = screen.shows(FAREWELL)
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


# Colours, for those that say they show them


@pytest.mark.parametrize("program", [TELNET, TINTIN, TINYFUGUE, PLINK], ids=lambda program: program.name)
def test_exits_are_cyan_until_the_player_wants_no_colour(program, server, tmp_path):
    with screen_of(program, server.port, tmp_path) as screen:
        screen.enters("Cleo")
        screen.shows(EXITS)
        assert CYAN in screen.colored()
        screen.types("color off")
        screen.shows("Colours are off.")
        screen.types("look")
        screen.shows(EXITS, times=2)
        assert screen.colored().count(CYAN) == 1
        screen.types("color auto")
        screen.shows("Colours are on if your client reports them.")


def test_a_client_that_says_nothing_is_sent_no_escapes(server, tmp_path):
    with screen_of(NETCAT, server.port, tmp_path) as screen:
        screen.enters("Nat")
        screen.shows(EXITS)
        assert "\x1b[" not in screen.colored()
        screen.types("color on")
        screen.types("look")
        screen.shows(EXITS, times=2)
        assert CYAN in screen.colored()


# Compression, to which TinTin++ and TinyFugue agree by themselves


def speaks(screen):
    """Say three things, so that there is something to inflate."""
    screen.shows(EXITS)
    for word in ("one", "two", "three"):
        screen.types(f"say {word} for the page")
        screen.shows(f'You say, "{word} for the page"')


def test_tintin_inflates_everything_from_the_door_to_the_farewell(server, tmp_path):
    with screen_of(TINTIN, server.port, tmp_path) as screen:
        screen.enters("Tina")
        speaks(screen)
        screen.types("#info mccp")
        shown = screen.shows("#INFO MCCP2: TOTAL IN:")
        came, read = map(int, re.findall(r"TOTAL IN: +([0-9]+) +TOTAL OUT: +([0-9]+)", shown)[0])
        screen.types("quit")
        shown = screen.shows(FAREWELL)
        screen.shows("#SESSION 'fallwater' DIED.")
    assert came < read * 0.8
    assert "Welcome to Fallwater" in shown
    assert "COMPRESSION ERROR" not in shown


def test_tinyfugue_inflates_everything_from_the_door_to_the_farewell(server, tmp_path):
    with screen_of(TINYFUGUE, server.port, tmp_path) as screen:
        screen.enters("Fay")
        speaks(screen)
        screen.types("quit")
        shown = screen.shows(FAREWELL)
    assert "nflate" not in shown


def test_where_it_is_switched_off_nobody_is_offered_any(tmp_path):
    vault = new_vault(tmp_path / "world", {"config/server.md": {"compression": "false"}})
    (tmp_path / "home").mkdir()
    with running(vault) as server, screen_of(TINTIN, server.port, tmp_path / "home") as screen:
        screen.enters("Tina")
        speaks(screen)
        screen.types("#info mccp")
        screen.types("quit")
        assert "TOTAL IN" not in screen.shows(FAREWELL)
