"""What a session and its connection expect of each other, and what both expect of Twisted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from server.connection.input import InputLimits
from server.connection.output import Transport
from server.telnet.gmcp import Message
from server.telnet.options import Mtts


class Terminal(Protocol):
    r"""A player's screen and keyboard, as a session sees them.

    Text is plain `str` with `\n` for line ends. Once `is_open` is False everything written is dropped silently.
    """

    @property
    def is_open(self) -> bool:
        """False once the connection is closing or lost."""

    @property
    def host(self) -> str:
        """The address of the other side."""

    @property
    def width(self) -> int:
        """Columns, 20 to 500; 80 until the client tells."""

    @property
    def height(self) -> int:
        """Rows, 5 to 500; 24 until the client tells."""

    @property
    def encoding(self) -> str:
        """ "utf-8", or "ascii" for a client that shows no more; what is written is transliterated then."""

    @property
    def client_name(self) -> str:
        """The client's name as it gives it ("MUDLET", "XTERM"), "" when it gives none."""

    @property
    def terminal_types(self) -> tuple[str, ...]:
        """All names the client gives, its own first, then its terminal ("XTERM-256COLOR")."""

    @property
    def mtts(self) -> Mtts:
        """What the client says it can do; no flags when it does not say."""

    @property
    def is_identified(self) -> bool:
        """Whether the client has told all of the three."""

    @property
    def may_tell(self) -> bool:
        """Whether the client was asked for the three, and has neither agreed to tell them nor refused."""

    @property
    def is_telling(self) -> bool:
        """Whether the client has agreed to tell the three, and has not told all of them yet."""

    @property
    def screen_reader(self) -> bool:
        """True when the client says that its user listens instead of looking."""

    def write(self, text: str) -> None:
        """Show `text` as it is; a whole message ends in a newline. Sent once a turn with all the rest."""

    def prompt(self, text: str) -> None:
        """Show `text` without a newline and mark it as a prompt, with EOR or else GA."""

    def send_gmcp(self, message: Message) -> None:
        """Tell the client something that no screen shows, in order with what is written, if it has agreed to GMCP."""

    def at_turn_end(self, call: Callable[[], None]) -> None:
        """Call once when this turn ends, to write what is to stand behind all that was written in it."""

    def hide_input(self) -> None:
        """Ask the client not to show what is typed. Say so before prompting for a password."""

    def show_input(self) -> None:
        """End `hide_input`. The newline that the player typed was not shown: write one."""

    def hold_input(self) -> None:
        """Deliver no line until `release_input`; what is typed meanwhile waits, in bounds."""

    def release_input(self) -> None:
        """End `hold_input`; the lines that waited come from the next turn on."""

    def close(self) -> None:
        """Send what is written, then end the connection, by force if the client does not read it in time."""

    def abort(self) -> None:
        """End the connection at once."""


class LineListener(Protocol):
    """What a connection tells, each in a call of its own. An exception is logged, and the player told."""

    @property
    def place(self) -> str:
        """Where the player is, so that lines from a crowd wait for each other and not lines from elsewhere."""

    def connection_made(self, terminal: Terminal) -> None:
        """The first call: there is a player behind `terminal`. Nothing is known about the client yet."""

    def line_received(self, text: str) -> None:
        """The player typed one line: decoded, cleaned, without its end, perhaps empty."""

    def line_answered(self, text: str) -> None:
        """The player typed one line that is not told, and is answered with `text`: show it, and a prompt behind it."""

    def show(self, text: str) -> None:
        """The connection has something to say amidst whatever is typed: show it, and a prompt behind it."""

    def size_changed(self, width: int, height: int) -> None:
        """The window has another size; both numbers are clamped already."""

    def terminal_identified(self) -> None:
        """`client_name`, `terminal_types`, `mtts` and `screen_reader` are final now. Many clients never tell."""

    def gmcp_received(self, package: str, payload: object) -> None:
        """The client tells something by GMCP: `payload` is what JSON gave, None for nothing. It may be anything."""

    def connection_lost(self, reason: str) -> None:
        """The last call: the connection has ended, whoever ended it."""


@dataclass(frozen=True)
class TelnetLimits(InputLimits):
    """What one telnet connection may cost. The defaults suit any public server."""

    max_line_bytes: int = 4096
    """A longer line is dropped and its player told. Bytes, 80 to 65536."""
    max_subnegotiation_bytes: int = 4096
    """A longer subnegotiation is dropped. Bytes, 64 to 65536."""
    max_negotiation_bytes: int = 256 * 1024
    """What a client may send of telnet commands before it sends a line, or it is dropped. Bytes, 4096 and up."""
    bytes_per_turn: int = 512
    """What is taken in one turn in bytes, as anything but a line costs time too: negotiations, breaks. 64 to 65536."""
    max_output_bytes: int = 256 * 1024
    """What may wait for a client that does not read, before it is dropped. Bytes, 65536 and up."""


class TcpTransport(Transport, Protocol):
    """What a transport can do besides when it is TCP, or TLS over it."""

    def setTcpNoDelay(self, enabled: bool) -> None:
        """Send small writes at once: with Nagle's algorithm every second answer is 40 ms late."""

    def setTcpKeepAlive(self, enabled: bool) -> None:
        """Find out, in time, that the other side is gone."""
