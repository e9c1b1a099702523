"""A text screen with a prompt at its end: ANSI colours, wrapping, and transliteration to ASCII."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from wcwidth import wcwidth, wrap
from wcwidth import width as columns_shown

from config.settings import COLORS, WEIGHTS, ColorSettings
from server.connection.connection import MARKED, RAW, SCENE, Capabilities, ColorDepth, Shown
from world.message_catalog import LINK, MARKUP, link_as_text
from world.preferences import COLOR, LINKS, OFF, ON, SCREEN_READER

Encode = Callable[[str, str], bytes]
"""Returns a text in a charset as it goes over the wire."""

_CHOSEN = {
    OFF: ColorDepth.NONE,
    "16": ColorDepth.SIXTEEN,
    "256": ColorDepth.MANY,
    "true": ColorDepth.TRUE,
}
CLASSES = 64
TEXTS = 64
"""Number of rendered texts that are cached, for each of that many classes of equal screens."""

STYLES = "room exits speech private notice ambience refusal highlight".split()
_RESET = "\x1b[0m"
_WEIGHT_CODES = dict(zip(WEIGHTS, ("1", "2", "3", "4"), strict=True))
# What the sixteen colours look like on most terminals, in their order.
_SIXTEEN = [
    *((0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205), (229, 229, 229)),
    *((127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255), (255, 0, 255), (0, 255, 255)),
    (255, 255, 255),
]
_STEPS = (0, 95, 135, 175, 215, 255)
_UNSEEN = ("Mn", "Me", "Cf")
"""Marks on other letters, and what only says how others are joined or ordered."""

_ASCII_FOR = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′ʼ", "'"),
        **dict.fromkeys("“”„‟″", '"'),
        **dict.fromkeys("‐‑‒–−─━═⁃", "-"),
        **dict.fromkeys("│┃║", "|"),
        **dict.fromkeys("┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬╭╮╰╯", "+"),
        **dict.fromkeys("•·●▪◦‣∙‧", "*"),
        **dict.fromkeys("█▓▒░■", "#"),
        **dict.fromkeys("⁄∕", "/"),
        "—": "--", "―": "--", "…": "...", "«": "<<", "»": ">>", "‹": "<", "›": ">",
        "→": "->", "←": "<-", "↔": "<->", "⇒": "=>", "⇐": "<=", "↑": "^", "↓": "v",
        "×": "x", "÷": "/", "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~", "±": "+/-",
        "✓": "+", "✔": "+", "✗": "x", "✘": "x", "★": "*", "☆": "*",
        "©": "(c)", "®": "(R)", "€": "EUR", "£": "GBP", "°": " deg",
        "\u00ad": "", "§": "Sec.", "¶": "P.", "¢": "ct", "¥": "JPY", "¤": "$", "¦": "|", "¬": "-", "μ": "u", "ƒ": "f",
        "†": "+", "‡": "++", "‰": "o/oo", "‖": "||", "ˆ": "^", "‽": "?!",
        "Ħ": "H", "ħ": "h", "ĸ": "k", "Ŋ": "Ng", "ŋ": "ng", "Ŧ": "T", "ŧ": "t", "Ə": "E", "ə": "e",
        "ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L",
        "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ı": "i", "¿": "?", "¡": "!",
    }
)  # fmt: skip


def preferred(client: Capabilities, preferences: Mapping[str, str]) -> Capabilities:
    """Return how a player wants to see: as they have said, or else as the client tells."""
    return _preferred(client, preferences.get(SCREEN_READER), preferences.get(COLOR, ""), preferences.get(LINKS))


@lru_cache(maxsize=CLASSES)
def _preferred(client: Capabilities, reader: str | None, color: str, links: str | None) -> Capabilities:
    listens = reader == ON if reader else client.screen_reader
    depth = ColorDepth.NONE if listens else client.colors
    if color == ON:
        depth = max(client.colors, ColorDepth.SIXTEEN)
    return replace(
        client,
        screen_reader=listens,
        colors=_CHOSEN.get(color, depth),
        links=links == ON if links else client.links,
    )


class TurnContent:
    """The output of a turn for all screens of one class; each text is rendered once for all of them, as is the whole.

    `texts` are the texts that `content` was last made of.
    """

    __slots__ = ("_capabilities", "_encode", "_palette", "content", "render", "texts")

    def __init__(self, capabilities: Capabilities, palette: ColorSettings, encode: Encode) -> None:
        self._capabilities = capabilities
        self._palette = palette
        self._encode = encode
        self.render = lru_cache(maxsize=TEXTS)(self._render)
        self.texts: Sequence[Shown] = ()
        self.content = b""

    def _render(self, text: str, kind: str) -> bytes:
        """Return a text as it goes to a screen of this class: wrapped and in colour, to the end of its last line.

        Each line begins and ends its own colours.
        """
        client, palette, depth = self._capabilities, self._palette, self._capabilities.colors
        width = WHOLE if client.screen_reader else client.width
        if client.charset == "ascii" and kind != RAW and not text.isascii():
            text = transliterate(text)  # before it is broken into lines, because it may become longer
        if kind == MARKED:
            marked = MARKUP.sub(lambda found: _marked(found, depth, palette), text)
            text = lay_out(LINK.sub(_clickable if client.links else link_as_text, marked), width, has_columns=True)
        elif kind == SCENE and depth:
            text = _scene(text, width, depth, palette)
        elif kind != RAW:
            text = lay_out(text, width)
            if depth and kind in STYLES:
                text = _styled(text, _begin(getattr(palette, kind), depth))
        return self._encode(f"{text}\n", client.charset)


_turn_content = lru_cache(maxsize=CLASSES)(TurnContent)


class TextScreen:
    """Puts texts on lines of their own, below a prompt if one stands there, and a prompt behind them.

    It only returns what is to be sent, in that order.
    """

    __slots__ = (
        "_at_prompt",
        "_capabilities",
        "_encode",
        "_has_typed",
        "_known",
        "_line_end",
        "_palette",
        "_preferences",
        "is_typing_hidden",
    )

    def __init__(
        self, encode: Encode, capabilities: Callable[[], Capabilities], palette: Callable[[], ColorSettings]
    ) -> None:
        self._encode = encode
        self._capabilities = capabilities
        self._palette = palette
        self._preferences: Callable[[], Mapping[str, str]] = dict
        self._known: tuple[Capabilities, ColorSettings, Mapping[str, str], TurnContent] | None = None
        self._line_end = encode("\n", "ascii")
        self._at_prompt = False
        self._has_typed = False
        self.is_typing_hidden = False

    def prefer(self, preferences: Callable[[], Mapping[str, str]]) -> None:
        """Use somebody's preferences, as they are at each moment."""
        self._preferences = preferences

    def lines(self, texts: Sequence[Shown]) -> bytes:
        """Return the output for texts, one below the other; a prompt comes behind them. `texts` must not change."""
        client, palette, preferences = self._capabilities(), self._palette(), self._preferences()
        known = self._known
        if not (known and client is known[0] and palette is known[1] and preferences == known[2]):
            turn = _turn_content(preferred(client, preferences), palette, self._encode)
            known = self._known = client, palette, {**preferences}, turn
        turn = known[3]
        if texts != turn.texts:
            turn.content = b"".join([turn.render(text, kind) for text, kind in texts])
            turn.texts = texts
        was_at_prompt, self._at_prompt = self._at_prompt, False
        return self._line_end + turn.content if was_at_prompt else turn.content

    def line_typed(self) -> bytes:
        """Return the output after a typed line. A prompt comes behind the answer."""
        self._at_prompt, self._has_typed = False, True
        return self._line_end if self.is_typing_hidden else b""  # the player's own was not shown

    def prompt(self, asked: Callable[[bool], str]) -> str:
        """Return the prompt to show, or nothing if one is shown. `asked` receives whether a line was typed since."""
        text = asked(self._has_typed)
        if not text or self._at_prompt:
            return ""
        self._at_prompt, self._has_typed = True, False
        return text


