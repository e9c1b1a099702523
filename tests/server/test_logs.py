"""The log: what it looks like in both forms, and that nobody who plays can break or forge a line of it."""

from __future__ import annotations

import io
import json
import logging
import re
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twisted.logger import Logger
from twisted.python.log import PythonLoggingObserver

from server.logs import JsonLines, LogFile, ReadableFormatter, escape_control_characters, write_log
from vault.errors import NoteError

log = logging.getLogger("tests.log")
HOSTILE = (
    "Ana\n2026-11-22 00:00:00,000 INFO Warden entered from 127.0.0.1\r\x1b[2J\x1b]0;owned\x07\u2028\u202egnp\x00\x7f"
)
SHOWN = (
    r"Ana\n2026-11-22 00:00:00,000 INFO Warden entered from 127.0.0.1\r\x1b[2J\x1b]0;owned\x07\u2028\u202egnp\x00\x7f"
)
TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} ")


def written(form: str, level: str = "info") -> io.StringIO:
    stream = io.StringIO()
    write_log(form, level, stream)
    return stream


def fail_on(text: str) -> None:
    """Log an exception whose message is a player's."""
    try:
        raise ValueError(text)
    except ValueError:
        log.exception("the turn of %s failed", text)


def test_a_readable_line_has_time_level_and_message():
    stream = written("text")
    log.info("%s entered from %s", "Ana", "127.0.0.1", extra={"character": "Ana", "host": "127.0.0.1"})
    assert TIME.sub("TIME ", stream.getvalue()) == "TIME INFO Ana entered from 127.0.0.1\n"


def test_a_line_of_json_has_time_with_its_zone_level_logger_message_and_what_is_told_besides():
    stream = written("json")
    log.warning("%s left", "Ana", extra={"character": "Ana", "host": "::1", "connection": 7})
    row = json.loads(stream.getvalue())
    assert datetime.fromisoformat(row.pop("time")).tzinfo is not None
    assert row == {
        "level": "WARNING",
        "logger": "tests.log",
        "message": "Ana left",
        "character": "Ana",
        "host": "::1",
        "connection": 7,
    }


def test_what_is_told_of_a_memory_names_its_agent():
    stream = written("json")
    log.info("[Memory] %s: %d lines typed by hand", "Eliza", 2)
    row = json.loads(stream.getvalue())
    assert (row["agent"], row["message"]) == ("Eliza", "[Memory] Eliza: 2 lines typed by hand")


def test_a_hostile_name_is_one_readable_line_and_does_nothing_to_a_terminal():
    stream = written("text")
    log.info("%s entered", HOSTILE)
    assert TIME.sub("TIME ", stream.getvalue(), count=1) == f"TIME INFO {SHOWN} entered\n"


def test_a_hostile_name_is_one_line_of_json_and_harmless_when_it_is_taken_out():
    stream = written("json")
    log.info("%s entered", HOSTILE, extra={"character": HOSTILE})
    (line,) = stream.getvalue().splitlines()
    row = json.loads(line)
    assert (row["message"], row["character"]) == (f"{SHOWN} entered", SHOWN)


def test_no_line_of_a_readable_traceback_looks_like_a_line_of_the_log():
    stream = written("text")
    fail_on(HOSTILE)
    first, *behind = stream.getvalue().split("\n")[:-1]
    assert TIME.match(first)
    assert behind[0] == "  | Traceback (most recent call last):"
    assert [line for line in behind if not line.startswith("  | ")] == []
    assert "  | ValueError: Ana" in behind


def test_a_traceback_is_one_field_of_one_line_of_json():
    stream = written("json")
    fail_on(HOSTILE)
    (line,) = stream.getvalue().splitlines()
    row = json.loads(line)
    assert row["traceback"].startswith("Traceback (most recent call last):\n")
    assert "\x1b" not in row["traceback"]
    assert row["message"] == f"the turn of {SHOWN} failed"


def test_what_is_less_than_the_level_is_not_written():
    stream = written("text", "warning")
    log.info("no")
    log.warning("yes")
    assert stream.getvalue().endswith(" WARNING yes\n")
    assert stream.getvalue().count("\n") == 1


def test_settings_that_come_later_write_each_line_once():
    first, second = written("text"), written("json")
    log.info("once")
    assert first.getvalue() == ""
    assert json.loads(second.getvalue())["message"] == "once"


def test_what_twisted_says_goes_the_same_way():
    stream = written("json")
    observer = PythonLoggingObserver("twisted")
    observer.start()
    try:
        Logger().error("a port {name!s} broke", name=HOSTILE)
    finally:
        observer.stop()
    rows = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert {(row["logger"], row["message"]) for row in rows} == {("twisted", f"a port {SHOWN} broke")}


def test_letters_of_any_language_stay_as_they_are():
    assert escape_control_characters("Jürgen 李 🙂 «»") == "Jürgen 李 🙂 «»"


@given(st.text(alphabet=st.characters()))
def test_whatever_is_logged_is_one_line_in_either_form(text):
    record = logging.LogRecord("log", logging.INFO, "", 0, "%s", (text,), None)
    record.character = text
    readable, line = ReadableFormatter().format(record), JsonLines().format(record)
    assert len(readable.splitlines()) == 1
    assert len(line.splitlines()) == 1
    assert json.loads(line)["message"] == escape_control_characters(text)


def test_a_file_of_the_log_is_followed_by_another_when_it_is_full(tmp_path):
    path = tmp_path / "world.log"
    write_log(stream=LogFile(path, 1000, 2))
    for count in range(100):
        logging.getLogger("a").warning("line %03d %s", count, "x" * 80)
    write_log(stream=io.StringIO())
    assert sorted(one.name for one in tmp_path.iterdir()) == ["world.log", "world.log.1", "world.log.2"]
    assert max(one.stat().st_size for one in tmp_path.iterdir()) <= 1000
    assert "line 099" in path.read_text(encoding="utf-8")


def test_a_log_that_cannot_be_written_is_told_with_its_file(tmp_path):
    with pytest.raises(NoteError, match=r"nowhere/world.log: the log cannot be written: No such file"):
        write_log(stream=LogFile(tmp_path / "nowhere" / "world.log", 1000, 2))
