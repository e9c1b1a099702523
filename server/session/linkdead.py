"""Link-death: a link-dead character stays in place for a while, and its player can return.

`server.session.puppet` declares a character link-dead; a browser that is back on its own session misses nothing either
(`server.session.session`).
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from server.clock import DelayedCall, ReactorClock, cancel
from world.entities import Character
from world.events import Event
from world.game import Game

log = logging.getLogger(__name__)

MAX_MISSED = 50
"""Maximum number of the last sentences that are kept for a player who is absent."""


@dataclass
class _Absence:
    """The absence of a player, with the texts they miss, oldest first, until the wait for them ends."""

    end: DelayedCall
    missed: deque[str] = field(default_factory=lambda: deque(maxlen=MAX_MISSED))

    def perceive(self, event: Event, text: str) -> None:
        if text:
            self.missed.append(text)


class LinkDead:
    """Keeps the characters of players who may come back within some `seconds`, and then lets them sleep."""

    def __init__(self, game: Game, clock: ReactorClock, seconds: Callable[[], float]) -> None:
        self._game = game
        self._clock = clock
        self._seconds = seconds
        self._absent: dict[str, _Absence] = {}

    @property
    def names(self) -> list[str]:
        """The names of the characters whose players are waited for."""
        return list(self._absent)

    def wait_for(self, character: Character) -> None:
        """Let a character stand where it is, unnoticed by those who have nothing to do with it."""
        seconds, who = self._seconds(), character.character_id
        if not seconds:
            self._game.sleep(who)
            return
        absence = _Absence(self._clock.callLater(seconds, self.expire, who))
        self._absent[who] = absence
        character.awake = character.transient.is_linkdead = True
        self._game.wake(who, absence.perceive)

    def take_missed(self, character: Character) -> list[str]:
        """Return the texts missed by somebody who is here again; empty if nobody has waited for them."""
        absence = self._absent.pop(character.character_id, None)
        if absence is None:
            return []
        cancel(absence.end)
        character.transient.is_linkdead = False
        return list(absence.missed)

    def expire(self, who: str) -> None:
        """Let somebody fall asleep who has not come back, if they are waited for."""
        character = self._game.world.characters.get(who)
        if who not in self._absent:
            return
        if character is None:  # its note was removed meanwhile
            absence = self._absent.pop(who)
            cancel(absence.end)
            return
        self.take_missed(character)
        self._game.sleep(who)
        log.info("%s did not come back", who)

    def expire_all(self) -> None:
        """Let everybody fall asleep who is waited for: the world closes."""
        for who in self.names:
            self.expire(who)
