"""Opening a room whose note is not valid with what can be read of it, so that one slip of the pen stops no world."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from vault.check.finding import Overlay, every_fault
from vault.folder import Vault
from vault.notes import NoteError, with_plain_ends
from vault.subjects.room_notes import FOLDER, load_room
from world.entities import Room

_FENCE = re.compile(r"---[ \t]*")


@dataclass(frozen=True)
class PartialRoom:
    """A room, and what in its note is left out of it, with file and line.

    A note that is not text in UTF-8, or whose properties cannot be read, `may_be_written` by nobody but a person.
    """

    room: Room
    faults: tuple[str, ...]
    may_be_written: bool


def load_partial_room(vault: Vault, name: str, known: Mapping[str, str]) -> PartialRoom:
    """Return a room without the lines of its note that are not valid; one without anything if it has no other.

    `known` is of `room_names`.
    """
    source = f"{FOLDER}/{name}.md"
    text = vault.read_what_is_readable(source)
    faults: dict[str, None] = {}
    for part in (None, text, _without_front_matter(text)):
        overlay = Overlay(vault)
        if part is not None:
            overlay.show(source, part)
        faults |= {str(fault): None for fault in every_fault(overlay, lambda vault: _load(vault, name, known))}
        try:
            return PartialRoom(load_room(overlay, name, known), tuple(faults), part is None)
        except NoteError:
            continue
    return PartialRoom(Room(name), tuple(faults), False)


def _load(vault: Vault, name: str, known: Mapping[str, str]) -> Room | None:
    return load_room(vault, name, known) if vault.exists(FOLDER, f"{name}.md") else None


def _without_front_matter(text: str) -> str:
    """Return a text whose front matter is blank lines; if nothing ends it, it ends at the first blank line."""
    lines = with_plain_ends(text).removeprefix("\ufeff").split("\n")
    if not _FENCE.fullmatch(lines[0]):
        return text
    fences = (index for index, line in enumerate(lines) if index and _FENCE.fullmatch(line))
    blanks = (index for index, line in enumerate(lines) if not line.strip())
    end = next(fences, None) or next(blanks, len(lines) - 1)
    return "\n".join([""] * (end + 1) + lines[end + 1 :])
