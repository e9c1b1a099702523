"""The base of all connections: open or closed, and flushed once a turn."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable

from server.connection.connection import Capabilities, Identification
from server.connection.input import ConnectionServices

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
