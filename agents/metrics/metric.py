"""Metrics: counts that are fed a world's records, one after the other, and result in named figures.

Metrics of the chronicle also need to know who is in which room; `Whereabouts` follows that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from agents.metrics.moments import Lexicon
from agents.metrics.statistics import Share
from vault.chronicle.event_log import MOVES, OPENED, LoggedEvent
from vault.memory.archive_exchanges import Question
from vault.memory.memory_line import Memory


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


ARCHIVE, JOURNAL, CHRONICLE = "archive", "journal", "chronicle"
SOURCES = (ARCHIVE, JOURNAL, CHRONICLE)

SHARE = "share"
"""The unit of a part of a whole, from 0 to 1."""


@dataclass(frozen=True)
class About:
    """The description of a figure: its name, its unit, the things its denominator counts, and its meaning."""

    name: str
    unit: str
    of: str
    what: str


@dataclass(frozen=True)
class Value:
    """A figure, and how many things it was computed over."""

    value: float
    of: int


@dataclass(frozen=True)
class Unknown:
    """A figure that cannot be known, with the reason."""

    why: str


Results = Mapping[str, Value | Unknown]

Price = tuple[float, float]
"""The price of a million prompt tokens and of a million answer tokens."""


@dataclass(frozen=True)
class MeasuredWorld:
    """The facts about a world that metrics need beforehand.

    `fact` is the planted fact whose diffusion is measured, or empty. `price_of` returns the price of a model for a
    million prompt tokens and a million answer tokens, or None if it is unknown. `lexicon` has the world's own words for
    promises. `where` follows the chronicle while it is read.
    """

    agents: frozenset[str] = frozenset()
    fact: str = ""
    price_of: Callable[[str], Price | None] = lambda model: None
    lexicon: Lexicon = field(default_factory=Lexicon)
    where: Whereabouts = field(default_factory=Whereabouts)


class Metric:
    """Counts something. A subclass names the `figures` that it computes and its `source`, and takes its records.

    Each world gets a new one. Each source is fed whole: an agent's archive and journal oldest first, one agent after
    the other; the chronicle of all of them oldest first.
    """

    figures: ClassVar[tuple[About, ...]] = ()
    source: ClassVar[str] = ARCHIVE

    def __init__(self, world: MeasuredWorld) -> None:
        self.world = world

    def take_question(self, agent: str, question: Question) -> None:
        """Take in a question to the model, the answer, and what came of it: the source `archive`."""

    def take_memory(self, agent: str, memory: Memory) -> None:
        """Take in a memory: the source `journal`."""

    def take_event(self, event: LoggedEvent) -> None:
        """Take in an event: the source `chronicle`."""

    def results(self) -> Results:
        """Return the figures by name, once all was taken in."""
        raise NotImplementedError

    def details(self) -> Sequence[str]:
        """Return lines that tell more than the figures, or nothing."""
        return ()


def value_of(share: Share, nothing: str) -> Value | Unknown:
    """Return a share as a figure; with a denominator of 0 it is unknown, for `nothing` was there."""
    return Unknown(nothing) if math.isnan(share.value) else Value(share.value, share.of)
