"""Somebody whose connection is lost stands where they are for a while, and goes on when they come back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from config.settings import ServerSettings
from tests.server.fake_connection import Guest, entered
from tests.server.front_door import lobby_of
from tests.server.web.browsing import Browser, House
from tests.world.inn import inn_game

ASLEEP = "\nAna falls asleep and is gone.\n> "


@pytest.fixture
def registry(tmp_path):
    return lobby_of(tmp_path, inn_game(), ServerSettings(return_seconds=60))


@pytest.fixture
def ana(registry):
    guest = entered(registry, "Ana")
    return guest


@pytest.fixture
def ben(registry, ana):
    guest = entered(registry, "Ben")
    ana.screen()
    return guest


def test_a_lost_connection_is_noticed_by_nobody_until_its_time_is_over(registry, ana, ben):
    ana.hangs_up()
    registry.clock.advance(59.9)
    assert ben.screen() == ""
    assert registry.game.world.characters["Ana"].awake
    registry.clock.advance(0.1)
    assert ben.screen() == ASLEEP
    assert not registry.game.world.characters["Ana"].awake
    assert registry.playing == {"Ben": ben.session}


def test_whoever_looks_or_speaks_to_the_absent_sees_that_they_are(registry, ana, ben):
    ana.hangs_up()
    assert "  Ana, absent for a moment\n" in ben.types("who")
    assert "Ana looks absent for a moment.\n" in ben.types("examine ana")
    assert ben.types("tell ana are you there?").endswith("Ana looks absent for a moment.\n> ")
    Guest(registry).enters("Ana")
    assert "absent" not in ben.types("who", "examine ana")


def test_whoever_comes_back_reads_what_was_missed_and_nobody_notices(registry, ana, ben):
    ana.hangs_up()
    ben.types("say Where was I?", ":scratches his head.")
    back = Guest(registry).enters("Ana")
    assert back.endswith('\nWhile your connection was lost:\nBen says, "Where was I?"\nBen scratches his head.\n> ')
    assert ben.screen() == ""
    registry.clock.advance(61)
    assert registry.game.world.characters["Ana"].awake
    assert "lost:" not in Guest(registry).enters("Ana")


def test_whoever_missed_nothing_only_sees_the_room(registry, ana):
    before = ana.types("look")
    ana.hangs_up()
    assert Guest(registry).enters("Ana") == before


def test_whom_one_follows_and_answers_stays_as_it_was(registry, ana, ben):
    ana.types("follow ben")
    ben.types("tell ana This way.")
    ana.hangs_up()
    ben.types("north")
    back = Guest(registry)
    assert back.enters("Ana").startswith("The Kitchen\n")
    assert back.types("reply I am here.") == 'You tell Ben, "I am here."\n> '
    assert 'Ben tells you, "This way."' in back.types("history")


def test_the_password_is_needed_to_come_back(registry, ana, ben):
    ana.hangs_up()
    stranger = Guest(registry)
    assert "Wrong password for Ana." in stranger.enters("Ana", "a guess at it")
    registry.clock.advance(60)
    assert ben.screen() == ASLEEP


def test_guests_and_those_who_are_sent_home_are_not_waited_for(registry, ana, ben):
    guest = Guest(registry)
    guest.types("guest")
    registry.kick("Ana", "Out with you.")
    ana.hangs_up()
    guest.hangs_up()
    assert registry.linkdead.names == []
    assert ben.screen().endswith("Ana falls asleep and is gone.\nGuest1 falls asleep and is gone.\n> ")


def test_nobody_is_waited_for_where_the_setting_says_so(tmp_path):
    registry = lobby_of(tmp_path, inn_game(), ServerSettings(return_seconds=0))
    ana = entered(registry, "Ana")
    ana.hangs_up()
    assert not registry.game.world.characters["Ana"].awake


def test_one_whose_note_is_removed_meanwhile_is_forgotten(registry, ana):
    ana.hangs_up()
    del registry.game.world.characters["Ana"]
    registry.clock.advance(60)
    assert registry.linkdead.names == []


def test_only_the_last_of_what_was_missed_is_shown(registry, ana, ben):
    ana.hangs_up()
    registry.login_services = replace(registry.login_services, settings=ServerSettings(speech_per_second=0))
    for number in range(60):
        ben.types(f"say {number}")
    back = Guest(registry).enters("Ana")
    assert ('Ben says, "9"' in back, 'Ben says, "10"' in back, back.count("Ben says")) == (False, True, 50)


def test_when_the_world_closes_the_absent_fall_asleep_and_when_it_restarts_nobody_does(registry, ana, ben):
    ana.hangs_up()
    registry.send_home(lambda character, returns: "It goes on at once.")
    assert ben.screen() == "\nIt goes on at once.\n"
    ben.hangs_up()
    awake = [one.name for one in registry.game.world.awake()]
    registry.send_home()
    assert (awake, [one.name for one in registry.game.world.awake()]) == (["Ana", "Ben"], ["Ben"])


def test_absent_guests_count_for_their_address(tmp_path):
    house = House(tmp_path, ServerSettings(return_seconds=60, connections_per_address=3))
    entered(house.registry, "Ana").hangs_up()
    browsers = [Browser(house) for _ in range(120)]
    for browser in browsers:
        browser.enters("guest")
        browser.plays().is_cut()
    assert house.registry.names_connected() == ["Guest1", "Guest2", "Guest3", "Ana"]
    assert house.registry.traffic["web"].refused["too_many_from_there"] == 117
    assert browsers[0].plays().texts[-1] == "Guest3 wakes up here.", "who returns takes no new place"
    house.goes_on(61)
    assert "The Common Room" in Guest(house.registry).enters("Cat")


def test_link_dead_players_count_for_their_address(registry, ana, ben):
    registry.login_services = replace(registry.login_services, settings=ServerSettings(connections_per_address=1))
    host, world = "203.0.113.9", registry.game.world
    for guest in (ana, ben):
        guest.hangs_up()
    registry.linkdead.take_missed(world.characters["Ana"])
    registry.linkdead.wait_for(world.characters["Ana"], host)
    assert "1 connections from your address" in Guest(registry, host).types("guest")
    assert "1 connections" not in Guest(registry, "203.0.113.10").types("guest")
    assert "While your connection was lost" in Guest(registry, host).enters("Ana"), "who returns takes no new place"
    assert "1 connections" not in Guest(registry, host).types("guest")
