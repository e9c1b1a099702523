"""Numbers in English texts, in digits or in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_BELOW_TWENTY = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ODD_ORDINALS = {"first": 1, "second": 2, "third": 3, "fifth": 5, "eighth": 8, "ninth": 9, "twelfth": 12, "thrice": 3}
_SMALL = (
    {word: value for value, word in enumerate(_BELOW_TWENTY)}
    | {word: value * 10 for value, word in enumerate(_TENS, 2)}
    | {f"{word}th": value for value, word in enumerate(_BELOW_TWENTY)}
    | {f"{word[:-1]}ieth": value * 10 for value, word in enumerate(_TENS, 2)}
    | _ODD_ORDINALS
)
_MULTIPLIERS = {"dozen": 12, "hundred": 100, "hundredth": 100, "thousand": 1000, "million": 1_000_000}

NUMBER_WORDS = frozenset(_SMALL) | frozenset(_MULTIPLIERS)

_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_LIST_MARK = re.compile(r"^[ \t]*\d{1,3}[.)](?=\s)", re.MULTILINE)


@dataclass(frozen=True)
class Numeral:
    """A number in a text, from `start` to `end`. `parts` are its own numbers, as in the time `11:30`."""

    value: str
    parts: tuple[str, ...]
    start: int
    end: int


def numerals(folded: str) -> Iterator[Numeral]:
    """Yield the numbers of a text in lower case, in order; marks of numbered lists are none."""
    spelled = _Spelled()
    for token in _TOKEN.finditer(_LIST_MARK.sub(lambda mark: " " * len(mark[0]), folded)):
        word = token[0]
        if word in NUMBER_WORDS:
            if not spelled.takes(word, folded[spelled.end : token.start()]):
                yield from spelled.done()
            spelled.add(word, token.start(), token.end())
        elif spelled.start >= 0 and not (word == "and" and spelled.after_multiplier):
            yield from spelled.done()
        if not word[0].isalpha():
            yield _in_digits(word, token.start(), token.end())
    yield from spelled.done()


def _in_digits(text: str, start: int, end: int) -> Numeral:
    if _THOUSANDS.fullmatch(text):
        text = text.replace(",", "")
    parts = tuple(map(_plain, re.split("[.,:]", text)))
    decimal = text.count(".") == 1 and "," not in text and ":" not in text
    if decimal and not re.search(r"\.[0-5]\d$", text):
        return Numeral(_plain(text).rstrip("0").rstrip("."), (), start, end)
    if decimal:  # 2.50 and 14.20: money, a measure or a time
        return Numeral(_plain(text).replace(".", ":"), (), start, end)
    return Numeral(_plain(text), parts if len(parts) > 1 else (), start, end)


def _plain(digits: str) -> str:
    """Return digits in ASCII without leading zeros; they may be too many for an int."""
    if not digits.isascii():
        digits = "".join(str(int(c)) if c.isdigit() else c for c in digits)
    stripped = digits.lstrip("0")
    return stripped if stripped[:1].isdigit() else f"0{stripped}"


class _Spelled:
    """A number in words while it is being read: `two hundred and fifty-one`."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self.thousands, self.rest, self.start, self.end = 0, 0, -1, 0
        self.after_multiplier = False

    def takes(self, word: str, gap: str) -> bool:
        """Return whether `word` goes on with this number, `gap` being the text between."""
        if self.start < 0 or not (gap in (" ", "-") or (self.after_multiplier and gap == " and ")):
            return False
        if word in _MULTIPLIERS:
            return self.rest > 0
        if self.after_multiplier:
            return _SMALL[word] > 0
        return self.rest % 100 >= 20 and self.rest % 10 == 0 and 0 < _SMALL[word] < 10

    def add(self, word: str, start: int, end: int) -> None:
        """Take in a number word."""
        if self.start < 0:
            self.start = start
        self.end = end
        multiplier = _MULTIPLIERS.get(word, 0)
        if multiplier >= 1000:
            self.thousands += max(1, self.rest) * multiplier
            self.rest = 0
        elif multiplier:
            self.rest = max(1, self.rest) * multiplier
        else:
            self.rest += _SMALL[word]
        self.after_multiplier = multiplier > 0

    def done(self) -> Iterator[Numeral]:
        """Yield the number if there is one, and be ready for the next."""
        if self.start >= 0:
            yield Numeral(str(self.thousands + self.rest), (), self.start, self.end)
        self._clear()
