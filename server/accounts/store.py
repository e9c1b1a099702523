"""The accounts and bans of a running world: read from memory, written by a thread of their own."""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import lru_cache, partial
from queue import SimpleQueue
from threading import Thread
from typing import Any

from twisted.internet.defer import Deferred, execute, succeed
from twisted.python.failure import Failure

from server.accounts.database import (
    AccountDatabase,
    Change,
    Contents,
    WrittenRows,
)
from server.accounts.schema import Account, Ban, DatabaseBusy, Row, account_of, ban_of, key
from server.clock import DelayedCall, InThread, ReactorClock, cancel
from vault.errors import NoteError
from world.world import World

log = logging.getLogger(__name__)

POLL_SECONDS = 2.0
"""Interval in which the database is asked for changes by another process, in seconds."""

THREAD_BUSY_SECONDS = 0.25
"""Seconds that the thread waits for another process before it looks for other work and tries again."""

PendingChange = tuple[Change, Deferred[Any]]

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_OWN_MACHINE = (ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1"))


class WriterThread:
    """Runs calls one after the other in one thread. The process ends without it, even where a disk hangs.

    `in_reactor` has something called in the reactor's thread.
    """

    def __init__(self, in_reactor: Callable[[Callable[[], None]], object]) -> None:
        self._in_reactor = in_reactor
        self._jobs: SimpleQueue[tuple[Deferred[Any], Callable[[], Any]]] = SimpleQueue()
        self._thread = Thread(target=self._run, name="accounts", daemon=True)

    def __call__(self, work: Callable[..., Any], *arguments: Any) -> Deferred[Any]:
        done: Deferred[Any] = Deferred()
        self._jobs.put((done, partial(work, *arguments)))
        if not self._thread.ident:
            self._thread.start()
        return done

    def _run(self) -> None:
        while True:
            done, work = self._jobs.get()
            try:
                outcome = work()
            except Exception:
                outcome = Failure()
            self._in_reactor(partial(done.callback, outcome))


class AccountStore:
    """Answers from memory, and changes the database in another thread, one change after the other.

    Memory holds what is on disk: a change counts once it is durable, and its Deferred fires then. `in_thread` calls
    its first argument with the rest, in one thread, and returns a Deferred of the result; it is not called again before
    that has fired. While another process holds the database, only changes wait.
    """

    def __init__(self, database: AccountDatabase, in_thread: InThread = execute) -> None:
        self.database = database
        self.folder = database.folder
        self._in_thread = in_thread
        self._waiting: list[PendingChange] = []
        self._in_work: list[PendingChange] = []
        self._refreshing: list[Deferred[None]] = []
        self._is_working = self._is_closed = False
        self._closing: Deferred[None] | None = None
        self._poll: DelayedCall | None = None
        self._complaints: set[str] = set()
        self._tell_name: Callable[[str], object] = lambda name: None
        self._tell_reset: Callable[[str], object] = lambda name: None
        self._has_just_written = self._is_delayed = False
        self._accounts: dict[str, Row] = {}
        self._bans: dict[str, Ban] = {}
        self.read_now()

    # What memory holds

    def account(self, name: str) -> Account | None:
        """Return the account of a name, in any case of letters; None if there is none, or its row is not valid."""
        row = self._accounts.get(key(name))
        if row is None:
            return None
        try:
            return account_of(row)
        except NoteError as error:
            self._log_failure(f"{self.database.path}: {error}")
            return None

    def has(self, name: str) -> bool:
        """Return whether there is an account of a name, valid or not."""
        return key(name) in self._accounts

    def admins(self) -> list[str]:
        """Return the names of the admins that have a password."""
        return [str(name) for name, role, password, *_ in self._accounts.values() if role == "admin" and password]

    @property
    def bans(self) -> dict[str, Ban]:
        """The bans by the `key` of their target, oldest first; not to be changed."""
        return self._bans

    @property
    def waiting(self) -> int:
        """The number of changes that are not on disk yet."""
        return len(self._waiting) + len(self._in_work)

    def on_names_changed(self, tell: Callable[[str], object]) -> None:
        """Call `tell` with each name that there is, and with each new one from now on."""
        self._tell_name = tell
        for row in self._accounts.values():
            tell(str(row[0]))

    def on_password_reset(self, tell: Callable[[str], object]) -> None:
        """Call `tell` with each name whose password another process has changed."""
        self._tell_reset = tell

    def read_now(self) -> None:
        """Read everything, in this thread: before the reactor runs. Raises: NoteError."""
        self._hold_all(self.database.read())

    # Changing

    def change(self, change: Change) -> Deferred[Any]:
        """Apply a change in the thread, together with others that wait.

        The Deferred fires with what the change returns once that is durable. It fails with what the change raises,
        or with NoteError if it cannot be kept.
        """
        done: Deferred[Any] = Deferred()
        if self._closing:
            done.errback(NoteError(f"{self.database.path}: closed, so this change cannot be kept."))
            return done
        self._waiting.append((change, done))
        self._work()
        return done

    def refresh(self) -> Deferred[None]:
        """Take in what other processes have changed. The Deferred fires when that is done, or cannot be done now."""
        if self._closing:
            return succeed(None)
        done: Deferred[None] = Deferred()
        self._refreshing.append(done)
        self._work()
        return done

    def watch(self, clock: ReactorClock) -> None:
        """Refresh every few seconds, until it is closed."""
        if not self._closing:
            self._poll = clock.callLater(POLL_SECONDS, lambda: self.refresh().addCallback(lambda _: self.watch(clock)))

    def close(self) -> Deferred[None]:
        """Close the database once nothing waits any more; the Deferred fires then."""
        cancel(self._poll)
        if self._closing is None:
            self._closing = Deferred()
            self._work()
        return self._closing

    # One job in the thread at a time

    def _work(self) -> None:
        if self._is_working or self._is_closed:
            return
        if self._refreshing and (self._has_just_written or not self._waiting):
            self._has_just_written = False
            asked, self._refreshing = self._refreshing, []
            self._begin(lambda outcome: self._refreshed(outcome, asked), self.database.read_if_changed)
        elif self._waiting:
            self._has_just_written = True
            self._in_work, self._waiting = self._waiting, []
            self._begin(self._committed, _commit, self.database, [change for change, _ in self._in_work])
        elif self._closing:
            closing, self._is_closed = self._closing, True
            self._begin(closing.callback, self.database.close)

    def _begin(self, then: Callable[[Any], object], work: Callable[..., Any], *arguments: Any) -> None:
        self._is_working = True
        job = self._in_thread(work, *arguments)
        job.addBoth(then).addErrback(lambda failure: log.error("accounts: %s", failure.getTraceback()))
        job.addBoth(lambda _: self._work_next())

    def _work_next(self) -> None:
        self._is_working = False
        self._work()

    def _refreshed(self, outcome: Contents | Failure | None, asked: list[Deferred[None]]) -> None:
        if isinstance(outcome, Failure):
            if not outcome.check(DatabaseBusy):
                self._log_failure(outcome.getErrorMessage())
        elif outcome:
            self._hold_all(outcome)
        for done in asked:
            done.callback(None)

    def _committed(self, outcome: tuple[list[Any], WrittenRows] | Failure) -> None:
        batch, self._in_work = self._in_work, []
        if isinstance(outcome, Failure) and outcome.check(DatabaseBusy):
            if not self._is_delayed:
                log.warning("%s Changes of accounts wait: %s.", outcome.getErrorMessage(), len(batch))
            self._is_delayed = True
            self._waiting[:0] = batch
            return
        self._is_delayed = False
        if isinstance(outcome, Failure):
            for _, done in batch:
                done.errback(outcome)
            return
        results, changed = outcome
        self._hold(changed, self._accounts)
        for (_, done), result in zip(batch, results, strict=True):
            done.callback(result)

    def _hold_all(self, contents: Contents) -> None:
        """Hold all that is on disk, and nothing else."""
        known, self._accounts, self._bans = self._accounts, {}, {}
        self._hold(contents, known)
        for account_key, row in known.items():
            if row[2] and self._accounts.get(account_key, ("",) * 3)[2] != row[2]:
                self._tell_reset(str(row[0]))

    def _hold(self, rows: Contents | WrittenRows, known: Mapping[str, Row]) -> None:
        """Hold rows beside those that are held, and tell the names of accounts that were not `known`."""
        for account_key, row in rows.accounts.items():
            is_new = account_key not in known
            self._accounts[account_key] = row
            if is_new:
                self._tell_name(str(row[0]))
        for ban_key, ban_row in rows.bans.items():
            if ban_row is None:
                self._bans.pop(ban_key, None)
                continue
            try:
                self._bans[ban_key] = ban_of(ban_row)
            except NoteError as error:
                self._log_failure(f"{self.database.path}: {error} It does not count.")

    def _log_failure(self, problem: str) -> None:
        """Log the faults of the database, each once."""
        if problem not in self._complaints:
            self._complaints.add(problem)
            log.error("%s", problem)


def _commit(database: AccountDatabase, changes: list[Change]) -> tuple[list[Any], WrittenRows]:
    """Apply changes in one transaction. One that raises changes nothing, and its outcome is the Failure."""
    outcomes: list[Any] = []
    with database.transaction() as changed:
        for change in changes:
            try:
                with database.savepoint():
                    outcomes.append(change(database))
            except Exception:
                if not database.is_in_transaction:
                    raise  # the disk is full, for one: SQLite has undone all of it
                outcomes.append(Failure())
    return outcomes, changed


class BanRefused(Exception):
    """Nobody can be kept out by that; the message says why."""


class Bans:
    """The bans among the accounts. Times are UTC; `now` returns the present one."""

    def __init__(self, store: AccountStore, world: World, now: Callable[[], datetime]) -> None:
        self._store = store
        self._world = world
        self._now = now

    def ban(self, who: str, until: datetime | None, why: str) -> Deferred[None]:
        """Keep a name, an address or a network (`203.0.113.0/24`) out, until then or for ever (None).

        People who are connected stay. The Deferred fires when the ban is kept and in force; it fails with NoteError.
        Raises: BanRefused for this machine's own address.
        """
        who = who.strip()
        network = _network(who)
        if network and any(network.overlaps(own) for own in _OWN_MACHINE):
            raise BanRefused(self._world.wording("door.no_ban_on_this_machine", host=who))
        ban = Ban(who, until.astimezone(UTC).isoformat(timespec="seconds") if until else "", why)
        return self._store.change(lambda database: database.put_ban(ban))

    def has(self, who: str) -> bool:
        """Return whether there is a ban of exactly this name, address or network."""
        return key(who.strip()) in self._store.bans

    def unban(self, who: str) -> Deferred[bool]:
        """Remove a ban. The Deferred fires with whether there was one, and fails with NoteError."""
        return self._store.change(lambda database: database.remove_ban(who.strip()))

    def active_bans(self) -> list[Ban]:
        """Return the bans that are in force, oldest first."""
        return [ban for ban in self._store.bans.values() if self._counts(ban)]

    def ban_of(self, name_or_host: str) -> Ban | None:
        """Return the ban that keeps a name or an address out, or None."""
        found = self._store.bans.get(key(name_or_host))
        if found and self._counts(found):
            return found
        address = _network(name_or_host)
        for ban in self._store.bans.values() if address else ():
            network = _network(ban.who)
            if address and network and _holds(network, address) and self._counts(ban):
                return ban
        return None

    def _counts(self, ban: Ban) -> bool:
        return not ban.until or datetime.fromisoformat(ban.until) > self._now()

    def ban_message(self, ban: Ban) -> str:
        """Return the message for somebody who is banned."""
        if not ban.until:
            return self._world.wording("door.banned", why=ban.why)
        return self._world.wording("door.banned_until", until=until_text(ban.until), why=ban.why)


def until_text(until: str) -> str:
    """Return the time until which a ban counts as people read it; empty if it counts for ever."""
    return f"{datetime.fromisoformat(until).astimezone(UTC):%Y-%m-%d %H:%M} UTC" if until else ""


@lru_cache(10_000)
def _network(text: str) -> Network | None:
    """Return an address or network as a network, an IPv4 address within IPv6 as itself; None if it is neither."""
    try:
        network = ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None
    mapped = network.network_address.ipv4_mapped if isinstance(network, ipaddress.IPv6Network) else None
    return ipaddress.ip_network(mapped) if mapped and network.num_addresses == 1 else network


def _holds(network: Network, address: Network) -> bool:
    return network.version == address.version and address.network_address in network
