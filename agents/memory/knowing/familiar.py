"""Whom an agent has met and where it has been, so that the first time can be told from all others."""

from __future__ import annotations

from collections.abc import Callable

from vault.memory.segment import names_person, names_room
from vault.vault import Vault
from world.events import Event, Left


class Familiar:
    """Asks the journal once about each person and place, and knows from then on."""

    def __init__(self, vault: Vault, name: str) -> None:
        self._vault = vault
        self._name = name
        self._people: set[str] = set()
        self._rooms: set[str] = set()

    def is_first(self, event: Event) -> bool:
        """Return whether an event brings somebody or some place for the first time; the next time it does not."""
        match event:
            case Left(actor_id=actor, to_room_id=room) if actor == self._name and room:
                return self._is_new(room, self._rooms, names_room)
            case _ if event.actor_id == self._name or event.reach != "room" or not event.actor_id:
                return False
            case _:
                return self._is_new(event.actor_id, self._people, names_person)

    def _is_new(self, name: str, known: set[str], stands_in_journal: Callable[[Vault, str, str], bool]) -> bool:
        if name in known:
            return False
        known.add(name)
        return not stands_in_journal(self._vault, self._name, name)
