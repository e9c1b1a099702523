"""Compressed sessions with TinTin++ and TinyFugue: each agrees to it by itself, and everything comes out whole."""

from __future__ import annotations

import re

import pytest

from tests.integration.programs import TINTIN, TINYFUGUE, screen_of
from tests.integration.running import new_vault, running

pytestmark = [pytest.mark.integration, pytest.mark.client]

FAREWELL = "The river goes on without you, and somebody makes a note of the time."


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running(new_vault(tmp_path_factory.mktemp("compression") / "world")) as server:
        yield server


def speaks(screen):
    screen.shows("Exits: north (Pump Yard), east (Eel Stage), west (Ink Yard).")
    for word in ("one", "two", "three"):
        screen.types(f"say {word} for the page")
        screen.shows(f'You say, "{word} for the page"')


def test_tintin_inflates_everything_from_the_door_to_the_farewell(server, tmp_path):
    with screen_of(TINTIN, server.port, tmp_path) as screen:
        screen.enters("Ana")
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
        screen.enters("Ben")
        speaks(screen)
        screen.types("quit")
        shown = screen.shows(FAREWELL)
    assert "nflate" not in shown


def test_where_it_is_switched_off_nobody_is_offered_any(tmp_path):
    vault = new_vault(tmp_path / "world", {"config/server.md": {"compression": "false"}})
    (tmp_path / "home").mkdir()
    with running(vault) as server, screen_of(TINTIN, server.port, tmp_path / "home") as screen:
        screen.enters("Ana")
        speaks(screen)
        screen.types("#info mccp")
        screen.types("quit")
        assert "TOTAL IN" not in screen.shows(FAREWELL)
