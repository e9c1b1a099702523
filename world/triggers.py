"""Triggers: rows of a note's table of reactions, parsed. No code is run.

    | on  | when               | do                                            |
    | use | lit != yes, night  | set lit = yes; show The lamp flares up.       |

`on` is the event: arrive, leave, say, emote, get, drop, give, put, use, read or look; a part of the day, when it
begins; or `every 30`, in minutes of the world. Words behind it, as in `say ferry` or `use bell`, have to be among
the spoken words, or in the name of the thing. In each table the first row that fits counts.
`when` are conditions with commas between them, all of which have to be met: a part of the day, `property = value` or
`property != value` of the table's owner, `carries <thing>` for the actor, `1 in 3`.
`do` is done in turn, with semicolons between: show, say, emote, tell, remind, move, give, set. A semicolon before any
other word is part of a text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from world.errors import WorldError
from world.game_time import DAY_PARTS
from world.parsing import join_or

EVENTS = ("arrive", "leave", "say", "emote", "get", "drop", "give", "put", "use", "read", "look")
ACTIONS = ("show", "say", "emote", "tell", "remind", "move", "give", "set")
MIN_PERIOD_MINUTES, MAX_PERIOD_MINUTES = 1, 7 * 24 * 60
"""Minimum and maximum period of `every`, in minutes of the world."""

_NEXT_ACTION = re.compile(rf";\s*(?=(?:{'|'.join(ACTIONS)})\s|$)", re.IGNORECASE)
_PERIOD = re.compile(r"every (\d{1,5})(?: minutes?)?")
_CHANCE = re.compile(r"1 in (\d{1,4})")
_PROPERTY = re.compile(r"([\w \t-]+)(!=|=)(.*)")
_TO = re.compile(r"(?<!\s)\s+to\s+")
_LINK = re.compile(r"\[\[([^\[\]|#]+)(?:[#|][^\[\]]*)?\]\]")


@dataclass(frozen=True)
class Condition:
    """A condition: `kind` is `part`, `is`, `is_not`, `carries` or `chance`, and `name` and `value` are its operands."""

    kind: str
    name: str
    value: str = ""


@dataclass(frozen=True)
class Action:
    """One action. `text` is the text to say or show, the thing to move or give, or the property to set.

    `target` is the place or the receiver, or the property's value.
    """

    verb: str
    text: str
    target: str = ""


@dataclass(frozen=True)
class Trigger:
    """One row. `on` is what happens, `words` what has to be said in it, `every` its period in minutes or 0."""

    on: str
    when: tuple[Condition, ...]
    do: tuple[Action, ...]
    words: str = ""
    every: int = 0

    def is_about(self, text: str) -> bool:
        """Return whether its words are all in what is said, or in the name of the thing."""
        return all(word in text.lower() for word in self.words.split())


def parse_trigger(on: str, when: str, do: str) -> Trigger:
    """Return the reaction that a row describes. Raises: WorldError saying what is wrong and what would be right."""
    event, words, every = _parse_event(" ".join(on.lower().split()))
    conditions = tuple(_parse_condition(text.strip()) for text in when.split(",") if text.strip())
    acts = tuple(_parse_action(text.strip()) for text in _NEXT_ACTION.split(do) if text.strip())
    if not acts:
        raise WorldError(f"{on!r} does nothing; the third column needs one of {join_or(ACTIONS)}")
    return Trigger(event, conditions, acts, words, every)


def _parse_event(on: str) -> tuple[str, str, int]:
    period = _PERIOD.fullmatch(on)
    if period:
        every = int(period[1])
        if not MIN_PERIOD_MINUTES <= every <= MAX_PERIOD_MINUTES:
            raise WorldError(f"{on!r} is not from {MIN_PERIOD_MINUTES} to {MAX_PERIOD_MINUTES} minutes")
        return "every", "", every
    event, _, words = on.partition(" ")
    if (event not in (*EVENTS, *DAY_PARTS)) or (words and event in DAY_PARTS):
        raise WorldError(f"{on!r} is nothing that happens; write {join_or((*EVENTS, *DAY_PARTS, 'every 30'))}")
    return event, words, 0


def _parse_condition(text: str) -> Condition:
    lower = text.lower()
    if lower in DAY_PARTS:
        return Condition("part", lower)
    if chance := _CHANCE.fullmatch(lower):
        if int(chance[1]) < 1:
            raise WorldError(f"{text!r} can never be; write 1 in 3")
        return Condition("chance", chance[1])
    if lower.startswith("carries "):
        return Condition("carries", _without_link(text[len("carries ") :]))
    if found := _PROPERTY.fullmatch(text):
        return Condition("is" if found[2] == "=" else "is_not", found[1].strip().lower(), found[3].strip())
    forms = join_or([*DAY_PARTS, "property = value", "property != value", "carries <thing>", "1 in 3"])
    raise WorldError(f"{text!r} is not a condition; write {forms}")


def _parse_action(text: str) -> Action:
    verb, _, rest = text.partition(" ")
    verb, rest = verb.lower(), rest.strip()
    if verb not in ACTIONS:
        raise WorldError(f"{text!r} is nothing that can be done; write one of {join_or(ACTIONS)}")
    if not rest:
        raise WorldError(f"{verb!r} needs something to {verb}")
    if verb in ("move", "give"):
        return _parse_transfer(verb, rest)
    if verb == "set":
        found = _PROPERTY.fullmatch(rest)
        if not found or found[2] != "=":
            raise WorldError(f"{text!r} sets nothing; write set property = value")
        return Action(verb, found[1].strip().lower(), found[3].strip())
    return Action(verb, rest)


def _parse_transfer(verb: str, rest: str) -> Action:
    what, *where = _TO.split(rest, 1)
    example = "move {actor} to [[The Mill]]" if verb == "move" else "give [[iron key]] to {actor}"
    if not (what and where and where[0]):
        raise WorldError(f"'{verb} {rest}' says not to where or whom; write such as {example}")
    return Action(verb, _without_link(what), _without_link(where[0]))


def _without_link(text: str) -> str:
    link = _LINK.fullmatch(text.strip())
    return (link[1] if link else text).strip()
