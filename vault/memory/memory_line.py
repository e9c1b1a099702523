"""One memory and its journal line, and sets of memories by number.

    - 20:35:01.123 observed · The Garden · Moss gives you a key. [by:: Moss] [to:: Eliza] [event:: gave key] ^m129

The block id `^m129` is the memory's number, so that `[[2026-11-21#^m129]]` works from any note. The fields say who did
what to whom, so that nothing has to read the sentence for it. What people say is escaped so that none of it can pass
for a field, a tag, a link, a comment, HTML or a block id.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from operator import attrgetter

from vault.markdown import one_line
from world.sanitize import clean_line

_RANGE = re.compile(r"([1-9]\d{0,15})(?:[-–]([1-9]\d{0,15}))?")

KINDS = ("observed", "acted", "result", "thought", "dreamt", "told", "noted")
DEFAULT_IMPORTANCE = 3
MAX_NUMBER = 10**15 - 1
DAY_SECONDS = 86_400
DAY_MS = 1000 * DAY_SECONDS
_FIELDS = "importance|with|by|to|event|private"
_ESCAPED = re.compile(rf"[\\<]|\[(?=\[|(?:{_FIELDS})::)|%(?=%)|#(?=\w)|\^(?=m\d)")
_UNESCAPED = re.compile(r"\\([\\<\[%#^])")
_MACHINE = re.compile(
    r"- (?P<h>\d\d):(?P<m>\d\d):(?P<s>\d\d)\.(?P<ms>\d\d\d) (?P<kind>[a-z]+) · (?P<room>.*?) · (?P<text>.*)", re.DOTALL
)
_BLOCK_ID = re.compile(r"\s\^m([1-9]\d{0,14})\s*\Z", re.ASCII)
_NO_NUMBER = re.compile(r"(?:^|\s)(\^m\d{1,999})\s*\Z")
_TAIL = re.compile(
    r"(?:^|(?<=\s))(?:\[importance:: *(?P<importance>\d{1,9})\]|\[with:: *(?P<people>[^\]]*)\]"
    r"|\[by:: *(?P<by>[^\]]*)\]|\[to:: *(?P<to>[^\]]*)\]|\[event:: *(?P<event>[^\]]*)\]"
    r"|\[private:: *(?P<parties>[^\]]*)\]|#(?P<tag>pinned|refused))\s*\Z"
)
_TAIL_ENDS = ("]", "#pinned", "#refused")
_CLOCK = "- 00:00:00.000 "
_CONFLICT_MARKER = re.compile(r"(?:<{7}|\|{7}|={7}|>{7})(?: |$)")
_HAND = re.compile(r"\s*(?:[-*+]\s+)?(?:(?P<h>\d\d?):(?P<m>\d\d)(?::(?P<s>\d\d)(?:\.\d+)?)?\s+)?(?P<text>.*)")


@dataclass(frozen=True)
class Range:
    """The memories numbered from `first` to `last`, both included; empty if `last` comes before `first`."""

    first: int
    last: int

    def __len__(self) -> int:
        return max(0, self.last - self.first + 1)

    def __contains__(self, seq: object) -> bool:
        return isinstance(seq, int) and self.first <= seq <= self.last

    def __str__(self) -> str:
        return f"{self.first}–{self.last}" if len(self) > 1 else str(self.first) if len(self) else "none"


@dataclass(frozen=True)
class RangeSet:
    """A set of memory numbers, as ranges in ascending order with gaps between them."""

    ranges: tuple[Range, ...] = ()

    @classmethod
    def of(cls, *ranges: Range) -> RangeSet:
        """Return the union of some ranges."""
        merged: list[Range] = []
        for one in sorted((one for one in ranges if one), key=lambda one: one.first):
            if merged and one.first <= merged[-1].last + 1:
                merged[-1] = Range(merged[-1].first, max(one.last, merged[-1].last))
            else:
                merged.append(one)
        return cls(tuple(merged))

    @classmethod
    def of_numbers(cls, numbers: Iterable[int]) -> RangeSet:
        """Return the set of some numbers."""
        ranges: list[Range] = []
        first, last = 0, -1
        for number in sorted({*numbers}):
            if number != last + 1:
                ranges += [Range(first, last)] * (last > 0)
                first = number
            last = number
        return cls((*ranges, Range(first, last))) if last > 0 else cls()

    @classmethod
    def parse(cls, text: str) -> RangeSet:
        """Return the numbers of a text such as `1, 4-6`. Raises: ValueError."""
        found = [_RANGE.fullmatch(part.strip()) for part in text.split(",")]
        ranges = [Range(int(one[1]), int(one[2] or one[1])) for one in found if one]
        if len(ranges) < len(found) or not all(ranges):
            raise ValueError(f"{text!r} are no numbers of memories; expected something like 1, 4-6")
        return cls.of(*ranges)

    @property
    def first(self) -> int:
        """The lowest number; 1 if there is none."""
        return self.ranges[0].first if self.ranges else 1

    @property
    def last(self) -> int:
        """The highest number; 0 if there is none."""
        return self.ranges[-1].last if self.ranges else 0

    def __len__(self) -> int:
        return sum(map(len, self.ranges))

    def __contains__(self, seq: object) -> bool:
        return any(seq in one for one in self.ranges)

    def __or__(self, other: RangeSet) -> RangeSet:
        return RangeSet.of(*self.ranges, *other.ranges)

    def __sub__(self, other: RangeSet) -> RangeSet:
        left, holes = list[Range](), list(other.ranges)
        for one in self.ranges:
            start = one.first
            for hole in holes[bisect_left(holes, start, key=attrgetter("last")) :]:
                if hole.first > one.last:
                    break
                left.append(Range(start, hole.first - 1))
                start = hole.last + 1
            left.append(Range(start, one.last))
        return RangeSet.of(*left)

    def __str__(self) -> str:
        return ", ".join(map(str, self.ranges)) or "none"


NO_NUMBERS = RangeSet()


def partition_fault(parts: Sequence[RangeSet], whole: Range) -> str:
    """Return the fault if a memory of a range is in no part or in two; empty for a partition."""
    following = whole.first
    for one in sorted((one for part in parts for one in part.ranges), key=lambda one: one.first):
        if one.first < following:
            return f"memory {one.first} is in two parts, or before {whole.first}"
        if one.first > following:
            return f"memories {Range(following, one.first - 1)} are in no part"
        following = one.last + 1
    if following <= whole.last:
        return f"memories {Range(following, whole.last)} are in no part"
    return "" if following == whole.last + 1 else f"the parts go to memory {following - 1}, and there are {whole.last}"


@dataclass(frozen=True)
class Memory:
    """One thing that an agent perceived, did, heard or thought.

    `seq` is its number and its identity; `at_ms` is UTC, in milliseconds since 1970; `text` is one line.
    `importance` goes from 1 to 10. `refused` is so for the result of a command that was not done. `by` is who spoke or
    acted, `to` whom that was for, and `event` what it was, as `said` or `gave lantern`; each is empty where nobody or
    nothing is known. `parties` are those who know of words that were whispered or told; empty for what all may know.
    `note` is the name of the journal file that it was read from, as links have it.
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
    by: str = ""
    to: str = ""
    event: str = ""
    parties: tuple[str, ...] = ()
    note: str = field(default="", compare=False)

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
    if memory.people != ((memory.by,) if memory.by else ()):
        tail += f" [with:: {', '.join(memory.people)}]"
    fields = {"by": memory.by, "to": memory.to, "event": memory.event, "private": ", ".join(memory.parties)}
    tail += "".join(f" [{name}:: {value}]" for name, value in fields.items() if value)
    tail += " #refused" * memory.refused + " #pinned" * memory.pinned
    return f"- {clock}.{memory.at_ms % 1000:03} {memory.kind} · {memory.room} · {text}{tail} ^m{memory.seq}"


