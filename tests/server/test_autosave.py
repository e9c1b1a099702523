"""What has happened is on disk before anybody hears of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from twisted.internet.task import Clock

from config.settings import WorldSettings
from server.autosave import BUSY_SECONDS, LATE_SECONDS, GroupCommit, SaveBoard, SaveNotes, Saver, WorldStore
from tests.server.front_door import Thread
from tests.vault.failing_disk import FailingDisk
from tests.vault.vault_of import vault_of
from tests.world.inn import inn
from vault.board_note import BoardNote
from vault.entities.load import load_world
from vault.entities.merge_base import MergeBase
from vault.entities.store import EntityStore
from vault.locations_log import LocationsLog
from vault.note import Note
from vault.vault import Vault
from world.commands.table import world_commands
from world.events import EntityChanged, Event, Said
from world.game import Game

NOTE = ("world", "whereabouts.md")


def saved(vault: Vault) -> str:
    """Return what the note says now, or nothing if there is none."""
    return vault.read_text(*NOTE) if vault.exists(*NOTE) else ""


def game_in(vault: Vault) -> Game:
    """Return a game in the inn that saves its moves in a vault."""
    world = inn()
    game = Game(world, world_commands())
    game.subscribe("whereabouts", Saver("whereabouts", LocationsLog(vault, world).save), first=True)
    return game


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("north", "- [[Ana]]: [[The Kitchen]]"),
        ("get brass lamp", "- [[brass lamp]]: [[Ana]]"),
        ("drop coin", "- [[copper coin]]: [[The Common Room]]"),
        ("give coin to Ben", "- [[copper coin]]: [[Ben]]"),
    ],
)
def test_a_move_is_written_before_anybody_hears_of_it(tmp_path, line, written):
    vault = vault_of(tmp_path, {})
    game, heard = game_in(vault), list[bool]()

    def observe(event: Event, text: str) -> None:
        heard.append(written in saved(vault).splitlines())

    for name in ("Ana", "Ben"):
        game.wake(name, observe)
    assert game.perform("Ana", line).accepted
    assert heard and all(heard)


def test_talk_writes_nothing(tmp_path):
    disk = FailingDisk()
    game = game_in(vault_of(tmp_path, {}, disk))
    game.perform("Ana", "say hello")  # with which the list is begun
    done = len(disk.done)
    game.perform("Ana", "say hello")
    assert len(disk.done) == done


def test_a_failure_is_logged_once_and_the_next_move_saves_everything(tmp_path, caplog):
    disk = FailingDisk()
    vault = vault_of(tmp_path, {}, disk)
    game = game_in(vault)
    with disk.full():
        game.perform("Ana", "north")
        game.perform("Ben", "out")
    assert [r.getMessage() for r in caplog.records] == [
        "whereabouts could not be saved: world/whereabouts.md: cannot be written: No space left on device."
    ]
    game.perform("Cat", "east")
    assert {"- [[Ana]]: [[The Kitchen]]", "- [[Ben]]: [[The Yard]]", "- [[Cat]]: [[The Stable]]"} <= set(
        saved(vault).splitlines()
    )


def test_a_new_failure_after_a_recovery_is_logged_again(tmp_path, caplog):
    disk = FailingDisk()
    game = game_in(vault_of(tmp_path, {}, disk))
    for line in ("north", "south"):
        with disk.full():
            game.perform("Ana", line)
        game.perform("Ana", "get lamp 1" if line == "north" else "look")
        game.perform("Cat", "house door" if line == "north" else "look")
    assert len(caplog.records) == 2


class FakeJournal:
    """Counts its new lines, and how often they were forced to disk."""

    def __init__(self, error: Exception | None = None) -> None:
        self.new_lines = 0
        self.forced = 0
        self._error = error

    def pending_fsync(self) -> Callable[[], None] | None:
        taken, self.new_lines = self.new_lines, 0
        return self._force if taken else None

    def _force(self) -> None:
        if self._error:
            raise self._error
        self.forced += 1


class Group:
    """Journals that are forced to disk every 50 ms of a clock."""

    def __init__(self, *journals: FakeJournal) -> None:
        self.clock, self.thread = Clock(), Thread()
        self.sync = GroupCommit(lambda: journals, 50, self.clock, self.thread)
        self.sync.start()


def test_many_memories_of_many_agents_are_forced_to_disk_together():
    eliza, moss, odile = FakeJournal(), FakeJournal(), FakeJournal()
    group = Group(eliza, moss, odile)
    eliza.new_lines, moss.new_lines = 20, 3
    group.clock.advance(0.049)
    assert group.thread.jobs == []
    group.clock.advance(0.001)
    assert len(group.thread.jobs) == 1
    group.thread.goes_on()
    assert [journal.forced for journal in (eliza, moss, odile)] == [1, 1, 0]


def test_commit_survives_a_journal_with_any_fault(caplog):
    class Broken(FakeJournal):
        def pending_fsync(self) -> Callable[[], None] | None:
            raise KeyError("lightning")

    first, last = FakeJournal(), FakeJournal()
    group = Group(first, Broken(), FakeJournal(ValueError("not a file")), last)
    for _ in range(3):
        first.new_lines = last.new_lines = 1
        group.clock.advance(0.05)
        group.thread.goes_on()
    assert (first.forced, last.forced) == (3, 3)
    assert "lightning" in group.sync.problem


def test_commit_that_hangs_is_a_problem_until_it_ends():
    journal = FakeJournal()
    group = Group(journal)
    journal.new_lines = 1
    group.clock.advance(0.05)
    group.clock.advance(2 * LATE_SECONDS)
    assert group.sync.problem == "the disk has taken 10 s so far"
    group.thread.goes_on()
    assert group.sync.problem == ""


def test_where_nothing_is_new_no_thread_is_troubled():
    group = Group(FakeJournal())
    group.clock.pump([0.05] * 10)
    assert group.thread.jobs == []
    assert len(group.clock.getDelayedCalls()) == 1


def test_there_is_one_forcing_at_a_time_and_then_the_next():
    eliza = FakeJournal()
    group = Group(eliza)
    for _ in range(3):
        eliza.new_lines += 1
        group.clock.advance(0.05)
    assert len(group.thread.jobs) == 1
    group.thread.goes_on()
    group.clock.advance(0.05)
    group.thread.goes_on()
    assert eliza.forced == 2


def test_a_journal_that_cannot_be_forced_is_logged_and_keeps_no_other_from_it(caplog):
    eliza, moss = FakeJournal(OSError("input/output error")), FakeJournal()
    group = Group(eliza, moss)
    for _ in range(2):
        eliza.new_lines = moss.new_lines = 1
        group.clock.advance(0.05)
        group.thread.goes_on()
    assert moss.forced == 2
    assert {r.getMessage() for r in caplog.records} == {"syncing to disk failed: input/output error"}


def test_after_stopping_nothing_is_begun():
    eliza = FakeJournal()
    group = Group(eliza)
    eliza.new_lines = 1
    group.clock.advance(0.05)
    group.sync.stop()
    group.thread.goes_on()
    assert eliza.forced == 1
    assert group.clock.getDelayedCalls() == []


def test_what_is_shared_is_written_at_once_and_a_failure_is_logged_once(tmp_path, caplog):
    disk = FailingDisk()
    vault = vault_of(tmp_path, {}, disk)
    game = Game(inn(), world_commands())
    game.subscribe("board", SaveBoard(BoardNote(vault, game.world), Clock()), first=True)
    game.perform("Ana", "share plan -> We meet at noon.")
    assert "We meet at noon." in (tmp_path / "world" / "board.md").read_text()
    with disk.full():
        game.perform("Ana", "share plan -> We meet at one.")
        game.perform("Ana", "say Well.")
    assert [r.getMessage() for r in caplog.records] == [
        "the board could not be saved: world/board.md: cannot be written: No space left on device."
    ]
    game.perform("Ana", "say Well.")
    assert "We meet at one." in (tmp_path / "world" / "board.md").read_text()


def test_an_edit_of_the_board_counts_at_the_first_line_half_a_second_later_and_before_anything_is_shared(tmp_path):
    game, clock, note = Game(inn(), world_commands()), Clock(), tmp_path / "world" / "board.md"
    game.subscribe("board", SaveBoard(BoardNote(vault_of(tmp_path, {}), game.world), clock), first=True)

    def board(line: str) -> list[str]:
        game.perform("Ana", line)
        return [entry.content for entry in game.world.board.active()]

    board("share plan -> We meet at noon.")
    note.write_text(note.read_text().replace("noon", "midnight"))
    assert board("say Well.") == ["We meet at noon."]
    clock.advance(0.5)
    assert board("say Well.") == ["We meet at midnight."]
    note.write_text(note.read_text().replace("midnight", "dawn"))
    assert board("share plan -> And we sing.") == ["We meet at dawn.", "And we sing."]


class House:
    """A world whose notes are saved as it is altered; `told` is what admins hear."""

    def __init__(self, root: Path) -> None:
        self.disk, self.clock, self.told = FailingDisk(), Clock(), list[str]()
        self.root = root
        rooms = {f"rooms/Room {number}.md": f"---\nnumber: {number}\n---\nBare.\n" for number in range(1, 9)}
        self.vault = vault_of(root, rooms, self.disk)
        known = MergeBase()
        self.world = load_world(self.vault, WorldSettings(start_room="Room 1"), known)
        notes = EntityStore(self.vault, self.world, known)
        self.saver = SaveNotes(notes, self.told.append, self.clock)

    def alter(self, *numbers: int, text: str = "Painted.") -> None:
        """Describe some rooms anew."""
        for number in numbers:
            self.world.rooms[f"Room {number}"].description = text
        self.saver(tuple(EntityChanged("Ana", "room", f"Room {number}") for number in numbers))

    def painted(self, text: str = "Painted.") -> list[int]:
        """Return which rooms are described anew in their notes."""
        return [n for n in range(1, 9) if text in (self.root / "rooms" / f"Room {n}.md").read_text()]


def test_what_was_altered_is_in_its_note_at_once(tmp_path):
    house = House(tmp_path)
    house.alter(3)
    assert (house.painted(), house.saver.due, house.clock.getDelayedCalls()) == ([3], 0, [])


def test_of_many_notes_a_few_are_written_at_once_and_the_others_later(tmp_path):
    house = House(tmp_path)
    house.alter(1, 2, 3, 4, 5)
    assert house.painted() == [1, 2]
    house.clock.advance(0)
    assert (house.painted(), house.clock.getDelayedCalls()) == ([1, 2, 3, 4, 5], [])


def test_what_cannot_be_saved_is_told_once_and_saved_later(tmp_path, caplog):
    house = House(tmp_path)
    with house.disk.full():
        house.alter(1, 2)
        house.saver((Said("Ana", "Room 1", "Hm."),))
        assert (house.painted(), house.saver.due) == ([], 2)
    why = "rooms/Room 1.md: cannot be written: No space left on device."
    assert house.told == [f"{why} It is tried again; until then the change is in no note."]
    assert [record.getMessage() for record in caplog.records] == [f"a note could not be saved: {why}"]
    house.saver((Said("Ana", "Room 1", "Hm."),))
    house.clock.pump([0, 0])
    assert (house.painted(), house.saver.due) == ([1, 2], 0)
    with house.disk.full():
        house.alter(3)
    assert len(house.told) == 2


def test_a_note_that_somebody_broke_keeps_no_other_from_being_saved(tmp_path):
    house = House(tmp_path)
    (tmp_path / "rooms" / "Room 1.md").write_text("---\nnumber: [\n---\n")
    house.alter(1, 2)
    house.alter(3)
    assert (house.painted(), house.saver.due) == ([2, 3], 1)
    house.clock.pump([BUSY_SECONDS] * 4)
    house.alter(1, text="Panelled.")
    kept = [tmp_path / ".trash" / "rooms" / name for name in ("Room 1.md", "Room 1 2.md")]
    assert ["Painted." in kept[0].read_text(), "Panelled." in kept[1].read_text()] == [True, True]
    assert [f".trash/rooms/{path.name}" in told for path, told in zip(kept, house.told, strict=True)] == [True, True]
    house.alter(1)
    (tmp_path / "rooms" / "Room 1.md").write_text("---\nnumber: 1\n---\nBare.\n")
    house.clock.advance(BUSY_SECONDS)
    assert (house.painted(), house.saver.due) == ([1, 2, 3], 0)


def test_all_that_is_due_is_saved_at_the_end(tmp_path):
    house = House(tmp_path)
    with house.disk.full():
        house.alter(*range(1, 9))
    house.saver.save()
    assert (house.painted(), house.saver.due) == ([*range(1, 9)], 0)


def test_a_room_without_a_number_has_one_in_its_note_after_the_start(tmp_path):
    vault_of(tmp_path, {"rooms/Attic.md": "Dust.\n"})
    house = House(tmp_path)
    house.saver(())
    assert (tmp_path / "rooms/Attic.md").read_text() == "---\nnumber: 9\n---\nDust.\n"


class EditedWhileRead(Vault):
    """A vault in which each note of a room is edited right after it was read."""

    def read(self, *parts: str) -> Note:
        note = super().read(*parts)
        if parts[0].startswith("rooms/"):
            self.path(*parts).write_text(f"{note.text}\nIt has been edited.\n")
        return note


def test_a_note_that_is_edited_while_the_world_is_loaded_shows_at_the_first_scan(tmp_path):
    vault = EditedWhileRead(vault_of(tmp_path, {"rooms/Hall.md": "A hall.", "rooms/Attic.md": "Dust."}).root)
    store = WorldStore(vault, WorldSettings(start_room="Hall"), lambda sentence: None, Clock())
    assert store.seen.scan().changed == ["rooms/Attic.md", "rooms/Hall.md"]
