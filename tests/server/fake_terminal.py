"""A player's screen for tests: what it shows is collected until it is looked at."""

from __future__ import annotations

from server.session import Lobby, Session
from server.telnet.options import Mtts


class FakeTerminal:
    """Remembers what was written to it; a prompt is shown as itself, without a line end."""

    height = 24
    encoding = "utf-8"
    client_name = ""
    terminal_types: tuple[str, ...] = ()
    mtts = Mtts(0)
    screen_reader = False

    def __init__(self, host: str = "127.0.0.1", width: int = 80) -> None:
        self.host = host
        self.width = width
        self.is_open = True
        self.prompts = 0
        self._shown = ""

    def write(self, text: str) -> None:
        if self.is_open:
            self._shown += text

    def prompt(self, text: str) -> None:
        self.prompts += 1
        self.write(text)

    def hide_input(self) -> None: ...
    def show_input(self) -> None: ...
    def hold_input(self) -> None: ...
    def release_input(self) -> None: ...

    def close(self) -> None:
        self.is_open = False

    def abort(self) -> None:
        self.is_open = False

    def screen(self) -> str:
        """Return what was shown since the last time, to the letter."""
        shown, self._shown = self._shown, ""
        return shown


class Guest:
    """Somebody at a terminal, connected to a lobby whose clock is a `Clock`."""

    def __init__(self, lobby: Lobby, host: str = "127.0.0.1", width: int = 80) -> None:
        self.terminal = FakeTerminal(host, width)
        self.session = Session(lobby)
        self._lobby = lobby
        self.session.connection_made(self.terminal)
        self._turn()

    def types(self, *lines: str) -> str:
        """Send lines, one a turn, and return what they brought to the screen."""
        self.terminal.screen()
        for line in lines:
            self.session.line_received(line)
            self._turn()
        return self.terminal.screen()

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
