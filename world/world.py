"""The world: all rooms, things and characters, where they are, and what is said."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from world.bulletin_board import Board
from world.entities import Character, Entity, Ref, Room, Thing
from world.errors import WorldError
from world.game_time import GameTime
from world.location_index import EntityTable, LocationIndex
from world.message_catalog import Wording
from world.undo import UndoHistory

MAX_CONTAINER_DEPTH = 16
"""How many containers may stand in one another."""


class World:
    """All rooms, things and characters, by id: no two of them share one, in whatever case. Their tables hold to that.

    `start_room_id` is where newcomers arrive, `presence` tells how long somebody has been still or gone, as far as
    anybody outside knows, `time` is the time that it is there; `wording` is what the world says. `last_number` is the
    highest number that a room ever had: no room is given that of one that is gone. More than `crowd` people in a
    room are a crowd, in which nobody minds who comes and goes; 0 if no number is.
    """

    def __init__(
        self,
        rooms: Iterable[Room],
        things: Iterable[Thing] = (),
        characters: Iterable[Character] = (),
        start_room_id: str = "",
        wording: Wording | None = None,
    ) -> None:
        self.rooms = EntityTable[Room]()
        self.things = LocationIndex[Thing]()
        self.characters = LocationIndex[Character]()
        self._share_names()
        self.rooms.add((room.room_id, room) for room in rooms)
        self.things.add((thing.thing_id, thing) for thing in things)
        self.characters.add((character.character_id, character) for character in characters)
        self.board = Board()
        self.presence: Callable[[str], Presence] = no_presence
        self.crowd = 0
        self.undo_history = UndoHistory()
        self.last_number = max((room.number for room in self.rooms.values()), default=0)
        self.wording = wording or Wording()
        self.time = GameTime()
        if not self.rooms:
            raise WorldError("A world needs at least one room.")
        self.start_room_id = start_room_id or next(iter(self.rooms))
        if self.start_room_id not in self.rooms:
            raise WorldError(f"The start room {self.start_room_id!r} does not exist; rooms: {', '.join(self.rooms)}.")

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._share_names()

    def _share_names(self) -> None:
        tables = (self.rooms, self.things, self.characters)
        for table in tables:
            table.share_ids_with(*(other for other in tables if other is not table))

    def id_like(self, name: str) -> str | None:
        """Return the id of the room, thing or character that a name is, whatever its case; None if it is free."""
        found = (table.id_like(name) for table in (self.rooms, self.things, self.characters))
        return next(filter(None, found), None)

    def get(self, ref: Ref) -> Entity | None:
        """Return what a kind and an id name, or None if there is no such thing (any more)."""
        kind, entity_id = ref
        match kind:
            case "room":
                return self.rooms.get(entity_id)
            case "thing":
                return self.things.get(entity_id)
            case _:
                return self.characters.get(entity_id)

    def put(self, entity: Entity) -> None:
        """Put something new into the world, or something in the place of what has the same kind and id."""
        match entity:
            case Room():
                self.rooms[entity.id] = entity
                self.last_number = max(self.last_number, entity.number)
            case Thing():
                self.things[entity.id] = entity
            case Character():
                self.characters[entity.id] = entity

    def entities(self) -> Iterator[Entity]:
        """Yield every room, thing and character."""
        yield from self.rooms.values()
        yield from self.things.values()
        yield from self.characters.values()

    def room_of(self, character: Character) -> Room:
        """Return the room that a character is in."""
        return self.rooms[character.room_id]

    def containing_room(self, one: Room | Thing | Character) -> Room | None:
        """Return the room that something is in, in whosever hands or in whatever container; None if in none now."""
        for _ in range(MAX_CONTAINER_DEPTH):
            match one:
                case Room():
                    return one
                case Character():
                    return self.rooms.get(one.room_id) if one.awake else None
            place_id = one.place_id
            found = self.rooms.get(place_id) or self.characters.get(place_id) or self.things.get(place_id)
            if found is None:
                return None
            one = found
        return None

    def containers_around(self, place_id: str) -> list[str]:
        """Return the ids of the things that a place is or is in, from the innermost on, each once."""
        around: dict[str, None] = {}
        while place_id in self.things and place_id not in around:
            around[place_id] = None
            place_id = self.things[place_id].place_id
        return list(around)

    def occupants(self, room_id: str) -> list[Character]:
        """Return everyone awake in a room, in the order in which they came into the world."""
        return self.characters.at(room_id, "awake")

    def count_occupants(self, room_id: str) -> int:
        """Return how many are awake in a room."""
        return self.characters.count_at(room_id, "awake")

    def is_crowded(self, room_id: str) -> bool:
        """Return whether a room is full of a crowd."""
        return 0 < self.crowd < self.count_occupants(room_id)

    def things_at(self, place_id: str) -> list[Thing]:
        """Return the things in a room or carried by a character."""
        return self.things.at(place_id)

    def awake(self) -> list[Character]:
        """Return everyone who is in the world now."""
        return [character for character in self.characters.values() if character.awake]

    def next_number(self) -> int:
        """Return the number of a new room."""
        self.last_number += 1
        return self.last_number

    def add_character(self, character: Character) -> None:
        """Put a new character into the world.

        Raises: WorldError if the name is taken or the room does not exist.
        """
        if character.character_id in self.characters:
            raise WorldError(f"There is already somebody called {character.character_id!r}.")
        if character.room_id not in self.rooms:
            raise WorldError(f"{character.character_id} cannot be in {character.room_id!r}: there is no such room.")
        self.characters[character.character_id] = character


@dataclass(frozen=True)
class Presence:
    """Seconds since somebody awake typed something, and since somebody asleep was here; None where nobody knows."""

    idle_seconds: int | None = None
    away_seconds: int | None = None


def no_presence(character_id: str) -> Presence:
    """Return that nothing is known of somebody."""
    return Presence()
