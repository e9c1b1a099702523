"""Passwords: hashing in threads, the throttle for wrong ones, and the limit on new names."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError
from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThread

from server.accounts.accounts import Accounts
from server.clock import InThread, ReactorClock
from server.connection.input import TokenBucket
from server.connection.limits import is_loopback, network_of

MAX_FREE_ATTEMPTS = 3
FIRST_WAIT_SECONDS = 2.0
MAX_WAIT_SECONDS = 300.0
MAX_NAME_WAIT_SECONDS = 60.0
"""Maximum wait for wrong passwords from one place, and for those that others guess at the name, in seconds."""

FORGET_SECONDS = 1800.0
MAX_REMEMBERED = 10_000
MAX_TURNS = 100_000
"""Maximum number of places that wait for their turn at a name, some 25 MB; the oldest are forgotten then."""

HOUR_SECONDS = 3600.0
MAX_THREADS = 2

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True)
class Origin:
    """Where a password comes from: an address, and the secret of the browser's device cookie, if there is one."""

    host: str
    device: str = ""

    @property
    def places(self) -> tuple[str, ...]:
        """The digests under which accounts keep this device and this address as trusted, the device first."""
        texts = [f"device {self.device}"] if self.device else []
        return tuple(_digest(text) for text in (*texts, f"address {network_of(self.host)}"))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


@dataclass
class _Failures:
    """Wrong passwords, until when the next attempt is refused, and until when it was before the latest one."""

    count: int = 0
    until: float = 0.0
    before: float = 0.0


class LoginThrottle:
    """Counts wrong passwords; from the third on each doubles the wait. Nothing is held: a wait is a refusal.

    A device or address that has logged in to a name before is a trusted place of that name. It has a count of its own
    and never waits for what is guessed elsewhere. Other places wait for their own wrong passwords, up to five minutes,
    and for everybody's at that name, up to one minute. Each of them has its turn after that wait, whatever others guess
    meanwhile, so that nobody can keep an owner out.

    On this machine, where a proxy may speak for everybody, each name has a count of its own. Counts are forgotten half
    an hour after the last wrong password, and at a restart.
    """

    def __init__(self, clock: ReactorClock, max_remembered: int = MAX_REMEMBERED, max_turns: int = MAX_TURNS) -> None:
        self._clock = clock
        self._max_remembered = max_remembered
        self._max_turns = max_turns
        self._of_place: dict[str, _Failures] = {}
        self._of_name: dict[str, _Failures] = {}
        self._turns: dict[tuple[str, str], float] = {}

    @property
    def remembered(self) -> int:
        """The number of counts and turns in memory."""
        return len(self._of_place) + len(self._of_name) + len(self._turns)

    def wait_seconds(self, name: str, host: str, trusted_place: str = "") -> float:
        """Return how long an attempt from there is refused; it has its turn then. 0 if it may come now."""
        wait = self._seconds_left(self._of_place.get(_place_key(name, host, trusted_place)))
        return wait if wait or trusted_place else self._seconds_until_turn(name.casefold(), network_of(host))

    def begin(self, name: str, host: str, trusted_place: str = "") -> None:
        """Count an attempt as wrong until `undo`, so that many at once are no quicker than one after the other."""
        self._count(self._of_place, _place_key(name, host, trusted_place), MAX_WAIT_SECONDS)
        if not trusted_place:
            self._turns.pop((name.casefold(), network_of(host)), None)
            self._count(self._of_name, name.casefold(), MAX_NAME_WAIT_SECONDS)

    def undo(self, name: str, host: str, trusted_place: str = "") -> None:
        """Take an attempt back that was right. Wrong ones from there still count."""
        _uncount(self._of_place.get(_place_key(name, host, trusted_place)))
        if not trusted_place:
            _uncount(self._of_name.get(name.casefold()))

    def _seconds_until_turn(self, key: str, network: str) -> float:
        now, turn = self._clock.seconds(), self._turns.get((key, network))
        if turn is None or now > turn + FORGET_SECONDS:
            wait = self._seconds_left(self._of_name.get(key))
            if not wait:
                return 0.0
            turn = now + wait
            _put_last(self._turns, (key, network), turn, self._max_turns)
        return max(0.0, turn - now)

    def _seconds_left(self, entry: _Failures | None) -> float:
        return max(0.0, entry.until - self._clock.seconds()) if entry else 0.0

    def _count(self, table: dict[str, _Failures], key: str, max_wait_seconds: float) -> None:
        now = self._clock.seconds()
        entry = table.get(key)
        if entry is None or now > entry.until + FORGET_SECONDS:
            entry = _Failures()
        beyond = min(entry.count + 1 - MAX_FREE_ATTEMPTS, 30)
        wait = min(max_wait_seconds, FIRST_WAIT_SECONDS * 2**beyond) if beyond >= 0 else 0.0
        entry.count, entry.before, entry.until = entry.count + 1, entry.until, now + wait
        _put_last(table, key, entry, self._max_remembered)


