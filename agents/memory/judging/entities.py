"""Names and numbers: the ones that a text has, and whether its sources bear them out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations

from agents.memory.english import FUNCTION_WORDS, TIMES, is_english
from agents.memory.numerals import NUMBER_WORDS, Numeral, numerals
from vault.memory.memory_line import Memory

# Ordinary prose is full of these, counting nothing: "one of them", "at first", "the two of us", "a second".
UNCOUNTED = frozenset({"0", "1", "2"})
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_INSIDE = re.compile(r"(?<=[\w,;] )[^\W\d_a-z][^\W_]*(?:['-][^\W_]+)*")
_STRAIGHT = str.maketrans("’‘ʼ´‐‑", "''''--")
_CONTRACTION = re.compile(r"(?:n't|'(?:s|m|d|t|ve|ll|re|s'))$")
_SENTENCE_START = re.compile(r"(?:^|[.!?:…—\n]|,\s?[\"“„«])[\s\"'“”„«»()\[\]*_#>•–-]*\Z")
_MOST_SUMMED, _MIN_SUMMED = 4, 10
"""Maximum count of numbers in a text that is checked for sums, and minimum size of the largest of them."""

_DIGITS = re.compile("[0-9]{1,5}")
_OPENING = 24
_LONGEST_TITLE = 60
_NICKNAME = 3
"""Minimum number of letters of a short form of a name, unless only one is missing."""

_ABBREVIATED = re.compile(r"(?<![\w'])(?:mr|mrs|ms|dr|st|prof|rev|capt|[a-z])\.\s*\Z", re.IGNORECASE)
_PERSONAL = frozenset(
    """
    has talks talked speaks spoke says said tells told gives gave asks asked takes took whispers whispered
    promises promised brings brought hands handed offers offered shows showed sells sold sends sent wants wanted
    thanks thanked answers answered replies replied nods nodded smiles smiled laughs laughed waves waved agrees
    agreed refuses refused
    """.split()
)
"""Verbs of people: if one of these follows the first word of a sentence, that word is a name."""

_COMMON_STARTS = frozenset("people children nobody folk men women strangers visitors guests rumour rumours".split())
_MOST_CAPITALS = 0.3
"""The share of words inside sentences with a capital, above which the language capitalises its nouns."""

_STEP = 4000
"""Characters read in one step."""

_TWELVE = frozenset({"noon", "midday", "midnight"})
_GENERIC = re.compile(
    r"\s+(?:[a-z]+\s+)?(?:things?|matters|points|ways|reasons|topics|words|thoughts|one|"
    r"visits|visitors|guests|errands|gifts|stops|meetings|talks|items|of (?:us|them))\b"
)


@dataclass(frozen=True)
class Mention:
    """A name or number as it was written, and whether anything bears it out."""

    written: str
    is_number: bool
    supported: bool


def plain(text: str) -> str:
    """Return text in one spelling: compatibility forms resolved, straight apostrophes and hyphens."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text).translate(_STRAIGHT)


