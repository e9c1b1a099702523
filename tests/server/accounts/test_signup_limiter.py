"""How many new names one address may take."""

from __future__ import annotations

import pytest
from twisted.internet.task import Clock

from config.settings import ServerSettings
from server.accounts.signup_limiter import MOST_REMEMBERED, SignupLimiter
from tests.server.fake_connection import Guest
from tests.server.front_door import lobby_of
from tests.world.inn import inn_game


@pytest.fixture
def clock():
    return Clock()


def taken(signups: SignupLimiter, host: str, an_hour: int, times: int) -> int:
    """Take names for as long as one may; return how many."""
    for number in range(times):
        if signups.are_too_many(host):
            return number
        signups.note(host, an_hour)
    return times


def test_one_address_takes_so_many_names_an_hour_and_another_as_many(clock):
    signups = SignupLimiter(clock)
    assert [taken(signups, host, 5, 20) for host in ("203.0.113.5", "203.0.113.6", "203.0.113.5")] == [5, 5, 0]


def test_after_a_while_there_are_names_to_be_taken_again(clock):
    signups = SignupLimiter(clock)
    taken(signups, "203.0.113.5", 5, 20)
    clock.advance(720)
    assert taken(signups, "203.0.113.5", 5, 20) == 1


def test_this_machine_itself_takes_any_number_and_so_does_everybody_where_there_is_no_limit(clock):
    signups = SignupLimiter(clock)
    assert taken(signups, "127.0.0.1", 5, 100) == 100
    assert taken(signups, "203.0.113.5", 0, 100) == 100


def test_a_network_of_ipv6_counts_as_one_address(clock):
    signups = SignupLimiter(clock)
    taken(signups, "2001:db8::1", 5, 20)
    assert signups.are_too_many("2001:db8::2")


def test_at_the_door_one_name_too_many_is_refused_with_the_reason_and_known_names_are_not(tmp_path):
    registry = lobby_of(tmp_path, inn_game(), ServerSettings(new_accounts_per_hour=2))
    for name in ("Eve", "Fay"):
        guest = Guest(registry, "203.0.113.5")
        guest.enters(name)
        guest.hangs_up()
    third = Guest(registry, "203.0.113.5")
    assert third.types("Gus").startswith("Many new names were taken from where you are of late.")
    assert "The Common Room" in third.enters("Eve")
    assert "The Common Room" in Guest(registry, "203.0.113.6").enters("Gus")


def test_an_address_that_goes_on_taking_names_is_not_forgotten_for_others(clock):
    signups = SignupLimiter(clock)
    signups.note("203.0.113.5", 2)
    for number in range(MOST_REMEMBERED - 1):
        signups.note(f"10.0.{number // 256}.{number % 256}", 2)
    signups.note("203.0.113.5", 2)
    signups.note("203.0.113.6", 2)
    assert signups.are_too_many("203.0.113.5")
