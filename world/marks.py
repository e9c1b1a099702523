"""Marks in the world's own texts: `==words==` in a style, `[words](https://…)` for a link.

They count only in texts that are the world's own from beginning to end, never in what people or models say.
"""

from __future__ import annotations

import re

MARK = re.compile(r"==(?:(?P<style>[a-z]+): ?)?(?!\s)(?P<words>[^=\n]+?)(?<!\s)==")
LINK = re.compile(r"\[(?P<words>[^\[\]\n]+)\]\((?P<address>https?://[!-'*-~]+)\)")


def without_marks(text: str) -> str:
    """Return a text as it reads where neither styles nor links are shown."""
    return LINK.sub(link_in_words, MARK.sub(r"\g<words>", text))


def link_in_words(found: re.Match[str]) -> str:
    """Return what a link says and where it leads, in plain."""
    words, address = found["words"], found["address"]
    return address if words == address else f"{words} ({address})"