def folded(text: str) -> str:
    """Return `plain` text without case and without accents, for comparing."""
    text = text.casefold()
    if text.isascii():
        return text
    bare = (c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    return unicodedata.normalize("NFC", "".join(bare))


class Support:
    """All names and numbers that a summary may use.

    These are the words of the sources, the days and minutes of the memories, and what is counted in them: the
    memories, their days, the people and the rooms. Nothing is read at first: `read_on` reads step by step, so that
    others can go on in between.
    """

    def __init__(self, memories: Iterable[Memory], texts: Iterable[str], names: Iterable[str]) -> None:
        memories = tuple(memories)
        people = {person for memory in memories for person in memory.people}
        rooms = {memory.room for memory in memories if memory.room}
        days = {memory.at_ms // 86_400_000 for memory in memories}
        self._people = words_of(" ".join(people))
        self._told = [memory.text for memory in memories]
        self._lines = [*self._told, *texts, *people, *rooms, *names]
        self._read = 0
        self._words = set[str]()
        self._numbers = {*UNCOUNTED, *(str(len(counted)) for counted in (memories, days, people, rooms))}
        self._add_times(memories)

    def read_on(self) -> Iterator[None]:
        """Read the lines that are not read yet, and yield whenever a few thousand characters are read."""
        size = 0
        while self._read < len(self._lines):
            line = folded(plain(self._lines[self._read]))
            words = _vocabulary(line)
            self._words |= words
            for numeral in numerals(line):
                self._numbers.update((numeral.value, *numeral.parts))
            self._numbers |= derived_numbers(self._told[self._read : self._read + 1])
            if words & _TWELVE:
                self._numbers.add("12")
            self._read += 1
            size += len(line)
            if size >= _STEP:
                size = 0
                yield

    def _add_times(self, memories: tuple[Memory, ...]) -> None:
        for minute in {memory.at_ms // 60_000 for memory in memories}:
            self._numbers.add(f"{minute // 60 % 24}:{minute % 60:02}")
        for day in {memory.at_ms // 86_400_000 for memory in memories}:
            moment = datetime.fromtimestamp(day * 86_400, UTC)
            self._words.update((moment.strftime("%A").lower(), moment.strftime("%B").lower()))
            self._numbers.update((str(moment.day), str(moment.month), str(moment.year)))

    def has_name(self, word: str) -> bool:
        """Return whether a word, `folded`, is in a source, if only in another number or in its parts."""
        if word in self._words or f"{word}s" in self._words or word.removesuffix("s") in self._words:
            return True
        parts = re.split("[-']", word)
        if len(word) >= _NICKNAME and any(name.startswith(word) and len(name) - len(word) > 1 for name in self._people):
            return True
        return len(parts) > 1 and all(p in self._words or p in FUNCTION_WORDS or p in NUMBER_WORDS for p in parts)

    def has_number(self, numeral: Numeral) -> bool:
        """Return whether a number is in a source, whole or, as with times, part by part."""
        return numeral.value in self._numbers or (
            bool(numeral.parts) and all(part in self._numbers for part in numeral.parts)
        )


def derived_numbers(texts: Iterable[str]) -> set[str]:
    """Return the sums and differences of two numbers of one text: 8 are missing where 22 are there of 30."""
    found = set[str]()
    for text in texts:
        values = {int(one.value) for one in numerals(folded(text)) if _DIGITS.fullmatch(one.value)}
        if 1 < len(values) <= _MOST_SUMMED and max(values) >= _MIN_SUMMED:
            found |= {str(value) for one, other in combinations(values, 2) for value in (one + other, abs(one - other))}
    return found


def mentions(text: str, support: Support) -> list[Mention]:
    """Return the names and numbers of a text in their order, each spelling once, names first."""
    for _ in support.read_on():
        pass
    text = plain(text)
    found = {word: Mention(word, False, support.has_name(_bare(word))) for word in names(text)}
    lowered = text.lower()
    for numeral in numerals(lowered):
        if numeral.value not in UNCOUNTED and not _GENERIC.match(lowered, numeral.end):
            written = lowered[numeral.start : numeral.end]
            found[written] = Mention(written, True, support.has_number(numeral))
    return list(found.values())


def names(text: str) -> Iterator[str]:
    """Yield every word of a `plain` text that reads as a name.

    Inside a sentence that is every word with a capital. The first word of a sentence, or of a title, is a name only if
    something is somebody's by it, or it does what people do. Single letters and numbers are none, nor are the nouns of
    a language that writes nouns with a capital.
    """
    found = [match for match in _WORD.finditer(text) if any(c.isupper() or c.istitle() for c in match[0])]
    starts = [_begins_sentence(text, match.start()) or _is_in_title(text, match.start()) for match in found]
    if sum(not start for start in starts) > _MOST_CAPITALS * text.count(" ") and not is_english(
        _WORD.findall(folded(text))
    ):
        return
    for match, starts_sentence in zip(found, starts, strict=True):
        bare = _bare(match[0])
        if sum(c.isalpha() for c in bare) < 2 or _is_common(bare):
            continue
        if not starts_sentence or _names_somebody(text, match, bare):
            yield match[0]


def _names_somebody(text: str, match: re.Match[str], bare: str) -> bool:
    """Return whether the first word of a sentence names somebody, by the words behind it."""
    if bare in TIMES or bare in _COMMON_STARTS or bare.endswith("ly"):
        return False
    if folded(match[0]).endswith(("'s", "s'")):
        return True
    behind = _WORD.search(text, match.end(), match.end() + _OPENING)
    if behind is None or text[match.end() : behind.start()] != " ":
        return False
    if behind[0] == "and":
        other = _WORD.search(text, behind.end(), behind.end() + _OPENING)
        return other is not None and other[0][0].isupper() and _bare(other[0]) not in FUNCTION_WORDS
    return behind[0] in _PERSONAL


def _is_in_title(text: str, start: int) -> bool:
    """Return whether a word is in a line in which all longer words have capitals, as in `# What I Saw`."""
    begin, end = text.rfind("\n", 0, start) + 1, text.find("\n", start)
    line = text[begin : end if end >= 0 else len(text)][: _LONGEST_TITLE + 1]
    if len(line) > _LONGEST_TITLE or line.rstrip(" *#_:").endswith((".", "!", "?")):
        return False
    words = [word for word in _WORD.findall(line) if len(word) > 3]
    return len(words) > 1 and all(word[0].isupper() for word in words)


def entities(text: str, people: Iterable[str]) -> set[str]:
    """Return, `folded`, the people and every name inside a sentence of a text."""
    inside = {_bare(word) for word in _INSIDE.findall(plain(text)) if word[0].isupper()}
    return {word for word in words_of(" ".join(people)) | inside if len(word) > 1 and not _is_common(word)}


def words_of(text: str) -> set[str]:
    """Return the words of a text, `folded`, with their parts and without possessive endings."""
    return _vocabulary(folded(plain(text)))


def _vocabulary(text: str) -> set[str]:
    whole = set(_WORD.findall(text))
    compound = [word for word in whole if "-" in word or "'" in word]
    whole.update(_CONTRACTION.sub("", word) for word in compound)
    whole.update(part for word in compound for part in re.split("[-']", word) if len(part) > 1)
    return whole


def _bare(word: str) -> str:
    word = folded(word)
    while (shorter := _CONTRACTION.sub("", word)) != word:
        word = shorter
    return word


def _is_common(bare: str) -> bool:
    return all(part in FUNCTION_WORDS or part in NUMBER_WORDS for part in bare.split("-"))


def _begins_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - _OPENING) : start]
    if _ABBREVIATED.search(before):
        return False
    return bool(_SENTENCE_START.search(before)) if start else True
