"""Choosing the verb for a model too small to choose well: weights, and less of what was done just now.

A tiny model held to a grammar looks at the same bell for ever, or walks in a circle. So the verb is drawn here,
and from its arguments is removed what would only repeat the last few turns; the model finds the words.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from agents.choices.possible import Form, Possible
from world.model import Character, Room, World
from world.parsing import parse_line
from world.paths import shortest_path

WEIGHTS: Mapping[str, float] = {
    "say": 6.0,
    "go": 4.0,
    "get": 3.0,
    "think": 2.5,
    "emote": 2.5,
    "look": 2.0,
    "give": 2.0,
    "examine": 1.5,
    "whisper": 0.8,
    "follow": 0.2,
    "tell": 0.05,
    "drop": 0.5,
    "where": 0.2,
    "read": 1.0,
    "use": 1.0,
    "put": 0.3,
    "write": 0.1,
    "inventory": 0.1,
    "who": 0.1,
    "exits": 0.05,
    # A small model would pin, look up and set itself goals at random.
    "goal": 0.0,
    "@memory-facts": 0.0,
}
UNKNOWN_WEIGHT = 0.3
"""The weight of a command that this table does not know."""

SPEECH = frozenset({"say", "whisper", "tell"})
SOCIABLE = frozenset({"say", "whisper", "give", "follow"})
_ALIKE = {"examine": "look"}
NOT_AGAIN = 10
"""For how many turns the same thing is not looked at, taken or put down again."""

ANSWERING = 0.95
TALKED_OUT = 0.7
LATELY = 5
"""How often somebody who was spoken to answers in words, and what is left of that for each of the agent's last
`LATELY` lines that was speech. So two agents come to an end; a person who speaks to them is always answered."""

RESTLESS_ALONE = 0.8
RESTLESS_IN_COMPANY = 0.15
"""What each turn in one place adds to the urge to go, as a share of it."""

SEEKING = 0.5
"""How often somebody alone who goes, goes towards others."""

FEW_POSES = 6
"""How many poses, drawn anew each time, the model may choose from."""

VISIT_TURNS = 3
POLITENESS = 0.1
"""What is left of the urge to go in the first turns in a place where somebody is."""

GREETING = 2.0
"""How much likelier speech is for whoever has said nothing here yet."""

FATIGUE = (0.2, 0.5, 0.8)
"""What is left of a verb's weight when it was used last turn, two turns ago, three turns ago."""


@dataclass(frozen=True)
class Moment:
    """What steering knows of an agent's situation.

    `recent` are its own last lines, newest last. `addressed` is true if somebody has spoken since the last of
    them, `by_person` if that was a person and not an agent, `from_afar` if somebody has told it something who need not
    be here; `company` if anybody else is here. `ways_back` are the exits to where it has just been, `ways_to_others`
    those towards others. `shunned` are verbs that would lead it round in a circle.
    """

    recent: Sequence[str] = ()
    addressed: bool = False
    by_person: bool = False
    from_afar: bool = False
    company: bool = False
    ways_back: frozenset[str] = frozenset()
    ways_to_others: frozenset[str] = frozenset()
    shunned: frozenset[str] = frozenset()


def ways_back(room: Room, visited: Sequence[str], most: int = 2) -> frozenset[str]:
    """Return the exits of `room` that lead to the last `most` other rooms visited; ids, newest last."""
    others = [room_id for room_id in dict.fromkeys(reversed(visited)) if room_id != room.room_id]
    return frozenset(exit.name for exit in room.exits.values() if exit.room_id in others[:most])


def ways_to_others(world: World, actor: Character) -> frozenset[str]:
    """Return the exits that begin a shortest way to somebody else who is in the world, if not here."""
    rooms = {one.room_id for one in world.awake() if one is not actor}
    ways = (shortest_path(world, actor.room_id, room_id) for room_id in rooms)
    return frozenset(way[0].name for way in ways if way)