def seq_of(line: str) -> int:
    """Return the number of a journal line, or 0 if it has none."""
    block_id = _block_id(line)
    return int(block_id[1]) if block_id else 0


def without_number(line: str) -> str:
    """Return a journal line as it was before it was given its number."""
    block_id = _block_id(line)
    return line[: block_id.start()] if block_id else line


def clock_of(line: str) -> str:
    """Return the time of a line that the engine has written, as `20:35:01.123`; empty for one typed by hand."""
    machine = _MACHINE.match(line)
    return line[2:14] if machine and machine["kind"] in KINDS else ""


def is_conflict_marker(line: str) -> bool:
    """Return whether a line is one of those that git puts around two versions: they are no memories."""
    return bool(_CONFLICT_MARKER.match(line))


def invalid_number(line: str) -> str:
    """Return what stands where a line's number should and cannot be one, as `^m0` or one of 16 digits; else nothing."""
    found = None if seq_of(line) else _NO_NUMBER.search(line, max(0, line.rfind("^m") - 1))
    return found[1] if found else ""


def _block_id(line: str) -> re.Match[str] | None:
    # A million lines are read at a start without an index: the search begins where alone there can be one.
    return _BLOCK_ID.search(line, max(0, line.rfind("^m") - 1))


def parse_line(line: str, note: str) -> Memory | None:
    """Return the memory of a numbered line of a journal file, or None if the line has no number.

    `note` is the file's name, which begins with the day. A line that was reworded by hand keeps its number; what is no
    longer in the form is its text.
    """
    block_id = _block_id(line)
    if not block_id:
        return None
    return _parse(line[: block_id.start()], int(block_id[1]), note)


