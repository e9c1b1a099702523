"""What an editor writes into a note that the world has replaced by then is found; nothing else is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.vault.vault_of import vault_of
from vault.replaced_files import KEEP_SECONDS, REST_SECONDS, ReplacedFiles
from vault.vault import Vault

NOTE, OLD, NEW = "rooms/Hall.md", "A hall.\n", "A hall, dusted.\n"


class Desk:
    """A vault whose replaced notes are watched, and an editor that has a note open."""

    def __init__(self, root: Path) -> None:
        self.now = 0.0
        self.vault: Vault = vault_of(root, {NOTE: OLD})
        self.vault.replaced = self.replaced = ReplacedFiles(self.vault.root, lambda: self.now)
        self.file = os.open(root / NOTE, os.O_RDWR)
        self.vault.write_text(NEW, NOTE)

    def saves(self, text: str) -> None:
        """Save in place, as an editor does that opened the note before the world replaced it."""
        os.ftruncate(self.file, 0)
        os.pwrite(self.file, text.encode(), 0)

    def found(self) -> list[tuple[str, str]]:
        """Return what is found now, and after a rest."""
        first = self.replaced.drain_changed()
        self.now += REST_SECONDS
        return first + self.replaced.drain_changed()


@pytest.fixture
def desk(tmp_path) -> Desk:
    return Desk(tmp_path)


def test_text_written_into_a_replaced_note_is_found_once(desk):
    assert desk.found() == []
    desk.saves("A long hall.\n")
    assert desk.found() == [(NOTE, "A long hall.\n")]
    assert desk.found() == []
    desk.saves("A longer hall.\n")
    assert desk.found() == [(NOTE, "A longer hall.\n")]


@pytest.mark.parametrize("text", ["", OLD[:4], OLD])
def test_a_replaced_note_that_says_nothing_new_is_left_alone(desk, text):
    desk.saves(text)
    assert desk.found() == []


def test_links_of_replaced_notes_go_after_a_minute(desk):
    desk.now += KEEP_SECONDS
    desk.found()
    assert (len(desk.replaced), os.listdir(desk.vault.root / ".trash" / "replaced")) == (0, [])


@pytest.mark.parametrize("is_killed", [False, True])
@pytest.mark.parametrize("first", ["A long hall.\n", OLD])
def test_an_editor_that_outlives_the_world_is_heard(desk, is_killed, first):
    changed = [] if first == OLD else [(NOTE, first)]
    desk.saves(first)
    at_end = [] if is_killed else desk.replaced.close()
    desk.replaced = ReplacedFiles(desk.vault.root, lambda: desk.now)
    assert at_end + desk.replaced.recover() == changed
    again = ReplacedFiles(desk.vault.root, lambda: desk.now)
    desk.saves("A longer hall.\n")  # while no world runs
    assert again.recover() == [(NOTE, "A longer hall.\n")]
    desk.replaced = again
    assert desk.found() == []
    desk.saves("A wide hall.\n")
    assert desk.found() == [(NOTE, "A wide hall.\n")]
    desk.now += 2 * KEEP_SECONDS
    desk.found()
    assert os.listdir(desk.vault.root / ".trash" / "replaced") == []


def test_a_note_that_cannot_be_linked_costs_the_others_nothing(desk, caplog):
    folder = desk.vault.root / ".trash" / "replaced"
    folder.rename(folder.with_name("moved"))
    folder.write_text("in the way")
    desk.vault.write_text(OLD, NOTE)
    folder.unlink()
    desk.vault.write_text(NEW, NOTE)
    assert (len(desk.replaced), len(caplog.records)) == (2, 1)


def test_a_world_of_the_same_process_number_watches_the_same_text_again(desk, caplog):
    desk.vault.write_text(OLD, NOTE)
    desk.replaced.close()
    desk.vault.replaced = again = ReplacedFiles(desk.vault.root, lambda: 0.0)
    again.recover()
    desk.vault.write_text(NEW, NOTE)
    assert (len(again), caplog.records) == (3, [])
