"""The login dialogue: prompts for a name and a password, one after the other."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from server.accounts.accounts import AccountState, LoginName, NameRefused
from server.accounts.dialogue import Dialogue, LoginServices, LoginView, NewPassword
from server.connection.connection import RAW
from server.telnet.mssp import is_request
from vault.errors import NoteError

_CONNECT = re.compile(r"""\s*([a-z]+)\s+(?:["“”„]([^"“”]*)["“”]|(\S+))(?:\s(.*))?""", re.IGNORECASE | re.DOTALL)
_LOGIN_VERBS = {"connect": 2, "login": 3, "create": 2}
"""The commands at the door of a MUSH, and how few of their letters are enough."""


@dataclass(frozen=True)
class ConnectLine:
    """A name and its password in a line, as MUSH clients log in; the password may be missing."""

    name: str
    password: str
    creates: bool


def read_connect(line: str) -> ConnectLine | None:
    """Return what `connect NAME PASSWORD` or `create NAME PASSWORD` gives; None if a line is neither."""
    match = _CONNECT.fullmatch(line)
    verb = match[1].lower() if match else ""
    meant = [whole for whole, fewest in _LOGIN_VERBS.items() if len(verb) >= fewest and whole.startswith(verb)]
    if match is None or not meant:
        return None
    return ConnectLine(match[2] if match[2] is not None else match[3], match[4] or "", meant == ["create"])


class LoginResult(Enum):
    """The result of a name and password that came together."""

    SUCCESS = auto()
    REFUSED = auto()
    ONE_TIME = auto()  # right, and another password is to be chosen
    NO_PASSWORD_YET = auto()


OnResult = Callable[[LoginResult, str], None]
"""Called with the result and a message about it."""


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
        asked = read_connect(given)
        try:
            claim = self.services.accounts.identify(asked.name if asked else given, self.caller.host)
        except NameRefused as error:
            self.caller.show(str(error))
            return
        if asked and asked.creates and asked.password and claim.state is AccountState.NEW:
            self._ask_first_password(claim, asked.password)
        else:
            self._go_on(claim, asked.password or None if asked else None)

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

    def _ask_first_password(self, claim: LoginName, given: str = "") -> None:
        """Ask for a password, unless a line has `given` one that will do."""
        if self._refuse_signup(claim):
            return
        first = NewPassword(self, claim.name, lambda kept: self._claim(claim, kept), self._ask_name)
        if given:
            first.offer("door.choose_password", given)
            return
        key = "door.new_name" if claim.state is AccountState.NEW else "door.unclaimed"
        welcome = self.say(key, name=claim.name, shortest=self.services.settings.shortest_password)
        self.caller.show(f"{welcome} {self.say('door.goes_back')}")
        first.ask("door.choose_password")

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
