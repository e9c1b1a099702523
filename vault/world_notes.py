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
from vault.character_notes import load_person
from vault.character_notes import save_person as save_person
from vault.folder import Vault
from vault.notes import Note, NoteError, link, link_target
from vault.room_notes import load_room, room_names
from vault.text_notes import load_wording
from vault.thing_notes import load_thing
from world.errors import WorldError
from world.model import World

log = logging.getLogger(__name__)

T = TypeVar("T")

WHEREABOUTS = ("world", "whereabouts.md")


def load_world(vault: Vault, settings: WorldSettings) -> World:
    """Return the world that the vault's notes describe, with everyone where they were last.

    Everyone is asleep. A note of a thing, person or agent that is not valid is left out with a warning.
    Raises: NoteError if a room is not valid or leads nowhere, naming file and line.
    """
    known = room_names(vault)
    rooms = [load_room(vault, name, known) for name in vault.names("rooms")]
    things = list(_valid(lambda name: load_thing(vault, name), vault.names("things")))
    people = list(_valid(lambda name: load_person(vault, name, settings.start_room), vault.names("people")))
    agents = list(_valid(lambda name: load_agent(vault, name).character, agent_names(vault)))
    try:
        world = World(rooms, things, [*agents, *people], settings.start_room, load_wording(vault))
    except WorldError as error:
        raise NoteError(f"config/world.md: {error}") from error
    Whereabouts(vault, world).restore()
    return world


class Whereabouts:
    """Where every character and thing is, in one note that is written whenever somebody or something moved.

    What the note says of someone or something that was left out, or is no more, stays in it. Raises: NoteError if
    the note cannot be read.
    """

    def __init__(self, vault: Vault, world: World) -> None:
        self._vault = vault
        self._world = world
        note = vault.read(*WHEREABOUTS) if vault.exists(*WHEREABOUTS) else Note("")
        self._characters = dict(_pairs(note, "Characters"))
        self._things = dict(_pairs(note, "Things"))
        self._saved = ""

    def restore(self) -> None:
        """Put everyone and everything where the note says; who is not in it stays where its own note says."""
        world = self._world
        places = {*world.rooms, *world.characters, *world.things}
        for name, place in self._characters.items():
            if name in world.characters and place in world.rooms:
                world.characters[name].room_id = place
        for name, place in self._things.items():
            if name in world.things and place in places:
                world.things[name].place_id = place
        self._settle_strays()

    def save(self) -> None:
        """Write the note if anything in it has changed. Raises: NoteError."""
        characters = {c.name: c.room_id for c in self._world.characters.values()}
        things = {t.name: t.place_id for t in self._world.things.values()}
        body = "\n".join(
            ["Written by the world while it runs and read when it starts.", "", "## Characters"]
            + [_line(name, place) for name, place in (self._characters | characters).items()]
            + ["", "## Things"]
            + [_line(name, place) for name, place in (self._things | things).items()]
        )
        if body != self._saved:
            self._vault.write(Note("", {}, body), *WHEREABOUTS)
            self._saved = body

    def _settle_strays(self) -> None:
        world = self._world
        places = {*world.rooms, *world.characters, *world.things}
        for character in world.characters.values():
            if character.room_id not in world.rooms:
                log.warning(
                    "%s was in %r, which does not exist; moved to %s",
                    character.name,
                    character.room_id,
                    world.start_room_id,
                )
                character.room_id = world.start_room_id
        for thing in world.things.values():
            if thing.place_id not in places:
                log.warning(
                    "%s was at %r, which does not exist; moved to %s", thing.name, thing.place_id, world.start_room_id
                )
                thing.place_id = world.start_room_id


def _pairs(note: Note, section: str) -> Iterator[tuple[str, str]]:
    text, _ = note.sections().get(section, ("", 0))
    for line in text.split("\n"):
        name, found, place = line.strip().removeprefix("- ").partition(": ")
        if found:
            yield link_target(name), link_target(place)


def _line(name: str, place: str) -> str:
    return f"- {link(name)}: {link(place)}"


def _valid(load: Callable[[str], T], names: Iterable[str]) -> Iterator[T]:
    for name in names:
        try:
            yield load(name)
        except NoteError as error:
            log.warning("left out: %s", error)
