"""Names and numbers: which of them a text claims, and which of those its sources bear out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from agents.memory.judging.common_words import COMMON_WORDS
from agents.memory.judging.numerals import NUMBER_WORDS, Numeral, numerals
from vault.remembered.memory_line import Memory

# Ordinary prose is full of these, counting nothing: "one of them", "at first", "the two of us", "a second".
UNCOUNTED = frozenset({"0", "1", "2"})

_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_INSIDE = re.compile(r"(?<=[\w,;] )[^\W\d_a-z][^\W_]*(?:['-][^\W_]+)*")
_STRAIGHT = str.maketrans("’‘ʼ´‐‑", "''''--")
_CONTRACTION = re.compile(r"(?:n't|'(?:s|m|d|t|ve|ll|re|s'))$")
_SENTENCE_START = re.compile(r"(?:^|[.!?:…—\n]|,\s?[\"“„«])[\s\"'“”„«»()\[\]*_#>•–-]*\Z")
_OPENING = 24
_ABBREVIATED = re.compile(r"\b(?:mr|mrs|ms|dr|st|prof|rev|capt|[a-z])\.\s*\Z", re.IGNORECASE)
_VERBAL = re.compile(r".{3,}(?:ing|ed)|.{4,}[^r]ly|.{4,}(?:ness|tion|ment|less|ful|ous|able|ity)")
_FINITE = frozenset("is was has had says said tells told gives gave asks asked came comes went goes took takes".split())
_GENERIC = re.compile(r"\s+(?:[a-z]+\s+)?(?:things?|matters|points|ways|reasons|topics|words|thoughts)\b")


@dataclass(frozen=True)
class Claim:
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
    memories, their days, the people and the rooms.
    """

    def __init__(self, memories: Iterable[Memory], texts: Iterable[str], names: Iterable[str]) -> None:
        memories = tuple(memories)
        people = {person for memory in memories for person in memory.people}
        rooms = {memory.room for memory in memories if memory.room}
        told = "\n".join([*(memory.text for memory in memories), *texts, *people, *rooms, *names])
        self._text = folded(plain(told))
        self._words = _vocabulary(self._text)
        self._numbers = set(UNCOUNTED)
        for numeral in numerals(self._text):
            self._numbers.update((numeral.value, *numeral.parts))
        self._add_times(memories)
        days = {memory.at_ms // 86_400_000 for memory in memories}
        self._numbers.update(str(len(counted)) for counted in (memories, days, people, rooms))

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
        return len(parts) > 1 and all(p in self._words or p in COMMON_WORDS or p in NUMBER_WORDS for p in parts)

    def has_number(self, numeral: Numeral) -> bool:
        """Return whether a number is in a source, whole or, as with times, part by part."""
        return numeral.value in self._numbers or (
            bool(numeral.parts) and all(part in self._numbers for part in numeral.parts)
        )


def claims(text: str, support: Support) -> list[Claim]:
    """Return the names and numbers of a text in their order, each spelling once, names first."""
    text = plain(text)
    found = {word: Claim(word, False, support.has_name(_bare(word))) for word in names(text)}
    lowered = text.lower()
    for numeral in numerals(lowered):
        if numeral.value not in UNCOUNTED and not _GENERIC.match(lowered, numeral.end):
            written = lowered[numeral.start : numeral.end]
            found[written] = Claim(written, True, support.has_number(numeral))
    return list(found.values())


def names(text: str) -> Iterator[str]:
    """Yield every word of a `plain` text that reads as a name.

    That is: it has a capital, is no ordinary word that begins a sentence, no number and no single letter.
    """
    for match in _WORD.finditer(text):
        word = match[0]
        if word == word.lower() or not any(c.isupper() or c.istitle() for c in word):
            continue
        bare = _bare(word)
        if sum(c.isalpha() for c in bare) < 2 or _is_common(bare):
            continue
        if not (_VERBAL.fullmatch(bare) and _begins_sentence(text, match.start()) and not _acts(text, match.end())):
            yield word


def entities(text: str, people: Iterable[str]) -> set[str]:
    """Return, `folded`, the people and every name that stands inside a sentence of a text."""
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
    if bare in COMMON_WORDS or bare in NUMBER_WORDS:
        return True
    return "-" in bare and all(part in COMMON_WORDS or part in NUMBER_WORDS for part in bare.split("-"))


def _begins_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - _OPENING) : start]
    if _ABBREVIATED.search(before):
        return False
    return bool(_SENTENCE_START.search(before)) if start else True


def _acts(text: str, end: int) -> bool:
    following = _WORD.match(text, end + 1)
    return following is not None and (
        text[end] == "'" or following[0].lower() in _FINITE or following[0].endswith("ed")
    )
