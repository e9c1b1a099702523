"""The policy that decides the next kind of act; the model only finds the words.

The order is: answer who spoke or gave something, but a person who is new here is greeted before an agent is answered;
tell somebody what the agent has promised to tell them; do a step of the errand that is at hand; greet a person who is
new here; do the next step of the errand; greet an agent who is new here; otherwise something small, drawn by weights.
Commands that would repeat the last turns or interrupt others are left out.
One table of rules serves the grammar, the schema, the menu and the retry, for every model.

A tiny model held to a grammar looks at the same bell for ever, or walks in a circle. So the verb is drawn here, and
arguments that would repeat the last few turns are removed; the model finds the words.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Literal

from agents.choices.possible import Form, Possible, Situation, spelt
from agents.component import TurnKind
from agents.components.errands import TALKING, Step
from world.entities import Character
from world.parsing import parse_line

Cause = Literal["answer", "deliver", "errand", "greet", "free", "rest"]

PRIVATE = frozenset({"whisper", "tell"})
ANSWERING = 0.95
TALKED_OUT = 0.7
"""The probability that an agent answers another in words, and the factor on it for each of its speeches here.

So two agents come to an end; a person who speaks to them is always answered."""

ON_ERRAND = {True: 0.5, False: 0.9}
GREETS = 0.7
"""The probabilities that a possible step of the errand is done, by whether it leads away from company; and that
somebody new is spoken to first."""

RESTING = {True: 4.0, False: 0.6}
"""The weight of doing nothing, while a person talks with the agent and otherwise."""

MENU_LINES = 6
"""Maximum number of commands that a model may choose from."""

SEEKING = 0.5
"""The probability that an agent who is alone and goes, goes towards others."""

FEW_POSES = 6
"""Number of poses that the model may choose from, drawn again each time."""


@dataclass(frozen=True)
class Decision:
    """The decision on the next act: its cause, the forms to choose from, and the partner.

    A `speech` turn asks for words alone. `line` is set when only one command is left, which needs no model. A `rest`
    has no forms and no line.
    """

    cause: Cause
    kind: TurnKind = "action"
    forms: Possible = field(default_factory=dict)
    partner: Character | None = None
    line: str = ""

    @property
    def verb(self) -> str:
        """The verb of a speech turn."""
        return next(iter(self.forms), "")

    @property
    def is_private(self) -> bool:
        """True if only the partner hears the words."""
        return self.kind == "speech" and self.verb in PRIVATE

    def opening(self) -> str:
        """Return how the line of a speech turn begins: `say`, or `whisper Robin`."""
        choices = self.forms[self.verb].choices if self.verb in PRIVATE else {}
        person = next(iter(choices.get("person") or choices.get("anyone") or ()), "")
        return f"{self.verb} {person}".strip()

    def line_of(self, words: str) -> str:
        """Return the line by which words are said in a speech turn; a bar in them begins no reason."""
        return f"{self.opening()} {words}".replace("|", "\\|")

    def menu(self, rng: random.Random, most: int = MENU_LINES) -> list[str]:
        """Return at most `most` lines to choose from, drawn again each time; commands with free words are left out."""
        lines = [line for form in self.forms.values() for line in _lines(form)]
        return rng.sample(lines, most) if len(lines) > most else lines


def _lines(form: Form) -> list[str]:
    kinds = [word.kind for word in form.command.words if word.kind]
    if not all(kind in form.choices for kind in kinds):
        return []
    filled = (dict(zip(kinds, values, strict=True)) for values in product(*(form.choices[kind] for kind in kinds)))
    return [f"{form.command.verb} {spelt(form.command, one)}".strip() for one in filled]


class Policy:
    """Decides the next kind of act. The same seed and situations give the same decisions."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def decide(self, possible: Possible, now: Situation) -> Decision:
        """Return the decision, given all that is possible."""
        is_told_by_agent = now.address.spoken and not now.address.by_person
        welcome = self._greeting(possible, now, of_people=True) if is_told_by_agent else None  # a person goes first
        return (
            welcome
            or self._answer(possible, now)
            or self._delivery(possible, now)
            or self._errand(possible, now, is_here=True)
            or self._greeting(possible, now, of_people=True)
            or self._errand(possible, now)
            or self._greeting(possible, now)
            or self._free(possible, now)
        )

    def _answer(self, possible: Possible, now: Situation) -> Decision | None:
        """Answer who spoke, in their own way; an agent less and less readily, and not after leave was taken."""
        address = now.address
        if not address.spoken or (not address.by_person and self._rng.random() >= _readiness(now)):
            return None
        partner = _present(now, address.by_id)
        form = _to(possible.get(address.channel), partner, address.by_id)
        if form is None and partner is not None:
            form = possible.get("say")
        if form is None or (partner is None and address.channel == "say"):
            return None
        return Decision("answer", "speech", {form.command.verb: form}, partner)

    def _delivery(self, possible: Possible, now: Situation) -> Decision | None:
        """Tell somebody what the agent has promised to tell them."""
        partner = now.delivers_to
        if partner is None or not _may_speak(now, partner):
            return None
        if not now.delivers_privately:
            return self._speech("deliver", possible, partner)
        form = _to(possible.get("whisper"), partner, partner.character_id)
        return Decision("deliver", "speech", {"whisper": form}, partner) if form else None

    def _errand(self, possible: Possible, now: Situation, is_here: bool = False) -> Decision | None:
        """Do the next step of the errand; `is_here` asks only for one that is done here and needs no words.

        Such a one is done in the middle of a talk, too.
        """
        step = now.errand
        if step and step.led:
            return self._leading(step, now)
        if step is None:
            return None
        is_at_hand = not (step.is_going or step.talk_to or parse_line(step.line).verb in TALKING)
        if not is_at_hand and (is_here or now.manners.in_talk_with):
            return None
        is_held_up = bool(now.company) and step.is_going
        if not step.is_at_once and self._rng.random() >= ON_ERRAND[is_held_up]:
            return None
        if step.talk_to:
            partner = _present(now, step.talk_to)
            return self._speech("errand", possible, partner)
        return Decision("errand", line=step.line) if parse_line(step.line).verb in possible else None

    def _leading(self, step: Step, now: Situation) -> Decision:
        """Go on with a person who is led, or wait for them."""
        partner = _present(now, step.led)
        return Decision("errand", line=step.line, partner=partner) if step.line else Decision("rest")

    def _greeting(self, possible: Possible, now: Situation, of_people: bool = False) -> Decision | None:
        """Speak first to somebody new: to a person before anything else is done, to an agent at times."""
        manners = now.manners
        new = [one for one in now.company if one.character_id not in manners.spoken_to and one.is_agent != of_people]
        if not new or not _may_speak(now, new[0]):
            return None
        if not of_people and manners.in_talk_with:
            return None  # one does not turn away from a person to greet a neighbour
        if not of_people and self._rng.random() >= GREETS * TALKED_OUT**manners.words_here:
            return None
        return self._speech("greet", possible, new[0])

    def _speech(self, cause: Cause, possible: Possible, partner: Character | None) -> Decision | None:
        if partner is None or "say" not in possible:
            return None
        return Decision(cause, "speech", {"say": possible["say"]}, partner)

    def _free(self, possible: Possible, now: Situation) -> Decision:
        """Draw a verb by weight, and leave its arguments to the model; words to somebody only where they are due."""
        fresh = without_repeats(possible, now)
        fresh = {verb: form for verb, form in fresh.items() if _is_fitting(verb, form, now)}
        weights = {verb: weight_of(verb, now) for verb in fresh}
        weights["rest"] = RESTING[bool(now.manners.in_talk_with)]
        (verb,) = self._rng.choices(list(weights), list(weights.values()))
        if verb == "rest" or not fresh:
            return Decision("rest")
        if verb == "say":
            partner = _latest(now)
            return self._speech("free", fresh, partner) or Decision("rest")
        form = self._with_few_poses(self._seeking(fresh[verb], now))
        decision = Decision("free", forms={verb: form})
        lines = decision.menu(self._rng)
        return replace(decision, line=lines[0]) if len(lines) == 1 else decision

    def suggest(self, possible: Possible, now: Situation, count: int = 3) -> list[str]:
        """Return at most `most` different lines that would be accepted, for a model that finds none by itself."""
        fresh = without_repeats(possible, now)
        weights = {verb: weight_of(verb, now) for verb, form in fresh.items() if _lines(form)}
        lines: list[str] = []
        while len(lines) < count and any(weights.values()):
            (verb,) = self._rng.choices(list(weights), list(weights.values()))
            lines.append(self._rng.choice(_lines(self._with_few_poses(fresh[verb]))))
            weights[verb] = 0.0
        return lines

    def _with_few_poses(self, form: Form) -> Form:
        """A small model given all poses takes the same three for ever."""
        poses = form.choices.get("text", ())
        return form.choosing("text", self._rng.sample(poses, FEW_POSES)) if len(poses) > FEW_POSES else form

    def _seeking(self, form: Form, now: Situation) -> Form:
        exits = [exit for exit in form.choices.get("exit", ()) if exit in now.ways_to_others]
        if not exits or now.company or self._rng.random() >= SEEKING:
            return form
        return form.choosing("exit", exits)


