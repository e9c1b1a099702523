"""Guests: somebody without a name of their own, of whom nothing is left when they go."""

from __future__ import annotations

from heapq import heappop, heappush
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
        self._numbers = count(1)
        self._given_back: list[int] = []

    def is_one(self, character: Character) -> bool:
        """Return whether a character was made here."""
        return character.character_id in self._here

    def make(self) -> Character:
        """Return a new character under the lowest number that is free; names of people have no digits."""
        world = self._game.world
        name = self._free_name()
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
        for one in game.world.characters.values():
            if one.doings.answer_to_id == guest.character_id:
                one.doings.answer_to_id = ""  # the next guest of this number is somebody else
        self._here.discard(guest.character_id)
        heappush(self._given_back, int(guest.character_id.removeprefix(STEM)))
        game.publish((Altered("", "character", guest.character_id),))

    def _free_name(self) -> str:
        """Return the lowest that is free. It costs the same however many guests there are."""
        world = self._game.world
        while True:
            number = heappop(self._given_back) if self._given_back else next(self._numbers)
            name = f"{STEM}{number}"
            if world.id_like(name) is None:
                return name
