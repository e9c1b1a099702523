"""The base of connections to a text screen: shown texts are laid out at the end of the turn."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping

from server.connection.base import BaseConnection
from server.connection.connection import Capabilities, Shown
from server.connection.input import ConnectionServices
from server.rendering.text_screen import Encode, TextScreen

MAX_WAITING = 64
"""How many texts wait to be laid out together."""


class TextConnection(BaseConnection):
    """The part of a `Connection` that is the same for all whose client shows a stream of text.

    What is shown waits as it is for the end of the turn, so that a turn's texts are laid out once for all who see
    alike. A door says in `_write` where the bytes go; whatever else it writes must come behind `_lay_out`.
    """

    def __init__(self, host: str, services: ConnectionServices, client: Capabilities, encode: Encode) -> None:
        super().__init__(host, services, client)
        self._screen = TextScreen(encode, lambda: self._client, services.palette)
        self._shown: list[Shown] = []

    def prefer(self, preferences: Callable[[], Mapping[str, str]]) -> None:
        self._lay_out()
        self._screen.prefer(preferences)

    def show(self, text: str, kind: str = "") -> None:
        if not self._is_open:
            return
        self._shown.append((text, kind))
        self._is_prompt_due = True
        if not self._is_due:
            self._flush_soon()
        elif len(self._shown) >= MAX_WAITING:
            self._lay_out()

    def _lay_out(self) -> None:
        """Write what was shown since the last time."""
        if self._shown and self._is_open:
            texts, self._shown = self._shown, []
            content = self._screen.lines(texts)
            self._services.traffic.sent_lines += content.count(b"\n")
            self._write(content)

    @abstractmethod
    def _write(self, content: bytes) -> None:
        """Let bytes go out at the end of the turn."""
