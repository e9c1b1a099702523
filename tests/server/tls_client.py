"""A client that speaks TLS to a factory in memory, with Python's own `ssl`."""

from __future__ import annotations

import ssl
from contextlib import suppress

from twisted.internet.address import IPv4Address

from tests.server.telnet.in_memory import TcpInMemory


class LoginView(TcpInMemory):
    """A connection from another machine."""

    def getPeer(self):
        return IPv4Address("TCP", "203.0.113.5", 40000)


class TlsClient:
    """Connects at once; `greets` makes the handshake. `text` is all that was said to it."""

    def __init__(self, factory, clock, newest=ssl.TLSVersion.TLSv1_3):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.minimum_version, context.maximum_version = ssl.TLSVersion.MINIMUM_SUPPORTED, newest
        context.set_ciphers("ALL:@SECLEVEL=0")
        self.clock = clock
        self._in, self._out = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self._in, self._out)
        self.transport = LoginView()
        self.text = b""
        self.server = factory.buildProtocol(self.transport.getPeer())
        self.server.makeConnection(self.transport)

    def greets(self):
        for _ in range(4):
            with suppress(ssl.SSLWantReadError):
                self.tls.do_handshake()
            self._exchange()
        return self

    def sends(self, content):
        self.tls.write(content)
        self._exchange()
        return self.reads()

    def reads(self):
        """Return what has come since the last time."""
        self.clock.advance(0)
        self._exchange()
        got = b""
        while True:
            try:
                part = self.tls.read(65536)
            except ssl.SSLWantReadError:
                part = b""
            if not part:
                self.text += got
                return got
            got += part

    @property
    def certificate(self):
        return self.tls.getpeercert(binary_form=True)

    def _exchange(self):
        if content := self._out.read():
            self.server.dataReceived(content)
        self._in.write(self.transport.value())
        self.transport.clear()
