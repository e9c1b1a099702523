"""Text as tokens, and sentences of tokens: words, names of one or several words, places, numbers and marks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from agents.memory.english import FUNCTION_WORDS, TIMES, TITLES, stem
from agents.memory.judging.entities import folded, plain
from agents.memory.numerals import numerals

NAME, PLACE, NUMBER, WORD, MARK = "name", "place", "number", "word", "mark"
_TOKEN = re.compile(
    r"\d+(?:[.,:]\d+)*(?:st|nd|rd|th)?|[^\W\d_]+\d*(?:['-][^\W_]+)*|[.!?…;:()—–\n,\"“”«»]|(?<=\s)-(?=\s)"
)
_ABBREVIATION = frozenset({"mr", "mrs", "ms", "dr", "st", "prof", "capt"})
_SENTENCE_MARKS = frozenset(".!?…\n")
_QUOTED = re.compile(r'"[^"\n]*"|“[^“”\n]*”|«[^«»\n]*»')
_QUOTES = frozenset('"“”«»')
_MOST_WORDS = 6
_MOST_ALIKE = 16
_LONGEST_SENTENCE = 80
_NO_NAMES = FUNCTION_WORDS | TITLES | TIMES
_NO_COUNT = frozenset({"one", "first", "second", "once"})
_CAPITAL = r"[^\W\d_a-z][^\W\d_]+\d*(?:['-][^\W_]+)*"
_FULL_NAME = re.compile(
    rf"(?:(?<=[\w,;] )|(?<=Mr\. )|(?<=Mrs\. )|(?<=Ms\. )|(?<=Dr\. )|(?<=St\. )){_CAPITAL}(?: {_CAPITAL}){{0,3}}"
)


@dataclass(frozen=True)
class Token:
    """A word, or a name or place of several words, as it is written.

    `word` is folded and without an ending of possession, `value` what it means: a name, a number, or a stem.
    `start` is where it begins in the text.
    """

    written: str
    word: str
    kind: str
    value: str
    owns: bool = False
    start: int = 0


SEPARATOR = Token(",", ",", MARK, ",")


class Gazetteer:
    """The names of a source: people, places, and all words that it writes with a capital inside a sentence.

    `called` gives the people by other names that they have told, as a guest does.
    """

    def __init__(
        self,
        people: Iterable[str],
        places: Iterable[str],
        texts: Sequence[str],
        called: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._known: dict[str, list[tuple[tuple[str, ...], str, str]]] = {}
        self._canonical: dict[str, str] = {}
        for place in places:
            words = tuple(folded(plain(place)).split())
            for phrase in {words, words[1:] if words[:1] == ("the",) else words}:
                self._add(phrase, PLACE, place)
        for person in people:
            if parts := _capitalised(plain(person)):
                self._canonical[person] = " ".join(parts)
                self._add_name(parts, self._canonical[person])
        self.people = frozenset(self._canonical.values())
        for name, person in called.items():
            self._add_name([name], self._canonical.get(person, ""))
        for text in texts:
            for match in _FULL_NAME.finditer(plain(text)):
                self._add_name(_capitalised(match[0].removesuffix("'s")), "")

    def canonical(self, person: str) -> str | None:
        """Return the name of a person as clauses have it, or None if it is no name, as `the girl` is none."""
        return self._canonical.get(person)

    def _add_name(self, parts: list[str], name: str) -> None:
        """Take up a name: in full, and by each of its words that is not a part of somebody else's."""
        words = [folded(part) for part in parts]
        known = (row[2] for word in words for row in self._known.get(word, [])[:1] if row[1] == NAME)
        name = name or next(known, parts[-1] if parts else "")
        if len(words) > 1:
            self._add(tuple(words), NAME, name)
        for word in words:
            is_own = all(row[2] == name and row[1] == NAME for row in self._known.get(word, ()))
            if word not in _NO_NAMES and is_own:
                self._add((word,), NAME, name)

    def _add(self, phrase: tuple[str, ...], kind: str, name: str) -> None:
        if phrase and len(phrase) <= _MOST_WORDS:
            rows = self._known.setdefault(phrase[0], [])
            if len(rows) < _MOST_ALIKE and all(row[0] != phrase for row in rows):
                rows.append((phrase, kind, name))
                rows.sort(key=lambda row: -len(row[0]))

    def tokens(self, text: str) -> list[Token]:
        """Return the words, names, places, numbers and marks of a `plain` text."""
        matches = list(_TOKEN.finditer(text))
        raw = [match[0] for match in matches]
        words = [folded(one) for one in raw]
        spelled = _spelled(text, [match.start() for match in matches])
        found: list[Token] = []
        at = 0
        while at < len(raw):
            if at in spelled:
                count, value = spelled[at]
                token = Token(" ".join(raw[at : at + count]), words[at], NUMBER, value)
            else:
                token, count = self._token(raw, words, at)
            token = replace(token, start=matches[at].start())
            before = found[-1] if found else None
            if token.kind == NAME and before and before.kind == NAME and not before.owns:
                known = before.value if before.word in self._known else token.value
                found[-1] = replace(before, written=f"{before.written} {token.written}", value=known, owns=token.owns)
            else:
                found.append(token)
            at += count
        return found

    def _token(self, raw: list[str], words: list[str], at: int) -> tuple[Token, int]:
        written, word = raw[at], words[at]
        owns = word.endswith(("'s", "s'"))
        bare = word.removesuffix("'s").removesuffix("'")
        if not word[0].isalnum():
            return Token(written, word, MARK, word), 1
        if written[0].isupper():
            for phrase, kind, name in self._known.get(bare, ()) or self._known.get(word, ()):
                claim = words[at : at + len(phrase)]
                is_whole = len(claim) == len(phrase)
                if is_whole and kind == PLACE and name[0].isupper() and raw[at + len(claim) - 1].islower():
                    continue  # the mill, though there is a room called The Mill
                if claim and claim[-1].removesuffix("'s") == phrase[-1] and tuple(claim[:-1]) == phrase[:-1]:
                    full = " ".join(raw[at : at + len(phrase)])
                    return Token(full, phrase[0], kind, name, claim[-1].endswith("'s")), len(phrase)
        return Token(written, bare if owns else word, WORD, stem(bare if owns else word), owns), 1


