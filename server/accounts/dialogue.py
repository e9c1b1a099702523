"""The parts of login and password dialogues: the caller, the services, and questions one after the other."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

from twisted.internet.defer import CancelledError, Deferred
from twisted.python.failure import Failure

from config.settings import ServerSettings
from server.accounts.accounts import Accounts, NameRefused
from server.accounts.passwords import Authenticator, Origin, Passwords
from vault.errors import NoteError
from world.message_catalog import Wording

log = logging.getLogger(__name__)

T = TypeVar("T")


class LoginView(Protocol):
    """A caller at a connection, as a login dialogue sees them."""

    @property
    def host(self) -> str:
        """The address they call from."""

    @property
    def origin(self) -> Origin:
        """Their address and device, by which wrong passwords are counted."""

    def show(self, text: str, kind: str = "") -> None:
        """Show whole lines of a kind; the prompt comes behind them at the end of the turn."""

    def end(self, text: str) -> None:
        """Say a last thing and close."""

    def hide_typing(self, hidden: bool) -> None:
        """Ask the client not to show what is typed, or to show it again."""

    def hold(self, held: bool) -> None:
        """Queue lines without a prompt while held; take them when not."""

    def note_password(self, password: str) -> None:
        """Know the caller's own password, to do and keep nothing if it is typed as a command by mistake."""

    def wait_for_capabilities(self) -> Deferred[None] | None:
        """Return a Deferred that fires when the client has told its capabilities; None if there is no wait for them."""


@dataclass(frozen=True)
class LoginServices:
    """The services for all dialogues. `wording` returns the current wording, `mssp_text` the answer to crawlers."""

    accounts: Accounts
    passwords: Passwords
    authenticator: Authenticator
    settings: ServerSettings
    wording: Callable[[], Wording]
    mssp_text: Callable[[], str] = lambda: ""


class Dialogue:
    """Questions that have a session's lines to themselves. Lines that arrive during a wait answer the next one.

    `prompt` is the open question, empty while a result is awaited.
    """

    def __init__(self, caller: LoginView, services: LoginServices) -> None:
        self.prompt = ""
        self.caller = caller
        self.services = services
        self._answer: Callable[[str], None] = lambda text: None
        self._awaited: Deferred[Any] | None = None

    @property
    def is_waiting(self) -> bool:
        """True while a result is awaited; meanwhile no question is open."""
        return self._awaited is not None

    def ask(self, key: str, answer: Callable[[str], None], *, hidden: bool = False) -> None:
        """Ask a sentence of the wording; the next line goes to `answer`. A `hidden` answer is not shown while typed."""
        self.prompt = f"{self.say(key)} "
        self._answer = answer
        self.caller.hide_typing(hidden)

    def say(self, key: str, **values: object) -> str:
        """Return a sentence of the wording as it is now."""
        return self.services.wording()(key, **values)

    def line_received(self, text: str) -> None:
        """Take the answer to the question that is open."""
        self._answer(text)

    def wait_for(self, outcome: Deferred[T], then: Callable[[T], None], failed: Callable[[str], None]) -> None:
        """Hold lines until there is an outcome. If it fails, `failed` is called with the reason."""
        self.prompt = ""
        self.caller.hold(True)

        def come(result: T | Failure) -> None:
            self._awaited = None
            if isinstance(result, Failure) and result.check(CancelledError):
                return
            self.caller.hold(False)
            if not isinstance(result, Failure):
                then(result)
            elif result.check(NameRefused, NoteError):
                failed(result.getErrorMessage())
            else:
                log.error("a login failed: %s", result.getTraceback())
                failed(self.say("door.went_wrong"))

        self._awaited = outcome
        outcome.addBoth(come)

    def password_of(self, name: str) -> str:
        """Return the hash that holds for a name now, empty if there is none."""
        account = self.services.accounts.account(name)
        return account.password if account else ""

    def try_password(
        self, name: str, password: str, then: Callable[[bool], None], failed: Callable[[str], None]
    ) -> None:
        """Hold lines until a password is compared; `failed` is called at once if it has to wait."""
        authenticator, origin = self.services.authenticator, self.caller.origin
        if seconds := authenticator.wait_seconds(name, origin):
            failed(self.say("door.must_wait", seconds=math.ceil(seconds)))
        else:
            self.wait_for(authenticator.attempt(name, password, origin), partial(self._judged, password, then), failed)

    def _judged(self, password: str, then: Callable[[bool], None], is_right: bool) -> None:
        if is_right:
            self.caller.note_password(password)
        then(is_right)

    def stop(self) -> None:
        """Ask nothing more, and wait for nothing."""
        if self._awaited:
            self._awaited.cancel()


@dataclass(frozen=True)
class NewPassword:
    """Asks for a password in a dialogue until one will do; `chosen` is called with its hash.

    An empty line gives up. `former` is a password that is refused, because it was given for one time.
    """

    dialogue: Dialogue
    name: str
    chosen: Callable[[str], None]
    given_up: Callable[[], None]
    former: str = ""

    def ask(self, key: str) -> None:
        """Ask with a sentence of the wording."""
        self.dialogue.ask(key, lambda password: self.offer(key, password), hidden=True)

    def offer(self, key: str, password: str) -> None:
        """Take a password, or ask for another one with that sentence if it will not do."""
        if not password:
            self.given_up()
        elif problem := self._problem_with(password):
            self._refuse(key, problem)
        else:
            self.dialogue.caller.note_password(password)
            hashed = self.dialogue.services.passwords.hash(password, self.dialogue.caller.host)
            self.dialogue.wait_for(hashed, self.chosen, lambda reason: self._refuse(key, reason))

    def _problem_with(self, password: str) -> str:
        say, shortest = self.dialogue.say, self.dialogue.services.settings.shortest_password
        if len(password) < shortest:
            return say("door.too_short", shortest=shortest)
        if password.casefold() == self.name.casefold():
            return say("door.password_is_name")
        return say("door.password_is_former") if password == self.former else ""

    def _refuse(self, key: str, reason: str) -> None:
        self.dialogue.caller.show(reason)
        self.ask(key)
