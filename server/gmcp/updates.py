"""Sends updates to all GMCP clients."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Protocol

from server.clock import DelayedCall, ReactorClock
from server.connection.connection import Message
from server.gmcp.packages import RoomSnapshot, RoomSnapshots
from world.command import CommandTable
from world.entities import Character
from world.events import (
    Announced,
    Arrived,
    Dropped,
    Emoted,
    EntityChanged,
    Event,
    Followed,
    Gave,
    Left,
    LookedAt,
    Output,
    Paged,
    PutIn,
    QuitRequested,
    ReadThing,
    Recalled,
    Refused,
    RoomMessage,
    Said,
    Shared,
    Shouted,
    SystemMessage,
    Thought,
    Took,
    TookFrom,
    Unfollowed,
    Used,
    Whispered,
)
from world.game import Game
from world.message_catalog import Wording
from world.world import World

log = logging.getLogger(__name__)

_HANDLING = (Took, Dropped, Gave, PutIn, TookFrom)
# After these every room is as it was, so that speech costs nothing. After anything else any room may be different.
_TALK = (
    *(Said, Emoted, Shouted, Paged, Whispered, Shared, Thought, Announced, RoomMessage, SystemMessage),
    *(Output, Recalled, Refused, LookedAt, ReadThing, Used, Followed, Unfollowed, QuitRequested),
)


class Listener(Protocol):
    """A client whose player is in the world."""

    def refresh(self) -> None:
        """Send everything that has changed."""

    def tell_of_agent(self, agent: Character, message: Message) -> None:
        """Send the state of an agent, if the player may know it."""


class GmcpUpdates:
    """The clients that take GMCP, and the rooms as they were last sent.

    Changes are sent once, at the end of a turn of the reactor, to those they concern. While nobody takes GMCP,
    nothing is done at all.
    """

    def __init__(self, game: Game, clock: ReactorClock) -> None:
        self.world: World = game.world
        self.commands: CommandTable = game.commands
        self.places = RoomSnapshots(game.world)
        self._clock = clock
        self._listeners: dict[Listener, Character] = {}
        self._touched: set[str] = set()
        self._all_touched = False
        self._involved: set[str] = set()
        self._crowds_sent: dict[str, RoomSnapshot] = {}
        self._telling: DelayedCall | None = None

    def wording(self) -> Wording:
        """Return the wording of the moment."""
        return self.world.wording

    def join(self, listener: Listener, character: Character) -> None:
        """Tell a client what happens from now on, as somebody."""
        self._listeners[listener] = character

    def leave(self, listener: Listener) -> None:
        """Tell a client no more."""
        self._listeners.pop(listener, None)
        if not self._listeners:
            self.places.forget()
            self._touched.clear()
            self._involved.clear()
            self._crowds_sent.clear()

    def on_events(self, events: tuple[Event, ...]) -> None:
        """Note what has happened; no event at all means that an edit was reloaded."""
        if not self._listeners:
            return
        if not events:
            self._touch_all()
        for event in events:
            if isinstance(event, _TALK):
                continue
            self._involved |= {event.actor_id, getattr(event, "to_id", "")}
            if isinstance(event, Left | Arrived):
                self._touch(event.room_id, event.to_room_id if isinstance(event, Left) else event.from_room_id)
            elif isinstance(event, _HANDLING):
                self._touch(event.room_id)
            elif isinstance(event, EntityChanged) and self._is_gone(event):
                continue  # who slept before, and was seen to
            elif isinstance(event, EntityChanged) and event.kind != "room":
                self._touch_all(numbers=False)
            else:
                self._touch_all()

    def tell_of_agent(self, name: str, what: str) -> None:
        """Send the state of an agent: `thinking`, `acted`, `rested` (it thought and did nothing), `compacted`."""
        agent = self.world.characters.get(name)
        if not self._listeners or agent is None or agent.room_id not in self.world.rooms:
            return
        payload = {"name": agent.name, "what": what, "room": self.places.number(agent.room_id)}
        message = Message("Fallwater.Agent", payload)
        for listener in list(self._listeners):
            listener.tell_of_agent(agent, message)

    def _touch(self, *room_ids: str) -> None:
        for room_id in room_ids:
            self.places.touch(room_id)
        self._touched.update(room_ids)
        self._tell_soon()

    def _touch_all(self, numbers: bool = True) -> None:
        self.places.touch_all(numbers)
        self._all_touched = True
        self._tell_soon()

    def _tell_soon(self) -> None:
        if self._telling is None:
            self._telling = self._clock.callLater(0, self._tell)

    def _tell(self) -> None:
        self._telling = None
        touched, is_all, involved = self._touched, self._all_touched, self._involved
        self._touched, self._all_touched, self._involved = set(), False, set()
        differing = {room_id for room_id in touched if self._is_changed(room_id)}
        for listener in self._concerned(differing, is_all, involved):
            try:
                listener.refresh()
            except Exception:
                log.exception("a GMCP update failed")

    def _is_gone(self, event: EntityChanged) -> bool:
        return event.kind == "character" and event.entity_id not in self.world.characters

    def _is_changed(self, room_id: str) -> bool:
        """Return whether those in a room have something to be told; in a crowd they mostly have not."""
        if not self.world.is_crowded(room_id) or room_id not in self.world.rooms:
            self._crowds_sent.pop(room_id, None)
            return True
        before, now = self._crowds_sent.get(room_id), self.places.snapshot_of(room_id)
        self._crowds_sent[room_id] = now
        return now is not before

    def _concerned(self, differing: set[str], is_all: bool, involved: set[str]) -> Iterable[Listener]:
        return [
            one
            for one, character in self._listeners.items()
            if is_all or character.room_id in differing or character.character_id in involved
        ]
