"""The locations log, `world/whereabouts.md`: the last line about a character or thing counts.

    - [[lamp]]: [[Attic]]

A move appends a line, so its cost does not depend on the size of the world. The log is rewritten at the start, and
when it has grown to several times its need: a piece at each move, beside the old one, which it then replaces in one
step. A crash at any moment loses no move that was saved; an unfinished last line does not count. Lists under the
headings Characters and Things, as older vaults have them, are read as well.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable, Iterator
from itertools import islice

from vault.errors import NoteError
from vault.note import link_or_name, link_target
from vault.trash import newest_in_trash
from vault.vault import Vault, agent_names
from world.world import World

log = logging.getLogger(__name__)

LOCATIONS = ("world", "whereabouts.md")
DRAFT = ("world", ".whereabouts.md.draft")
OPENING = "Who and what is where. The world adds a line at each move; the last line about somebody or something counts."
MIN_LINES_TO_COMPACT = 2000
COMPACT_FACTOR = 4
PIECE_LINES = 200
"""The limits of the list: it is rewritten above so many lines and so many times its need, in pieces of lines."""

LINE = re.compile(r"\s*[-*+] (?P<name>\[\[[^\]]+\]\]|[^\[].*?): *(?P<place>\[\[[^\]]+\]\]|[^\s\[].*?)\s*")
NUMBER = re.compile(r"Last (?P<of>room|guest) number: (?P<number>[1-9]\d{0,8})\s*")


class LocationsLog:
    """The list, and the world whose places it tells.

    Raises: NoteError if there is a list and it cannot be read.
    """

    def __init__(self, vault: Vault, world: World) -> None:
        self._vault = vault
        self._world = world
        self._places: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        self._read()
        self._list: _OpenList | None = None
        self._due: list[str] = []
        self._draft: _Draft | None = None

    @classmethod
    def names(cls, vault: Vault) -> frozenset[str]:
        """Return the names of all who and what the log has a line about. Raises: NoteError if it cannot be read."""
        if not vault.exists(*LOCATIONS):
            return frozenset()
        lines = (LINE.fullmatch(line) for line in vault.read_text(*LOCATIONS).split("\n"))
        return frozenset(link_target(match["name"]) for match in lines if match)

    def restore(self) -> None:
        """Put characters and things where the log says; what is not in it stays where its note says.

        Contents of a vanished character or container are placed where it was last. Things in a room whose note is gone
        stay there, out of reach, until the note is back. Anything left without a place goes to the start room. Numbers
        of rooms and guests are never given twice.
        """
        world = self._world
        world.last_number = max(world.last_number, self._numbers.get("room", 0))
        world.last_guest = max(world.last_guest, self._numbers.get("guest", 0))
        places = {*world.rooms, *world.characters, *world.things}
        for name, place in self._places.items():
            if name in world.characters and place in world.rooms:
                world.characters[name].room_id = place
            elif name in world.things:
                world.things[name].place_id = self._last_place(place, places)
        self._settle_strays(places)

    def save(self) -> None:
        """Add the moves since the last call; the first time, rewrite the list.

        Raises: NoteError if that cannot be written; it is added the next time.
        """
        self._due += self._new_lines()
        if self._list is None or (self._due and not self._list.is_there()):
            self._rewrite()
        elif self._due:
            self._list.append(self._due)
            if self._draft:
                self._draft.missed += self._due
        self._due = []
        self._compact()

    def _last_place(self, place: str, places: set[str]) -> str:
        """Return a place, or where that was which is no more; at last a room, which may be gone."""
        for _ in range(len(self._places)):
            if place in places or not (around := self._places.get(place, "")):
                break
            place = around
        return place

    def _new_lines(self) -> list[str]:
        world, lines = self._world, []
        for one_id, place in [
            *((one.character_id, one.room_id) for one in world.characters.drain_moved()),
            *((one.thing_id, one.place_id) for one in world.things.drain_moved()),
        ]:
            if self._places.get(one_id) != place:
                self._places[one_id] = place
                lines.append(_line(one_id, place))
        for of, number in (("room", world.last_number), ("guest", world.last_guest)):
            if number and number != self._numbers.get(of):
                self._numbers[of] = number
                lines.append(_number_line(of, number))
        return lines

    def _rewrite(self) -> None:
        if self._draft:
            self._draft.close()
        self._draft = None
        self._drop_removed()
        draft = _Draft(self._vault, self._lines())
        while draft.goes_on():
            pass
        self._continue_file(draft)

    def close(self) -> None:
        """Close the list; one that is saved again is rewritten."""
        for one in (self._list, self._draft):
            if one:
                one.close()
        self._list = self._draft = None

    def _continue_file(self, draft: _Draft) -> None:
        """Replace the old list by one that was rewritten."""
        old, self._list = self._list, draft.commit(len(self._places))
        if old:
            old.close()

    def _compact(self) -> None:
        """Write a piece of a list without the lines that count no more, if this one has grown long."""
        grown = self._list and self._list.lines > max(MIN_LINES_TO_COMPACT, COMPACT_FACTOR * len(self._places))
        if grown and not self._draft:
            self._drop_removed()
        draft = self._draft or (_Draft(self._vault, self._lines()) if grown else None)
        self._draft = None  # one that fails is begun again
        if draft and draft.goes_on():
            self._draft = draft
        elif draft:
            self._continue_file(draft)

    def _lines(self) -> Iterator[str]:
        places = dict(self._places)
        yield f"{OPENING}\n\n"
        if self._numbers:
            yield "".join([*(_number_line(of, number) for of, number in self._numbers.items()), "\n"])
        yield from (_line(name, place) for name, place in places.items())

    def _drop_removed(self) -> None:
        """Keep the places of those whose notes were invalid, and drop those that have no note."""
        vault, world = self._vault, self._world
        noted = {*vault.names("things"), *vault.names("people"), *agent_names(vault)}
        known = {*world.characters, *world.things, *noted}
        self._places = {name: place for name, place in self._places.items() if name in known}

    def _read(self) -> None:
        if not self._vault.exists(*LOCATIONS):
            return
        for line in self._vault.read_text(*LOCATIONS).split("\n")[:-1]:  # what follows the last line end was cut off
            if match := NUMBER.fullmatch(line):
                self._numbers[match["of"]] = max(self._numbers.get(match["of"], 0), int(match["number"]))
            elif match := LINE.fullmatch(line):
                self._places[link_target(match["name"])] = link_target(match["place"])

    def _settle_strays(self, places: set[str]) -> None:
        world = self._world
        message = "%s was %s %r, which does not exist; moved to %s"
        for character in world.characters.values():
            if character.room_id not in world.rooms:
                log.warning(message, character.name, "in", character.room_id, world.start_room_id)
                character.room_id = world.start_room_id
        for thing in world.things.values():
            if thing.place_id not in places and not self._is_missing_room(thing.place_id):
                log.warning(message, thing.name, "at", thing.place_id, world.start_room_id)
                thing.place_id = world.start_room_id

    def _is_missing_room(self, place: str) -> bool:
        """Return whether a place is a room whose note is gone: an exit leads there, or the note is in the trash."""
        return bool(self._world.closed_exits_to(place)) or newest_in_trash(self._vault, "rooms", place) is not None


class _OpenList:
    """The list on disk, open at its end. `lines` is how many lines about somebody it has."""

    def __init__(self, vault: Vault, descriptor: int, lines: int) -> None:
        self._vault = vault
        self._path = vault.path(*LOCATIONS)
        self._descriptor = descriptor
        self._opened = os.fstat(descriptor)
        self._size = self._opened.st_size
        self.lines = lines

    def close(self) -> None:
        """Close it, once; nothing is added any more."""
        os.close(self._descriptor)

    def is_there(self) -> bool:
        """Return whether the file is still the one that is open, and nobody else has written to it."""
        try:
            found = os.stat(self._path)
        except OSError:
            return False
        return os.path.samestat(found, self._opened) and found.st_size == self._size

    def append(self, lines: Iterable[str]) -> None:
        """Add lines. Raises: NoteError."""
        text = "".join(lines).encode()
        try:
            self._vault.disk.append(self._descriptor, text)
        except OSError as error:
            raise NoteError(f"{'/'.join(LOCATIONS)}: cannot be written: {error.strerror}.") from error
        self._size += len(text)
        self.lines += text.count(b"\n")


class _Draft:
    """A list that is being rewritten, a piece at a time. `missed` is what was added to the old one meanwhile."""

    def __init__(self, vault: Vault, lines: Iterator[str]) -> None:
        self._vault = vault
        self._lines = lines
        self._path = vault.path(*DRAFT)
        self._descriptor: int | None = None
        self.missed: list[str] = []

    def goes_on(self) -> bool:
        """Write a piece; return whether there was one. Raises: NoteError."""
        piece = "".join(islice(self._lines, PIECE_LINES)).encode()
        try:
            if self._descriptor is None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND
                self._descriptor = os.open(self._path, flags, 0o666)
            if piece:
                self._vault.disk.append(self._descriptor, piece)
        except OSError as error:
            raise self._error(error) from error
        return bool(piece)

    def commit(self, lines: int) -> _OpenList:
        """Add the missed moves and replace the old list. Raises: NoteError."""
        assert self._descriptor is not None
        try:
            if self.missed:
                self._vault.disk.append(self._descriptor, "".join(self.missed).encode())
            path = self._vault.file(*LOCATIONS)
            self._vault.disk.replace(self._path, path)
            self._vault.force_soon(path)
        except OSError as error:
            raise self._error(error) from error
        descriptor, self._descriptor = self._descriptor, None
        return _OpenList(self._vault, descriptor, lines + len(self.missed))

    def close(self) -> None:
        """Give it up, or leave it to the list that it has become."""
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = None

    def _error(self, error: OSError) -> NoteError:
        self.close()
        return NoteError(f"{'/'.join(LOCATIONS)}: cannot be written: {error.strerror}.")


def _number_line(of: str, number: int) -> str:
    return f"Last {of} number: {number}\n"


def _line(name: str, place: str) -> str:
    return f"- {link_or_name(name)}: {link_or_name(place)}\n"
