"""The notes of rooms, things and people as a world, and where everyone and everything was last.

`rooms`, `things` and `people` are written by hand or once; where things and characters are now is saved in
`world/whereabouts.md`, so that no note that somebody edits is ever written to because somebody moved.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TypeVar

from config.settings import WorldSettings
from vault.agent_notes import agent_names, load_agent
from vault.folder import Vault
from vault.notes import NoteError
from vault.partial_rooms import load_partial_room
from vault.subjects.character_notes import load_person
from vault.subjects.character_notes import save_person as save_person
from vault.subjects.known_notes import KnownNotes
from vault.subjects.room_notes import load_room
from vault.subjects.thing_notes import inside_itself, load_thing
from vault.text_notes import load_wording
from vault.whereabouts import WHEREABOUTS as WHEREABOUTS
from vault.whereabouts import Whereabouts as Whereabouts
from world.entities import Room
from world.errors import WorldError
from world.sanitize import name_key
from world.world import World

log = logging.getLogger(__name__)

T = TypeVar("T")


def load_world(vault: Vault, settings: WorldSettings, known: KnownNotes | None = None) -> World:
    """Return the world that the vault's notes describe, with everyone where they were last.

    Everyone is asleep. A room whose note is not valid is open with what can be read of it; a thing, person or agent
    is left out then, and so is what has the name of something else. All this is logged, with file, line and remedy.
    `known` is told what each note says, where things start out included, and which notes are not valid.
    Raises: NoteError if there is no room at all, or none that is the start room.
    """
    known = known or KnownNotes()
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
    known.begin(world)
    Whereabouts(vault, world).restore()
    _untangle(world, known)
    return world


def _rooms(vault: Vault, known: KnownNotes) -> list[Room]:
    names: dict[str, str] = {}
    for name in vault.names("rooms"):
        first = names.setdefault(name_key(name), name)
        if first != name:
            _leave_out(f"rooms/{name}.md: {_same_name(name, f'rooms/{first}.md')}", known.broken)
    links = names | {name: name for name in names.values()}
    return [_room(vault, name, links, known) for name in names.values()]


def _room(vault: Vault, name: str, links: Mapping[str, str], known: KnownNotes) -> Room:
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


def _untangle(world: World, known: KnownNotes) -> None:
    """Take a thing that is inside itself, which no one could ever find, into the start room."""
    for thing in world.things.values():
        around = world.things_around(thing.place_id)
        if thing.thing_id in around:
            why = inside_itself(thing.thing_id, around)
            thing.place_id = world.start_room_id
            known.broken[f"things/{thing.thing_id}.md"] = why
            log.warning("%s Until then it is in %s.", why, world.start_room_id)
