"""Passwords are looked at elsewhere, a few at a time, one address after the other."""

from __future__ import annotations

import pytest

from server.accounts.passwords import Argon2, Checked, Passwords
from tests.server.front_door import FakeHasher, Thread


def always() -> bool:
    return True


def test_argon2_keeps_nothing_of_a_password_that_could_be_read():
    hasher = Argon2(time_cost=1, memory_kib=8)
    kept = hasher.hash("a long secret")
    assert kept.startswith("$argon2id$v=19$m=8,t=1,p=1$")
    assert "secret" not in kept
    assert kept != hasher.hash("a long secret")
    assert [hasher.is_right(kept, one) for one in ("a long secret", "a long secret ", "")] == [True, False, False]


def test_what_was_kept_at_other_costs_is_outdated():
    kept = Argon2(time_cost=1, memory_kib=8).hash("a long secret")
    dearer = Argon2(time_cost=2, memory_kib=8)
    assert (dearer.is_outdated(kept), dearer.is_outdated(dearer.hash("x"))) == (True, False)


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
    found: list[Checked | None] = []
    passwords = Passwords(hasher, thread)
    kept = hasher.hash("right")
    for _ in range(4):
        passwords.check(kept, "wrong", "host", lambda: not found).addCallback(found.append)
    while thread.jobs:
        thread.goes_on()
    assert sorted(found, key=str) == [Checked(False), Checked(False), None, None]


def test_a_right_password_that_is_kept_in_an_old_form_is_renewed():
    outcomes: list[Checked | None] = []
    thread = Thread()
    kept = FakeHasher(version=1).hash("right")
    Passwords(FakeHasher(version=2), thread).check(kept, "right", "host", always).addCallback(outcomes.append)
    thread.goes_on()
    assert outcomes == [Checked(True, FakeHasher(version=2).hash("right"))]


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
