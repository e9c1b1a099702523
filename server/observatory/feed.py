"""The feed: events as sentences, each entry filtered by the scope of its viewer.

What is sent as it happens is what the viewer's room perceives. Of what has happened before, people are shown what they
perceived themselves: see `server.chronicle.scope`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import islice, takewhile
from operator import itemgetter
from typing import Any

from agents.agent import Agent
from server.chronicle.scope import PastAccess
from server.observatory.views import EVERYWHERE, WHOLE, Scope, as_json, whole_text, window_texts
from world.entities import Character
from world.events import (
    Announced,
    Arrived,
    Built,
    Emoted,
    Event,
    Left,
    Paged,
    Refused,
    RoomMessage,
    Said,
    Shared,
    Shouted,
    Thought,
    Whispered,
)
from world.game import CommandResult, Game
from world.message_catalog import Wording
from world.narration import room_name
from world.parsing import parse_line
from world.preferences import IgnorableLine, ignorable_of
from world.world import World

KEPT_ENTRIES = 2_000
SHOWN_ENTRIES = 200
"""Maximum number of entries that are kept, and that are shown at first."""

MAX_MOVES = 64
"""Number of moves of one person beyond which those older than the entries are forgotten."""

SPEAKS_MS = 6_000
"""Milliseconds after a speech during which its speaker counts as speaking."""

KINDS: Mapping[type[Event], str] = {
    Said: "speech",
    Shouted: "speech",
    Whispered: "private",
    Paged: "private",
    Emoted: "pose",
    Left: "movement",
    Arrived: "movement",
    Thought: "thought",
    Refused: "refusal",
    RoomMessage: "ambience",
    Announced: "ambience",
    Shared: "board",
    Built: "building",
}
"""The kind of an entry by its event; of any other `action`."""


@dataclass(frozen=True)
class FeedEntry:
    """One thing that happened: number, time in milliseconds since 1970, kind, place, who, and to whom.

    `whole` is how it reads to who sees all; `rooms` how it reads to those in each room that perceives it, unless they
    ignore the person. `reason` is the private one, `seq` the number of the action in the memory of the agent that did
    it, 0 for a person's.
    """

    number: int
    at_ms: int
    kind: str
    room: str
    who: str
    to: str
    whole: str
    rooms: Mapping[str, str]
    reason: str = ""
    seq: int = 0
    ignorable: IgnorableLine | None = None
    encoded: dict[str, bytes] = field(default_factory=dict, compare=False)

    def shown(self, scope: Scope) -> dict[str, Any] | None:
        """Return it as a scope shows it; None if nothing of it is seen there."""
        shown: dict[str, Any] = {"n": self.number, "at": self.at_ms, "kind": self.kind, "who": self.who}
        if scope.is_whole:
            more = {"room": self.room, "to": self.to, "text": self.whole, "reason": self.reason, "seq": self.seq}
            return shown | more
        text = "" if scope.hides(self.ignorable) else self.rooms.get(scope.room_id) or self.rooms.get(EVERYWHERE)
        return shown | {"text": text} if text else None

    def encoded_for(self, scope: Scope) -> bytes:
        """Return it as JSON, encoded once for everybody of a scope; empty if nothing of it is seen there."""
        if scope.hides(self.ignorable):
            return b""
        found = self.encoded.get(scope.room_id)
        if found is None:
            shown = self.shown(scope)
            found = as_json(shown) if shown else b""
            self.encoded[scope.room_id] = found
        return found


@dataclass(frozen=True)
class AgentLine:
    """A line of an agent that is in no entry yet: its text, its events, and the number of its memory."""

    actor_id: str
    text: str
    events: tuple[Event, ...]
    seq: int

    def caused(self, event: Event) -> bool:
        """Return whether an event is what the agent did with this line."""
        return event.actor_id == self.actor_id and any(event is one for one in self.events)


class Positions:
    """Where people were when each of the newest entries was made; asleep they are nowhere."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._moves: dict[str, list[tuple[int, str]]] = {}

    def note(self, name: str, last: int, first: int = 0) -> None:
        """Note where somebody is from the entry behind `last` on; forget what is older than the entry `first`."""
        character = self._world.characters.get(name)
        if character is None:
            self._moves.pop(name, None)
            return
        room, moves = character.room_id if character.awake else "", self._moves.get(name)
        if moves is None:
            self._moves[name] = [(last + 1, room)]
        elif moves[-1][1] != room:
            if moves[-1][0] == last + 1:
                moves.pop()  # no entry was made there
            moves.append((last + 1, room))
            if len(moves) > MAX_MOVES:
                del moves[: max(0, bisect_right(moves, first, key=itemgetter(0)) - 1)]

    def room_at(self, name: str, number: int) -> str:
        """Return where somebody was at an entry; empty if nowhere, or nobody knows."""
        moves = self._moves.get(name, [])
        at = bisect_right(moves, number, key=itemgetter(0))
        return moves[at - 1][1] if at else ""


