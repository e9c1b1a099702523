"""Finds notes that are sync copies of others, by name and by what they say."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from vault.errors import NoteError
from vault.note import Note, parse_note
from vault.sync_copies import original_of, repeats
from vault.vault import Vault


class Copies:
    """The copies in a folder of notes: `folder` is `rooms`, `things`, `people`, `lore` or `agents`.

    `is_known` tells of a name whether the world has had something of this name before: that is no copy.
    """

    def __init__(self, vault: Vault, folder: str, known: Collection[str] = ()) -> None:
        self._vault = vault
        self._folder = folder
        self._known = known
        self._names = frozenset(vault.folders(folder) if folder == "agents" else vault.names(folder))

    def fault(self, name: str) -> str:
        """Return why a note is not loaded: because it is a copy; an empty text if it is none."""
        original = "" if name in self._known else original_of(name, self._names)
        if not original or not self._is_copy(name, original):
            return ""
        return copy_fault(note_source(self._folder, name), note_source(self._folder, original))

    def _is_copy(self, name: str, original: str) -> bool:
        texts = [self._vault.read_lossy(note_source(self._folder, one)) for one in (name, original)]
        if self._folder == "rooms":
            numbers = [_number(text, note_source(self._folder, name)) for text in texts]
            if any(numbers):
                return numbers[0] == numbers[1]
        return repeats(*texts)


def note_source(folder: str, name: str) -> str:
    """Return the source of the note of a name in a folder, as `rooms/The Mill.md` or `agents/Moss/agent.md`."""
    return f"agents/{name}/agent.md" if folder == "agents" else f"{folder}/{name}.md"


def copy_fault(source: str, original: str) -> str:
    """Return what there is to say of a note that is not loaded as it seems to be a copy of another."""
    return (
        f"{source}: is named like a sync copy of {original} and says nearly the same, so it is not loaded. "
        "Take from it what you need and delete it; or, if it is meant, give it another name."
    )


def numbered_copies(
    vault: Vault, numbers: Mapping[str, int], ways: Mapping[str, Collection[str]], start_room: str
) -> dict[str, str]:
    """Return the rooms that are copies of others whatever their names are, with the rooms that they are copies of.

    A copy has the number of the other and says nearly the same. Exits lead to the other, and none to the copy.
    `numbers` are those of rooms by name, `ways` the rooms that the exits of each lead to.
    """
    reached = {start_room, *(goal for name, goals in ways.items() for goal in goals if goal != name)}
    originals: dict[int, list[str]] = {}
    for name in filter(reached.__contains__, numbers):
        originals.setdefault(numbers[name], []).append(name)
    copies = {}
    for name in numbers.keys() - reached:
        text = vault.read_lossy(note_source("rooms", name)) if numbers[name] in originals else ""
        for original in originals.get(numbers[name], ()):
            if numbers[name] and repeats(text, vault.read_lossy(note_source("rooms", original))):
                copies[name] = original
    return copies


def number_fault(name: str, original: str) -> str:
    """Return what there is to say of a room that is not loaded as it is a copy of another with its number."""
    source, other = note_source("rooms", name), note_source("rooms", original)
    return (
        f"{source}: has the number of {other} and says nearly the same, so it is a copy and not loaded. "
        "Delete it; or, if it is meant, take the line of its number out."
    )


def _number(text: str, source: str) -> object:
    try:
        note: Note = parse_note(text, source)
    except NoteError:
        return None
    return note.properties.get("number")
