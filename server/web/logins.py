"""Logins by the page: Host and Origin checks, the login form, the cookie, and tickets."""

from __future__ import annotations

import hashlib
import ipaddress
import logging
import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from twisted.internet.defer import Deferred

from config.settings import ServerSettings
from server.accounts.accounts import AccountState, LoginName, NameRefused
from server.accounts.dialogue import LoginServices
from server.accounts.login import Login, LoginResult
from server.accounts.passwords import Origin
from server.clock import ReactorClock
from server.connection.limits import page_files
from server.web.backlog import Backlog, OpenFiles, Owner, read_backlog, read_owner

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

log = logging.getLogger(__name__)

TICKET_SECONDS = 30.0
MAX_TICKETS = 10_000
LOGIN_SECONDS = 7 * 86400.0
"""Seconds that a login is good for after its last line."""

GUEST_SECONDS = 15 * 60.0
"""The same for a guest, in seconds."""

SWEEP_SECONDS = 60.0
MAX_UNUSED = 1000
"""Maximum number of logins that wait for their first socket; the oldest are forgotten then."""


def known_origins(settings: ServerSettings, port: int, local_host: str) -> set[str]:
    """Return the addresses under which browsers reach the page, each as an origin: scheme, host and port.

    `port` is the one that is listened on, `local_host` the address that this very connection has come to.
    """
    names = {*LOOPBACK, f"[{local_host}]" if ":" in local_host else local_host}
    if settings.hostname:
        names.add(settings.hostname.lower())
    scheme, usual = ("https", 443) if settings.web_tls else ("http", 80)
    ours = {f"{scheme}://{name}" if port == usual else f"{scheme}://{name}:{port}" for name in names}
    return ours | {one.rstrip("/").lower() for one in settings.web_origins.replace(",", " ").split()}


def is_network(text: str) -> bool:
    """Return whether a text is an address or a network."""
    try:
        ipaddress.ip_network(text, strict=False)
    except ValueError:
        return False
    return True


def caller(peer: str, forwarded: Sequence[str], trusted: str) -> str:
    """Return the address of a caller: the peer, or the last one that is no trusted proxy's.

    `forwarded` are the values of X-Forwarded-For, `trusted` the addresses or networks of proxies. Only what trusted
    proxies have written counts, so nobody can give another address as their own.
    """
    hops = [hop.strip().strip("[]") for value in forwarded for hop in value.split(",")]
    host = peer
    networks = [ipaddress.ip_network(one, strict=False) for one in trusted.replace(",", " ").split() if is_network(one)]
    while hops and _is_in(host, networks):
        before = hops.pop()
        if not is_network(before):
            return host
        host = before
    return host


def _is_in(host: str, networks: Sequence[ipaddress.IPv4Network | ipaddress.IPv6Network]) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return any(address in network for network in networks)


@dataclass(frozen=True)
class Outcome:
    """The outcome of a form: the claim of a visitor who may come in, or else a text and the next field to ask for.

    `asks` is `password`, `new` (a first password for a new name), `own` (another for a one-time password) or `name`.
    """

    claim: LoginName | None
    told: str = ""
    asks: str = "name"


@dataclass
class FormLogin:
    """A visitor at a login form, as the dialogue sees them.

    A new visitor, or one with a one-time password, also gives the password that they have `chosen`.
    """

    name: str
    password: str
    chosen: str
    origin: Origin
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
            claim = self.services.accounts.identify(self.name, self.origin.host)
        except NameRefused as error:
            self._finish(Outcome(None, str(error)))
            return self._done
        self._is_new = claim.state in (AccountState.NEW, AccountState.UNCLAIMED)
        if self._is_new and not self.chosen:
            key = "door.new_name" if claim.state is AccountState.NEW else "door.unclaimed"
            told = self.services.wording()(key, name=claim.name, shortest=self.services.settings.shortest_password)
            self._finish(Outcome(None, told, "new"))
            return self._done
        self._login = Login(self, self.services, lambda claim: self._finish(Outcome(claim)))
        self._login.try_credentials(self.name, self.password, self._on_result)
        return self._done

    def _on_result(self, result: LoginResult, message: str) -> None:
        if result is LoginResult.SUCCESS or self._is_over:
            return
        is_one_time = result is LoginResult.ONE_TIME
        if self.chosen and (is_one_time or self._is_new):
            return  # another password, or a first one, is asked for next, and `chosen` answers it
        self._finish(Outcome(None, message, "own" if is_one_time else "password"))

    # What the dialogue does

    @property
    def host(self) -> str:
        return self.origin.host

    def show(self, text: str, kind: str = "") -> None:
        if self._has_answered:
            self._finish(Outcome(None, text, "new" if self._is_new else "own"))

    def end(self, text: str) -> None:
        self._finish(Outcome(None, text, "password"))

    def hide_typing(self, hidden: bool) -> None:
        """Answer a hidden question with the password that was chosen, once, unless the form is over."""
        login = self._login
        if hidden and login and self.chosen and not self._has_answered and not self._is_over:
            self._has_answered = True
            login.line_received(self.chosen)

    def hold(self, held: bool) -> None:
        """Do nothing: there are no lines but those of the form."""

    def note_password(self, password: str) -> None:
        """Do nothing: no lines are typed here."""

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


