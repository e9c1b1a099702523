"""A player's screen for tests: what it shows is collected until it is looked at."""

from __future__ import annotations

from collections.abc import Callable

from server.clock import ReactorClock
from server.connection.output import FlushQueue
from server.lobby import Lobby
from server.session import Session
from server.telnet.gmcp import Message
from server.telnet.options import Mtts

SECRET = "a long secret"


class FakeTerminal:
    """Remembers what was written to it; a prompt is shown as itself, without a line end."""

    height = 24
    encoding = "utf-8"
    client_name = ""
    terminal_types: tuple[str, ...] = ()
    mtts = Mtts(0)
    is_identified = True
    may_tell = is_telling = False
    screen_reader = False

    def __init__(self, clock: ReactorClock, host: str = "127.0.0.1", width: int = 80) -> None:
        self._flush_queue = FlushQueue(clock)
        self._last_words: list[Callable[[], None]] = []
        self.host = host
        self.width = width
        self.is_open = True
        self.is_hidden = False
        self.is_held = False
        self.prompts = 0
        self.told: list[tuple[str, object]] = []
        self._shown = ""

    def write(self, text: str) -> None:
        if self.is_open:
            self._shown += text

    def prompt(self, text: str) -> None:
        self.prompts += 1
        self.write(text)

    def send_gmcp(self, message: Message) -> None:
        if self.is_open:
            self.told.append((message.package, message.payload))

    def at_turn_end(self, call: Callable[[], None]) -> None:
        if not self._last_words:
            self._flush_queue.add(lambda: self._last_words.pop()())
            self._last_words.append(call)

    def hide_input(self) -> None:
        self.is_hidden = True

    def show_input(self) -> None:
        self.is_hidden = False

    def hold_input(self) -> None:
        self.is_held = True

    def release_input(self) -> None:
        self.is_held = False

    def close(self) -> None:
        self.is_open = False

    def abort(self) -> None:
        self.is_open = False

    def screen(self) -> str:
        """Return what was shown since the last time, to the letter."""
        shown, self._shown = self._shown, ""
        return shown


class Guest:
    """Somebody at a terminal, connected to a lobby whose clock is a `Clock`.

    `unseen` is every line that was typed while typing was not shown.
    """

    def __init__(self, lobby: Lobby, host: str = "127.0.0.1", width: int = 80) -> None:
        self.terminal = FakeTerminal(lobby.clock, host, width)
        self.session = Session(lobby)
        self.unseen: list[str] = []
        self._lobby = lobby
        self._waiting: list[str] = []
        self.session.connection_made(self.terminal)
        self._turn()

    def types(self, *lines: str) -> str:
        """Send lines, one a turn, and return what they brought to the screen; what is held waits."""
        self.terminal.screen()
        self._waiting += lines
        self._turn()
        return self.terminal.screen()

    def enters(self, name: str, password: str = SECRET) -> str:
        """Give a name and its password, or choose it, and return what is shown after the line end of that."""
        self.types(name)
        return self.types(password).removeprefix("\n")

    def screen(self) -> str:
        """Return what came since the last time."""
        self._turn()
        return self.terminal.screen()

    def hangs_up(self) -> None:
        """Lose the connection."""
        self.terminal.close()
        self.session.connection_lost("Connection was closed.")

    def _turn(self) -> None:
        self._lobby.clock.advance(0)  # type: ignore[attr-defined]  # a test's clock is twisted.internet.task.Clock
        while self._waiting and not self.terminal.is_held and self.terminal.is_open:
            line = self._waiting.pop(0)
            if self.terminal.is_hidden:
                self.unseen.append(line)
            self.session.line_received(line)
            self._lobby.clock.advance(0)  # type: ignore[attr-defined]
