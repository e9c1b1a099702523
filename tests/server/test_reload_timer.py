"""Edits are reloaded when they have settled, once for many, and reported."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import pytest
from twisted.internet.task import Clock

from server.reload_timer import MAX_DELAY_SECONDS, RETRY_SECONDS, SETTLE_SECONDS, SLICE_SECONDS, ReloadTimer
from tests.vault.vault_of import vault_of
from vault.vault import Vault
from vault.watch import ChangeScanner


class Reloader:
    """Remembers when it was asked to look; says what it is to say."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.at: list[float] = []
        self.says: list[str] = []
        self.is_waiting = False
        self.has_replaced = False
        self.fails = False

    def steps(self, paths: set[str] | None = None) -> Generator[None, None, list[str]]:
        yield
        self.at.append(round(self.clock.seconds(), 3))
        if self.fails:
            raise RuntimeError("lightning")
        return self.says

    def undo_scan(self) -> list[str]:
        return []


MOMENT = 0.001


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def looks(clock) -> Reloader:
    return Reloader(clock)


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def reload(tmp_path, clock, looks, told) -> ReloadTimer:
    return ReloadTimer(vault_of(tmp_path, {"rooms/Hall.md": ""}), looks, told.append, clock, lambda call: call())


def test_what_was_edited_while_the_world_was_loaded_is_looked_for_at_the_start(reload, clock, looks):
    reload.start()
    clock.advance(MOMENT)
    reload.stop()
    assert len(looks.at) == 1


def test_many_changes_are_one_look_when_they_have_settled(reload, clock, looks):
    for _ in range(4):
        reload.note_change()
        clock.advance(SETTLE_SECONDS / 2)
    clock.advance(SETTLE_SECONDS / 2)
    assert looks.at == [round(3 * SETTLE_SECONDS / 2 + SETTLE_SECONDS, 3)]


def test_changes_that_never_end_are_taken_in_all_the_same(reload, clock, looks):
    for _ in range(100):
        reload.note_change()
        clock.advance(SETTLE_SECONDS / 3)
    assert looks.at[0] <= MAX_DELAY_SECONDS + SETTLE_SECONDS
    assert len(looks.at) >= 3


def test_what_is_said_of_edits_is_told(reload, clock, looks, told):
    looks.says = ["rooms/Hall.md: reloaded."]
    reload.note_change()
    clock.advance(1)
    assert told == ["rooms/Hall.md: reloaded."]


def test_many_notes_taken_in_are_told_in_one_line_and_what_is_wrong_in_full(reload, clock, looks, told):
    looks.says = [f"rooms/{number}.md: reloaded." for number in range(100, 400)]
    looks.says.insert(7, "rooms/Attic.md:3: that is no exit.")
    reload.note_change()
    clock.advance(1)
    assert told == [
        "300 notes were reloaded, from rooms/100.md to rooms/399.md.",
        "rooms/Attic.md:3: that is no exit.",
    ]


def test_there_is_a_second_look_at_what_seems_to_be_gone(reload, clock, looks):
    looks.is_waiting = True
    reload.note_change()
    clock.advance(SETTLE_SECONDS)
    looks.is_waiting = False
    clock.advance(RETRY_SECONDS)
    clock.advance(10)
    assert looks.at == [SETTLE_SECONDS, SETTLE_SECONDS + RETRY_SECONDS]


def test_a_look_that_fails_does_not_end_the_looking(reload, clock, looks, caplog):
    looks.fails = True
    reload.note_change()
    clock.advance(1)
    looks.fails = False
    reload.note_change()
    clock.advance(1)
    assert len(looks.at) == 2
    assert "lightning" in caplog.text


class Stumbling:
    """Takes in notes of a vault; stumbles over those that have "stone" in them."""

    is_waiting = has_replaced = False

    def __init__(self, vault: Vault) -> None:
        self.taken: list[str] = []
        self._vault = vault
        self._scanner = ChangeScanner(vault)
        self._scanner.baseline()

    def steps(self, paths: set[str] | None = None) -> Generator[None, None, list[str]]:
        changes = self._scanner.scan(paths)
        for source in changes.changed:
            yield
            if "stone" in self._vault.path(*source.split("/")).read_text():
                raise KeyError("stone")
        self.taken += changes.changed
        return []

    def undo_scan(self) -> list[str]:
        return self._scanner.undo()


