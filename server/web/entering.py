"""Coming in by a form: the login dialogue, asked and answered in one request."""

from __future__ import annotations

from dataclasses import dataclass, field

from twisted.internet.defer import Deferred

from server.accounts.accounts import AccountState, LoginName, NameRefused
from server.accounts.login import Login, LoginServices


@dataclass(frozen=True)
class Form:
    """What somebody gives: a name and a password; `chosen` is the one that a new or one-time visitor wants."""

    name: str
    password: str
    chosen: str = ""


@dataclass(frozen=True)
class Outcome:
    """What came of a form: the claim of somebody who may come in, or else what to read, and what is asked for.

    `asks` is `password`, `new` (a first password for a new name), `own` (another for a one-time password) or `name`.
    """

    claim: LoginName | None
    told: str = ""
    asks: str = "name"


@dataclass
class FormLogin:
    """Somebody at a form, as the dialogue sees them. `done` fires with what came of it, once."""

    form: Form
    host: str
    services: LoginServices
    _done: Deferred[Outcome] = field(default_factory=Deferred)
    _login: Login | None = None
    _is_over: bool = False
    _has_answered: bool = False
    _is_new: bool = False

    def run(self) -> Deferred[Outcome]:
        """Try the form. Cancel the Deferred if the caller has gone."""
        self._done = Deferred(lambda _: self._stop())
        try:
            claim = self.services.accounts.identify(self.form.name, self.host)
        except NameRefused as error:
            self._finish(Outcome(None, str(error)))
            return self._done
        self._is_new = claim.state in (AccountState.NEW, AccountState.UNCLAIMED)
        if self._is_new and not self.form.chosen:
            key = "door.new_name" if claim.state is AccountState.NEW else "door.unclaimed"
            told = self.services.wording()(key, name=claim.name, shortest=self.services.settings.shortest_password)
            self._finish(Outcome(None, told, "new"))
            return self._done
        self._login = Login(self, self.services, lambda claim: self._finish(Outcome(claim)))
        self._login.try_at_once(self.form.name, self.form.password, self._tried)
        return self._done

    def _tried(self, success: bool, message: str) -> None:
        if success or self._is_over:
            return
        say = self.services.wording()
        is_one_time = message == say("door.one_time")
        if self.form.chosen and (is_one_time or self._is_new):
            return  # another password, or a first one, is asked for next, and `chosen` answers it
        self._finish(Outcome(None, message, "own" if is_one_time else "password"))

    # What the dialogue does

    def show(self, text: str, kind: str = "") -> None:
        if self._has_answered:
            self._finish(Outcome(None, text, "new" if self._is_new else "own"))

    def end(self, text: str) -> None:
        self._finish(Outcome(None, text, "password"))

    def hide_typing(self, hidden: bool) -> None:
        """What is asked last is a password; the one that was chosen answers it."""
        login = self._login
        if hidden and login and self.form.chosen and not self._has_answered and not self._is_over:
            self._has_answered = True
            login.line_received(self.form.chosen)

    def hold(self, held: bool) -> None:
        """There are no lines but those of the form."""

    def wait_for_capabilities(self) -> Deferred[None] | None:
        return None

    def _finish(self, outcome: Outcome) -> None:
        if not self._is_over:
            self._is_over = True
            self._done.callback(outcome)
            self._stop()

    def _stop(self) -> None:
        self._is_over = True
        if self._login:
            self._login.stop()
