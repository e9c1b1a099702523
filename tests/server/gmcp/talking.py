"""Somebody at a client that speaks GMCP, for tests."""

from __future__ import annotations

from typing import Any

from server.session.registry import SessionRegistry
from tests.server.fake_connection import Guest

ALL = ("Char 1", "Char.Login 1", "Room 1", "Comm 1", "Fallwater 1")


class Talker(Guest):
    """Takes some packages, and has what it is told looked at."""

    def __init__(self, registry: SessionRegistry, *supports: str, host: str = "127.0.0.1") -> None:
        super().__init__(registry, host)
        self.tells("Core.Hello", {"client": "Mudlet", "version": "4.19.1"})
        self.tells("Core.Supports.Set", list(supports))

    def tells(self, package: str, payload: object = None) -> None:
        """Send a package."""
        self.session.data_received(package, payload)
        self._turn()

    def told(self, package: str = "") -> list[Any]:
        """Return what came of a package since the last time; without one, the names of all that came."""
        self._turn()
        found = self.connection.told[:]
        self.connection.told.clear()
        return [payload for name, payload in found if name == package] if package else [name for name, _ in found]

    def last(self, package: str) -> Any:
        """Return what came last of a package since the last time; it must be there."""
        return self.told(package)[-1]
