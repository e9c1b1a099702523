"""Colour, for those who see it: whole lines by what they are, and words that the world's own texts mark."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import IntEnum
from functools import lru_cache

from config.color_settings import COLORS, WEIGHTS, ColorSettings
from server.rendering.layout import laid_out
from server.telnet.interface import Terminal
from server.telnet.options import Mtts
from world.events import Announced, Event, Happened, Paged, Refused, Said, Saw, Shouted, Whispered
from world.marks import LINK, MARK, link_in_words
from world.model import Character
from world.preferences import COLOR, LINKS, OFF, ON, reads_aloud

SCENE = "scene"
"""The kind of a text whose first line names a room and whose last tells the exits."""
MARKED = "marked"
"""The kind of a text that is the world's own from beginning to end, so that marks in it count."""

_KINDS: dict[type[Event], str] = {
    Said: "speech",
    Shouted: "speech",
    Paged: "private",
    Whispered: "private",
    Announced: "notice",
    Happened: "ambience",
    Refused: "refusal",
}
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
_ANSI_TYPES = re.compile(r"ansi|xterm|vt[1-5]\d\d|linux|screen|tmux|rxvt|putty|konsole|cygwin", re.IGNORECASE)
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


class Depth(IntEnum):
    """How many colours somebody sees."""

    NONE = 0
    SIXTEEN = 16
    MANY = 256
    TRUE = 1 << 24


_CHOSEN = {OFF: Depth.NONE, "16": Depth.SIXTEEN, "256": Depth.MANY, "true": Depth.TRUE}


def depth_for(terminal: Terminal, viewer: Character | None) -> Depth:
    """Return how many colours a viewer sees: as they have said, or else none if they listen, or as the client says."""
    chosen = viewer.preferences.get(COLOR, "") if viewer else ""
    if chosen in _CHOSEN:
        return _CHOSEN[chosen]
    # Until it has told all, a screen reader may look like any terminal.
    told = _told(terminal.mtts, terminal.terminal_types) if terminal.is_identified else Depth.NONE
    if chosen == ON:
        return max(told, Depth.SIXTEEN)
    return Depth.NONE if listens(terminal, viewer) else told


def listens(terminal: Terminal, viewer: Character | None) -> bool:
    """Return whether a viewer listens instead of looking; of somebody who is not in yet, the client alone can say."""
    return reads_aloud(viewer) if viewer else terminal.screen_reader


@lru_cache(maxsize=256)
def _told(mtts: Mtts, terminal_types: tuple[str, ...]) -> Depth:
    if mtts:
        flags = ((Mtts.TRUECOLOR, Depth.TRUE), (Mtts.COLORS_256, Depth.MANY), (Mtts.ANSI, Depth.SIXTEEN))
        return next((depth for flag, depth in flags if flag in mtts), Depth.NONE)
    names = [name.lower() for name in terminal_types]
    if any(name.endswith(("-truecolor", "-direct")) for name in names):
        return Depth.TRUE
    if any(name.endswith("-256color") for name in names):
        return Depth.MANY
    return Depth.SIXTEEN if any(map(_ANSI_TYPES.match, names)) else Depth.NONE


def wants_links(viewer: Character | None) -> bool:
    """Return whether a viewer has asked for links that can be clicked."""
    return viewer is not None and viewer.preferences.get(LINKS) == ON


def shown_of(event: Event, text: str, room_name: str) -> tuple[str, str]:
    """Return what a screen shows of what somebody perceives, and its kind: a style's name, or one of those above."""
    match event:
        case Saw(text=marked, is_own=True):
            return marked, MARKED
        case Saw() if text.startswith(f"{room_name}\n"):
            return text, SCENE
    return text, _KINDS.get(type(event), "")


Rendering = Callable[[str, str], str]
"""Returns a text, given with its kind, as it goes to a screen."""


@lru_cache(maxsize=64)
def rendering(width: int, depth: Depth, palette: ColorSettings, links: bool) -> Rendering:
    """Return what renders for all screens of one width and depth: each text once, however many are shown it."""
    return lru_cache(maxsize=64)(lambda text, kind: rendered(text, kind, width, depth, palette, links))


def rendered(text: str, kind: str, width: int, depth: Depth, palette: ColorSettings, links: bool = False) -> str:
    """Return a text as it goes to a screen: wrapped, and in colour line by line, each of which ends its own.

    `links` is whether links can be clicked.
    """
    if kind == MARKED:
        marked = MARK.sub(lambda found: _marked(found, depth, palette), text)
        return laid_out(LINK.sub(_clickable if links else link_in_words, marked), width, has_columns=True)
    if kind == SCENE and depth:
        return _scene(text, width, depth, palette)
    style = _STYLES.get(kind)
    if style is None or not depth:
        return laid_out(text, width)
    return _styled(laid_out(text, width), _begin(style(palette), depth))


def _marked(found: re.Match[str], depth: Depth, palette: ColorSettings) -> str:
    style = _STYLES.get(found["style"] or "highlight")
    return found["words"] if style is None else _styled(found["words"], _begin(style(palette), depth))


def _clickable(found: re.Match[str]) -> str:
    return f"\x1b]8;;{found['address']}\x1b\\{found['words']}\x1b]8;;\x1b\\"


def _scene(text: str, width: int, depth: Depth, palette: ColorSettings) -> str:
    name, *middle, exits = text.split("\n")
    first = _styled(laid_out(name, width), _begin(palette.room, depth))
    last = _styled(laid_out(exits, width), _begin(palette.exits, depth))
    return "\n".join([first, *([laid_out("\n".join(middle), width)] if middle else []), last])


def _styled(text: str, begin: str) -> str:
    if not begin:
        return text
    return "\n".join(f"{begin}{line}{_RESET}" if line else line for line in text.split("\n"))


@lru_cache(maxsize=256)
def _begin(style: str, depth: Depth) -> str:
    """Return what begins a style on a terminal of so many colours, empty where it is as everything else."""
    if not depth or style == "none":
        return ""
    return f"\x1b[{';'.join(_code(word, depth) for word in style.split())}m"


def _code(word: str, depth: Depth) -> str:
    if word in _WEIGHT_CODES:
        return _WEIGHT_CODES[word]
    if not word.startswith("rgb-"):
        is_bright = word.startswith("bright-")
        return str((90 if is_bright else 30) + COLORS.index(word.removeprefix("bright-")))
    rgb = tuple(bytes.fromhex(word.removeprefix("rgb-")))
    if depth is Depth.TRUE:
        return f"38;2;{rgb[0]};{rgb[1]};{rgb[2]}"
    if depth is Depth.MANY:
        red, green, blue = (min(range(6), key=lambda step: abs(_STEPS[step] - part)) for part in rgb)
        return f"38;5;{16 + 36 * red + 6 * green + blue}"
    nearest = min(range(16), key=lambda code: sum((a - b) ** 2 for a, b in zip(_SIXTEEN[code], rgb, strict=True)))
    return str((90 - 8 if nearest >= 8 else 30) + nearest)
