"""What somebody need not type in full: commands of one's own, and the last line again."""

from __future__ import annotations

import re
from collections.abc import Mapping

from world.parsing import at_bar

AGAIN = ("!", "!!", "again")
"""What stands for the last line."""

_GAP = re.compile(r"%([1-9*])")


def expanded(text: str, aliases: Mapping[str, str]) -> str:
    """Return a line with a command of one's own replaced by what it stands for, once and never again.

    `%1` to `%9` are the words behind it, `%*` all of them; without any of these they are put at the end. A private
    reason stays behind its bar.
    """
    spoken, reason = at_bar(text)
    name, _, arguments = spoken.strip().partition(" ")
    meaning = aliases.get(name.lower())
    if meaning is None:
        return text
    words = arguments.split()
    if not _GAP.search(meaning):
        return f"{meaning} {arguments} {reason}".strip()

    def filled(gap: re.Match[str]) -> str:
        return arguments.strip() if gap[1] == "*" else "".join(words[int(gap[1]) - 1 : int(gap[1])])

    return f"{_GAP.sub(filled, meaning)} {reason}".strip()


def is_kept(text: str) -> bool:
    """Return whether a line can be repeated by `!`: what changes the world or oneself with `@` is typed anew."""
    return bool(text.strip()) and not text.lstrip().startswith("@")
