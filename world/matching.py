"""Finding what somebody meant by a name: exact before partial, and never a guess between two."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Protocol, TypeVar

from world.errors import CommandError
from world.wording import Wording

_ARTICLES = re.compile(r"^(?:the|a|an|my|this|that)\s+")
_ORDINAL = re.compile(r"^(?:(\d{1,3})\.\s*(.+)|(.+?)\s+(\d{1,3}))$")


class Named(Protocol):
    """Anything with a name and other names."""

    @property
    def name(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...


T = TypeVar("T", bound=Named)


def candidates(wanted: str, among: Iterable[T]) -> list[T]:
    """Return all that `wanted` can mean: by full name or alias, else by words, else by how a word begins."""
    key = bare(wanted)
    known = list(among)
    if not key:
        return []
    for fits in (_is_exact, _is_words, _is_beginning):
        found = [item for item in known if any(fits(key, bare(name)) for name in (item.name, *item.aliases))]
        if found:
            return found
    return []


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
    raise CommandError(wording("commands.which_one", wanted=wanted, names=wording.any_of(names), bare=bare(wanted)))


def suggestions(wanted: str, names: Iterable[str], most: int = 3) -> list[str]:
    """Return the names most like a misspelt one, best first."""
    key, known = wanted.lower(), {name.lower(): name for name in sorted(set(names))}
    starting = [name for name in known if key and name.startswith(key)]
    near = [name for name in known if abs(len(name) - len(key)) < len(name)]  # nobody who typed `open` meant `on`
    close = difflib.get_close_matches(key, near, n=most, cutoff=0.6)
    return [known[name] for name in dict.fromkeys([*starting, *close])][:most]


def either(names: Sequence[str]) -> str:
    """Return `a`, `a or b`, `a, b or c`."""
    return _joined(names, "or")


def listed(names: Sequence[str]) -> str:
    """Return `a`, `a and b`, `a, b and c`."""
    return _joined(names, "and")


def is_named(name: str, text: str) -> bool:
    """Return whether a text has a name as a word of its own, in whatever case."""
    if name.isascii() and text.isascii() and name.lower() not in text.lower():
        return False  # as of nearly everyone in a crowd, for whom no pattern has to be made
    return bool(_as_word(name).search(text))


def bare(name: str) -> str:
    """Return a name in lower case without its article."""
    return _ARTICLES.sub("", name.lower().strip())


def _without_article(wanted: str, wording: Wording) -> str:
    """Return what is wanted without an article of the world's own language before it."""
    first, _, rest = wanted.strip().partition(" ")
    return rest if first.lower() in wording("commands.articles").split(", ") else wanted


def _joined(names: Sequence[str], word: str) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {word} {names[-1]}"


@lru_cache(maxsize=1024)
def _as_word(name: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(name)}\b", re.IGNORECASE)


def _is_exact(key: str, name: str) -> bool:
    return key == name


def _is_words(key: str, name: str) -> bool:
    return set(key.split()) <= set(name.split())


def _is_beginning(key: str, name: str) -> bool:
    return len(key) > 1 and any(word.startswith(key) for word in (name, *name.split()))


def _numbered(wanted: str, known: Sequence[T]) -> T | None:
    ordinal = _ORDINAL.match(wanted.strip())
    if not ordinal:
        return None
    number, name = int(ordinal[1] or ordinal[4]), ordinal[2] or ordinal[3]
    found = candidates(name, known)
    return found[number - 1] if 1 <= number <= len(found) else None
