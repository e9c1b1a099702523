"""Situations: who is where, what has happened, and what an agent should do then.

They are YAML in the folder `situations`. A file has groups, a group has situations by name, and these have

    places: {Eliza: The Landing, Bruno: Eel Stage}   # who is where; the first is the agent that is judged
    clock: '21:30'                                   # the time of day; 10:00 without it
    carries: {Bruno: [gauge slip]}                   # what they have
    errand: {The Mill: get brass lantern, Pump Yard} # rooms or persons to go to, and what to do there
    theirs: [kite, red kite]                         # what the agent must not call its own
    script: Bruno> go west                           # lines, see `Situation`
    wanted: answers("Bruno") and (mentions("kite") or NODS)
    right: say Your kite! | emote nods               # commands to test `wanted` with; `nothing` is to do nothing
    wrong: nothing | say My kite.

`wanted` joins the checks of `bench.minds.checks` and `words` by `and`, `or` and brackets.
"""

from __future__ import annotations

import ast
import inspect
import pickle
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

from agents.attending.conversation import NO_SPEECH, addressee
from agents.memory.strategy import loaded_strategies
from bench.minds import checks, words
from bench.minds.checks import Check, all_of, any_of, flaws
from bench.minds.turns import Act, PlayedTurn, act_of
from vault.entities.load import load_world
from vault.vault import STARTER, Vault
from world.commands.table import world_commands
from world.entities import Character
from world.events import Said
from world.game import CommandResult, Game
from world.game_time import game_time_at
from world.world import World

AGENTS = ("Eliza", "Moss", "Odile")
MIDNIGHT_MS = 1_795_219_200_000  # 2026-11-21 00:00 UTC
MINUTE_MS = 60_000
LINE_MS = 15_000
"""Milliseconds from one line of a script to the next."""

DAY_MINUTES = 1440

