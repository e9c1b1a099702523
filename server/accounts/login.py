"""The login dialogue: prompts for a name and a password, one after the other."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Protocol, TypeVar

from twisted.internet.defer import CancelledError, Deferred
from twisted.python.failure import Failure

from config.settings import ServerSettings
from server.accounts.accounts import Accounts, AccountState, LoginName, NameRefused
from server.accounts.passwords import Authenticator, Origin, Passwords
from server.connection.connection import RAW
from server.telnet.mssp import is_request
from vault.errors import NoteError
from world.message_catalog import Wording

log = logging.getLogger(__name__)

T = TypeVar("T")


class LoginResult(Enum):
    """The result of a name and password that came together."""

    SUCCESS = auto()
    REFUSED = auto()
    ONE_TIME = auto()  # right, and another password is to be chosen
    NO_PASSWORD_YET = auto()


OnResult = Callable[[LoginResult, str], None]
"""Called with the result and a message about it."""


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
            self.wait_for(authenticator.attempt(name, password, origin), then, failed)

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
        self.dialogue.ask(key, lambda password: self._on_first_entry(key, password), hidden=True)

    def _on_first_entry(self, key: str, password: str) -> None:
        if not password:
            self.given_up()
        elif problem := self._problem_with(password):
            self._refuse(key, problem)
        else:
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


class Login(Dialogue):
    """Asks one caller for a name and its password, and says who it is: `enter` is called with the claim, once.

    `enter` raises NameRefused or NoteError if that fails, and the name is asked for again.
    """

    def __init__(self, caller: LoginView, services: LoginServices, enter: Callable[[LoginName], None]) -> None:
        super().__init__(caller, services)
        self._enter = enter
        self._wrong = 0
        self._checked = ""
        """The hash with which the caller has proved to be somebody."""
        self._on_result: OnResult | None = None
        self._ask_name()

    def stop(self) -> None:
        """Forget the caller, who has gone."""
        self._on_result = None
        super().stop()

    def try_credentials(self, given: str, password: str, on_result: OnResult) -> None:
        """Try a name and its password that come together, instead of what was being asked.

        `on_result` is called with the result and a message. If it failed, the questions go on from
        there. Somebody with a one-time password, or none yet, is asked for a new one.
        """
        if self.is_waiting:
            on_result(LoginResult.REFUSED, self.say("door.one_at_a_time"))
            return
        try:
            claim = self.services.accounts.identify(given, self.caller.host)
        except NameRefused as error:
            on_result(LoginResult.REFUSED, str(error))
            return
        self._on_result = on_result
        self._go_on(claim, password)

    def _go_on(self, claim: LoginName, password: str | None = None) -> None:
        """Go on with a name; None asks for its password."""
        match claim.state:
            case AccountState.GUEST:
                self._come_in(claim)
            case AccountState.KNOWN:
                if password is None:
                    self._ask_password(claim)
                else:
                    self._try(claim, password)
            case AccountState.NEW | AccountState.UNCLAIMED:
                self._tell(LoginResult.NO_PASSWORD_YET, self.say("door.has_no_password_yet", name=claim.name))
                self._ask_first_password(claim)

    def _ask_name(self) -> None:
        self.ask("door.ask_name", self._on_name)

    def _tell(self, result: LoginResult, message: str) -> None:
        on_result, self._on_result = self._on_result, None
        if on_result:
            on_result(result, message)

    def _start_again(self, reason: str) -> None:
        self._refuse(reason)
        self._ask_name()

    def _on_name(self, given: str) -> None:
        if not given.strip():
            return
        if is_request(given):
            self.caller.show(self.services.mssp_text(), RAW)
            return
        try:
            claim = self.services.accounts.identify(given, self.caller.host)
        except NameRefused as error:
            self.caller.show(str(error))
        else:
            self._go_on(claim)

    # Somebody who has a password

    def _ask_password(self, claim: LoginName) -> None:
        self.ask("door.ask_password", lambda password: self._on_password(claim, password), hidden=True)

    def _on_password(self, claim: LoginName, password: str) -> None:
        if password:
            self._try(claim, password)
        else:
            self._ask_name()

    def _try(self, claim: LoginName, password: str) -> None:
        self.try_password(
            claim.name,
            password,
            lambda is_right: self._on_outcome(claim, is_right, password),
            lambda reason: self._ask_again(claim, reason),
        )

    def _ask_again(self, claim: LoginName, reason: str) -> None:
        self._refuse(reason)
        self._ask_password(claim)

    def _on_outcome(self, claim: LoginName, is_right: bool, password: str) -> None:
        account = self.services.accounts.account(claim.name)
        if not is_right:
            self._wrong += 1
            if self._wrong >= self.services.settings.password_tries:
                self._end(self.say("door.too_many_wrong"))
                return
            self._refuse(self.say("door.wrong_password", name=claim.name), self.say("door.goes_back"))
            self._ask_password(claim)
            return
        self._checked = account.password if account else ""
        if account and account.one_time:
            self._refuse(self.say("door.one_time"), result=LoginResult.ONE_TIME)
            self._ask_own_password(claim, password)
        else:
            self._come_in(claim)

    def _refuse(self, reason: str, more: str = "", result: LoginResult = LoginResult.REFUSED) -> None:
        """Tell why a password is refused; `more` is for a person at a prompt, and not for a form."""
        self._tell(result, reason)
        self.caller.show(f"{reason} {more}".rstrip())

    def _end(self, reason: str) -> None:
        self._tell(LoginResult.REFUSED, reason)
        self.caller.end(reason)

    def _ask_own_password(self, claim: LoginName, one_time: str) -> None:
        former = self._checked
        NewPassword(
            self,
            claim.name,
            lambda kept: self.wait_for(
                self.services.accounts.set_password(claim.name, kept, former),
                lambda _: self._come_in_with(claim, kept),
                self._start_again,
            ),
            self._ask_name,
            one_time,
        ).ask("door.choose_password")

    # Somebody who has none yet

    def _ask_first_password(self, claim: LoginName) -> None:
        if self._refuse_signup(claim):
            return
        key = "door.new_name" if claim.state is AccountState.NEW else "door.unclaimed"
        welcome = self.say(key, name=claim.name, shortest=self.services.settings.shortest_password)
        self.caller.show(f"{welcome} {self.say('door.goes_back')}")
        NewPassword(self, claim.name, lambda kept: self._claim(claim, kept), self._ask_name).ask("door.choose_password")

    def _claim(self, claim: LoginName, kept: str) -> None:
        try:
            # Somebody may have come meanwhile who is called so, or nearly so.
            self.services.accounts.identify(claim.name, self.caller.host)
        except NameRefused as error:
            self._start_again(str(error))
            return
        if self._refuse_signup(claim):
            return
        if claim.state is AccountState.NEW:
            self.services.authenticator.signups.note(self.caller.host, self.services.settings.new_accounts_per_hour)
        self.wait_for(
            self.services.accounts.claim(claim.name, kept),
            lambda _: self._come_in_with(claim, kept),
            self._start_again,
        )

    def _refuse_signup(self, claim: LoginName) -> bool:
        if claim.state is not AccountState.NEW or not self.services.authenticator.signups.is_exceeded(self.caller.host):
            return False
        self._start_again(self.say("door.too_many_new"))
        return True

    def _come_in_with(self, claim: LoginName, kept: str) -> None:
        self._checked = kept
        self._come_in(claim)

    def _come_in(self, claim: LoginName) -> None:
        self.caller.hide_typing(False)
        if known := self.caller.wait_for_capabilities():
            self.wait_for(known, lambda _: self._enter_as(claim), self._start_again)
        else:
            self._enter_as(claim)

    def _enter_as(self, claim: LoginName) -> None:
        if claim.name and self.password_of(claim.name) != self._checked:
            self._start_again(self.say("door.password_was_changed"))
            return
        try:
            self._enter(claim)
        except (NameRefused, NoteError) as error:
            self._start_again(str(error))
            return
        self._tell(LoginResult.SUCCESS, "")
        if claim.state is not AccountState.GUEST:
            self.services.authenticator.note_login(claim.name, self.caller.origin)
