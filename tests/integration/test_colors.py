"""Colour on the screens of real clients: those that say they show it are sent it, whole, and the others none."""

from __future__ import annotations

import pytest

from tests.integration.programs import NETCAT, PLINK, TELNET, TINTIN, TINYFUGUE, screen_of
from tests.integration.running import new_vault, running

pytestmark = [pytest.mark.integration, pytest.mark.client]

EXITS = "Exits: north (Pump Yard), east (Eel Stage), west (Ink Yard)."
CYAN = f"\x1b[36m{EXITS}"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running(new_vault(tmp_path_factory.mktemp("colors") / "world")) as server:
        yield server


@pytest.mark.parametrize("program", [TELNET, TINTIN, TINYFUGUE, PLINK], ids=lambda program: program.name)
def test_exits_are_cyan_until_the_player_wants_no_colour(program, server, tmp_path):
    with screen_of(program, server.port, tmp_path) as screen:
        screen.enters("Ana")
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
        screen.enters("Ben")
        screen.shows(EXITS)
        assert "\x1b[" not in screen.colored()
        screen.types("color on")
        screen.types("look")
        screen.shows(EXITS, times=2)
        assert CYAN in screen.colored()
