"""The seam between a session and its door: the `Connection`, its listener, and the base of streams of text."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Protocol

from server.connection.connection import Capabilities, Identification, Message, Shown
from server.connection.input import ConnectionServices
from server.connection.text_screen import Encode, TextScreen

log = logging.getLogger(__name__)

TOO_LONG = "That line was ignored: it is longer than {} bytes."
APOLOGY = "Something went wrong. The server's log has the details."


class Connection(ABC):
    r"""A player's client, as a session sees it. Text is plain `str` with `\n` for line ends.

    What is shown goes out once a turn, laid out as the client's capabilities and the player's preferences have it.
    Once `is_open` is False, everything is dropped silently. `client` is what the other side can show, as far as it is
    known. A door says in `_end_turn` what goes out.
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
        """False once the connection is closing or lost."""
        return self._is_open

    @property
    def host(self) -> str:
        """The address of the other side."""
        return self._host

    @property
    def capabilities(self) -> Capabilities:
        """The capabilities of the client, as far as it has told."""
        return self._client

    @property
    def identification(self) -> Identification:
        """The progress of the client in telling them."""
        return Identification.FINAL

    def prompt(self) -> None:
        """Ask for a line at the end of the turn: what the listener's `prompt` says by then."""
        self._is_prompt_due = True
        self._flush_soon()

    @abstractmethod
    def prefer(self, preferences: Callable[[], Mapping[str, str]]) -> None:
        """Override the client's capabilities with the preferences of a character, as they are at each moment."""

    @abstractmethod
    def show(self, text: str, kind: str = "") -> None:
        """Show whole lines, on lines of their own, and the prompt behind them at the end of the turn.

        `kind` is one of `server.connection.connection`, or a style's name.
        """

    @abstractmethod
    def send_data(self, message: Message) -> None:
        """Tell the client something that no screen shows, in order with what is shown, if it takes such things."""

    @abstractmethod
    def hide_typing(self, hidden: bool) -> None:
        """Ask the client not to show what is typed, or to show it again. Do so before asking for a password."""

    @abstractmethod
    def hold(self, held: bool) -> None:
        """Deliver no line while held; what is typed meanwhile waits, in bounds."""

    @abstractmethod
    def close(self) -> None:
        """Send the remaining output, then end the connection, by force if the client does not read it in time."""

    @abstractmethod
    def _end_turn(self) -> None:
        """Send the output of this turn."""

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

    def _flush_soon(self) -> None:
        if not self._is_due:
            self._is_due = True
            self._services.flush_queue.add(self._end_turn)


class ConnectionListener(Protocol):
    """A listener to a connection: each event is a call of its own. An exception is logged, and the player told."""

    @property
    def fairness_key(self) -> str:
        """The player's place, by which lines from a crowd wait for each other and not for lines from elsewhere."""

    def prompt(self, is_answer: bool) -> str:
        """Return the prompt behind everything shown, or nothing; `is_answer` if a line was typed since."""

    def connection_made(self, connection: Connection) -> None:
        """Begin, as the first call: there is a player behind `connection`. Nothing is known about the client yet."""

    def line_received(self, text: str) -> None:
        """The player typed one line: decoded, cleaned, without its end, perhaps empty."""

    def data_received(self, package: str, payload: object) -> None:
        """The client's program tells something: `payload` is what JSON gave, None for nothing. It may be anything."""

    def capabilities_changed(self) -> None:
        """The connection's `capabilities` or `identification` are different. Many clients never tell any."""

    def connection_lost(self, reason: str) -> None:
        """End, as the last call: the connection has ended, by either side."""


MAX_WAITING = 64
"""Maximum number of texts that wait to be laid out together."""


class TextConnection(Connection):
    """A `Connection` whose client shows a stream of text.

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
