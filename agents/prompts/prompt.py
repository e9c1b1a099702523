"""An agent's prompt: sections in an order, laid out as one text or as messages, with a record of what they show.

A template is plain text with slots such as `{profile}`. A paragraph all of whose slots are empty is left out with
its heading, and so is a line of nothing but empty slots. What fills a slot is never looked at for slots again,
and is words alone: see `agents.escaping`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from agents.component import Section
from agents.component_registry import ComponentRegistry, loaded_components
from agents.escaping import filling
from agents.models.model import Message
from vault.errors import NoteError
from vault.memory.memory_line import Range
from world.parsing import suggestions

SLOTS = (
    *("name", "profile", "commands", "facts", "yesterday", "older", "recent"),
    *("tail", "before", "since", "board", "known", "scene", "place", "here", "offers"),
)
TALK_SLOTS = (*(slot for slot in SLOTS if slot not in ("tail", "before", "since")), "partner", "menu")
FIXED = frozenset((*SLOTS, *TALK_SLOTS))
"""The slots of sections that are told only where a template has a place for them; all others are always told."""
# Slots that a prompt needs, each in either form: the tail whole or in two parts, the scene in full or in a line.
NEEDED = (("name",), ("tail", "before"), ("tail", "since"), ("scene", "place", "here"))

# Sections that are always told: a template without a place for one gets it before a paragraph or line with these.
ADDED = {
    "facts": ("older", "recent", "tail", "before"),
    "board": ("scene", "place", "here"),
    "known": ("scene", "place", "here"),
}

_SLOT = re.compile(r"\{([a-z_]+)\}")
_PARAGRAPH = re.compile(r"\n[ \t]*\n+")
_ONLY_SLOTS = re.compile(r"\s*(?:\{[a-z_]+\}\s*)+")

Place = tuple[int, int]
"""The place of a section in a text: its first character, counted from 0, and the number of its characters."""


NO_RANGE = Range(1, 0)


@dataclass(frozen=True)
class Prompt:
    """A prompt for a model, and the record of it.

    `text` is the whole prompt, `messages` the same for a chat model. `sections` are the sections that it shows, in
    order, and `places` tells where in the text each begins. `shown` are the memories of the tail that stand in it word
    for word, `unshown` the ones before them that found no room. `tiers` says which memories stand in which tier.
    `left_out` names the sections that gave way.
    """

    text: str = ""
    messages: tuple[Message, ...] = ()
    sections: tuple[Section, ...] = ()
    places: Mapping[str, Place] = field(default_factory=dict)
    shown: Range = NO_RANGE
    unshown: Range = NO_RANGE
    tiers: str = ""
    left_out: tuple[str, ...] = ()

    def section(self, name: str) -> str:
        """Return the text of a section, or an empty string."""
        return next((one.text for one in self.sections if one.name == name), "")

    @cached_property
    def pieces(self) -> tuple[tuple[str, int, int], ...]:
        """The text in pieces that add up to it: a section, its first character and how many there are.

        What stands within another section counts for the inner one; the template's own words are `template`.
        """
        places = sorted((place for place in self.places.items() if place[0] != "name"), key=lambda one: one[1][1])
        cuts = sorted({0, len(self.text), *(cut for _, (at, size) in places for cut in (at, at + size))})
        found: list[tuple[str, int, int]] = []
        for start, end in pairwise(cuts):
            name = next((name for name, (at, size) in places if at <= start and end <= at + size), "template")
            if found and found[-1][0] == name:
                start = found.pop()[1]
            found.append((name, start, end - start))
        return tuple(found)

    def recalls(self, seq: int) -> bool:
        """Return whether a memory stands in it because it came to mind."""
        return any(seq in one.shows for one in self.sections if one.name == "recollected")


@dataclass(frozen=True)
class PromptTemplate:
    """The paragraphs of a template."""

    paragraphs: tuple[str, ...]

    @cached_property
    def slots(self) -> frozenset[str]:
        """The names of the slots that it has."""
        return frozenset(slot for paragraph in self.paragraphs for slot in _SLOT.findall(paragraph))

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the text. A slot without a value counts as empty."""
        return self.filled(values)[0]

    def filled(self, values: Mapping[str, str]) -> tuple[str, dict[str, Place]]:
        """Return the text, and where the value of each slot stands in it."""
        values = filling({slot: text for slot, text in values.items() if slot in self.slots})
        text, places = "", dict[str, Place]()
        for paragraph in self.paragraphs:
            if not _is_wanted(paragraph, values):
                continue
            text += "\n\n" if text else ""
            for slot, piece in _pieces(paragraph, values):
                if slot and piece:
                    places[slot] = len(text), len(piece)
                text += piece
        return text, places


