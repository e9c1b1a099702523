"""Hidden entities: what is out of the world while its note is away, and what had to move because of it."""

from __future__ import annotations

from world.entities import Character, Room, Thing
from world.location_index import EntityTable, LocationIndex


class HiddenEntities:
    """The hidden rooms, things and characters of a world, and who and what is displaced by them.

    `places` has where each that is hidden belongs, by id; empty for a room. `_displaced` has where each that had to
    move belongs, and where it was put: it goes back if what it belongs in returns and it has not been moved since.
    """

    def __init__(
        self, rooms: EntityTable[Room], things: LocationIndex[Thing], characters: LocationIndex[Character]
    ) -> None:
        self._rooms = rooms
        self._things = things
        self._characters = characters
        self._displaced: dict[str, tuple[str, str]] = {}
        self._changed: dict[str, None] = {}
        self.places: dict[str, str] = {}

    def home_of(self, one: Thing | Character) -> str:
        """Return where something belongs that still is where it was put; empty if it is not displaced."""
        home, put = self._displaced.get(one.id, ("", ""))
        return home if put == one.location_id else ""

    def hide(self, entity: Room | Thing | Character) -> None:
        """Keep where something belongs that is about to leave the world."""
        self.places[entity.id] = "" if isinstance(entity, Room) else self.home_of(entity) or entity.location_id
        self._displaced.pop(entity.id, None)

    def displace(self, one: Thing | Character, home_id: str, to_id: str) -> None:
        """Put something somewhere until what it belongs in is back; what is displaced already keeps its home."""
        self._displaced[one.id] = self.home_of(one) or home_id, to_id
        self._put(one, to_id)

    def displaced_from(self, home_id: str) -> list[str]:
        """Return the ids of all that belong in something and are elsewhere until it is back."""
        return [one_id for one_id, (home, _) in self._displaced.items() if home == home_id]

    def resolve(self, place_id: str) -> str:
        """Return a place, or the nearest around it that is there; a room, though it be hidden."""
        seen = set[str]()
        while not self.is_place(place_id) and place_id not in seen and self.places.get(place_id):
            seen.add(place_id)
            place_id = self.places[place_id]
        return place_id

    def is_place(self, place_id: str) -> bool:
        """Return whether a place is in the world."""
        return any(place_id in table for table in (self._rooms, self._things, self._characters))

    def bring_back(self, entity_id: str, start_room_id: str) -> None:
        """Put something that has returned where it belongs, and back all that belongs in it."""
        if entity_id not in self.places:
            return
        if place_id := self.places.pop(entity_id):
            self._put_back(entity_id, place_id, start_room_id)
        for one_id, (home, put) in list(self._displaced.items()):
            one = self._things.get(one_id) or self._characters.get(one_id)
            is_awake = isinstance(one, Character) and one.awake
            if one is None or one.location_id != put or (is_awake and home == entity_id):
                del self._displaced[one_id]
                self._changed[one_id] = None
            elif not is_awake:
                self._put_back(one_id, home, start_room_id)

    def forget(self, entity_id: str, start_room_id: str) -> None:
        """Forget something hidden. What is displaced by it stays where it is now."""
        around = self.places.pop(entity_id, "") or start_room_id
        inside = [one_id for one_id, place_id in self.places.items() if place_id == entity_id]
        self.places |= dict.fromkeys(inside, around)
        displaced = self.displaced_from(entity_id)
        for one_id in displaced:
            del self._displaced[one_id]
        self._changed |= dict.fromkeys([entity_id, *inside, *displaced])

    def rename_room(self, old_id: str, new_id: str) -> None:
        """Follow a room that has another id now."""
        inside = [one_id for one_id, place_id in self.places.items() if place_id == old_id]
        self.places |= dict.fromkeys(inside, new_id)
        self._changed |= dict.fromkeys(inside)
        for one_id, ids in self._displaced.items():
            home, put = (new_id if place_id == old_id else place_id for place_id in ids)
            self._displaced[one_id] = home, put

    def drain_changed(self) -> list[str]:
        """Return the ids of what belongs elsewhere or nowhere since the last call, though nothing may have moved."""
        changed, self._changed = list(self._changed), {}
        return changed

    def _put_back(self, one_id: str, home: str, start_room_id: str) -> None:
        """Put something where it belongs, or as near to that as there is a place. Nothing gets inside itself."""
        one = self._things.get(one_id) or self._characters.get(one_id)
        if one is None:
            return
        to_id = self.resolve(home)
        if isinstance(one, Character) and to_id not in self._rooms:
            to_id = start_room_id
        self._displaced.pop(one_id, None)
        if one_id in self._around(to_id):
            return
        if to_id != home:
            self._displaced[one_id] = home, to_id
        self._put(one, to_id)

    def _around(self, place_id: str) -> set[str]:
        around = set[str]()
        while place_id not in around:
            around.add(place_id)
            place_id = self._things[place_id].place_id if place_id in self._things else place_id
        return around

    def _put(self, one: Thing | Character, to_id: str) -> None:
        if isinstance(one, Thing):
            one.place_id = to_id
        else:
            one.room_id = to_id
        self._changed[one.id] = None
