"""Passwords: hashing in threads, the throttle (lockout) for wrong ones, and the limit on new names."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Protocol, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError
from twisted.internet.defer import Deferred, succeed
from twisted.internet.threads import deferToThread

from server.accounts.accounts import Accounts
from server.clock import InThread, ReactorClock
from server.connection.input import TokenBucket
from server.connection.limits import is_loopback, network_of

MAX_FREE_ATTEMPTS = 3
FIRST_WAIT_SECONDS = 2.0
MAX_WAIT_SECONDS = 300.0
FORGET_SECONDS = 1800.0
MAX_REMEMBERED = 10_000
COUNTER_STEP_SECONDS = 0.01  # a timer may be that much too early

HOUR_SECONDS = 3600.0
MAX_THREADS = 2

K = TypeVar("K")
V = TypeVar("V")


@dataclass
class _Failures:
    """Wrong passwords of one name or address, and until when the next one waits, in the clock's seconds."""

    count: int = 0
    until: float = 0.0


class LoginThrottle:
    """Counts wrong passwords by name and by address; from the third on each doubles the wait, up to five minutes.

    An address from which somebody has come in does not wait for what others guess at that name elsewhere, so that
    nobody can be kept out by it. On this machine, where a proxy may speak for everybody, each name waits for itself.
    All is forgotten half an hour after the last wrong one, and at a new start.
    """

    def __init__(self, clock: ReactorClock) -> None:
        self._clock = clock
        self._wrong: dict[tuple[str, str], _Failures] = {}
        self._trusted: dict[tuple[str, str], None] = {}

    def wait_seconds(self, name: str, host: str) -> float:
        """Return how long a password for this name has to wait that comes from this address."""
        key, left = name.casefold(), self.wait_seconds_from_host(name, host)
        return left if (key, network_of(host)) in self._trusted else max(left, self._seconds_left(("name", key)))

    def wait_seconds_from_host(self, name: str, host: str) -> float:
        """Return the seconds that an address has to wait for its wrong passwords, regardless of guesses elsewhere."""
        return self._seconds_left(("address", throttle_key(name, host)))

    def record_failure(self, name: str, host: str) -> None:
        """Count a wrong password."""
        self._count(("address", throttle_key(name, host)))
        self._count(("name", name.casefold()))

    def record_success(self, name: str, host: str) -> None:
        """Note that somebody came in. Wrong passwords from that address, for any name, still count."""
        self._wrong.pop(("name", name.casefold()), None)
        _put_last(self._trusted, (name.casefold(), network_of(host)), None)

    def _seconds_left(self, key: tuple[str, str]) -> float:
        found = self._wrong.get(key)
        left = found.until - self._clock.seconds() if found else 0.0
        return left if left > COUNTER_STEP_SECONDS else 0.0

    def _count(self, key: tuple[str, str]) -> None:
        now = self._clock.seconds()
        entry = self._wrong.get(key)
        if entry is None or now > entry.until + FORGET_SECONDS:
            entry = _Failures()
        entry.count += 1
        beyond = entry.count - MAX_FREE_ATTEMPTS
        entry.until = now + (min(MAX_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** min(beyond, 30)) if beyond >= 0 else 0.0)
        _put_last(self._wrong, key, entry)


def _put_last(table: dict[K, V], key: K, value: V) -> None:
    """Put an entry behind all others. Beyond `MAX_REMEMBERED` the first one is forgotten."""
    table.pop(key, None)
    table[key] = value
    if len(table) > MAX_REMEMBERED:
        del table[next(iter(table))]


def throttle_key(name: str, host: str) -> str:
    """Return the throttle's key of a guess: the address, with the name if it comes from this machine."""
    return f"{network_of(host)} {name.casefold()}" if is_loopback(host) else network_of(host)


class SignupLimiter:
    """Counts the names taken from each address. This machine itself may take any number."""

    def __init__(self, clock: ReactorClock) -> None:
        self._clock = clock
        self._taken: dict[str, TokenBucket] = {}

    def is_exceeded(self, host: str) -> bool:
        """Return whether an address has used up its new names for now."""
        taken = self._taken.get(network_of(host))
        return taken is not None and taken.wait_seconds > 0

    def note(self, host: str, an_hour: int) -> None:
        """Note that a name was taken from an address, which may take `an_hour` names an hour; 0 for any number."""
        if is_loopback(host) or not an_hour:
            return
        network = network_of(host)
        taken = self._taken.get(network) or TokenBucket(self._clock, an_hour / HOUR_SECONDS, an_hour)
        _put_last(self._taken, network, taken)
        taken.take()


class Hasher(Protocol):
    """A hash function for passwords, slow on purpose."""

    def hash(self, password: str) -> str:
        """Return the hash of a password; it takes a while."""

    def is_right(self, kept: str, password: str) -> bool:
        """Return whether a password has this hash; it takes a while."""


class Argon2:
    """argon2id, at the leanest of the costs that OWASP calls equal: some 40 ms of a core and 7 MiB.

    Threads keep what memory they have used once, so more of it would be the server's for good.
    """

    def __init__(self, time_cost: int = 5, memory_kib: int = 7168) -> None:
        self._hasher = PasswordHasher(time_cost, memory_kib, parallelism=1)

    def hash(self, password: str) -> str:
        return self._hasher.hash(password)

    def is_right(self, kept: str, password: str) -> bool:
        try:
            return self._hasher.verify(kept, password)
        except VerifyMismatchError:
            return False


