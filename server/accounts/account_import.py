"""Reading `accounts.json`, in which accounts were kept before there was a database."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from server.accounts.schema import Account, Ban, Records, account_problem, key, time_problem
from vault.notes import NoteError

T = TypeVar("T")

REMEDY = "Correct it, or restore a copy. Without it, everybody has to choose a new password."


def read_json(path: Path) -> Records:
    """Return what an `accounts.json` holds. Raises: NoteError with file, line and what is wrong."""
    try:
        return parse_json(path.read_text(encoding="utf-8"), path)
    except UnicodeDecodeError as error:
        raise NoteError(f"{path}: not UTF-8 text (byte {error.start}). {REMEDY}") from error
    except OSError as error:
        raise NoteError(f"{path}: cannot be read: {error.strerror}. Correct its permissions.") from error


def parse_json(text: str, path: Path) -> Records:
    """Return what the text of the file at `path` says. Raises: NoteError with file, line and what is wrong."""
    try:
        given = json.loads(text, object_pairs_hook=_all_different)
        json.dumps(given, ensure_ascii=False).encode("utf-8")  # half of a surrogate pair can be kept nowhere
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise NoteError(f"{path}:{line}: not valid JSON: {getattr(error, 'msg', error)}. {REMEDY}") from error
    if not isinstance(given, dict) or set(given) - {"accounts", "bans"}:
        raise NoteError(f'{path}:1: expected {{"accounts": {{…}}, "bans": {{…}}}} and nothing else. {REMEDY}')
    accounts = _entries(Account, "name", given.get("accounts", {}), text, path)
    bans = _entries(Ban, "who", given.get("bans", {}), text, path)
    problems = [(account.name, account_problem(account)) for account in accounts.values()]
    for who, problem in [*problems, *((ban.who, time_problem(ban.until)) for ban in bans.values())]:
        if problem:
            raise NoteError(f"{_place(who, text, path)}: {who!r}: {problem} {REMEDY}")
    return Records(accounts, bans)


def _all_different(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        name, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f"{name!r} stands twice in one place")
    return entries


def _entries(kind: type[T], name: str, given: object, text: str, path: Path) -> dict[str, T]:
    """Return what stands under `accounts` or `bans`, each value of the type that its field has."""
    if not isinstance(given, dict):
        raise NoteError(f"{path}:1: expected names with what is known of them in braces. {REMEDY}")
    known: dict[str, Any] = {one.name: one.type for one in fields(kind) if one.name != name}  # type: ignore[arg-type]
    entries: dict[str, T] = {}
    for who, values in given.items():
        if problem := _shape_problem(values, known):
            raise NoteError(f"{_place(who, text, path)}: {who!r}{problem}. {REMEDY}")
        if key(who) in entries:
            raise NoteError(f"{_place(who, text, path)}: {who!r} stands here twice, in whatever case. {REMEDY}")
        try:
            entries[key(who)] = kind(**{name: who}, **values)
        except TypeError as error:
            raise NoteError(f"{_place(who, text, path)}: {who!r} has no role. {REMEDY}") from error
    return entries


def _shape_problem(values: object, known: dict[str, Any]) -> str:
    if not isinstance(values, dict) or set(values) - set(known):
        return f" has other entries than {', '.join(known)}"
    wrong = next((one for one, value in values.items() if type(value).__name__ != known[one]), "")
    return f": {wrong} is not of the type {known[wrong]}" if wrong else ""


def _place(who: str, text: str, path: Path) -> str:
    """Return the file and line of an entry. It searches the whole text, so it is called for one that is wrong only."""
    name = "|".join(re.escape(json.dumps(who, ensure_ascii=is_ascii)) for is_ascii in (False, True))
    found = re.search(rf"(?:{name})\s*:", text)
    return f"{path}:{text.count(chr(10), 0, found.start()) + 1 if found else 1}"
