"""Guests: somebody without a name of their own, of whom nothing is left when they go."""

from __future__ import annotations

from itertools import count

from world.events import Altered, Dropped
from world.game import Game
from world.model import Character, Role

STEM = "Guest"


class Guests:
    """Makes the characters of guests, and removes them."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._here: set[str] = set()

    def is_one(self, character: Character) -> bool:
        """Return whether a character was made here."""
        return character.character_id in self._here

    def make(self) -> Character:
        """Return a new character under the lowest number that is free; names of people have no digits."""
        world = self._game.world
        taken = {name.casefold() for table in (world.characters, world.rooms, world.things) for name in table}
        name = next(name for number in count(1) if (name := f"{STEM}{number}").casefold() not in taken)
        guest = Character(name, world.start_room_id, role=Role.GUEST)
        world.add_character(guest)
        self._here.add(name)
        return guest

    def leave(self, guest: Character) -> None:
        """Let a guest go and be no more; what it carried lies where it was."""
        game = self._game
        for thing in game.world.things_at(guest.character_id):
            thing.place_id = guest.room_id
            game.publish((Dropped(guest.character_id, guest.room_id, thing.thing_id),))
        game.sleep(guest.character_id)
        del game.world.characters[guest.character_id]
        self._here.discard(guest.character_id)
        game.publish((Altered("", "character", guest.character_id),))
