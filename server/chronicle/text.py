"""A reading of the chronicle as text: Markdown for files and printers, plain lines for the world."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from server.chronicle.reading import Reading, ShownEvent, ShownMoment, format_clock
from world.message_catalog import Wording

_MARKS = re.compile(r"[\\`*_<>\[\]#|~$]")


def markdown(reading: Reading, world: str, say: Wording) -> str:
    """Return a reading as a note."""
    lines = [f"# {_plain(say('chronicle.heading', world=world, period=reading.period.name))}", ""]
    lines += [f"{_about(reading, say)}", "", f"## {say('chronicle.top')}", ""]
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


def _about(reading: Reading, say: Wording) -> str:
    key = "chronicle.with_private" if reading.has_private else "chronicle.without_private"
    return f"{say('chronicle.about', count=len(reading.events) + reading.left_out)} {say(key)}"


def _plain(text: str) -> str:
    """Return text as Markdown that means nothing but itself."""
    return _MARKS.sub(r"\\\g<0>", " ".join(text.split()))
