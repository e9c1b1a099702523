"""Spans of time by name, in UTC: a day, an hour, a minute or a second, as in `2026-11-22T20:35`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from vault.chronicle.event_log import day_ms

UNITS_MS = (86_400_000, 3_600_000, 60_000, 1_000)
_NAME = re.compile(r"(\d{4}-\d\d-\d\d)(?:T(\d\d)(?::(\d\d)(?::(\d\d))?)?)?", re.ASCII)
_LIMITS = (24, 60, 60)


@dataclass(frozen=True)
class Period:
    """A span of time, in milliseconds since 1970, its end not included; `name` is as in `2026-11-22T20`."""

    name: str
    start_ms: int
    end_ms: int


def period_of(name: str) -> Period | None:
    """Return the day, hour, minute or second that a name means, or None."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    parts = [int(part) for part in match.groups()[1:] if part is not None]
    try:
        start_ms = day_ms(match[1])
    except ValueError:
        return None
    if any(part >= limit for part, limit in zip(parts, _LIMITS, strict=False)):
        return None
    start_ms += sum(part * unit for part, unit in zip(parts, UNITS_MS[1:], strict=False))
    return Period(name, start_ms, start_ms + UNITS_MS[len(parts)])


def second_name(at_ms: int) -> str:
    """Return the name of the second in which a time lies."""
    return datetime.fromtimestamp(at_ms // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S")
