"""The locations log, `world/whereabouts.md`: the last line about a character or thing counts.

    - [[lamp]]: [[Attic]]
    - [[coin]]: [[Attic]] until [[purse]] is back
    - [[cup]]: gone

Something in the log that has no note is hidden: it comes back with the note, to the place that the log has. What was in
it is somewhere else until then. Something that was destroyed, or let go by `@prune`, is gone.

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
from dataclasses import dataclass
from itertools import islice

from vault.errors import NoteError
from vault.note import link_or_name, link_target
from vault.trash import newest_in_trash
from vault.vault import Vault
from world.entities import Character, Thing
from world.world import World

log = logging.getLogger(__name__)

LOCATIONS = ("world", "whereabouts.md")
DRAFT = ("world", ".whereabouts.md.draft")
OPENING = "Who and what is where. The world adds a line at each move; the last line about somebody or something counts."
MIN_LINES_TO_COMPACT = 2000
COMPACT_FACTOR = 4
PIECE_LINES = 200
"""The limits of the list: it is rewritten above so many lines and so many times its need, in pieces of lines."""

LINE = re.compile(
    r"\s*[-*+] (?P<name>\[\[[^\]]+\]\]|[^\[].*?): *(?P<place>\[\[[^\]]+\]\]|[^\s\[].*?)"
    r"(?: until (?P<home>\[\[[^\]]+\]\]|[^\s\[].*?) is back)?\s*"
)
GONE = "gone"
"""The place of something that was destroyed or let go; not a link, so it is no room of this name."""

GUEST = re.compile(r"Guest\d+")
"""The name of a guest, who never has a note and is never hidden."""

NUMBER = re.compile(r"Last (?P<of>room|guest) number: (?P<number>[1-9]\d{0,8})\s*")


@dataclass(frozen=True)
class LocationLine:
    """Where something is, and where it belongs if it had to move from there because that is hidden."""

    place: str
    home: str = ""


class LocationsLog:
    """The list, and the world whose places it tells.

    Raises: NoteError if there is a list and it cannot be read.
    """

    def __init__(self, vault: Vault, world: World) -> None:
        self._vault = vault
        self._world = world
        self._lines: dict[str, LocationLine] = {}
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
        return frozenset(parse_locations(vault.read_text(*LOCATIONS).split("\n")))

    def restore(self) -> None:
        """Put characters and things where the log says; what is not in it stays where its note says.

        What has no note is hidden. Its contents are placed where it was last, until it is back. Things in a room whose
        note is gone stay there, out of reach, until the note is back. Anything left without a place goes to the start
        room. Numbers of rooms and guests are never given twice.
        """
        world, hidden = self._world, self._world.hidden
        world.last_number = max(world.last_number, self._numbers.get("room", 0))
        world.last_guest = max(world.last_guest, self._numbers.get("guest", 0))
        homes = {name: line.home or self._without_guests(line.place) for name, line in self._lines.items()}
        hidden.places |= {n: home for n, home in homes.items() if not (hidden.is_place(n) or GUEST.fullmatch(n))}
        for name, home in homes.items():
            if character := world.characters.get(name):
                self._restore_character(character, home)
            elif thing := world.things.get(name):
                self._restore_thing(thing, home)
        self._settle_strays()

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

    def _without_guests(self, place: str) -> str:
        """Return a place, or where the guest was last who was it and has gone."""
        for _ in range(len(self._lines)):
            is_left = place in self._lines and GUEST.fullmatch(place) and not self._world.hidden.is_place(place)
            place = self._lines[place].place if is_left else place
        return place

    def _restore_character(self, character: Character, home: str) -> None:
        world, line = self._world, self._lines[character.character_id]
        if home in world.rooms:
            character.room_id = home
        else:
            rooms = line.place, character.room_id, world.start_room_id
            world.hidden.places.setdefault(home, "")
            world.hidden.displace(character, home, next(room_id for room_id in rooms if room_id in world.rooms))

    def _restore_thing(self, thing: Thing, home: str) -> None:
        hidden = self._world.hidden
        place, put = hidden.resolve(home), self._lines[thing.thing_id].place
        thing.place_id = place
        if hidden.is_place(place) or self._is_missing_room(place):
            if place != home:
                hidden.displace(thing, home, place)
        elif not GUEST.fullmatch(home):
            if not hidden.is_place(put):
                put = self._world.start_room_id
                self._warn_of_stray(thing, home)
            hidden.places.setdefault(home, "")
            hidden.displace(thing, home, put)

    def _new_lines(self) -> list[str]:
        world, lines = self._world, []
        tables = world.characters, world.things
        moved = [one.id for table in tables for one in table.drain_moved()]
        removed = [one_id for table in tables for one_id in table.drain_removed()]
        for one_id in dict.fromkeys([*moved, *removed, *world.hidden.drain_changed()]):
            line = self._line_of(one_id)
            if self._lines.get(one_id) == line:
                continue
            lines.append(_format(one_id, line))
            if line:
                self._lines[one_id] = line
            else:
                self._lines.pop(one_id, None)
        for of, number in (("room", world.last_number), ("guest", world.last_guest)):
            if number and number != self._numbers.get(of):
                self._numbers[of] = number
                lines.append(_number_line(of, number))
        return lines

    def _line_of(self, one_id: str) -> LocationLine | None:
        """Return what is to be kept of a character or thing; None if it is neither in the world nor hidden."""
        world = self._world
        if one := world.characters.get(one_id) or world.things.get(one_id):
            return LocationLine(one.location_id, world.hidden.home_of(one))
        return LocationLine(place) if (place := world.hidden.places.get(one_id)) else None

    def _rewrite(self) -> None:
        if self._draft:
            self._draft.close()
        self._draft = None
        self._drop_removed()
        draft = _Draft(self._vault, self._text())
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
        old, self._list = self._list, draft.commit(len(self._lines))
        if old:
            old.close()

    def _compact(self) -> None:
        """Write a piece of a list without the lines that count no more, if this one has grown long."""
        grown = self._list and self._list.lines > max(MIN_LINES_TO_COMPACT, COMPACT_FACTOR * len(self._lines))
        if grown and not self._draft:
            self._drop_removed()
        draft = self._draft or (_Draft(self._vault, self._text()) if grown else None)
        self._draft = None  # one that fails is begun again
        if draft and draft.goes_on():
            self._draft = draft
        elif draft:
            self._continue_file(draft)

    def _text(self) -> Iterator[str]:
        lines = dict(self._lines)
        yield f"{OPENING}\n\n"
        if self._numbers:
            yield "".join([*(_number_line(of, number) for of, number in self._numbers.items()), "\n"])
        yield from (_format(name, line) for name, line in lines.items())

    def _drop_removed(self) -> None:
        """Keep the lines of what is in the world or hidden; guests whom a crash left in the log are dropped."""
        world = self._world
        known = {*world.characters, *world.things, *world.hidden.places}
        self._lines = {name: line for name, line in self._lines.items() if name in known}

    def _read(self) -> None:
        if not self._vault.exists(*LOCATIONS):
            return
        lines = self._vault.read_text(*LOCATIONS).split("\n")[:-1]  # what follows the last line end was cut off
        for match in filter(None, map(NUMBER.fullmatch, lines)):
            self._numbers[match["of"]] = max(self._numbers.get(match["of"], 0), int(match["number"]))
        self._lines = parse_locations(lines)

    def _settle_strays(self) -> None:
        world = self._world
        for character in world.characters.values():
            if character.room_id not in world.rooms:
                self._warn_of_stray(character, character.room_id)
                character.room_id = world.start_room_id
        for thing in world.things.values():
            if not (world.hidden.is_place(thing.place_id) or self._is_missing_room(thing.place_id)):
                self._warn_of_stray(thing, thing.place_id)
                thing.place_id = world.start_room_id

    def _warn_of_stray(self, one: Thing | Character, place: str) -> None:
        where, start = "at" if isinstance(one, Thing) else "in", self._world.start_room_id
        log.warning("%s was %s %r, which does not exist; moved to %s", one.name, where, place, start)

    def _is_missing_room(self, place: str) -> bool:
        """Return whether a place is a room whose note is gone: an exit leads there, or the note is in the trash."""
        return bool(self._world.closed_exits_to(place)) or newest_in_trash(self._vault, "rooms", place) is not None


def parse_locations(lines: Iterable[str]) -> dict[str, LocationLine]:
    """Return what the last of some lines about each character and thing says, by name; nothing of what is gone."""
    found: dict[str, LocationLine] = {}
    for match in filter(None, map(LINE.fullmatch, lines)):
        name = link_target(match["name"])
        if match["place"] == GONE:
            found.pop(name, None)
        else:
            found[name] = LocationLine(link_target(match["place"]), link_target(match["home"]))
    return found


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


def _format(name: str, line: LocationLine | None) -> str:
    until = f" until {link_or_name(line.home)} is back" if line and line.home else ""
    return f"- {link_or_name(name)}: {link_or_name(line.place) if line else GONE}{until}\n"