@pytest.mark.parametrize("stones", [["things/3.md"], ["rooms/0.md", "rooms/5.md", "text/2.md"]])
def test_note_that_fails_is_named_and_keeps_no_other_back(tmp_path, clock, told, caplog, stones):
    notes = [f"{folder}/{number}.md" for folder in ("rooms", "things", "text") for number in range(6)]
    vault = vault_of(tmp_path, dict.fromkeys(notes, ""))
    reloader = Stumbling(vault)
    timer = ReloadTimer(vault, reloader, told.append, clock, lambda call: call())
    for source in notes:
        vault.path(*source.split("/")).write_text("stone" if source in stones else "moss")
    timer.reload_now()
    assert sorted(reloader.taken) == sorted(set(notes) - set(stones))
    assert sorted(sentence.partition(":")[0] for sentence in told) == sorted(stones)
    assert all(source in caplog.text for source in stones)
    timer.note_change()
    clock.advance(1)
    assert len(told) == len(stones), "the same fault is told once"
    for source in stones:
        vault.path(*source.split("/")).write_text("moss")
    timer.note_change()
    clock.advance(1)
    assert sorted(reloader.taken) == sorted(notes)


def test_an_admin_can_have_everything_taken_in_at_once(reload, clock, looks, told):
    looks.says = ["rooms/Hall.md: reloaded."]
    reload.note_change()
    assert reload.reload_now() == ["rooms/Hall.md: reloaded."]
    clock.advance(10)
    assert looks.at == [0.0]


def test_nothing_is_looked_at_after_the_end(reload, clock, looks):
    reload.note_change()
    reload.stop()
    clock.advance(10)
    assert looks.at == []


class Turns(Clock):
    """Has each turn of the reactor a moment after the one before, so that a test can look between them."""

    def callLater(self, delay: float, callable: Callable[..., object], *args: object, **kw: object) -> Any:
        return super().callLater(delay or MOMENT, callable, *args, **kw)


class SlowLooks(Reloader):
    """Takes a hundred steps of a millisecond each."""

    passed = 0.0

    def steps(self, paths: set[str] | None = None) -> Generator[None, None, list[str]]:
        for _ in range(100):
            self.passed += 0.001
            yield
        return (yield from super().steps(paths))


@pytest.fixture
def turns() -> Turns:
    return Turns()


def slow(tmp_path, clock, told) -> tuple[ReloadTimer, SlowLooks]:
    looks = SlowLooks(clock)
    looks.says = ["rooms/Hall.md: reloaded."]
    vault = vault_of(tmp_path, {"rooms/Hall.md": ""})
    return ReloadTimer(vault, looks, told.append, clock, lambda call: call(), lambda: looks.passed), looks


def test_many_edits_are_taken_in_a_slice_at_a_time_and_told_in_one_message(tmp_path, turns, told):
    reload, looks = slow(tmp_path, turns, told)
    pauses, before = [], 0.0
    reload.note_change()
    turns.advance(SETTLE_SECONDS)
    for _ in range(5):
        pauses.append(round(looks.passed - before, 3))
        before = looks.passed
        assert told == []
        turns.advance(MOMENT)
    assert (pauses, told) == ([SLICE_SECONDS] * 5, ["rooms/Hall.md: reloaded."])


def test_edits_that_come_while_others_are_taken_in_are_taken_in_after_them(tmp_path, turns, told):
    reload, looks = slow(tmp_path, turns, told)
    reload.note_change()
    turns.advance(SETTLE_SECONDS)
    reload._scan()
    assert looks.at == []
    turns.pump([MOMENT] * 9)
    assert len(looks.at) == 1
    turns.pump([RETRY_SECONDS, *[MOMENT] * 9])
    assert len(looks.at) == 2


@pytest.mark.parametrize("how", ["stop", "look_now"])
def test_what_is_being_taken_in_is_taken_in_before_the_end_or_another_look(tmp_path, turns, told, how):
    reload, looks = slow(tmp_path, turns, told)
    reload.note_change()
    turns.advance(SETTLE_SECONDS)
    {"stop": reload.stop, "look_now": reload.reload_now}[how]()
    turns.pump([1] * 9)
    assert len(told) == len(looks.at) == {"stop": 1, "look_now": 2}[how]
