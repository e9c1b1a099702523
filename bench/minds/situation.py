"""A situation: who is where, what has happened, and what an agent should do then."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache

from agents.memory.strategy import loaded_strategies
from bench.minds.checks import Check, flaws
from bench.minds.turns import Act, PlayedTurn, act_of
from vault.entities.store import load_world
from vault.vault import STARTER, Vault
from world.commands.table import world_commands
from world.entities import Character
from world.game import CommandResult, Game
from world.game_time import game_time_at
from world.world import World

AGENTS = ("Eliza", "Moss", "Odile")
MIDNIGHT_MS = 1_795_219_200_000  # 2026-11-21 00:00 UTC
MINUTE_MS = 60_000
LINE_MS = 15_000
"""Milliseconds from one line of a script to the next."""

DAY_MINUTES = 1440

_LINE = re.compile(r"(\w+)> (.+)")
_CLOCK = re.compile(r"clock (\d\d):(\d\d)")

Perform = Callable[[str, str], CommandResult]
"""Does a line of a script as one of the agents: its name, and the line."""


class ScriptError(Exception):
    """A situation that cannot be set up; the message names it and what is wrong."""


@dataclass(frozen=True)
class Step:
    """One step of an errand: `where` is the room or the person that it leads to, `do` the command to give there.

    An empty `do` asks only to be there.
    """

    where: str
    do: str = ""

    @property
    def note_line(self) -> str:
        """The step as it stands under `## Errands` in an agent's note."""
        return f"- [[{self.where}]]: {self.do}" if self.do else f"- [[{self.where}]]"


@dataclass(frozen=True)
class Situation:
    """One situation, and what is right in it.

    `places` says in which room everybody is at the start; who is no agent is a person. `carries` says what somebody
    has. Each line of `script` is `NAME> command`, or `clock HH:MM`; the last is what the agent reacts to, and without
    one nothing has happened. `wanted` checks the turn that follows, beside `flaws`. `right` and `wrong` are commands
    that are so, to test the check with; an empty one is to do nothing. `is_held_back` keeps a situation out of tuning.
    """

    name: str
    group: str
    agent: str
    places: Mapping[str, str]
    script: tuple[str, ...]
    wanted: Check
    right: tuple[str, ...]
    wrong: tuple[str, ...]
    carries: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    errand: tuple[Step, ...] = ()
    theirs: tuple[str, ...] = ()
    clock: str = "10:00"
    is_held_back: bool = False

    @property
    def people(self) -> frozenset[str]:
        """Everybody who may be known by name."""
        return frozenset([*AGENTS, *self.places])

    @property
    def asks_for_words(self) -> bool:
        """True if somebody waits for an answer in words."""
        return self.right[0].partition(" ")[0] in ("say", "whisper", "tell")

    def judge(self, turn: PlayedTurn) -> str:
        """Return the fault of a turn in this situation, or an empty string."""
        return flaws(turn) or self.wanted(turn)


class Scene:
    """A situation in a world of its own, ready to be played; `ms` is the time in it.

    `play_script` has everybody do what the script says, and `turn` returns the agent's acts since then.
    """

    def __init__(self, situation: Situation, world: World | None = None) -> None:
        """Set the scene in `world`, or in a copy of the starter world. Raises: ScriptError."""
        self.situation = situation
        self.game = Game(world or pickle.loads(_starter_world()), world_commands())
        self.game.subscribe_lines("bench", self._take, first=True)
        hours, minutes = situation.clock.split(":")
        self.ms = MIDNIGHT_MS + (int(hours) * 60 + int(minutes)) * MINUTE_MS
        self._acts: list[Act] = []
        self._place_all()
        self.game.world.time = game_time_at(self.ms, DAY_MINUTES)

    @property
    def agent(self) -> Character:
        """The agent whose turn is judged."""
        return self.game.world.characters[self.situation.agent]

    def wake_people(self) -> None:
        """Wake the people who are not agents."""
        for name in self.situation.places:
            if name not in AGENTS:
                self.game.wake(name, lambda event, text: None)

    def play_script(self, perform: Perform) -> None:
        """Play the script; `perform` does what agents do in it. Raises: ScriptError at a line that is refused."""
        for line in self.situation.script:
            self.ms += LINE_MS
            if clock := _CLOCK.fullmatch(line):
                self.ms = MIDNIGHT_MS + (int(clock[1]) * 60 + int(clock[2])) * MINUTE_MS
            self.game.advance_time(game_time_at(self.ms, DAY_MINUTES))
            if not clock:
                self._perform(line, perform)
        self._others = frozenset(
            one.name for one in self.game.world.occupants(self.agent.room_id) if one is not self.agent
        )
        self._before, self._room_before = tuple(self._acts), self.agent.room_id

    def turn(self, failure: str = "") -> PlayedTurn:
        """Return the agent's acts since the script ended; `failure` says why it could do nothing."""
        world, name = self.game.world, self.situation.agent
        return PlayedTurn(
            name,
            tuple(act for act in self._acts[len(self._before) :] if act.who == name),
            self._others,
            self.situation.people,
            self._before,
            self._room_before,
            self.agent.room_id,
            frozenset(thing.thing_id for thing in world.things_at(name)),
            self.situation.theirs,
            failure,
        )

    def _perform(self, line: str, perform: Perform) -> None:
        found = _LINE.fullmatch(line)
        if found is None or found[1] not in self.situation.people:
            raise ScriptError(f"{self.situation.name}: {line!r} is no line; expected NAME> command, or clock HH:MM.")
        act = perform if found[1] in AGENTS else self.game.perform
        performed = act(found[1], found[2].removeprefix("refused: "))
        if bool(performed.refusal) != found[2].startswith("refused: "):
            raise ScriptError(f"{self.situation.name}: {line!r}: {performed.refusal or 'it was not refused'}")

    def _take(self, character_id: str, text: str, performed: CommandResult) -> None:
        self._acts.append(act_of(character_id, text, performed))

    def _place_all(self) -> None:
        situation, world = self.situation, self.game.world
        things = {thing: who for who, own in situation.carries.items() for thing in own}
        unknown = [name for name in situation.places.values() if name not in world.rooms]
        unknown += [name for name in things if name not in world.things]
        if unknown:
            raise ScriptError(f"{situation.name}: the starter world has no {unknown[0]!r}.")
        for name, room_id in situation.places.items():
            if name not in AGENTS:
                world.add_character(Character(name, room_id))
            world.characters[name].room_id = room_id
        for thing, place_id in things.items():
            world.things[thing].place_id = place_id


@cache
def _starter_world() -> bytes:
    """Return the starter world, pickled: a copy is read from it in a fifth of the time that `copy.deepcopy` takes."""
    vault = Vault(STARTER)
    return pickle.dumps(load_world(vault, loaded_strategies().load_settings(vault).world))
