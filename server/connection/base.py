"""The base of all connections, flushed once a turn; and of those whose client shows a stream of text."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

from server.connection.connection import Capabilities, Identification, Shown
from server.connection.input import ConnectionServices
from server.connection.text_screen import Encode, TextScreen

log = logging.getLogger(__name__)

TOO_LONG = "That line was ignored: it is longer than {} bytes."
APOLOGY = "Something went wrong. The server's log has the details."


class BaseConnection(ABC):
    """The part of a `Connection` that is the same at every door.

    `client` is what the other side can show, as far as it is known. A door says in `_end_turn` what goes out.
    """

    def __init__(self, host: str, services: ConnectionServices, client: Capabilities) -> None:
        self._host = host
        self._services = services
        self._client = client
        self._is_open = True
        self._is_due = False
        self._is_prompt_due = False

    @property
    def is_open(self) -> bool:
        return self._is_open

    @property
    def host(self) -> str:
        return self._host

    @property
    def capabilities(self) -> Capabilities:
        return self._client

    @property
    def identification(self) -> Identification:
        return Identification.FINAL

    def prompt(self) -> None:
        self._is_prompt_due = True
        self._flush_soon()

    @abstractmethod
    def show(self, text: str, kind: str = "") -> None:
        """Show whole lines, as a `Connection` does."""

    def tell(self, call: Callable[..., None], *arguments: object) -> bool:
        """Call the listener; return whether it has not failed. A failure is logged, and the player told."""
        try:
            call(*arguments)
        except Exception:
            self.apologize()
            return False
        return True

    def apologize(self) -> None:
        """Log the exception that the listener has raised, and tell the player."""
        log.exception("The session of %s has failed", self._host, extra={"host": self._host})
        self.show(APOLOGY)

    @abstractmethod
    def _end_turn(self) -> None:
        """Send the output of this turn."""

    def _flush_soon(self) -> None:
        if not self._is_due:
            self._is_due = True
            self._services.flush_queue.add(self._end_turn)


MAX_WAITING = 64
"""Maximum number of texts that wait to be laid out together."""


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
        services = self._services
        shown = services.last_shown
        if shown[0] is not text or shown[1] is not kind:
            shown = services.last_shown = (text, kind)
        self._shown.append(shown)
        if not self._is_due:
            self._flush_soon()
        elif len(self._shown) >= MAX_WAITING:
            self._lay_out()

    def line_typed(self) -> None:
        """Note that the player has typed a line; what follows is shown below it."""
        self._is_prompt_due = True
        self._lay_out()
        self._write(self._screen.line_typed())
        self._flush_soon()

    def _lay_out(self) -> None:
        """Write everything shown since the last time."""
        if self._shown and self._is_open:
            texts, self._shown = self._shown, []
            self._is_prompt_due = True
            content = self._screen.lines(texts)
            self._services.traffic.sent_lines += content.count(b"\n")
            self._write(content)

    @abstractmethod
    def _write(self, content: bytes) -> None:
        """Send bytes at the end of the turn."""
