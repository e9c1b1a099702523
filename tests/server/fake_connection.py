"""A player's connection for tests: what it shows is collected until it is looked at."""

from __future__ import annotations

from dataclasses import replace

from config.settings import ColorSettings
from server.clock import ReactorClock
from server.connection.base import TextConnection
from server.connection.connection import Capabilities, Message
from server.connection.input import ConnectionServices
from server.session.registry import SessionRegistry
from server.session.session import Session

SECRET = "a long secret"


class FakeConnection(TextConnection):
    """The `Connection` of a test: it remembers what was shown; a prompt is shown as itself, without a line end.

    What a client tells of itself is set by `tells`, which the listener hears of as from any client.
    """

    def __init__(self, listener: Session, clock: ReactorClock, host: str = "127.0.0.1", width: int = 80) -> None:
        services = ConnectionServices(clock, lambda: self.palette)
        super().__init__(host, services, Capabilities(width), lambda text, charset: text.encode())
        self._listener = listener
        self.palette = ColorSettings()
        self.is_held = False
        self.prompts = 0
        self.told: list[tuple[str, object]] = []
        self.messages: list[Message] = []
        self._content = ""

    @property
    def is_hidden(self) -> bool:
        """Whether typing is hidden."""
        return self._screen.is_typing_hidden

    def tells(self, **capabilities: object) -> None:
        """Tell capabilities, as a client does at any time."""
        self._client = replace(self._client, **capabilities)  # type: ignore[arg-type]
        self._listener.capabilities_changed()

    def send_data(self, message: Message) -> None:
        if self.is_open:
            self.told.append((message.package, message.payload))
            self.messages.append(message)

    def hide_typing(self, hidden: bool) -> None:
        self._screen.is_typing_hidden = hidden

    def hold(self, held: bool) -> None:
        self.is_held = held

    def close(self) -> None:
        self._lay_out()
        self._is_open = False

    def types(self, line: str) -> None:
        """Type a line."""
        self.line_typed()
        self._listener.line_received(line)

    def screen(self) -> str:
        """Return what was shown since the last time, to the letter."""
        self._lay_out()
        content, self._content = self._content, ""
        return content

    def _write(self, content: bytes) -> None:
        self._content += content.decode()

    def _end_turn(self) -> None:
        self._is_due = False
        self._lay_out()
        if self._is_prompt_due and self.is_open:
            self._is_prompt_due = False
            prompt = self._screen.prompt(self._listener.prompt)
            self.prompts += bool(prompt)
            self._write(prompt.encode())


class Guest:
    """Somebody at a connection to a lobby whose clock is a `Clock`.

    `unseen` is every line that was typed while typing was not shown.
    """

    def __init__(self, registry: SessionRegistry, host: str = "127.0.0.1", width: int = 80) -> None:
        self.session = Session(registry)
        self.connection = FakeConnection(self.session, registry.clock, host, width)
        self.unseen: list[str] = []
        self._registry = registry
        self._waiting: list[str] = []
        self.session.connection_made(self.connection)
        self._turn()

    def types(self, *lines: str) -> str:
        """Send lines, one a turn, and return what they brought to the screen; what is held waits."""
        self.connection.screen()
        self._waiting += lines
        self._turn()
        return self.connection.screen()

    def enters(self, name: str, password: str = SECRET) -> str:
        """Give a name and its password, or choose it, and return what is shown after the line end of that."""
        self.types(name)
        return self.types(password).removeprefix("\n")

    def screen(self) -> str:
        """Return what came since the last time."""
        self._turn()
        return self.connection.screen()

    def hangs_up(self) -> None:
        """Lose the connection."""
        self.connection.close()
        self.session.connection_lost("Connection was closed.")

    def _turn(self) -> None:
        self._registry.clock.advance(0)  # type: ignore[attr-defined]  # a test's clock is twisted.internet.task.Clock
        while self._waiting and not self.connection.is_held and self.connection.is_open:
            line = self._waiting.pop(0)
            if self.connection.is_hidden:
                self.unseen.append(line)
            self.connection.types(line)
            self._registry.clock.advance(0)  # type: ignore[attr-defined]


def entered(registry: SessionRegistry, name: str, host: str = "127.0.0.1", width: int = 80) -> Guest:
    """Return somebody who has come in by a name, before a screen on which nothing stands any more."""
    guest = Guest(registry, host, width)
    guest.enters(name)
    guest.screen()
    return guest
