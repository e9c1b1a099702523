"""From what somebody typed to a verb, its arguments and a private reason; aliases are expanded first.

A line is `verb arguments | private reason`. The bar counts only beside white space or at an end, so that
`say yes|no` stays speech; `\\|` is always a plain bar.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from world.errors import CommandError
from world.message_catalog import Wording

PREFIXES = {"'": "say", '"': "say", ":": "emote", "?": "help"}

MAX_LINE_BYTES = 4096
"""The longest line that is read, in bytes of UTF-8, unless the settings of a server say otherwise."""

MAX_DIGITS = 15

_BAR = re.compile(r"(?<!\\)(?:(?<=\s)\||\|(?=\s|$)|^\|)")
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True)
class Line:
    """One parsed line. `verb` is lower case and may be empty; `reason` is for nobody but its author."""

    verb: str
    arguments: str
    reason: str = ""


def parse_line(text: str) -> Line:
    """Split a line into verb, arguments and reason. Every string is a line; none is an error."""
    spoken, reason = split_reason(text)
    if spoken[:1] in PREFIXES and spoken:
        return Line(PREFIXES[spoken[0]], spoken[1:].strip(), reason)
    verb, _, arguments = spoken.partition(" ")
    return Line(verb.lower(), arguments.strip(), reason)


def split_reason(text: str) -> tuple[str, str]:
    """Return what is done and the private reason behind the first bar, both trimmed."""
    spoken, reason = split_at_bar(text)
    return collapse_whitespace(spoken.replace("\\|", "|")), collapse_whitespace(reason[1:].replace("\\|", "|"))


def split_at_bar(text: str) -> tuple[str, str]:
    """Return what stands before the bar of a private reason, and the rest with the bar, both as they were typed."""
    bar = _BAR.search(text)
    return (text[: bar.start()], text[bar.start() :]) if bar else (text, "")


def is_number(text: str) -> bool:
    """Return whether a text is a whole number that can be meant: of digits alone, and of no more than 15."""
    return text.isdecimal() and len(text) <= MAX_DIGITS


def collapse_whitespace(text: str) -> str:
    """Return the text trimmed, with every run of white space made one space."""
    return _SPACES.sub(" ", text).strip()


REPEAT = ("!", "!!", "again")
"""What stands for the last line."""

_GAP = re.compile(r"%([1-9*])")


def expand_alias(text: str, aliases: Mapping[str, str], wording: Wording, max_line_bytes: int = MAX_LINE_BYTES) -> str:
    """Return a line with a command of one's own replaced by what it stands for, once and never again.

    `%1` to `%9` are the words behind it, `%*` all of them; without any of these they are put at the end. A private
    reason stays behind its bar. Raises: CommandError if that is longer than a line may be.
    """
    spoken, reason = split_at_bar(text)
    name, _, arguments = spoken.strip().partition(" ")
    meaning = aliases.get(name.lower())
    if meaning is None:
        return text
    parts = _GAP.split(meaning)
    if len(parts) == 1:
        parts = [f"{meaning} ", "*", ""]
    words = ["", *arguments.split()]
    fills = {"*": arguments.strip(), **{str(place): word for place, word in enumerate(words[:10])}}
    parts[1::2] = [fills.get(gap, "") for gap in parts[1::2]]
    # Known before so much is put together.
    size = sum(len(part.encode("utf-8", "surrogatepass")) for part in [*parts, reason])
    if size > max_line_bytes:
        raise CommandError(wording("commands.too_long", name=name, size=size, most=max_line_bytes))
    return f"{''.join(parts)} {reason}".strip()


def is_repeatable(text: str) -> bool:
    """Return whether a line can be repeated by `!`: what changes the world or oneself with `@` is typed anew."""
    return bool(text.strip()) and not text.lstrip().startswith("@")
