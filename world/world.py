"""The world: all entities and their locations, the boards, and the undo history."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from world.entities import FIELDS, Character, ClosedExit, Entity, Exit, Ref, Room, Thing
from world.errors import WorldError
from world.game_time import GameTime
from world.hidden import HiddenEntities
from world.location_index import EntityTable, LocationIndex
from world.lore import Lore
from world.message_catalog import Wording
from world.parsing import collapse_whitespace

MAX_UNDO_STEPS = 50
"""Maximum number of acts of one builder that are kept."""

MADE_BY = "made_by"
CHANGED_BY = "changed_by"
"""The properties that name the maker of something, and its last changer."""

_PROPERTY = "properties."

SCOPES = ("turn", "scene", "world")
"""Until its author's next turn; until its author leaves the room; until it is taken down."""

MAX_ENDED = 200
REPLACED, WITHDRAWN, FAILED = "replaced", "withdrawn", "its turn failed"
TURN_OVER, SCENE_OVER = "its turn ended", "its scene ended"
ENDINGS = (REPLACED, WITHDRAWN, FAILED, TURN_OVER, SCENE_OVER)
MAX_CONTAINER_DEPTH = 16
"""Maximum depth of containers in one another."""


@dataclass(frozen=True)
class UndoStep:
    """One thing that a builder did to something called `name`.

    `before` and `after` hold the fields that differ, by what they belong to. `made` are rooms and things that did not
    exist before, with all their fields; `gone` the very objects that do not exist any more. `moved` are things that
    had to go elsewhere: where from, where to.
    """

    name: str
    before: Mapping[Ref, Mapping[str, object]]
    after: Mapping[Ref, Mapping[str, object]]
    made: Mapping[Ref, Mapping[str, object]] = field(default_factory=dict)
    gone: Mapping[Ref, Entity] = field(default_factory=dict)
    moved: Mapping[str, tuple[str, str]] = field(default_factory=dict)


class UndoHistory:
    """The last acts of every builder, oldest first.

    An act is undone field by field, and a field only while it is still as the act left it, so that nobody else's work
    is undone with it.
    """

    def __init__(self) -> None:
        self._acts: dict[str, deque[UndoStep]] = {}

    def add(self, builder_id: str, act: UndoStep) -> None:
        """Keep an act; the oldest of too many is forgotten."""
        self._acts.setdefault(builder_id, deque(maxlen=MAX_UNDO_STEPS)).append(act)

    def last(self, builder_id: str) -> UndoStep | None:
        """Return the last act of a builder that was not taken back, or None."""
        acts = self._acts.get(builder_id)
        return acts[-1] if acts else None

    def drop(self, builder_id: str) -> None:
        """Forget the last act of a builder."""
        self._acts[builder_id].pop()


def snapshot(entity: Entity) -> dict[str, object]:
    """Return the fields that a builder can change of a room, thing or character, each property for itself."""
    found: dict[str, object] = {}
    for name, stored in FIELDS[entity.kind].items():
        if not stored.is_undone:
            continue
        value = getattr(entity, name)
        if name == "properties":
            found |= {f"{_PROPERTY}{key}": text for key, text in value.items() if key not in (MADE_BY, CHANGED_BY)}
        else:
            found[name] = dict(value) if isinstance(value, dict) else value
    return found


def restore(entity: Entity, values: Mapping[str, object], names: Mapping[str, object]) -> None:
    """Give the fields in `names` their `values` again; a property that has none is taken away."""
    for name in names:
        key, value = name.removeprefix(_PROPERTY), values.get(name)
        if key == name:
            setattr(entity, name, dict(value) if isinstance(value, dict) else value)
        elif name in values:
            entity.properties[key] = str(value)
        else:
            entity.properties.pop(key, None)


@dataclass(frozen=True)
class Notice:
    """One thing shared. `label` is its type, `room_id` its scene's; `ended` says why it is up no more, if it is not."""

    entry_id: int
    label: str
    content: str
    scope: str
    author_id: str
    room_id: str
    ended: str = ""


@dataclass
class Board:
    """All entries, oldest first; ended ones stay as a log until there are too many."""

    entries: list[Notice] = field(default_factory=list)
    next_id: int = 1

    def share(self, author_id: str, room_id: str, label: str, content: str, scope: str = "scene") -> Notice:
        """Put up an entry and return it."""
        entry = Notice(self.next_id, label, content, scope, author_id, "" if scope == "world" else room_id)
        self.next_id += 1
        self.entries.append(entry)
        return entry

    def active(self) -> list[Notice]:
        """Return the entries that have not ended, in their order."""
        return [entry for entry in self.entries if not entry.ended]

    def readable(self, room_id: str, label: str = "") -> list[Notice]:
        """Return the entries that somebody in a room reads, in order; of one author and type the last counts."""
        found: dict[tuple[str, str], Notice] = {}
        for entry in self.active():
            if (entry.scope == "world" or entry.room_id == room_id) and label in ("", entry.label):
                found.pop((entry.author_id, entry.label), None)
                found[entry.author_id, entry.label] = entry
        return list(found.values())

    def begin_turn(self, author_id: str) -> int:
        """End the entries that an author shared for its last turn only, and replaced ones; return the next number."""
        own = [entry for entry in self.active() if entry.author_id == author_id]
        if not own:
            return self.next_id
        newest = {(e.label, e.scope): e.entry_id for e in own}
        self._end((e for e in own if e.scope == "turn"), TURN_OVER)
        self._end((e for e in own if e.scope != "turn" and newest[e.label, e.scope] != e.entry_id), REPLACED)
        return self.next_id

    def fail_turn(self, author_id: str, first_id: int) -> None:
        """Take back what an author has shared since the entry numbered `first_id`: the turn has failed."""
        self._end((e for e in self.active() if e.author_id == author_id and e.entry_id >= first_id), FAILED)

    def leave(self, author_id: str, room_id: str) -> None:
        """End the scene of an author who goes."""
        gone = (e for e in self.active() if (e.author_id, e.room_id) == (author_id, room_id) and e.scope != "world")
        self._end(gone, SCENE_OVER)

    def withdraw(self, author_id: str, label: str) -> list[Notice]:
        """Take down an author's entries of a type and return them."""
        wanted = collapse_whitespace(label).lower()
        found = [entry for entry in self.active() if (entry.author_id, entry.label) == (author_id, wanted)]
        self._end(found, WITHDRAWN)
        return found

    def _end(self, ending: Iterable[Notice], why: str) -> None:
        numbers = {entry.entry_id for entry in ending}
        if not numbers:
            return
        self.entries = [replace(e, ended=why) if e.entry_id in numbers else e for e in self.entries]
        past = [entry.entry_id for entry in self.entries if entry.ended]
        forgotten = set(past[: max(0, len(past) - MAX_ENDED)])
        self.entries = [entry for entry in self.entries if entry.entry_id not in forgotten]


