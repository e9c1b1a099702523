"""How many functions `say hello` passes through, from its bytes to those of its answer."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport

from server.connection.input import ConnectionServices
from server.session.session import Session
from server.telnet.parser import Line
from server.telnet.protocol import TelnetProtocol
from tests.server.telnet.conversing import LIMITS, inn_of
from world.events import Said

ROOT = Path(__file__).parents[3]
WORD = "hello"
MAX_FUNCTIONS = 26
MAX_FILES = 11


class Walk:
    """The functions of `server` that take or return the word, or call one that does, with their files."""

    def __init__(self) -> None:
        self.functions: set[tuple[str, str]] = set()
        self._stack: list[tuple[str, str]] = []

    def __call__(self, frame: FrameType, event: str, result: object) -> None:
        code = frame.f_code
        path = Path(code.co_filename)
        if event not in ("call", "return") or not path.is_relative_to(ROOT):
            return
        if event == "call":
            self._stack.append((path.relative_to(ROOT).as_posix(), code.co_qualname))
            self._note([frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount]])
        elif self._stack:
            self._note(result)
            self._stack.pop()

    def _note(self, value: object) -> None:
        if any(WORD in text for text in _texts(value)):
            self.functions |= {(path, name) for path, name in self._stack if path.startswith("server/")}


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, (str, bytes, Said, Line)):
        yield value if isinstance(value, str) else repr(value)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _texts(one)


def test_a_line_and_its_answer_pass_through_few_functions(tmp_path):
    clock, transport = Clock(), StringTransport()
    protocol = TelnetProtocol(Session(inn_of(tmp_path, clock)), ConnectionServices(clock), LIMITS)
    protocol.makeConnection(transport)
    for line in (b"guest\r\n", b"say good morning\r\n"):
        protocol.dataReceived(line)
        clock.advance(1)
    transport.clear()
    walk = Walk()

    sys.setprofile(walk)
    try:
        protocol.dataReceived(b"say hello\r\n")
        clock.advance(0)
    finally:
        sys.setprofile(None)

    assert b'You say, "hello"' in transport.value()
    functions = {(path, name) for path, name in walk.functions if "comp>" not in name and "genexpr>" not in name}
    assert len(functions) <= MAX_FUNCTIONS, sorted(functions)
    assert len({path for path, _ in functions}) <= MAX_FILES, sorted(functions)
