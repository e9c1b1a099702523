"""What is kept of a login: on disk at once, in memory only while it is used, and all of it in bounds."""

from __future__ import annotations

import os

import pytest
from twisted.internet.task import Clock

from server.web import logins
from server.web.backlog import MAX_LINES, Backlog, OpenFiles, Owner, read_backlog
from server.web.logins import LOGIN_SECONDS, MAX_UNUSED, Logins
from tests.vault.failing_disk import nearly_full


class Kept(Logins):
    def __init__(self, folder):
        self.clock = Clock()
        self.used = set[str]()
        self.at = 0.0
        super().__init__(folder, {"Ana": "a proof"}.get, self.used.__contains__, self.clock, lambda: self.at)


@pytest.fixture
def kept(tmp_path):
    return Kept(tmp_path)


FILES = OpenFiles(lambda: 0)


def backlog_in(folder):
    backlog = Backlog(folder / "a.jsonl", Owner("Ana", ""), FILES)
    backlog.reset()
    return backlog


def line(text):
    return b'"text":"%b"' % text.encode()


def test_a_login_is_found_by_its_secret_also_by_another_process(kept, tmp_path):
    secret = kept.begin("Ana")
    key = kept.find(secret)
    assert key and kept.find("another") == "" and secret not in str(list(tmp_path.iterdir()))
    again = Kept(tmp_path)
    assert again.find(secret) == key
    assert again.backlog(key).owner == Owner("Ana", "a proof")


def test_what_waits_for_its_first_socket_is_bounded(kept, tmp_path):
    secrets = [kept.begin("") for _ in range(MAX_UNUSED + 3)]
    assert len(list(tmp_path.iterdir())) == MAX_UNUSED
    assert [bool(kept.find(secret)) for secret in (*secrets[:4], secrets[-1])] == [False, False, False, True, True]


def test_tickets_are_bounded(kept, monkeypatch):
    monkeypatch.setattr(logins, "MAX_TICKETS", 3)
    key = kept.find(kept.begin("Ana"))
    tickets = [kept.issue_ticket(key) for _ in range(4)]
    assert [kept.redeem_ticket(one) for one in tickets] == ["", key, key, key]


def test_a_login_that_is_put_away_goes_on_with_its_lines(kept):
    secret = kept.begin("Ana")
    key = kept.find(secret)
    backlog = kept.backlog(key)
    backlog.add(line("one"))
    backlog.note_typed("window", 7)
    backlog.write()
    kept.evict(key)
    again = kept.backlog(kept.find(secret))
    assert again is not backlog
    assert (again.stream, again.last, again.typed, again.since(0)) == (
        backlog.stream,
        1,
        {"window": 7},
        [b'{"n":1,"text":"one"}'],
    )
    kept.evict(key)
    kept.end(key)
    assert kept.find(secret) == ""


def test_what_could_not_be_written_is_not_put_away(kept, tmp_path, caplog):
    secret = kept.begin("Ana")
    backlog = kept.backlog(kept.find(secret))
    backlog.path = tmp_path / "missing" / "file.jsonl"
    for number in range(2):
        backlog.add(line(f"{number}"))
        backlog.write()
    assert [record.getMessage().split(";")[0].split(" ", 1)[1] for record in caplog.records] == ["cannot be written"]
    kept.evict(kept.find(secret))
    assert kept.backlog(kept.find(secret)) is backlog
    assert len(backlog.since(0)) == 2


def test_old_logins_are_forgotten_and_used_ones_are_not(kept, tmp_path):
    old, used = kept.find(kept.begin("Ana")), kept.find(kept.begin("Ana"))
    kept.used.add(used)
    for path in tmp_path.iterdir():
        os.utime(path, (1000.0, 1000.0))
    kept.at = 1000.0 + LOGIN_SECONDS + 1
    kept.sweep()
    assert [path.stem for path in tmp_path.iterdir()] == [used]
    assert old != used


def test_a_line_that_a_kill_has_cut_in_two_is_no_line_and_the_next_stands_on_its_own(tmp_path):
    backlog = backlog_in(tmp_path)
    backlog.add(line("one"))
    backlog.write()
    with open(backlog.path, "ab") as file:
        file.write(b'{"n":2,"te')
    again = read_backlog(backlog.path, FILES)
    assert again is not None and again.last == 1
    again.add(line("two"))
    again.write()
    assert backlog.path.read_bytes().split(b"\n")[-3:] == [b'{"n":1,"text":"one"}', b'{"n":2,"text":"two"}', b""]


@pytest.mark.parametrize("content", [b"", b"\n", b"[]\n", b'{"n":1}\n', b'{"owner":{}}\n', b"\xff\n", b'{"owner":7}\n'])
def test_a_file_that_is_no_backlog_is_none(tmp_path, content):
    (tmp_path / "a.jsonl").write_bytes(content)
    assert read_backlog(tmp_path / "a.jsonl", FILES) is None


def test_only_so_many_lines_can_be_asked_for_again(tmp_path):
    backlog = backlog_in(tmp_path)
    for number in range(MAX_LINES + 10):
        backlog.add(line(str(number)))
    backlog.write()
    found = backlog.since(0)
    assert (len(found), found[-1]) == (MAX_LINES, b'{"n":2010,"text":"2009"}')
    assert backlog.since(backlog.last) == []


def test_the_file_stays_in_bounds_and_keeps_the_newest_lines(tmp_path):
    backlog = backlog_in(tmp_path)
    backlog.note_typed("window", 7)
    for number in range(2 * MAX_LINES + 5):
        backlog.add(line(str(number)))
        backlog.finish()
    assert len(backlog.path.read_bytes().splitlines()) < MAX_LINES + 20
    again = read_backlog(backlog.path, FILES)
    assert again is not None and again.typed == {"window": 7}
    assert again.since(0) == backlog.since(0)
    assert (len(again.since(0)), again.since(0)[-1]) == (MAX_LINES, b'{"n":4005,"text":"4004"}')


def test_of_a_visitor_s_windows_only_some_are_remembered(tmp_path):
    backlog = backlog_in(tmp_path)
    assert [backlog.note_typed("a", 1), backlog.note_typed("a", 1), backlog.note_typed("a", 3)] == [True, False, True]
    for number in range(20):
        backlog.note_typed(f"w{number}", 1)
    assert len(backlog.typed) == 8


def test_backlog_loses_nothing_to_a_disk_that_takes_part_of_a_line(tmp_path):
    backlog = backlog_in(tmp_path)
    backlog.write()
    backlog.add(line("first"))
    with nearly_full(backlog.path.stat().st_size + 9):
        backlog.write()
        backlog.add(line("second"))
        backlog.write()
    backlog.add(line("third"))
    backlog.write()
    known = read_backlog(backlog.path, FILES)
    assert known and known.since(0) == [
        b'{"n":1,"text":"first"}',
        b'{"n":2,"text":"second"}',
        b'{"n":3,"text":"third"}',
    ]
