"""The feed: events as sentences, each entry filtered by the scope of its viewer."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import islice, takewhile
from typing import Any

from agents.agent import Agent
from server.observatory.views import EVERYWHERE, Scope, as_json, whole_text, window_texts
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

KEPT_ENTRIES = 2_000
SHOWN_ENTRIES = 200
"""Maximum number of entries that are kept, and that are shown at first."""

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


class Feed:
    """The newest entries. `take_line` receives each line before anybody perceives its events."""

    def __init__(self, game: Game, agents: Mapping[str, Agent], now_ms: Callable[[], int]) -> None:
        self.last = 0
        self._game = game
        self._agents = agents
        self._now_ms = now_ms
        self._entries: deque[FeedEntry] = deque(maxlen=KEPT_ENTRIES)
        self._line: AgentLine | None = None
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

    def newest(self, scope: Scope) -> list[FeedEntry]:
        """Return the newest entries that a scope shows, oldest first."""
        found = (one for one in reversed(self._entries) if one.encoded_for(scope))
        return list(islice(found, SHOWN_ENTRIES))[::-1]

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
