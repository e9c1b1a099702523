"""Bytes to events: every line end, every malformation, in any portions, within bounds."""

from __future__ import annotations

import logging

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from twisted.internet.task import Clock

from server.telnet.parser import (
    AYT,
    BRK,
    DO,
    DONT,
    EC,
    ECHO,
    EL,
    EOF,
    IAC,
    NOP,
    SB,
    SE,
    TERMINAL_TYPE,
    WILL,
    WINDOW_SIZE,
    WONT,
    Command,
    Event,
    Line,
    LineTooLong,
    Negotiation,
    Subnegotiation,
    TelnetParser,
)
from tests.hostile import hostile_input
from tests.server.telnet.conversing import heard, inn_of

LIMIT = 12
# Bytes that matter are likely, so that every state and every limit is reached often.
STREAM = st.lists(
    st.sampled_from([IAC, IAC, IAC, SB, SE, WILL, WONT, DO, DONT, EC, EL, NOP, EOF, 13, 10, 0, 8, 97, 31])
    | st.integers(0, 255),
    max_size=120,
).map(bytes)


def events(*chunks: bytes) -> list[Event]:
    parser = TelnetParser(max_line_bytes=LIMIT, max_subnegotiation_bytes=LIMIT)
    found = []
    for chunk in chunks:
        parser.receive(chunk)
        while (event := parser.next_event()) is not None:
            found.append(event)
    return found


def one_by_one(stream: bytes) -> list[bytes]:
    return [bytes([byte]) for byte in stream]


SIZE = bytes([IAC, SB, WINDOW_SIZE])
TYPE = bytes([IAC, SB, TERMINAL_TYPE])
END = bytes([IAC, SE])
LOOK, NORTH = Line(b"look"), Line(b"north")
FOUND: dict[str, tuple[bytes, list[Event]]] = {
    **{
        f"{end!r} ends a line, also an empty one": (b"look" + end + end + b"north" + end, [LOOK, Line(b""), NORTH])
        for end in (b"\r\n", b"\n", b"\r\0", b"\r")
    },
    "a command between CR and LF makes no second line": (
        b"look\r" + bytes([IAC, NOP]) + b"\nnorth\n",
        [LOOK, Command(NOP), NORTH],
    ),
    "a 255 that was not doubled is dropped and the line still ends": (b"a\xff\nb\xffc\n", [Line(b"a"), Line(b"bc")]),
    "erase character is left in the line as a backspace": (b"lookk" + bytes([IAC, EC]) + b"\n", [Line(b"lookk\b")]),
    "erase line begins the line again": (b"drop all" + bytes([IAC, EL]) + b"look\n", [LOOK]),
    "erasing a line that was too long forgives it": (
        b"x" * 100 + bytes([IAC, EL]) + b"look\n",
        [LineTooLong(LIMIT), LOOK],
    ),
    "a subnegotiation has its option and its payload, and a doubled 255 is one": (
        b"lo" + SIZE + bytes([0, IAC, IAC, 0, 24]) + END + b"ok\n",
        [Subnegotiation(WINDOW_SIZE, b"\0\xff\0\x18"), LOOK],
    ),
    "a 255 forgotten inside a subnegotiation is kept": (
        SIZE + bytes([0, 255, 0, 24]) + END,
        [Subnegotiation(WINDOW_SIZE, b"\0\xff\0\x18")],
    ),
    "an empty subnegotiation is nothing": (bytes([IAC, SB]) + END + b"look\n", [LOOK]),
    "a subnegotiation without payload has an empty one": (TYPE + END, [Subnegotiation(TERMINAL_TYPE, b"")]),
    "a nested subnegotiation replaces the unclosed one": (
        TYPE + b"\0" + SIZE + b"\1" + END,
        [Subnegotiation(WINDOW_SIZE, b"\1")],
    ),
    **{
        f"a negotiation ({verb}) inside an unclosed subnegotiation is heard": (
            TYPE + bytes([0, 65, IAC, verb, ECHO]) + b"look\n",
            [Negotiation(verb, ECHO), LOOK],
        )
        for verb in (WILL, WONT, DO, DONT)
    },
    "a line at the limit is a line": (b"x" * LIMIT + b"\n", [Line(b"x" * LIMIT)]),
    "a line beyond the limit is none": (b"x" * (LIMIT + 1) + b"\n", [LineTooLong(LIMIT)]),
    "a line too long is reported once and the next is heard": (
        b"x" * 200 + b"still the same\r\nlook\r\n",
        [LineTooLong(LIMIT), LOOK],
    ),
    "a subnegotiation at the limit is heard": (
        TYPE + b"x" * LIMIT + END,
        [Subnegotiation(TERMINAL_TYPE, b"x" * LIMIT)],
    ),
    "a subnegotiation beyond it is dropped": (TYPE + b"x" * 100 + END + b"look\n", [LOOK]),
    "a break is only a command": (bytes([IAC, BRK, IAC, AYT]), [Command(BRK), Command(AYT)]),
}