def _to(form: Form | None, partner: Character | None, by_id: str) -> Form | None:
    """Return a form with the partner as the only person, or None if nobody can be spoken to with it."""
    if form is None:
        return None
    for kind in ("person", "anyone"):
        if kind in form.choices:
            names = [name for name in form.choices[kind] if name in (by_id, partner.name if partner else by_id)]
            return form.choosing(kind, names) if names else None
    return form


def _present(now: Situation, character_id: str) -> Character | None:
    """Return who of the company this is; None if they are not there."""
    return next((one for one in now.company if one.character_id == character_id), None)


def _may_speak(now: Situation, partner: Character | None) -> bool:
    """Return whether it is polite to say something unasked to somebody of the company."""
    manners = now.manners
    has_parted = partner is None or partner.character_id in manners.parted
    return bool(now.company) and not (manners.is_waiting or manners.others_talk or has_parted)


def _latest(now: Situation) -> Character | None:
    """Return whom a remark is for: a person before an agent."""
    people = [one for one in now.company if not one.is_agent]
    return next(iter(people or now.company), None)


def _is_fitting(verb: str, form: Form, now: Situation) -> bool:
    if verb in now.shunned or verb in PRIVATE:
        return False
    if verb == "say":
        return _may_speak(now, _latest(now))
    if verb == "go" and now.manners.in_talk_with:
        return False
    return now.finds_words or bool(_lines(form))


