"""How the page looks: the styles of `config/colors.md` as CSS, and texts as runs with a style or a link.

A hue stays what the note says; its lightness is moved as far as the paper behind it needs (WCAG 2.1, 1.4.3 and 1.4.6).
A style whose note names no colour keeps the page's own.
"""

from __future__ import annotations

import colorsys
import json
import re
from collections.abc import Iterator
from dataclasses import fields
from functools import lru_cache

from config.settings import COLORS, ColorSettings
from server.connection.connection import MARKED, SCENE, Capabilities, ColorDepth
from server.connection.text_screen import STYLES, WHOLE, lay_out
from world.message_catalog import LINK, MARKUP

Rgb = tuple[float, float, float]
"""Red, green and blue from 0 to 1."""

PAPERS = {
    ":root": ("#f7f2e7", 4.5),
    ":root.dark": ("#12191c", 4.5),
    ":root.contrast": ("#ffffff", 7.0),
    ":root.dark.contrast": ("#000000", 7.0),
}
"""The background of each look, as in `style.css`, and the contrast needed on it."""

_HUES = {"red": 8, "green": 140, "yellow": 42, "blue": 215, "magenta": 312, "cyan": 190}
_SATURATION, _BRIGHT_SATURATION = 0.5, 0.75
_STEPS = 200
_PROPERTIES = {"bold": "font-weight:600", "italic": "font-style:italic", "underline": "text-decoration:underline"}


def style_sheet(palette: ColorSettings) -> str:
    """Return the style sheet for a palette."""
    styles = {one.name: str(getattr(palette, one.name)).split() for one in fields(palette)}
    tones = {name: tone for name, words in styles.items() if (tone := _tone(words))}
    looks = (
        f"{look}{{{';'.join(f'--{name}:{_hex(readable(tone, paper, ratio))}' for name, tone in tones.items())}}}"
        for look, (paper, ratio) in PAPERS.items()
    )
    rules = (f".{name}{{{';'.join(_properties(words))}}}" for name, words in styles.items())
    return "\n".join([*looks, *rules]) + "\n"


def readable(tone: Rgb, paper: str, ratio: float) -> Rgb:
    """Return a tone that has the contrast on a paper: the tone itself, or as much darker or lighter as is needed."""
    hue, lightness, saturation = colorsys.rgb_to_hls(*tone)
    behind = luminance(_rgb(paper))
    target = 0.0 if behind > 0.18 else 1.0
    for step in range(_STEPS + 1):
        moved = colorsys.hls_to_rgb(hue, lightness + (target - lightness) * step / _STEPS, saturation)
        if contrast(luminance(_rounded(moved)), behind) >= ratio:
            return moved
    return (target, target, target)


def luminance(tone: Rgb) -> float:
    """Return the relative luminance, from 0 to 1."""
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in tone)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: float, other: float) -> float:
    """Return the contrast of two luminances, from 1 to 21."""
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


def _properties(words: list[str]) -> Iterator[str]:
    if "dim" in words and _tone(words) is None:
        yield "color:var(--quiet)"
    for word in words:
        if word in _PROPERTIES:
            yield _PROPERTIES[word]


def _tone(words: list[str]) -> Rgb | None:
    """Return the last colour that is named, None if there is none, or one without a hue: that is the page's ink."""
    found = [word for word in words if word.startswith("rgb-") or word.removeprefix("bright-") in COLORS]
    if not found:
        return None
    word = found[-1]
    if word.startswith("rgb-"):
        return _rgb(word.removeprefix("rgb-"))
    hue = _HUES.get(word.removeprefix("bright-"))
    if hue is None:
        return None
    return colorsys.hls_to_rgb(hue / 360, 0.5, _BRIGHT_SATURATION if word.startswith("bright-") else _SATURATION)


def _rgb(text: str) -> Rgb:
    red, green, blue = bytes.fromhex(text.removeprefix("#"))
    return red / 255, green / 255, blue / 255


def _hex(tone: Rgb) -> str:
    return "#" + bytes(round(one * 255) for one in tone).hex()


def _rounded(tone: Rgb) -> Rgb:
    return _rgb(_hex(tone))


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
    is_shown = style in STYLES and capabilities.colors is not ColorDepth.NONE
    return (found["words"], style) if is_shown else (found["words"],)


def _scene(text: str) -> list[Run]:
    name, *middle, exits = text.split("\n")
    if not middle:
        return [(f"{name}\n", "room"), (exits, "exits")] if exits else [(name, "room")]
    return [(f"{name}\n", "room"), ("\n".join(middle) + "\n",), (exits, "exits")]
