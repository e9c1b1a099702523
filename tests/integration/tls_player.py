"""A player at a socket over TLS."""

from __future__ import annotations

import socket
import ssl
from pathlib import Path

from tests.integration.line_player import HOST, LONG, LinePlayer


class _WholeSocket(ssl.SSLSocket):
    """Returns all that has been decrypted, so that waiting for the socket waits for everything."""

    def recv(self, buflen: int = 1024, flags: int = 0) -> bytes:
        received = super().recv(buflen, flags)
        while self.pending():
            received += super().recv(self.pending())
        return received


class TlsPlayer(LinePlayer):
    """As a `LinePlayer`, over TLS. With `trusted`, the certificate has to be that one, and good for `name`."""

    socket: ssl.SSLSocket

    def __init__(self, port: int, trusted: Path | None = None, name: str = "localhost") -> None:
        context = ssl.create_default_context(cafile=str(trusted) if trusted else None)
        context.sslsocket_class = _WholeSocket
        if trusted is None:
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        super().__init__(port, lambda plain: context.wrap_socket(plain, server_hostname=name))

    @property
    def certificate(self) -> str:
        """The server's certificate in PEM."""
        binary = self.socket.getpeercert(binary_form=True)
        assert binary
        return ssl.DER_cert_to_PEM_cert(binary)


def half_a_handshake(port: int) -> socket.socket:
    """Connect, begin a TLS greeting and say no more."""
    caller = socket.create_connection((HOST, port), timeout=LONG)
    caller.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
    return caller
