"""The notes in `lore/`, one a subject.

The note's name is the subject. `keys` are further words for it, and `known_to` names those who know it; without names
everybody does. Agents are given the text below to the letter.
"""

from __future__ import annotations

import logging

from vault.copies import Copies
from vault.errors import NoteError
from vault.note import Note, link_target, texts_in
from vault.vault import Vault
from world.lore import Lore, LoreEntry

log = logging.getLogger(__name__)

FOLDER = "lore"
MAX_CHARACTERS = 600
"""Maximum length of a text, in characters; a longer one would crowd out everything else in a prompt."""


def load_lore(vault: Vault) -> Lore:
    """Return all lore of a vault; a note that is not valid is logged and left out."""
    entries = []
    for title in lore_titles(vault):
        try:
            entries.append(load_entry(vault, title))
        except NoteError as error:
            log.warning("left out: %s", error)
    return Lore(entries)


def lore_titles(vault: Vault) -> list[str]:
    """Return the titles of all lore; notes that are sync copies of others are logged and left out."""
    copies, titles = Copies(vault, FOLDER), []
    for title in vault.names(FOLDER):
        if fault := copies.fault(title):
            log.warning("left out: %s", fault)
        else:
            titles.append(title)
    return titles


def load_entry(vault: Vault, title: str) -> LoreEntry:
    """Return one subject. Raises: NoteError."""
    return entry_of(vault.read(FOLDER, f"{title}.md"), title)


def entry_of(note: Note, title: str) -> LoreEntry:
    """Return the subject that a note is about.

    Raises: NoteError if it says nothing, says too much, or has a property that is no list of words.
    """
    text = " ".join(line.text.strip() for line in note.lines if line.counts and line.text.strip())
    if not text:
        raise NoteError(f"{note.source}: nothing stands below the properties; say there what is known.")
    if len(text) > MAX_CHARACTERS:
        raise NoteError(
            f"{note.source}:{note.body_line}: {len(text)} characters; at most {MAX_CHARACTERS} are allowed. Make two "
            "notes of it, each with keys of its own."
        )
    return LoreEntry(title, text, _words(note, "keys"), frozenset(_words(note, "known_to")))


def _words(note: Note, key: str) -> tuple[str, ...]:
    given = note.properties.get(key)
    if isinstance(given, dict):
        line = note.property_lines.get(key, 1)
        raise NoteError(f"{note.source}:{line}: {key} is a table; expected a list, as {key}: [one, another].")
    lists = (link_target(one) if one.startswith("[[") else one for one in texts_in(note, key))
    return tuple(word.strip() for one in lists for word in one.split(",") if word.strip())
