"""The accounts of a running world: answered from memory, written in another thread, one change after the other."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from server.accounts.database import AccountDatabase
from server.accounts.schema import Account
from server.accounts.store import POLL_SECONDS, AccountStore
from tests.server.front_door import FakeHasher, Thread, accounts_in, put_accounts
from vault.errors import NoteError

HASH = FakeHasher().hash("a long secret")
EVE = Account("Eve", "player", HASH)
ANA = Account("Ana", "admin", HASH)


@pytest.fixture
def thread():
    return Thread()


@pytest.fixture
def store(tmp_path, thread):
    put_accounts(tmp_path, EVE)
    with closing(AccountDatabase(tmp_path, 0.0)) as database:
        yield AccountStore(database, thread)


def put(account: Account):
    """Return the change that puts in an account."""
    return lambda database: database.put_account(account)


def outcome_of(done: Deferred[object]) -> list[object]:
    """Return a list that holds what a Deferred comes to, once it does: a failure as its text."""
    outcomes: list[object] = []
    done.addErrback(lambda failure: failure.getErrorMessage()).addCallback(outcomes.append)
    return outcomes


def test_a_change_counts_when_it_is_on_disk_and_not_before(store, thread, tmp_path):
    kept = outcome_of(store.change(put(ANA)))
    assert (store.has("Ana"), list(accounts_in(tmp_path)), kept) == (False, ["Eve"], [])
    thread.goes_on()
    assert (store.account("ANA"), accounts_in(tmp_path)["Ana"], kept) == (ANA, ANA, [None])


def test_changes_that_come_while_one_is_written_are_written_together(store, thread):
    done = [outcome_of(store.change(put(Account(name, "player")))) for name in ("Ada", "Bea", "Cas")]
    assert len(thread.jobs) == 1
    thread.goes_on()
    assert (done, len(thread.jobs)) == ([[None], [], []], 1)
    thread.goes_on()
    assert (done, len(thread.jobs)) == ([[None], [None], [None]], 0)


def test_a_change_that_fails_takes_no_other_with_it(store, thread, tmp_path):
    def refuse(database: AccountDatabase) -> None:
        database.put_account(replace(EVE, role="admin"))
        raise NoteError("no")

    store.refresh()  # which the thread does first
    done = [outcome_of(store.change(change)) for change in (put(ANA), refuse, lambda database: "seen")]
    thread.goes_on()
    thread.goes_on()
    assert done == [[None], ["no"], ["seen"]]
    assert accounts_in(tmp_path) == {"Ana": ANA, "Eve": EVE}


def test_while_another_process_holds_it_changes_wait_and_nothing_else_does(store, thread, tmp_path, caplog):
    with closing(AccountDatabase(tmp_path)) as other:
        with other.transaction():
            kept = outcome_of(store.change(put(ANA)))
            for _ in range(5):
                thread.goes_on()
            looked = outcome_of(store.refresh())
            for _ in range(2):
                thread.goes_on()
            assert (kept, looked, store.account("Eve"), store.waiting) == ([], [None], EVE, 1)
            later = outcome_of(store.change(put(Account("Ben", "player"))))
        thread.goes_on()
        thread.goes_on()
        if not later:
            thread.goes_on()
    assert (kept, later, sorted(accounts_in(tmp_path))) == ([None], [None], ["Ana", "Ben", "Eve"])
    assert caplog.text.count("another process is writing") == 1


def test_what_another_process_changes_is_taken_in_when_asked_and_every_two_seconds(store, thread, tmp_path):
    told: list[str] = []
    store.on_names_changed(told.append)
    clock = Clock()
    store.watch(clock)
    put_accounts(tmp_path, ANA, replace(EVE, role="builder"))
    asked = outcome_of(store.refresh())
    thread.goes_on()
    assert (asked, store.account("Eve").role, store.admins(), told) == ([None], "builder", ["Ana"], ["Eve", "Ana"])
    for name in ("Ben", "Cas"):
        put_accounts(tmp_path, Account(name, "player"))
        clock.advance(POLL_SECONDS)
        thread.goes_on()
        assert store.has(name)
    reads = store.database.read
    store.database.read = lambda: pytest.fail("nothing has changed")
    clock.advance(POLL_SECONDS)
    thread.goes_on()
    store.database.read = reads


def test_a_row_that_is_not_valid_is_nobody_s_account_and_told_once(store, thread, tmp_path, caplog):
    with closing(sqlite3.connect(tmp_path / "accounts.sqlite3", isolation_level=None)) as db:
        db.execute("PRAGMA ignore_check_constraints = ON")
        db.execute("UPDATE accounts SET password = x'ff00'")
        db.execute("INSERT INTO bans VALUES ('ben', 'Ben', 'soon', '')")
    store.refresh()
    thread.goes_on()
    assert [store.account("Eve"), store.account("eve"), store.has("Eve"), store.bans] == [None, None, True, {}]
    assert len(caplog.records) == 2
    failed = outcome_of(store.change(lambda database: database.account("Eve")))
    thread.goes_on()
    assert "'Eve'" in str(failed)


def test_a_disk_that_is_full_fails_the_change_in_a_sentence_and_the_world_goes_on(store, thread, tmp_path):
    store.database._db.execute("PRAGMA max_page_count = 1")
    failed = outcome_of(store.change(lambda database: [database.put_account(Account("A" * 5000, "player"))]))
    thread.goes_on()
    assert failed == [f"{tmp_path}/accounts.sqlite3: database or disk is full. Make room on the disk."]
    store.database._db.execute("PRAGMA max_page_count = 1000000")
    kept = outcome_of(store.change(put(ANA)))
    thread.goes_on()
    assert (kept, sorted(accounts_in(tmp_path))) == ([None], ["Ana", "Eve"])


def test_what_waits_when_it_is_closed_is_kept_and_what_comes_later_is_refused(store, thread, tmp_path):
    kept = [outcome_of(store.change(put(one))) for one in (ANA, Account("Ben", "player"))]
    closed = outcome_of(store.close())
    late = outcome_of(store.change(put(Account("Cas", "player"))))
    while thread.jobs:
        thread.goes_on()
    assert (kept, closed, late) == (
        [[None], [None]],
        [None],
        [f"{tmp_path}/accounts.sqlite3: closed, so this change cannot be kept."],
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["accounts.sqlite3"]
    assert sorted(accounts_in(tmp_path)) == ["Ana", "Ben", "Eve"]
