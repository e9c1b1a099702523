"""Snapshot of transient character state, written at shutdown and restored by a restart within a few minutes.

It is `.index/just-now.json`. Deleting it loses nothing else: lasting state is in notes.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from vault.errors import NoteError
from vault.vault import Vault
from world.entities import MAX_SPEECH_HISTORY, TransientState
from world.world import World

log = logging.getLogger(__name__)

SNAPSHOT = (".index", "just-now.json")
_IDS = {
    "goal_id": "destination_id",
    "came_from_id": "previous_room_id",
    "following_id": "following_id",
    "answer_to_id": "reply_to_id",
}
"""The ids of a transient state, by the keys under which they are in the file."""


@dataclass(frozen=True)
class SessionSnapshot:
    """Who is `awake` at shutdown, everybody's transient state by id, and rows of what agents owe by name."""

    awake: tuple[str, ...] = ()
    transient: Mapping[str, TransientState] = field(default_factory=dict)
    owed: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def save_snapshot(vault: Vault, just_now: SessionSnapshot, now_ms: int) -> None:
    """Write a snapshot; a failure is logged. `now_ms` is in milliseconds since 1970."""
    rows = {one_id: row for one_id, transient in just_now.transient.items() if (row := _row_of(transient))}
    kept = {"at_ms": now_ms, "awake": list(just_now.awake), "doings": rows, "owed": dict(just_now.owed)}
    try:
        vault.write_text(json.dumps(kept, ensure_ascii=False), *SNAPSHOT)
    except NoteError as error:
        log.warning("%s", error)


def load_and_clear_snapshot(vault: Vault, world: World, now_ms: int, most_seconds: float) -> SessionSnapshot:
    """Return the snapshot if it is at most so old, and delete it; an empty one if it is older or not valid.

    Characters and rooms that no longer exist are left out.
    """
    try:
        kept = json.loads(vault.read_text(*SNAPSHOT)) if vault.exists(*SNAPSHOT) else {}
        if not kept:
            return SessionSnapshot()
        vault.write_text("{}", *SNAPSHOT)
        if not 0 <= now_ms - kept["at_ms"] <= most_seconds * 1000:
            return SessionSnapshot()
        return SessionSnapshot(
            tuple(one_id for one_id in kept["awake"] if one_id in world.characters),
            {one_id: _state_of(row, world) for one_id, row in kept["doings"].items() if one_id in world.characters},
            {name: dict(row) for name, row in kept["owed"].items()},
        )
    except (NoteError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        log.warning("%s cannot be understood, so nobody goes on from there: %s", "/".join(SNAPSHOT), error)
        return SessionSnapshot()


def _row_of(transient: TransientState) -> dict[str, Any]:
    """Return what is not as at the beginning."""
    row: dict[str, Any] = {key: value for key, name in _IDS.items() if (value := getattr(transient, name))}
    if transient.last_line:
        row["last_line"] = transient.last_line
    if transient.afk_message is not None:
        row["away"] = transient.afk_message
    return row | ({"heard": list(transient.speech_history)} if transient.speech_history else {})


def _state_of(row: Mapping[str, Any], world: World) -> TransientState:
    known = {*world.rooms, *world.characters}
    transient, away = TransientState(), row.get("away")
    for key, name in _IDS.items():
        if row.get(key) in known:
            setattr(transient, name, row[key])
    transient.last_line = str(row.get("last_line", ""))
    transient.afk_message = None if away is None else str(away)
    transient.speech_history.extend([str(line) for line in row.get("heard", ())][-MAX_SPEECH_HISTORY:])
    return transient
