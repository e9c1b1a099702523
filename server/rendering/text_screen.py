"""A screen that is a stream of text with a prompt at its end, as terminals and most clients have it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache

from config.settings import ColorSettings
from server.connection.connection import RAW, Capabilities, ColorDepth
from server.rendering.ansi import rendered
from server.rendering.layout import WHOLE
from server.rendering.transliterate import transliterate
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
"""How many texts are kept as they were rendered, for each of so many classes of screens that are alike."""


def preferred(client: Capabilities, preferences: Mapping[str, str]) -> Capabilities:
    """Return how a player wants to see: as they have said, or else as the client tells."""
    reader = preferences.get(SCREEN_READER)
    color = preferences.get(COLOR, "")
    listens = reader == ON if reader else client.screen_reader
    depth = ColorDepth.NONE if listens else client.colors
    if color == ON:
        depth = max(client.colors, ColorDepth.SIXTEEN)
    links = preferences.get(LINKS)
    return replace(
        client,
        screen_reader=listens,
        colors=_CHOSEN.get(color, depth),
        links=links == ON if links else client.links,
    )


@lru_cache(maxsize=CLASSES)
def encoder_for(capabilities: Capabilities, palette: ColorSettings, encode: Encode) -> Encode:
    """Return what renders for all screens of one class: each text, given with its kind, once for however many."""
    return lru_cache(maxsize=TEXTS)(
        lambda text, kind: encode(f"{lines_for(capabilities, palette, text, kind)}\n", capabilities.charset)
    )


def lines_for(capabilities: Capabilities, palette: ColorSettings, text: str, kind: str) -> str:
    """Return a text as a screen shows it."""
    if kind == RAW:
        return text
    if capabilities.charset == "ascii" and not text.isascii():
        text = transliterate(text)  # before it is broken into lines, because it may become longer
    width = WHOLE if capabilities.screen_reader else capabilities.width
    return rendered(text, kind, width, capabilities.colors, palette, capabilities.links)


class TextScreen:
    """Puts texts on lines of their own, below a prompt if one stands there, and a prompt behind them.

    It only returns what is to be sent, in that order. What it knows of the player's way to see counts until the player
    types a line or somebody calls `forget`, which connections do once a turn.
    """

    __slots__ = (
        "_at_prompt",
        "_capabilities",
        "_encode",
        "_encoder",
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
        self._encoder: Encode | None = None
        self._known: tuple[Capabilities, ColorSettings, Mapping[str, str], Encode] | None = None
        self._line_end = encode("\n", "ascii")
        self._at_prompt = False
        self._has_typed = False
        self.is_typing_hidden = False

    def prefer(self, preferences: Callable[[], Mapping[str, str]]) -> None:
        """Let somebody's preferences count, as they are at each moment."""
        self._preferences = preferences
        self.forget()

    def forget(self) -> None:
        """Work out again how the player sees, before the next text."""
        self._encoder = None

    def lines(self, text: str, kind: str) -> bytes:
        """Return what shows whole lines; a prompt is to come behind them."""
        content = (self._encoder or self._look())(text, kind)
        if not self._at_prompt:
            return content
        self._at_prompt = False
        return self._line_end + content

    def line_typed(self) -> bytes:
        """Return what is to be sent when the player has typed a line. A prompt is to come behind the answer."""
        self._at_prompt, self._has_typed = False, True
        self.forget()
        return self._line_end if self.is_typing_hidden else b""  # the player's own was not shown

    def prompt(self, asked: Callable[[bool], str]) -> str:
        """Return the prompt to show, or nothing if one is shown. `asked` is given whether a line was typed since."""
        text = asked(self._has_typed)
        if not text or self._at_prompt:
            return ""
        self._at_prompt, self._has_typed = True, False
        return text

    def _look(self) -> Encode:
        client, palette, preferences = self._capabilities(), self._palette(), self._preferences()
        known = self._known
        if known and client is known[0] and palette is known[1] and preferences == known[2]:
            self._encoder = known[3]
        else:
            self._encoder = encoder_for(preferred(client, preferences), palette, self._encode)
            self._known = client, palette, {**preferences}, self._encoder
        return self._encoder
