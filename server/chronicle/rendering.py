"""A reading of the chronicle written out: as an HTML file that needs no server, as Markdown, and as lines."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import groupby
from pathlib import Path

from server.chronicle.reading import Quote, Reading, ShownEvent, ShownMoment, format_clock
from vault.chronicle.event_log import MOVES, moment_text
from world.commands.senses import directions_of
from world.message_catalog import Wording
from world.navigation import automap_of, ways_of
from world.world import World

MAP_DEPTH = 60
UNPLACED_COLUMNS = 5
"""Number of rooms in a row that the map cannot place: those behind doors, and up and down."""


@dataclass(frozen=True)
class RoomMap:
    """Rooms with their names and places, in steps to the east and south from the corner, and the ways between them."""

    names: dict[str, str]
    places: dict[str, tuple[int, int]]
    ways: tuple[tuple[str, str], ...]


def room_map(world: World | None, rooms: Iterable[str]) -> RoomMap:
    """Return a map of a world's rooms and of other rooms that are named; without a world, of those alone."""
    places: dict[str, tuple[int, int]] = {}
    ways: list[tuple[str, str]] = []
    names: dict[str, str] = {}
    if world:
        directions = directions_of(world)
        plan = automap_of(world, world.start_room_id, MAP_DEPTH, directions)
        left, top = (min(place[axis] for place in plan.places.values()) for axis in (0, 1))
        places = {room: (east - left, south - top) for room, (east, south) in plan.places.items()}
        ways = ways_of(world, plan, directions)
        names = {room_id: room.name for room_id, room in world.rooms.items()}
    below = max((south for _, south in places.values()), default=-1) + 1
    for number, room in enumerate(sorted(set(rooms) - places.keys())):
        places[room] = (number % UNPLACED_COLUMNS, below + number // UNPLACED_COLUMNS)
    return RoomMap({room: names.get(room, room) for room in places}, places, tuple(ways))


STATIC = Path(__file__).parent / "static"
REPLAY = Path(__file__).parents[1] / "web" / "static" / "replay.js"
SPEEDS = (1, 2, 5, 10, 20, 50, 100)
FIRST_SPEED = 20
CELL, ROW, WIDTH, HEIGHT = 150, 66, 136, 46
"""The distance of rooms on the map, to the east and south, and the size of each, in pixels."""

MAX_NAME = 22


def html_page(reading: Reading, world: str, rooms: RoomMap, say: Wording) -> str:
    """Return the page. Every text of the world is escaped."""
    style, script = _static("day.css"), _script()
    title = _text(say("chronicle.heading", world=world, period=reading.period.name))
    policy = f"default-src 'none'; style-src 'sha256-{_digest(style)}'; script-src 'sha256-{_digest(script)}'"
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f"<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}; base-uri 'none'; form-action 'none'\">",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>",
        f'<a class="skip" href="#events">{_text(say("chronicle.events"))}</a>',
        f'<header><h1>{title}</h1><p class="quiet">{_text(_about_line(reading, say))}</p>{_hours(reading)}</header>',
        "<main>",
        *_moments(reading, say),
        *_replay(reading, rooms, say),
        *_events(reading, say),
        "</main>",
        *_problems(reading),
        f'<script type="module">{script}</script>\n</body>\n</html>\n',
    ]
    return "\n".join(parts)


def _hours(reading: Reading) -> str:
    found = dict.fromkeys(format_clock(one.event.at_ms, "%H") for one in reading.events)
    links = "".join(f'<li><a href="#h{hour}">{hour}:00</a></li>' for hour in found)
    return f'<nav aria-label="Hours"><ul>{links}</ul></nav>' if len(found) > 1 else ""


def _moments(reading: Reading, say: Wording) -> Iterator[str]:
    yield f'<section id="moments" aria-labelledby="top"><h2 id="top">{_text(say("chronicle.top"))}</h2>'
    if not reading.moments:
        yield f'<p class="quiet">{_text(say("chronicle.no_moments"))}</p>'
    yield "<ol>"
    shown = {one.number for one in reading.events}
    for moment in reading.moments:
        yield "".join(_moment(moment, shown))
    yield "</ol></section>"


