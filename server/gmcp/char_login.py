"""`Char.Login`: a client that gives the name and the password by itself."""

from __future__ import annotations

from collections.abc import Callable

from server.clock import ReactorClock
from server.connection.connection import Message
from world.cleaning import clean_line
from world.wording import Wording

REPEATED_SECONDS = 10.0

Outcome = Callable[[bool, str], None]
"""Is told whether somebody came in, and what to read about it."""

LogIn = Callable[[str, str, Outcome], None]
"""Tries an account and a password at the door."""


class CharLogin:
    """Takes what a client gives to the door, and tells it what came of it.

    A client may type the same as well, as it does where nobody offers this. What it types then is kept in mind for
    `REPEATED_SECONDS`, so that no password is taken for a command.
    """

    def __init__(
        self, send: Callable[[Message], None], say: Callable[[], Wording], log_in: LogIn, clock: ReactorClock
    ) -> None:
        self._send = send
        self._say = say
        self._log_in = log_in
        self._clock = clock
        self._is_offered = False
        self._given: tuple[str, str] | None = None
        self._until = 0.0

    def offer(self) -> None:
        """Tell the client, once, that it may come in by itself."""
        if not self._is_offered:
            self._is_offered = True
            self._send(Message("Char.Login.Default", {"type": ["password-credentials"]}))

    def take(self, payload: object) -> None:
        """Try what the client gives."""
        given = payload if isinstance(payload, dict) else {}
        account, password = given.get("account"), given.get("password")
        if not (isinstance(account, str) and isinstance(password, str) and account.strip()):
            self._tell(False, self._say()("gmcp.no_credentials"))
            return
        # As if they had been typed: then they are cleaned in the same way.
        account, password = clean_line(account), clean_line(password)

        def told(success: bool, message: str) -> None:
            if success:
                self._given, self._until = (account, password), self._clock.seconds() + REPEATED_SECONDS
            self._tell(success, message)

        self._log_in(account, password, told)

    def is_repeated(self, line: str) -> bool:
        """Return whether a line is what was given a moment ago; any other line ends that."""
        if self._given and self._clock.seconds() < self._until:
            name, password = self._given
            if line.strip().casefold() == name.strip().casefold() or (password and line == password):
                return True
        self._given = None
        return False

    def _tell(self, success: bool, message: str) -> None:
        self._send(Message("Char.Login.Result", {"success": success, "message": message}))
