"""A whole world on a disk that is real and a clock that is not, for those who watch it."""

from __future__ import annotations

import errno
import random
from pathlib import Path
from typing import Any

from agents.memory.strategy import loaded_strategies
from server.accounts.database import AccountDatabase
from server.accounts.store import AccountStore
from server.app import Fallwater
from server.clock import Runtime
from tests.server.front_door import NOW_MS
from vault.atomic_write import Disk
from vault.vault import Vault, open_vault

FULL = OSError(errno.ENOSPC, "No space left on device")


class FillingDisk(Disk):
    """A disk on which there is room until it `is_full`."""

    def __init__(self) -> None:
        self.is_full = False

    def append(self, descriptor: int, line: bytes) -> None:
        self._need_room()
        super().append(descriptor, line)

    def write_draft(self, draft: Path, text: bytes, durable: bool) -> None:
        self._need_room()
        super().write_draft(draft, text, durable)

    def check_room(self, folder: Path) -> None:
        self._need_room()
        super().check_room(folder)

    def _need_room(self) -> None:
        if self.is_full:
            raise FULL


def world_of(folder: Path, reactor: Any, disk: Disk | None = None) -> Fallwater:
    """Return a world made of the starter vault in `folder/world`; nothing of it runs."""
    open_vault(folder / "world")
    vault = Vault(folder / "world", disk)
    accounts = AccountStore(AccountDatabase(folder / "accounts", in_memory=True))
    settings, said = loaded_strategies().load_settings(vault), list[str]()
    runtime = Runtime(reactor, random.Random(1), lambda: NOW_MS, said.append, lambda call: call())
    return Fallwater(vault, settings, runtime, accounts)
