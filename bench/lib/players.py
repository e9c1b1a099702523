"""Somebody at a plain socket, for benches: comes in with a password, and waits for the answers to looks."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

HOST = "127.0.0.1"
SECRET = "a long secret"
MARK = b"\xff\xf9"
PROMPT = b"> " + MARK


@dataclass(frozen=True)
class Player:
    """A connection that has been let in, or is about to be."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @classmethod
    async def at_the_door(cls, port: int) -> Player:
        """Connect, and wait until a name is asked for."""
        player = cls(*await asyncio.open_connection(HOST, port))
        await player.reader.readuntil(b"? " + MARK)
        return player

    @classmethod
    async def enter(cls, port: int, name: str) -> Player:
        """Connect, give a name and its password, or choose it, and wait for the first prompt."""
        player = await cls.at_the_door(port)
        await player.come_in(name)
        return player

    async def come_in(self, name: str, password: str = SECRET) -> None:
        """Give a name and its password at once, and wait until the room is shown."""
        self.writer.write(f"{name}\r\n{password}\r\n".encode())
        await self._sees_exits()

    async def looks(self, line: str = "look") -> None:
        """Send a line that shows a room, and wait for its prompt."""
        self.writer.write(f"{line}\r\n".encode())
        await self._sees_exits()

    def close(self) -> None:
        """Hang up."""
        self.writer.close()

    async def _sees_exits(self) -> None:
        # What others do is shown too, each with a prompt behind it; only an answer holds the exits.
        seen = b""
        while b"Exits: " not in seen:
            seen = await self.reader.readuntil(PROMPT)