class Steering:
    """Draws what an agent may do in one turn. The same seed and moments give the same draws."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def choose(self, possible: Possible, moment: Moment) -> Possible:
        """Return the forms to admit this turn, never none if any were given.

        Usually that is one verb. What would repeat the last turns is left out as long as something else remains, and
        so are shunned verbs, but for the answer to a person.
        """
        fresh = without_repeats(possible, moment)
        answer = "tell" if moment.from_afar else "say" if moment.company else ""
        if answer in fresh and self._rng.random() < _readiness(moment):
            return {answer: fresh[answer]}
        fresh = {verb: form for verb, form in fresh.items() if verb not in moment.shunned} or fresh
        weights = {verb: _weight(verb, moment) for verb in fresh}
        if not any(weights.values()):
            return fresh
        (verb,) = self._rng.choices(list(weights), list(weights.values()))
        return {verb: self._with_few_poses(self._seeking(fresh[verb], moment))}

    def _with_few_poses(self, form: Form) -> Form:
        """A small model given all poses takes the same three for ever."""
        poses = form.choices.get("text", ())
        return form.choosing("text", self._rng.sample(poses, FEW_POSES)) if len(poses) > FEW_POSES else form

    def _seeking(self, form: Form, moment: Moment) -> Form:
        exits = [exit for exit in form.choices.get("exit", ()) if exit in moment.ways_to_others]
        if not exits or moment.company or self._rng.random() >= SEEKING:
            return form
        return form.choosing("exit", exits)


def without_repeats(possible: Possible, moment: Moment) -> Possible:
    """Return the forms without the choices that were made just now; all of them if nothing would be left."""
    recent = [parse_line(line) for line in moment.recent[-NOT_AGAIN:]]
    done = frozenset((_ALIKE.get(line.verb, line.verb), line.arguments.lower()) for line in recent)
    touched = frozenset(line.arguments.lower() for line in recent if line.verb in ("get", "drop", "give"))
    fresh = {}
    for verb, form in possible.items():
        kept = _fresh(form, done, touched, moment.ways_back)
        if kept is not None:
            fresh[verb] = kept
    return fresh or possible


def _fresh(
    form: Form, done: frozenset[tuple[str, str]], touched: frozenset[str], ways_back: frozenset[str]
) -> Form | None:
    verb = form.command.verb
    for kind, choices in form.choices.items():
        if kind == "exit":
            kept = _preferring(choices, lambda choice: choice not in ways_back)
        elif kind in ("near", "carried") and verb in ("get", "drop"):
            kept = [choice for choice in choices if choice.lower() not in touched]
        else:
            kept = [choice for choice in choices if (_ALIKE.get(verb, verb), choice.lower()) not in done]
        if not kept:
            return None
        form = form.choosing(kind, kept)
    return form


def _preferring(choices: Sequence[str], wanted: Callable[[str], bool]) -> list[str]:
    return [choice for choice in choices if wanted(choice)] or list(choices)


def _weight(verb: str, moment: Moment) -> float:
    if verb in SOCIABLE and not moment.company:
        return 0.0
    verbs = _verbs(moment)
    weight = WEIGHTS.get(verb, UNKNOWN_WEIGHT) * _staleness(verb, verbs)
    if verb == "go":
        return weight * _restlessness(verbs, moment)
    if verb == "say" and "say" not in verbs[: _turns_here(verbs)]:
        return weight * GREETING
    return weight


def _readiness(moment: Moment) -> float:
    """Return how likely the agent answers what was said to it."""
    if not moment.addressed or moment.by_person:
        return float(moment.addressed)
    if moment.shunned & SPEECH:
        return 0.0
    said = sum(verb in SPEECH for verb in _verbs(moment)[:LATELY])
    return ANSWERING * TALKED_OUT**said


def _verbs(moment: Moment) -> list[str]:
    """Return the verbs of the agent's last lines, newest first."""
    return [parse_line(line).verb for line in reversed(moment.recent)]


def _staleness(verb: str, verbs: Sequence[str]) -> float:
    """Return what is left of a verb's weight after its last use; `verbs` are newest first."""
    kin = SPEECH if verb in SPEECH else {verb}
    ago = next((turns for turns, one in enumerate(verbs) if one in kin), len(FATIGUE))
    return FATIGUE[ago] if ago < len(FATIGUE) else 1.0


def _restlessness(verbs: Sequence[str], moment: Moment) -> float:
    turns = _turns_here(verbs)
    urge = 1 + turns * (RESTLESS_IN_COMPANY if moment.company else RESTLESS_ALONE)
    return urge * (POLITENESS if moment.company and turns < VISIT_TURNS else 1.0)


def _turns_here(verbs: Sequence[str]) -> int:
    return next((turns for turns, verb in enumerate(verbs) if verb == "go"), len(verbs))