def is_memory_line(line: str) -> bool:
    """Return whether a line of a journal's body is a memory: not a heading, a comment, a conflict marker or blank."""
    text = line.strip()
    is_structure = text.startswith(("# ", "## ", "### ", "%%", "---")) or is_conflict_marker(text)
    return bool(text.strip("-*+# ")) and not is_structure


def is_truncated(line: str) -> bool:
    """Return whether a last line without its end and number may be the beginning of one that was being written."""
    clock, rest = re.sub("[0-9]", "0", line[: len(_CLOCK)]), line[len(_CLOCK) :]
    return _CLOCK.startswith(clock) and any(f"{kind} · ".startswith(rest[: len(kind) + 3]) for kind in KINDS)


def _parse(line: str, seq: int, note: str) -> Memory:
    machine = _MACHINE.fullmatch(line)
    if machine and machine["kind"] in KINDS:
        hours, minutes, seconds, milliseconds, kind, room, rest = machine.groups()
        clock, room = (int(hours), int(minutes), int(seconds), int(milliseconds)), clean_line(room)
    else:
        hand = _HAND.fullmatch(line)
        assert hand is not None  # every part of the pattern is optional
        clock = (int(hand["h"] or 0), int(hand["m"] or 0), int(hand["s"] or 0), 0)
        kind, room, rest = "noted", "", hand["text"]
    text, tails = _without_tails(rest)
    by = clean_line(tails.get("by", "")).strip()
    return Memory(
        seq,
        _at_ms(note[:10], clock),
        kind,
        room,
        one_line(_UNESCAPED.sub(r"\1", text) if "\\" in text else text),
        _names_in(tails.get("people", by)),
        min(10, max(1, int(tails.get("importance", DEFAULT_IMPORTANCE)))),
        "pinned" in tails,
        "refused" in tails,
        by,
        clean_line(tails.get("to", "")).strip(),
        clean_line(tails.get("event", "")).strip(),
        _names_in(tails.get("parties", "")),
        note,
    )


def _names_in(listed: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in clean_line(listed).split(",") if name.strip())


def _without_tails(text: str) -> tuple[str, dict[str, str]]:
    tails: dict[str, str] = {}
    if not text.rstrip().endswith(_TAIL_ENDS):
        return text, tails
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
