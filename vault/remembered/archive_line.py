"""What an archive keeps, an entry a line, and the lines that it is written as.

    {"event": "tool_call", "at": "2026-11-21T20:35:01.123Z", "seq": 129, "command": "look"}

A prompt is written as what is new in it: the number of leading characters that it shares with the prompt before it in
the same file, and the rest.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

EventName = Literal[
    "message",
    "tool_call",
    "tool_result",
    "micro_compact",
    "auto_compact",
    "manual_compact",
    "rebuild",
    "rollback",
    "reflection",
    "begin_anew",
    "lines_deleted",
]


@dataclass(frozen=True)
class Entry:
    """One thing to be kept. `seq` is the memory that it belongs to; `fields` must be what JSON can hold."""

    event: EventName
    at_ms: int
    seq: int
    fields: Mapping[str, Any] = field(default_factory=dict)


def archive_lines(entries: Sequence[Entry], prompt: str) -> tuple[list[bytes], str]:
    """Return the lines of entries, and the newest prompt among them or, if there is none, the one given."""
    lines = []
    for entry in entries:
        fields = dict(entry.fields)
        if "prompt" in fields:
            before, prompt = prompt, str(fields.pop("prompt"))
            shared = _shared(before, prompt)
            fields |= {"prompt_characters": len(prompt), "prompt_shared": shared, "prompt_rest": prompt[shared:]}
        head = {"event": entry.event, "at": _moment(entry.at_ms), "seq": entry.seq}
        lines.append(_line({**head, **fields}))
    return lines, prompt


def _line(entry: Mapping[str, Any]) -> bytes:
    text = json.dumps(entry, ensure_ascii=False)
    for char in "\x85\u2028\u2029":  # line ends to some readers, which are not to see two lines
        text = text.replace(char, f"\\u{ord(char):04x}")
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(entry).encode() + b"\n"


def _shared(before: str, after: str) -> int:
    """Return how many leading characters two texts have in common."""
    most = min(len(before), len(after))
    return bisect_left(range(most), True, key=lambda place: before[: place + 1] != after[: place + 1])


def _moment(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{at_ms % 1000:03}Z"


def day_of(at_ms: int) -> str:
    return _moment(at_ms)[:10]


def parsed_line(line: bytes) -> dict[str, Any] | None:
    """Return the entry that a line holds, or None if it holds none."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) and isinstance(entry.get("event"), str) else None


def whole_lines(raw: bytes) -> list[bytes]:
    """Return the lines of a file without their ends; a torn last one is none."""
    *lines, last = raw.split(b"\n")
    return [*lines, last] if parsed_line(last) else lines