def _moment(moment: ShownMoment, shown: set[int]) -> Iterator[str]:
    room = f" · {_text(moment.room)}" if moment.room else ""
    yield f'<li><h3>{_text(moment.title)}</h3><p class="quiet">{_time(moment.at_ms)}{room}'
    yield f' <button type="button" data-scripted hidden data-seek="{moment.at_ms}">Watch</button></p><blockquote>'
    for quote in moment.quotes:
        yield f"<p>{_quote(quote, shown)}</p>"
        yield f'<p class="place">{"<br>".join(map(_text, quote.places))}</p>'
    yield "</blockquote></li>\n"


def _quote(quote: Quote, shown: set[int]) -> str:
    return f'<a href="#e{quote.number}">{_text(quote.text)}</a>' if quote.number in shown else _text(quote.text)


def _replay(reading: Reading, rooms: RoomMap, say: Wording) -> Iterator[str]:
    first = reading.events[0].event.at_ms if reading.events else reading.period.start_ms
    last = reading.events[-1].event.at_ms if reading.events else reading.period.end_ms
    places = _text(json.dumps(reading.before, ensure_ascii=False))
    speeds = "".join(
        f'<option value="{speed}"{" selected" if speed == FIRST_SPEED else ""}>{speed} ×</option>' for speed in SPEEDS
    )
    yield f'<section id="replay" data-scripted hidden data-places="{places}" aria-labelledby="replay-title">'
    yield '<h2 id="replay-title">Replay</h2><div id="controls">'
    yield '<button type="button" id="play">Play</button>'
    yield f'<label>Speed <select id="speed">{speeds}</select></label><output id="clock">{format_clock(first)}</output>'
    span = f'min="{first - 1}" max="{last}" value="{first - 1}"'
    yield f'<input type="range" id="when" aria-label="Time" {span} step="1">'
    yield f'</div><div id="stage">{_map(rooms)}'
    yield f'<ol id="feed" tabindex="0" aria-label="{_text(say("chronicle.events"))}"></ol></div></section>'


def _map(rooms: RoomMap) -> str:
    columns = max((east for east, _ in rooms.places.values()), default=0) + 1
    rows = max((south for _, south in rooms.places.values()), default=0) + 1
    middle = {room: (CELL * east + CELL // 2, ROW * south + ROW // 2) for room, (east, south) in rooms.places.items()}
    lines = "".join(
        f'<line x1="{middle[one][0]}" y1="{middle[one][1]}" x2="{middle[other][0]}" y2="{middle[other][1]}"/>'
        for one, other in rooms.ways
    )
    boxes = "".join(_box(room, rooms.names[room], *place) for room, place in middle.items())
    size = f'viewBox="0 0 {columns * CELL} {rows * ROW}"'
    drawn = f'<svg {size} role="img" aria-label="Map: who is where">{lines}{boxes}</svg>'
    return f'<div id="map" tabindex="0" role="group" aria-label="Map">{drawn}</div>'


def _box(room: str, name: str, x: int, y: int) -> str:
    short = name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 1]}…"
    return (
        f'<g data-room="{_text(room)}"><rect x="{x - WIDTH // 2}" y="{y - HEIGHT // 2}" width="{WIDTH}" '
        f'height="{HEIGHT}" rx="6"/><text x="{x}" y="{y - 5}" text-anchor="middle">{_text(short)}</text>'
        f'<text class="people" x="{x}" y="{y + 13}" text-anchor="middle"></text></g>'
    )


def _events(reading: Reading, say: Wording) -> Iterator[str]:
    title = _text(say("chronicle.events"))
    yield f'<section id="events" class="events" aria-labelledby="all"><h2 id="all">{title}</h2>'
    if not reading.events:
        yield f'<p class="quiet">{_text(say("chronicle.no_events", period=reading.period.name))}</p>'
    for hour, events in groupby(reading.events, key=lambda one: format_clock(one.event.at_ms, "%H")):
        yield f'<h3 id="h{hour}">{hour}:00</h3>\n<ol>'
        yield from map(_event, events)
        yield "</ol>"
    if reading.left_out:
        yield f"<p>{_text(say('chronicle.left_out', count=reading.left_out))}</p>"
    yield "</section>"


