"""The notes of rooms, things and people as a world, and where everyone and everything was last.

`rooms`, `things` and `people` are written by hand or once; where things and characters are now is saved in
`world/whereabouts.md`, so that no note that somebody edits is ever written to because somebody moved.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from config.settings import WorldSettings
from vault.agent_notes import agent_names, load_agent
from vault.folder import Vault
from vault.notes import NoteError
from vault.subjects.character_notes import load_person
from vault.subjects.character_notes import save_person as save_person
from vault.subjects.known_notes import KnownNotes
from vault.subjects.room_notes import load_room, room_names
from vault.subjects.thing_notes import load_thing
from vault.text_notes import load_wording
from vault.whereabouts import WHEREABOUTS as WHEREABOUTS
from vault.whereabouts import Whereabouts as Whereabouts
from world.errors import WorldError
from world.model import World

log = logging.getLogger(__name__)

T = TypeVar("T")


def load_world(vault: Vault, settings: WorldSettings, known: KnownNotes | None = None) -> World:
    """Return the world that the vault's notes describe, with everyone where they were last.

    Everyone is asleep. A note of a thing, person or agent that is not valid is left out with a warning. `known` is told
    what each note says, where things start out included.
    Raises: NoteError if a room is not valid or leads nowhere, naming file and line.
    """
    links = room_names(vault)
    rooms = [load_room(vault, name, links) for name in vault.names("rooms")]
    things = list(_valid(lambda name: load_thing(vault, name), vault.names("things")))
    people = list(_valid(lambda name: load_person(vault, name, settings.start_room), vault.names("people")))
    agents = list(_valid(lambda name: load_agent(vault, name).character, agent_names(vault)))
    try:
        world = World(rooms, things, [*agents, *people], settings.start_room, load_wording(vault))
    except WorldError as error:
        raise NoteError(f"config/world.md: {error}") from error
    world.crowd = settings.crowd
    if known is not None:
        known.begin(world)
    Whereabouts(vault, world).restore()
    return world


def _valid(load: Callable[[str], T], names: Iterable[str]) -> Iterator[T]:
    for name in names:
        try:
            yield load(name)
        except NoteError as error:
            log.warning("left out: %s", error)
