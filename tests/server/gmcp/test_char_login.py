"""A client that comes in by itself: through the same door as whoever types."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from config.settings import ServerSettings
from server.accounts.passwords import Origin
from server.gmcp.client import REPEATED_SECONDS
from tests.server.fake_connection import SECRET
from tests.server.front_door import Thread, lobby_of
from tests.server.gmcp.talking import ALL, Talker
from tests.world.inn import inn_game

WRONG = {"success": False, "message": "Wrong password for Ana."}
RIGHT = {"success": True, "message": ""}


@pytest.fixture
def game():
    return inn_game()


@pytest.fixture
def registry(game, tmp_path):
    registry = lobby_of(tmp_path, game, ServerSettings(password_tries=3))
    first = Talker(registry)
    first.enters("Ana")
    first.hangs_up()
    return registry


def credentials(talker: Talker, account: object = "Ana", password: object = SECRET) -> Any:
    """Give them, and return what comes of it, if that is known at once."""
    talker.connection.screen()
    talker.tells("Char.Login.Credentials", {"account": account, "password": password})
    found = talker.told("Char.Login.Result")
    assert len(found) <= 1
    return found[0] if found else None


def test_it_is_offered_once_and_only_at_the_door(registry):
    ana = Talker(registry, *ALL)
    ana.tells("Core.Supports.Add", ["Char.Login 1"])
    assert ana.told("Char.Login.Default") == [{"type": ["password-credentials"]}]
    ana.enters("Ana")
    ana.tells("Core.Supports.Add", ["Char.Login 1"])
    assert ana.told("Char.Login.Default") == []


def test_it_is_not_offered_to_a_client_that_does_not_take_it(registry):
    assert Talker(registry, "Room 1").told() == []


@pytest.mark.parametrize(("name", "password"), [("Ana", SECRET), ("aNA", SECRET), ("guest", "")])
def test_name_and_password_bring_a_client_in(registry, name, password):
    client = Talker(registry, *ALL)
    assert credentials(client, name, password) == RIGHT
    assert "The Common Room\n" in client.connection.screen()
    assert client.types("say hello") == 'You say, "hello"\n> '


def test_a_wrong_password_is_told_and_the_questions_go_on(registry):
    ana = Talker(registry, *ALL)
    assert credentials(ana, "Ana", "wrong") == WRONG
    assert ana.connection.screen().endswith("Password: ")
    assert ana.types(SECRET).startswith("\nWrong passwords for your name since your last login: 1.\n")


def test_wrong_ones_are_counted_with_those_that_are_typed(registry):
    ana = Talker(registry, *ALL)
    assert credentials(ana, "Ana", "wrong") == WRONG
    ana.types("wrong as well")
    ended = credentials(ana, "Ana", "wrong again")
    assert ended["message"].startswith("Too many wrong passwords: the connection closes.")
    assert not ana.connection.is_open
    assert registry.login_services.authenticator.wait_seconds("Ana", Origin("127.0.0.1")) > 0


def test_guessing_has_to_wait_as_for_whoever_types(registry):
    for _ in range(3):
        guesser = Talker(registry, *ALL)
        credentials(guesser, "Ana", "wrong")
        guesser.hangs_up()
    ana = Talker(registry, *ALL)
    assert credentials(ana) == {"success": False, "message": "Wait 2 seconds, then try again."}
    registry.clock.advance(2)
    assert credentials(ana) == RIGHT


def test_a_name_that_will_not_do_is_refused_with_the_rule(registry):
    ana = Talker(registry, *ALL)
    refused = credentials(ana, "../x", SECRET)
    assert refused == {
        "success": False,
        "message": "That is not a valid name. "
        "A name has 2 to 20 letters, such as Ana; a hyphen or apostrophe may be inside.",
    }
    assert credentials(ana, "Rook")["message"].startswith("Rook lives here already and is one of the agents.")
    assert ana.enters("Ana").startswith("The Common Room\n")


def test_a_new_name_chooses_its_password_where_one_types(registry, game):
    eve = Talker(registry, *ALL)
    assert credentials(eve, "Eve") == {
        "success": False,
        "message": "Eve has no password yet. Choose one where you type.",
    }
    assert eve.connection.screen().endswith("Choose a password: ")
    assert "Eve" not in game.world.characters
    assert "The Common Room" in eve.types("another secret")


def test_a_password_for_one_time_is_followed_by_one_of_ones_own(registry):
    registry.login_services.passwords.hash("once-only", "").addCallback(
        lambda kept: registry.login_services.accounts.set_one_time_password("Ana", kept)
    )
    ana = Talker(registry, *ALL)
    told = credentials(ana, "Ana", "once-only")
    assert told == {"success": False, "message": "That was a one-time password. Choose one of your own now."}
    assert "The Common Room" in ana.types("another secret")


@pytest.mark.parametrize(
    "payload",
    [
        None,
        [],
        "Ana",
        {},
        {"account": "Ana"},
        {"account": "Ana", "password": 5},
        {"account": ["Ana"], "password": "x"},
        {"account": " ", "password": "x"},
    ],
)
def test_what_is_no_account_and_password_is_refused_and_costs_nothing(registry, payload):
    ana = Talker(registry, *ALL)
    ana.tells("Char.Login.Credentials", payload)
    assert ana.told("Char.Login.Result") == [
        {"success": False, "message": "Char.Login.Credentials needs an account and a password."}
    ]
    assert registry.login_services.accounts.account("Ana").failed == 0


def test_whoever_is_in_cannot_come_in_again(registry):
    ana = Talker(registry, *ALL)
    ana.enters("Ana")
    assert credentials(ana) == {"success": False, "message": "You are in already."}


# Typing and telling at once


@pytest.fixture
def lines(game):
    """The lines that are taken for commands."""
    taken: list[str] = []
    game.subscribe_lines("test", lambda character_id, text, performed: taken.append(text))
    return taken


@pytest.mark.parametrize(("before", "after"), [([], ["Ana", SECRET]), (["Ana"], [SECRET])])
def test_a_client_that_types_the_same_as_well_comes_in_once(registry, lines, before, after):
    ana = Talker(registry, *ALL)
    ana.types(*before)
    assert credentials(ana) == RIGHT
    assert not ana.connection.is_hidden
    assert "The Common Room\n" in ana.types(*after, "look")
    assert lines == ["look"]
    assert list(registry.playing) == ["Ana"]


@pytest.mark.parametrize(("seconds", "typed"), [(REPEATED_SECONDS, ["Ana"]), (0, ["look", "Ana"])])
def test_after_a_while_or_another_line_a_name_is_a_command_again(registry, lines, seconds, typed):
    ana = Talker(registry, *ALL)
    credentials(ana)
    registry.clock.advance(seconds)
    ana.types(*typed)
    assert lines == typed


def known_and_busy(game, tmp_path):
    """Return a lobby that knows Ana, what looks at passwords there when it is told to, and a client at the door."""
    thread = Thread()
    registry = lobby_of(tmp_path, game, ServerSettings(), in_thread=thread)
    first = Talker(registry)
    first.types("Ana", SECRET)
    thread.goes_on()
    first.hangs_up()
    return registry, thread, Talker(registry, *ALL)


def test_while_one_password_is_looked_at_no_other_is(game, tmp_path):
    registry, thread, ana = known_and_busy(game, tmp_path)
    ana.types("Ana", SECRET)
    assert credentials(ana) == {"success": False, "message": "Your password is being checked already."}
    thread.goes_on()
    assert thread.jobs == []
    assert "The Common Room" in ana.screen()
    assert list(registry.playing) == ["Ana"]


def test_whoever_hangs_up_meanwhile_is_told_nothing(game, tmp_path):
    registry, thread, ana = known_and_busy(game, tmp_path)
    credentials(ana)
    ana.hangs_up()
    thread.goes_on()
    assert ana.told("Char.Login.Result") == []
    assert registry.playing == {}


def test_no_password_is_in_the_log(registry, caplog):
    with caplog.at_level(logging.DEBUG):
        credentials(Talker(registry, *ALL), "Ana", "a wrong one")
        credentials(Talker(registry, *ALL))
    assert SECRET not in caplog.text and "a wrong one" not in caplog.text