def parse_template(text: str, source: str, slots: Sequence[str] = ()) -> PromptTemplate:
    """Return a template; `slots` are the ones that it may have, by default those of the loaded components.

    Raises: NoteError naming file and line if it has a slot that does not exist, lacks one that is needed, or does
    not end in `~{name}>`.
    """
    _check_slots(text, source, slots or known_slots(SLOTS))
    for forms in NEEDED:
        if not any(f"{{{slot}}}" in text for slot in forms):
            raise NoteError(f"{source}: a slot is missing; a prompt needs {' or '.join(f'{{{s}}}' for s in forms)}.")
    if "{tail}" in text and ("{before}" in text or "{since}" in text):
        raise NoteError(
            f"{source}: {{tail}} is {{before}} and {{since}} together; with all of them memories appear twice."
        )
    if not text.rstrip().endswith("~{name}>"):
        raise NoteError(f"{source}: a prompt must end in ~{{name}}> so that the model goes on with a command.")
    return PromptTemplate(tuple(_PARAGRAPH.split(_with_places(text.strip()))))


def parse_paragraphs(text: str, source: str, first_line: int) -> PromptTemplate:
    """Return a part of a template for a talk. Raises: NoteError if it has a slot that does not exist."""
    _check_slots(text, source, known_slots(TALK_SLOTS), first_line)
    return PromptTemplate(tuple(_PARAGRAPH.split(text.strip())) if text.strip() else ())


def known_slots(slots: Sequence[str], components: ComponentRegistry | None = None) -> tuple[str, ...]:
    """Return the given slots and the components' own; by default the components are the loaded ones."""
    return (*slots, *sorted((components or loaded_components()).names - FIXED))


def _check_slots(text: str, source: str, slots: Sequence[str], first_line: int = 1) -> None:
    for number, line in enumerate(text.split("\n"), first_line):
        for slot in _SLOT.findall(line):
            if slot not in slots:
                close = suggestions(slot, slots) or slots
                raise NoteError(f"{source}:{number}: there is no slot {{{slot}}}; did you mean {{{close[0]}}}?")


def _with_places(text: str) -> str:
    """Return a template's text with a place for every section that is always told."""
    for slot, before in ADDED.items():
        if f"{{{slot}}}" not in text:
            first = min(text.index(f"{{{one}}}") for one in before if f"{{{one}}}" in text)
            gap = "\n\n" if slot == "facts" else "\n"
            start = text.rfind(gap, 0, first) + len(gap) if gap in text[:first] else 0
            text = f"{text[:start]}{{{slot}}}{gap}{text[start:]}"
    return text


def _pieces(paragraph: str, values: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the pieces of a paragraph in order: the name of a slot, or nothing, and the text that stands there."""
    lines = [line for line in paragraph.split("\n") if not _ONLY_SLOTS.fullmatch(line) or _is_wanted(line, values)]
    parts = _SLOT.split("\n".join(lines))
    for number, part in enumerate(parts):
        yield ("", part) if number % 2 == 0 else (part, values.get(part, ""))


def _is_wanted(paragraph: str, values: Mapping[str, str]) -> bool:
    slots = _SLOT.findall(paragraph)
    return not slots or any(values.get(slot, "").strip() for slot in slots)
