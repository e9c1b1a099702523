"""The event log: a line an event, a file a day, and what a crash or a hand leaves in it."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.vault.failing_disk import FailingDisk
from vault.chronicle.event_log import EventLog, LoggedEvent, day_ms, event_line, parsed_event
from vault.errors import NoteError
from vault.vault import Vault

NOON = day_ms("2026-11-22") + 12 * 3_600_000
HELLO = LoggedEvent(
    NOON, "said", "Ana", "Ben", "The Yard", 'Ana says to Ben, "Hello."', "Hello.", heard_in=("The Stable",)
)
WHISPER = LoggedEvent(
    NOON, "whispered", "Ana", "Ben", "The Yard", "Ana whispers.", secret="The key.", reason="I trust him."
)

texts = st.text(max_size=20)


@given(st.builds(LoggedEvent, st.integers(0, 4 * 10**12), st.text(min_size=1, max_size=9), texts, texts, texts, texts))
@example(LoggedEvent(NOON, "said", words="\ud83d"))  # half a character of a model
def test_an_event_is_read_as_it_was_written(event):
    line = event_line(event)
    assert line.count(b"\n") == 1
    assert parsed_event(line) == event


def test_what_is_private_is_no_part_of_the_public_event():
    assert event_line(WHISPER.in_public) == event_line(
        LoggedEvent(NOON, "whispered", "Ana", "Ben", "The Yard", "Ana whispers.")
    )


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"[]",
        b'{"kind": "said"}',
        b'{"at": "2026-11-22T12:00:00.000Z"}',
        b'{"at": "2026-11-22T12:00:00.000Z", "kind": "said", "who": 7}',
        b'{"at": "2026-11-22T12:00:00.000Z", "kind": "said", "heard_in": "The Yard"}',
        b'{"at": "2026-11-22T12:00:00.000Z", "kind": "said", "heard_in": [7]}',
        b'{"at": "2026-99-22T12:00:00.000Z", "kind": "said"}',
        b'{"at": 7, "kind": "said"}',
        b'{"at": "2026-11-22T12:00:00,000Z", "kind": "said"}',
        b'{"at": "2026-11-22T12:00:00.0000Z", "kind": "said"}',
        b'{"at": "2026-11-22T12:00:0\xc2\xb2.000Z", "kind": "said"}',
        b'{"at": ["2026-11-22T12:00:00.000Z"], "kind": "said"}',
        event_line(HELLO)[:-9],
        b"\xff\xfe",
    ],
)
def test_a_line_that_was_torn_or_edited_is_no_event(line):
    assert parsed_event(line) is None


def test_each_event_goes_into_the_file_of_its_day(tmp_path):
    after_midnight = LoggedEvent(NOON + 12 * 3_600_000, "left", "Ana")
    EventLog(Vault(tmp_path)).append([HELLO, WHISPER, after_midnight])
    assert (tmp_path / "chronicle/2026-11-22.jsonl").read_bytes() == event_line(HELLO) + event_line(WHISPER)
    assert (tmp_path / "chronicle/2026-11-23.jsonl").read_bytes() == event_line(after_midnight)


def test_after_a_crash_the_next_event_begins_a_line_of_its_own(tmp_path):
    log = EventLog(Vault(tmp_path))
    log.append([HELLO])
    path = tmp_path / "chronicle/2026-11-22.jsonl"
    path.write_bytes(path.read_bytes() + b'{"at": "2026-')
    log.append([WHISPER])
    assert path.read_bytes() == event_line(HELLO) + b'{"at": "2026-\n' + event_line(WHISPER)


def test_a_full_disk_leaves_the_log_as_it_was(tmp_path):
    disk = FailingDisk()
    log = EventLog(Vault(tmp_path, disk))
    log.append([HELLO])
    with disk.full(), pytest.raises(NoteError, match="chronicle/2026-11-22.jsonl: cannot be written"):
        log.append([WHISPER])
    assert (tmp_path / "chronicle/2026-11-22.jsonl").read_bytes() == event_line(HELLO)
