"""What is sent leaves at once while the socket takes it, and in order when it does not."""

from __future__ import annotations

import pytest
from twisted.internet.error import ConnectionLost
from twisted.internet.testing import StringTransport

from server.connection.output import DirectWriter


class Socket:
    """A socket with room for so many bytes; `gone` once the other side has hung up."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.gone = False
        self.content = b""
        self.buffer = StringTransport()
        self.outlet = DirectWriter(self.buffer, self._send_some)

    def _send_some(self, content: bytes) -> int | ConnectionLost:
        if self.gone:
            return ConnectionLost()
        taken = content[: self.room]
        self.content += taken
        self.room -= len(taken)
        return len(taken)


@pytest.mark.parametrize(
    ("room", "sent", "buffered"),
    [(100, b"You see an owl.", b""), (5, b"You s", b"ee an owl."), (0, b"", b"You see an owl.")],
    ids=["all is sent at once", "the rest waits and nothing overtakes it", "without room all waits"],
)
def test_what_the_socket_takes_needs_no_buffer(room, sent, buffered):
    socket = Socket(room)
    socket.outlet.send(b"You see ")
    socket.room += 95 * (room == 5)
    socket.outlet.send(b"an owl.")
    assert (socket.content, socket.buffer.value()) == (sent, buffered)


def test_of_a_lost_connection_the_transport_learns():
    socket = Socket(room=100)
    socket.gone = True
    socket.outlet.send(b"You see an owl.")
    assert socket.buffer.value() == b"You see an owl."


def test_what_is_no_plain_socket_is_sent_to_through_its_buffer():
    transport = StringTransport()
    DirectWriter(transport).send(b"You see an owl.")
    assert transport.value() == b"You see an owl."
