"""The page's colours: the styles of `config/colors.md` as CSS, light and dark, with enough contrast.

A hue stays what the note says; its lightness is moved as far as the paper behind it needs (WCAG 2.1, 1.4.3 and 1.4.6).
A style whose note names no colour keeps the page's own.
"""

from __future__ import annotations

import colorsys
from collections.abc import Iterator
from dataclasses import fields

from config.settings import COLORS, ColorSettings

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
