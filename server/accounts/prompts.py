"""Prompts: asking a caller one thing after the other, and waiting for what takes longer than an answer."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from twisted.internet.defer import CancelledError, Deferred
from twisted.python.failure import Failure

from config.settings import ServerSettings
from server.accounts.accounts import Accounts, NameRefused
from server.accounts.passwords import Authenticator, Passwords
from vault.errors import NoteError
from world.message_catalog import Wording


class LoginView(Protocol):
    """A caller at a connection, as a login dialogue sees them."""

    @property
    def host(self) -> str:
        """The address they call from."""

    def show(self, text: str, kind: str = "") -> None:
        """Show whole lines of a kind; the prompt comes behind them at the end of the turn."""

    def end(self, text: str) -> None:
        """Say a last thing and close."""

    def hide_typing(self, hidden: bool) -> None:
        """Ask the client not to show what is typed, or to show it again."""

    def hold(self, held: bool) -> None:
        """Let the lines that come wait, without a prompt; or go on with them."""

    def wait_for_capabilities(self) -> Deferred[None] | None:
        """Return what fires when their client is known as far as it will be; None if it is, or is not waited for."""


class ModalInput(Protocol):
    """Questions and answers that have a session's lines to themselves. It tells its maker when it is over."""

    @property
    def prompt(self) -> str:
        """What is asked now."""

    def line_received(self, text: str) -> None:
        """Take an answer."""

    def stop(self) -> None:
        """The connection has closed; show nothing more."""


@dataclass(frozen=True)
class LoginServices:
    """What all dialogues need. `wording` returns the current wording, `mssp_text` the answer to crawlers."""

    accounts: Accounts
    passwords: Passwords
    authenticator: Authenticator
    settings: ServerSettings
    wording: Callable[[], Wording]
    mssp_text: Callable[[], str] = lambda: ""


log = logging.getLogger(__name__)

T = TypeVar("T")


class Prompts:
    """The question that is open, if one is. What comes while something is being waited for answers the next one."""

    def __init__(self, caller: LoginView, services: LoginServices) -> None:
        self.prompt = ""
        self._caller = caller
        self._services = services
        self._answer: Callable[[str], None] = lambda text: None
        self._awaited: Deferred[Any] | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether something is looked at, and nothing is asked meanwhile."""
        return self._awaited is not None

    def ask(self, key: str, answer: Callable[[str], None], *, hidden: bool = False) -> None:
        """Ask a sentence of the wording; the next line goes to `answer`. What is `hidden` is not shown while typed."""
        self.prompt = f"{self._services.wording()(key)} "
        self._answer = answer
        self._caller.hide_typing(hidden)

    def line_received(self, text: str) -> None:
        """Take the answer to the question that is open."""
        self._answer(text)

    def wait_for(self, outcome: Deferred[T], then: Callable[[T], None], failed: Callable[[str], None]) -> None:
        """Hold lines until there is an outcome. If it fails, `failed` is called with the reason."""
        self.prompt = ""
        self._caller.hold(True)

        def come(result: T | Failure) -> None:
            self._awaited = None
            if isinstance(result, Failure) and result.check(CancelledError):
                return
            self._caller.hold(False)
            if not isinstance(result, Failure):
                then(result)
            elif result.check(NameRefused, NoteError):
                failed(result.getErrorMessage())
            else:
                log.error("a login failed: %s", result.getTraceback())
                failed(self._services.wording()("door.went_wrong"))

        self._awaited = outcome
        outcome.addBoth(come)

    def stop(self) -> None:
        """Ask nothing more, and wait for nothing."""
        if self._awaited:
            self._awaited.cancel()


@dataclass(frozen=True)
class NewPassword:
    """Asks for a password until one will do; `chosen` is called with what is kept of it.

    An empty line gives up. `former` is a password that will not do, because it was given for one time.
    """

    prompts: Prompts
    caller: LoginView
    services: LoginServices
    name: str
    chosen: Callable[[str], None]
    given_up: Callable[[], None]
    former: str = ""

    def ask(self, key: str) -> None:
        """Ask with a sentence of the wording."""
        self.prompts.ask(key, lambda password: self._take(key, password), hidden=True)

    def _take(self, key: str, password: str) -> None:
        if not password:
            self.given_up()
        elif problem := self._problem_with(password):
            self._refuse(key, problem)
        else:
            hashed = self.services.passwords.hash(password, self.caller.host)
            self.prompts.wait_for(hashed, self.chosen, lambda reason: self._refuse(key, reason))

    def _problem_with(self, password: str) -> str:
        say, shortest = self.services.wording(), self.services.settings.shortest_password
        if len(password) < shortest:
            return say("door.too_short", shortest=shortest)
        if password.casefold() == self.name.casefold():
            return say("door.password_is_name")
        return say("door.password_is_former") if password == self.former else ""

    def _refuse(self, key: str, reason: str) -> None:
        self.caller.show(reason)
        self.ask(key)
