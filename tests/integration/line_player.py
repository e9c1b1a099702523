"""A player at a plain socket."""

from __future__ import annotations

import re
import select
import socket
import time
from collections.abc import Callable

HOST = "127.0.0.1"
SECRET = "a long secret"
NAME = "By what name shall we know you? "
LONG = 90.0  # seconds: far more than anything here takes, even on a machine that is busy with other things

_ASK_FOR_MARK, _MARK = b"\xff\xfd\x06", b"\xff\xfc\x06"
_WILL_NOT_SAY_WHAT_IT_IS = b"\xff\xfc\x18"
_TELNET = re.compile(rb"\xff(?:[\xfb-\xfe].|\xfa.*?\xff\xf0|[^\xfa-\xfe])", re.DOTALL)


class LinePlayer:
    """A player at a plain socket: no telnet options, one line at a time. `text` is all that came, without telnet.

    It says at once that it has no terminal type to tell: a name and a password come faster than any client's, and
    of one that might still tell something the first room waits for it.
    """

    def __init__(
        self, port: int, wrap: Callable[[socket.socket], socket.socket] = lambda plain: plain, host: str = HOST
    ) -> None:
        self.socket = wrap(socket.create_connection((HOST, port), LONG, (host, 0)))
        self.socket.sendall(_WILL_NOT_SAY_WHAT_IT_IS)
        self.text = ""
        self.is_closed = False
        self._raw = b""
        self._seen = 0

    def types(self, line: str) -> None:
        """Send one line."""
        self.socket.sendall(line.encode() + b"\n")

    def enters(self, name: str, password: str = SECRET) -> str:
        """Give a name and its password, or choose it; return what is shown up to the first prompt."""
        self.names(name, password)
        return self.expects("\n> ")

    def enters_as_guest(self) -> str:
        """Come in without a name; return what is shown up to the first prompt."""
        self.expects(NAME)
        self.types("guest")
        return self.expects("\n> ")

    def names(self, name: str, password: str = SECRET) -> None:
        """Answer both questions at the door, each as soon as it is asked."""
        self.expects(NAME)
        self.types(name)
        self.expects("assword: ")  # of somebody known, or to be chosen
        self.types(password)
        self.expects("\n")  # which the server shows, because it does not show what is typed

    def looks(self, within: float = LONG) -> float:
        """Look around, wait for the answer, and return how long that took, in seconds."""
        begun = time.monotonic()
        self.types("look")
        self.expects("Exits: ", within)
        self.expects(".\n", within)
        return time.monotonic() - begun

    def asks(self, line: str) -> str:
        """Send a line and return what is shown up to the prompt behind its answer.

        A timing mark (RFC 860) asked for behind the line tells where its answer ends: a prompt before that may stand
        behind what somebody else did meanwhile.
        """
        marks, begin = self._raw.count(_MARK), self._seen
        self.socket.sendall(line.encode() + b"\n" + _ASK_FOR_MARK)
        until = time.monotonic() + LONG
        while self._raw.count(_MARK) == marks:
            if not self.receives(until - time.monotonic()):
                raise AssertionError(f"no answer to {line!r}; since the last: {self.text[self._seen :]!r}")
        self._seen = max(begin, len(without_telnet(self._raw[: self._raw.rindex(_MARK)])))
        if not self.text[begin : self._seen].endswith("> "):
            self.expects("> ")
        return self.text[begin : self._seen]

    def expects(self, text: str, within: float = LONG) -> str:
        """Wait for the text among what has not been looked at yet; return all up to and with it."""
        until = time.monotonic() + within
        while (at := self.text.find(text, self._seen)) < 0:
            if not self.receives(until - time.monotonic()):
                missing = "the connection ended" if self.is_closed else f"{within} s passed"
                raise AssertionError(f"{missing} without {text!r}; since the last: {self.text[self._seen :]!r}")
        begin, self._seen = self._seen, at + len(text)
        return self.text[begin : self._seen]

    def is_shown_out(self, within: float = LONG) -> str:
        """Wait until the server closes the connection and return what it said before."""
        until = time.monotonic() + within
        while self.receives(until - time.monotonic()):
            pass
        assert self.is_closed, f"the connection is still open after {within} s: {self.text[self._seen :]!r}"
        return self.text[self._seen :]

    def receives(self, seconds: float) -> bool:
        """Take in what comes within so many seconds; return whether anything came."""
        if self.is_closed or not select.select([self.socket], [], [], max(0.0, seconds))[0]:
            return False
        try:
            received = self.socket.recv(65536)
        except ConnectionResetError:
            received = b""
        self.is_closed = not received
        self._raw += received
        self.text = without_telnet(self._raw)
        return bool(received)

    def forget(self) -> None:
        """Let go of all that came up to what was looked at last."""
        self.text = self.text[self._seen :]
        self._raw, self._seen = self.text.replace("\n", "\r\n").encode(), 0

    def close(self) -> None:
        """Hang up."""
        self.socket.close()


def without_telnet(raw: bytes) -> str:
    """Return the text in what a server has sent."""
    return _TELNET.sub(b"", raw).decode("utf-8", "replace").replace("\r\n", "\n")
