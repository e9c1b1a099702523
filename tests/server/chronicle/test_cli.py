"""The sub-command `chronicle`: what it writes and prints, and what it says when it cannot."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from server.chronicle.cli import add_chronicle_command, run_chronicle
from tests.server.chronicle.lived_day import DAY, SECRET, lived_vault
from vault.errors import NoteError


@pytest.fixture(scope="module")
def lived(tmp_path_factory) -> Path:
    return lived_vault(tmp_path_factory.mktemp("lived") / "w")


def run(*arguments: object) -> list[str]:
    """Return what the command prints."""
    parser, said = argparse.ArgumentParser(), list[str]()
    add_chronicle_command(parser.add_subparsers(dest="command"))
    assert run_chronicle(parser.parse_args(["chronicle", *map(str, arguments)]), said.append) == 0
    return said


def test_the_newest_day_is_printed_as_text(lived):
    (text,) = run(lived, "--text")
    assert text.startswith(f"# Fallwater, {DAY}\n\n14 events. Times are UTC. Without private reasons and whispers.")
    assert SECRET not in text


def test_one_hour_is_written_into_a_file_with_private_words_if_asked_for(lived, tmp_path):
    out = tmp_path / "hour.html"
    said = run(lived, "--day", f"{DAY}T09", "--private", "--out", out)
    assert said == [f"3 events and 1 top moments are in {out}. It has private reasons and whispers."]
    assert SECRET in out.read_text()


def test_a_damaged_line_is_named_and_the_rest_is_told(tmp_path):
    vault = lived_vault(tmp_path / "w")
    path = vault / "chronicle" / f"{DAY}.jsonl"
    path.write_bytes(path.read_bytes().replace(b'{"at": "2026-11-22T12:03', b"gone", 1)[:-20])
    out = tmp_path / "day.html"
    assert run(vault, "--out", out)[1:] == [
        f"chronicle/{DAY}.jsonl:7: no event; left out",
        f"chronicle/{DAY}.jsonl:15: half-written; left out",
    ]
    assert "Robin is back" in out.read_text()


@pytest.mark.parametrize(
    ("day", "said"),
    [
        ("yesterday", "--day is yesterday; expected a day or an hour, as 2026-11-22 or 2026-11-22T20."),
        ("2020-01-01", f"The chronicle has nothing of 2020-01-01. The newest days are 2026-11-21, {DAY}."),
    ],
)
def test_a_day_that_is_none_or_has_nothing_is_refused(lived, day, said):
    with pytest.raises(NoteError) as refusal:
        run(lived, "--day", day)
    assert str(refusal.value) == said


def test_a_vault_without_a_chronicle_and_a_file_that_cannot_be_written_are_refused(lived, tmp_path):
    (tmp_path / "rooms").mkdir()
    with pytest.raises(NoteError, match="There is no chronicle in this vault yet"):
        run(tmp_path)
    with pytest.raises(NoteError, match="cannot be written"):
        run(lived, "--out", tmp_path)
