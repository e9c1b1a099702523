"""The town view: rooms on a map, who is where, who thinks, and the last speech of each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from agents.agent import Agent
from agents.models.pool import Stage
from server.observatory.views import Pieces, as_json
from world.commands.senses import directions_of, map_sentences
from world.entities import Character
from world.events import Arrived, Built, EntityChanged, Event, Left, Said
from world.game import Game
from world.message_catalog import Wording
from world.narration import room_name
from world.navigation import Place, automap_of, ways_of
from world.room_view import visible_characters
from world.world import World

MAX_ROOMS = 400
"""Maximum number of rooms that are drawn; the others are counted."""

MIN_WIDTH = 4
"""Number of rooms that may stand side by side in any case."""

THOUGHTS_MS = 1_000
"""Minimum time between two changes of the town because of thoughts that begin or end, in milliseconds."""

SILENCE_MS = 2_000
"""Interval of the check for speakers who have stopped, in milliseconds."""

WINDOW_DEPTH = 3
"""Number of steps that the map of the window reaches, as `map` does."""


Person = dict[str, Any]
"""The shown form of a character: `name`, `is_agent`, and its marks."""

State = tuple[str, Stage | None]
"""The reason why an agent does not think, and whether its thought waits or runs."""

SILENT: State = ("", None)


@dataclass(frozen=True)
class Layout:
    """The places of rooms, by id; the pairs with a straight way between them, and the other exits: from, name, to."""

    places: Mapping[str, Place]
    ways: list[tuple[str, str]]
    others: list[tuple[str, str, str]]
    left_out: int = 0


class Town:
    """The rooms of a world as they lie; the layout is made again after somebody has built."""

    def __init__(
        self,
        game: Game,
        agents: Mapping[str, Agent],
        speaking: Callable[[], frozenset[str]],
        now_ms: Callable[[], int],
    ) -> None:
        """`speaking` returns who has just spoken aloud."""
        self._game = game
        self._agents = agents
        self._speaking = speaking
        self._now_ms = now_ms
        self._layout: Layout | None = None
        self._changes = 0
        self._thought_at = -1
        self._shown_speaking: frozenset[str] = frozenset()
        self._states: tuple[object, dict[str, State]] = (None, {})
        self._people_of: dict[str, tuple[object, list[Person]]] = {}
        self._encoded_of: dict[str, tuple[list[Person], bytes]] = {}
        self._beside: tuple[Layout | None, bytes] = (None, b"")

    def take_events(self, events: tuple[Event, ...]) -> None:
        """Forget the layout when rooms may be others: after building, and after an edit that nobody perceives."""
        if not events or any(isinstance(one, Built | EntityChanged) for one in events):
            self._layout = None
            self._people_of.clear()
            self._encoded_of.clear()
            self._changes += 1
        elif any(isinstance(one, Left | Arrived) or self._is_new_speaker(one) for one in events):
            self._changes += 1

    def _is_new_speaker(self, event: Event) -> bool:
        return isinstance(event, Said) and event.actor_id not in self._shown_speaking

    def stamp(self) -> object:
        """Return a stamp that changes when somebody has moved, come, gone or spoken; for thoughts and silence later."""
        return self._changes, self._thoughts(), self._now_ms() // SILENCE_MS if self._shown_speaking else 0

    def _thoughts(self) -> int:
        """Return a number that changes when agents have begun or ended thoughts, at most once a second."""
        return min(self._now_ms() // THOUGHTS_MS, self._thought_at + 1)  # and once more for later thoughts in it

    def thought(self) -> None:
        """Take in that an agent has begun or ended a thought."""
        self._thought_at = self._now_ms() // THOUGHTS_MS

    def whole(self, has_words: bool = False) -> dict[str, Any]:
        """Return all rooms with who is in them, and what each agent is about; `has_words` adds a sentence a room."""
        layout = self._layout_now()
        shown = self._shown(layout, self._everybody(layout))
        return shown | {"words": [self._room_words(one) for one in layout.places] if has_words else []}

    def pieces(self) -> Pieces:
        """Return the same as JSON, in pieces: rooms in which nothing is different are not encoded again."""
        layout = self._layout_now()
        people = self._everybody(layout)
        if self._beside[0] is not layout:
            beside = self._shown(layout, {}) | {"words": []}
            del beside["rooms"]
            self._beside = layout, as_json(beside)
        return Pieces("rooms", [self._encoded(one, layout, people[one]) for one in layout.places], self._beside[1])

    def _layout_now(self) -> Layout:
        if self._layout is None:
            self._layout = layout_of(self._game.world)
        return self._layout

    def _encoded(self, room_id: str, layout: Layout, people: list[Person]) -> bytes:
        before, content = self._encoded_of.get(room_id, (None, b""))
        if before is not people:
            content = as_json(self._room(room_id, layout.places[room_id], people))
            self._encoded_of[room_id] = people, content
        return content

    def _everybody(self, layout: Layout) -> dict[str, list[Person]]:
        states, self._shown_speaking = self._states_now(), self._speaking()
        return {one: self._people_in(one, states) for one in layout.places}

    def then(self, places: Mapping[str, str], name: str) -> dict[str, Any]:
        """Return the rooms as they lie now, with who was in them at a time; `places` says in which room each was."""
        world = self._game.world
        layout = layout_of(world)
        names = {room: [who for who, at in places.items() if at == room] for room in layout.places}
        people = {
            room: [{"name": who, "is_agent": who in self._agents} for who in here] for room, here in names.items()
        }
        words = [self._words(room, here) for room, here in names.items()]
        return self._shown(layout, people) | {"then": name, "words": words}

    def window(self, room_id: str) -> dict[str, Any]:
        """Return the rooms near one, as everybody may map them, and who is in that one."""
        world = self._game.world
        directions = directions_of(world)
        plan = automap_of(world, room_id, WINDOW_DEPTH, directions)
        layout = Layout(plan.places, ways_of(world, plan, directions), [])
        shown = self._shown(layout, {room_id: self._seen_in(room_id)})
        return shown | {"words": [*map_sentences(world, room_id), self._room_words(room_id)]}

    def _shown(self, layout: Layout, people: Mapping[str, list[Person]]) -> dict[str, Any]:
        world = self._game.world
        numbers = {room_id: number for number, room_id in enumerate(layout.places)}
        rooms = [self._room(one, place, people.get(one, [])) for one, place in layout.places.items()]
        others = [
            {"from": numbers[here], "exit": exit, "to": numbers.get(there, -1), "name": room_name(there, world)}
            for here, exit, there in layout.others
        ]
        ways = [[numbers[one], numbers[other]] for one, other in layout.ways]
        return {"rooms": rooms, "ways": ways, "others": others, "left_out": layout.left_out}

    def _room(self, room_id: str, place: Place, people: list[Person]) -> dict[str, Any]:
        east, south = place
        return {"name": room_name(room_id, self._game.world), "x": east, "y": south, "people": people}

    def _people_in(self, room_id: str, states: Mapping[str, State]) -> list[Person]:
        """Return who is in a room, and of each what is so: that it `speaks`, `thinks`, `waits`, or is `still` and why.

        A room in which nothing is different is shown by the same list as before.
        """
        here = self._game.world.occupants(room_id)
        key = [(one.character_id, one.name in self._shown_speaking, states.get(one.character_id)) for one in here]
        before, people = self._people_of.get(room_id, (None, []))
        if key != before:
            people = [self._person(one, states.get(one.character_id, SILENT)) for one in here]
            self._people_of[room_id] = key, people
        return people

    def _person(self, one: Character, state: State) -> Person:
        (why_still, stage), shown = state, {"name": one.name, "is_agent": one.is_agent}
        if one.name in self._shown_speaking:
            shown["speaks"] = True
        if why_still:
            return shown | {"still": why_still}
        if stage:
            shown["thinks" if stage == "running" else "waits"] = True
        return shown

    def _seen_in(self, room_id: str) -> list[Person]:
        """Return who is to be seen in a room, as the window shows them: that agents wait or rest is not seen there."""
        states, self._shown_speaking = self._states_now(), self._speaking()
        found = (
            self._person(one, states.get(one.character_id, SILENT))
            for one in visible_characters(self._game.world, room_id)
        )
        return [{key: value for key, value in one.items() if key not in ("still", "waits")} for one in found]

    def _states_now(self) -> Mapping[str, State]:
        """Return how each agent's thinking is, by id, as it was within the last `THOUGHTS_MS`."""
        at = self._now_ms() // THOUGHTS_MS, self._thoughts()
        if self._states[0] != at:
            queues = {id(one.queue): one.queue for one in self._agents.values() if one.queue}
            stages = {name: stage for queue in queues.values() for name, stage in queue.stages().items()}
            self._states = at, {name: (one.why_still, stages.get(one.name)) for name, one in self._agents.items()}
        return self._states[1]

    def _room_words(self, room_id: str) -> str:
        return self._words(room_id, [one.name for one in visible_characters(self._game.world, room_id)])

    def _words(self, room_id: str, names: list[str]) -> str:
        say = self._game.world.wording
        who = say.join_and(names) or say("observatory.nobody")
        return say("observatory.in_room", room=room_name(room_id, self._game.world), who=who)


