"""The notes that people and agents write for themselves: `agents/Eliza/notes/Plan.md`, `people/Ana/notes/Plan.md`.

They are Markdown like any other and may be edited by hand. What is overwritten is kept in the folder `former` beside
them, with the moment at which it was.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime

from vault.escaping import escaped_section, unescaped_section
from vault.folder import Vault, check_name
from vault.notes import Note, link
from world.entities import Character

FORMER = "former"


class OwnNotes:
    """The notes of everyone, by owner and title. A title means the same note in whatever case it is typed."""

    def __init__(self, vault: Vault, now_ms: Callable[[], int]) -> None:
        self._vault = vault
        self._now_ms = now_ms

    def titles(self, owner: Character) -> list[str]:
        """Return the titles of somebody's notes, sorted."""
        return self._vault.names("/".join((*home_of(owner), "notes")))

    def title_of(self, owner: Character, wanted: str) -> str:
        """Return the title as it is written on the note that is meant; empty if there is none."""
        key = _key(wanted)
        return next((title for title in self.titles(owner) if _key(title) == key), "")

    def read(self, owner: Character, title: str) -> str:
        """Return what stands in a note. Raises: NoteError if it cannot be read."""
        return unescaped_section(self._vault.read(*_path(owner, title)).body)

    def add(self, owner: Character, title: str, text: str) -> None:
        """Write a note, or add a line to one that is there. Raises: NoteError, also for a title that no file can have.

        What was there before stays to the letter.
        """
        known = self.title_of(owner, title)
        if not known:
            self._begin(owner, title, text)
            return
        before = self._vault.read_exact(*_path(owner, known))
        self._vault.write_text(f"{before.rstrip()}\n{escaped_section(text)}\n", *_path(owner, known))

    def overwrite(self, owner: Character, title: str, text: str) -> str:
        """Give a note that is there another text; return where the old one is kept. Raises: NoteError."""
        before = self._vault.read_exact(*_path(owner, title))
        kept = keep_former(self._vault, before, (*home_of(owner), "notes", FORMER), title, self._now_ms())
        self._begin(owner, title, text)
        return kept

    def _begin(self, owner: Character, title: str, text: str) -> None:
        note = Note("", {"by": link(owner.name)}, escaped_section(text))
        self._vault.write(note, *_path(owner, check_name(title)))


def note_text(vault: Vault, agent_id: str, title: str) -> str:
    """Return what stands in a note of an agent. Raises: NoteError if it cannot be read."""
    return unescaped_section(vault.read("agents", agent_id, "notes", f"{title}.md").body)


def home_of(owner: Character) -> tuple[str, str]:
    """Return the folder in which somebody's own files are."""
    return ("agents" if owner.is_agent else "people"), check_name(owner.character_id)


def keep_former(vault: Vault, text: str, folder: tuple[str, ...], title: str, at_ms: int) -> str:
    """Keep what a file said in a folder, under its title and the moment; return the file's name. Raises: NoteError."""
    moment = datetime.fromtimestamp(at_ms / 1000, UTC)
    stem, number = f"{title} {moment:%Y%m%d-%H%M%S}", 1
    name = f"{stem}.md"
    while vault.exists(*folder, name):
        number += 1
        name = f"{stem}-{number:02}.md"
    vault.write_text(text, *folder, name)
    return name


def _path(owner: Character, title: str) -> tuple[str, ...]:
    return (*home_of(owner), "notes", f"{title}.md")


def _key(title: str) -> str:
    return unicodedata.normalize("NFC", title).casefold().strip()
