"""The dialogue of `@password`: the password of now, then another one."""

from __future__ import annotations

import math
from collections.abc import Callable

from server.accounts.authenticator import Verdict
from server.accounts.dialogue import LoginServices, LoginView
from server.accounts.prompts import Prompts, ask_new_password


class PasswordChange:
    """Asks a player for both passwords; `over` is called with what to say when it has come to an end."""

    def __init__(self, caller: LoginView, door: LoginServices, name: str, over: Callable[[str], None]) -> None:
        self._caller = caller
        self._door = door
        self._name = name
        self._over = over
        self._questions = Prompts(caller, door)
        self._questions.ask("door.ask_old_password", self._tried, hidden=True)

    @property
    def prompt(self) -> str:
        """What is asked now; empty while something is looked at."""
        return self._questions.prompt

    def line_received(self, text: str) -> None:
        """Take an answer."""
        self._questions.line_received(text)

    def stop(self) -> None:
        """Forget the player, who has gone."""
        self._questions.stop()

    def _tried(self, password: str) -> None:
        if not password:
            self._give_up()
            return
        if seconds := self._door.check.seconds(self._name, self._caller.host):
            self._caller.show(self._door.say()("door.must_wait", seconds=math.ceil(seconds)))
        attempt = self._door.check.attempt(self._name, password, self._caller.host)
        self._questions.wait_for(attempt, self._judged, self._over)

    def _judged(self, verdict: Verdict) -> None:
        if verdict is not Verdict.RIGHT:
            self._over(self._door.say()("door.not_changed_wrong"))
            return
        ask_new_password(
            self._questions,
            self._caller,
            self._door,
            "door.ask_new_password",
            self._name,
            lambda kept: self._questions.wait_for(
                self._door.accounts.set_password(self._name, kept),
                lambda _: self._over(self._door.say()("door.password_changed")),
                self._over,
            ),
            self._give_up,
        )

    def _give_up(self) -> None:
        self._over(self._door.say()("door.password_unchanged"))
