"""What somebody need not type in full: commands of one's own, and the last line again."""

from __future__ import annotations

import re
from collections.abc import Mapping

from world.errors import CommandError
from world.parsing import MAX_LINE_BYTES, at_bar
from world.wording import Wording

AGAIN = ("!", "!!", "again")
"""What stands for the last line."""

_GAP = re.compile(r"%([1-9*])")


def expanded(text: str, aliases: Mapping[str, str], wording: Wording, max_line_bytes: int = MAX_LINE_BYTES) -> str:
    """Return a line with a command of one's own replaced by what it stands for, once and never again.

    `%1` to `%9` are the words behind it, `%*` all of them; without any of these they are put at the end. A private
    reason stays behind its bar. Raises: CommandError if that is longer than a line may be.
    """
    spoken, reason = at_bar(text)
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


def is_kept(text: str) -> bool:
    """Return whether a line can be repeated by `!`: what changes the world or oneself with `@` is typed anew."""
    return bool(text.strip()) and not text.lstrip().startswith("@")
