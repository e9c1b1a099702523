"""How one player sees what is shown, found out again only when something about that has changed."""

from __future__ import annotations

from collections.abc import Mapping

from config.color_settings import ColorSettings
from server.rendering.ansi import Rendering, depth_for, listens, rendering, wants_links
from server.rendering.layout import WHOLE
from server.telnet.charset import transliterate
from server.telnet.interface import Terminal
from world.model import Character

_NOTHING_SET: Mapping[str, str] = {}


class Sight:
    """The screen of one terminal. In a crowd everyone is shown something hundreds of times before anything changes."""

    __slots__ = ("_known", "_palette", "_preferences", "_rendering", "_terminal")

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._known: tuple[object, ...] = ()
        self._preferences: Mapping[str, str] = _NOTHING_SET
        self._palette: ColorSettings | None = None
        self._rendering: Rendering

    def rendered(self, text: str, kind: str, viewer: Character | None, palette: ColorSettings) -> str:
        """Return a text as it goes to this screen; `viewer` is None at the door."""
        terminal = self._terminal
        if not text.isascii() and terminal.encoding == "ascii":
            text = transliterate(text)  # before it is broken into lines, because it may become longer
        preferences = viewer.preferences if viewer else _NOTHING_SET
        reads_aloud = viewer.doings.client_reads_aloud if viewer else terminal.screen_reader
        known = (viewer is None, terminal.width, terminal.is_identified, reads_aloud)
        if known != self._known or palette is not self._palette or preferences != self._preferences:
            self._known, self._palette, self._preferences = known, palette, {**preferences}
            width = WHOLE if listens(terminal, viewer) else terminal.width
            self._rendering = rendering(width, depth_for(terminal, viewer), palette, wants_links(viewer))
        return self._rendering(text, kind)
