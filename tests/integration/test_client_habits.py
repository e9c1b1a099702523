"""What real clients do on the wire, each habit for itself: none may keep anybody out or spoil what they read."""

from __future__ import annotations

import re
import select
import socket
import time
from itertools import count

import pytest

from tests.integration.line_player import HOST, LONG, SECRET
from tests.integration.running import RunningServer

pytestmark = pytest.mark.integration

IAC, DONT, DO, WONT, WILL, SB, SE = 255, 254, 253, 252, 251, 250, 240
BINARY, ECHO, SGA, TIMING_MARK, TERMINAL_TYPE, NAWS, LINEMODE, CHARSET = 0, 1, 3, 6, 24, 31, 34, 42
TELNET = re.compile(rb"\xff(?:[\xfb-\xfe].|\xfa.*?\xff\xf0|[^\xfa-\xfe])", re.DOTALL)
LINE_ENDS = {"CR LF": b"\r\n", "LF": b"\n", "CR NUL": b"\r\0", "CR": b"\r"}
NAMES = (f"Habit{letter}{other}" for letter in "abcdefgh" for other in "abcdefgh")


class Wire:
    """A client that sends just the bytes that it is told to, and answers nothing by itself. `raw` is all that came."""

    def __init__(self, server: RunningServer, opening: bytes = b"") -> None:
        self.socket = socket.create_connection((HOST, server.port), timeout=LONG)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.raw = b""
        self._seen = 0
        self.sends(opening)

    def sends(self, content: bytes) -> None:
        """Send these bytes."""
        self.socket.sendall(content)

    def receives(self, content: bytes) -> bytes:
        """Wait for these bytes among what was not looked at yet; return all up to and with them."""
        until = time.monotonic() + LONG
        while (at := self.raw.find(content, self._seen)) < 0:
            came = select.select([self.socket], [], [], max(0.0, until - time.monotonic()))[0]
            received = self.socket.recv(65536) if came else b""
            assert received, f"nothing more came, and no {content!r}: {self.raw[self._seen :]!r}"
            self.raw += received
        begin, self._seen = self._seen, at + len(content)
        return self.raw[begin : self._seen]

    def enters(self, line_end: bytes = b"\r\n") -> str:
        """Come in under a new name and return it; nothing is answered meanwhile."""
        name, self._seen = next(NAMES), 0
        self.receives(b"By what name shall we know you? ")
        self.sends(name.encode() + line_end)
        self.receives(b"Choose a password: ")
        self.sends(SECRET.encode() + line_end)
        self.receives(b"> ")
        return name

    def shown_until_mark(self) -> str:
        """Return what is shown up to the answer to a timing mark, which comes in its turn."""
        self.sends(telnet(DO, TIMING_MARK))
        return TELNET.sub(b"", self.receives(telnet(WONT, TIMING_MARK))).decode("utf-8")

    def hears(self, line: bytes) -> bytes:
        """Send a line and return the bytes of its answer, up to the prompt."""
        self.sends(line)
        return self.receives(b"> ")


@pytest.fixture
def wire(server: RunningServer) -> Wire:
    """Somebody who has come in and said nothing of their client."""
    wire = Wire(server)
    wire.enters()
    return wire


def telnet(*codes: int) -> bytes:
    return bytes([IAC, *codes])


def subnegotiation(option: int, payload: bytes) -> bytes:
    return telnet(SB, option) + payload + telnet(SE)


# Many clients never acknowledge WONT ECHO.


def test_who_answers_no_negotiation_comes_in_all_the_same(wire):
    assert b"Exits: " in wire.hears(b"look\r\n")


# Each client has a line end of its own.


@pytest.mark.parametrize("end", LINE_ENDS.values(), ids=LINE_ENDS)
@pytest.mark.parametrize("size", [1, 2, 1000])
def test_each_line_end_is_one_in_whatever_pieces_it_comes(server, end, size):
    wire = Wire(server)
    wire.enters(end)
    lines = b"say one" + end + b"say two" + end
    for start in range(0, len(lines), size):
        wire.sends(lines[start : start + size])
    shown = wire.shown_until_mark()
    assert shown.replace("> ", "").replace("\r\n", "\n").split("\n")[-3:] == ['You say, "one"', 'You say, "two"', ""]


@pytest.mark.parametrize("rest", [b"\n", b"\0"])
def test_the_rest_of_a_line_end_that_comes_after_the_answer_is_no_line(wire, rest):
    wire.sends(b"say one\r")
    wire.receives(b'You say, "one"\r\n> ')
    wire.sends(rest + b"say two\r")
    assert TELNET.sub(b"", wire.receives(b"> ")) == b'You say, "two"\r\n> '


# PuTTY opens with DO ECHO and SGA both ways; a server that agrees makes its player blind, or types in their place.


