"""An agent's prompt: a template from the vault, filled; what is stable stands first, so that it can be cached.

A template is plain text with slots such as `{profile}`. A paragraph all of whose slots are empty is left out with
its heading, and so is a line of nothing but empty slots. What fills a slot is never looked at for slots again,
and is words alone: see `agents.quoting`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from agents.prompts.quoting import filling
from vault.notes import NoteError
from world.matching import suggestions

SLOTS = (
    *("name", "profile", "commands", "facts", "yesterday", "older", "recent"),
    *("tail", "before", "since", "board", "known", "scene", "place"),
)
# What a prompt cannot do without, each in either form: the tail whole or in two parts, the scene in full or in a line.
NEEDED = (("name",), ("tail", "before"), ("tail", "since"), ("scene", "place"))

# What is told in any case: a template that has no place for it is given one before a paragraph or line with these.
ADDED = {"facts": ("older", "recent", "tail", "before"), "board": ("scene", "place"), "known": ("scene", "place")}

_SLOT = re.compile(r"\{([a-z_]+)\}")
_PARAGRAPH = re.compile(r"\n[ \t]*\n+")
_ONLY_SLOTS = re.compile(r"\s*(?:\{[a-z_]+\}\s*)+")


@dataclass(frozen=True)
class PromptTemplate:
    """The paragraphs of a template."""

    paragraphs: tuple[str, ...]

    @cached_property
    def _slots(self) -> frozenset[str]:
        return frozenset(slot for paragraph in self.paragraphs for slot in _SLOT.findall(paragraph))

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the prompt. A slot without a value counts as empty."""
        values = filling({slot: text for slot, text in values.items() if slot in self._slots})
        kept = (paragraph for paragraph in self.paragraphs if _is_wanted(paragraph, values))
        return "\n\n".join(_filled(paragraph, values) for paragraph in kept)


def parse_template(text: str, source: str) -> PromptTemplate:
    """Return a template.

    Raises: NoteError naming file and line if it has a slot that does not exist, lacks one that is needed, or does
    not end in `~{name}>`.
    """
    for number, line in enumerate(text.split("\n"), 1):
        for slot in _SLOT.findall(line):
            if slot not in SLOTS:
                close = suggestions(slot, SLOTS) or SLOTS
                raise NoteError(f"{source}:{number}: there is no slot {{{slot}}}; did you mean {{{close[0]}}}?")
    for forms in NEEDED:
        if not any(f"{{{slot}}}" in text for slot in forms):
            raise NoteError(f"{source}: a slot is missing; a prompt needs {' or '.join(f'{{{s}}}' for s in forms)}.")
    if "{tail}" in text and ("{before}" in text or "{since}" in text):
        raise NoteError(
            f"{source}: {{tail}} is {{before}} and {{since}} together; with all of them memories are told twice."
        )
    if not text.rstrip().endswith("~{name}>"):
        raise NoteError(f"{source}: a prompt must end in ~{{name}}> so that the model goes on with a command.")
    return PromptTemplate(tuple(_PARAGRAPH.split(_with_places(text.strip()))))


def _with_places(text: str) -> str:
    """Return a template's text with a place for everything that is told in any case."""
    for slot, before in ADDED.items():
        if f"{{{slot}}}" not in text:
            first = min(text.index(f"{{{one}}}") for one in before if f"{{{one}}}" in text)
            gap = "\n\n" if slot == "facts" else "\n"
            start = text.rfind(gap, 0, first) + len(gap) if gap in text[:first] else 0
            text = f"{text[:start]}{{{slot}}}{gap}{text[start:]}"
    return text


def _filled(paragraph: str, values: Mapping[str, str]) -> str:
    lines = (line for line in paragraph.split("\n") if not _ONLY_SLOTS.fullmatch(line) or _is_wanted(line, values))
    return "\n".join(_SLOT.sub(lambda slot: values.get(slot[1], ""), line) for line in lines)


def _is_wanted(paragraph: str, values: Mapping[str, str]) -> bool:
    slots = _SLOT.findall(paragraph)
    return not slots or any(values.get(slot, "").strip() for slot in slots)