def _event(shown: ShownEvent) -> str:
    event = shown.event
    moved = event.kind in MOVES
    now_in = f' data-to="{_text(event.to_room if event.kind == "left" else event.room)}"' if moved else ""
    marks = f'data-at="{event.at_ms}" data-who="{_text(event.who)}" data-room="{_text(event.room)}"{now_in}'
    room = f'<span class="room">{_text(event.room)}</span> ' if event.room else ""
    secret = f' <span class="secret">{_text(shown.secret)}</span>' if shown.secret else ""
    reason = f' <span class="reason">{_text(shown.reason)}</span>' if shown.reason else ""
    told = f"{room}{_text(shown.text)}{secret}{reason}"
    return f'<li id="e{shown.number}" {marks}>{_time(event.at_ms)}<div>{told}</div></li>'


def _problems(reading: Reading) -> Iterator[str]:
    if reading.problems:
        lines = "".join(f"<li>{_text(one)}</li>" for one in reading.problems)
        yield f'<footer><ul class="quiet">{lines}</ul></footer>'


def _time(at_ms: int) -> str:
    return f'<time datetime="{moment_text(at_ms)}">{format_clock(at_ms)}</time>'


def _text(text: str) -> str:
    """Return text as HTML, half characters and controls left out."""
    clean = "".join(char for char in text if char in "\n\t" or char.isprintable() or char == "\u200d")
    return escape(clean.encode("utf-8", "replace").decode(), quote=True)


@cache
def _static(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    """Return the script of the page: the replay that the observatory has too, and what starts it."""
    return f"{REPLAY.read_text(encoding='utf-8').replace('export class', 'class')}\n{_static('day.js')}"


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


_MARKS = re.compile(r"[\\`*_<>\[\]#|~$]")


def markdown(reading: Reading, world: str, say: Wording) -> str:
    """Return a reading as a note."""
    lines = [f"# {_plain(say('chronicle.heading', world=world, period=reading.period.name))}", ""]
    lines += [f"{_about_line(reading, say)}", "", f"## {say('chronicle.top')}", ""]
    for moment in reading.moments:
        room = f" ({_plain(moment.room)})" if moment.room else ""
        lines.append(f"- {format_clock(moment.at_ms)} **{_plain(moment.title)}**{room}")
        for quote in moment.quotes:
            lines += [f"  > {_plain(quote.text)}  ", f"  > `{'`, `'.join(quote.places)}`", ""]
    lines += [] if reading.moments else [say("chronicle.no_moments"), ""]
    lines += [f"## {say('chronicle.events')}"]
    for hour, events in groupby(reading.events, key=lambda one: format_clock(one.event.at_ms, "%H:00")):
        lines += ["", f"### {hour}", "", *(f"- {_plain(event_line(one))}" for one in events)]
    lines += ["", say("chronicle.left_out", count=reading.left_out)] if reading.left_out else []
    lines += ["", *(f"- {_plain(problem)}" for problem in reading.problems)] if reading.problems else []
    return "\n".join(lines) + "\n"


def plain_lines(reading: Reading, say: Wording) -> Iterator[str]:
    """Yield a reading as lines for a screen."""
    if reading.moments:
        yield say("chronicle.top")
        for moment in reading.moments:
            yield from moment_lines(moment)
        yield ""
    yield say("chronicle.events")
    yield from (event_line(one) for one in reading.events)
    if reading.left_out:
        yield say("chronicle.left_out", count=reading.left_out)
    yield from reading.problems


def moment_lines(moment: ShownMoment) -> Iterator[str]:
    """Yield a moment, and below it what it is made of."""
    yield f"{format_clock(moment.at_ms)} {moment.title}"
    for quote in moment.quotes:
        yield f"  {quote.text}"
        yield f"    {', '.join(quote.places)}"


def event_line(shown: ShownEvent) -> str:
    """Return an event as one line."""
    room = f"{shown.event.room}: " if shown.event.room else ""
    private = " ".join(f"({part})" for part in (shown.secret, shown.reason) if part)
    return f"{format_clock(shown.event.at_ms)} {room}{shown.text or shown.secret}" + (
        f" {private}" if shown.text and private else f" ({shown.reason})" if shown.reason else ""
    )


def _about_line(reading: Reading, say: Wording) -> str:
    key = "chronicle.with_private" if reading.has_private else "chronicle.without_private"
    return f"{say('chronicle.about', count=len(reading.events) + reading.left_out)} {say(key)}"


def _plain(text: str) -> str:
    """Return text as Markdown that means nothing but itself."""
    return _MARKS.sub(r"\\\g<0>", " ".join(text.split()))
