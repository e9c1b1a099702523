"""The notes of rooms, things and people as a world, and where everyone and everything was last.

`rooms`, `things` and `people` are written by hand or once; where things and characters are now is saved in
`world/whereabouts.md`, so that no note that somebody edits is ever written to because somebody moved.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Container, Iterable, Iterator
from typing import TypeVar

from config.settings import WorldSettings
from vault.agent_notes import agent_names, load_agent
from vault.folder import Vault, check_name
from vault.notes import Note, NoteError, link, link_target
from vault.text_notes import load_wording
from world.errors import WorldError
from world.model import Character, Detail, Exit, Room, Thing, World

log = logging.getLogger(__name__)

T = TypeVar("T")

WHEREABOUTS = ("world", "whereabouts.md")


def load_world(vault: Vault, settings: WorldSettings) -> World:
    """Return the world that the vault's notes describe, with everyone where they were last.

    Everyone is asleep. A note of a thing, person or agent that is not valid is left out with a warning.
    Raises: NoteError if a room is not valid or leads nowhere, naming file and line.
    """
    names = vault.names("rooms")
    rooms = [_room(vault.read("rooms", f"{name}.md"), name, names) for name in names]
    things = list(_valid(lambda name: _thing(vault, name), vault.names("things")))
    people = list(_valid(lambda name: _person(vault, name, settings), vault.names("people")))
    agents = list(_valid(lambda name: load_agent(vault, name).character, agent_names(vault)))
    try:
        world = World(rooms, things, [*agents, *people], settings.start_room, load_wording(vault))
    except WorldError as error:
        raise NoteError(f"config/world.md: {error}") from error
    Whereabouts(vault, world).restore()
    return world


def save_person(vault: Vault, character: Character) -> None:
    """Write the note of somebody new. Raises: NoteError."""
    vault.write(Note("", {"tags": ["person"]}, character.description), "people", f"{check_name(character.name)}.md")


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
        for name, place in self._characters.items():
            if name in world.characters and place in world.rooms:
                world.characters[name].room_id = place
        for name, place in self._things.items():
            if name in world.things and (place in world.rooms or place in world.characters):
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
            if thing.place_id not in world.rooms and thing.place_id not in world.characters:
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


def _room(note: Note, name: str, rooms: Container[str]) -> Room:
    number = note.properties.get("number", 0)
    exits = [(Exit(e.name, link_target(e.value), e.aliases), e.line) for e in note.entries("Exits")]
    details = [Detail(d.name, d.value, d.aliases) for d in note.entries("Details")]
    seen: set[str] = set()
    for exit, line in exits:
        if exit.room_id not in rooms:
            raise NoteError(
                f"{note.source}:{line}: the exit {exit.name!r} leads to {exit.room_id!r}, which has no note in rooms."
            )
        twice = seen & {exit.name, *exit.aliases}
        if twice:
            raise NoteError(
                f"{note.source}:{line}: two exits are called {', '.join(sorted(twice))}; give one another name."
            )
        seen |= {exit.name, *exit.aliases}
    return Room(
        name,
        note.sections()[""][0],
        {exit.name: exit for exit, _ in exits},
        {detail.name: detail for detail in details},
        number if isinstance(number, int) else 0,
        _listed(note, "tags"),
    )


def _thing(vault: Vault, name: str) -> Thing:
    note = vault.read("things", f"{name}.md")
    return Thing(name, link_target(note.properties.get("at")), note.body.strip("\n"), _names(note))


def _person(vault: Vault, name: str, settings: WorldSettings) -> Character:
    note = vault.read("people", f"{name}.md")
    return Character(name, settings.start_room, note.body.strip("\n"))


def _names(note: Note) -> tuple[str, ...]:
    return tuple(alias.lower() for alias in _listed(note, "aliases"))


def _listed(note: Note, key: str) -> tuple[str, ...]:
    found = note.properties.get(key) or []
    return tuple(str(one) for one in (found if isinstance(found, list) else [found]))
