"""What everybody is about is kept for a moment, and does no harm when it cannot be understood."""

from __future__ import annotations

import json

import pytest

from tests.vault.failing_disk import FailingDisk
from tests.vault.vault_of import vault_of
from tests.world.inn import inn
from vault.session_snapshot import SNAPSHOT, SessionSnapshot, load_and_clear_snapshot, save_snapshot
from world.entities import TransientState

AT = 1_764_016_501_000

ABOUT = TransientState(
    destination_id="The Cellar",
    previous_room_id="The Kitchen",
    following_id="Ben",
    reply_to_id="Cat",
    afk_message="tea | and a bun",
    last_line="say hello",
)
ABOUT.speech_history.extend(['Ben says, "One"', 'Ben says, "Zwei ünd"'])


def test_what_was_kept_is_there_again_a_moment_later_and_only_once(tmp_path):
    vault, world = vault_of(tmp_path, {}), inn()
    kept = SessionSnapshot(
        ("Ana", "Rook"), {"Ana": ABOUT, "Rook": TransientState(afk_message="")}, {"Rook": {"spoken": 1}}
    )
    save_snapshot(vault, kept, AT)
    assert load_and_clear_snapshot(vault, world, AT + 60_000, 60) == kept
    assert load_and_clear_snapshot(vault, world, AT + 60_000, 60) == SessionSnapshot()


@pytest.mark.parametrize("later_ms", [60_001, -1])
def test_what_is_older_or_from_the_future_does_not_count(tmp_path, later_ms):
    vault = vault_of(tmp_path, {})
    save_snapshot(vault, SessionSnapshot(("Ana",), {"Ana": ABOUT}), AT)
    assert load_and_clear_snapshot(vault, inn(), AT + later_ms, 60) == SessionSnapshot()


def test_who_and_what_is_no_more_is_left_out(tmp_path):
    vault, world = vault_of(tmp_path, {}), inn()
    save_snapshot(vault, SessionSnapshot(("Ana", "Zoe"), {"Ana": ABOUT, "Zoe": ABOUT}), AT)
    del world.characters["Ben"], world.rooms["The Cellar"]
    found = load_and_clear_snapshot(vault, world, AT, 60)
    ana = found.transient["Ana"]
    assert (found.awake, list(found.transient)) == (("Ana",), ["Ana"])
    assert (ana.destination_id, ana.following_id, ana.previous_room_id, ana.reply_to_id) == (
        "",
        "",
        "The Kitchen",
        "Cat",
    )


def test_of_whom_nothing_is_to_be_told_nothing_is_kept(tmp_path):
    vault = vault_of(tmp_path, {})
    save_snapshot(
        vault, SessionSnapshot((), {"Ana": TransientState(client_uses_screen_reader=True, is_linkdead=True)}), AT
    )
    assert json.loads(vault.read_text(*SNAPSHOT)) == {"at_ms": AT, "awake": [], "doings": {}, "owed": {}}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "[1]",
        '{"at_ms": "now"}',
        '{"at_ms": 1764016501000, "awake": [[]], "doings": {}, "owed": {}}',
        '{"at_ms": 1764016501000, "awake": [], "doings": {"Ana": {"heard": 7}}, "owed": {}}',
        '{"at_ms": 1764016501000, "awake": [], "doings": {"Ana": {"goal_id": []}}, "owed": {}}',
        "[" * 100_000,
    ],
)
def test_what_cannot_be_understood_is_logged_and_nobody_goes_on_from_there(tmp_path, caplog, text):
    vault = vault_of(tmp_path, {})
    vault.write_text(text, *SNAPSHOT)
    assert load_and_clear_snapshot(vault, inn(), AT, 60) == SessionSnapshot()
    assert [r.getMessage()[:44] for r in caplog.records] == [".index/just-now.json cannot be understood, s"]


def test_where_there_is_nothing_there_is_nothing_to_say(tmp_path, caplog):
    assert load_and_clear_snapshot(vault_of(tmp_path, {}), inn(), AT, 60) == SessionSnapshot()
    assert caplog.records == []


def test_a_full_disk_costs_no_more_than_a_warning(tmp_path, caplog):
    disk = FailingDisk()
    vault = vault_of(tmp_path, {}, disk)
    with disk.full():
        save_snapshot(vault, SessionSnapshot(("Ana",)), AT)
    assert len(caplog.records) == 1
