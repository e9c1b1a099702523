"""The notes of rooms, things and people as a world, and where everyone and everything was last.

`rooms`, `things` and `people` are written by hand or once; where things and characters are now is saved in
`world/whereabouts.md`, so that no note that somebody edits is ever written to because somebody moved.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from config.settings import WorldSettings
from vault.entities.agent_notes import load_agent
from vault.entities.schema import inside_itself, load_person, load_room, load_thing
from vault.entities.store import MergeBase
from vault.errors import NoteError
from vault.findings import Overlay, collect_errors
from vault.locations_log import LocationsLog
from vault.message_notes import load_wording
from vault.note import with_plain_ends
from vault.vault import Vault, agent_names
from world.entities import Room
from world.errors import WorldError
from world.sanitize import name_key
from world.world import World

log = logging.getLogger(__name__)

T = TypeVar("T")


def load_world(vault: Vault, settings: WorldSettings, known: MergeBase | None = None) -> World:
    """Return the world that the vault's notes describe, with everyone where they were last.

    Everyone is asleep. A room whose note is not valid is open with what can be read of it; a thing, person or agent
    is left out then, and so is what has the name of something else. All this is logged, with file, line and remedy.
    `known` is told what each note says, where things start out included, and which notes are not valid.
    Raises: NoteError if there is no room at all, or none that is the start room.
    """
    known = known or MergeBase()
    rooms = _rooms(vault, known)
    taken = {name_key(room.room_id): f"rooms/{room.room_id}.md" for room in rooms}
    valid = partial(_valid, taken=taken, broken=known.broken)
    agents = list(valid("agents/{}/agent.md", lambda name: load_agent(vault, name).character, agent_names(vault)))
    people = list(
        valid("people/{}.md", lambda name: load_person(vault, name, settings.start_room), vault.names("people"))
    )
    things = list(valid("things/{}.md", lambda name: load_thing(vault, name), vault.names("things")))
    try:
        world = World(rooms, things, [*agents, *people], settings.start_room, load_wording(vault))
    except WorldError as error:
        raise NoteError(f"config/world.md: {error}") from error
    world.crowd = settings.crowd
    known.reset(world)
    LocationsLog(vault, world).restore()
    _untangle(world, known)
    return world


def _rooms(vault: Vault, known: MergeBase) -> list[Room]:
    names: dict[str, str] = {}
    for name in vault.names("rooms"):
        first = names.setdefault(name_key(name), name)
        if first != name:
            _leave_out(f"rooms/{name}.md: {_same_name(name, f'rooms/{first}.md')}", known.broken)
    links = names | {name: name for name in names.values()}
    return [_room(vault, name, links, known) for name in names.values()]


def _room(vault: Vault, name: str, links: Mapping[str, str], known: MergeBase) -> Room:
    try:
        return load_room(vault, name, links)
    except NoteError as error:
        known.broken[f"rooms/{name}.md"] = str(error)
        found = load_partial_room(vault, name, links)
    for fault in found.faults:
        log.warning("%s The room is open without it; once the note is mended, all of it counts.", fault)
    if not found.may_be_written:
        known.unread.add(("room", name))
    return found.room


def _valid(
    source: str, load: Callable[[str], T], names: Iterable[str], taken: dict[str, str], broken: dict[str, str]
) -> Iterator[T]:
    for name in names:
        place = source.format(name)
        other = taken.setdefault(name_key(name), place)
        try:
            if other != place:
                raise NoteError(f"{place}: {_same_name(name, other)}")
            yield load(name)
        except NoteError as error:
            _leave_out(str(error), broken, place)


def _leave_out(why: str, broken: dict[str, str], source: str = "") -> None:
    broken[source or why.partition(": ")[0]] = why
    log.warning("left out: %s", why)


def _same_name(name: str, other: str) -> str:
    return f"{name!r} is the name of {other} too; everything in a world has a name of its own. Rename one."


def _untangle(world: World, known: MergeBase) -> None:
    """Take a thing that is inside itself, which no one could ever find, into the start room."""
    for thing in world.things.values():
        around = world.containers_around(thing.place_id)
        if thing.thing_id in around:
            why = inside_itself(thing.thing_id, around)
            thing.place_id = world.start_room_id
            known.broken[f"things/{thing.thing_id}.md"] = why
            log.warning("%s Until then it is in %s.", why, world.start_room_id)


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
    source = f"rooms/{name}.md"
    text = vault.read_lossy(source)
    faults: dict[str, None] = {}
    for part in (None, text, _without_front_matter(text)):
        overlay = Overlay(vault)
        if part is not None:
            overlay.show(source, part)
        faults |= {str(fault): None for fault in collect_errors(overlay, lambda vault: _load(vault, name, known))}
        try:
            return PartialRoom(load_room(overlay, name, known), tuple(faults), part is None)
        except NoteError:
            continue
    return PartialRoom(Room(name), tuple(faults), False)


def _load(vault: Vault, name: str, known: Mapping[str, str]) -> Room | None:
    return load_room(vault, name, known) if vault.exists("rooms", f"{name}.md") else None


def _without_front_matter(text: str) -> str:
    """Return a text whose front matter is blank lines; if nothing ends it, it ends at the first blank line."""
    lines = with_plain_ends(text).removeprefix("\ufeff").split("\n")
    if not _FENCE.fullmatch(lines[0]):
        return text
    fences = (index for index, line in enumerate(lines) if index and _FENCE.fullmatch(line))
    blanks = (index for index, line in enumerate(lines) if not line.strip())
    end = next(fences, None) or next(blanks, len(lines) - 1)
    return "\n".join([""] * (end + 1) + lines[end + 1 :])
