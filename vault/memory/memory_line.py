"""One memory and the journal line that it is written as.

    - 20:35:01.123 observed · The Garden · Moss arrives from the library. [with:: Moss] ^m129

The block id `^m129` is the memory's number, so that `[[2026-11-21#^m129]]` works from any note. What people say is
escaped so that none of it can pass for a property, a tag, a link, a comment, HTML or a block id.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from vault.markdown import one_line
from world.sanitize import clean_line

KINDS = ("observed", "acted", "result", "thought", "dreamt", "told", "noted")
DEFAULT_IMPORTANCE = 3
MAX_NUMBER = 10**15 - 1
DAY_SECONDS = 86_400
DAY_MS = 1000 * DAY_SECONDS

_ESCAPED = re.compile(r"[\\<]|\[(?=\[|importance::|with::)|%(?=%)|#(?=\w)|\^(?=m\d)")
_UNESCAPED = re.compile(r"\\([\\<\[%#^])")
_MACHINE = re.compile(
    r"- (?P<h>\d\d):(?P<m>\d\d):(?P<s>\d\d)\.(?P<ms>\d\d\d) (?P<kind>[a-z]+) · (?P<room>.*?) · (?P<text>.*)", re.DOTALL
)
_BLOCK_ID = re.compile(r"\s\^m([1-9]\d{0,14})\s*\Z", re.ASCII)
_NO_NUMBER = re.compile(r"(?:^|\s)(\^m\d{1,999})\s*\Z")
_TAIL = re.compile(
    r"(?:^|(?<=\s))(?:\[importance:: *(?P<importance>\d{1,9})\]|\[with:: *(?P<people>[^\]]*)\]"
    r"|#(?P<tag>pinned|refused))\s*\Z"
)
_CLOCK = "- 00:00:00.000 "
_HAND = re.compile(r"\s*(?:[-*+]\s+)?(?:(?P<h>\d\d?):(?P<m>\d\d)(?::(?P<s>\d\d)(?:\.\d+)?)?\s+)?(?P<text>.*)")


@dataclass(frozen=True)
class Memory:
    """One thing that an agent perceived, did, was told or thought.

    `seq` is its number and its identity; `at_ms` is UTC, in milliseconds since 1970; `text` is one line.
    `importance` goes from 1 to 10. `refused` is so for the result of a command that was not done.
    """

    seq: int
    at_ms: int
    kind: str
    room: str
    text: str
    people: tuple[str, ...] = ()
    importance: int = DEFAULT_IMPORTANCE
    pinned: bool = False
    refused: bool = False

    @property
    def day(self) -> str:
        """The UTC day, as in `2026-11-21`."""
        return _day(self.at_ms // DAY_MS)


def format_line(memory: Memory) -> str:
    """Return a memory's journal line, without its line end."""
    minutes, seconds = divmod(memory.at_ms // 1000 % DAY_SECONDS, 60)
    clock = f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"
    text = _ESCAPED.sub(r"\\\g<0>", one_line(memory.text))
    tail = ""
    if memory.importance != DEFAULT_IMPORTANCE:
        tail += f" [importance:: {memory.importance}]"
    if memory.people:
        tail += f" [with:: {', '.join(memory.people)}]"
    tail += " #refused" * memory.refused + " #pinned" * memory.pinned
    return f"- {clock}.{memory.at_ms % 1000:03} {memory.kind} · {memory.room} · {text}{tail} ^m{memory.seq}"


def seq_of(line: str) -> int:
    """Return the number of a journal line, or 0 if it has none."""
    block_id = _block_id(line)
    return int(block_id[1]) if block_id else 0


def invalid_number(line: str) -> str:
    """Return what stands where a line's number should and cannot be one, as `^m0` or one of 16 digits; else nothing."""
    found = None if seq_of(line) else _NO_NUMBER.search(line, max(0, line.rfind("^m") - 1))
    return found[1] if found else ""


def _block_id(line: str) -> re.Match[str] | None:
    # A million lines are read at a start without an index: the search begins where alone there can be one.
    return _BLOCK_ID.search(line, max(0, line.rfind("^m") - 1))


def parse_line(line: str, day: str) -> Memory | None:
    """Return the memory of a numbered line of a day's journal, or None if the line has no number.

    A line that was reworded by hand keeps its number; what is no longer in the form is its text.
    """
    block_id = _block_id(line)
    if not block_id:
        return None
    return _parse(line[: block_id.start()], int(block_id[1]), day)


def parse_hand_line(line: str, seq: int, day: str) -> Memory:
    """Return the memory of a line typed by hand, under the number given."""
    return _parse(line.rstrip(), seq, day)


def is_memory_line(line: str) -> bool:
    """Return whether a line of a journal's body is a memory: all are but headings, comments and blank ones."""
    text = line.strip()
    return bool(text.strip("-*+# ")) and not text.startswith(("# ", "## ", "### ", "%%", "---"))


def is_truncated(line: str) -> bool:
    """Return whether a last line without its end and number may be the beginning of one that was being written."""
    clock, rest = re.sub("[0-9]", "0", line[: len(_CLOCK)]), line[len(_CLOCK) :]
    return _CLOCK.startswith(clock) and any(f"{kind} · ".startswith(rest[: len(kind) + 3]) for kind in KINDS)


def _parse(line: str, seq: int, day: str) -> Memory:
    machine = _MACHINE.fullmatch(line)
    if machine and machine["kind"] in KINDS:
        clock = (int(machine["h"]), int(machine["m"]), int(machine["s"]), int(machine["ms"]))
        kind, room, rest = machine["kind"], clean_line(machine["room"]), machine["text"]
    else:
        hand = _HAND.fullmatch(line)
        assert hand is not None  # every part of the pattern is optional
        clock = (int(hand["h"] or 0), int(hand["m"] or 0), int(hand["s"] or 0), 0)
        kind, room, rest = "noted", "", hand["text"]
    text, tails = _without_tails(rest)
    return Memory(
        seq,
        _at_ms(day, clock),
        kind,
        room,
        one_line(_UNESCAPED.sub(r"\1", text)),
        tuple(name.strip() for name in clean_line(tails.get("people", "")).split(",") if name.strip()),
        min(10, max(1, int(tails.get("importance", DEFAULT_IMPORTANCE)))),
        "pinned" in tails,
        "refused" in tails,
    )


def _without_tails(text: str) -> tuple[str, dict[str, str]]:
    tails: dict[str, str] = {}
    while match := _TAIL.search(text):
        found = {key: value for key, value in match.groupdict().items() if value is not None}
        found = {found["tag"]: ""} if "tag" in found else found
        if any(key in tails for key in found):
            break
        tails |= found
        text = text[: match.start()].rstrip()
    return text, tails


def _at_ms(day: str, clock: tuple[int, int, int, int]) -> int:
    hours, minutes, seconds, milliseconds = clock
    seconds_of_day = min(hours, 23) * 3600 + min(minutes, 59) * 60 + min(seconds, 59)
    return _first_ms(day) + seconds_of_day * 1000 + milliseconds


# A world writes thousands of lines on one day.


@lru_cache(maxsize=64)
def _day(number: int) -> str:
    """Return a day by how many there were since 1970."""
    return datetime.fromtimestamp(number * DAY_SECONDS, UTC).strftime("%Y-%m-%d")


@lru_cache(maxsize=64)
def _first_ms(day: str) -> int:
    """Return when a day begins; of what is no day, 1970."""
    try:
        moment = datetime.fromisoformat(day).replace(tzinfo=UTC)
    except ValueError:
        return 0
    return int(moment.timestamp()) * 1000
