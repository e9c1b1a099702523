"""A player's connection for tests: what it shows is collected until it is looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from config.settings import ColorSettings
from server.clock import ReactorClock
from server.connection.connection import Capabilities, Identification, Message
from server.connection.input import ConnectionServices
from server.connection.text_screen import TextScreen
from server.session.registry import SessionRegistry
from server.session.session import Session

SECRET = "a long secret"


class FakeConnection:
    """The `Connection` of a test: it remembers what was shown; a prompt is shown as itself, without a line end.

    What a client tells of itself is set by `tells`, which the listener hears of as from any client.
    """

    identification = Identification.FINAL

    def __init__(self, listener: Session, clock: ReactorClock, host: str = "127.0.0.1", width: int = 80) -> None:
        self._services = ConnectionServices(clock, lambda: self.palette)
        self._listener = listener
        self._screen = TextScreen(
            lambda text, charset: text.encode(), lambda: self.capabilities, self._services.palette
        )
        self._is_prompt_due = False
        self.host = host
        self.palette = ColorSettings()
        self.capabilities = Capabilities(width)
        self.is_open = True
        self.is_held = False
        self.prompts = 0
        self.told: list[tuple[str, object]] = []
        self.messages: list[Message] = []
        self._shown = ""

    @property
    def is_hidden(self) -> bool:
        """Whether typing is hidden."""
        return self._screen.is_typing_hidden

    def tells(self, **capabilities: object) -> None:
        """Tell capabilities, as a client does at any time."""
        self.capabilities = replace(self.capabilities, **capabilities)  # type: ignore[arg-type]
        self._listener.capabilities_changed()

    def prefer(self, preferences: Callable[[], Mapping[str, str]]) -> None:
        self._screen.prefer(preferences)

    def show(self, text: str, kind: str = "") -> None:
        if self.is_open:
            self._take(self._screen.lines([(text, kind)]))
            self.prompt()

    def prompt(self) -> None:
        if not self._is_prompt_due:
            self._is_prompt_due = True
            self._services.flush_queue.add(self._end_turn)

    def send_data(self, message: Message) -> None:
        if self.is_open:
            self.told.append((message.package, message.payload))
            self.messages.append(message)

    def hide_typing(self, hidden: bool) -> None:
        self._screen.is_typing_hidden = hidden

    def hold(self, held: bool) -> None:
        self.is_held = held

    def close(self) -> None:
        self.is_open = False

    def types(self, line: str) -> None:
        """Type a line."""
        self._line_typed()
        self._listener.line_received(line)

    def refuses_line(self, text: str) -> None:
        """Answer a line that the listener never gets, as a door does to one that is too long."""
        self._line_typed()
        self.show(text)

    def screen(self) -> str:
        """Return what was shown since the last time, to the letter."""
        shown, self._shown = self._shown, ""
        return shown

    def _take(self, content: bytes) -> None:
        if self.is_open:
            self._shown += content.decode()

    def _end_turn(self) -> None:
        self._is_prompt_due = False
        if self.is_open:
            prompt = self._screen.prompt(self._listener.prompt)
            self.prompts += bool(prompt)
            self._take(prompt.encode())

    def _line_typed(self) -> None:
        self._take(self._screen.line_typed())
        self.prompt()


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