@dataclass(frozen=True)
class _Job:
    work: Callable[..., Any]
    arguments: tuple[str, ...]
    is_wanted: Callable[[], bool]
    outcome: Deferred[Any]


class Passwords:
    """Works for one address after the other, so that somebody who sends many passwords delays only themselves.

    `in_thread` calls its first argument with the rest, elsewhere, and returns a Deferred of the result.
    """

    def __init__(self, hasher: Hasher | None = None, in_thread: InThread = deferToThread) -> None:
        self._hasher = hasher or Argon2()
        self._in_thread = in_thread
        self._waiting: dict[str, deque[_Job]] = {}
        self._running = 0

    def hash(self, password: str, host: str) -> Deferred[str]:
        """Return a Deferred of a password's hash; cancel it if nobody wants it any more."""
        return self._enqueue(host, _Job(self._hasher.hash, (password,), lambda: True, Deferred()))

    def check(self, kept: str, password: str, host: str, is_wanted: Callable[[], bool]) -> Deferred[bool | None]:
        """Return whether a password is right; None if it was not wanted any more when its turn came."""
        return self._enqueue(host, _Job(self._hasher.is_right, (kept, password), is_wanted, Deferred()))

    def _enqueue(self, host: str, job: _Job) -> Deferred[Any]:
        self._waiting.setdefault(network_of(host), deque()).append(job)
        self._start()
        return job.outcome

    def _start(self) -> None:
        while self._running < MAX_THREADS and self._waiting:
            network = next(iter(self._waiting))
            jobs = self._waiting.pop(network)
            job = jobs.popleft()
            if jobs:
                self._waiting[network] = jobs  # behind everybody else's
            if job.outcome.called:
                continue  # the caller has gone
            if not job.is_wanted():
                job.outcome.callback(None)
                continue
            self._running += 1
            self._in_thread(job.work, *job.arguments).addBoth(self._on_done, job.outcome)

    def _on_done(self, result: Any, outcome: Deferred[Any]) -> None:
        self._running -= 1
        outcome.callback(result)  # one that was cancelled takes no notice
        self._start()


class PasswordOutcome(Enum):
    """The outcome of a password that was tried."""

    RIGHT = auto()
    WRONG = auto()
    THROTTLED = auto()  # not looked at: there were wrong ones from this address, and another try waits already


class Authenticator:
    """Tries passwords. Guessing becomes slow; waiting holds no thread and delays nobody else.

    Only one password of an address waits at a time, so that many connections guess no faster than one. `signups` counts
    the names with a new first password.
    """

    def __init__(self, accounts: Accounts, passwords: Passwords, lockout: LoginThrottle, clock: ReactorClock) -> None:
        self._accounts = accounts
        self._passwords = passwords
        self._throttle = lockout
        self._clock = clock
        self._delayed: set[str] = set()
        self.signups = SignupLimiter(clock)

    def wait_seconds(self, name: str, host: str) -> float:
        """Return how long a password for this name has to wait that comes from this address."""
        return self._throttle.wait_seconds(name, host)

    def note_login(self, name: str, host: str) -> None:
        """Note that somebody came in from an address; what others guess elsewhere does not delay them there."""
        self._throttle.record_success(name, host)

    def attempt(self, name: str, password: str, host: str) -> Deferred[PasswordOutcome]:
        """Try a password, after the wait that is due; cancel the Deferred if nobody wants to know any more."""
        seconds = self.wait_seconds(name, host)
        if not seconds:
            return self._attempt_now(name, password, host)
        place = throttle_key(name, host)
        if place in self._delayed:
            return succeed(PasswordOutcome.THROTTLED)
        self._delayed.add(place)
        waiting: Deferred[None] = Deferred(lambda _: call.cancel())
        call = self._clock.callLater(seconds, waiting.callback, None)

        def over(outcome: object) -> object:
            self._delayed.discard(place)
            return outcome

        waiting.addBoth(over)
        return waiting.addCallback(lambda _: self._attempt_now(name, password, host))

    def _attempt_now(self, name: str, password: str, host: str) -> Deferred[PasswordOutcome]:
        """Try a password against what is on disk now: another process may just have reset it."""
        return self._accounts.refresh().addCallback(lambda _: self._compare(name, password, host))

    def _compare(self, name: str, password: str, host: str) -> Deferred[PasswordOutcome] | PasswordOutcome:
        account = self._accounts.account(name)
        kept = account.password if account else ""
        if not kept:
            return PasswordOutcome.WRONG

        def judged(is_right: bool | None) -> PasswordOutcome:
            if is_right is None:
                return PasswordOutcome.THROTTLED
            if not is_right:
                self._throttle.record_failure(name, host)
                self._accounts.record_failed_login(name)
                return PasswordOutcome.WRONG
            return PasswordOutcome.RIGHT

        # When its turn comes, others from there may have been wrong meanwhile. What others guess elsewhere at the same
        # name does not count then: who has waited for that once must not wait for ever.
        free = self._passwords.check(
            kept, password, host, lambda: not self._throttle.wait_seconds_from_host(name, host)
        )
        return free.addCallback(judged)