class Feed:
    """The newest entries. `take_line` receives each line before anybody perceives its events."""

    def __init__(self, game: Game, agents: Mapping[str, Agent], now_ms: Callable[[], int]) -> None:
        self.last = 0
        self._game = game
        self._agents = agents
        self._now_ms = now_ms
        self._entries: deque[FeedEntry] = deque(maxlen=KEPT_ENTRIES)
        self._line: AgentLine | None = None
        self._positions = Positions(game.world)
        self._spoke_ms: dict[str, int] = {}

    def take_line(self, character_id: str, text: str, performed: CommandResult) -> None:
        """Note which line of an agent's leads to what happens next."""
        agent = self._agents.get(character_id)
        if agent is None:
            self._line = None
            return
        self._line = AgentLine(character_id, text, performed.events, agent.memory.journal.last)
        if not performed.events:
            self._add_line(self._line)

    def note_everybody(self) -> None:
        """Note where everybody is who is awake already."""
        for character in self._game.world.awake():
            self._positions.note(character.character_id, self.last)

    def take_moves(self, events: tuple[Event, ...]) -> None:
        """Note where those are who did something. Never left out: who was not there must not read what was said."""
        first = self._entries[0].number if self._entries else 0
        for event in events:
            self._positions.note(event.actor_id, self.last, first)

    def take_events(self, events: tuple[Event, ...]) -> None:
        """Take in what has happened. A line of an agent that nobody perceives is an entry of its own."""
        line, world, is_told = self._line, self._game.world, False
        for event in events:
            actor = world.characters.get(event.actor_id)
            if isinstance(event, Refused) and not (actor and actor.is_agent):
                continue  # what a person could not do is nobody else's matter
            rooms = window_texts(event, world)
            if whole := whole_text(event, rooms, world):
                is_own = line is not None and line.caused(event)
                is_told = is_told or is_own
                self._add(event, actor, whole, rooms, line if is_own else None)
        if line and events is line.events:
            self._line = None
            if not is_told:
                self._add_line(line)

    def speaking(self) -> frozenset[str]:
        """Return who has spoken for all to hear within the last `SPEAKS_MS`, by name."""
        since = self._now_ms() - SPEAKS_MS
        self._spoke_ms = {name: at for name, at in self._spoke_ms.items() if at > since}
        return frozenset(self._spoke_ms)

    def since(self, number: int, scope: Scope) -> list[FeedEntry]:
        """Return the entries behind a number that a scope shows, oldest first."""
        found = takewhile(lambda one: one.number > number, reversed(self._entries))
        return [one for one in found if one.encoded_for(scope)][::-1]

    def past(self, access: PastAccess) -> list[tuple[FeedEntry, Scope]]:
        """Return the newest entries that somebody may see, oldest first, each with the scope that shows it."""
        if not access.sees_all:
            self._positions.note(access.name, self.last)  # whatever has moved them
        rows = ((entry, self._scope_then(access, entry)) for entry in reversed(self._entries))
        seen = ((entry, scope) for entry, scope in rows if scope and entry.encoded_for(scope))
        return list(islice(seen, SHOWN_ENTRIES))[::-1]

    def is_perceived(self, access: PastAccess, entry: FeedEntry) -> bool:
        """Return whether an entry is of what somebody perceived, or they see all."""
        scope = self._scope_then(access, entry)
        return scope is not None and bool(entry.encoded_for(scope))

    def _scope_then(self, access: PastAccess, entry: FeedEntry) -> Scope | None:
        """Return the scope in which somebody perceived an entry; None if they were nowhere."""
        if access.sees_all:
            return WHOLE
        room = self._positions.room_at(access.name, entry.number)
        return Scope(room, access.ignored) if room else None

    def _add(
        self, event: Event, actor: Character | None, whole: str, rooms: Mapping[str, str], line: AgentLine | None
    ) -> None:
        world, now_ms, self.last = self._game.world, self._now_ms(), self.last + 1
        to = world.characters.get(getattr(event, "to_id", ""))
        room_id = getattr(event, "room_id", actor.room_id if actor else "")
        if actor and isinstance(event, Said):
            self._spoke_ms[actor.name] = now_ms
        self._entries.append(
            FeedEntry(
                self.last,
                now_ms,
                KINDS.get(type(event), "action"),
                room_name(room_id, world),
                actor.name if actor else "",
                to.name if to else "",
                whole,
                rooms,
                parse_line(line.text).reason if line else "",
                line.seq if line else 0,
                ignorable_of(event, world),
            )
        )

    def _add_line(self, line: AgentLine) -> None:
        """Tell a line that nobody else perceives anything of, such as a look."""
        world, done = self._game.world, parse_line(line.text)
        actor = world.characters[line.actor_id]
        command = f"{done.verb} {done.arguments}".strip()
        whole = world.wording("observatory.does", who=actor.name, command=command)
        self.last += 1
        place = room_name(actor.room_id, world)
        self._entries.append(
            FeedEntry(self.last, self._now_ms(), "action", place, actor.name, "", whole, {}, done.reason, line.seq)
        )


def fits(shown: Mapping[str, Any], wanted: str) -> bool:
    """Return whether an entry is of a person, a place or a kind, or says some words."""
    told = " ".join(str(shown.get(key, "")) for key in ("who", "to", "room", "kind", "text"))
    return wanted.casefold() in told.casefold()


def feed_text(shown: Mapping[str, Any], say: Wording) -> str:
    """Return the feed for people, oldest first."""
    lines = [
        say("observatory.entry_because", text=one["text"], reason=one["reason"]) if one.get("reason") else one["text"]
        for one in shown["entries"]
    ]
    return "\n".join(lines) or say("observatory.no_entries")
