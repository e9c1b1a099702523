"""What is kept of an account and of a ban."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from argon2 import extract_parameters
from argon2.exceptions import InvalidHashError

from config.settings import ROLES
from vault.notes import NoteError


@dataclass(frozen=True, slots=True)
class Account:
    """Who somebody is. `password` is its hash, empty while none is chosen; a `one_time` one must be replaced.

    Times are ISO 8601 in UTC, empty for never. `failed` counts wrong passwords since the last right one.
    """

    name: str
    role: str
    password: str = ""
    one_time: bool = False
    created: str = ""
    last_seen: str = ""
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Ban:
    """Who may not come in: a name, an address or a network; `until` when (empty: for ever) and `why`."""

    who: str
    until: str = ""
    why: str = ""


@dataclass(frozen=True)
class Records:
    """Accounts by `key` of their name, bans by `key` of whom they are for."""

    accounts: Mapping[str, Account] = field(default_factory=dict)
    bans: Mapping[str, Ban] = field(default_factory=dict)


Row = tuple[Any, ...]
ACCOUNT_COLUMNS = "name, role, password, one_time, created, last_seen, failed"
BAN_COLUMNS = "who, until, why"


def row_of(entry: Account | Ban) -> Row:
    """Return an account or a ban as a row of the database."""
    if isinstance(entry, Ban):
        return entry.who, entry.until, entry.why
    one = entry
    return one.name, one.role, one.password, int(one.one_time), one.created, one.last_seen, one.failed


def account_of(row: Row) -> Account:
    """Return the account in a row. Raises: NoteError if the row is not valid."""
    name, role, password, one_time, created, last_seen, failed = row
    texts = (name, role, password, created, last_seen)
    if not (all(isinstance(text, str) for text in texts) and isinstance(failed, int)):
        raise NoteError(f"the account {name!r} has a value of the wrong type.")
    account = Account(name, role, password, bool(one_time), created, last_seen, failed)
    if problem := account_problem(account):
        raise NoteError(f"the account {name!r}: {problem}")
    return account


def readable_account(row: Row, new_role: str) -> Account:
    """Return what can be read of a row that is not valid: without a password, and with a new role if it has none."""
    name, role = (str(text) for text in row[:2])
    return Account(name, role if role in ROLES else new_role)


def ban_of(row: Row) -> Ban:
    """Return the ban in a row. Raises: NoteError if the row is not valid."""
    if not all(isinstance(text, str) for text in row):
        raise NoteError(f"the ban of {row[0]!r} has a value of the wrong type.")
    if problem := time_problem(row[1]):
        raise NoteError(f"the ban of {row[0]!r}: {problem}")
    return Ban(*row)


def key(name: str) -> str:
    """Return under what a name is kept: names that differ only in case are one."""
    return name.casefold()


def account_problem(account: Account) -> str:
    """Return what is wrong with an account, in a sentence; empty if nothing is."""
    if account.role not in ROLES:
        return f"the role {account.role!r} is none of {', '.join(ROLES)}."
    try:
        if account.password:
            extract_parameters(account.password)
    except InvalidHashError:
        return "the password is no argon2 hash. Give a new one: fallwater reset-password NAME."
    return time_problem(account.created) or time_problem(account.last_seen)


def time_problem(text: str) -> str:
    """Return what is wrong with a time, in a sentence; empty if nothing is."""
    try:
        is_known = not text or datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        is_known = False
    return "" if is_known else f"{text!r} is no time such as 2026-11-21T20:35:01+00:00."