def test_echo_and_character_mode_are_refused_to_who_asks(server):
    asked = telnet(DO, ECHO) + telnet(WILL, SGA) + telnet(DO, SGA) + telnet(WILL, LINEMODE)
    wire = Wire(server, asked + telnet(DO, TIMING_MARK))
    before = wire.receives(telnet(WONT, TIMING_MARK))
    for refusal in (telnet(WONT, ECHO), telnet(DONT, SGA), telnet(WONT, SGA), telnet(DONT, LINEMODE)):
        assert before.count(refusal) == 1
    assert telnet(WILL, ECHO) not in before
    wire.enters()
    for offer in (telnet(WILL, SGA), telnet(DO, SGA), telnet(DO, LINEMODE)):
        assert offer not in wire.raw


def test_what_is_typed_is_hidden_for_the_password_alone(wire):
    changes = [(at[0], at.start()) for at in re.finditer(rb"\xff[\xfb\xfc]\x01", wire.raw)]
    assert [change for change, _ in changes] == [telnet(WILL, ECHO), telnet(WONT, ECHO)]
    assert changes[0][1] < wire.raw.index(b"Choose a password: ") < changes[1][1] < wire.raw.index(b"The Landing")


# Without BINARY a plain telnet loses letters of which a byte is 0x9C.


def test_binary_is_asked_for_and_letters_come_through_whole_with_lf_alone(wire):
    assert telnet(DO, BINARY) in wire.raw
    wire.sends(telnet(WILL, BINARY))
    assert 'You say, "✓ 木 Œ"\r\n'.encode() in wire.hears("say ✓ 木 Œ\n".encode())


# Who has seven bits, by agreement or by nature, is given a likeness.


def test_the_charset_is_agreed_upon_and_text_is_made_to_fit_it(server):
    wire = Wire(server, telnet(DO, CHARSET))
    wire.receives(telnet(WILL, CHARSET))
    wire.receives(subnegotiation(CHARSET, b"\x01;UTF-8;US-ASCII"))
    wire.sends(subnegotiation(CHARSET, b"\x02US-ASCII"))
    wire.enters()
    assert b"You say, \"Cafe -- 'tres bon'\"\r\n" in wire.hears("say Café — ‘très bon’\r\n".encode())


def test_tinyfugue_which_has_seven_bits_is_known_by_its_name(server):
    wire = Wire(server, telnet(WILL, TERMINAL_TYPE))
    wire.receives(subnegotiation(TERMINAL_TYPE, b"\x01"))
    wire.sends(subnegotiation(TERMINAL_TYPE, b"\0TINYFUGUE") + telnet(DONT, CHARSET))
    wire.enters()
    assert b'You say, "hello +"\r\n' in wire.hears("say héllo ✓\r\n".encode())


def test_bytes_that_are_no_utf_8_are_read_as_a_windows_client_means_them(wire):
    assert 'You say, "naïve café"\r\n'.encode() in wire.hears(b"say na\xefve caf\xe9\r\n")
    assert 'You say, "naïve"\r\n'.encode() in wire.hears("say naïve\r\n".encode())  # it has UTF-8 after all
    broken = wire.hears(b"say caf\xe9 \xc3\x28 \xf0\x28\x8c\xbc end\r\n")
    assert 'You say, "caf\ufffd \ufffd( \ufffd(\ufffd\ufffd end"\r\n'.encode() in broken


# TinyFugue itself sends ESC for a letter with an accent.


def test_nothing_that_is_typed_reaches_anybody_as_control(server):
    wire, witness = Wire(server), Wire(server)
    name = wire.enters()
    witness.enters()
    typed = "one\x1b[31m\x07\x9b2J\x0b\x0c\x1e\u202e\u200b\u2028\x85two".encode()
    wire.sends(b"say " + typed + b"\r\n")
    shown = witness.receives(b'"\r\n> ')
    heard = next(
        line for line in TELNET.sub(b"", shown).decode("utf-8").split("\r\n") if line.startswith(f"{name} says")
    )
    assert re.fullmatch(rf'{name} says, "one {{1,6}}two"', heard), heard


# Screen readers: known by what the client says of itself.


def test_a_client_that_is_read_aloud_is_sent_whole_lines_and_sentences(server):
    numbers = count(1)
    wire = Wire(server, telnet(WILL, TERMINAL_TYPE) + telnet(WILL, NAWS) + subnegotiation(NAWS, b"\0\x28\0\x18"))
    for kind in (b"MUDLET", b"ANSI-TRUECOLOR", b"MTTS 333"):
        wire.receives(subnegotiation(TERMINAL_TYPE, b"\x01"))
        wire.sends(subnegotiation(TERMINAL_TYPE, b"\0" + kind))
    wire.enters()
    assert b"Exits: you can go north to Pump Yard, east to Eel Stage or west to Ink Yard.\r\n" in wire.hears(
        b"look\r\n"
    )
    speech = " ".join(f"word {next(numbers)}" for _ in range(60))
    heard_back = wire.hears(f"say {speech}\r\n".encode())
    assert TELNET.sub(b"", heard_back).decode() == f'You say, "{speech}"\r\n> '
    assert b"\x1b" not in wire.raw
    other = Wire(server)
    name = other.enters()
    other.sends(b"say hello\r\nsay again\r\n")
    heard = TELNET.sub(b"", wire.receives(b'again"\r\n')).decode()
    assert heard == f'\r\n{name} wakes up here.\r\n{name} says, "hello"\r\n{name} says, "again"\r\n'
