"""Records the events of a running world, each once and with its type."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from functools import lru_cache
from threading import Lock

from vault.chronicle.event_log import OPENED, PRESENT, EventLog, LoggedEvent
from vault.errors import NoteError
from world.entities import Character, Role
from world.events import (
    Announced,
    Arrived,
    Built,
    Dropped,
    Emoted,
    Event,
    Followed,
    Gave,
    Left,
    Paged,
    PutIn,
    ReadThing,
    RoomMessage,
    Said,
    Shared,
    Shouted,
    Thought,
    Took,
    TookFrom,
    Unfollowed,
    Used,
    Whispered,
    Wrote,
)
from world.game import CommandResult, Game
from world.narration import narrate
from world.parsing import parse_line
from world.world import World

log = logging.getLogger(__name__)

MAX_UNWRITTEN = 20_000
"""Maximum number of events that wait while the log cannot be written; then the oldest are lost."""

MAX_WAITING = 256
"""Maximum number of events that wait for the next writing, as in a simulation, where nothing is forced to disk."""

KINDS: dict[type[Event], str] = {
    Said: "said",
    Emoted: "emoted",
    Shouted: "shouted",
    Whispered: "whispered",
    Paged: "paged",
    Arrived: "arrived",
    Left: "left",
    Followed: "followed",
    Unfollowed: "unfollowed",
    Shared: "shared",
    Took: "took",
    Dropped: "dropped",
    Gave: "gave",
    PutIn: "put_in",
    TookFrom: "took_from",
    Used: "used",
    ReadThing: "read",
    Wrote: "wrote",
    RoomMessage: "room_message",
    Announced: "announced",
    Built: "built",
    Thought: "thought",
}
"""The logged kinds of events, with their names. Other events are shown to one alone, or nobody perceives them."""

_EVERYWHERE = ("*",)
_BYSTANDER = "*"
"""The id of a bystander, who has nothing to do with anything; no character has this name."""


def logged(event: Event, world: World, at_ms: int, reason: str = "") -> LoggedEvent | None:
    """Return an event as the log has it, or None if it has no place there.

    Words for one alone are logged only if an agent says or hears them: agents remember them anyway. Those of people
    among themselves are nobody's business, and so are their thoughts and reasons.
    """
    kind, actor = KINDS.get(type(event)), world.characters.get(event.actor_id)
    is_agent = actor is not None and actor.is_agent
    if kind is None or (isinstance(event, Thought) and not is_agent):
        return None
    to_id, room_id = getattr(event, "to_id", ""), getattr(event, "room_id", "") or (actor.room_id if actor else "")
    listener = world.characters.get(to_id)
    is_known = is_agent or (listener is not None and listener.is_agent)
    return LoggedEvent(
        at_ms,
        kind,
        event.actor_id,
        to_id,
        "" if isinstance(event, Announced) else room_id,
        bystander_text(event, room_id, world) if event.audience in ("room", "near", "world") else "",
        words=event.text if isinstance(event, Said | Shouted) else "",
        thing=getattr(event, "thing_id", ""),
        from_room=getattr(event, "from_room_id", ""),
        to_room=getattr(event, "to_room_id", ""),
        by=_nature(actor),
        heard_in=_heard_in(event, world),
        secret=event.text if isinstance(event, Whispered | Paged | Thought) and is_known else "",
        reason=reason if is_agent else "",
    )


def bystander_text(event: Event, room_id: str, world: World) -> str:
    """Return the sentence that a bystander in a room perceives, who has nothing to do with the event."""
    return narrate(event, _bystander(room_id), world)


@lru_cache(maxsize=1024)  # to make one takes as long as the sentence
def _bystander(room_id: str) -> Character:
    return Character(_BYSTANDER, room_id)


def _nature(actor: Character | None) -> str:
    if actor is None:
        return ""
    return "agent" if actor.is_agent else "guest" if actor.role is Role.GUEST else ""


def _heard_in(event: Event, world: World) -> tuple[str, ...]:
    if isinstance(event, Announced):
        return _EVERYWHERE
    if isinstance(event, Shouted) and event.room_id in world.rooms:
        exits = world.rooms[event.room_id].exits.values()
        return tuple(sorted({exit.room_id for exit in exits} - {event.room_id}))
    return ()


class ChronicleRecorder:
    """Takes in the events of a game, and writes them with what else is forced to disk: see `GroupCommit`.

    `is_on` returns whether events are logged at all, `tell` receives a sentence for admins when that fails.
    `problem` says why it failed the last time, `lost` how many events were never written.
    """

    def __init__(
        self,
        game: Game,
        event_log: EventLog,
        is_on: Callable[[], bool],
        now_ms: Callable[[], int],
        tell: Callable[[str], None],
    ) -> None:
        self.lost = 0
        self.problem = ""
        self._world = game.world
        self._log = event_log
        self._is_on = is_on
        self._now_ms = now_ms
        self._tell = tell
        self._waiting: deque[LoggedEvent] = deque()
        self._writing = Lock()
        self._reasoned: tuple[tuple[Event, ...], str] = ((), "")
        self._is_opened = self._is_reported = False
        game.subscribe_lines("chronicle", self._take_line, first=True)
        game.subscribe("chronicle", self._take, first=True)

    def pending_fsync(self) -> Callable[[], None] | None:
        """Return a function that writes all waiting events, for any thread; None if none wait."""
        self._report()
        return self._write if self._waiting else None

    def save(self) -> None:
        """Write all that waits, now. Never raises."""
        self._write()
        self._report()

    def _take_line(self, character_id: str, text: str, performed: CommandResult) -> None:
        self._reasoned = performed.events, parse_line(text).reason if "|" in text else ""

    def _take(self, events: tuple[Event, ...]) -> None:
        if not self._is_on():
            self._is_opened = False
            return
        now_ms, (reasoned, reason) = self._now_ms(), self._reasoned
        if not self._is_opened:
            self._open(now_ms)
        for event in events:
            is_own = any(event is one for one in reasoned)
            if found := logged(event, self._world, now_ms, reason if is_own else ""):
                self._waiting.append(found)
        if len(self._waiting) >= MAX_WAITING and not self.problem:
            self.save()

    def _open(self, now_ms: int) -> None:
        """Log that the world is open, and where those are who were awake when it was closed for a restart."""
        self._is_opened = True
        self._waiting.append(LoggedEvent(now_ms, OPENED))
        for one in self._world.awake():
            self._waiting.append(LoggedEvent(now_ms, PRESENT, one.character_id, room=one.room_id, by=_nature(one)))

    def _write(self) -> None:
        with self._writing:
            batch = [self._waiting.popleft() for _ in range(len(self._waiting))]
            try:
                self._log.append(batch)
            except NoteError as error:
                kept = batch[-MAX_UNWRITTEN:]
                self.lost += len(batch) - len(kept)
                self._waiting.extendleft(reversed(kept))
                self.problem = str(error)
            else:
                self.problem = ""

    def _report(self) -> None:
        """Say once that the log cannot be written, and once that it can be again."""
        if bool(self.problem) == self._is_reported:
            return
        self._is_reported = bool(self.problem)
        if problem := self.problem:
            log.error("the chronicle is not written: %s", problem)
            self._tell(f"{problem} Until then the chronicle is not written.")
        else:
            log.warning("the chronicle is written again; %d events are lost", self.lost)
