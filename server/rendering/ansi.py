"""ANSI colour: whole lines by their kind, and words that the world's own texts mark."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from config.settings import COLORS, WEIGHTS, ColorSettings
from server.connection.connection import MARKED, SCENE, ColorDepth
from server.rendering.layout import lay_out
from world.message_catalog import LINK, MARKUP, link_as_text

_STYLES: dict[str, Callable[[ColorSettings], str]] = {
    "room": lambda palette: palette.room,
    "exits": lambda palette: palette.exits,
    "speech": lambda palette: palette.speech,
    "private": lambda palette: palette.private,
    "notice": lambda palette: palette.notice,
    "ambience": lambda palette: palette.ambience,
    "refusal": lambda palette: palette.refusal,
    "highlight": lambda palette: palette.highlight,
}
_RESET = "\x1b[0m"
_WEIGHT_CODES = dict(zip(WEIGHTS, ("1", "2", "3", "4"), strict=True))
# What the sixteen colours look like on most terminals, in their order.
_SIXTEEN = [
    (0, 0, 0),
    (205, 0, 0),
    (0, 205, 0),
    (205, 205, 0),
    (0, 0, 238),
    (205, 0, 205),
    (0, 205, 205),
    (229, 229, 229),
]
_SIXTEEN += [(127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255), (255, 0, 255), (0, 255, 255)]
_SIXTEEN += [(255, 255, 255)]
_STEPS = (0, 95, 135, 175, 215, 255)


def rendered(text: str, kind: str, width: int, depth: ColorDepth, palette: ColorSettings, links: bool = False) -> str:
    """Return a text as it goes to a screen: wrapped, and in colour line by line, each of which ends its own.

    `links` is whether links can be clicked.
    """
    if kind == MARKED:
        marked = MARKUP.sub(lambda found: _marked(found, depth, palette), text)
        return lay_out(LINK.sub(_clickable if links else link_as_text, marked), width, has_columns=True)
    if kind == SCENE and depth:
        return _scene(text, width, depth, palette)
    style = _STYLES.get(kind)
    if style is None or not depth:
        return lay_out(text, width)
    return _styled(lay_out(text, width), _begin(style(palette), depth))


def _marked(found: re.Match[str], depth: ColorDepth, palette: ColorSettings) -> str:
    style = _STYLES.get(found["style"] or "highlight")
    return found["words"] if style is None else _styled(found["words"], _begin(style(palette), depth))


def _clickable(found: re.Match[str]) -> str:
    return f"\x1b]8;;{found['address']}\x1b\\{found['words']}\x1b]8;;\x1b\\"


def _scene(text: str, width: int, depth: ColorDepth, palette: ColorSettings) -> str:
    name, *middle, exits = text.split("\n")
    first = _styled(lay_out(name, width), _begin(palette.room, depth))
    last = _styled(lay_out(exits, width), _begin(palette.exits, depth))
    return "\n".join([first, *([lay_out("\n".join(middle), width)] if middle else []), last])


def _styled(text: str, begin: str) -> str:
    if not begin:
        return text
    return "\n".join(f"{begin}{line}{_RESET}" if line else line for line in text.split("\n"))


@lru_cache(maxsize=256)
def _begin(style: str, depth: ColorDepth) -> str:
    """Return what begins a style on a terminal of so many colours, empty where it is as everything else."""
    if not depth or style == "none":
        return ""
    return f"\x1b[{';'.join(_code(word, depth) for word in style.split())}m"


def _code(word: str, depth: ColorDepth) -> str:
    if word in _WEIGHT_CODES:
        return _WEIGHT_CODES[word]
    if not word.startswith("rgb-"):
        is_bright = word.startswith("bright-")
        return str((90 if is_bright else 30) + COLORS.index(word.removeprefix("bright-")))
    rgb = tuple(bytes.fromhex(word.removeprefix("rgb-")))
    if depth is ColorDepth.TRUE:
        return f"38;2;{rgb[0]};{rgb[1]};{rgb[2]}"
    if depth is ColorDepth.MANY:
        red, green, blue = (min(range(6), key=lambda step: abs(_STEPS[step] - part)) for part in rgb)
        return f"38;5;{16 + 36 * red + 6 * green + blue}"
    nearest = min(range(16), key=lambda code: sum((a - b) ** 2 for a, b in zip(_SIXTEEN[code], rgb, strict=True)))
    return str((90 - 8 if nearest >= 8 else 30) + nearest)
