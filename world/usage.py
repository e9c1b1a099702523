"""The usage of a command, `give <carried> to <person>`, and the arguments that it finds in a line.

A line is read word by word, from left to right and once. Names may have several words: before free words, the longest
name that somebody or something has is taken for the name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from world.matching import Named, count_name_words

NAMING = frozenset({"person", "anyone", "agent", "name", "object"})
"""The placeholders for which a name of several words can stand, whatever comes behind it."""

NamesOf = Callable[[str], Iterable[Named]]
"""Returns what a placeholder of `NAMING` can mean here."""


@dataclass(frozen=True)
class Word:
    """One word of a usage: a literal, or a placeholder when `kind` is set."""

    text: str
    kind: str = ""
    optional: bool = False


@lru_cache(maxsize=512)
def words_of(usage: str) -> tuple[Word, ...]:
    """Return a usage behind its verb, word by word."""
    return tuple(_word(token) for token in usage.split()[1:])


def read_usage(
    words: Sequence[Word], text: str, synonyms: Mapping[str, frozenset[str]], names_of: NamesOf, in_full: bool = False
) -> dict[str, str] | None:
    """Return the arguments by placeholder, None if the text does not fit; an optional one left out is empty.

    `synonyms` are what may stand for a literal, in lower case. With `in_full`, a name before free words has to be all
    of a name that there is.
    """
    tokens, found = text.split(), dict[str, str]()
    place = 0
    for number, word in enumerate(words):
        behind = words[number + 1 : number + 2]
        if not word.kind:
            if place == len(tokens) or tokens[place].lower() not in synonyms.get(word.text, {word.text}):
                return None
            place += 1
            continue
        if not behind:
            stop = len(tokens)
        elif not behind[0].kind:
            stop = _find(tokens, synonyms.get(behind[0].text, {behind[0].text}), place + (not word.optional))
        else:
            stop = place + _count_words(word.kind, tokens[place:], names_of, in_full)
        if stop > len(tokens) or (stop <= place and not word.optional):
            return None
        found[word.kind] = " ".join(tokens[place:stop])
        place = max(place, stop)
    return found if place == len(tokens) else None


def _word(token: str) -> Word:
    inner = token.removeprefix("[").removesuffix("]")
    is_placeholder = inner.startswith("<") and inner.endswith(">")
    return Word(token, inner[1:-1], token.startswith("[")) if is_placeholder else Word(token)


def _find(tokens: Sequence[str], literal: frozenset[str] | set[str], start: int) -> int:
    """Return where a literal stands first, from a place on; behind the end if nowhere."""
    return next((place for place in range(start, len(tokens)) if tokens[place].lower() in literal), len(tokens) + 1)


def _count_words(kind: str, tokens: Sequence[str], names_of: NamesOf, in_full: bool) -> int:
    """Return how many words stand for a placeholder before another one."""
    one = min(1, len(tokens))
    if kind not in NAMING:
        return one
    whole, part = count_name_words(tokens, names_of(kind))
    return whole if whole or in_full else max(part, one)