def _spelled(text: str, starts: list[int]) -> dict[int, tuple[int, str]]:
    """Return for each token that begins a number how many tokens it has, and its value."""
    lowered = text.lower()
    if len(lowered) != len(text):
        return {}
    found, at = dict[int, tuple[int, str]](), 0
    for numeral in numerals(lowered):
        while at < len(starts) and starts[at] < numeral.start:
            at += 1
        first = at
        while at < len(starts) and starts[at] < numeral.end:
            at += 1
        if at > first and lowered[numeral.start : numeral.end] not in _NO_COUNT:
            found[first] = (at - first, numeral.value)
    return found


def _capitalised(name: str) -> list[str]:
    """Return the words at the beginning of a name that have a capital, without function words."""
    words = name.replace(".", "").split()
    count = next((at for at, word in enumerate(words) if not (word[0].isupper() or not word.isascii())), len(words))
    return [word for word in words[:count] if folded(word) not in FUNCTION_WORDS]


def sentences(tokens: Iterable[Token]) -> Iterator[list[Token]]:
    """Yield the tokens of each sentence, without marks of quotation; an endless one in parts.

    A question has its mark at the end, other sentences have none.
    """
    sentence: list[Token] = []
    for token in tokens:
        if token.kind == MARK and token.word in _SENTENCE_MARKS:
            if token.word == "." and sentence and sentence[-1].word in _ABBREVIATION:
                continue
            if sentence:
                yield [*sentence, token] if token.word == "?" else sentence
            sentence = []
        elif token.word not in _QUOTES:
            sentence.append(token)
        if len(sentence) == _LONGEST_SENTENCE:
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def without_quotes(text: str) -> str:
    """Return text without its quotations: `I` is somebody else there."""
    return _QUOTED.sub(lambda quote: " " * len(quote[0]), text)
