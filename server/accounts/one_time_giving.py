"""A password for one time that an admin gives out from inside the world."""

from __future__ import annotations

from collections.abc import Callable

from server.accounts.dialogue import LoginServices, LoginView
from server.accounts.password_reset import one_time_password


def give_one_time(name: str, caller: LoginView, door: LoginServices, given: Callable[[str], None]) -> None:
    """Give somebody a password for one time and show it to the admin who calls, or why it cannot be.

    `given` is told of whom, by their full name, once it holds.
    """
    password = one_time_password()

    def show(_: None) -> None:
        account = door.accounts.account(name)
        who = account.name if account else name
        given(who)
        caller.show(door.say()("door.one_time_given", name=who, password=password))

    hashed = door.passwords.hash(password, caller.host)
    hashed.addCallback(lambda kept: door.accounts.give_one_time(name, kept))
    hashed.addCallbacks(show, lambda failure: caller.show(failure.getErrorMessage()))
