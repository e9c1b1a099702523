"""How many functions of `server` `say hello` passes through, from its bytes to those of its answer."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport

from server.connection.input import ConnectionServices
from server.session.session import Session
from server.telnet.parser import Line
from server.telnet.protocol import TelnetProtocol
from tests.server.telnet.conversing import LIMITS, inn_of
from tests.walks import Walk
from world.events import Said

WORD = "hello"
MAX_FUNCTIONS = 24
MAX_FILES = 11


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
    walk = Walk(lambda value: any(WORD in text for text in _texts(value)))

    sys.setprofile(walk)
    try:
        protocol.dataReceived(b"say hello\r\n")
        clock.advance(0)
    finally:
        sys.setprofile(None)

    assert b'You say, "hello"' in transport.value()
    functions = walk.functions_in("server/")
    assert len(functions) <= MAX_FUNCTIONS, sorted(functions)
    assert len({path for path, _ in functions}) <= MAX_FILES, sorted(functions)
