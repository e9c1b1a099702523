"""What is drawn when nothing is due: how likely each verb is, and less of what was done just now.

A tiny model held to a grammar looks at the same bell for ever, or walks in a circle. So the verb is drawn here,
and from its arguments is removed what would only repeat the last few turns; the model finds the words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from agents.choices.possible import Form, Possible
from agents.choices.situation import Situation
from world.parsing import parse_line

SPEECH = frozenset({"say", "whisper", "tell"})
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

SOCIABLE = frozenset({"say", "whisper", "give", "follow"})
_ALIKE = {"examine": "look"}
NOT_AGAIN = 10
"""For how many turns the same thing is not looked at, taken or put down again."""

RESTLESS_ALONE = 0.8
RESTLESS_IN_COMPANY = 0.15
"""What each turn in one place adds to the urge to go, as a share of it."""

VISIT_TURNS = 3
POLITENESS = 0.1
"""What is left of the urge to go in the first turns in a place where somebody is."""

GREETING = 2.0
"""How much likelier speech is for whoever has said nothing here yet."""

FATIGUE = (0.2, 0.5, 0.8)
"""What is left of a verb's weight when it was used last turn, two turns ago, three turns ago."""


def without_repeats(possible: Possible, now: Situation) -> Possible:
    """Return the forms without the choices that were made just now; all of them if nothing would be left."""
    recent = [parse_line(line) for line in now.recent[-NOT_AGAIN:]]
    done = frozenset((_ALIKE.get(line.verb, line.verb), line.arguments.lower()) for line in recent)
    touched = frozenset(line.arguments.lower() for line in recent if line.verb in ("get", "drop", "give"))
    touched |= frozenset(name.lower() for name in now.gifts)
    fresh = {}
    for verb, form in possible.items():
        kept = _fresh(form, done, touched, now.ways_back)
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
        elif kind in ("near", "carried") and verb in ("get", "drop", "give"):
            kept = [choice for choice in choices if choice.lower() not in touched]
        else:
            kept = [choice for choice in choices if (_ALIKE.get(verb, verb), choice.lower()) not in done]
        if not kept:
            return None
        form = form.choosing(kind, kept)
    return form


def _preferring(choices: Sequence[str], wanted: Callable[[str], bool]) -> list[str]:
    return [choice for choice in choices if wanted(choice)] or list(choices)


def weight_of(verb: str, now: Situation) -> float:
    if verb in SOCIABLE and not now.company:
        return 0.0
    verbs = now.verbs
    weight = WEIGHTS.get(verb, UNKNOWN_WEIGHT) * _staleness(verb, verbs)
    if verb == "go":
        return weight * _restlessness(verbs, now)
    if verb == "say" and not now.manners.words_here:
        return weight * GREETING
    return weight


def _staleness(verb: str, verbs: Sequence[str]) -> float:
    """Return what is left of a verb's weight after its last use; `verbs` are newest first."""
    kin = SPEECH if verb in SPEECH else {verb}
    ago = next((turns for turns, one in enumerate(verbs) if one in kin), len(FATIGUE))
    return FATIGUE[ago] if ago < len(FATIGUE) else 1.0


def _restlessness(verbs: Sequence[str], now: Situation) -> float:
    turns = _turns_here(verbs)
    urge = 1 + turns * (RESTLESS_IN_COMPANY if now.company else RESTLESS_ALONE)
    return urge * (POLITENESS if now.company and turns < VISIT_TURNS else 1.0)


def _turns_here(verbs: Sequence[str]) -> int:
    return next((turns for turns, verb in enumerate(verbs) if verb == "go"), len(verbs))
