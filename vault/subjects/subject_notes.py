"""What the notes of rooms, things and characters have in common: names, properties, and how one is saved."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Protocol

from vault.folder import Vault, check_name
from vault.front_matter import format_front_matter
from vault.note_text import NoteText
from vault.notes import Note


class Titled(Protocol):
    """What has a title and other names."""

    @property
    def title(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...


def text_in(note: Note, key: str) -> str:
    """Return a property as text, or an empty one if it is none."""
    typed = note.typed.get(key, "")
    return typed if isinstance(typed, str) else ""


def texts_in(note: Note, key: str) -> tuple[str, ...]:
    """Return a property as a list of texts; one alone counts as a list of it."""
    match note.typed.get(key, ()):
        case str(one):
            return (one,) if one else ()
        case tuple(several):
            return several
        case _:
            return ()


def table_in(note: Note, key: str) -> dict[str, str]:
    """Return a property as a table of texts, or an empty one if it is none."""
    typed = note.typed.get(key, {})
    return dict(typed) if isinstance(typed, dict) else {}


def names_in(note: Note) -> tuple[str, ...]:
    """Return the aliases, in lower case."""
    return tuple(alias.lower() for alias in texts_in(note, "aliases"))


def own_properties(note: Note, known: Collection[str]) -> dict[str, str]:
    """Return the properties that builders set: those that are not known and have one value, as text."""
    return {key: typed for key, typed in note.typed.items() if isinstance(typed, str) and key not in known}


def save_names(text: NoteText, now: Titled, was: Titled) -> None:
    """Write the title and the aliases, as far as they are not what they were."""
    if now.title != was.title:
        text.set_property("title", now.title or None)
    save_aliases(text, now.aliases, was.aliases)


def save_aliases(text: NoteText, now: tuple[str, ...], was: tuple[str, ...]) -> None:
    """Write the aliases if they are not what they were."""
    if now != was:
        text.set_property("aliases", now or None)


def save_own_properties(text: NoteText, known: Collection[str], now: Mapping[str, str], was: Mapping[str, str]) -> None:
    """Write the properties that builders set and that are not what they were; those known are not theirs."""
    for key in dict.fromkeys((*was, *now)):
        if key not in known and now.get(key) != was.get(key):
            text.set_property(key, now.get(key))


def save_note(vault: Vault, parts: tuple[str, ...], new: Mapping[str, Any], change: Callable[[NoteText], None]) -> bool:
    """Change a note, or a new one that begins with some properties; return whether anything had to be written.

    Raises: NoteError if it cannot be read or written.
    """
    before = vault.read_exact_if_there(*parts)
    if before is None:
        check_name(parts[1].removesuffix(".md"))
    empty = f"---\n{format_front_matter(dict(new))}---\n" if new else ""
    text = NoteText(empty if before is None else before, vault.source(vault.path(*parts)))
    change(text)
    if str(text) == before:
        return False
    vault.write_text(str(text), *parts)
    return True
