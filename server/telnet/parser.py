"""The telnet parser: bytes to events, and a line's bytes to text, without input or output of its own.

The caller hands over what has arrived with `receive` and takes one event after another with `next_event`, at
its own pace: what it has not taken yet stays here as bytes. Any bytes are accepted, in any portions; the same
bytes make the same events however they were split.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from world.sanitize import clean_line

SE = 240
NOP = 241
BRK = 243
AYT = 246
EC = 247
EL = 248
GA = 249
SB = 250
WILL = 251
WONT = 252
DO = 253
DONT = 254
IAC = 255
EOF = 236
EOR = 239

FIRST_COMMAND = EOF
"""Bytes below this mean nothing after an IAC."""

VERBS = frozenset({WILL, WONT, DO, DONT})

BINARY = 0
ECHO = 1
SUPPRESS_GO_AHEAD = 3
TIMING_MARK = 6
TERMINAL_TYPE = 24
END_OF_RECORD = 25
WINDOW_SIZE = 31
LINEMODE = 34
CHARSET = 42
MSSP = 70
COMPRESS2 = 86
GMCP = 201


_WHOLE_LINE = re.compile(rb"([^\r\n\xff]*)\r?\n")
_LINE_END_OR_IAC = re.compile(rb"[\r\n\xff]")
_IAC = bytes([IAC])
_BACKSPACE = b"\b"
_CR = 0x0D
_LF = 0x0A


@dataclass(frozen=True, slots=True)
class Line:
    """One line as typed, without its end; telnet's own bytes are out of it, a doubled 255 is single."""

    content: bytes


@dataclass(frozen=True, slots=True)
class LineTooLong:
    """A line has passed the limit. All of it is dropped, up to its end, and told once."""

    max_line_bytes: int


@dataclass(frozen=True, slots=True)
class Negotiation:
    """The client said WILL, WONT, DO or DONT."""

    verb: int
    option: int


@dataclass(frozen=True, slots=True)
class Subnegotiation:
    """The content between IAC SB and IAC SE: the option, and the payload with doubled 255 made single.

    One whose payload is over the limit is dropped.
    """

    option: int
    payload: bytes


@dataclass(frozen=True, slots=True)
class Command:
    """Any other command than the ones above, such as AYT, NOP or BRK."""

    code: int


_ERASE = "\b\x7f"


def decode_line(content: bytes, knows_utf_8: bool) -> str:
    """Return what the player meant: decoded, with rubbed-out characters gone, cleaned to one safe line.

    UTF-8 is read whenever it is valid. In what is not, broken bytes become U+FFFD if the client `knows_utf_8`; any
    other is taken for a Windows one with UTF-8 switched off (MUSHclient), whose lines are cp1252.
    """
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = content.decode("utf-8" if knows_utf_8 else "cp1252", "replace")
    return clean_line(_rub_out(text) if "\b" in text or "\x7f" in text else text)


def _rub_out(text: str) -> str:
    """Apply BS and DEL, which a client in character mode sends along with the rest."""
    kept: list[str] = []
    for character in text:
        if character not in _ERASE:
            kept.append(character)
        elif kept:
            kept.pop()
    return "".join(kept)


Event = Line | LineTooLong | Negotiation | Subnegotiation | Command


class _State(Enum):
    TEXT = auto()
    AFTER_IAC = auto()
    OPTION = auto()
    PAYLOAD = auto()
    PAYLOAD_AFTER_IAC = auto()


