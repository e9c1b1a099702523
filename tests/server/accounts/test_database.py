"""The database of accounts: private, whole whatever happens, and used by several processes."""

from __future__ import annotations

import os
import re
import sqlite3
import stat
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.accounts.database import AccountDatabase, default_folder, read_accounts
from server.accounts.schema import Account, Ban, DatabaseBusy, account_of, ban_of
from tests.server.front_door import FakeHasher, accounts_in, put_accounts
from vault.errors import NoteError

HASH = FakeHasher().hash("a long secret")
EVE = Account("Eve", "player", HASH, False, "2026-11-18T11:06:40+00:00", "", 2)
TIMES = st.sampled_from(["", "2026-11-18T11:06:40+00:00"])
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
ACCOUNTS = st.builds(
    Account,
    NAMES,
    st.sampled_from(["guest", "player", "builder", "admin"]),
    st.sampled_from(["", HASH]),
    st.booleans(),
    TIMES,
    TIMES,
    st.integers(0, 10**9),
)
BANS = st.builds(Ban, NAMES, TIMES, st.text(st.characters(exclude_categories=["Cs"]), max_size=9))


@given(st.lists(ACCOUNTS), st.lists(BANS))
def test_whatever_is_kept_is_read_again_as_it_was(accounts, bans):
    with closing(AccountDatabase(Path(), in_memory=True)) as database:
        with database.transaction():
            for account in accounts:
                database.put_account(account)
            for ban in bans:
                database.put_ban(ban)
        contents = database.read()
    assert {key: account_of(row) for key, row in contents.accounts.items()} == {
        account.name.casefold(): account for account in accounts
    }
    assert {key: ban_of(row) for key, row in contents.bans.items()} == {ban.who.casefold(): ban for ban in bans}


def test_nobody_else_may_read_it_at_any_moment(tmp_path):
    old = os.umask(0)  # whatever it is, the modes are ours
    try:
        with closing(AccountDatabase(tmp_path / "a")) as database, database.transaction():
            database.put_account(EVE)
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "a").iterdir()}
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o700
    assert modes == {f"accounts.sqlite3{suffix}": 0o600 for suffix in ("", "-wal", "-shm")}


def test_what_raises_within_a_transaction_or_a_step_of_it_changes_nothing_else(tmp_path):
    with closing(AccountDatabase(tmp_path)) as database:
        with database.transaction() as changed:
            database.put_account(EVE)
            with pytest.raises(ZeroDivisionError), database.savepoint():
                database.put_account(replace(EVE, role="admin"))
                raise ZeroDivisionError
        assert [row[1] for row in changed.accounts.values()] == ["player"]
        with pytest.raises(ZeroDivisionError), database.transaction():
            database.put_account(Account("Ana", "admin"))
            raise ZeroDivisionError
    assert accounts_in(tmp_path) == {"Eve": EVE}


def test_a_process_that_holds_it_is_waited_for_and_then_told_of(tmp_path):
    put_accounts(tmp_path, EVE)
    with closing(AccountDatabase(tmp_path)) as other, closing(AccountDatabase(tmp_path, 0.0)) as ours:
        with other.transaction():
            assert ours.account("Eve") == EVE
            with pytest.raises(DatabaseBusy, match="another process is writing to it. Try again"), ours.transaction():
                pass
        with ours.transaction():
            ours.put_account(Account("Ana", "player"))
    assert sorted(accounts_in(tmp_path)) == ["Ana", "Eve"]


class Other(sqlite3.Connection):
    """A connection whose first turn to write comes when another process has ended its own."""

    writer: sqlite3.Connection

    def execute(self, sql: str, parameters: Any = ()) -> sqlite3.Cursor:
        if sql == "BEGIN IMMEDIATE" and self.writer.in_transaction:
            self.writer.execute("COMMIT")
        return super().execute(sql, parameters)


def test_it_is_opened_while_another_process_writes_to_it_for_the_first_time(tmp_path, monkeypatch):
    AccountDatabase(tmp_path / "a").close()
    path = next((tmp_path / "a").glob("*.sqlite3"))
    with closing(sqlite3.connect(path, isolation_level=None)) as Other.writer:
        Other.writer.execute("PRAGMA journal_mode = DELETE")  # as before the first process has opened it
        Other.writer.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Other))
        with closing(AccountDatabase(tmp_path / "a")) as database:
            assert database.admins() == []


def test_a_change_is_not_kept_in_a_file_that_was_moved_away(tmp_path):
    put_accounts(tmp_path, EVE)
    with closing(AccountDatabase(tmp_path)) as database:
        (tmp_path / "accounts.sqlite3").rename(tmp_path / "elsewhere")
        with (
            pytest.raises(NoteError, match="moved or replaced while it is in use.*Put it back"),
            database.transaction(),
        ):
            database.put_account(Account("Ana", "player"))
        (tmp_path / "elsewhere").rename(tmp_path / "accounts.sqlite3")
        with database.transaction():
            database.put_account(Account("Ana", "player"))
    assert sorted(accounts_in(tmp_path)) == ["Ana", "Eve"]


