"""Passwords for one time, given out on the console: to the first admin, and to whoever has lost theirs."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from server.door.accounts_file import AccountsFile
from server.door.accounts_text import Account, key
from server.door.names import RESERVED, well_formed
from server.door.passwords import Hasher
from vault.agent_notes import agent_names
from vault.folder import Vault
from vault.notes import NoteError


def one_time_password(choose: Callable[[str], str] = secrets.choice) -> str:
    """Return a password that can be read out and typed: ten syllables, 62 bits."""
    syllables = [choose("bdfghjklmnprstvz") + choose("aeiou") for _ in range(10)]
    return "-".join("".join(syllables[start : start + 2]) for start in range(0, 10, 2))


def first_admin(file: AccountsFile, vault: Vault, name: str, hasher: Hasher) -> str:
    """Make an admin of this name if there is none, and return what whoever started the world should read, if anything.

    Raises: NoteError if nobody can be called that, or the account cannot be kept.
    """
    admins = [one for one in file.records.accounts.values() if one.role == "admin"]
    remedy = f"fallwater reset-password NAME --vault {vault.root}".replace
    if len(admins) == 1 and admins[0].one_time:
        lost = remedy("NAME", admins[0].name)
        return f"The admin {admins[0].name} has not chosen a password yet. If the one-time password is lost: {lost}"
    if admins:
        return ""
    own = f"config/server.md: admin_name is {name!r}, and the first admin cannot be called that: "
    taken = {key(one) for one in (*vault.names("rooms"), *vault.names("things"), *agent_names(vault), *RESERVED)}
    if well_formed(name) != name:
        raise NoteError(f"{own}a name has Latin letters alone and begins with a capital one.")
    if key(name) in taken:
        raise NoteError(f"{own}it is the name of something else.")
    if (found := file.records.accounts.get(key(name))) and found.password:
        lost = remedy("NAME", f"{found.name} --role admin")
        return f"There is no admin: {found.name} is somebody else. Make somebody one with: {lost}"
    password = _issue(file, name, "admin", hasher)
    return (
        f"The admin of this world is {name}, with the one-time password {password}\n"
        "Give that name and password at the door to run the world; you choose your own then. It is shown only here."
    )


def reset_password(file: AccountsFile, vault: Vault, given: str, role: str, new_role: str, hasher: Hasher) -> str:
    """Give somebody a new password for one time, and a role unless it is empty; return what to read out.

    Who has lived here but has no account yet gets one. Raises: NoteError if there is nobody of that name.
    """
    account = file.records.accounts.get(key(given))
    people = {key(name): name for name in vault.names("people")}
    name = account.name if account else people.get(key(given))
    if name is None:
        known = ", ".join(sorted({one.name for one in file.records.accounts.values()} | set(people.values())))
        raise NoteError(f"There is nobody called {given!r} in {vault.root}. Its people: {known or 'none yet'}.")
    password = _issue(file, name, role or (account.role if account else new_role), hasher)
    return f"The one-time password of {name} is {password}\nWhoever comes in with it chooses another at once."


def _issue(file: AccountsFile, name: str, role: str, hasher: Hasher) -> str:
    password = one_time_password()
    kept, created = hasher.hash(password), datetime.now(UTC).isoformat(timespec="seconds")
    file.change(
        lambda records: records.with_account(
            replace(
                records.accounts.get(key(name)) or Account(name, role, created=created),
                role=role,
                password=kept,
                one_time=True,
            )
        )
    )
    return password
