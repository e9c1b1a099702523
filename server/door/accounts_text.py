"""What is kept of accounts, and the text of the file that it stands in."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from argon2 import extract_parameters
from argon2.exceptions import InvalidHashError

from config.settings import ROLES
from vault.notes import NoteError

T = TypeVar("T")

REMEDY = "Mend it or put a copy of it back; moved away, everybody would have to choose a password anew."


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class Ban:
    """Who may not come in: a name, an address or a network; `until` when (empty: for ever) and `why`."""

    who: str
    until: str = ""
    why: str = ""


@dataclass(frozen=True)
class Records:
    """All that the file holds: accounts by `key` of their name, bans by `key` of whom they are for."""

    accounts: Mapping[str, Account] = field(default_factory=dict)
    bans: Mapping[str, Ban] = field(default_factory=dict)

    def with_account(self, account: Account) -> Records:
        """Return these with an account put in or replaced."""
        return replace(self, accounts={**self.accounts, key(account.name): account})

    def with_ban(self, ban: Ban) -> Records:
        """Return these with a ban put in or replaced."""
        return replace(self, bans={**self.bans, key(ban.who): ban})

    def without_ban(self, who: str) -> Records:
        """Return these without a ban."""
        return replace(self, bans={one: ban for one, ban in self.bans.items() if one != key(who)})


Change = Callable[[Records], Records]


def key(name: str) -> str:
    """Return under what a name is kept: names that differ only in case are one."""
    return name.casefold()


def format_records(records: Records) -> str:
    """Return what stands in the file: JSON with an account or a ban a line, so that it is good to read."""
    accounts = [_line(account.name, account, "name") for account in records.accounts.values()]
    bans = [_line(ban.who, ban, "who") for ban in records.bans.values()]
    return f'{{\n"accounts": {{\n{_joined(accounts)}}},\n"bans": {{\n{_joined(bans)}}}\n}}\n'


def _line(name: str, entry: Account | Ban, without: str) -> str:
    values = {one: value for one, value in asdict(entry).items() if one != without}
    return f"  {json.dumps(name, ensure_ascii=False)}: {json.dumps(values, ensure_ascii=False)}"


def _joined(lines: list[str]) -> str:
    return ",\n".join(lines) + "\n" if lines else ""


def parse_records(text: str, path: Path) -> Records:
    """Return what the text of the file at `path` says. Raises: NoteError with file, line and what is wrong."""
    try:
        given = json.loads(text, object_pairs_hook=_all_different)
    except ValueError as error:
        line = getattr(error, "lineno", 1)
        raise NoteError(f"{path}:{line}: not valid JSON: {getattr(error, 'msg', error)}. {REMEDY}") from error
    if not isinstance(given, dict) or set(given) - {"accounts", "bans"}:
        raise NoteError(f'{path}:1: expected {{"accounts": {{…}}, "bans": {{…}}}} and nothing else. {REMEDY}')
    records = Records(
        _entries(Account, "name", given.get("accounts", {}), text, path),
        _entries(Ban, "who", given.get("bans", {}), text, path),
    )
    problems = [(account.name, _problem(account)) for account in records.accounts.values()]
    for who, problem in [*problems, *((ban.who, _time_problem(ban.until)) for ban in records.bans.values())]:
        if problem:
            raise NoteError(f"{_place(who, text, path)}: {who!r}: {problem} {REMEDY}")
    return records


def _all_different(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} stands twice in one place")
    return found


def _entries(kind: type[T], name: str, given: object, text: str, path: Path) -> dict[str, T]:
    """Return what stands under `accounts` or `bans`, each value of the type that its field has."""
    if not isinstance(given, dict):
        raise NoteError(f"{path}:1: expected names with what is known of them in braces. {REMEDY}")
    known: dict[str, Any] = {one.name: one.type for one in fields(kind) if one.name != name}  # type: ignore[arg-type]
    found: dict[str, T] = {}
    for who, values in given.items():
        place = _place(who, text, path)
        if not isinstance(values, dict) or set(values) - set(known):
            raise NoteError(f"{place}: {who!r} has other entries than {', '.join(known)}. {REMEDY}")
        for one, value in values.items():
            if type(value).__name__ != known[one]:
                raise NoteError(f"{place}: {who!r}: {one} is not of the type {known[one]}. {REMEDY}")
        if key(who) in found:
            raise NoteError(f"{place}: {who!r} stands here twice, in whatever case. {REMEDY}")
        try:
            found[key(who)] = kind(**{name: who}, **values)
        except TypeError as error:
            raise NoteError(f"{place}: {who!r} has no role. {REMEDY}") from error
    return found


def _problem(account: Account) -> str:
    if account.role not in ROLES:
        return f"the role is none of {', '.join(ROLES)}."
    try:
        if account.password:
            extract_parameters(account.password)
    except InvalidHashError:
        return 'the password is no argon2 hash; write "" for it and give a new one with `fallwater reset-password`.'
    return _time_problem(account.created) or _time_problem(account.last_seen)


def _time_problem(text: str) -> str:
    try:
        known = not text or datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        known = False
    return "" if known else f"{text!r} is no time such as 2026-11-21T20:35:01+00:00."


def _place(who: str, text: str, path: Path) -> str:
    found = re.search(rf"^.*{re.escape(json.dumps(who, ensure_ascii=False))}\s*:", text, re.MULTILINE)
    return f"{path}:{text.count(chr(10), 0, found.start()) + 1 if found else 1}"
