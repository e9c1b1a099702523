"""Reads a day, an hour or a person from the chronicle, with top moments, within a scope of visibility."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice

from agents.metrics.moments import Lexicon, TopMoments, by_worth, phrases
from agents.metrics.moments import Settings as RuleSettings
from config.settings import WorldSettings
from server.chronicle.scope import Own, PastAccess, Scope, Whole
from vault.chronicle.event_log import FOLDER, LoggedEvent, Period, moment_text
from vault.chronicle.index import MAX_MS, ChronicleIndex, Entry, EventQuery
from vault.chronicle.intake import HOUR_MS, Moment
from vault.memory.memory_line import parse_line
from vault.vault import Vault, agent_names
from world.message_catalog import Wording

LATER_MS = 2_000
"""Maximum delay between an event and an agent's memory of it, in milliseconds."""

MAX_AGENTS = 8
"""Maximum number of journals in which an event of people is looked for, if it involves no agent."""


class JournalLines:
    """Looks for lines in journals, and reads each file once."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._agents = agent_names(vault)
        self._files: dict[tuple[str, str], dict[str, list[str]]] = {}

    def places_of(self, event: LoggedEvent) -> list[str]:
        """Return where agents have written an event down, as `agents/Eliza/journal/2026-11-22.md:12`."""
        words = event.words or event.secret or event.thing
        concerned = [name for name in self._agents if name in (event.who, event.to)] or self._agents[:MAX_AGENTS]
        return [place for name in concerned for place in self._in_journal(name, event.at_ms, words)][:MAX_AGENTS]

    def _in_journal(self, agent: str, at_ms: int, words: str) -> list[str]:
        seconds = {moment_text(ms)[:19]: None for ms in range(at_ms, at_ms + LATER_MS + 1000, 1000)}
        for moment in seconds:
            lines = self._lines_of(agent, moment[:10]).get(moment[11:], [])
            for line in lines:
                place, _, text = line.partition(" ")
                memory = parse_line(text, moment[:10])
                is_it = memory and words and words in memory.text and 0 <= memory.at_ms - at_ms <= LATER_MS
                if is_it:
                    return [place]
        return []

    def _lines_of(self, agent: str, day: str) -> dict[str, list[str]]:
        """Return the lines of a day by the second in which they were written, each behind its place."""
        if (agent, day) not in self._files:
            found = self._files[agent, day] = {}
            folder = f"agents/{agent}/journal"
            for name in self._vault.names(folder):
                if name == day or name.startswith(f"{day}-"):
                    text = self._vault.read_lossy(folder, f"{name}.md")
                    for number, line in enumerate(text.split("\n"), 1):
                        if line.startswith("- ") and line[4:5] == ":":
                            found.setdefault(line[2:10], []).append(f"{folder}/{name}.md:{number} {line}")
        return self._files[agent, day]


MAX_MOMENTS = 12
MAX_EVENTS = 20_000
"""Maximum number of moments and events shown of a day or an hour."""

MIN_PIECE, MAX_PIECES = 1_000, 40
"""The minimum number of events searched at a time, and the maximum number of times, for a reader who may see few."""

MAX_MOMENTS_TRIED = 1_000


@dataclass(frozen=True)
class Quote:
    """A line of a moment, word for word, with the places in the log and in journals where it stands."""

    number: int
    at_ms: int
    text: str
    places: tuple[str, ...]


@dataclass(frozen=True)
class ShownMoment:
    """A moment as it is shown: a sentence, its place, and the lines that it is made of."""

    rule: str
    at_ms: int
    title: str
    room: str
    quotes: tuple[Quote, ...]


@dataclass(frozen=True)
class ShownEvent:
    """An event as it is shown: its public text and its private text, each possibly empty."""

    number: int
    event: LoggedEvent
    text: str
    secret: str
    reason: str
    place: str


@dataclass(frozen=True)
class Reading:
    """A period as it is shown to a reader with a scope.

    `before` has the visible places of people at its beginning, `left_out` counts the events after the shown ones, and
    `last` is the last one that was searched, as (at_ms, number). `hours` counts all events by hour, of the hours that
    may be seen, and `problems` names lines of the log that could not be read.
    """

    period: Period
    has_private: bool
    moments: tuple[ShownMoment, ...]
    events: tuple[ShownEvent, ...]
    before: dict[str, str]
    left_out: int
    last: tuple[int, int]
    hours: tuple[tuple[int, int], ...]
    problems: tuple[str, ...]


def rules_for(settings: WorldSettings, say: Wording) -> TopMoments:
    """Return the rules with the settings and words of a world."""
    absence_ms = round(settings.chronicle_absence_hours * HOUR_MS)
    lexicon = Lexicon(phrases(say("chronicle.promise_phrases")), phrases(say("chronicle.quarrel_phrases")))
    return TopMoments(RuleSettings(absence_ms, lexicon))


class Reader:
    """Reads the chronicle of one vault, with its journals; may be used in any thread."""

    def __init__(self, vault: Vault, index: ChronicleIndex, say: Callable[[], Wording]) -> None:
        self.index = index
        self._vault = vault
        self._say = say

    def read(self, period: Period, scope: Scope, most: int = MAX_EVENTS, after: tuple[int, int] = (-1, -1)) -> Reading:
        """Return a period as one may see it, from the event on that follows `after`.

        Raises: NoteError if log or index cannot be read.
        """
        index, say = self.index, self._say()
        index.update()
        start_ms, end_ms = scope.within(period.start_ms, period.end_ms)
        query = EventQuery(start_ms, end_ms, is_public=scope.is_public, after=after)
        shown, last = self._seen(query, scope, say, most)
        left_out = index.count(replace(query, after=last))
        problems = tuple(index.problems()) if scope.has_private else ()
        before = scope.who_of(index.places_at(period.start_ms), period.start_ms)
        hours = tuple(self.hours(scope))
        moments = self._moments(period, scope)
        return Reading(period, scope.has_private, moments, tuple(shown), before, left_out, last, hours, problems)

    def _seen(
        self, query: EventQuery, scope: Scope, say: Wording, most: int
    ) -> tuple[list[ShownEvent], tuple[int, int]]:
        """Return at most `most` events that are visible, and the last one that was searched."""
        shown, last = list[ShownEvent](), query.after
        for _ in range(MAX_PIECES):
            entries = self.index.events(replace(query, after=last, limit=max(most, MIN_PIECE)))
            for entry in entries:
                last = (entry.event.at_ms, entry.number)
                if one := _shown(entry, scope, say):
                    shown.append(one)
                if len(shown) >= most:
                    return shown, last
            if len(entries) < max(most, MIN_PIECE):
                break
        return shown, last

    def hours(self, scope: Scope) -> list[tuple[int, int]]:
        """Return the hours of which something may be seen, with the number of all their events, oldest first."""
        found = self.index.hours(not scope.has_private)
        return [(start_ms, count) for start_ms, count in found if scope.is_of(start_ms, start_ms + HOUR_MS)]

    def days(self, scope: Scope | None = None) -> dict[str, int]:
        """Return the number of events of each day of which something may be seen, oldest first. Raises: NoteError."""
        self.index.update()
        days = Counter[str]()
        for start_ms, count in self.hours(scope or Whole()):
            days[format_clock(start_ms, "%Y-%m-%d")] += count
        return days

    def of_person(self, person: str, scope: Scope, most: int) -> list[ShownEvent]:
        """Return the newest events that somebody did or that were done to them. Raises: NoteError."""
        self.index.update()
        query = EventQuery(person=person, is_public=scope.is_public, limit=most, newest=True)
        say = self._say()
        return [one for entry in self.index.events(query) if (one := _shown(entry, scope, say))]

    def scope_of(self, access: PastAccess) -> Scope:
        """Return the scope of somebody with an access to the past. Raises: NoteError."""
        if access.sees_all:
            return Whole()
        self.index.update()
        return Own(access.name, self.index.stays(access.name, 0, MAX_MS), access.ignored)

    def _moments(self, period: Period, scope: Scope) -> tuple[ShownMoment, ...]:
        """Return the most valuable moments that may be seen, in the order in which they happened."""
        say, journals = self._say(), JournalLines(self._vault) if scope.has_private else None
        found = self.index.moments(period.start_ms, period.end_ms, not scope.has_private)
        best = by_worth(found)[:MAX_MOMENTS_TRIED]
        seen = ((moment, entries) for moment in best if (entries := self._entries(moment, scope)))
        kept = sorted(islice(seen, MAX_MOMENTS), key=lambda one: (one[0].at_ms, one[0].events))
        return tuple(_shown_moment(moment, entries, journals, say) for moment, entries in kept)

    def _entries(self, moment: Moment, scope: Scope) -> list[Entry] | None:
        """Return the visible part of a moment's events; None if one of them is hidden."""
        found: list[Entry] = []
        for entry in self.index.numbered(moment.events):
            event = scope.seen(entry.event)
            if event is None:
                return None
            found.append(Entry(entry.number, entry.file, entry.line, event))
        return found