class TelnetParser:
    """One client's stream of bytes, read from the beginning.

    CR LF, LF, CR NUL and CR each end one line; a CR ends it at once and swallows the LF or NUL that follows.
    Both limits are in bytes of content, so memory is bounded by them and by what was received but not taken.
    `negotiation_bytes` counts the bytes of commands that were read; the reader may set it back to 0.
    """

    def __init__(self, max_line_bytes: int = 4096, max_subnegotiation_bytes: int = 4096) -> None:
        self._max_line_bytes = max_line_bytes
        self._max_payload_bytes = max_subnegotiation_bytes
        self.negotiation_bytes = 0
        self._unread = b""
        self._position = 0
        self._state = _State.TEXT
        self._line = bytearray()
        self._dropping_line = False
        self._after_cr = False
        self._verb = 0
        self._payload = bytearray()
        self._dropping_payload = False

    def receive(self, chunk: bytes) -> None:
        """Add `chunk` to what waits to be read."""
        self._unread = self._unread[self._position :] + chunk
        self._position = 0

    @property
    def is_drained(self) -> bool:
        """Say whether everything received so far has been read."""
        return self._position == len(self._unread)

    def next_event(self, *, up_to_text: bool = False) -> Event | None:
        """Return the next event, or None when everything received so far has been read.

        With `up_to_text` only commands are read, and text that comes next is left where it is.
        """
        if self._state is _State.TEXT and not (up_to_text or self._line or self._after_cr or self._dropping_line):
            # The short way for what is nearly always there: nothing pending and a complete, plain line.
            whole = _WHOLE_LINE.match(self._unread, self._position)
            if whole and len(whole[1]) <= self._max_line_bytes:
                self._position = whole.end()
                return Line(whole[1])
        event: Event | None = None
        while event is None and self._position < len(self._unread):
            if up_to_text and self._is_at_text:
                return None
            match self._state:
                case _State.TEXT:
                    event = self._read_part_of_line()
                case _State.AFTER_IAC:
                    event = self._read_after_iac()
                case _State.OPTION:
                    event = self._read_option()
                case _State.PAYLOAD:
                    self._read_payload()
                case _State.PAYLOAD_AFTER_IAC:
                    event = self._read_payload_after_iac()
        if event is None:
            self._unread, self._position = b"", 0
        return event

    @property
    def _is_at_text(self) -> bool:
        return self._state is _State.TEXT and self._unread[self._position] != IAC

    def _take_byte(self) -> int:
        byte = self._unread[self._position]
        self._position += 1
        return byte

    def _read_part_of_line(self) -> Event | None:
        found = _LINE_END_OR_IAC.search(self._unread, self._position)
        end = found.start() if found else len(self._unread)
        if end > self._position:
            too_long = self._add_text(self._unread[self._position : end])
            self._position = end
            if too_long:
                return too_long
        return self._read_special() if found else None

    def _read_special(self) -> Event | None:
        byte = self._take_byte()
        if byte == IAC:
            self._state = _State.AFTER_IAC
            return None
        if byte == _LF and self._after_cr:
            self._after_cr = False
            return None
        self._after_cr = byte == _CR
        return self._end_line()

    def _add_text(self, text: bytes) -> LineTooLong | None:
        if self._after_cr:
            self._after_cr = False
            text = text.removeprefix(b"\0")
        if self._dropping_line:
            return None
        if len(self._line) + len(text) > self._max_line_bytes:
            self._line.clear()
            self._dropping_line = True
            return LineTooLong(self._max_line_bytes)
        self._line += text
        return None

    def _end_line(self) -> Line | None:
        if self._dropping_line:
            self._start_line()
            return None
        line = Line(bytes(self._line))
        self._line.clear()
        return line

    def _start_line(self) -> None:
        self._line.clear()
        self._dropping_line = False

    def _read_after_iac(self) -> Event | None:
        byte = self._take_byte()
        self._state = _State.TEXT
        if byte != IAC:
            self.negotiation_bytes += 3
        if byte in VERBS:
            self._verb = byte
            self._state = _State.OPTION
        elif byte == SB:
            self._start_payload()
        elif byte == IAC:
            return self._add_text(_IAC)
        elif byte == EC:
            return self._add_text(_BACKSPACE)
        elif byte == EL:
            self._start_line()
        elif byte >= FIRST_COMMAND:
            return Command(byte)
        else:
            # A 255 that its sender forgot to double. What follows is text and may end the line.
            self._position -= 1
        return None

    def _read_option(self) -> Negotiation:
        self._state = _State.TEXT
        return Negotiation(self._verb, self._take_byte())

    def _start_payload(self) -> None:
        self._payload.clear()
        self._dropping_payload = False
        self._state = _State.PAYLOAD

    def _read_payload(self) -> None:
        end = self._unread.find(_IAC, self._position)
        content = self._unread[self._position : end if end >= 0 else None]
        self._position += len(content)
        self.negotiation_bytes += len(content) + 1
        if end >= 0:
            self._position += 1
            self._state = _State.PAYLOAD_AFTER_IAC
        self._add_payload(content)

    def _read_payload_after_iac(self) -> Subnegotiation | None:
        byte = self._take_byte()
        self._state = _State.PAYLOAD
        if byte == SE:
            return self._end_payload()
        if byte == SB or byte in VERBS:
            # The end was forgotten: give the rest of the stream a chance instead of swallowing it for ever.
            self._position -= 1
            self._state = _State.AFTER_IAC
        else:
            self._add_payload(_IAC if byte == IAC else bytes([IAC, byte]))
        return None

    def _add_payload(self, content: bytes) -> None:
        if not self._dropping_payload:
            self._payload += content
            if len(self._payload) > 1 + self._max_payload_bytes:
                self._dropping_payload = True
                self._payload.clear()

    def _end_payload(self) -> Subnegotiation | None:
        self._state = _State.TEXT
        return Subnegotiation(self._payload[0], bytes(self._payload[1:])) if self._payload else None
