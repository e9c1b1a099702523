"""Passwords for one time, as they are given out on the console."""

from __future__ import annotations

import re

import pytest

from server.door.accounts_file import AccountsFile
from server.door.accounts_text import Account
from server.door.one_time import first_admin, one_time_password, reset_password
from tests.server.front_door import FakeHasher
from tests.vault.vault_of import vault_of
from vault.notes import NoteError

HASHER = FakeHasher()


@pytest.fixture
def file(tmp_path):
    return AccountsFile(tmp_path / "accounts")


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


def test_where_there_is_no_admin_one_is_made_and_the_password_told(file, vault):
    told = first_admin(file, vault, "Warden", HASHER)
    account = file.records.accounts["warden"]
    assert (account.name, account.role, account.one_time) == ("Warden", "admin", True)
    assert HASHER.is_right(account.password, given_in(told))
    assert told.startswith("The admin of this world is Warden, with the one-time password ")


def test_the_password_is_told_once_and_then_how_to_get_another(file, vault):
    password = given_in(first_admin(file, vault, "Warden", HASHER))
    told = first_admin(file, vault, "Warden", HASHER)
    assert password not in told
    assert told.endswith(f"If the one-time password is lost: fallwater reset-password Warden --vault {vault.root}")


def test_where_there_is_an_admin_nothing_is_told(file, vault):
    file.change(lambda records: records.with_account(Account("Ana", "admin", HASHER.hash("x"))))
    assert first_admin(file, vault, "Warden", HASHER) == ""
    assert list(file.records.accounts) == ["ana"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [("Rook", "the name of something else"), ("The Yard", "Latin letters"), ("warden", "begins with a capital")],
)
def test_a_name_that_the_admin_cannot_have_is_refused_with_the_setting(file, vault, name, reason):
    with pytest.raises(NoteError, match=f"config/server.md: admin_name is {name!r}.*{reason}"):
        first_admin(file, vault, name, HASHER)


def test_somebody_who_has_that_name_already_is_not_made_an_admin_unasked(file, vault):
    eve = Account("Warden", "player", HASHER.hash("x"))
    file.change(lambda records: records.with_account(eve))
    told = first_admin(file, vault, "Warden", HASHER)
    assert "reset-password Warden --role admin" in told
    assert file.records.accounts["warden"] == eve


def test_a_password_is_given_anew_and_the_role_stays(file, vault):
    file.change(lambda records: records.with_account(Account("Eve", "builder", HASHER.hash("x"), last_seen="")))
    told = reset_password(file, vault, "EVE", "", "player", HASHER)
    account = file.records.accounts["eve"]
    assert (account.name, account.role, account.one_time) == ("Eve", "builder", True)
    assert HASHER.is_right(account.password, given_in(told))


def test_a_role_is_given_along_if_it_is_asked_for(file, vault):
    reset_password(file, vault, "dan", "admin", "player", HASHER)
    assert (file.records.accounts["dan"].name, file.records.accounts["dan"].role) == ("Dan", "admin")


def test_nobody_is_refused_with_those_there_are(file, vault):
    file.change(lambda records: records.with_account(Account("Eve", "builder")))
    with pytest.raises(NoteError, match=r"There is nobody called 'Zoe' in .*\. Its people: Dan, Eve\."):
        reset_password(file, vault, "Zoe", "", "player", HASHER)
