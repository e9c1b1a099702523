"""Where what is sent leaves: straight into the socket while it takes all, or else into the transport's buffer."""

from __future__ import annotations

from collections.abc import Callable

from twisted.internet.tcp import Connection

from server.telnet.interface import Transport

SendSome = Callable[[bytes], object]
"""Sends what a socket takes at once, and returns how many bytes that are, or an exception if the connection is lost."""


class Outlet:
    """Sends to one transport, in order.

    The transport's own way is a turn of the reactor longer and asks the system three times, for one piece of text. So
    a client that reads is sent to directly. One that was once behind goes that way from then on: what is in the
    buffer must not be overtaken. So does TLS.
    """

    __slots__ = ("_send_some", "_transport")

    def __init__(self, transport: Transport, send_some: SendSome | None = None) -> None:
        self._transport = transport
        if send_some is None and isinstance(transport, Connection) and not transport.TLS:
            send_some = transport.writeSomeData
        self._send_some = send_some

    def send(self, content: bytes) -> None:
        """Send all of it, now or when the client has read what came before."""
        if self._send_some is not None:
            sent = self._send_some(content)
            if sent == len(content):
                return
            self._send_some = None
            content = content[sent:] if isinstance(sent, int) else content  # a loss is the transport's to notice
        self._transport.write(content)
