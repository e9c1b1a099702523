"""A minimal chat over Twisted: `say` goes to everybody, `look` answers with a fixed room.

No world, no names to look up, no telnet options, no colours, no log: `python -m bench.lib.broadcast_server` prints
its port. It reads lines with Twisted's `LineOnlyReceiver`, in the reactor that Twisted chooses."""

from __future__ import annotations

from typing import Any

from twisted.internet.protocol import Factory, connectionDone
from twisted.protocols.basic import LineOnlyReceiver
from twisted.python.failure import Failure

from bench.lib.crowd import DESCRIPTION, SQUARE

GREETING = b"Your name?"
ROOM = f"{SQUARE}\r\n{DESCRIPTION}\r\nExits: out.\r\n> ".encode()
BACKLOG = 512


class Chatter(LineOnlyReceiver):
    """One connection. Whatever it types that is no `say` is answered with the room."""

    transport: Any

    def __init__(self, everybody: list[Chatter]) -> None:
        self._everybody = everybody
        self._name = b"Caller%d" % len(everybody)

    def connectionMade(self) -> None:
        self.transport.setTcpNoDelay(True)
        self._everybody.append(self)
        self.transport.write(GREETING + b"\r\n")

    def lineReceived(self, line: bytes) -> None:
        verb, _, words = line.partition(b" ")
        if verb != b"say":
            self.transport.write(ROOM)
            return
        heard = b'%s says, "%s"\r\n> ' % (self._name, words)
        for one in self._everybody:
            if one is not self:
                one.transport.write(heard)
        self.transport.write(b'You say, "%s"\r\n> ' % words)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._everybody.remove(self)


def main() -> None:
    """Listen on a free port of this machine until ended."""
    from twisted.internet import reactor  # which is chosen by importing it

    everybody: list[Chatter] = []
    factory = Factory.forProtocol(lambda: Chatter(everybody))
    factory.noisy = False
    twisted: Any = reactor
    port = twisted.listenTCP(0, factory, BACKLOG, "127.0.0.1")
    print(port.getHost().port, flush=True)
    twisted.run()


if __name__ == "__main__":
    main()
