"""The board's note keeps what is shared over a restart, takes in a person's edits, and is never written over unread."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vault.vault_of import vault_of
from tests.world.inn import inn
from vault.board_note import BoardNote, format_board, parse_board
from vault.errors import NoteError
from vault.note import parse_note
from world.world import SCOPES, Board, Notice

ROOM = "The Common Room"


class Hall:
    """A world with its board's note."""

    def __init__(self, root: Path) -> None:
        self.vault = vault_of(root, {})
        self.path = root / "world" / "board.md"
        self.world = inn()
        self.note = BoardNote(self.vault, self.world)
        self.note.reload()

    @property
    def up(self) -> list[tuple[str, str]]:
        return [(entry.author_id, entry.content) for entry in self.world.board.active()]

    def edit(self, old: str, new: str) -> None:
        text = self.path.read_text()
        assert old in text
        self.path.write_text(text.replace(old, new))


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    hall = Hall(tmp_path)
    hall.world.board.share("Ana", ROOM, "plan", "We meet at noon.")
    hall.world.board.share("Ben", ROOM, "type", "river", "world")
    hall.note.save()
    return hall


def test_a_board_on_which_nothing_was_ever_shared_needs_no_note(tmp_path: Path):
    hall = Hall(tmp_path)
    hall.note.save()
    assert not hall.path.exists()


def test_the_note_is_plain_to_read(hall: Hall):
    assert hall.path.read_text().split("\n\n", 1)[1] == (
        "## On the board\n"
        "- **plan** (scene in [[The Common Room]], from [[Ana]], 1): We meet at noon.\n"
        "- **type** (world, from [[Ben]], 2): river\n\n"
        "## Taken down\n"
    )


def test_a_restart_finds_the_board_as_it_was_and_gives_no_number_twice(hall: Hall, tmp_path: Path):
    hall.world.board.withdraw("Ben", "type")
    hall.note.save()
    again = Hall(tmp_path)
    assert again.world.board == hall.world.board
    assert again.world.board.share("Ana", ROOM, "x", "y").entry_id == 3


def test_an_edit_is_read_and_a_line_typed_by_hand_gets_a_number(hall: Hall):
    hall.edit("We meet at noon.", "We meet at one.")
    hall.edit("## Taken down", "- **rule** (world, from [[Cat]]): Knock first.\n\n## Taken down")
    hall.note.save()
    assert hall.up == [("Ana", "We meet at one."), ("Ben", "river"), ("Cat", "Knock first.")]
    assert "- **rule** (world, from [[Cat]], 3): Knock first." in hall.path.read_text()


def test_an_edit_and_what_is_shared_at_the_same_time_both_count(hall: Hall):
    hall.edit("We meet at noon.", "We meet at one.")
    hall.edit("## Taken down", "- **rule** (world, from [[Cat]]): Knock first.\n\n## Taken down")
    hall.world.board.share("Ana", ROOM, "song", "la la")
    hall.world.board.withdraw("Ben", "type")
    hall.note.save()
    assert sorted(hall.up) == [("Ana", "We meet at one."), ("Ana", "la la"), ("Cat", "Knock first.")]
    assert len({entry.entry_id for entry in hall.world.board.entries}) == 4
    assert parse_board(parse_note(hall.path.read_text(), "b")) == hall.world.board


def test_a_note_that_is_not_valid_changes_nothing_and_stays(hall: Hall, caplog: pytest.LogCaptureFixture):
    hall.edit("- **type** (world", "- **type** (everywhere")
    broken = hall.path.read_text()
    hall.world.board.share("Ana", ROOM, "song", "la la")
    hall.note.save()
    hall.note.save()
    assert hall.path.read_text() == broken
    assert hall.up == [("Ana", "We meet at noon."), ("Ben", "river"), ("Ana", "la la")]
    assert len([r for r in caplog.records if "world/board.md:8: " in r.getMessage()]) == 1
    hall.edit("(everywhere", "(world")
    hall.note.save()
    assert hall.up == [("Ana", "We meet at noon."), ("Ben", "river"), ("Ana", "la la")]
    assert "la la" in hall.path.read_text()


def test_what_a_person_writes_around_the_lines_stays(hall: Hall):
    hall.edit("## On the board\n", "%% for Ana %%\n\n## On the Board\n```\n- **x**: y\n```\n")
    hall.edit("We meet at noon.", "We meet at noon. %% or later %%")
    hall.world.board.share("Ana", ROOM, "song", "la la")
    hall.note.save()
    assert [text for _, text in hall.up] == ["We meet at noon.", "river", "la la"]
    text = hall.path.read_text()
    for kept in ("%% for Ana %%\n\n## On the Board\n```\n- **x**: y\n```\n", "\n%% or later %%\n"):
        assert kept in text


def test_what_stands_under_taken_down_is_not_read_by_anybody(hall: Hall):
    hall.edit("- **type** (world, from [[Ben]], 2): river\n", "")
    hall.edit("## Taken down\n", "## Taken down\n- **type** (world, from [[Ben]], 2): river\n")
    hall.note.save()
    assert hall.up == [("Ana", "We meet at noon.")]
    assert hall.world.board.entries[-1] == Notice(2, "type", "river", "world", "Ben", "", "withdrawn")


def test_a_number_that_is_none_is_named_by_line():
    with pytest.raises(NoteError, match=r"board.md:2: next is 'x'; expected a number"):
        parse_board(parse_note("---\nnext: x\n---\n", "board.md"))


@pytest.mark.parametrize("name", ["Hall [old]", "A|B", "a#b", "Hall, from Ana"])
def test_a_room_that_no_link_can_name_is_found_again(name):
    board = Board([Notice(1, "plan", "We meet (at noon): there.", SCOPES[0], "Ana [2]", name)], 2)
    assert parse_board(parse_note(format_board(board), "b")) == board


def test_two_lines_of_one_number_become_two_entries():
    text = "## On the board\n- **a** (world, from [[Ana]], 4): x\n- **b** (world, from [[Ana]], 4): y\n"
    assert parse_board(parse_note(text, "b")) == Board(
        [Notice(4, "a", "x", "world", "Ana", ""), Notice(5, "b", "y", "world", "Ana", "")], 6
    )
