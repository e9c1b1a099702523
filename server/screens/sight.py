"""How one player sees what is shown, found out again only when something about that has changed."""

from __future__ import annotations

from collections.abc import Mapping

from config.color_settings import ColorSettings
from server.screens.coloring import Depth, depth_for, listens, rendered, wants_links
from server.screens.screen import WHOLE
from server.telnet.interface import Terminal
from world.model import Character

_NOTHING_SET: Mapping[str, str] = {}


class Sight:
    """The screen of one terminal. In a crowd everyone is shown something hundreds of times before anything changes."""

    __slots__ = ("_depth", "_has_links", "_known", "_preferences", "_terminal", "_width")

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._known: tuple[object, ...] = ()
        self._preferences: Mapping[str, str] = _NOTHING_SET
        self._width = WHOLE
        self._depth = Depth.NONE
        self._has_links = False

    def rendered(self, text: str, kind: str, viewer: Character | None, palette: ColorSettings) -> str:
        """Return a text as it goes to this screen; `viewer` is None at the door."""
        terminal = self._terminal
        preferences = viewer.preferences if viewer else _NOTHING_SET
        reads_aloud = viewer.doings.client_reads_aloud if viewer else terminal.screen_reader
        known = (viewer is None, terminal.width, terminal.is_identified, reads_aloud)
        if known != self._known or preferences != self._preferences:
            self._known, self._preferences = known, {**preferences}
            self._width = WHOLE if listens(terminal, viewer) else terminal.width
            self._depth = depth_for(terminal, viewer)
            self._has_links = wants_links(viewer)
        return rendered(text, kind, self._width, self._depth, palette, self._has_links)
