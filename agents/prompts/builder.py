"""The prompt builder: every part of the mind adds its section, and what has no room gives way in a fixed order."""

from __future__ import annotations

import logging
import re
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol, TypeVar

from agents.component import AddedComponent, Component, Moment, Section
from agents.escaping import quoted
from agents.memory.view import STEP_LINES, View
from agents.models.model import Message, NotCountedYet
from agents.prompts.prompt import FIXED, Place, Prompt, PromptTemplate, parse_paragraphs
from agents.prompts.talk import Talk, merged
from vault.errors import NoteError
from vault.memory.memory_line import Memory, Range
from world.parsing import renaming

log = logging.getLogger(__name__)

T = TypeVar("T")

IN_KNOWN = "known"
"""The slot of sections that have none of their own in a template."""

OPTIONAL = 3
"""Sections that give way at this or more are left out before the tail is shortened; all others outrank its oldest
lines."""

HANGS_SECONDS = 1.0
"""An added component that takes longer than this is switched off."""

MAX_CHARACTERS_A_TOKEN = 16
"""Maximum average number of characters a token of any text."""

_TALK_PARTS = ("System", "Past", "Scene", "Now")
_HEADING = re.compile(r"##[ \t]+(\w+)[ \t]*")


@dataclass(frozen=True)
class Templates:
    """The templates of prompts.

    `transcript` is for models that go on with a text, `talk` and `action` are for chat models, when they speak and when
    they choose a command.
    """

    transcript: PromptTemplate
    talk: TalkTemplate
    action: TalkTemplate


class Layout(Protocol):
    """A layout of prompts: it renders sections and the tail."""

    def has_place_for(self, name: str) -> bool:
        """Return whether a section of this name would be shown."""

    def render(self, sections: Sequence[Section], moment: Moment) -> Prompt:
        """Return the prompt of some sections, with the moment's tail but for `left_out` of its lines."""


def sections_of(components: Iterable[Component], moment: Moment, failed: Callable[[Component], None]) -> list[Section]:
    """Return the sections of the components, in their order; one that raises is left out and `failed` is called.

    Raises: NoteError if the journal cannot be read, NotCountedYet if tokens have to be counted first.
    """
    found: list[Section] = []
    told: list[str] = []
    for component in components:
        try:
            section = checked(component, partial(component.context, replace(moment, told="\n".join(told))))
            if section and section.text:
                section = _cut(section, moment.count_tokens)
        except (NoteError, NotCountedYet):
            raise
        except Exception:
            log.exception("the component %s failed, and is switched off", component.name)
            failed(component)
            continue
        if section and section.text:
            found.append(section)
            told.append(section.text)
    return found


def checked(component: Component, call: Callable[[], T]) -> T:
    """Return the result of a call of a component.

    Raises: TypeError if it is a section that is none of its own, TimeoutError if an added one has taken too long.
    """
    began = time.monotonic()
    found = call()
    if isinstance(component, AddedComponent) and (took := time.monotonic() - began) > HANGS_SECONDS:
        raise TimeoutError(f"it took {took:.1f} s")
    if found is not None and (not isinstance(found, Section) or found.name != component.name):
        raise TypeError(f"{found!r} is no section of {component.name}")
    return found


def build(layout: Layout, sections: Callable[[Moment], list[Section]], moment: Moment) -> Prompt:
    """Return the prompt of a moment within its budget of tokens.

    What gives way when it is too long: sections by their `gives_way` down to OPTIONAL, the highest first; then the
    oldest lines of the tail, in steps, so that the text before them stays the same for many turns; then the sections
    that are about the moment; then the last of the tail. A line names what is missing.
    """
    moment = replace(moment, left_out=_least_left_out(moment))
    dropped = list[str]()

    def made(left_out: int) -> Prompt:
        shorter = replace(moment, left_out=left_out)
        kept = [one for one in sections(shorter) if one.name not in dropped]
        prompt = layout.render(kept, shorter)
        tiers = moment.view.heading(prompt.unshown, moment.world.wording)
        return replace(prompt, left_out=tuple(dropped), tiers=tiers)

    def fits(prompt: Prompt) -> bool:
        return moment.count_tokens(prompt.text) <= moment.budget_tokens

    steps = [step for step in _steps(moment.view) if step >= moment.left_out]
    tail, newest = moment.view.tail, min(STEP_LINES, len(moment.view.moment))
    oldest = [step for step in steps if step <= len(tail) - newest] or steps[:1]
    ranks = {one.name: one.gives_way for one in sections(moment)}
    while not fits(prompt := made(steps[0])):
        last = max((rank for name, rank in ranks.items() if name not in dropped), default=0)
        if last < OPTIONAL and fits(prompt := _with_short_tail(made, oldest, fits)):
            return prompt
        if not last:
            return _with_short_tail(made, steps, fits)
        dropped += [name for name, rank in ranks.items() if rank == last]
    return prompt


