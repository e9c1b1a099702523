"""The recorder: what is logged of a world, in which words, and what is never logged."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.chronicle import recorder
from server.chronicle.recorder import KINDS, MAX_WAITING, ChronicleRecorder
from tests.server.front_door import NOW_MS
from tests.vault.failing_disk import FailingDisk
from tests.world.inn import inn_game
from vault.chronicle.event_log import EventLog, LoggedEvent, log_files, parsed_event
from vault.vault import Vault
from world import events
from world.entities import Role
from world.events import Event, LookedAt, Moved, Output, Refused, RoomMessage


class RecordedInn:
    """The inn with a log. Ana and Ben are people in one room, Rook is an agent in the kitchen."""

    def __init__(self, root: Path, disk: FailingDisk | None = None) -> None:
        self.folder = root / "chronicle"
        self.told, self.is_on = list[str](), True
        self.game = inn_game()
        log = EventLog(Vault(root, disk))
        self.recorder = ChronicleRecorder(self.game, log, lambda: self.is_on, lambda: NOW_MS, self.told.append)

    def does(self, who: str, line: str) -> None:
        self.game.perform(who, line)

    def logged(self) -> list[LoggedEvent]:
        """Return what is in the files, but for where everybody was at the start."""
        lines = (line for name in log_files(self.folder) for line in (self.folder / name).read_bytes().splitlines())
        events = [event for line in lines if (event := parsed_event(line))]
        return [event for event in events if event.kind not in ("opened", "present")]

    def written(self) -> list[LoggedEvent]:
        if write := self.recorder.pending_fsync():
            write()
        return self.logged()


@pytest.fixture
def inn(tmp_path) -> RecordedInn:
    return RecordedInn(tmp_path)


def test_an_event_is_logged_once_as_somebody_who_stands_there_perceives_it(inn):
    inn.does("Ana", "say to Ben Good morning.")
    assert inn.written() == [
        LoggedEvent(
            NOW_MS, "said", "Ana", "Ben", "The Common Room", 'Ana says to Ben, "Good morning."', "Good morning."
        )
    ]


def test_a_walk_says_from_where_and_to_where(inn):
    inn.does("Ana", "north")
    left, arrived = inn.written()
    assert (left.kind, left.room, left.to_room) == ("left", "The Common Room", "The Kitchen")
    assert (arrived.kind, arrived.room, arrived.from_room) == ("arrived", "The Kitchen", "The Common Room")
    assert (left.line, arrived.line) == ("Ana leaves north to The Kitchen.", "Ana arrives from The Common Room.")


def test_whispers_and_tells_of_people_among_themselves_are_logged_without_their_words(inn):
    inn.does("Ana", "whisper Ben the key is under the stone")
    inn.does("Ana", "tell Cat the key is under the stone")
    inn.does("Ana", "think the key is under the stone | my own reason")
    inn.does("Ana", "say Hello. | my own reason")
    assert [(one.kind, one.is_public) for one in inn.written()] == [
        ("whispered", True),
        ("paged", False),
        ("said", True),
    ]
    raw = b"".join(path.read_bytes() for path in inn.folder.iterdir())
    assert b"the key" not in raw
    assert b"my own reason" not in raw


def test_what_an_agent_whispers_hears_thinks_and_why_is_private(inn):
    inn.does("Ana", "north")
    inn.written()
    inn.does("Ana", "whisper Rook the key is under the stone")
    inn.does("Rook", "say Hello. | she is new here")
    inn.does("Rook", "think she is new here")
    whisper, said, thought = inn.written()[2:]
    assert (whisper.line, whisper.secret) == ("Ana whispers something to Rook.", "the key is under the stone")
    assert (said.line, said.reason, said.by) == ('Rook says, "Hello."', "she is new here", "agent")
    assert (thought.line, thought.secret) == ("", "she is new here")
    for event in (whisper, said, thought):
        assert "the key" not in repr(event.in_public)
        assert "she is new" not in repr(event.in_public)


def test_a_shout_is_heard_next_door_and_an_announcement_everywhere(inn):
    inn.game.world.characters["Ana"].role = Role.ADMIN
    inn.does("Ana", "shout Fire!")
    (shouted,) = inn.written()
    assert shouted.heard_in == ("The Cellar", "The Kitchen", "The Yard")


def test_a_guest_is_told_apart(inn):
    inn.game.world.characters["Ana"].role = Role.GUEST
    inn.does("Ana", "say Hello.")
    assert [one.by for one in inn.written()] == ["guest"]


def test_what_one_alone_is_shown_is_not_logged(inn):
    alone = (Output("Ana", "x"), Refused("Ana", "x"), Moved("", "lamp"), LookedAt("Ana", "The Common Room", "Ben"))
    for event in (*alone, RoomMessage("", "The Yard", "Rain begins.")):
        inn.game.publish((event,))
    assert [one.line for one in inn.written()] == ["Rain begins."]


def test_the_first_lines_say_that_the_world_opened_and_where_everybody_is(inn):
    inn.does("Ana", "say Hello.")
    inn.written()
    (name,) = log_files(inn.folder)
    events = [parsed_event(line) for line in (inn.folder / name).read_bytes().splitlines()]
    assert [(one.kind, one.who) for one in events if one] == [
        ("opened", ""),
        *(("present", who) for who in ("Ana", "Ben", "Cat", "Rook")),
        ("said", "Ana"),
    ]


def test_what_happens_while_another_thread_is_about_to_write_is_written_too(inn):
    assert inn.recorder.pending_fsync() is None
    inn.does("Ana", "say One.")
    write = inn.recorder.pending_fsync()
    inn.does("Ana", "say Two.")
    inn.recorder.save()
    assert write
    write()
    assert [one.words for one in inn.logged()] == ["One.", "Two."]


def test_a_full_disk_loses_nothing_and_admins_hear_of_it_once(tmp_path):
    disk = FailingDisk()
    inn = RecordedInn(tmp_path, disk)
    with disk.full():
        inn.does("Ana", "say One.")
        assert inn.written() == []
        assert inn.written() == []
    assert [one.words for one in inn.written()] == ["One."]
    assert len(inn.told) == 1
    assert "cannot be written" in inn.told[0]
    assert (inn.recorder.problem, inn.recorder.lost) == ("", 0)


def test_a_log_that_cannot_be_written_for_long_loses_the_oldest(tmp_path, monkeypatch):
    monkeypatch.setattr(recorder, "MAX_UNWRITTEN", 3)
    disk = FailingDisk()
    inn = RecordedInn(tmp_path, disk)
    with disk.full():
        for number in range(5):
            inn.does("Ana", f"say {number}")
            inn.written()
    assert [one.words for one in inn.written()] == ["2", "3", "4"]
    assert inn.recorder.lost > 0


def test_a_world_that_nobody_forces_to_disk_writes_when_much_waits_and_at_its_end(inn):
    for number in range(MAX_WAITING):
        inn.does("Ana", f"say {number}")
    assert len(inn.logged()) > MAX_WAITING // 2
    inn.recorder.save()
    assert [one.words for one in inn.logged()] == [str(number) for number in range(MAX_WAITING)]


def test_nothing_is_logged_where_it_is_turned_off(inn):
    inn.is_on = False
    inn.does("Ana", "say Hello.")
    assert inn.written() == []
    assert not inn.folder.exists()


OF_THE_WORLD = [kind for kind in vars(events).values() if isinstance(kind, type) and issubclass(kind, Event)]


@pytest.mark.parametrize("kind", OF_THE_WORLD[1:], ids=lambda kind: kind.__name__)
def test_each_type_of_event_is_logged_or_is_for_one_alone(kind):
    unlogged = "Moved EntityChanged LookedAt Output Recalled Refused SystemMessage QuitRequested".split()
    assert (kind in KINDS) != (kind.__name__ in unlogged)
