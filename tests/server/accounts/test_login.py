"""The door: names, passwords, what is shown while typing, and what guessing comes to."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from twisted.internet.task import Clock

from config.settings import ServerSettings
from server.accounts.passwords import Origin
from server.accounts.schema import Account
from tests.server.fake_connection import SECRET, Guest, entered
from tests.server.front_door import FakeHasher, Thread, accounts_in, lobby_of, put_accounts
from tests.world.inn import inn_game
from world.entities import Character, Role

HOME, THERE = "192.0.2.7", "203.0.113.9"
ASK = "By what name shall we know you? "
NEW = (
    "Eve is a new name here: welcome! Choose a password of 6 characters or more and\n"
    "it is yours; @password changes it later. An empty line goes back to the name.\n"
    "Choose a password: "
)


@pytest.fixture
def registry(tmp_path):
    return lobby_of(tmp_path, inn_game())


@pytest.fixture
def eve(registry):
    """A lobby in which Eve has been before, from home."""
    guest = entered(registry, "Eve", HOME)
    guest.hangs_up()
    return registry


def account(registry, name: str) -> Account:
    found = registry.login_services.accounts.account(name)
    assert isinstance(found, Account)
    return found


# Somebody new


def test_somebody_new_chooses_a_password_unseen_and_is_in(registry):
    guest = Guest(registry, THERE)
    assert guest.types("eve") == NEW
    assert guest.connection.is_hidden
    assert guest.types(SECRET).startswith("\nType look.\nThe Common Room\n")
    assert not guest.connection.is_hidden
    assert account(registry, "EVE") == Account(
        "Eve", "player", FakeHasher().hash(SECRET), False, *["2026-11-18T11:06:40+00:00"] * 2, 0, *Origin(THERE).places
    )


@pytest.mark.parametrize(
    ("password", "reason"),
    [
        ("abcde", "That is too short: a password has 6 characters or more."),
        ("evelyn", "Your name is no safe password. Choose another one."),
        ("EVELYN", "Your name is no safe password. Choose another one."),
    ],
)
def test_a_password_that_anybody_would_guess_is_refused_and_asked_again(registry, password, reason):
    guest = Guest(registry, THERE)
    guest.types("evelyn")
    assert " ".join(guest.types(password).split()) == f"{reason} Choose a password:"
    assert guest.connection.is_hidden
    assert registry.login_services.accounts.account("Evelyn") is None


def test_an_empty_line_goes_back_to_the_name_and_nobody_new_is_made(registry, tmp_path):
    guest = Guest(registry, THERE)
    guest.types("evw")
    assert guest.types("") == f"\n{ASK}"
    assert not guest.connection.is_hidden
    assert list((tmp_path / "vault").iterdir()) == []
    assert accounts_in(tmp_path / "accounts") == {}
    assert guest.enters("eve").startswith("Type look.")


def test_nobody_new_comes_in_where_the_setting_says_so(tmp_path):
    registry = lobby_of(tmp_path, inn_game(), ServerSettings(new_accounts=False))
    assert Guest(registry, THERE).types("eve") == (
        "There is nobody called Eve here, and this world takes no new accounts.\n" + ASK
    )


def test_what_somebody_new_may_do_is_a_setting(tmp_path):
    registry = lobby_of(tmp_path, inn_game(), ServerSettings(new_role="builder"))
    Guest(registry, THERE).enters("eve")
    assert registry.game.world.characters["Eve"].role == Role.BUILDER


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("eve", f"\nSomebody else has taken the name Eve just now. Choose another one.\n{ASK}"),
        ("ève", f"\nÈve looks too much like Eve. Choose another name.\n{ASK}"),
    ],
)
def test_of_two_who_choose_the_same_new_name_or_nearly_the_same_the_quicker_has_it(registry, given, told):
    first, second = Guest(registry, HOME), Guest(registry, THERE)
    first.types("eve")
    second.types(given)
    first.types(SECRET)
    assert second.types("another secret") == told
    assert account(registry, "Eve").password == FakeHasher().hash(SECRET)


# Somebody who has been here


def test_a_name_that_is_known_is_asked_for_its_password(eve):
    guest = Guest(eve, THERE)
    assert guest.types("EVE") == "Password: "
    assert guest.connection.is_hidden
    assert guest.types(SECRET).startswith("\nThe Common Room\n")
    assert not guest.connection.is_hidden


def test_name_and_password_pasted_at_once_are_enough_and_what_follows_is_played(tmp_path):
    thread = Thread()
    registry = lobby_of(tmp_path, inn_game(), in_thread=thread)
    guest = Guest(registry, THERE)
    guest.types("eve", SECRET, "say I am here", "say still")
    assert (guest.connection.is_held, guest.unseen) == (True, [SECRET])
    thread.goes_on()
    assert guest.screen().endswith('You say, "I am here"\n> You say, "still"\n> ')


def test_while_a_password_is_looked_at_nothing_is_asked_and_nobody_else_waits(tmp_path):
    thread = Thread()
    registry = lobby_of(tmp_path, inn_game(), in_thread=thread)
    ben, eve = Guest(registry, HOME), Guest(registry, THERE)
    ben.types("benedict", SECRET)
    eve.types("guest")
    assert (ben.screen(), ben.connection.is_held) == ("", True)
    assert eve.types("say hello") == 'You say, "hello"\n> '


def test_whoever_hangs_up_while_the_password_is_looked_at_leaves_nothing_behind(tmp_path):
    thread = Thread()
    clock = Clock()
    registry = lobby_of(tmp_path, inn_game(), in_thread=thread, clock=clock)
    guest = Guest(registry, THERE)
    guest.types("eve", SECRET)
    guest.hangs_up()
    thread.goes_on()
    assert registry.login_services.accounts.account("Eve") is None
    assert (registry.sessions, clock.getDelayedCalls()) == (set(), [])


def test_a_wrong_password_is_told_and_asked_again_and_the_third_closes_the_door(eve):
    guest = Guest(eve, THERE)
    guest.types("eve")
    assert guest.types("wrong 1") == ("\nWrong password for Eve. An empty line goes back to the name.\nPassword: ")
    assert guest.connection.is_hidden
    guest.types("wrong 2")
    assert " ".join(guest.types("wrong 3").split()).startswith("Too many wrong passwords: the connection closes.")
    assert not guest.connection.is_open


def test_changing_the_name_gives_no_more_tries(eve):
    guest = Guest(eve, THERE)
    for number in range(3):
        guest.types("eve", f"wrong {number}", "")
    assert not guest.connection.is_open


def test_whoever_comes_in_hears_of_wrong_passwords_once(eve):
    Guest(eve, THERE).types("eve", "wrong 1", "wrong 2")
    guest = Guest(eve, HOME)
    assert guest.enters("eve").startswith("Wrong passwords for your name since your last login: 2.\nThe")
    guest.hangs_up()
    assert Guest(eve, HOME).enters("eve").startswith("The Common Room\n")


# Lines of MUSH clients


@pytest.mark.parametrize("name", ["Eve", "eve", '"Eve"', "“eve”"])
@pytest.mark.parametrize("verb", ["connect", "CONNECT", "conn", "co", "login", "create", "cr"])
def test_name_and_password_in_one_line_are_enough(eve, verb, name, caplog):
    caplog.set_level(logging.DEBUG)
    shown = Guest(eve, HOME).types(f"{verb} {name} {SECRET}")
    assert "The Common Room\n" in shown
    assert SECRET not in shown + caplog.text


def test_connect_asks_for_what_is_missing(eve):
    assert Guest(eve).types("connect eve") == "Password: "
    assert Guest(eve).types("connect Fay " + SECRET).endswith("Choose a password: ")
    assert eve.login_services.accounts.account("Fay") is None
    assert Guest(eve).types("connect guest").startswith("Type look.\n")
    assert "name of something else" in Guest(eve).types("connect")


def test_create_takes_a_name_and_its_password(registry):
    assert "The Common Room\n" in Guest(registry, THERE).types("create Fay " + SECRET)
    told = Guest(registry, THERE).types("create Gus abc")
    assert " ".join(told.split()) == "That is too short: a password has 6 characters or more. Choose a password:"
    assert registry.login_services.accounts.account("Gus") is None
    assert "The Common Room\n" in Guest(registry, THERE).types("connect Fay " + SECRET)


def test_wrong_passwords_in_one_line_count(eve):
    guest = Guest(eve, THERE)
    assert "Wrong password for Eve." in guest.types("connect eve wrong")
    assert "the connection closes" in " ".join(guest.types("", "connect eve wrong", "", "connect eve wrong").split())
    told = Guest(eve, THERE).types("connect eve " + SECRET)
    assert told == "Wait 2 seconds, then try again.\nPassword: "


@pytest.mark.parametrize("line", [SECRET, f"connect Rook {SECRET}", f"x {SECRET}", f'connect "E {SECRET}'])
def test_what_is_no_name_is_not_repeated(eve, line):
    assert SECRET not in Guest(eve, THERE).types(line)


# Guessing


def guess(registry, count: int, host: str = THERE) -> None:
    """Give so many wrong passwords for Eve from somewhere, each as soon as it may come."""
    guest: Guest | None = None
    for number in range(count):
        if guest is None or not guest.connection.is_open:
            guest = Guest(registry, host)
            guest.types("eve")
        registry.clock.advance(registry.login_services.authenticator.wait_seconds("eve", Origin(host)))
        guest.types(f"wrong {number}")
    if guest:
        guest.hangs_up()


def test_a_password_that_has_to_wait_is_answered_at_once(eve):
    guess(eve, 3)
    guest = Guest(eve, THERE)
    told = "\nWait 2 seconds, then try again.\nPassword: "
    guest.types("eve")
    assert [guest.types(SECRET) for _ in range(5)] == [told] * 5
    eve.clock.advance(2)
    assert "The Common Room" in guest.types(SECRET)


def test_of_many_passwords_at_once_only_some_are_checked(tmp_path):
    hasher, thread = FakeHasher(), Thread()
    registry = lobby_of(tmp_path, inn_game(), hasher=hasher, in_thread=thread)
    registry.login_services.accounts.claim("Eve", hasher.hash(SECRET))
    for number in range(50):
        Guest(registry, f"203.0.113.{number}").types("eve", "wrong")
        Guest(registry, THERE).types("eve", "wrong")
    while thread.jobs:
        thread.goes_on()
    assert len(hasher.asked) == 3


def test_owners_are_not_held_up_by_guesses_elsewhere_also_after_a_restart(eve, tmp_path):
    game = inn_game()
    game.world.add_character(Character("Eve", "The Cellar"))
    for registry in (eve, lobby_of(tmp_path, game)):
        for number in range(20):
            guess(registry, 3, f"203.0.113.{number}")
        assert "Wrong passwords for your name" in Guest(registry, HOME).enters("eve")


# From before there were passwords


def test_who_was_here_before_passwords_chooses_one_from_this_machine(registry):
    guest = Guest(registry)
    assert " ".join(guest.types("ana").split()) == (
        "Ana has no password yet. Choose one now, of 6 characters or more. "
        "An empty line goes back to the name. Choose a password:"
    )
    assert guest.types(SECRET).startswith("\nThe Common Room\n")


def test_from_elsewhere_nobody_can_be_somebody_from_before_passwords(registry):
    assert " ".join(Guest(registry, THERE).types("ana").split()) == (
        "Ana has no password yet, and can choose one only on the machine that runs the world: ask the operator. "
        "By what name shall we know you?"
    )


# Passwords for one time, and @password


def test_a_one_time_password_lets_in_whoever_chooses_another(eve):
    eve.login_services.accounts.set_one_time_password("eve", FakeHasher().hash("kupo-vira"))
    guest = Guest(eve, THERE)
    assert guest.types("eve", "kupo-vira") == (
        "Password: \nThat was a one-time password. Choose one of your own now.\nChoose a password: "
    )
    assert "one-time password" in guest.types("kupo-vira")
    assert guest.connection.is_hidden
    assert "The Common Room" in guest.types("my very own")
    assert (account(eve, "Eve").one_time, account(eve, "Eve").password) == (False, FakeHasher().hash("my very own"))


def test_a_one_time_password_stays_until_another_is_chosen(eve):
    eve.login_services.accounts.set_one_time_password("eve", FakeHasher().hash("kupo-vira"))
    guest = Guest(eve, THERE)
    guest.types("eve", "kupo-vira")
    assert guest.types("") == f"\n{ASK}"
    assert "Choose a password: " in Guest(eve, THERE).types("eve", "kupo-vira")


def test_a_password_is_changed_after_the_old_one_is_given_both_unseen(eve):
    guest = entered(eve, "eve", HOME)
    assert (guest.types("@password"), guest.connection.is_hidden) == ("Your password now: ", True)
    assert (guest.types(SECRET), guest.connection.is_hidden) == ("\nYour new password: ", True)
    assert guest.types("another secret") == "\nPassword changed.\n> "
    assert not guest.connection.is_hidden
    assert guest.types("say hello") == 'You say, "hello"\n> '
    assert account(eve, "Eve").password == FakeHasher().hash("another secret")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["wrong"], "\nWrong password. Your password stays as it is.\n> "),
        ([""], "\nYour password stays as it is.\n> "),
        ([SECRET, ""], "\nYour new password: \nYour password stays as it is.\n> "),
    ],
)
def test_a_password_stays_if_the_old_one_is_wrong_or_no_new_one_is_given(eve, lines, said):
    guest = entered(eve, "eve", HOME)
    guest.types("@password")
    assert guest.types(*lines) == said
    assert account(eve, "Eve").password == FakeHasher().hash(SECRET)


def test_what_others_do_is_shown_while_a_password_is_changed_and_the_question_again(eve):
    guest, ben = Guest(eve, HOME), Guest(eve)
    guest.enters("eve")
    ben.enters("ben")
    guest.types("@password")
    ben.types("say hello")
    assert guest.screen() == '\nBen says, "hello"\nYour password now: '


def test_a_password_in_the_line_itself_is_refused_and_not_repeated(eve):
    guest = entered(eve, "eve", HOME)
    told = guest.types("@password hunter22")
    assert "Never type a password in that line." in told
    assert "hunter22" not in told


def test_an_admin_gives_somebody_a_password_for_one_time_that_only_the_admin_sees(eve, caplog):
    caplog.set_level(logging.DEBUG)
    admin, ben = Guest(eve), Guest(eve)
    ben.enters("ben")
    admin.enters("cat")
    eve.login_services.accounts.set_role("cat", Role.ADMIN)
    ben.screen()
    reset: list[tuple[str, str]] = []
    eve.reset = lambda *names: reset.append(names)
    told = admin.types("@password eve")
    given = told.split(" is ")[1].split()[0]
    assert told == (
        f"> The one-time password of Eve is {given}\nIt must be changed at the first login.\n> "
    ).removeprefix("> ")
    assert given not in ben.screen() + caplog.text
    assert reset == [("Cat", "Eve")]
    assert "Choose a password: " in Guest(eve, THERE).types("eve", given)
    assert "no account for that name" in admin.types("@password Zoe")


def reset_by_command(registry, tmp_path):
    admin = Guest(registry)
    admin.enters("cat")
    registry.login_services.accounts.set_role("cat", Role.ADMIN)
    return admin.types("@password eve").split(" is ")[1].split()[0], admin


def reset_elsewhere(registry, tmp_path):
    eve = account(registry, "Eve")
    put_accounts(tmp_path / "accounts", replace(eve, password=FakeHasher().hash("kupo-vira"), one_time=True))
    registry.login_services.accounts.refresh()
    return "kupo-vira", entered(registry, "cat")


@pytest.mark.parametrize("reset", [reset_by_command, reset_elsewhere])
def test_a_reset_password_ends_the_sessions_of_that_name(eve, tmp_path, reset):
    intruder = entered(eve, "eve", THERE)
    given, other = reset(eve, tmp_path)
    assert "Your password was changed, so this connection ends." in intruder.screen()
    assert (intruder.connection.is_open, other.connection.is_open) == (False, True)
    assert "Choose a password: " in Guest(eve, HOME).types("eve", given)


def test_who_chooses_a_password_while_it_is_reset_gets_neither(eve, tmp_path):
    eve.login_services.accounts.set_one_time_password("eve", FakeHasher().hash("first-time"))
    intruder = Guest(eve, THERE)
    intruder.types("eve", "first-time")
    given, _ = reset_by_command(eve, tmp_path)
    assert "Your password was changed meanwhile." in intruder.types("my very own")
    assert account(eve, "Eve").password == FakeHasher().hash(given)


def test_admins_who_reset_their_own_password_stay(eve):
    admin = entered(eve, "cat")
    eve.login_services.accounts.set_role("cat", Role.ADMIN)
    assert "The one-time password of Cat is" in admin.types("@password cat")
    assert admin.connection.is_open


def test_guests_have_no_password_to_change(registry):
    guest = Guest(registry)
    assert guest.types("guest", "@password").endswith("You have no password to change.\n> ")


# What is typed unseen stays unseen

TYPED = "eve|ben|Ana|guest||look|@password|say hello|right secret|wrong secret|short".split("|")
LINES = st.lists(st.tuples(st.integers(0, 2), st.sampled_from(TYPED)), max_size=40)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(LINES)
def test_no_line_typed_unseen_reaches_a_log_a_file_an_event_or_a_screen(tmp_path_factory, caplog, script):
    caplog.set_level(logging.DEBUG)
    folder = tmp_path_factory.mktemp("door")
    game = inn_game()
    events: list[str] = []
    game.subscribe("test", lambda happened: events.append(repr(happened)))
    registry = lobby_of(folder, game)
    guests = [Guest(registry, host) for host in (HOME, THERE, "127.0.0.1")]
    shown = ""
    for number, (who, line) in enumerate(script):
        hidden = guests[who].connection.is_hidden
        # Each line that may be a secret is like no other, but for those that have to be known again.
        typed = f"{line} #{number}#" if hidden and line == "wrong secret" else f"#{line}#" if hidden and line else line
        guests[who].types(typed)
        shown += "".join(guest.screen() for guest in guests)
    unseen = {line for guest in guests for line in guest.unseen if line}
    written = "".join(path.read_text(errors="replace") for path in folder.rglob("*") if path.is_file())
    everywhere = "\n".join([caplog.text, written, *events, shown])
    assert [line for line in unseen if line in everywhere] == []


# Crawlers


def test_a_crawler_is_answered_whole_and_is_nobody_new(registry):
    figures = "\nMSSP-REPLY-START\nWEBSITE\thttps://" + "x" * 100 + "\nMSSP-REPLY-END"
    registry.login_services = replace(registry.login_services, mssp_text=lambda: figures)
    guest = Guest(registry, THERE)
    assert guest.types("MSSP-REQUEST") == f"{figures}\n{ASK}"
    assert guest.types("mssp-request") == f"{figures}\n{ASK}"
    assert registry.login_services.accounts.account("MSSP-REQUEST") is None