def test_a_copy_is_one_whole_private_file_although_others_go_on_writing(tmp_path):
    copy = tmp_path / "copy"
    copy.mkdir()
    put_accounts(tmp_path, EVE)
    with closing(AccountDatabase(tmp_path)) as other, closing(AccountDatabase(tmp_path)) as ours, other.transaction():
        other.put_account(Account("Ana", "player"))
        ours.copy_to(copy / "accounts.sqlite3")
    assert [(path.name, stat.S_IMODE(path.stat().st_mode)) for path in copy.iterdir()] == [("accounts.sqlite3", 0o600)]
    assert accounts_in(copy) == {"Eve": EVE}


def test_a_folder_or_a_copy_that_cannot_be_made_is_told_with_what_to_do(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(NoteError, match="Give another folder with --accounts"):
        AccountDatabase(tmp_path / "file" / "a")
    with closing(AccountDatabase(tmp_path / "a")) as database, pytest.raises(NoteError, match="copy cannot be written"):
        database.copy_to(tmp_path / "nowhere" / "copy")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "holds no accounts. It is damaged: restore a copy"),
        (b"SQLite format 3\0" + b"\xff" * 4000, "is not a database. It is damaged: restore a copy"),
        (b"{}" * 3000, "is not a database. It is damaged: restore a copy"),
    ],
)
def test_a_file_that_is_no_database_is_refused_and_stays_as_it_is(tmp_path, content, reason):
    path = tmp_path / "accounts.sqlite3"
    path.write_bytes(content)
    for use in (lambda: AccountDatabase(tmp_path), lambda: read_accounts(tmp_path)):
        with pytest.raises(NoteError, match=f"{path}: .*{reason}"):
            use()
    assert path.read_bytes() == content


def test_a_database_of_format_2_is_upgraded_with_all_its_accounts(tmp_path):
    put_accounts(tmp_path, EVE)
    with closing(sqlite3.connect(tmp_path / "accounts.sqlite3")) as db:
        db.execute("ALTER TABLE accounts DROP COLUMN trusted")
        db.execute("PRAGMA user_version = 2")
    for _ in range(2):
        database = AccountDatabase(tmp_path)
        database.close()
    found = read_accounts(tmp_path)
    assert found is not None and [account_of(row) for row in found.accounts.values()] == [EVE]


@pytest.mark.parametrize("version", [1, 99])
def test_another_format_is_refused(tmp_path, version):
    put_accounts(tmp_path, EVE)
    with closing(sqlite3.connect(tmp_path / "accounts.sqlite3")) as db:
        db.execute(f"PRAGMA user_version = {version}")
    with pytest.raises(NoteError, match=f"another version of Fallwater .format {version}"):
        AccountDatabase(tmp_path)


@pytest.mark.parametrize("change", ["role = 'king'", "password = 'secret'", "failed = 'often'", "key = ''"])
def test_a_value_that_is_not_valid_cannot_be_put_in_by_hand(tmp_path, change):
    put_accounts(tmp_path, EVE)
    with closing(sqlite3.connect(tmp_path / "accounts.sqlite3")) as db, pytest.raises(sqlite3.IntegrityError):
        db.execute(f"UPDATE accounts SET {change}")


@pytest.mark.parametrize("account", [Account("Eve\ud800", "player"), replace(EVE, failed=2**70)])
def test_what_sqlite_cannot_keep_is_refused_in_a_sentence(tmp_path, account):
    database = AccountDatabase(tmp_path, in_memory=True)
    with closing(database), pytest.raises(NoteError, match="sqlite3"), database.transaction():
        database.put_account(account)


NO_TIME = "'soon' is no time such as 2026-11-21T20:35:01+00:00."


@pytest.mark.parametrize(
    ("read", "row", "problem"),
    [
        (
            account_of,
            ("Eve", "king", "", 0, "", "", 0, ""),
            "the account 'Eve': the role 'king' is none of guest, player, observer, builder, admin.",
        ),
        (
            account_of,
            ("Eve", "admin", "x", 0, "", "", 0, ""),
            "the account 'Eve': the password is no argon2 hash. Give a new one: fallwater reset-password NAME.",
        ),
        (account_of, ("Eve", "player", "", 0, "soon", "", 0, ""), f"the account 'Eve': {NO_TIME}"),
        (account_of, ("Eve", "player", "", 0, "", "", "2", ""), "the account 'Eve' has a value of the wrong type."),
        (ban_of, ("Eve", "soon", ""), f"the ban of 'Eve': {NO_TIME}"),
    ],
)
def test_a_row_that_is_not_valid_is_refused_with_its_name_and_what_is_wrong(read, row, problem):
    with pytest.raises(NoteError, match=f"^{re.escape(problem)}$"):
        read(row)


def test_the_folder_stands_beside_the_vault():
    assert default_folder(Path("/srv/my world")) == Path("/srv/my world.accounts")
