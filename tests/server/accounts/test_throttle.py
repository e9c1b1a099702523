"""Guessing becomes slow, and nobody can be kept out by it."""

from __future__ import annotations

import pytest
from twisted.internet.task import Clock

from server.accounts.throttle import MOST_REMEMBERED, LoginThrottle, is_loopback, network_of

HOME, THERE = "192.0.2.7", "203.0.113.9"


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def lockout(clock):
    return LoginThrottle(clock)


def test_from_the_third_wrong_password_on_each_doubles_the_wait_up_to_five_minutes(lockout, clock):
    waits = []
    for _ in range(12):
        lockout.wrong("Ana", THERE)
        waits.append(lockout.seconds("Ana", THERE))
        clock.advance(waits[-1])
    assert waits == [0, 0, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]
    assert lockout.seconds("Ana", THERE) == 0


def test_an_address_waits_whichever_name_it_tries(lockout):
    for name in ("Ana", "Ben", "Cat"):
        lockout.wrong(name, THERE)
    assert (lockout.seconds("Dan", THERE), lockout.seconds("Ana", HOME)) == (2, 0)


@pytest.mark.parametrize("here", ["127.0.0.1", "::1"])
def test_this_machine_may_speak_for_everybody_so_that_each_name_waits_for_itself(lockout, here):
    lockout.right("Ana", here)
    for name in ("Ana", "Ana", "Ana", "Cat"):
        lockout.wrong(name, here)
    assert [lockout.seconds(name, here) for name in ("ANA", "Ben", "Cat")] == [2, 0, 0]


def test_a_name_waits_from_wherever_it_is_tried(lockout):
    for number in range(3):
        lockout.wrong("Ana", f"203.0.113.{number}")
    assert (lockout.seconds("ANA", "203.0.113.99"), lockout.seconds("Ben", "203.0.113.99")) == (2, 0)


def test_whoever_has_come_in_from_somewhere_does_not_wait_for_what_others_guess_elsewhere(lockout):
    lockout.right("Ana", HOME)
    for number in range(99):
        lockout.wrong("Ana", f"203.0.113.{number}")
    assert (lockout.seconds("Ana", HOME), lockout.seconds("Ana", THERE)) == (0, 300)


def test_a_right_password_of_ones_own_does_not_make_guessing_at_others_quick_again(lockout):
    for _ in range(4):
        lockout.wrong("Ana", THERE)
    lockout.right("Mallory", THERE)
    assert lockout.seconds("Ana", THERE) == 4


def test_all_is_forgotten_half_an_hour_after_the_wait(lockout, clock):
    for _ in range(3):
        lockout.wrong("Ana", THERE)
    clock.advance(2 + 1801)
    lockout.wrong("Ana", THERE)
    assert lockout.seconds("Ana", THERE) == 0


def test_what_is_remembered_is_bounded(lockout):
    for number in range(MOST_REMEMBERED + 50):
        lockout.wrong(f"name {number}", f"host {number}")
        lockout.right(f"name {number}", f"host {number}")
    assert len(lockout._wrong) <= MOST_REMEMBERED
    assert len(lockout._at_home) <= MOST_REMEMBERED


@pytest.mark.parametrize(
    ("host", "network"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::1", "::1"),
        ("local", "local"),
    ],
)
def test_a_household_counts_as_one_address(host, network):
    assert network_of(host) == network


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])
def test_this_machine_is_here(host):
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["203.0.113.9", "2001:db8::1", "local", ""])
def test_nothing_else_is(host):
    assert not is_loopback(host)


def test_who_comes_in_often_is_not_forgotten_for_those_who_came_once(lockout, clock):
    lockout.right("Ana", HOME)
    for number in range(MOST_REMEMBERED - 1):
        lockout.right(f"Ben{number}", THERE)
    lockout.right("Ana", HOME)
    lockout.right("Cat", THERE)
    for _ in range(4):
        lockout.wrong("Ana", "198.51.100.4")
    assert (lockout.seconds("Ana", HOME), lockout.seconds("Ana", THERE)) == (0, 4)
