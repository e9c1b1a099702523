"""Lore: what inhabitants know, by subject."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from world.parsing import is_named
from world.sanitize import name_key


@dataclass(frozen=True)
class LoreEntry:
    """The world's knowledge of one subject.

    `text` is whole sentences in the third person. `keys` are words and phrases for the subject, beside its title.
    `known_to` are the names of those who know it; empty for everybody.
    """

    title: str
    text: str
    keys: tuple[str, ...] = ()
    known_to: frozenset[str] = frozenset()

    def is_known_to(self, name: str) -> bool:
        """Return whether somebody knows it; nobody needs lore about themselves."""
        keys = {name_key(one) for one in self.known_to}
        return (not keys or name_key(name) in keys) and name_key(self.title) != name_key(name)

    def fits(self, words: str) -> int:
        """Return how well words speak of it, 0 if they do not: the length of the longest key named in them.

        A key behind `in` fits least: "Is there a hotel in this town?" is about hotels.
        """
        named = [key for key in (self.title, *self.keys) if is_named(key, words)]
        return max((1 if is_named(f"in {key}", words) else len(key) for key in named), default=0)


class Lore:
    """All entries, by title."""

    def __init__(self, entries: Iterable[LoreEntry] = ()) -> None:
        self._entries = {one.title: one for one in entries}

    def __iter__(self) -> Iterator[LoreEntry]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def about(self, words: str, knower: str) -> list[LoreEntry]:
        """Return the entries known to `knower` about the subjects of some words, best first."""
        found = {one: one.fits(words) for one in self if one.is_known_to(knower)}
        return sorted((one for one in found if found[one]), key=lambda one: (-found[one], one.title))
