"""Parses narration back into events: who did what with what, in whatever language the world speaks.

A journal is older than a translation, so each sentence is read as the world says it now and as the starter vault does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from vault.message_notes import starter_sentences
from world.message_catalog import Wording, variables

MAX_CACHED = 8192
"""Maximum number of texts whose event is cached: an agent looks through its newest memories at every turn."""

_BY_SOMEBODY = "narration."
_WHO = "who"


@cache
def starter_wording() -> Wording:
    """Return the sentences of the starter vault."""
    return Wording(starter_sentences())


@dataclass(frozen=True)
class ParsedEvent:
    """The event that a sentence tells: its name in `text/narration.md`, as `takes`, and its values, as `thing`."""

    name: str
    values: Mapping[str, str]


class NarrationParser:
    """Reads the sentences of a world. `in_force` returns its wording; without it, the starter vault's alone counts."""

    def __init__(self, in_force: Callable[[], Wording] | None = None) -> None:
        self._in_force = in_force or starter_wording
        self._made: _Patterns | None = None

    def event_in(self, text: str, who: str) -> ParsedEvent | None:
        """Return the event that a sentence tells others of; None if it is none of the world's sentences."""
        return self._tongue.event_in(text, who)

    def sentence_in(self, keys: Iterable[str], text: str) -> ParsedEvent | None:
        """Return the first of some sentences, by `note.name`, that a text is; None if it is none of them."""
        for key in keys:
            for wording in self._tongue.wordings:
                if (values := wording.read(key, text)) is not None:
                    return ParsedEvent(key.partition(".")[2], values)
        return None

    def names(self, text: str) -> list[str]:
        """Return the names in a list of people."""
        return self._tongue.between_names.split(text)

    def things(self, text: str) -> list[str] | None:
        """Return the names in a list of things, without their articles; None if it does not look like one."""
        tongue = self._tongue
        if text in tongue.nothing:
            return []
        if not tongue.article.match(text):
            return None
        return [tongue.article.sub("", one, count=1) for one in tongue.between_things.split(text)]

    @property
    def _tongue(self) -> _Patterns:
        wording = self._in_force()
        if self._made is None or self._made.wordings[0] is not wording:
            self._made = _Patterns(wording)
        return self._made


ENGLISH = NarrationParser()
"""Reads the sentences of the starter vault."""


class _Patterns:
    """A wording and the starter vault's behind it, with what is made of both."""

    def __init__(self, wording: Wording) -> None:
        starter = starter_wording()
        self.wordings = (wording,) if wording is starter else (wording, starter)
        # With the longest of its words, by which most texts are seen not to be this sentence, and that is quick.
        self.events = [
            (name, max(_plain(sentence), key=len), one)
            for one in self.wordings
            for name, sentence in _event_sentences(one)
            if self._is_new(name, one)
        ]
        self.nothing = {one("lists.nothing") for one in self.wordings}
        articles = [article for one in self.wordings for article in one("commands.articles").split(", ") if article]
        self.article = re.compile(rf"(?:{_any(articles)}) ")
        between = rf"(?:, | (?:{_any(one('lists.and') for one in self.wordings)}) )"
        self.between_names = re.compile(between)
        self.between_things = re.compile(rf"{between}(?={self.article.pattern})")
        self.event_in = lru_cache(MAX_CACHED)(self._event_in)

    def _event_in(self, text: str, who: str) -> ParsedEvent | None:
        lower = text.lower()
        for name, plain, wording in self.events:
            if plain in lower and (values := wording.read(f"{_BY_SOMEBODY}{name}", text, who=who)) is not None:
                return ParsedEvent(name, values)
        return None

    def _is_new(self, name: str, wording: Wording) -> bool:
        key = f"{_BY_SOMEBODY}{name}"
        return wording is self.wordings[0] or wording.sentences.get(key) != self.wordings[0].sentences.get(key)


def _event_sentences(wording: Wording) -> list[tuple[str, str]]:
    """Return the sentences for acts of others, the most specific first: `takes` would also fit a `takes_from`."""
    fitting = [
        (key.removeprefix(_BY_SOMEBODY), sentence)
        for key, sentence in wording.sentences.items()
        if key.startswith(_BY_SOMEBODY) and _WHO in variables(sentence) and not key.endswith("_here")
    ]
    return sorted(fitting, key=lambda pair: -sum(map(len, _plain(pair[1]))))


def _plain(sentence: str) -> list[str]:
    """Return the text between the variables of a sentence, in lower case."""
    return re.split(r"\{[a-z_]+\}", sentence.lower())


def _any(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in dict.fromkeys(words))
