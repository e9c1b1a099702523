"""Passwords are compared elsewhere, a few at a time, and guessing them is slow."""

from __future__ import annotations

import pytest
from twisted.internet.task import Clock

from config.settings import ServerSettings
from server.accounts.passwords import MAX_REMEMBERED, Argon2, LoginThrottle, Passwords, SignupLimiter
from server.connection.limits import is_loopback, network_of
from tests.server.fake_connection import Guest
from tests.server.front_door import FakeHasher, Thread, lobby_of
from tests.world.inn import inn_game

HOME, THERE = "192.0.2.7", "203.0.113.9"


def always() -> bool:
    return True


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
    checks = [passwords.check(kept, f"try {number}", "host", always) for number in range(4)]
    for check in checks[1:3]:
        check.addErrback(lambda failure: None)
        check.cancel()
    while thread.jobs:
        thread.goes_on()
    assert hasher.asked == ["try 0", "try 1", "try 3"]


def test_a_password_that_is_not_wanted_when_its_turn_comes_is_not_looked_at():
    thread = Thread()
    hasher = FakeHasher()
    found: list[bool | None] = []
    passwords = Passwords(hasher, thread)
    kept = hasher.hash("right")
    for _ in range(4):
        passwords.check(kept, "wrong", "host", lambda: not found).addCallback(found.append)
    while thread.jobs:
        thread.goes_on()
    assert sorted(found, key=str) == [False, False, None, None]


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
def lockout(clock):
    return LoginThrottle(clock)


def test_from_the_third_wrong_password_on_each_doubles_the_wait_up_to_five_minutes(lockout, clock):
    waits = []
    for _ in range(12):
        lockout.record_failure("Ana", THERE)
        waits.append(lockout.wait_seconds("Ana", THERE))
        clock.advance(waits[-1])
    assert waits == [0, 0, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]
    assert lockout.wait_seconds("Ana", THERE) == 0


ANYWHERE = [("Ana", f"203.0.113.{number}") for number in range(3)]


@pytest.mark.parametrize(
    ("came_in", "wrong", "waits"),
    [
        ("", [("Ana", THERE), ("Ben", THERE), ("Cat", THERE)], {("Dan", THERE): 2, ("Ana", HOME): 0}),
        ("", ANYWHERE, {("ANA", "203.0.113.99"): 2, ("Ben", "203.0.113.99"): 0}),
        ("Mallory", [("Ana", THERE)] * 4, {("Ana", THERE): 4}),  # whose own password makes no guess quicker
        *(
            ("Ana", [(name, here) for name in ("Ana", "Ana", "Ana", "Cat")], {("ANA", here): 2, ("Cat", here): 0})
            for here in ("127.0.0.1", "::1")  # which may speak for everybody
        ),
    ],
)
def test_an_address_and_a_name_wait_for_themselves_and_on_this_machine_each_name(lockout, came_in, wrong, waits):
    for name, host in wrong:
        lockout.record_failure(name, host)
    if came_in:
        lockout.record_success(came_in, wrong[0][1])
    assert {who: lockout.wait_seconds(*who) for who in waits} == waits


def test_all_is_forgotten_half_an_hour_after_the_wait(lockout, clock):
    for _ in range(3):
        lockout.record_failure("Ana", THERE)
    clock.advance(2 + 1801)
    lockout.record_failure("Ana", THERE)
    assert lockout.wait_seconds("Ana", THERE) == 0


def test_what_is_remembered_is_bounded(lockout):
    for number in range(MAX_REMEMBERED + 50):
        lockout.record_failure(f"name {number}", f"host {number}")
        lockout.record_success(f"name {number}", f"host {number}")
    assert len(lockout._wrong) <= MAX_REMEMBERED
    assert len(lockout._trusted) <= MAX_REMEMBERED


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


def test_who_comes_in_often_is_not_forgotten_for_those_who_came_once(lockout, clock):
    lockout.record_success("Ana", HOME)
    for number in range(MAX_REMEMBERED - 1):
        lockout.record_success(f"Ben{number}", THERE)
    lockout.record_success("Ana", HOME)
    lockout.record_success("Cat", THERE)
    for _ in range(4):
        lockout.record_failure("Ana", "198.51.100.4")
    assert (lockout.wait_seconds("Ana", HOME), lockout.wait_seconds("Ana", THERE)) == (0, 4)


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
