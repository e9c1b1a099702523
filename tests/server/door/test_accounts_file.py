"""The file of accounts: durable, for its owner's eyes only, never written over when it cannot be read."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.door.accounts_file import AccountsFile, default_folder
from server.door.accounts_text import Account, Ban, Records, format_records, parse_records
from tests.server.front_door import FakeHasher, Thread
from vault.disk import Disk
from vault.notes import NoteError

KEPT = FakeHasher().hash("a long secret")
EVE = Account("Eve", "player", KEPT, False, "2026-11-18T11:06:40+00:00", "", 2)
TIMES = st.sampled_from(["", "2026-11-18T11:06:40+00:00"])
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
ACCOUNTS = st.builds(
    Account,
    NAMES,
    st.sampled_from(["guest", "player", "builder", "admin"]),
    st.sampled_from(["", KEPT]),
    st.booleans(),
    TIMES,
    TIMES,
    st.integers(0, 10**9),
)


class FullDisk(Disk):
    """Takes no draft."""

    def write_draft(self, draft: Path, text: bytes, durable: bool) -> None:
        raise OSError(28, "No space left on device")


def put(account: Account):
    """Return the change that puts in an account."""
    return lambda records: records.with_account(account)


@given(st.lists(ACCOUNTS), st.lists(st.builds(Ban, NAMES, TIMES, st.text(max_size=9))))
def test_whatever_is_kept_is_read_again_as_it_was(accounts, bans):
    records = Records()
    for account in accounts:
        records = records.with_account(account)
    for ban in bans:
        records = records.with_ban(ban)
    try:
        text = format_records(records).encode("utf-8")
    except UnicodeEncodeError:
        return
    assert parse_records(text.decode("utf-8"), Path("accounts.json")) == records


def test_an_account_is_a_line_of_json(tmp_path):
    file = AccountsFile(tmp_path / "a")
    file.change(put(EVE), put(Account("Ana", "admin")))
    lines = (tmp_path / "a" / "accounts.json").read_text().split("\n")
    assert [line.split(":")[0].strip() for line in lines if line.startswith("  ")] == ['"Eve"', '"Ana"']
    assert json.loads("\n".join(lines))["accounts"]["Eve"]["failed"] == 2


def test_nobody_else_may_read_it(tmp_path):
    os.umask(os.umask(0))  # whatever it is, the modes are ours
    AccountsFile(tmp_path / "a").change(put(EVE))
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "a", tmp_path / "a" / "accounts.json")]
    assert modes == [0o700, 0o600]
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["accounts.json"]


def test_what_another_process_changes_is_taken_in_and_nothing_of_it_is_lost(tmp_path):
    ours = AccountsFile(tmp_path / "a")
    ours.change(put(EVE))
    theirs = AccountsFile(tmp_path / "a")
    theirs.change(put(Account("Ana", "admin")))
    ours.change(lambda records: records.with_account(replace(records.accounts["eve"], failed=3)))
    assert theirs.records.accounts == {"eve": replace(EVE, failed=3), "ana": Account("Ana", "admin")}


def test_several_processes_that_change_it_at_once_lose_nothing(tmp_path):
    script = (
        "import sys; from pathlib import Path; from server.door.accounts_file import AccountsFile;"
        "from server.door.accounts_text import Account\n"
        "file = AccountsFile(Path(sys.argv[1]))\n"
        "for n in range(20): file.change(lambda r: r.with_account(Account(f'{sys.argv[2]}{n}', 'player')))"
    )
    root = Path(__file__).parents[3]
    folder = str(tmp_path / "a")
    running = [subprocess.Popen([sys.executable, "-c", script, folder, name], cwd=root) for name in "xy"]
    assert [one.wait(60) for one in running] == [0, 0]
    assert len(AccountsFile(tmp_path / "a").records.accounts) == 40


def test_changes_that_come_while_it_is_written_are_kept_together(tmp_path):
    thread = Thread()
    kept: list[str] = []
    file = AccountsFile(tmp_path / "a", in_thread=thread)

    def note(_: object, name: str) -> None:
        kept.append(name)

    for name in ("Eve", "Ana", "Ben"):
        file.keep(put(Account(name, "player"))).addCallback(note, name)
    assert len(thread.jobs) == 1
    thread.goes_on()
    assert (kept, len(thread.jobs)) == (["Eve"], 1)
    thread.goes_on()
    assert (kept, thread.jobs, list(AccountsFile(tmp_path / "a").records.accounts)) == (
        ["Eve", "Ana", "Ben"],
        [],
        ["eve", "ana", "ben"],
    )


def test_what_still_waits_when_it_is_closed_is_kept(tmp_path):
    file = AccountsFile(tmp_path / "a", in_thread=Thread())
    for name in ("Eve", "Ana"):
        file.keep(put(Account(name, "player")))
    file.close()
    assert "ana" in AccountsFile(tmp_path / "a").records.accounts


def test_a_disk_that_is_full_changes_nothing_and_says_so(tmp_path):
    AccountsFile(tmp_path / "a").change(put(EVE))
    file = AccountsFile(tmp_path / "a", FullDisk())
    with pytest.raises(NoteError, match=r"accounts.json: cannot be written: No space left on device\."):
        file.change(put(Account("Ana", "admin")))
    assert list(file.records.accounts) == ["eve"]
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["accounts.json"]


def test_a_folder_that_cannot_be_made_is_told_with_what_to_do(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(NoteError, match="give another folder with --accounts"):
        AccountsFile(tmp_path / "file" / "a").change(put(EVE))


BROKEN = {
    "{": "1: not valid JSON: Expecting property name",
    '{"accounts": {\n"Eve": }}': "2: not valid JSON",
    "[]": '1: expected {"accounts"',
    '{"users": {}}': '1: expected {"accounts"',
    '{"accounts": []}': "1: expected names",
    '{"accounts": {\n  "Eve": {"rôle": "player"}}}': "2: 'Eve' has other entries than role, password",
    '{"accounts": {\n  "Eve": {"failed": 2}}}': "2: 'Eve' has no role",
    '{"accounts": {\n  "Eve": {"role": "king"}}}': "2: 'Eve': the role is none of guest, player, builder, admin",
    '{"accounts": {\n\n "Eve": {"role": "player", "failed": "2"}}}': "3: 'Eve': failed is not of the type int",
    '{"accounts": {\n "Eve": {"role": "player", "password": "secret"}}}': "2: 'Eve': the password is no argon2 hash",
    '{"accounts": {\n "Eve": {"role": "player", "created": "soon"}}}': "2: 'Eve': 'soon' is no time such as",
    '{"accounts": {"Eve": {"role": "player"}, "EVE": {"role": "admin"}}}': "1: 'EVE' stands here twice",
    '{"accounts": {"Eve": {"role": "player"}, "Eve": {"role": "admin"}}}': "1: not valid JSON: 'Eve' stands twice",
    '{"bans": {"Eve": {"until": "soon"}}}': "1: 'Eve': 'soon' is no time such as",
}


@pytest.mark.parametrize("text", BROKEN)
def test_a_file_that_is_not_valid_is_refused_with_line_and_remedy_and_stays_as_it_is(tmp_path, text):
    path = tmp_path / "accounts.json"
    path.write_text(text)
    with pytest.raises(NoteError) as refused:
        AccountsFile(tmp_path)
    assert str(refused.value).startswith(f"{path}:{BROKEN[text]}")
    assert "Mend it or put a copy of it back" in str(refused.value)
    assert path.read_text() == text


def test_a_file_that_is_broken_while_the_world_runs_is_told_once_and_never_written_over(tmp_path, caplog):
    file = AccountsFile(tmp_path)
    file.change(put(EVE))
    (tmp_path / "accounts.json").write_text("{broken")
    assert [list(file.records.accounts) for _ in range(3)] == [["eve"]] * 3
    with pytest.raises(NoteError, match="not valid JSON"):
        file.change(put(Account("Ana", "admin")))
    assert (tmp_path / "accounts.json").read_text() == "{broken"
    assert len(caplog.records) == 1
    (tmp_path / "accounts.json").write_text('{"accounts": {}}')
    assert file.records == Records()


def test_a_file_that_vanishes_while_the_world_runs_takes_nobody_s_account_away(tmp_path):
    file = AccountsFile(tmp_path)
    file.change(put(EVE))
    (tmp_path / "accounts.json").unlink()
    assert list(file.records.accounts) == ["eve"]
    file.change(put(Account("Ana", "admin")))
    assert list(AccountsFile(tmp_path).records.accounts) == ["eve", "ana"]


def test_the_folder_stands_beside_the_vault():
    assert default_folder(Path("/srv/my world")) == Path("/srv/my world.accounts")
