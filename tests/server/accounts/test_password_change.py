"""Passwords for one time, as they are given out on the console."""

from __future__ import annotations

import re
from contextlib import closing

import pytest

from server.accounts.database import AccountDatabase
from server.accounts.password_change import first_admin, one_time_password, reset_password
from server.accounts.schema import Account
from tests.server.front_door import FakeHasher, put_accounts
from tests.vault.vault_of import vault_of
from vault.errors import NoteError

HASHER = FakeHasher()


@pytest.fixture
def database(tmp_path):
    with closing(AccountDatabase(tmp_path, in_memory=True)) as database:
        yield database


def put(database: AccountDatabase, account: Account) -> None:
    with database.transaction():
        database.put_account(account)


@pytest.fixture
def vault(tmp_path):
    return vault_of(tmp_path / "vault", {"people/Dan.md": "", "agents/Rook/agent.md": "", "rooms/The Yard.md": ""})


def given_in(told: str) -> str:
    """Return the one password in what was printed."""
    (found,) = re.findall(r"[a-z]{4}(?:-[a-z]{4}){4}", told)
    return str(found)


def test_a_one_time_password_can_be_read_out_and_is_never_the_same():
    assert re.fullmatch(r"([a-z]{4}-){4}[a-z]{4}", one_time_password())
    assert len({one_time_password() for _ in range(50)}) == 50


def test_where_there_is_no_admin_one_is_made_and_the_password_told_once_and_then_how_to_get_another(database, vault):
    told = first_admin(database, vault, "Warden", HASHER)
    account = database.account("warden")
    assert (account.name, account.role, account.one_time) == ("Warden", "admin", True)
    assert HASHER.is_right(account.password, given_in(told))
    assert told.startswith("The admin of this world is Warden, with the one-time password ")
    again = first_admin(database, vault, "Warden", HASHER)
    assert given_in(told) not in again
    assert again.endswith(f"If the one-time password is lost: fallwater reset-password Warden --vault {vault.root}")


def test_where_there_is_an_admin_nothing_is_told(database, vault):
    put(database, Account("Ana", "admin", HASHER.hash("x")))
    assert first_admin(database, vault, "Warden", HASHER) == ""
    assert database.names() == ["Ana"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [("Rook", "the name of something else"), ("The Yard", "Latin letters"), ("warden", "begins with a capital")],
)
def test_a_name_that_the_admin_cannot_have_is_refused_with_the_setting(database, vault, name, reason):
    with pytest.raises(NoteError, match=f"config/server.md: admin_name is {name!r}.*{reason}"):
        first_admin(database, vault, name, HASHER)


def test_somebody_who_has_that_name_already_is_not_made_an_admin_unasked(database, vault):
    eve = Account("Warden", "player", HASHER.hash("x"))
    put(database, eve)
    told = first_admin(database, vault, "Warden", HASHER)
    assert "reset-password Warden --role admin" in told
    assert database.account("warden") == eve


@pytest.mark.parametrize(
    ("given", "role", "account"), [("EVE", "", ("Eve", "builder", True)), ("dan", "admin", ("Dan", "admin", True))]
)
def test_a_password_is_given_anew_and_the_role_stays_unless_one_is_asked_for(database, vault, given, role, account):
    put(database, Account("Eve", "builder", HASHER.hash("x")))
    told = reset_password(database, vault, given, role, "player", HASHER)
    found = database.account(given)
    assert (found.name, found.role, found.one_time) == account
    assert HASHER.is_right(found.password, given_in(told))


def test_an_account_that_is_not_valid_is_repaired_with_a_password(tmp_path, vault):
    put_accounts(tmp_path, Account("Eve", "builder", "$argon2$$$"), Account("Warden", "admin", "$argon2$$$"))
    with closing(AccountDatabase(tmp_path)) as database:
        assert "the password is no argon2 hash" in first_admin(database, vault, "Warden", HASHER)
        told = reset_password(database, vault, "eve", "", "player", HASHER)
        account = database.account("eve")
    assert account
    assert (account.name, account.role, HASHER.is_right(account.password, given_in(told))) == ("Eve", "builder", True)


def test_nobody_is_refused_with_those_there_are(database, vault):
    put(database, Account("Eve", "builder"))
    with pytest.raises(NoteError, match=r"There is nobody called 'Zoe' in .*\. Its people: Dan, Eve\."):
        reset_password(database, vault, "Zoe", "", "player", HASHER)
