"""Who has come in by the page: a secret in a cookie, one-time tickets for sockets, and a backlog for each."""

from __future__ import annotations

import hashlib
import logging
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from server.clock import ReactorClock
from server.net.connection_limits import page_files
from server.web.backlog import Backlog, OpenFiles, Owner, read_backlog

log = logging.getLogger(__name__)

TICKET_SECONDS = 30.0
MAX_TICKETS = 10_000
KEPT_SECONDS = 7 * 86400.0
"""How long a login is good for since its last line."""
GUEST_SECONDS = 15 * 60.0
"""The same for a guest's."""
SWEEP_SECONDS = 60.0
MAX_UNUSED = 1000
"""How many logins may wait for their first socket; the oldest are forgotten then."""


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
        backlog.begin_anew()
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
        if backlog.owner.name and backlog.owner.proof != self._proof_of(backlog.owner.name):
            self.end(key)
            return ""
        return key

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

    def put_away(self, key: str) -> None:
        """Keep a login on disk alone, until somebody comes back."""
        backlog = self._known.get(key)
        if backlog and backlog.is_on_disk:
            backlog.rest()
            del self._known[key]

    def ticket(self, key: str) -> str:
        """Return a ticket that opens one socket for a login, within `TICKET_SECONDS`."""
        while len(self._tickets) >= MAX_TICKETS:
            del self._tickets[next(iter(self._tickets))]
        ticket = secrets.token_urlsafe(24)
        self._tickets[ticket] = (key, self._clock.seconds() + TICKET_SECONDS)
        return ticket

    def take(self, ticket: str) -> str:
        """Return the key of the login that a ticket is for, once; empty if it is none, or too old."""
        key, until = self._tickets.pop(ticket, ("", 0.0))
        if not key or self._clock.seconds() > until or self._load(key) is None:
            return ""
        self._unused.pop(key, None)
        return key

    def _sweep_when_due(self) -> None:
        self._clock.callLater(SWEEP_SECONDS, self._sweep_when_due)
        self.sweep()

    def sweep(self) -> None:
        """Forget the logins that nobody has used for long."""
        now = self._now()
        for path in self._folder.glob("*.jsonl"):
            if self._is_used(path.stem):
                continue
            with suppress(OSError):
                age = now - path.stat().st_mtime
                if age > (GUEST_SECONDS if self._is_guests(path) else KEPT_SECONDS):
                    self.end(path.stem)

    def _load(self, key: str) -> Backlog | None:
        backlog = self._known.get(key)
        if backlog is None and self._path(key).is_file():
            backlog = read_backlog(self._path(key), self._files)
            if backlog is not None:
                self._known[key] = backlog
        return backlog

    def _is_guests(self, path: Path) -> bool:
        known = self._known.get(path.stem)
        if known:
            return not known.owner.name
        with open(path, "rb") as file:
            return b'"name": ""' in file.readline()

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}.jsonl"


def _key(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()[:32]


def proof(password: str) -> str:
    """Return what tells one kept password from another without telling anything of it."""
    return hashlib.sha256(f"fallwater {password}".encode()).hexdigest()[:16]
