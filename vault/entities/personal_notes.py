"""What people and agents write for themselves: notes such as `agents/Eliza/notes/Plan.md`, profiles and descriptions.

Notes are Markdown like any other and may be edited by hand. What is overwritten is kept with the moment at which it
was: notes in the folder `former` beside them, profiles and descriptions in `history`. None of it is deleted.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime

from vault.entities.agent_notes import agent_of, only_reactions, set_agent_property, without_reactions
from vault.markdown import escape_section, unescape_section
from vault.note import Note, link
from vault.note_editor import NoteEditor
from vault.vault import Vault, check_name
from world.entities import Character

FORMER = "former"


class PersonalNotes:
    """The notes of everyone, by owner and title. A title means the same note in whatever case it is typed."""

    def __init__(self, vault: Vault, now_ms: Callable[[], int]) -> None:
        self._vault = vault
        self._now_ms = now_ms

    def titles(self, owner: Character) -> list[str]:
        """Return the titles of somebody's notes, sorted."""
        return self._vault.names("/".join((*personal_folder(owner), "notes")))

    def title_of(self, owner: Character, wanted: str) -> str:
        """Return the title as it is written on the note that is meant; empty if there is none."""
        key = _key(wanted)
        return next((title for title in self.titles(owner) if _key(title) == key), "")

    def read(self, owner: Character, title: str) -> str:
        """Return what stands in a note. Raises: NoteError if it cannot be read."""
        return unescape_section(self._vault.read(*_path(owner, title)).body)

    def add(self, owner: Character, title: str, text: str) -> None:
        """Write a note, or add a line to one that is there. Raises: NoteError, also for a title that no file can have.

        What was there before stays to the letter.
        """
        known = self.title_of(owner, title)
        if not known:
            self._begin(owner, title, text)
            return
        before = self._vault.read_exact(*_path(owner, known))
        self._vault.write_text(f"{before.rstrip()}\n{escape_section(text)}\n", *_path(owner, known))

    def overwrite(self, owner: Character, title: str, text: str) -> str:
        """Give a note that is there another text; return where the old one is kept. Raises: NoteError."""
        before = self._vault.read_exact(*_path(owner, title))
        kept = save_former(self._vault, before, (*personal_folder(owner), "notes", FORMER), title, self._now_ms())
        self._begin(owner, title, text)
        return kept

    def _begin(self, owner: Character, title: str, text: str) -> None:
        note = Note("", {"by": link(owner.name)}, escape_section(text))
        self._vault.write(note, *_path(owner, check_name(title)))


def note_text(vault: Vault, agent_id: str, title: str) -> str:
    """Return what stands in a note of an agent. Raises: NoteError if it cannot be read."""
    return unescape_section(vault.read("agents", agent_id, "notes", f"{title}.md").body)


def personal_folder(owner: Character) -> tuple[str, str]:
    """Return the folder in which somebody's own files are."""
    return ("agents" if owner.is_agent else "people"), check_name(owner.character_id)


def save_former(vault: Vault, text: str, folder: tuple[str, ...], title: str, at_ms: int) -> str:
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
    return (*personal_folder(owner), "notes", f"{title}.md")


def _key(title: str) -> str:
    return unicodedata.normalize("NFC", title).casefold().strip()


HISTORY = "history"
PROFILE, DESCRIPTION = "profile", "description"

_BRACES = str.maketrans("{}", "()")
_BRACKETS = re.compile(r"[\[\]]{2,}")


class ProfileHistory:
    """Profiles and descriptions, and their former versions."""

    def __init__(self, vault: Vault, now_ms: Callable[[], int]) -> None:
        self._vault = vault
        self._now_ms = now_ms

    def set_profile(self, agent: Character, profile: str) -> None:
        """Give an agent another profile; its settings and its reactions stay to the letter. Raises: NoteError."""
        self._write(agent, escape_section(plain(profile)))

    def undo_profile(self, agent: Character) -> bool:
        """Put an agent's last former profile back, which keeps the one of now; return whether there was one."""
        newest = self._newest(agent, PROFILE)
        if not newest:
            return False
        former = self._vault.read(*personal_folder(agent), HISTORY, newest)
        self._write(agent, without_reactions(former))
        return True

    def set_description(self, character: Character, description: str) -> str:
        """Keep how somebody looked until now, and return the new description as it will do.

        An agent's is in its note then; a person's is saved when it is announced. Raises: NoteError.
        """
        self._keep(character, DESCRIPTION, character.description)
        description = plain(description)
        if character.is_agent:
            set_agent_property(self._vault, character.name, "description", description or None)
        return description

    def former_description(self, character: Character) -> str | None:
        """Return how somebody looked before the last change; None if nothing was ever changed. Raises: NoteError."""
        newest = self._newest(character, DESCRIPTION)
        return self._vault.read_text(*personal_folder(character), HISTORY, newest) if newest else None

    def set_interval(self, agent: Character, seconds: str) -> None:
        """Write how often an agent thinks into its note; all else stays to the letter. Raises: NoteError."""
        set_agent_property(self._vault, agent.name, "think_seconds", seconds)

    def _write(self, agent: Character, profile: str) -> None:
        parts = (*personal_folder(agent), "agent.md")
        before = self._vault.read_exact(*parts)
        text = NoteEditor(before, self._vault.source(self._vault.path(*parts)))
        text.set_body("\n\n".join(part for part in (profile, only_reactions(text.note)) if part))
        agent_of(text.note, agent.name)  # what could not be loaded again is not written either
        self._keep(agent, PROFILE, before)
        self._vault.write_text(str(text), *parts)

    def _keep(self, character: Character, title: str, text: str) -> None:
        save_former(self._vault, text, (*personal_folder(character), HISTORY), title, self._now_ms())

    def _newest(self, character: Character, title: str) -> str:
        names = self._vault.names("/".join((*personal_folder(character), HISTORY)))
        found = [name for name in names if name.startswith(f"{title} ")]
        return f"{found[-1]}.md" if found else ""


def plain(text: str) -> str:
    """Return prose in which nothing is a link or a slot of a template."""
    return _BRACKETS.sub("", text).translate(_BRACES)
