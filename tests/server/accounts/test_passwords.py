"""Passwords are compared elsewhere, a few at a time, and guessing them is slow."""

from __future__ import annotations

import pytest
from twisted.internet.task import Clock

from config.settings import ServerSettings
from server.accounts.passwords import (
    MAX_NAME_WAIT_SECONDS,
    MAX_REMEMBERED,
    Argon2,
    LoginThrottle,
    Passwords,
    SignupLimiter,
)
from server.connection.limits import is_loopback, network_of
from tests.server.fake_connection import Guest
from tests.server.front_door import FakeHasher, Thread, lobby_of
from tests.world.inn import inn_game

HOME, THERE = "192.0.2.7", "203.0.113.9"


def test_argon2_keeps_nothing_of_a_password_that_could_be_read():
    hasher = Argon2(time_cost=1, memory_kib=8)
    kept = hasher.hash("a long secret")
    assert kept.startswith("$argon2id$v=19$m=8,t=1,p=1$")
    assert "secret" not in kept
    assert kept != hasher.hash("a long secret")
    assert [hasher.is_right(kept, one) for one in ("a long secret", "a long secret ", "")] == [True, False, False]


def test_no_more_than_two_are_looked_at_at_once():
    thread = Thread()
    passwords = Passwords(FakeHasher(), thread)
    kept = [passwords.hash(f"secret {number}", f"host {number}") for number in range(5)]
    assert len(thread.jobs) == 2
    thread.goes_on()
    assert ([one.called for one in kept], len(thread.jobs)) == ([True, False, False, False, False], 2)


@pytest.mark.parametrize("hosts", [["busy"] * 4, [f"2001:db8::{number}" for number in range(1, 5)]])
def test_whoever_sends_many_waits_behind_those_who_send_one(hosts):
    thread = Thread()
    hasher = FakeHasher()
    order: list[str] = []
    passwords = Passwords(hasher, thread)

    def note(_: object, name: str) -> None:
        order.append(name)

    for number, host in enumerate(hosts):
        passwords.hash("x", host).addCallback(note, f"busy {number}")
    passwords.hash("x", "other").addCallback(note, "other")
    while thread.jobs:
        thread.goes_on()
    assert order == ["busy 0", "busy 1", "busy 2", "other", "busy 3"]


def test_a_password_that_nobody_waits_for_any_more_is_not_looked_at():
    thread = Thread()
    hasher = FakeHasher()
    passwords = Passwords(hasher, thread)
    kept = hasher.hash("right")
    checks = [passwords.check(kept, f"try {number}", "host") for number in range(4)]
    for check in checks[1:3]:
        check.addErrback(lambda failure: None)
        check.cancel()
    while thread.jobs:
        thread.goes_on()
    assert hasher.asked == ["try 0", "try 1", "try 3"]


def test_a_hasher_that_fails_fails_that_one_password_and_the_next_is_looked_at():
    class Failing(FakeHasher):
        def hash(self, password: str) -> str:
            if password == "bad":
                raise MemoryError
            return super().hash(password)

    thread = Thread()
    passwords = Passwords(Failing(), thread)
    bad, good = passwords.hash("bad", "host"), passwords.hash("good", "host")
    thread.goes_on()
    thread.goes_on()
    failures: list[object] = []
    bad.addErrback(lambda failure: failures.append(failure.type))
    assert (failures, good.result) == ([MemoryError], FakeHasher().hash("good"))


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def throttle(clock):
    return LoginThrottle(clock)


@pytest.mark.parametrize("trusted_place", ["", "a device"])
def test_each_wrong_password_doubles_the_wait(throttle, clock, trusted_place):
    waits = []
    for _ in range(12):
        throttle.begin("Ana", THERE, trusted_place)
        waits.append(throttle.wait_seconds("Ana", THERE, trusted_place))
        clock.advance(waits[-1])
    assert waits == [0, 0, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]
    assert throttle.wait_seconds("Ana", THERE, trusted_place) == 0


def test_right_passwords_make_no_guess_quicker(throttle):
    for name in ("Ana", "Mallory", "Ana", "Mallory", "Ana"):
        throttle.begin(name, THERE)
        if name == "Mallory":
            throttle.undo(name, THERE)
    assert (throttle.wait_seconds("Mallory", THERE), throttle.wait_seconds("Ana", HOME)) == (2, 2)


@pytest.mark.parametrize(("here", "waits"), [("127.0.0.1", 0), ("::1", 0), (THERE, 2)])
def test_a_proxy_on_this_machine_waits_by_name(throttle, here, waits):
    for _ in range(3):
        throttle.begin("Ana", here)
    assert (throttle.wait_seconds("ANA", here), throttle.wait_seconds("Cat", here)) == (2, waits)


