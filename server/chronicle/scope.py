"""What somebody may see of the past: one rule for `@chronicle`, `@feed`, and the page's feed, chronicle and replay.

People see what they perceived themselves, and nothing from before they came. Observers and admins see everything.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from server.chronicle.recorder import KINDS
from vault.chronicle.event_log import LoggedEvent
from world.entities import Character, Role
from world.preferences import IGNORABLE, IgnorableLine, IgnoreList, ignore_list

Stays = Sequence[tuple[int, int, str]]
"""Where somebody was: (from, until, room), oldest first, as of `ChronicleIndex.stays`."""

IGNORABLE_KINDS = frozenset(name for kind, name in KINDS.items() if issubclass(kind, IGNORABLE))
POSES = ("emoted", "shared")
"""The kinds of events whose words stand in their line."""


@dataclass(frozen=True)
class PastAccess:
    """The part of the past that somebody may see: everything, or what the one called `name` perceived.

    From that, people on the list `ignored` are left out, but for words to its owner.
    """

    name: str
    sees_all: bool = False
    ignored: IgnoreList | None = None


EVERYTHING = PastAccess("", sees_all=True)


def past_access(character: Character) -> PastAccess:
    """Return what somebody may see of the past: the one rule of all surfaces."""
    sees_all = character.role.includes(Role.OBSERVER)
    return PastAccess(character.character_id, sees_all, None if sees_all else ignore_list(character))


class Scope(Protocol):
    """The part of a chronicle that a reader may see.

    `is_public` makes an index leave out private events; `has_private` is true only for the whole.
    """

    is_public: bool
    has_private: bool

    def seen(self, event: LoggedEvent) -> LoggedEvent | None:
        """Return the visible part of an event, or None if there is none."""
        ...

    def within(self, start_ms: int, end_ms: int) -> tuple[int, int]:
        """Return the part of a period outside which nothing is visible."""
        ...

    def is_of(self, start_ms: int, end_ms: int) -> bool:
        """Return whether anything of a period may be visible."""
        ...

    def who_of(self, places: dict[str, str], at_ms: int) -> dict[str, str]:
        """Return whose places are visible, of everybody's at a time."""
        ...


class Whole:
    """The scope of a reader who sees everything."""

    is_public, has_private = False, True

    def seen(self, event: LoggedEvent) -> LoggedEvent | None:
        """Return the event."""
        return event

    def within(self, start_ms: int, end_ms: int) -> tuple[int, int]:
        """Return the period."""
        return start_ms, end_ms

    def is_of(self, start_ms: int, end_ms: int) -> bool:
        """Return True."""
        return True

    def who_of(self, places: dict[str, str], at_ms: int) -> dict[str, str]:
        """Return everybody's place."""
        return places


class Public(Whole):
    """The scope of an export without private words: events as anybody in their room perceives them."""

    is_public, has_private = True, False

    def seen(self, event: LoggedEvent) -> LoggedEvent | None:
        """Return the event without its private part, if there is another."""
        return event.in_public if event.is_public else None


class Own:
    """The scope of one person: events they could perceive where they were, and words to them alone.

    People whom they ignore now are left out, also from earlier events.
    """

    is_public, has_private = False, False

    def __init__(self, name: str, stays: Stays, ignored: IgnoreList | None = None) -> None:
        self.name = name
        self._stays = stays
        self._begins = [since for since, _, _ in stays]
        self._ignored = ignored

    def seen(self, event: LoggedEvent) -> LoggedEvent | None:
        """Return the event as the person could perceive it; private reasons are never theirs."""
        if self.name in (event.who, event.to) and event.kind != "thought":
            return replace(event, reason="")
        if not event.is_public or (self._ignored and self._ignored.hides(ignorable_of(event))):
            return None
        places = {event.room, *event.heard_in}
        was_there = any(room in places or "*" in places for room in self._rooms_at(event.at_ms))
        return event.in_public if was_there else None

    def within(self, start_ms: int, end_ms: int) -> tuple[int, int]:
        """Return the part of a period from the person's first stay in it to the last."""
        stays = [(since, until) for since, until, _ in self._stays if since < end_ms and until >= start_ms]
        return (max(start_ms, stays[0][0]), min(end_ms, stays[-1][1] + 1)) if stays else (start_ms, start_ms)

    def is_of(self, start_ms: int, end_ms: int) -> bool:
        """Return whether the person was in the world then."""
        at = bisect_right(self._begins, end_ms - 1)
        return at > 0 and self._stays[at - 1][1] >= start_ms

    def who_of(self, places: dict[str, str], at_ms: int) -> dict[str, str]:
        """Return the places of those who were in the person's room."""
        rooms = self._rooms_at(at_ms)
        return {who: room for who, room in places.items() if room in rooms}

    def _rooms_at(self, at_ms: int) -> list[str]:
        """Return where the person was at a time: one stay ends in the millisecond in which the next begins."""
        at = bisect_right(self._begins, at_ms)
        return [room for _, until, room in self._stays[max(0, at - 2) : at] if at_ms <= until]


def ignorable_of(event: LoggedEvent) -> IgnorableLine | None:
    """Return the part of a logged event that can be ignored."""
    if event.kind not in IGNORABLE_KINDS:
        return None
    return IgnorableLine(
        event.who, event.by == "agent", event.to, event.words or (event.line if event.kind in POSES else "")
    )