def _readiness(now: Situation) -> float:
    """Return how likely an agent answers what another agent said to it."""
    if now.address.by_id in now.manners.parted or now.shunned & SPEECH:
        return 0.0
    return ANSWERING * TALKED_OUT**now.manners.words_here


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
"""Number of turns in which the same thing is not looked at, taken or put down again."""

RESTLESS_ALONE = 0.8
RESTLESS_IN_COMPANY = 0.15
"""The growth of the urge to go with each turn in one place, as a share of it."""

VISIT_TURNS = 3
POLITENESS = 0.1
"""The factor on the urge to go in the first `VISIT_TURNS` turns in a place where somebody is."""

GREETING = 2.0
"""The factor on speech to somebody who has said nothing here yet."""

FATIGUE = (0.2, 0.5, 0.8)
"""The factors on a verb's weight when it was used one, two or three turns ago."""


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
    """Return the factor on a verb's weight after its last use; `verbs` are newest first."""
    kin = SPEECH if verb in SPEECH else {verb}
    ago = next((turns for turns, one in enumerate(verbs) if one in kin), len(FATIGUE))
    return FATIGUE[ago] if ago < len(FATIGUE) else 1.0


def _restlessness(verbs: Sequence[str], now: Situation) -> float:
    turns = _turns_here(verbs)
    urge = 1 + turns * (RESTLESS_IN_COMPANY if now.company else RESTLESS_ALONE)
    return urge * (POLITENESS if now.company and turns < VISIT_TURNS else 1.0)


def _turns_here(verbs: Sequence[str]) -> int:
    return next((turns for turns, verb in enumerate(verbs) if verb == "go"), len(verbs))