def _marked(found: re.Match[str], depth: ColorDepth, palette: ColorSettings) -> str:
    style = found["style"] or "highlight"
    return _styled(found["words"], _begin(getattr(palette, style), depth)) if style in STYLES else found["words"]


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
    """Return the escape sequence that begins a style on a terminal; empty if the style is plain."""
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


@lru_cache(maxsize=64)
def transliterate(text: str) -> str:
    """Return the nearest ASCII to `text`: letters without accents, plain signs, other scripts as they are romanised.

    What has no likeness becomes `?`, what is not seen becomes nothing.
    """
    if text.isascii():
        return text
    composed = unicodedata.normalize("NFC", text.translate(_ASCII_FOR))
    return "".join(one if one.isascii() else _likeness(one) for one in composed)


@lru_cache(maxsize=4096)
def _likeness(character: str) -> str:
    decomposed = unicodedata.normalize("NFKD", character).translate(_ASCII_FOR)
    bare = "".join(one for one in decomposed if not unicodedata.combining(one))
    if bare.isascii():
        return bare
    from anyascii import anyascii  # only where somebody needs it: each script that it knows takes memory

    unseen = unicodedata.category(character) in _UNSEEN
    return anyascii(character) or ("" if unseen else "?")


def wrap_wide(text: str, room: int, hanging: str = "") -> list[str]:
    """Return text as lines of at most `room` columns, those after the first behind `hanging`.

    It breaks at spaces, which are left out where it does, and within a word that is longer than a line. A library that
    knows every sequence of a terminal takes 20 ms for 4 kB; in the world's cleaned text there is no such sequence, no
    joiner and no variation selector, so a text has the columns of its characters.
    """
    lines: list[str] = []
    line, free = "", room
    for gap, word, columns in _words(text):
        is_endless = columns > room - len(hanging) and free - len(gap) > 1
        if line.strip() and len(gap) + columns > free and not is_endless:
            lines.append(line.rstrip(" "))
            line, free, gap = hanging, room - len(hanging), ""
        line, free = line + gap, free - len(gap)
        for part, width in _parts(word, columns, free, room - len(hanging)):
            if width > free and line != hanging:
                lines.append(line.rstrip(" "))
                line, free = hanging, room - len(hanging)
            line, free = line + part, free - width
    return [*lines, line.rstrip(" ")] if line.strip() else lines


