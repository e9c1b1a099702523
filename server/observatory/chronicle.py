"""The view `chronicle`: days, hours, top moments, and the events of an hour with a map to replay them.

An hour is sent a few hundred events at a time: a page that wants the next ones asks with `after`.
"""

from __future__ import annotations

from collections import Counter

from twisted.internet.defer import Deferred

from agents.views.memories import time_of
from server.chronicle.reading import Reader, Reading, ShownEvent, format_clock
from server.chronicle.rendering import room_map
from server.chronicle.scope import PastAccess
from server.clock import InThread
from server.observatory.town import Town
from server.observatory.views import Asked, Shown, View
from vault.chronicle.event_log import MOVES, Period, period_of
from world.errors import CommandError
from world.message_catalog import Wording
from world.parsing import is_number
from world.world import World

MAX_SENT = 400
"""Maximum number of events that are sent at a time."""

MAX_DAYS = 60
DAY, HOUR = "%Y-%m-%d", "%Y-%m-%dT%H"


class ChronicleView:
    """Reads in another thread what a page asks for."""

    def __init__(self, reader: Reader, world: World, in_thread: InThread) -> None:
        self._reader = reader
        self._world = world
        self._in_thread = in_thread

    @property
    def view(self) -> View:
        """The view, of what each may see of the past."""
        return View("chronicle", None, chronicle_text, past=self._shown)

    def _shown(self, asked: Asked, access: PastAccess) -> Deferred[Shown]:
        return self._in_thread(self._read, asked, access).addCallback(self._with_map, access.sees_all)

    def town_at(self, town: Town, at: str) -> Deferred[Shown]:
        """Return a town as it was at a time. Raises: CommandError if that is none."""
        period = time_of(at, self._world.wording)
        return self._in_thread(self._places, period.end_ms).addCallback(town.then, period.name)

    def _places(self, end_ms: int) -> dict[str, str]:
        """Return in which room everybody was at a time. Raises: NoteError."""
        index = self._reader.index
        index.update()
        return index.places_at(end_ms)

    def _read(self, asked: Asked, access: PastAccess) -> Shown:
        """Return the view without its map. Raises: CommandError for what is no period, NoteError."""
        reader, wanted = self._reader, asked.get("period", "")
        reader.index.update()
        scope = reader.scope_of(access)
        newest = reader.hours(scope)
        period = period_of(wanted or (format_clock(newest[-1][0], DAY) if newest else "1970-01-01"))
        if period is None:
            raise CommandError(self._world.wording("chronicle.usage", wanted=wanted))
        reading = reader.read(period, scope, MAX_SENT, _after(asked))
        return _shown(reading, period)

    def _with_map(self, shown: Shown, is_whole: bool) -> Shown:
        """Add where the rooms lie: in the reactor's thread, which alone may look at the world."""
        rooms = {one["room"] for one in shown["events"] if one["room"]} | set(shown["before"].values())
        drawn = room_map(self._world if is_whole else None, rooms)
        places = [(room, drawn.names[room], *place) for room, place in drawn.places.items()]
        return shown | {"map": {"rooms": places, "ways": drawn.ways}}


def _after(asked: Asked) -> tuple[int, int]:
    at_ms, _, number = asked.get("after", "").partition(",")
    return (int(at_ms), int(number)) if is_number(at_ms) and is_number(number) else (-1, -1)


def _shown(reading: Reading, period: Period) -> Shown:
    days, hours = _days(reading)
    return {
        "period": period.name,
        "start": period.start_ms,
        "end": period.end_ms,
        "is_whole": reading.has_private,
        "days": days[-MAX_DAYS:],
        "hours": hours,
        "moments": [
            {
                "rule": one.rule,
                "at": one.at_ms,
                "title": one.title,
                "room": one.room,
                "quotes": [{"n": q.number, "at": q.at_ms, "text": q.text, "places": q.places} for q in one.quotes],
            }
            for one in reading.moments
        ],
        "events": [_event(one) for one in reading.events],
        "before": reading.before,
        "left_out": reading.left_out,
        "last": f"{reading.last[0]},{reading.last[1]}",
        "problems": reading.problems,
    }


def _days(reading: Reading) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """Return the days there are, and the hours of this one, with how many events each has.

    Of days and hours that were not seen whole, nothing is counted but what was seen.
    """
    days = Counter[str]()
    for start_ms, count in reading.hours:
        days[format_clock(start_ms, DAY)] += count if reading.has_private else 0
    day = reading.period.name[:10]
    hours = [(format_clock(ms, HOUR), count) for ms, count in reading.hours if format_clock(ms, DAY) == day]
    if not reading.has_private:
        hours = list(Counter(format_clock(one.event.at_ms, HOUR) for one in reading.events).items())
    return list(days.items()), hours


def _event(one: ShownEvent) -> Shown:
    event = one.event
    now_in = event.to_room if event.kind == "left" else event.room
    told = {
        "n": one.number,
        "at": event.at_ms,
        "who": event.who,
        "room": event.room,
        "text": one.text,
        "secret": one.secret,
        "reason": one.reason,
        "place": one.place,
    }
    return told | ({"to": now_in} if event.kind in MOVES else {})


def chronicle_text(shown: Shown, say: Wording) -> str:
    """Return the view as text."""
    lines = [say("chronicle.heading", world=shown["period"], period="UTC"), "", say("chronicle.top")]
    for moment in shown["moments"]:
        lines.append(f"{format_clock(moment['at'])} {moment['title']}")
        for quote in moment["quotes"]:
            lines += [f"  {quote['text']}", f"    {', '.join(quote['places'])}"]
    lines += [] if shown["moments"] else [say("chronicle.no_moments")]
    lines += ["", say("chronicle.events")]
    for one in shown["events"]:
        private = "".join(f" ({part})" for part in (one["secret"], one["reason"]) if part)
        room = f"{one['room']}: " if one["room"] else ""
        lines.append(f"{format_clock(one['at'])} {room}{one['text']}{private}")
    lines += [] if shown["events"] else [say("chronicle.no_events", period=shown["period"])]
    lines += [say("chronicle.left_out", count=shown["left_out"])] if shown["left_out"] else []
    days = shown["days"] if shown["is_whole"] else shown["hours"]
    lines += ["", say("chronicle.days"), *(say("chronicle.day", day=day, count=count) for day, count in days)]
    return "\n".join([*lines, *shown["problems"]])
