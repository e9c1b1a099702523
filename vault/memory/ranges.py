"""Numbers of memories: ranges, sets of them, and whether some sets are a partition."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_RANGE = re.compile(r"([1-9]\d{0,15})(?:[-–]([1-9]\d{0,15}))?")


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
        return cls.of(*(Range(one, one) for one in numbers))

    @classmethod
    def parse(cls, text: str) -> RangeSet:
        """Return what `1, 4-6` stands for. Raises: ValueError."""
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

    def __str__(self) -> str:
        return ", ".join(map(str, self.ranges)) or "none"


def partition_fault(parts: Sequence[RangeSet], whole: Range) -> str:
    """Return which memories of a range are missing from all parts or in two of them; empty for a partition."""
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