def reader_of(vault: Vault, settings: WorldSettings, say: Callable[[], Wording], *, in_memory: bool = False) -> Reader:
    """Return the reader of a vault's log. An index `in_memory` writes no file, and continues that of the world."""
    database, rules = vault.path(".index", f"{FOLDER}.sqlite"), rules_for(settings, say())
    index = ChronicleIndex(vault.path(FOLDER), None if in_memory else database, rules, database if in_memory else None)
    return Reader(vault, index, say)


def _shown(entry: Entry, scope: Scope, say: Wording) -> ShownEvent | None:
    event = scope.seen(entry.event)
    if event is None:
        return None
    text, secret = _texts(event, say)
    if not (text or secret):
        return None
    reason = say("chronicle.reason", text=event.reason) if event.reason else ""
    return ShownEvent(entry.number, event, text, secret, reason, entry.place)


def _texts(event: LoggedEvent, say: Wording) -> tuple[str, str]:
    """Return how an event reads, and how what is private of it reads."""
    if event.line:
        return event.line, say("chronicle.whispered", text=event.secret) if event.secret else ""
    if event.kind == "paged" and event.secret:
        return "", say("chronicle.told", who=event.who, to=event.to, text=event.secret)
    if event.kind == "paged":
        return "", say("chronicle.told_something", who=event.who, to=event.to)
    return "", say("chronicle.thought", who=event.who, text=event.secret) if event.secret else ""