def columns_in(text: str) -> int:
    """Return how many columns a cleaned text takes on a screen."""
    return len(text) if text.isascii() else sum(max(0, wcwidth(char)) for char in text)


def _words(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield each word with the spaces before it and its columns."""
    gap = ""
    for number, word in enumerate(text.split(" ")):
        gap += " " * (number > 0)
        if word:
            yield gap, word, columns_in(word)
            gap = ""


def _parts(word: str, columns: int, free: int, room: int) -> Iterator[tuple[str, int]]:
    """Yield a word whole if it fits into a line, or else in parts that fill what is free and then whole lines."""
    if columns <= room:
        yield word, columns
        return
    part, width, most = "", 0, free if free > 1 else room
    for char in word:
        wide = max(0, wcwidth(char))
        if part and width + wide > most:
            yield part, width
            part, width, most = "", 0, room
        part, width = part + char, width + wide
    yield part, width


MAX_COLUMNS = 100

NARROW_INDENT = "    "
"""The indent of a second column where the first leaves it no room."""

ESCAPE = "\x1b"

WHOLE = 0
"""The width of a screen that is read aloud: a line has no end there but its own."""

_COLUMN = re.compile(r"\S+(?: \S+)*(?<![.!?:]) {2,}(?=\S)")


_GAP = re.compile(r"(?<=\S) {2,}(?=\S)")
_PAUSES = ".,:;!?"


@lru_cache(maxsize=64)
def lay_out(text: str, width: int, has_columns: bool = False) -> str:
    """Return text wrapped to a screen's width in columns, or as it is listened to if that is `WHOLE`.

    Each line keeps its own indentation, and none is made longer than is good to read. `has_columns` says that rows of
    spaces stand between columns, which a screen reader reads one after the other. The same text for many screens of
    one width is wrapped once, and so is a line that is in many texts, as the description of a room does in what
    each of its visitors sees.
    """
    if width != WHOLE:
        columns = max(20, min(width - 1, MAX_COLUMNS))
        lines = text.split("\n")
        return "\n".join(
            [one if len(one) <= columns and one.isascii() else "\n".join(_lines(one, columns)) for one in lines]
        )
    text = "\n".join([line.strip(" ") for line in text.split("\n")])
    return _GAP.sub(_pause, text) if has_columns else text


def _pause(gap: re.Match[str]) -> str:
    return " " if gap.string[gap.start() - 1] in _PAUSES else ": "


@lru_cache(maxsize=512)
def _lines(line: str, columns: int) -> list[str]:
    indent = line[: len(line) - len(line.lstrip(" "))]
    if len(indent) > columns // 2:
        indent = NARROW_INDENT
    text = line.strip()
    # A second column keeps its place when its text goes on in the next line.
    column = _COLUMN.match(text)
    if column and _COLUMN.match(text, column.end()):
        column = None  # a row of many columns: each line holds as many as there is room for
    if column and _columns(column[0]) > columns // 2:
        first, second = indent + column[0].rstrip(), indent + NARROW_INDENT + text[column.end() :]
        return [lay_out(first, columns + 1), lay_out(second, columns + 1)]
    hanging = " " * _columns(column[0]) if column else ""
    room = columns - len(indent)
    if ESCAPE in text:  # of our own colours and links, which are made to end on each line
        lines = wrap(text, room, subsequent_indent=hanging, break_on_hyphens=False)
    elif text.isascii() and text.isprintable():  # a column a character, so that nothing has to be measured
        lines = textwrap.wrap(text, room, subsequent_indent=hanging, break_on_hyphens=False)
    else:
        lines = wrap_wide(text, room, hanging)
    return [indent + part for part in lines] or [""]


def _columns(text: str) -> int:
    return columns_shown(text) if ESCAPE in text else columns_in(text)