def _least_left_out(moment: Moment) -> int:
    """Return how many of the oldest lines cannot fit by their length alone: they are not put together, nor counted."""
    steps, most = list(_steps(moment.view)), MAX_CHARACTERS_A_TOKEN * moment.budget_tokens
    return steps[bisect_left(steps, True, hi=len(steps) - 1, key=lambda step: len(moment.view.tail_text(step)) <= most)]


def _with_short_tail(made: Callable[[int], Prompt], steps: Sequence[int], fits: Callable[[Prompt], bool]) -> Prompt:
    # The more is left out, the shorter it is. To try one step after the other would take long for a long tail.
    return made(steps[bisect_left(steps, True, hi=len(steps) - 1, key=lambda step: fits(made(step)))])


def _steps(view: View) -> Iterator[int]:
    """Yield how many of the oldest lines may be left out: none, up to each boundary, all.

    The boundaries depend on the memories' numbers only, so that what is left out changes once in a step.
    """
    yield 0
    steps = [(memory.seq - 1) // STEP_LINES for memory in view.tail]
    yield from (number for number in range(1, len(steps)) if steps[number] != steps[number - 1])
    if steps:
        yield len(steps)


def _cut(section: Section, count_tokens: Callable[[str], int]) -> Section:
    """Return a section within its own budget, without the last lines if it is too long."""
    lines = section.text.split("\n")
    if section.max_tokens is None or count_tokens(section.text) <= section.max_tokens:
        return section
    while len(lines) > 1 and count_tokens("\n".join(lines)) > section.max_tokens:
        lines.pop()
    return replace(section, text="\n".join(lines))


@dataclass(frozen=True)
class Transcript:
    """One text that a base model continues: the template filled, with the tail as it stood on the agent's screen.

    `opening` is how the agent's own line begins, where the engine has chosen its verb.
    """

    template: PromptTemplate
    name: str
    opening: str = ""

    def has_place_for(self, name: str) -> bool:
        return name in self.template.slots or name not in FIXED

    def render(self, sections: Sequence[Section], moment: Moment) -> Prompt:
        view, left_out, call = moment.view, moment.left_out, calling(sections, moment)
        sections = [replace(one, text=call(one.text)) for one in sections]
        values = {"name": self.name, "tail": call(view.tail_text(left_out))}
        values |= {"before": call(view.before_text(left_out)), "since": call(view.since_text(left_out))}
        values |= _slots(sections, self.template.slots)
        text, places = self.template.filled(values)
        places |= _places_in_known(sections, self.template.slots, places.pop(IN_KNOWN, (0, 0))[0])
        if self.opening:
            text += f" {self.opening}"
        return Prompt(text, (), tuple(sections), places, shown_range(moment), view.unshown(left_out))


@dataclass(frozen=True)
class TalkTemplate:
    """The parts of a prompt for a model that is talked with; each is a template of its own."""

    system: PromptTemplate
    past: PromptTemplate
    scene: PromptTemplate
    now: PromptTemplate

    @property
    def slots(self) -> frozenset[str]:
        """The names of all slots that it has."""
        return self.system.slots | self.past.slots | self.scene.slots | self.now.slots


def parse_talk_template(text: str, source: str, first_line: int = 1) -> TalkTemplate:
    """Return a template with the parts System, Past, Scene and Now under headings of their own.

    `first_line` is where in the file the text begins. Raises: NoteError naming file and line if a part is unknown or
    System is missing, or a slot does not exist.
    """
    parts: dict[str, tuple[list[str], int]] = {}
    part = ""
    for number, line in enumerate(text.split("\n"), first_line):
        if heading := _HEADING.fullmatch(line):
            part = heading[1].capitalize()
            if part not in _TALK_PARTS or part in parts:
                what = "stands there twice" if part in parts else "is no part of a prompt"
                raise NoteError(f"{source}:{number}: {part!r} {what}; the parts are {', '.join(_TALK_PARTS)}.")
            parts[part] = ([], number + 1)
        elif part:
            parts[part][0].append(line)
        elif line.strip():
            raise NoteError(f"{source}:{number}: {line.strip()!r} stands before the first part, ## System.")
    if "System" not in parts:
        raise NoteError(f"{source}:{first_line}: the part ## System is missing.")
    found = {name: parse_paragraphs("\n".join(lines), source, at) for name, (lines, at) in parts.items()}
    return TalkTemplate(*(found.get(name, PromptTemplate(())) for name in _TALK_PARTS))


@dataclass(frozen=True)
class Chat:
    """Messages for an instructed model: the system's, examples, what is past, the scene, then life as a talk.

    The scene stands where the agent has come to the room that it is in. `examples` are the turns of an example day.
    `partner` is who is talked with, by name, or empty, and `is_private` whether in confidence. `cue` stands behind the
    talk where nobody has said anything that asks for an answer. `values` fill slots that are about the turn itself,
    such as `menu`.
    """

    template: TalkTemplate
    name: str
    talk: Talk
    examples: Sequence[Message] = ()
    partner: str = ""
    cue: str = ""
    is_private: bool = False
    values: dict[str, str] = field(default_factory=dict)

    def has_place_for(self, name: str) -> bool:
        return name in self.template.slots or name not in FIXED

    def render(self, sections: Sequence[Section], moment: Moment) -> Prompt:
        values = {"name": self.name, "partner": self.partner, **self.values}
        values |= _slots([one for one in sections if not one.is_aside], self.template.slots)
        messages = [Message("system", self.template.system.fill(values)), *self.examples]
        if past := self.template.past.fill(values).strip():
            messages.append(Message("user", f"({past})"))
        told = moment.view.told(moment.left_out)
        talk = list(self.talk.lines(told))
        talk += self.talk.once_more(talk, self.partner, moment.heard, self.is_private)
        life = _with_aside(talk, self.talk.with_whom(self.partner), sections)
        if scene := _one_line(self.template.scene.fill(values)):
            life.insert(_arrival(told, moment.actor.room_id), Message("user", f"({scene})"))
        messages += life
        if self.cue:
            messages.append(Message("user", self.cue))
        if now := self.template.now.fill(values).strip():
            messages.append(Message("user", now))
        call = calling(sections, moment)
        sections = [replace(one, text=call(one.text)) for one in sections]
        messages = [replace(one, content=call(one.content)) for one in merged(messages)]
        text, places = as_text(messages, sections)
        places |= _tail_place(text, [call(one.content) for one in life])
        return Prompt(
            text, tuple(messages), tuple(sections), places, shown_range(moment), moment.view.unshown(moment.left_out)
        )


def _arrival(told: Sequence[tuple[Memory, str]], room_id: str) -> int:
    """Return behind how many of the memories the agent has come to the room that it is in.

    The scene stands there: all before it stays the same from turn to turn, and can be served from a prefix cache.
    """
    behind = len(told)
    while behind and told[behind - 1][0].room == room_id:
        behind -= 1
    is_arrival = behind < len(told) - 1 and told[behind][0].kind == "result"
    return behind + is_arrival


def _with_aside(talk: list[Message], with_whom: str, sections: Sequence[Section]) -> list[Message]:
    """Return a talk with the asides right before what was said last, in brackets as all that nobody says."""
    text = " ".join([with_whom, *(_one_line(one.text) for one in sections if one.is_aside)]).strip()
    if text:
        is_heard_last = bool(talk) and talk[-1].role == "user"
        talk.insert(len(talk) - is_heard_last, Message("user", f"({text})"))
    return talk


def calling(sections: Iterable[Section], moment: Moment) -> Callable[[str], str]:
    """Return a function that replaces names in a text by those that sections tell, in a talk but not for commands."""
    names = {name: told for one in sections for name, told in one.names.items()} if moment.kind == "speech" else {}
    return renaming(names)


def _slots(sections: Sequence[Section], slots: frozenset[str]) -> dict[str, str]:
    """Return the text for each slot; sections without a slot of their own stand in `known`, one after the other."""
    values = {one.name: one.text for one in sections if one.name in slots and one.name != IN_KNOWN}
    return {**values, IN_KNOWN: "\n".join(one.text for one in _in_known(sections, slots))}


def _in_known(sections: Sequence[Section], slots: frozenset[str]) -> list[Section]:
    return [one for one in sections if one.name == IN_KNOWN or (one.name not in slots and one.name not in FIXED)]


def _places_in_known(sections: Sequence[Section], slots: frozenset[str], start: int) -> dict[str, Place]:
    """Return where each section stands that shares the slot `known`, which begins at a character of the text."""
    places: dict[str, Place] = {}
    for one in _in_known(sections, slots):
        length = len(quoted(one.text))
        places[one.name] = start, length
        start += length + 1
    return places


def shown_range(moment: Moment) -> Range:
    return Range(moment.view.first_shown(moment.left_out), moment.view.n)


def _one_line(text: str) -> str:
    """Return a text in one line, items of lists without their bullets."""
    return " ".join(line.strip().removeprefix("- ") for line in text.split("\n") if line.strip())


def _tail_place(text: str, life: Sequence[str]) -> dict[str, Place]:
    """Return where in a talk the tail stands, from the first of its messages to the last; nothing if it is empty."""
    start = text.find(life[0]) if life else -1
    end = text.rfind(life[-1]) + len(life[-1]) if life else 0
    return {"tail": (start, end - start)} if 0 <= start < end else {}


def as_text(messages: Sequence[Message], sections: Sequence[Section]) -> tuple[str, dict[str, Place]]:
    """Return messages as one text to be read and counted, and where in it each section stands."""
    text = "\n\n".join(f"[{one.role}]\n{one.content}" for one in messages)
    places = {one.name: (place, len(one.text)) for one in sections if (place := text.find(one.text)) >= 0}
    return text, places
