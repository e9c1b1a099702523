"""Text for the page: runs of words with a style or a link."""

from __future__ import annotations

import json
import re
from functools import lru_cache

from server.connection.connection import MARKED, SCENE, Capabilities, ColorDepth
from server.connection.layout import WHOLE, lay_out
from world.message_catalog import LINK, MARKUP

_STYLES = frozenset("room exits speech private notice ambience refusal highlight".split())
_MARK_OR_LINK = re.compile(f"{MARKUP.pattern}|{LINK.pattern.replace('words', 'label')}")

Run = tuple[str, ...]
"""Words; words and a style; or words, `link` and an address."""


@lru_cache(maxsize=512)
def page_line(text: str, kind: str, capabilities: Capabilities) -> bytes:
    """Return the inside of a JSON object for a text: its `kind`, and `text` or `runs`.

    Texts are never markup: a page sets them as they are.
    """
    shown: dict[str, object] = {"kind": kind} if kind and capabilities.colors else {}
    if kind == MARKED:
        shown["runs"] = runs_of(text, capabilities)
    elif kind == SCENE and capabilities.colors:
        shown["runs"] = _scene(text)
    else:
        shown["text"] = text
    return json.dumps(shown, ensure_ascii=False, separators=(",", ":"))[1:-1].encode("utf-8", "replace")


def runs_of(text: str, capabilities: Capabilities) -> list[Run]:
    """Return the runs of a text of the world's own, in which marks count."""
    if capabilities.screen_reader:
        text = lay_out(text, WHOLE, has_columns=True)
    runs: list[Run] = []
    at = 0
    for found in _MARK_OR_LINK.finditer(text):
        if found.start() > at:
            runs.append((text[at : found.start()],))
        runs.append(_run(found, capabilities))
        at = found.end()
    return [*runs, (text[at:],)] if at < len(text) else runs


def _run(found: re.Match[str], capabilities: Capabilities) -> Run:
    if found["address"]:
        words = found["label"]
        return (words, "link", found["address"]) if capabilities.links else (f"{words} ({found['address']})",)
    style = found["style"] or "highlight"
    is_shown = style in _STYLES and capabilities.colors is not ColorDepth.NONE
    return (found["words"], style) if is_shown else (found["words"],)


def _scene(text: str) -> list[Run]:
    name, *middle, exits = text.split("\n")
    if not middle:
        return [(f"{name}\n", "room"), (exits, "exits")] if exits else [(name, "room")]
    return [(f"{name}\n", "room"), ("\n".join(middle) + "\n",), (exits, "exits")]
