"""Finding what somebody meant by a name: exact before partial, and never a guess between two."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Protocol, TypeVar

from world.errors import CommandError
from world.message_catalog import Wording
from world.sanitize import name_key

UNSPACED = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3040, 0x30FF), (0x3400, 0x9FFF))
"""The code points of scripts that put no blanks between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese."""

MAX_NAME_WORDS = 12
MAX_CACHED_CHARACTERS = 120
"""Of how many words a name is looked for at the beginning of a line, and how long names are that are kept folded."""

_ARTICLES = frozenset(("the", "a", "an", "my", "this", "that"))


class Named(Protocol):
    """Anything with a name and other names."""

    @property
    def name(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...


T = TypeVar("T", bound=Named)


def candidates(wanted: str, among: Iterable[T]) -> list[T]:
    """Return all that `wanted` can mean: by full name or alias, else by words, else by how a word begins."""
    key = strip_article(wanted)
    words = frozenset(key.split())
    if not words:
        return []
    ranked: tuple[list[T], ...] = ([], [], [])
    for item in among:
        fits = _NO_FIT
        for name in (item.name, *item.aliases):
            fits = min(fits, _fit(key, words, strip_article(name)))
        if fits < _NO_FIT:
            ranked[fits].append(item)
    return next(filter(None, ranked), [])


def find(wanted: str, among: Iterable[T], missing: str, wording: Wording) -> T:
    """Return the one thing that `wanted` means; `2.lamp` or `lamp 2` picks among several.

    Raises: CommandError with `missing` if there is none, or with the candidates if there are several.
    """
    known = list(among)
    found = candidates(wanted, known) or candidates(_without_article(wanted, wording), known)
    if len(found) == 1:
        return found[0]
    if not found:
        numbered = _numbered(wanted, known)
        if numbered is None:
            raise CommandError(missing)
        return numbered
    names = [item.name for item in found]
    raise CommandError(
        wording("commands.which_one", wanted=wanted, names=wording.join_or(names), bare=strip_article(wanted))
    )


def suggestions(wanted: str, names: Iterable[str], most: int = 3) -> list[str]:
    """Return the names most like a misspelt one, best first."""
    key, known = name_key(wanted), {name_key(name): name for name in sorted(set(names))}
    starting = [name for name in known if key and name.startswith(key)]
    near = [name for name in known if abs(len(name) - len(key)) < len(name)]  # nobody who typed `open` meant `on`
    close = difflib.get_close_matches(key, near, n=most, cutoff=0.6)
    return [known[name] for name in dict.fromkeys([*starting, *close])][:most]


def join_or(names: Sequence[str]) -> str:
    """Return `a`, `a or b`, `a, b or c`."""
    return _join(names, "or")


def join_and(names: Sequence[str]) -> str:
    """Return `a`, `a and b`, `a, b and c`."""
    return _join(names, "and")


def count_name_words(tokens: Sequence[str], among: Iterable[Named]) -> tuple[int, int]:
    """Return of how many first words of a line the longest whole name is made, and the longest beginning of a name.

    A beginning has at least two words; 0 if there is none. An article before a name belongs to it, and a comma or
    colon ends it.
    """
    typed = _as_typed(tokens[:MAX_NAME_WORDS])
    article = len(typed) > 1 and typed[0] in _ARTICLES
    wanted = typed[article:]
    whole = part = 0
    for item in among if wanted else ():
        for name in (item.name, *item.aliases):
            key = strip_article(name)
            if not key.startswith(wanted[0]):
                continue
            words = key.split()
            count = len(tuple(takewhile(lambda pair: pair[0] == pair[1], zip(words, wanted, strict=False))))
            if count == len(words):
                whole = max(whole, count + article)
            elif count > 1:
                part = max(part, count + article)
    return whole, part


def is_named(name: str, text: str) -> bool:
    """Return whether a text has a name as a word of its own, in whatever case.

    Scripts without blanks have no ends of words to go by: there the name may stand anywhere.
    """
    key, said = name_key(name), _cached_key(text)
    place = said.find(key) if key else -1
    while place >= 0:
        end = place + len(key)
        if _is_end_of_word(said[place - 1 : place], key[0]) and _is_end_of_word(key[-1], said[end : end + 1]):
            return True
        place = said.find(key, place + 1)
    return False


def has_phrase(phrases: str, text: str) -> bool:
    """Return whether a text has one of several phrases, which stand with a semicolon and a blank between them."""
    return any(is_named(phrase, text) for phrase in phrases.split("; "))


def strip_article(name: str) -> str:
    """Return a name as it is compared, without its article."""
    return _cached_strip(name) if len(name) <= MAX_CACHED_CHARACTERS else _strip_article(name)


def _strip_article(name: str) -> str:
    key = " ".join(name_key(name).split())
    first, _, rest = key.partition(" ")
    return rest if first in _ARTICLES and rest else key


_cached_strip = lru_cache(maxsize=32_768)(_strip_article)
_cached_key = lru_cache(maxsize=16)(name_key)  # everyone in a room asks it of the same words


def _without_article(wanted: str, wording: Wording) -> str:
    """Return what is wanted without an article of the world's own language before it."""
    first, _, rest = wanted.strip().partition(" ")
    return rest if name_key(first) in wording("commands.articles").split(", ") else wanted


def _join(names: Sequence[str], word: str) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {word} {names[-1]}"


_NO_FIT = 3


def _fit(key: str, wanted: frozenset[str], name: str) -> int:
    """Return how well a name fits: 0 in full, 1 by its words, 2 by how one of them begins, or `_NO_FIT`."""
    if key == name:
        return 0
    if any(word not in name for word in wanted):
        return _NO_FIT  # as nearly everyone in a crowd
    words = name.split()
    if wanted.issubset(words):
        return 1
    return 2 if len(key) > 1 and any(word.startswith(key) for word in (name, *words)) else _NO_FIT


def _as_typed(tokens: Sequence[str]) -> list[str]:
    """Return the words in which a name can stand, as they are compared: up to one with a comma or colon."""
    found = list[str]()
    for token in tokens:
        word = token.rstrip(",:")
        found.append(name_key(word))
        if word != token:
            break
    return found


def _is_end_of_word(before: str, after: str) -> bool:
    """Return whether a word can end between two characters, either of which may be missing."""
    return not (_joins(before) and _joins(after))


def _joins(character: str) -> bool:
    if not character or not (character == "_" or unicodedata.category(character)[0] in "LMN"):
        return False
    return not any(first <= ord(character) <= last for first, last in UNSPACED)


def _numbered(wanted: str, known: Sequence[T]) -> T | None:
    """Return the one that `2.lamp` or `lamp 2` means, if that is what is wanted and there is one."""
    number, point, name = wanted.strip().partition(".")
    if not (point and _is_count(number)):
        name, _, number = wanted.strip().rpartition(" ")
    if not _is_count(number):
        return None
    found = candidates(name, known)
    return found[int(number) - 1] if 1 <= int(number) <= len(found) else None


def _is_count(text: str) -> bool:
    return text.isdecimal() and len(text) <= 3