TUNING = (
    *("talk", "questions", "news", "recall", "gifts", "private", "company", "keep_out", "farewells"),
    *("errands", "deeds", "pressure", "more_talk", "more_pairs", "more_company", "more_deeds"),
    *("unseen_talk", "unseen_pairs", "unseen_deeds"),
    *("fourth_talk", "fourth_recall", "fourth_pairs", "fourth_deeds"),
    *("fifth_talk", "fifth_recall", "fifth_pairs", "fifth_deeds"),
    *("sixth_talk", "sixth_recall", "sixth_pairs", "sixth_deeds"),
    *("seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth", "thirteenth"),
)
HELD_BACK = ("fourteenth", "fifteenth")
HALVES = ("tuning", "held-back", "all")
FOLDER = Path(__file__).parent / "situations"
NOTHING = "nothing"
KEYS = ("places", "clock", "carries", "errand", "theirs", "script", "wanted", "right", "wrong")
NO_TEXTS: Mapping[str, type] = MappingProxyType({"places": dict, "carries": dict, "errand": dict, "theirs": list})
NEEDED = ("places", "wanted", "right", "wrong")
VOCABULARY: Mapping[str, Any] = MappingProxyType(
    {
        name: value
        for module in (checks, words)
        for name, value in vars(module).items()
        if name[0] != "_" and (name.isupper() or getattr(value, "__module__", "") == module.__name__)
    }
)

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
        self._before, self._room_before = tuple(self._acts), self.agent.room_id

    def turn(self, failure: str = "") -> PlayedTurn:
        """Return the agent's acts since the script ended; `failure` says why it could do nothing."""
        world, name = self.game.world, self.situation.agent
        return PlayedTurn(
            name,
            tuple(act for act in self._acts[len(self._before) :] if act.who == name),
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
        own = self.game.world.characters[found[1]].transient
        own.speaks_to_id = self._replied_to(found[1], found[2]) if found[1] in AGENTS else ""
        performed = act(found[1], found[2].removeprefix("refused: "))
        own.speaks_to_id = ""
        if bool(performed.refusal) != found[2].startswith("refused: "):
            raise ScriptError(f"{self.situation.name}: {line!r}: {performed.refusal or 'it was not refused'}")

    def _replied_to(self, name: str, line: str) -> str:
        """Return to whom an agent's line is a reply: who spoke last, if here. An agent in the world knows that."""
        world, verb = self.game.world, line.partition(" ")[0]
        spoken = next((one for one in reversed(self._acts) if one.verb == "say" and one.who != name), None)
        if verb != "say" or spoken is None or addressee(Said(name, self._room(name), line), NO_SPEECH, world):
            return ""
        return spoken.who if self._room(spoken.who) == self._room(name) else ""

    def _room(self, name: str) -> str:
        return self.game.world.characters[name].room_id

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


def situations_of(half: str, only: str = "") -> Sequence[Situation]:
    """Return the situations of one of `HALVES`, or the one called `only`, whichever half it is in.

    Raises: ValueError if there is no such situation; ScriptError if a file is wrong.
    """
    every = _every()
    if only:
        found = [one for one in every if one.name == only]
        if not found:
            raise ValueError(f"There is no situation {only!r}. There are: {', '.join(one.name for one in every)}.")
        return found
    return [one for one in every if half == "all" or one.is_held_back == (half == "held-back")]


@cache
def _every() -> tuple[Situation, ...]:
    return tuple(
        one
        for files, is_held_back in ((TUNING, False), (HELD_BACK, True))
        for name in files
        for one in situations_in(FOLDER / f"{name}.yaml", is_held_back)
    )


def situations_in(path: Path, is_held_back: bool = False) -> Iterator[Situation]:
    """Return the situations of a file. Raises: ScriptError, which names the file, the situation and what is wrong."""
    try:
        groups = yaml.load(path.read_text(encoding="utf-8"), Loader=_Texts)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ScriptError(f"{path.name}: {error}") from error
    for group, situations in groups.items():
        for name, fields in situations.items():
            try:
                yield _situation(name, group, fields, is_held_back)
            except (ScriptError, AttributeError, TypeError) as error:
                raise ScriptError(f"{path.name}: {name}: {error}") from error


def parse_check(text: str) -> Check:
    """Return the check that an expression says, as `answers("Bruno") and TERSE`. Raises: ScriptError."""
    try:
        return _check(ast.parse(text, mode="eval").body)
    except SyntaxError as error:
        raise ScriptError(f"{text!r}: {error.msg}") from error


class _Texts(getattr(yaml, "CBaseLoader", yaml.BaseLoader)):  # type: ignore[misc]  # one that is there
    """Reads all values as texts, `no` and `10:00` too, and refuses a key that is there twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[str, Any]:
        keys = [key.value for key, _ in node.value]
        if twice := next((key for key in keys if keys.count(key) > 1), None):
            raise yaml.constructor.ConstructorError(None, None, f"{twice!r} is there twice", node.start_mark)
        return dict(super().construct_mapping(node, deep=True))


def _situation(name: str, group: str, fields: Mapping[str, Any], is_held_back: bool) -> Situation:
    wrong = [f"there is no {key!r}" for key in fields if key not in KEYS]
    wrong += [f"{key!r} is missing" for key in NEEDED if key not in fields]
    kinds = {key: NO_TEXTS.get(key, str) for key in KEYS}
    wrong += [
        f"{key!r} is no {kind.__name__}" for key, kind in kinds.items() if not isinstance(fields.get(key, kind()), kind)
    ]
    if wrong:
        raise ScriptError(f"{wrong[0]}; a situation has {', '.join(KEYS)}.")
    return Situation(
        name,
        group,
        next(iter(fields["places"])),
        fields["places"],
        tuple(fields.get("script", "").splitlines()),
        parse_check(fields["wanted"]),
        _commands(fields["right"]),
        _commands(fields["wrong"]),
        carries={who: tuple(own) for who, own in fields.get("carries", {}).items()},
        errand=tuple(Step(where, do) for where, do in fields.get("errand", {}).items()),
        theirs=tuple(fields.get("theirs", ())),
        clock=fields.get("clock", "10:00"),
        is_held_back=is_held_back,
    )


def _commands(text: str) -> tuple[str, ...]:
    return tuple("" if one == NOTHING else one for one in text.split(" | "))


def _check(node: ast.expr) -> Check:
    if isinstance(node, ast.BoolOp):
        join = all_of if isinstance(node.op, ast.And) else any_of
        return join(*map(_check, node.values))
    check = _value(node)
    if not callable(check) or "turn" not in inspect.signature(check).parameters:
        raise ScriptError(f"{ast.unparse(node)!r} is no check; expected one as answers('Bruno') or keeps_quiet.")
    return check  # type: ignore[no-any-return]


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Call) and not node.keywords:
        return _value(node.func)(*map(_value, node.args))
    if not isinstance(node, ast.Name):
        raise ScriptError(f"{ast.unparse(node)!r} is not understood; expected checks joined by 'and' and 'or'.")
    if node.id not in VOCABULARY:
        raise ScriptError(f"there is no {node.id!r}; there are: {', '.join(sorted(VOCABULARY))}.")
    return VOCABULARY[node.id]