@pytest.mark.parametrize(("stream", "expected"), FOUND.values(), ids=FOUND)
def test_bytes_are_these_events_in_any_portions(stream, expected):
    assert events(stream) == expected
    assert events(*one_by_one(stream)) == expected


@pytest.mark.parametrize("verb", [WILL, WONT, DO, DONT])
@pytest.mark.parametrize("option", [0, ECHO, 200, SE, IAC])
def test_a_negotiation_has_a_verb_and_any_option(verb, option):
    assert events(b"lo" + bytes([IAC, verb, option]) + b"ok\n") == [Negotiation(verb, option), Line(b"look")]


@pytest.mark.parametrize("code", range(EOF, EC))
def test_other_commands_are_told_and_never_break_the_line(code):
    assert events(b"lo" + bytes([IAC, code]) + b"ok\n") == [Command(code), Line(b"look")]


def test_what_is_not_taken_waits():
    parser = TelnetParser()
    parser.receive(b"one\ntwo\nth")
    assert parser.next_event() == Line(b"one")
    parser.receive(b"ree\n")
    assert [parser.next_event() for _ in range(3)] == [Line(b"two"), Line(b"three"), None]


@given(st.lists(STREAM, max_size=6))
def test_the_same_bytes_make_the_same_events_in_any_portions(chunks):
    assert events(*chunks) == events(b"".join(chunks))


@given(STREAM)
def test_nothing_that_comes_out_is_longer_than_its_limit(stream):
    for event in events(stream):
        match event:
            case Line(content=held) | Subnegotiation(payload=held):
                assert len(held) <= LIMIT


@given(STREAM, st.sampled_from([b"\r\n", b"\n"]))
def test_a_line_is_still_heard_after_any_bytes_once_an_open_command_is_closed(stream, end):
    close = bytes([IAC, SE, NOP, IAC, SE]) + end + end
    assert events(stream + close + b"look" + end)[-1] == Line(b"look")


def test_bytes_of_the_high_half_pass_unharmed_when_255_is_doubled():
    every = bytes(byte for byte in range(1, 255) if byte not in b"\r\n")
    parser = TelnetParser()
    parser.receive(every + b"\xff\xff\n")
    assert parser.next_event() == Line(every + b"\xff")


_IAC = st.sampled_from([bytes([255, code]) for code in range(236, 256)])
_OPTIONS = (0, 1, 3, 24, 25, 31, 39, 42, 69, 70, 85, 86, 87, 91, 200, 201, 255)
_OPTION = st.sampled_from([bytes([code]) for code in _OPTIONS])
_PIECES = st.one_of(
    _IAC,
    _OPTION,
    st.builds(lambda verb, option: bytes([255, verb]) + option, st.integers(250, 254), _OPTION),
    st.builds(lambda option, body: b"\xff\xfa" + option + body + b"\xff\xf0", _OPTION, st.binary(max_size=12)),
    st.sampled_from([b"\r", b"\n", b"\r\n", b"\r\0", b"\b", b"\x7f", b"look\r\n", b"say hi\n", b"quit\n", b"x" * 300]),
    hostile_input.map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.binary(max_size=6),
)
STREAMS = st.lists(_PIECES, max_size=25).map(b"".join)


@pytest.fixture(scope="module")
def inn(tmp_path_factory):
    clock = Clock()
    return inn_of(tmp_path_factory.mktemp("inn"), clock), clock


@example(stream=b"x" * 600 + b"\xff\xf8\r", portion=40)
@given(stream=STREAMS, portion=st.integers(1, 40))
def test_the_same_is_heard_whole_in_parts_and_byte_by_byte(inn, stream, portion):
    lobby, clock = inn
    for greeting in (b"", b"guest\r\n"):
        whole = heard(greeting + stream, len(greeting + stream) or 1, lobby, clock)
        assert heard(greeting + stream, portion, lobby, clock) == whole
        assert heard(greeting + stream, 1, lobby, clock) == whole


@given(stream=STREAMS)
def test_no_bytes_are_a_failure(inn, stream):
    lobby, clock = inn
    failures: list[logging.LogRecord] = []

    class Catching(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            failures.append(record)

    catching = Catching(logging.ERROR)
    logging.getLogger().addHandler(catching)
    try:
        heard(b"guest\n" + stream, 7, lobby, clock)
    finally:
        logging.getLogger().removeHandler(catching)
    assert not failures
