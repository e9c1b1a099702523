"""WebSocket frames with limits: bytes to messages and back, by wsproto, without a socket."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wsproto import ConnectionType
from wsproto.connection import Connection, ConnectionState
from wsproto.events import AcceptConnection, BytesMessage, CloseConnection, Event, Ping, Pong, TextMessage
from wsproto.extensions import PerMessageDeflate
from wsproto.frame_protocol import CloseReason, FrameDecoder, FrameProtocol, Opcode, RsvBits
from wsproto.handshake import H11Handshake

MAX_MESSAGE_BYTES = 64 * 1024
MAX_FRAGMENTS = 16
MAX_CONTROL_FRAMES = 64
"""Maximum number of pings, pongs and empty pieces of a client between two messages."""
MIN_COMPRESSED_BYTES = 1400
"""Minimum length of a message that is packed: a shorter one takes one packet either way."""
_WHOLE = 0x80
"""The bit of a frame that holds a whole message."""
_TWO_BYTE_LENGTH = 126
"""The length field of a frame whose length takes two bytes; smaller lengths stand in the field themselves."""


@dataclass(frozen=True)
class MessageReceived:
    """A whole message. `content` is text from a text frame, bytes from a binary one."""

    content: str | bytes


@dataclass(frozen=True)
class CloseReceived:
    """The client closes, or has broken a rule: `code` is what it is answered, `reason` says it for the log."""

    code: int
    reason: str


WireEvent = MessageReceived | CloseReceived


class HandshakeRefused(Exception):
    """The request asks for no WebSocket that can be opened here."""


class BoundedDeflate(PerMessageDeflate):
    """permessage-deflate that keeps nothing between messages, packs only long ones and unpacks only so much."""

    def __init__(self, max_message_bytes: int) -> None:
        super().__init__(client_no_context_takeover=True, server_no_context_takeover=True)
        self._max_message_bytes = max_message_bytes
        self._unpacked = 0

    def frame_inbound_payload_data(self, proto: FrameDecoder | FrameProtocol, data: bytes) -> bytes | CloseReason:
        if not self._inbound_compressed or not self._inbound_is_compressible or self._decompressor is None:
            return data
        try:
            unpacked = self._decompressor.decompress(bytes(data), self._max_message_bytes - self._unpacked + 1)
        except zlib.error:
            return CloseReason.INVALID_FRAME_PAYLOAD_DATA
        self._unpacked += len(unpacked)
        return CloseReason.MESSAGE_TOO_BIG if self._unpacked > self._max_message_bytes else unpacked

    def frame_inbound_complete(self, proto: FrameDecoder | FrameProtocol, fin: bool) -> bytes | CloseReason | None:
        if fin and self._inbound_is_compressible:
            self._unpacked = 0
        return super().frame_inbound_complete(proto, fin)

    def frame_outbound(
        self, proto: FrameDecoder | FrameProtocol, opcode: Opcode, rsv: RsvBits, data: bytes, fin: bool
    ) -> tuple[RsvBits, bytes]:
        if len(data) < MIN_COMPRESSED_BYTES:
            return rsv, data
        return super().frame_outbound(proto, opcode, rsv, data, fin)


class LastFrame:
    """Packs messages, and one that is sent to many, one after the other, only once."""

    def __init__(self) -> None:
        self._packed: tuple[object, bytes] = (None, b"")

    def frame(self, opcode: Opcode, content: bytes, proto: FrameProtocol) -> bytes:
        """Return the frame of a message, packed as far as was agreed on; nothing of one message is left in the next."""
        windows = [one.server_max_window_bits for one in proto.extensions if isinstance(one, PerMessageDeflate)]
        key = opcode, content, windows
        if self._packed[0] != key:
            self._packed = key, bytes(proto._serialize_frame(opcode, content))
        return self._packed[1]


class Wire:
    """One WebSocket connection after its handshake.

    Feed it with `receive`, then take `next_event` until that is None. After a `CloseReceived` there is nothing more.
    """

    def __init__(self, connection: Connection, packed: LastFrame, max_message_bytes: int = MAX_MESSAGE_BYTES) -> None:
        self._connection = connection
        self._packed = packed
        self._max_message_bytes = max_message_bytes
        self._parts: list[str | bytes] = []
        self._part_bytes = 0
        self._fragments = 1
        self._control_frames = 0
        self._answers: list[bytes] = []

    def receive(self, data: bytes) -> None:
        """Take bytes in."""
        if self._connection.state is ConnectionState.OPEN or self._connection.state is ConnectionState.LOCAL_CLOSING:
            self._connection.receive_data(data)

    def next_event(self) -> WireEvent | None:
        """Return the next message or close, None if neither has come whole."""
        for event in self._connection.events():
            if arrival := self._event_of(event):
                return arrival
        return None

    def answers(self) -> bytes:
        """Return the bytes to send back automatically: pongs."""
        content, self._answers = b"".join(self._answers), []
        return content

    def text(self, content: bytes) -> bytes:
        """Return the frame of a text message, given in UTF-8."""
        return self._frame(Opcode.TEXT, content)

    def binary(self, content: bytes) -> bytes:
        """Return the frame of a binary message."""
        return self._frame(Opcode.BINARY, content)

    def ping(self) -> bytes:
        """Return a ping."""
        return self._connection.send(Ping())

    def close(self, code: int, reason: str) -> bytes:
        """Return the frame that closes, empty if that was sent already."""
        if self._connection.state not in (ConnectionState.OPEN, ConnectionState.REMOTE_CLOSING):
            return b""
        return self._connection.send(CloseConnection(code, reason))

    def _frame(self, opcode: Opcode, content: bytes) -> bytes:
        size = len(content)
        if size >= MIN_COMPRESSED_BYTES:
            return self._packed.frame(opcode, content, self._connection._proto)
        if size < _TWO_BYTE_LENGTH:
            return bytes((_WHOLE | opcode, size)) + content
        return bytes((_WHOLE | opcode, _TWO_BYTE_LENGTH)) + size.to_bytes(2, "big") + content

    def _event_of(self, event: Event) -> WireEvent | None:
        match event:
            case TextMessage() | BytesMessage():
                return self._piece(event)
            case CloseConnection(code=code, reason=reason):
                return CloseReceived(int(code), reason or "")
            case Ping():
                self._answers.append(self._connection.send(event.response()))
                return self._count_control()
            case Pong():
                return self._count_control()
        return None

    def _piece(self, event: TextMessage | BytesMessage) -> WireEvent | None:
        content = event.data if isinstance(event, TextMessage) else bytes(event.data)
        self._part_bytes += len(content) if isinstance(content, bytes) else len(content.encode())
        if self._part_bytes > self._max_message_bytes:
            return CloseReceived(CloseReason.MESSAGE_TOO_BIG, f"a message of more than {self._max_message_bytes} bytes")
        if content:
            self._parts.append(content)
        if not event.message_finished:
            self._fragments += event.frame_finished
            if self._fragments > MAX_FRAGMENTS:
                return CloseReceived(CloseReason.POLICY_VIOLATION, f"a message in more than {MAX_FRAGMENTS} fragments")
            return None
        if not event.frame_finished:
            return None
        is_text = isinstance(event, TextMessage)
        whole: str | bytes = "".join(map(str, self._parts)) if is_text else b"".join(map(bytes, self._parts))  # type: ignore[arg-type]
        self._parts, self._part_bytes, self._fragments, self._control_frames = [], 0, 1, 0
        return MessageReceived(whole)

    def _count_control(self) -> CloseReceived | None:
        self._control_frames += 1
        if self._control_frames > MAX_CONTROL_FRAMES:
            return CloseReceived(
                CloseReason.POLICY_VIOLATION, f"more than {MAX_CONTROL_FRAMES} pings without a message"
            )
        return None


@dataclass(frozen=True)
class Opened:
    """A handshake that was accepted: what is to be sent, the wire behind it, and which subprotocol was agreed on."""

    answer: bytes
    wire: Wire
    subprotocol: str


def open_wire(
    headers: Sequence[tuple[bytes, bytes]], path: bytes, subprotocols: Sequence[str], packed: LastFrame
) -> Opened:
    """Accept a request for a WebSocket with the first of our `subprotocols` that it offers.

    Output to several sockets, one after the other, is packed once for all that share `packed`.
    Raises: HandshakeRefused if it is none, or offers no subprotocol that is spoken here.
    """
    handshake = H11Handshake(ConnectionType.SERVER)
    try:
        handshake.initiate_upgrade_connection(list(headers), path)
        offered = [name for event in _requests(handshake) for name in event]
        chosen = next((name for name in subprotocols if name in offered), "")
        if not chosen:
            raise HandshakeRefused(f"offers no subprotocol that is spoken here: {', '.join(offered)[:200] or 'none'}")
        deflate = BoundedDeflate(MAX_MESSAGE_BYTES)
        answer = handshake.send(AcceptConnection(subprotocol=chosen, extensions=[deflate]))
    except HandshakeRefused:
        raise
    except Exception as error:  # wsproto's, h11's and those of int() on what a client has written
        raise HandshakeRefused(f"is no WebSocket handshake: {error}") from error
    if handshake.connection is None:
        raise HandshakeRefused("is no WebSocket handshake")
    return Opened(answer, Wire(handshake.connection, packed), chosen)


def _requests(handshake: H11Handshake) -> Iterator[Sequence[str]]:
    for event in handshake.events():
        yield getattr(event, "subprotocols", ())