def test_trusted_places_wait_for_themselves_alone(throttle):
    for number in range(200):
        throttle.begin("Ana", f"203.0.113.{number}")
        throttle.begin("Cat", HOME)
    assert throttle.wait_seconds("Ana", HOME, "a device") == 0
    for _ in range(3):
        throttle.begin("Ana", HOME, "a device")
    waits = [throttle.wait_seconds("Ana", HOME, place) for place in ("a device", "another")]
    assert waits == [2, 0]


def test_strangers_have_their_turn_whatever_others_guess(throttle, clock):
    for number in range(200):
        throttle.begin("Ana", f"203.0.113.{number}")
    assert throttle.wait_seconds("Ana", HOME) == MAX_NAME_WAIT_SECONDS
    for number in range(int(MAX_NAME_WAIT_SECONDS)):
        clock.advance(1)
        throttle.begin("Ana", f"198.51.100.{number}")
    assert (throttle.wait_seconds("Ana", HOME), throttle.wait_seconds("Ana", THERE)) == (0, MAX_NAME_WAIT_SECONDS)
    throttle.begin("Ana", HOME)
    assert throttle.wait_seconds("Ana", HOME) == MAX_NAME_WAIT_SECONDS


def test_a_network_of_guessers_is_slowed_at_one_name(throttle, clock):
    tried = 0
    for _ in range(600):
        for number in range(50):
            if not throttle.wait_seconds("Ana", f"203.0.113.{number}"):
                throttle.begin("Ana", f"203.0.113.{number}")
                tried += 1
        clock.advance(1)
    assert tried < 50 * (600 / MAX_NAME_WAIT_SECONDS + 1)


def test_a_wait_is_forgotten_after_half_an_hour(throttle, clock):
    for _ in range(3):
        throttle.begin("Ana", THERE)
    clock.advance(2 + 1801)
    throttle.begin("Ana", THERE)
    assert throttle.wait_seconds("Ana", THERE) == 0


def test_memory_of_wrong_passwords_is_bounded(clock):
    throttle = LoginThrottle(clock, max_remembered=10, max_turns=20)
    for number in range(1000):
        for _ in range(3):
            throttle.begin(f"name {number}", f"host {number}")
        throttle.wait_seconds(f"name {number}", f"another {number}")
    assert throttle.remembered == 40


@pytest.mark.parametrize(
    ("host", "network", "is_here"),
    [
        ("203.0.113.9", "203.0.113.9", False),
        ("::ffff:203.0.113.9", "203.0.113.9", False),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", False),
        ("local", "local", False),
        ("", "", False),
        ("127.0.0.1", "127.0.0.1", True),
        ("127.8.8.8", "127.8.8.8", True),
        ("::1", "::1", True),
        ("::ffff:127.0.0.1", "127.0.0.1", True),
    ],
)
def test_a_household_counts_as_one_address_and_this_machine_is_known(host, network, is_here):
    assert (network_of(host), is_loopback(host)) == (network, is_here)


def taken(signups: SignupLimiter, host: str, an_hour: int, times: int) -> int:
    """Take names for as long as one may; return how many."""
    for number in range(times):
        if signups.is_exceeded(host):
            return number
        signups.note(host, an_hour)
    return times


def test_one_network_takes_so_many_names_an_hour_and_another_as_many(clock):
    signups = SignupLimiter(clock)
    hosts = ("203.0.113.5", "203.0.113.6", "203.0.113.5", "2001:db8::1", "2001:db8::2")
    assert [taken(signups, host, 5, 20) for host in hosts] == [5, 5, 0, 5, 0]
    clock.advance(720)
    assert taken(signups, "203.0.113.5", 5, 20) == 1


def test_this_machine_itself_takes_any_number_and_so_does_everybody_where_there_is_no_limit(clock):
    signups = SignupLimiter(clock)
    assert taken(signups, "127.0.0.1", 5, 100) == 100
    assert taken(signups, "203.0.113.5", 0, 100) == 100


def test_at_the_door_one_name_too_many_is_refused_with_the_reason_and_known_names_are_not(tmp_path):
    registry = lobby_of(tmp_path, inn_game(), ServerSettings(new_accounts_per_hour=2))
    for name in ("Eve", "Fay"):
        guest = Guest(registry, "203.0.113.5")
        guest.enters(name)
        guest.hangs_up()
    third = Guest(registry, "203.0.113.5")
    assert third.types("Gus").startswith("Too many new names from your address.")
    assert "The Common Room" in third.enters("Eve")
    assert "The Common Room" in Guest(registry, "203.0.113.6").enters("Gus")


def test_an_address_that_goes_on_taking_names_is_not_forgotten_for_others(clock):
    signups = SignupLimiter(clock)
    signups.note("203.0.113.5", 2)
    for number in range(MAX_REMEMBERED - 1):
        signups.note(f"10.0.{number // 256}.{number % 256}", 2)
    signups.note("203.0.113.5", 2)
    signups.note("203.0.113.6", 2)
    assert signups.is_exceeded("203.0.113.5")
