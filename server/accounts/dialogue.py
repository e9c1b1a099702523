"""What a dialogue at the door expects of the session that holds it, and the other way round."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from twisted.internet.defer import Deferred

from config.settings import ServerSettings
from server.accounts.accounts import Accounts
from server.accounts.authenticator import Authenticator
from server.accounts.passwords import Passwords
from world.message_catalog import Wording


class LoginView(Protocol):
    """Whoever is at a terminal, as a dialogue sees them."""

    @property
    def host(self) -> str:
        """The address they call from."""

    def show(self, text: str, kind: str = "") -> None:
        """Show whole lines of a kind; the prompt comes behind them at the end of the turn."""

    def end(self, text: str) -> None:
        """Say a last thing and close."""

    def hide_typing(self, hidden: bool) -> None:
        """Ask the client not to show what is typed, or to show it again."""

    def hold(self, held: bool) -> None:
        """Let the lines that come wait, without a prompt; or go on with them."""

    def until_known(self) -> Deferred[None] | None:
        """Return what fires when their client is known as far as it will be; None if it is, or is not waited for."""


class ModalInput(Protocol):
    """Questions and answers that have a session's lines to themselves. It tells its maker when it is over."""

    @property
    def prompt(self) -> str:
        """What is asked now."""

    def line_received(self, text: str) -> None:
        """Take an answer."""

    def stop(self) -> None:
        """The connection has gone; nobody is told anything any more."""


@dataclass(frozen=True)
class LoginServices:
    """What all dialogues need. `say` returns the wording of the moment, `figures` what crawlers are answered."""

    accounts: Accounts
    passwords: Passwords
    check: Authenticator
    settings: ServerSettings
    say: Callable[[], Wording]
    figures: Callable[[], str] = lambda: ""