def _shown_moment(moment: Moment, entries: Iterable[Entry], journals: JournalLines | None, say: Wording) -> ShownMoment:
    quotes = tuple(_quote(entry, journals, say) for entry in entries)
    return ShownMoment(moment.rule, moment.at_ms, _title(moment, say), moment.room, quotes)


def _quote(entry: Entry, journals: JournalLines | None, say: Wording) -> Quote:
    text = " ".join(part for part in _texts(entry.event, say) if part)
    places = (entry.place, *(journals.places_of(entry.event) if journals else ()))
    return Quote(entry.number, entry.event.at_ms, text, places)


def _title(moment: Moment, say: Wording) -> str:
    if moment.rule == "return":
        return say("chronicle.return", who=moment.who, time=_duration(moment.seconds, say))
    if moment.other:
        return say(f"chronicle.{moment.rule}", who=moment.who, other=moment.other)
    return say(f"chronicle.{moment.rule}_to_all", who=moment.who)


def _duration(seconds: int, say: Wording) -> str:
    hours = seconds // 3600
    return say("chronicle.days_long", count=hours // 24) if hours >= 48 else say("chronicle.hours", count=hours)


def format_clock(at_ms: int, form: str = "%H:%M:%S") -> str:
    """Return a time as it is shown, in UTC."""
    return datetime.fromtimestamp(at_ms // 1000, UTC).strftime(form)