class Rows:
    """Puts groups of rooms side by side in rows; a row is at most as wide as the first group, if that is wide."""

    def __init__(self) -> None:
        self._widest = 0
        self._x, self._y, self._below = 0, 0, 0

    def place(self, group: Collection[Place]) -> Place:
        """Return by how much a group is to be moved to stand in its place."""
        left, top = min(x for x, _ in group), min(y for _, y in group)
        width, height = max(x for x, _ in group) - left + 1, max(y for _, y in group) - top + 1
        if self._x and self._x + width > self._widest:
            self._x, self._y = 0, self._below
        moved = self._x - left, self._y - top
        self._widest = self._widest or max(width, MIN_WIDTH)
        self._x, self._below = self._x + width, max(self._below, self._y + height)
        return moved


def layout_of(world: World, most: int = MAX_ROOMS) -> Layout:
    """Return the places of all rooms: first the rooms connected by compass directions, further groups below them."""
    directions = directions_of(world)
    places: dict[str, Place] = {}
    ways: list[tuple[str, str]] = []
    rows = Rows()
    ahead = [world.start_room_id, *world.rooms]
    for room_id in ahead:
        if room_id in places or room_id not in world.rooms or len(places) >= most:
            continue
        plan = automap_of(world, room_id, most, directions, most - len(places), frozenset(places))
        east, south = rows.place(plan.places.values())
        places |= {one: (x + east, y + south) for one, (x, y) in plan.places.items()}
        ways += ways_of(world, plan, directions)
    straight = {frozenset(pair) for pair in ways}
    others = [
        (one, exit.name, exit.room_id)
        for one in places
        for exit in world.rooms[one].exits.values()
        if frozenset((one, exit.room_id)) not in straight
    ]
    return Layout(places, ways, others, len(world.rooms) - len(places))


def town_text(shown: Mapping[str, Any], say: Wording) -> str:
    """Return the town for people, a line a room."""
    thinking = [one["name"] for room in shown["rooms"] for one in room["people"] if one.get("thinks")]
    lines = [say("observatory.town_then", at=shown["then"].replace("T", " "))] if shown.get("then") else []
    lines += shown["words"]
    if thinking:
        lines.append(say("observatory.thinking", who=say.join_and(thinking)))
    if shown["left_out"]:
        lines.append(say("observatory.rooms_left_out", count=shown["left_out"]))
    return "\n".join(lines)
