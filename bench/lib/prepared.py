"""Worlds prepared in bulk for benches: accounts, people who type, and long journals."""

from __future__ import annotations

import asyncio
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from server.accounts.database import AccountDatabase, default_folder
from server.accounts.passwords import Argon2
from server.accounts.schema import Account
from vault.entities.schema import save_entity
from vault.memory.segment import MAX_ENTRIES_PER_FILE, header, segment_name
from vault.vault import Vault
from world.entities import Character

HOST = "127.0.0.1"
SECRET = "a long secret"
MARK = b"\xff\xf9"
PROMPT = b"> " + MARK

_LETTERS = "abdefghkopstuyz"
"""No two names of these look alike."""

SECONDS_APART = 20


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


def caller_name(number: int) -> str:
    """Return the name of an account by its number, from 0 to 50,624."""
    base = len(_LETTERS)
    return "Ca" + "".join(_LETTERS[number // base**place % base] for place in range(4))


def prepare_people(vault: Path, count: int, room_id: str) -> None:
    """Give so many people an account and a note, as if they had been here before."""
    prepare_accounts(vault, count)
    for number in range(count):
        save_entity(Vault(vault), Character(caller_name(number), room_id))


def prepare_accounts(vault: Path, count: int) -> None:
    """Put so many accounts into the database of a vault, straight and in one transaction.

    All have the password SECRET and one hash of it, at its real cost: to check it takes a login as long as any.
    """
    kept = Argon2().hash(SECRET)
    with closing(AccountDatabase(default_folder(vault))) as database, database.transaction():
        for number in range(count):
            created = "2026-11-22T00:00:00+00:00"
            database.put_account(Account(caller_name(number), "player", kept, created=created, last_seen=created))


def write_journal(agent: Path, memories: int, newest_ms: int) -> None:
    """Write so many memories, 20 seconds apart, of which the newest is from `newest_ms`."""
    folder = agent / "journal"
    folder.mkdir(parents=True, exist_ok=True)
    lines: list[str] = []
    opened, part = "", 1
    for seq in range(1, memories + 1):
        at_ms = newest_ms - (memories - seq) * SECONDS_APART * 1000
        moment = datetime.fromtimestamp(at_ms / 1000, UTC)
        day = f"{moment:%Y-%m-%d}"
        part = 1 if day != opened[:10] else part + (len(lines) > MAX_ENTRIES_PER_FILE)
        name = segment_name(day, part)
        if name != opened:
            _close(folder, opened, lines)
            lines, opened = [header(agent.name, name[:10], seq).rstrip("\n")], name
        text = f'Moss says, "This is stone {seq} of my wall, and the river is {seq % 90} inches high."'
        lines.append(f"- {moment:%H:%M:%S}.{at_ms % 1000:03} observed · The Landing · {text} [with:: Moss] ^m{seq}")
    _close(folder, opened, lines)


def _close(folder: Path, name: str, lines: list[str]) -> None:
    if lines:
        (folder / name).write_text("\n".join([*lines, ""]), encoding="utf-8")
