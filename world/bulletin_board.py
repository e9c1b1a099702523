"""What is shared on purpose: entries that everyone in scope reads word for word, until their time is over."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from world.parsing import collapse_whitespace

SCOPES = ("turn", "scene", "world")
"""Until its author's next turn; until its author leaves the room; until it is taken down."""

MAX_ENDED = 200


REPLACED, WITHDRAWN, FAILED = "replaced", "withdrawn", "its turn failed"
TURN_OVER, SCENE_OVER = "its turn ended", "its scene ended"
ENDINGS = (REPLACED, WITHDRAWN, FAILED, TURN_OVER, SCENE_OVER)


@dataclass(frozen=True)
class Notice:
    """One thing shared. `label` is its type, `room_id` its scene's; `ended` says why it is up no more, if it is not."""

    entry_id: int
    label: str
    content: str
    scope: str
    author_id: str
    room_id: str
    ended: str = ""


@dataclass
class Board:
    """All entries, oldest first; those that have ended are kept as a log, the oldest of them not for ever."""

    entries: list[Notice] = field(default_factory=list)
    next_id: int = 1

    def share(self, author_id: str, room_id: str, label: str, content: str, scope: str = "scene") -> Notice:
        """Put up an entry and return it."""
        entry = Notice(self.next_id, label, content, scope, author_id, "" if scope == "world" else room_id)
        self.next_id += 1
        self.entries.append(entry)
        return entry

    def active(self) -> list[Notice]:
        """Return the entries that have not ended, in their order."""
        return [entry for entry in self.entries if not entry.ended]

    def readable(self, room_id: str, label: str = "") -> list[Notice]:
        """Return what somebody in a room reads, in order; of one author and type the last counts."""
        found: dict[tuple[str, str], Notice] = {}
        for entry in self.active():
            if (entry.scope == "world" or entry.room_id == room_id) and label in ("", entry.label):
                found.pop((entry.author_id, entry.label), None)
                found[entry.author_id, entry.label] = entry
        return list(found.values())

    def begin_turn(self, author_id: str) -> int:
        """End what an author shared for its last turn only, and what has been replaced; return the next number."""
        own = [entry for entry in self.active() if entry.author_id == author_id]
        if not own:
            return self.next_id
        newest = {(e.label, e.scope): e.entry_id for e in own}
        self._end((e for e in own if e.scope == "turn"), TURN_OVER)
        self._end((e for e in own if e.scope != "turn" and newest[e.label, e.scope] != e.entry_id), REPLACED)
        return self.next_id

    def fail_turn(self, author_id: str, first_id: int) -> None:
        """Take back what an author has shared since the entry numbered `first_id`: the turn has failed."""
        self._end((e for e in self.active() if e.author_id == author_id and e.entry_id >= first_id), FAILED)

    def leave(self, author_id: str, room_id: str) -> None:
        """End the scene of an author who goes."""
        gone = (e for e in self.active() if (e.author_id, e.room_id) == (author_id, room_id) and e.scope != "world")
        self._end(gone, SCENE_OVER)

    def withdraw(self, author_id: str, label: str) -> list[Notice]:
        """Take down an author's entries of a type and return them."""
        wanted = collapse_whitespace(label).lower()
        found = [entry for entry in self.active() if (entry.author_id, entry.label) == (author_id, wanted)]
        self._end(found, WITHDRAWN)
        return found

    def _end(self, ending: Iterable[Notice], why: str) -> None:
        numbers = {entry.entry_id for entry in ending}
        if not numbers:
            return
        self.entries = [replace(e, ended=why) if e.entry_id in numbers else e for e in self.entries]
        past = [entry.entry_id for entry in self.entries if entry.ended]
        forgotten = set(past[: max(0, len(past) - MAX_ENDED)])
        self.entries = [entry for entry in self.entries if entry.entry_id not in forgotten]
