"""Merges a journal file with the copy of what was last known to be in it, so that no line of either is lost.

Lines missing at the end are restored. Lines that are missing before others that stand were taken out by hand.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from os import stat_result

from vault.memory.memory_line import (
    MAX_NUMBER,
    NO_NUMBERS,
    RangeSet,
    clock_of,
    is_conflict_marker,
    is_memory_line,
    is_truncated,
    parse_line,
    seq_of,
    without_number,
)
from vault.memory.segment import Segment, decode, encode, split_head

_HEAD_LINES = ("---", "agent: ", "day: ", "first: ", "---")
_FIRST = re.compile(r"^first: (\d{1,15})$", re.MULTILINE)
_UNDECODED = "".join(map(chr, range(0xDC80, 0xDD00))) + "\ufffd"


@dataclass
class MergedFile:
    """A journal file after a merge: its front matter, and its lines with the number of each.

    A line that is no memory, or a second one of a number, has the number 0. `restored` are the numbers of the lines
    taken from the copy, `removed` of those taken out by hand, `renumbered` the numbers that another memory had.
    `torn` is what is no whole line and belongs into quarantine.
    """

    head: str
    lines: list[str] = field(default_factory=list)
    seqs: list[int] = field(default_factory=list)
    unnumbered: list[int] = field(default_factory=list)
    restored: list[int] = field(default_factory=list)
    removed: list[int] = field(default_factory=list)
    renumbered: list[int] = field(default_factory=list)
    torn: list[bytes] = field(default_factory=list)
    in_order: bool = True

    @property
    def raw(self) -> bytes:
        """The content of the file."""
        return encode(self.head + "".join(f"{line}\n" for line in self.lines))

    @property
    def first_marker(self) -> int:
        """The number of the first line in the file that is a conflict marker of git; 0 if there is none."""
        places = (
            place for place, seq in enumerate(self.seqs, 1) if not seq and is_conflict_marker(self.lines[place - 1])
        )
        return next((self.head.count("\n") + place for place in places), 0)

    def insert(self, at: int, back: dict[int, str], carried: dict[int, int]) -> None:
        """Insert lines to restore, by their places in the copy, in the order of the copy."""
        groups: dict[int, list[str]] = {}
        for place in sorted({*back, *carried}):
            if place in carried:
                at = max(at, carried[place] + 1)
            else:
                groups.setdefault(at, []).append(back[place])
        for at, lines in sorted(groups.items(), reverse=True):
            seqs = [seq_of(line) for line in lines]
            self.lines[at:at], self.seqs[at:at] = lines, seqs
            self.restored += [seq for seq in seqs if seq]
            self.unnumbered = [place + len(lines) * (place >= at) for place in self.unnumbered]
            typed = [not seq_of(line) and is_memory_line(line) for line in lines]
            self.unnumbered += [place for place, is_typed in enumerate(typed, at) if is_typed]
            self.unnumbered.sort()

    def number(self, next_seq: int) -> list[str]:
        """Give numbers to the lines that have none, where they stand; return them as they were."""
        typed = [self.lines[place] for place in self.unnumbered[: MAX_NUMBER - next_seq + 1]]
        for place, (at, line) in enumerate(zip(self.unnumbered, typed, strict=False)):
            self.lines[at], self.seqs[at] = f"{line.rstrip()} ^m{next_seq + place}", next_seq + place
        del self.unnumbered[: len(typed)]
        return typed

    def segment(self, name: str, found: stat_result) -> Segment:
        """Return the row of the file for the index."""
        seqs = [seq for seq in self.seqs if seq]
        in_order = self.in_order and all(map(int.__lt__, seqs, seqs[1:]))
        pinned = [
            seq
            for seq, line in zip(self.seqs, self.lines, strict=True)
            if seq and "#pinned" in line and (memory := parse_line(line, name[:10])) and memory.pinned
        ]
        segment = Segment(name, size=found.st_size, mtime_ns=found.st_mtime_ns, in_order=in_order, pinned=tuple(pinned))
        for seq in sorted(seqs):
            segment.add(seq)
        return segment


def merge(disk: bytes, copy: bytes = b"", elsewhere: RangeSet = NO_NUMBERS, written: bytes = b"") -> MergedFile:
    """Merge the bytes of a file with its copy.

    `elsewhere` are the numbers in other files: they are not missing. `written` is a line of ours that somebody else's
    write has met: what is left of it at the end of the file is no line of theirs.
    """
    disk = _without_end(disk, written)
    text, known = decode(disk), decode(copy)
    known_head, known_body = split_head(known)
    if known.startswith(text):
        text = known[: max(text.rfind("\n") + 1, len(known) - len(known_body))]
    head, body = split_head(text)
    merged = MergedFile(head if head.endswith("\n") or not head else f"{head}\n")
    if not head and _is_torn_head(body):
        merged.torn, body = [disk], ""
    same = body[: known_body.rfind("\n", 0, _shared_length(body, known_body)) + 1] if head == known_head else ""
    *whole, tail = body.split("\n")
    numbered = _take(merged, whole)
    rest = [(seq_of(line), line) for line in known_body[len(same) :].split("\n")]
    copied = [(seq, line) for seq, line in rest if seq < MAX_NUMBER and seq not in elsewhere]
    _take_end(merged, tail, numbered, copied)
    is_emptied = bool(known_head) and not head  # an editor had emptied it, so that nothing was taken out on purpose
    merged.head = merged.head or known_head
    last = _last_found(merged, numbered, copied)
    missing = _missing(merged, numbered, copied[:-1], last, comments=known.startswith(text))
    carried = _carry_over(merged, missing)
    merged.removed = [seq_of(line) for place, line in missing.items() if place <= last and not is_emptied]
    back = {place: line for place, line in missing.items() if place > last or is_emptied}
    first = min((seq for line in back.values() if (seq := seq_of(line))), default=0)
    at = max((place + 1 for seq, place in numbered.items() if seq < first), default=0)
    merged.insert(max(at, same.count("\n")), back, carried)
    return merged


def _take(merged: MergedFile, lines: list[str]) -> dict[int, int]:
    """Take in whole lines of the file on disk; return the place of each number."""
    places: dict[int, int] = {}
    for line in lines:
        seq = seq_of(line)
        if seq in places:
            first = merged.lines[places[seq]]
            if line == first:
                continue  # the same line twice
            merged.in_order = False
            if _is_other(line, first):
                merged.renumbered.append(seq)
                line, seq = without_number(line), 0
        elif seq:
            places[seq] = len(merged.lines)
        _add(merged, line, seq if places.get(seq) == len(merged.lines) else 0)
    return places


def _add(merged: MergedFile, line: str, seq: int) -> None:
    if not seq and is_memory_line(line) and not seq_of(line):
        merged.unnumbered.append(len(merged.lines))
    merged.lines.append(line)
    merged.seqs.append(seq)


def _take_end(merged: MergedFile, tail: str, places: dict[int, int], copied: list[tuple[int, str]]) -> None:
    """Take in a last line without its end, unless it is the beginning of one that is restored whole, or torn."""
    if not tail or any(line.startswith(tail) and line != tail and seq and seq not in places for seq, line in copied):
        return
    whole = tail.rstrip(_UNDECODED)
    seq, expected = seq_of(whole), max(places, default=0) + 1
    first = _FIRST.search(merged.head)
    if seq:  # of ^m129 there may be no more than ^m12, which is another's number
        in_place = seq not in places and seq >= int(first[1] if first else 1)
        is_torn = seq != expected and (not in_place or str(expected).startswith(str(seq)))
    else:
        is_torn = is_truncated(whole) or "\0" in tail  # zeros are what a power cut leaves of a file that had grown
    if is_torn:
        merged.torn.append(encode(tail))
        return
    if seq and seq not in places:
        places[seq] = len(merged.lines)
    _add(merged, tail, seq if places.get(seq) == len(merged.lines) else 0)


def _last_found(merged: MergedFile, places: dict[int, int], copied: list[tuple[int, str]]) -> int:
    """Return the place in the copy of the last line that the file on disk has too; -1 if there is none."""
    rows = [(place, line, merged.lines[places[seq]]) for place, (seq, line) in enumerate(copied) if seq in places]
    return max((place for place, line, found in rows if not _is_other(found, line)), default=-1)


def _missing(
    merged: MergedFile, places: dict[int, int], copied: list[tuple[int, str]], last: int, comments: bool
) -> dict[int, str]:
    """Return the lines that the file on disk does not have, by their places in the copy.

    A line of another memory, or half of one, loses its number to the line that had it. With `comments` lines without a
    number count at the end.
    """
    missing: dict[int, str] = {}
    for place, (seq, line) in enumerate(copied):
        if not seq or seq not in places:
            missing |= {place: line} if seq or (comments and place > last) else {}
        elif place > last or _is_half(merged.lines[places[seq]], line):
            _take_back_number(merged, places[seq], seq, _is_half(merged.lines[places[seq]], line))
            missing[place] = line
    return missing


def _take_back_number(merged: MergedFile, place: int, seq: int, is_half: bool) -> None:
    """Take a number from a line that is another memory, to be given the next; what is half a line goes."""
    line = merged.lines[place]
    merged.lines[place], merged.seqs[place] = without_number(line), 0
    if is_half:
        merged.torn.append(encode(line))
        merged.lines[place] = ""
    else:
        merged.renumbered.append(seq)
        merged.unnumbered.append(place)
        merged.unnumbered.sort()


def _carry_over(merged: MergedFile, missing: dict[int, str]) -> dict[int, int]:
    """Give lines that an editor has saved without their numbers, or typed on since, the numbers that they had.

    They are missing no more. Return their places by those that they have in the copy.
    """
    carried: dict[int, int] = {}
    had = {without_number(line).strip(): place for place, line in missing.items() if seq_of(line)}
    typed = [text for text, place in had.items() if not clock_of(missing[place])]
    for at in list(merged.unnumbered) if had else ():
        text = merged.lines[at].strip()
        longer = (before for before in typed if before in had and text.startswith(before))
        before = text if text in had else max(longer, key=len, default="")
        if before:
            place = had.pop(before)
            carried[place], seq = at, seq_of(missing.pop(place))
            merged.lines[at], merged.seqs[at] = f"{merged.lines[at].rstrip()} ^m{seq}", seq
            merged.unnumbered.remove(at)
    return carried


def _is_other(found: str, known: str) -> bool:
    """Return whether a line is another memory than the one known by its number: one that was reworded keeps its time.

    The time may be gone with the rest of the line, but a line typed by hand gets none.
    """
    clock = clock_of(found)
    return bool(clock) and clock != clock_of(known)


def _is_half(found: str, line: str) -> bool:
    """Return whether a line is the end of another, from the middle of a word on: an editor wrote over its beginning."""
    before = line[: -len(found)]
    return bool(found) and line != found and line.endswith(found) and before[-1:].isalnum() and found[0].isalnum()


def _is_torn_head(text: str) -> bool:
    *whole, last = text.split("\n")
    if not text or len(whole) >= len(_HEAD_LINES):
        return False
    wanted = _HEAD_LINES[len(whole)]
    begun = all(line.startswith(start) for line, start in zip(whole, _HEAD_LINES, strict=False))
    return begun and (last.startswith(wanted) or wanted.startswith(last))


def _without_end(disk: bytes, written: bytes) -> bytes:
    """Return a file without what is left at its end of a line, if that is its number at least."""
    least = len(written) - written.rfind(b" ^m") if b" ^m" in written else len(written) + 1
    lengths = (length for length in range(len(written), least - 1, -1) if disk.endswith(written[-length:]))
    return disk[: len(disk) - next(lengths, 0)]


def _shared_length(one: str, other: str) -> int:
    differs: Callable[[int], bool] = lambda length: one[: length + 1] != other[: length + 1]  # noqa: E731
    return bisect_left(range(min(len(one), len(other))), True, key=differs)