class Logins:
    """The logins of a world, by the hash of their secret, each with a file in `folder`.

    `proof_of` returns what a name's password is known by, None if there is no such account: a login made with another
    password is void. `is_used` says whether somebody plays by a login just now.
    """

    def __init__(
        self,
        folder: Path,
        proof_of: Callable[[str], str | None],
        is_used: Callable[[str], bool],
        clock: ReactorClock,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._folder = folder
        self._proof_of = proof_of
        self._is_used = is_used
        self._clock = clock
        self._now = now
        self._known: dict[str, Backlog] = {}
        self._files = OpenFiles(page_files)
        self._tickets: dict[str, tuple[str, float]] = {}
        self._unused: dict[str, None] = {}
        self._sweep_when_due()

    def begin(self, name: str) -> str:
        """Make a login for somebody, a guest without a name; return the secret for the cookie."""
        secret = secrets.token_urlsafe(32)
        key = _key(secret)
        self._known[key] = backlog = Backlog(self._path(key), Owner(name, self._proof_of(name) or ""), self._files)
        backlog.reset()
        backlog.write()
        self._unused[key] = None
        while len(self._unused) > MAX_UNUSED:
            self.end(next(iter(self._unused)))
        return secret

    def find(self, secret: str) -> str:
        """Return the key of the login with a secret, empty if there is none that is good."""
        key = _key(secret)
        backlog = self._load(key)
        if backlog is None:
            return ""
        if self._is_void(backlog.owner):
            if not self._is_used(key):
                self.end(key)
            return ""
        return key

    def renew(self, key: str) -> None:
        """Let a login go on although its account has another password now."""
        backlog = self._known[key]
        backlog.prove(self._proof_of(backlog.owner.name) or "")

    def _is_void(self, owner: Owner) -> bool:
        """Return whether a login was made with a password that is another one now."""
        return bool(owner.name) and owner.proof != self._proof_of(owner.name)

    def backlog(self, key: str) -> Backlog:
        """Return the backlog of a login that was found."""
        return self._known[key]

    def end(self, key: str) -> None:
        """Forget a login and all that it was shown."""
        self._unused.pop(key, None)
        backlog = self._load(key)
        self._known.pop(key, None)
        if backlog:
            backlog.remove()

    def evict(self, key: str) -> None:
        """Keep a login on disk alone, until somebody comes back."""
        backlog = self._known.get(key)
        if backlog and backlog.is_on_disk:
            backlog.rest()
            del self._known[key]

    def issue_ticket(self, key: str) -> str:
        """Return a ticket that opens one socket for a login, within `TICKET_SECONDS`."""
        while len(self._tickets) >= MAX_TICKETS:
            del self._tickets[next(iter(self._tickets))]
        ticket = secrets.token_urlsafe(24)
        self._tickets[ticket] = (key, self._clock.seconds() + TICKET_SECONDS)
        return ticket

    def redeem_ticket(self, ticket: str) -> str:
        """Return the key of the login that a ticket is for, once; empty if it is none, or too old."""
        key, until = self._tickets.pop(ticket, ("", 0.0))
        backlog = self._load(key) if key and self._clock.seconds() <= until else None
        if backlog is None or self._is_void(backlog.owner):
            return ""
        self._unused.pop(key, None)
        return key

    def _sweep_when_due(self) -> None:
        self._clock.callLater(SWEEP_SECONDS, self._sweep_when_due)
        self.sweep()

    def sweep(self) -> None:
        """Forget the logins that nobody has used for long, and those of former passwords."""
        now = self._now()
        for path in self._folder.glob("*.jsonl"):
            if self._is_used(path.stem):
                continue
            with suppress(OSError):
                age, owner = now - path.stat().st_mtime, self._owner_of(path)
                if self._is_void(owner) or age > (LOGIN_SECONDS if owner.name else GUEST_SECONDS):
                    self.end(path.stem)

    def _load(self, key: str) -> Backlog | None:
        backlog = self._known.get(key)
        if backlog is None and self._path(key).is_file():
            backlog = read_backlog(self._path(key), self._files)
            if backlog is not None:
                self._known[key] = backlog
        return backlog

    def _owner_of(self, path: Path) -> Owner:
        known = self._known.get(path.stem)
        return known.owner if known else read_owner(path)

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}.jsonl"


def _key(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()[:32]


def password_fingerprint(password: str) -> str:
    """Return a fingerprint that tells one stored hash from another and reveals nothing of it."""
    return hashlib.sha256(f"fallwater {password}".encode()).hexdigest()[:16]
