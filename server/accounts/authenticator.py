"""One password tried for one name: how long that waits, and what comes of it."""

from __future__ import annotations

from enum import Enum, auto

from twisted.internet.defer import Deferred, succeed

from server.accounts.accounts import Accounts
from server.accounts.passwords import Checked, Passwords
from server.accounts.throttle import LoginThrottle, SignupLimiter, throttle_key
from server.clock import ReactorClock


class Verdict(Enum):
    """What came of a password that was tried."""

    RIGHT = auto()
    WRONG = auto()
    THROTTLED = auto()  # not looked at: there were wrong ones from this address, and another try waits already


class Authenticator:
    """Tries passwords. Guessing becomes slow; waiting holds no thread, and nobody else waits along.

    Of one address only one password waits at a time, so that many connections guess no faster than one. `signups`
    counts the names for which a first one was chosen.
    """

    def __init__(self, accounts: Accounts, passwords: Passwords, lockout: LoginThrottle, clock: ReactorClock) -> None:
        self._accounts = accounts
        self._passwords = passwords
        self._throttle = lockout
        self._clock = clock
        self._delayed: set[str] = set()
        self.signups = SignupLimiter(clock)

    def seconds(self, name: str, host: str) -> float:
        """Return how long a password for this name has to wait that comes from this address."""
        return self._throttle.seconds(name, host)

    def note_home(self, name: str, host: str) -> None:
        """Note that somebody came in from an address; what others guess elsewhere does not delay them there."""
        self._throttle.right(name, host)

    def attempt(self, name: str, password: str, host: str) -> Deferred[Verdict]:
        """Try a password, after the wait that is due; cancel the Deferred if nobody wants to know any more."""
        seconds = self.seconds(name, host)
        if not seconds:
            return self._look(name, password, host)
        place = throttle_key(name, host)
        if place in self._delayed:
            return succeed(Verdict.THROTTLED)
        self._delayed.add(place)
        waiting: Deferred[None] = Deferred(lambda _: call.cancel())
        call = self._clock.callLater(seconds, waiting.callback, None)

        def over(outcome: object) -> object:
            self._delayed.discard(place)
            return outcome

        waiting.addBoth(over)
        return waiting.addCallback(lambda _: self._look(name, password, host))

    def _look(self, name: str, password: str, host: str) -> Deferred[Verdict]:
        """Try a password against what is on disk now: it may just have been given anew by another process."""
        return self._accounts.refresh().addCallback(lambda _: self._compare(name, password, host))

    def _compare(self, name: str, password: str, host: str) -> Deferred[Verdict] | Verdict:
        account = self._accounts.account(name)
        kept = account.password if account else ""
        if not kept:
            return Verdict.WRONG

        def judged(checked: Checked | None) -> Verdict:
            if checked is None:
                return Verdict.THROTTLED
            if not checked.is_right:
                self._throttle.wrong(name, host)
                self._accounts.note_wrong(name)
                return Verdict.WRONG
            if checked.renewed:
                self._accounts.renew_password(name, kept, checked.renewed)
            return Verdict.RIGHT

        # When its turn comes, others from there may have been wrong meanwhile. What others guess elsewhere at the same
        # name does not count then: who has waited for that once must not wait for ever.
        free = self._passwords.check(kept, password, host, lambda: not self._throttle.seconds_there(name, host))
        return free.addCallback(judged)
