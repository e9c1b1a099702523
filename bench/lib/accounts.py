"""Accounts prepared in bulk, so that benches log in as people do."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from bench.lib.players import SECRET
from server.accounts.database import AccountDatabase, default_folder
from server.accounts.passwords import Argon2
from server.accounts.schema import Account
from vault.entities.schema import save_person
from vault.vault import Vault
from world.entities import Character

_LETTERS = "abdefghkopstuyz"
"""No two names of these look alike."""


def caller_name(number: int) -> str:
    """Return the name of an account by its number, from 0 to 50,624."""
    base = len(_LETTERS)
    return "Ca" + "".join(_LETTERS[number // base**place % base] for place in range(4))


def prepare_people(vault: Path, count: int, room_id: str) -> None:
    """Give so many people an account and a note, as if they had been here before."""
    prepare_accounts(vault, count)
    for number in range(count):
        save_person(Vault(vault), Character(caller_name(number), room_id))


def prepare_accounts(vault: Path, count: int) -> None:
    """Put so many accounts into the database of a vault, straight and in one transaction.

    All have the password SECRET and one hash of it, at its real cost: to check it takes a login as long as any.
    """
    kept = Argon2().hash(SECRET)
    with closing(AccountDatabase(default_folder(vault))) as database, database.transaction():
        for number in range(count):
            created = "2026-11-22T00:00:00+00:00"
            database.put_account(Account(caller_name(number), "player", kept, created=created, last_seen=created))