def _uncount(entry: _Failures | None) -> None:
    if entry and entry.count:
        entry.count, entry.until = entry.count - 1, entry.before


def _place_key(name: str, host: str, trusted_place: str) -> str:
    """Return under which key an attempt is counted: for a stranger, the address counts for all names alike."""
    if trusted_place or is_loopback(host):
        return f"{trusted_place or network_of(host)} {name.casefold()}"
    return network_of(host)


def _put_last(table: dict[K, V], key: K, value: V, most: int = MAX_REMEMBERED) -> None:
    """Put an entry behind all others. Beyond `most` the first one is forgotten."""
    table.pop(key, None)
    table[key] = value
    if len(table) > most:
        del table[next(iter(table))]


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
        return self._enqueue(host, _Job(self._hasher.hash, (password,), Deferred()))

    def check(self, kept: str, password: str, host: str) -> Deferred[bool]:
        """Return a Deferred of whether a password is right; cancel it if nobody wants to know any more."""
        return self._enqueue(host, _Job(self._hasher.is_right, (kept, password), Deferred()))

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
            self._running += 1
            self._in_thread(job.work, *job.arguments).addBoth(self._on_done, job.outcome)

    def _on_done(self, result: Any, outcome: Deferred[Any]) -> None:
        self._running -= 1
        outcome.callback(result)  # one that was cancelled takes no notice
        self._start()


class Authenticator:
    """Tries passwords. Guessing becomes slow, and a wait is an answer: nothing is held. `signups` limits new names."""

    def __init__(self, accounts: Accounts, passwords: Passwords, throttle: LoginThrottle, clock: ReactorClock) -> None:
        self._accounts = accounts
        self._passwords = passwords
        self._throttle = throttle
        self.signups = SignupLimiter(clock)

    def wait_seconds(self, name: str, origin: Origin) -> float:
        """Return for how many seconds an attempt from there is refused; 0 if it may come now."""
        return self._throttle.wait_seconds(name, origin.host, self._trusted_place(name, origin))

    def note_login(self, name: str, origin: Origin) -> None:
        """Trust the device and the address from which somebody came in, also after a restart."""
        self._accounts.trust(name, origin.places)

    def attempt(self, name: str, password: str, origin: Origin) -> Deferred[bool]:
        """Try a password that has not to wait; cancel the Deferred if nobody wants to know any more.

        It is compared with what is on disk now: another process may just have reset it.
        """
        place = self._trusted_place(name, origin)
        self._throttle.begin(name, origin.host, place)
        return self._accounts.refresh().addCallback(lambda _: self._compare(name, password, origin.host, place))

    def _compare(self, name: str, password: str, host: str, place: str) -> Deferred[bool] | bool:
        account = self._accounts.account(name)
        if account is None or not account.password:
            return False
        kept = account.password

        def judged(is_right: bool) -> bool:
            now = self._accounts.account(name)
            if is_right and now and now.password == kept:
                self._throttle.undo(name, host, place)
                return True
            self._accounts.record_failed_login(name)
            return False

        return self._passwords.check(kept, password, host).addCallback(judged)

    def _trusted_place(self, name: str, origin: Origin) -> str:
        """Return the trusted place of a name from which a password comes, empty if it is none."""
        account = self._accounts.account(name)
        trusted = account.trusted.split() if account else []
        return next((place for place in origin.places if place in trusted), "")
