"""Tracks who is in which room, from the chronicle."""

from __future__ import annotations

from vault.chronicle.event_log import MOVES, OPENED, LoggedEvent


class Whereabouts:
    """Follows the events of a chronicle, oldest first."""

    def __init__(self) -> None:
        self._room: dict[str, str] = {}
        self._in: dict[str, dict[str, None]] = {}

    def take_event(self, event: LoggedEvent) -> None:
        """Take in an event. When a world is opened, nobody is known to be anywhere."""
        if event.kind == OPENED:
            self._room.clear()
            self._in.clear()
        elif event.kind in MOVES and event.who:
            room = event.to_room if event.kind == "left" else event.room
            self._in.get(self._room.pop(event.who, ""), {}).pop(event.who, None)
            if room:
                self._room[event.who] = room
                self._in.setdefault(room, {})[event.who] = None

    def in_room(self, room: str) -> list[str]:
        """Return who is in a room, in the order in which they came."""
        return list(self._in.get(room, ()))
