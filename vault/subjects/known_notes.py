"""What the notes of rooms, things and characters said when they were read or written last.

Whoever saves compares with it what is to be written, and whoever takes in edits what was edited: so neither takes the
other's work for its own.
"""

from __future__ import annotations

from collections.abc import Iterable

from world.edits import copied
from world.entities import Room, Thing
from world.find import Subject
from world.undo import Ref
from world.world import World


class KnownNotes:
    """A copy of every subject as its note has it, by kind and id. Things are where their notes have them start out.

    `broken` are the notes that are not valid, by source, with why. `unread` are rooms whose notes are not
    text, or whose properties could not be read: they are not written until somebody has mended them.
    """

    def __init__(self, world: World | None = None) -> None:
        self._known: dict[Ref, Subject] = {}
        self.broken: dict[str, str] = {}
        self.unread: set[Ref] = set()
        if world:
            self.begin(world)

    def begin(self, world: World) -> None:
        """Take everything in a world that was just read to be as its note has it."""
        tables: Iterable[tuple[str, Iterable[tuple[str, Subject]]]] = (
            ("room", world.rooms.items()),
            ("thing", world.things.items()),
            ("character", world.characters.items()),
        )
        self._known = {(kind, key): copied(one) for kind, table in tables for key, one in table}

    def of(self, ref: Ref) -> Subject | None:
        """Return what a note said, or None if there was none; not to be changed."""
        return self._known.get(ref)

    def read(self, ref: Ref, subject: Subject) -> None:
        """Keep what somebody's edit of a note says."""
        self.unread.discard(ref)
        self._known[ref] = copied(subject)

    def note(self, ref: Ref, subject: Subject) -> None:
        """Keep that a note was written; where a thing starts out stays as it was, for that is never written again."""
        before, written = self._known.get(ref), copied(subject)
        if isinstance(written, Thing) and isinstance(before, Thing):
            written.place_id = before.place_id
        self._known[ref] = written

    def rooms_leading_to(self, room_id: str) -> list[str]:
        """Return the other rooms in whose notes an exit leads to a room."""
        rooms = [one for one in self._known.values() if isinstance(one, Room) and one.room_id != room_id]
        return [one.room_id for one in rooms if any(exit.room_id == room_id for exit in one.exits.values())]

    def forget(self, ref: Ref) -> None:
        """Keep that there is no note any more."""
        self._known.pop(ref, None)