class World:
    """All rooms, things and characters, by id. No two share an id, in any case; their tables hold to that.

    `start_room_id` is where newcomers arrive. `presence` tells how long somebody has been still or gone, as far as the
    server knows. `time` is the time in the world, and `wording` has its sentences. `last_number` is the highest number
    that a room ever had, `last_guest` that of guests: the numbers of those who are gone are not given again. More than
    `crowd` people in a room are a crowd, in which nobody notices who comes and goes; with 0 there are no crowds.
    `hidden` has what is out of the world while its note is away.
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
        self.lore = Lore()
        self.presence: Callable[[str], Presence] = no_presence
        self.crowd = 0
        self.undo_history = UndoHistory()
        self.last_number = max((room.number for room in self.rooms.values()), default=0)
        self.last_guest = 0
        self.hidden = HiddenEntities(self.rooms, self.things, self.characters)
        self.wording = wording or Wording()
        self.time = GameTime()
        if not self.rooms:
            raise WorldError("A world needs at least one room.")
        self.start_room_id = start_room_id or next(iter(self.rooms))
        if self.start_room_id not in self.rooms:
            raise WorldError(f"The start room {self.start_room_id!r} does not exist; rooms: {', '.join(self.rooms)}.")
        for room in self.rooms.values():
            self.settle_exits(room)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._share_names()

    def _share_names(self) -> None:
        tables = (self.rooms, self.things, self.characters)
        for table in tables:
            table.share_ids_with(*(other for other in tables if other is not table))

    def id_ignoring_case(self, name: str) -> str | None:
        """Return the id of the room, thing or character that a name is, in any case; None if it is free."""
        found = (table.id_ignoring_case(name) for table in (self.rooms, self.things, self.characters))
        return next(filter(None, found), None)

    def get(self, ref: Ref) -> Entity | None:
        """Return the entity of a kind and an id, or None if there is no such thing (any more)."""
        kind, entity_id = ref
        match kind:
            case "room":
                return self.rooms.get(entity_id)
            case "thing":
                return self.things.get(entity_id)
            case _:
                return self.characters.get(entity_id)

    def put(self, entity: Entity) -> None:
        """Put something new into the world, or something in the place of what has the same kind and id.

        Exits that lead to a new room open. Who and what was displaced when it vanished goes back to it.
        """
        match entity:
            case Room():
                self.rooms[entity.id] = entity
                self.last_number = max(self.last_number, entity.number)
                self.settle_exits(entity)
                for room in dict.fromkeys(room.room_id for room, _ in self.closed_exits_to(entity.id)):
                    self.settle_exits(self.rooms[room])
            case Thing():
                self.things[entity.id] = entity
            case Character():
                self.characters[entity.id] = entity
        self.hidden.bring_back(entity.id, self.start_room_id)

    def settle_exits(self, room: Room) -> None:
        """Close the exits of a room that lead to rooms that are not there, and open those that lead to rooms again."""
        noted = room.noted_exits
        if room.closed_exits or any(exit.room_id not in self.rooms for exit in noted.values()):
            exits = list(noted.items())
            room.exits = {name: exit for name, exit in exits if exit.room_id in self.rooms}
            places = enumerate(exits)
            room.closed_exits = {name: ClosedExit(exit, at) for at, (name, exit) in places if name not in room.exits}

    def closed_exits_to(self, room_id: str = "") -> list[tuple[Room, Exit]]:
        """Return the closed exits that lead to a room that is not there, or to any such room, with where they are."""
        closed = ((room, closed.exit) for room in self.rooms.values() for closed in room.closed_exits.values())
        return [(room, exit) for room, exit in closed if room_id in ("", exit.room_id)]

    def entities(self) -> Iterator[Entity]:
        """Yield every room, thing and character."""
        yield from self.rooms.values()
        yield from self.things.values()
        yield from self.characters.values()

    def room_of(self, character: Character) -> Room:
        """Return the room that a character is in."""
        return self.rooms[character.room_id]

    def containing_room(self, one: Room | Thing | Character) -> Room | None:
        """Return the room that something is in, in anybody's hands or in any container; None if in none now."""
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
        self.hidden.bring_back(character.character_id, self.start_room_id)


@dataclass(frozen=True)
class Presence:
    """Seconds since somebody awake typed something, and since somebody asleep was here; None where nobody knows."""

    idle_seconds: int | None = None
    away_seconds: int | None = None


def no_presence(character_id: str) -> Presence:
    """Return that nothing is known of somebody."""
    return Presence()
