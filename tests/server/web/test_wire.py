"""WebSocket frames in bounds: whatever a client sends, in whatever pieces."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wsproto import ConnectionType
from wsproto.connection import Connection
from wsproto.events import BytesMessage, CloseConnection, Event, Ping, TextMessage
from wsproto.extensions import PerMessageDeflate

from server.web.wire import (
    MAX_CONTROL_FRAMES,
    MAX_FRAGMENTS,
    MIN_COMPRESSED_BYTES,
    BoundedDeflate,
    CloseReceived,
    HandshakeRefused,
    LastFrame,
    MessageReceived,
    Wire,
    WireEvent,
    open_wire,
)

HEADERS = [
    (b"Host", b"127.0.0.1"),
    (b"Upgrade", b"websocket"),
    (b"Connection", b"Upgrade"),
    (b"Sec-WebSocket-Key", b"dGhlIHNhbXBsZSBub25jZQ=="),
    (b"Sec-WebSocket-Version", b"13"),
]
ONE = (b"Sec-WebSocket-Protocol", b"one")
KEY = b"\x01\x02\x03\x04"


def client(*extensions: PerMessageDeflate) -> Connection:
    return Connection(ConnectionType.CLIENT, list(extensions))


def server(max_message_bytes: int = 1000) -> Wire:
    deflate = BoundedDeflate(max_message_bytes)
    deflate.accept("permessage-deflate")
    return Wire(Connection(ConnectionType.SERVER, [deflate]), LastFrame(), max_message_bytes)


def packing() -> PerMessageDeflate:
    deflate = PerMessageDeflate(True, None, True, None)
    deflate.finalize("permessage-deflate; client_no_context_takeover; server_no_context_takeover")
    return deflate


def arrivals(wire: Wire, *pieces: bytes) -> list[WireEvent]:
    found: list[WireEvent] = []
    for piece in pieces:
        wire.receive(piece)
        while (arrival := wire.next_event()) is not None:
            found.append(arrival)
            if isinstance(arrival, CloseReceived):
                return found
    return found


def raw_frame(opcode: int, payload: bytes, fin: bool = True, rsv1: bool = False, masked: bool = True) -> bytes:
    size = len(payload)
    length = bytes([size | 128 * masked]) if size < 126 else bytes([126 | 128 * masked]) + struct.pack("!H", size)
    body = bytes(byte ^ KEY[at % 4] for at, byte in enumerate(payload)) if masked else payload
    return bytes([fin << 7 | rsv1 << 6 | opcode]) + length + (KEY if masked else b"") + body


@pytest.mark.parametrize("sent", ["", "hello", "é✓" * 20, b"", b"\xff\x00raw"])
def test_a_message_arrives_as_it_was_sent(sent):
    event: Event = TextMessage(sent) if isinstance(sent, str) else BytesMessage(sent)
    assert arrivals(server(), client().send(event)) == [MessageReceived(sent)]


@given(st.text(max_size=300), st.integers(1, 9))
def test_it_arrives_the_same_in_whatever_pieces(text, size):
    content = client(packing()).send(TextMessage(text))
    pieces = [content[at : at + size] for at in range(0, len(content), size)]
    assert arrivals(server(5000), *pieces) == [MessageReceived(text)]


@given(st.binary(max_size=400))
def test_garbage_closes_and_never_raises(content):
    for arrival in arrivals(server(), content):
        assert isinstance(arrival, MessageReceived | CloseReceived)


def test_a_message_of_too_many_bytes_is_refused_before_all_of_it_has_come():
    wire, frame = server(1000), client().send(BytesMessage(b"x" * 60_000))
    [closed] = [one for one in arrivals(wire, frame[:4000]) if isinstance(one, CloseReceived)]
    assert (closed.code, closed.reason) == (1009, "a message of more than 1000 bytes")


def test_the_bytes_of_a_text_count_and_not_its_letters():
    [closed] = arrivals(server(10), client().send(TextMessage("✓✓✓✓")))
    assert isinstance(closed, CloseReceived) and closed.code == 1009


def test_what_unpacks_to_too_much_is_refused_without_unpacking_it_all():
    bomb = client(packing()).send(BytesMessage(bytes(20_000_000)))
    assert len(bomb) < 30_000
    [closed] = [one for one in arrivals(server(1000), bomb) if isinstance(one, CloseReceived)]
    assert closed.code == 1009


def test_what_is_packed_badly_is_refused():
    [closed] = arrivals(server(), raw_frame(2, b"\xff\xff\xff\xff", rsv1=True))
    assert isinstance(closed, CloseReceived) and closed.code == 1007


def test_a_message_may_come_in_some_fragments_and_not_in_many():
    sender = client()
    few = [
        sender.send(TextMessage("a", message_finished=number == MAX_FRAGMENTS - 1)) for number in range(MAX_FRAGMENTS)
    ]
    assert arrivals(server(), *few) == [MessageReceived("a" * MAX_FRAGMENTS)]
    many = [client().send(TextMessage("", message_finished=False))] + [raw_frame(0, b"", fin=False)] * MAX_FRAGMENTS
    closed = arrivals(server(), *many)[-1]
    assert isinstance(closed, CloseReceived) and (closed.code, closed.reason) == (
        1008,
        "a message in more than 16 fragments",
    )


def test_pings_are_answered_and_a_flood_of_them_is_not():
    wire = server()
    assert arrivals(wire, client().send(Ping(b"abc"))) == []
    assert wire.answers() == b"\x8a\x03abc"
    assert wire.answers() == b""
    [*_, closed] = arrivals(wire, client().send(Ping()) * MAX_CONTROL_FRAMES)
    assert isinstance(closed, CloseReceived) and closed.code == 1008


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (raw_frame(1, b"\xff\xfe"), 1007),  # no UTF-8
        (raw_frame(1, "é".encode()[:1]), 1007),  # half a letter
        (raw_frame(1, b"x", masked=False), 1002),
        (raw_frame(3, b"x"), 1002),  # an opcode that is none
        (raw_frame(0, b"x"), 1002),  # goes on with nothing
        (raw_frame(9, b"x", fin=False), 1002),  # half a ping
        (raw_frame(1, b"a", fin=False) + raw_frame(1, b"b"), 1002),  # a message inside another
        (raw_frame(8, b"\x03"), 1002),  # half a close code
        (raw_frame(8, struct.pack("!H", 1006)), 1002),  # a code that nobody may send
        (bytes([0x82, 0xFF]) + b"\xff" * 8 + KEY, 1002),  # a length beyond all
    ],
)
def test_broken_frames_close_with_the_code_that_says_why(content, code):
    [*_, closed] = arrivals(server(), content)
    assert isinstance(closed, CloseReceived) and closed.code == code


def test_a_close_is_answered():
    wire = server()
    assert arrivals(wire, client().send(CloseConnection(1000, "bye"))) == [CloseReceived(1000, "bye")]
    assert wire.close(1000, "")[:4] == b"\x88\x02\x03\xe8"
    assert wire.close(1000, "") == b""


def test_only_long_messages_are_packed():
    wire, receiver = server(), client(packing())
    short, long = b"x" * (MIN_COMPRESSED_BYTES - 1), b"x" * MIN_COMPRESSED_BYTES
    assert len(wire.text(short)) > len(short) > len(wire.text(long))
    receiver.receive_data(wire.text(short) + wire.text(long) + wire.text(long))
    assert [event.data for event in receiver.events() if isinstance(event, TextMessage)] == [
        short.decode(),
        long.decode(),
        long.decode(),
    ]


def test_one_message_for_many_is_packed_once_for_all_who_agreed_on_the_same():
    packed, long = LastFrame(), b"y" * MIN_COMPRESSED_BYTES

    def opened(*more: tuple[bytes, bytes]) -> Wire:
        return open_wire([*HEADERS, ONE, *more], b"/socket", ("one",), packed).wire

    offer = (b"Sec-WebSocket-Extensions", b"permessage-deflate")
    small = (b"Sec-WebSocket-Extensions", b"permessage-deflate; server_max_window_bits=9")
    one, other, plain, smaller = opened(offer), opened(offer), opened(), opened(small)
    frame = one.text(long)
    assert other.text(long) is frame
    assert plain.text(long)[-len(long) :] == long
    assert smaller.text(long) is not frame
    assert one.text(long + b"z") != one.text(long) == frame


def test_the_handshake_takes_the_first_subprotocol_of_ours_that_is_offered():
    opened = open_wire(
        [*HEADERS, (b"Sec-WebSocket-Protocol", b"other, two, one")], b"/socket", ("one", "two"), LastFrame()
    )
    assert opened.subprotocol == "one"
    assert b"sec-websocket-protocol: one\r\n" in opened.answer.lower()
    assert b"s3pplmbitxaq9kygzzhzrbk+xoo=" in opened.answer.lower()


def test_compression_is_agreed_on_without_memory_between_messages():
    offer = (b"Sec-WebSocket-Extensions", b"permessage-deflate; client_max_window_bits")
    opened = open_wire([*HEADERS, ONE, offer], b"/socket", ("one",), LastFrame())
    assert b"client_no_context_takeover; server_no_context_takeover" in opened.answer
    packed = client(packing()).send(TextMessage("x" * 900))
    assert arrivals(opened.wire, packed, packed) == [MessageReceived("x" * 900)] * 2


@pytest.mark.parametrize(
    "headers",
    [
        HEADERS,  # no subprotocol
        [*HEADERS, (b"Sec-WebSocket-Protocol", b"other")],
        [*HEADERS[1:], ONE],
        [*HEADERS[:4], (b"Sec-WebSocket-Version", b"8"), ONE],
        [*HEADERS, ONE, (b"Sec-WebSocket-Extensions", b"permessage-deflate; server_max_window_bits=x")],
        [*HEADERS, ONE, (b"bad header", b"\x00")],
    ],
)
def test_what_is_no_handshake_is_refused(headers):
    with pytest.raises(HandshakeRefused):
        open_wire(headers, b"/socket", ("one",), LastFrame())
