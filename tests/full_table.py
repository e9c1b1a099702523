"""The table of every command there is, as the server makes it for a new world."""

from __future__ import annotations

import random
import tempfile
from functools import cache
from pathlib import Path

from twisted.internet.task import Clock

from server.accounts.database import AccountDatabase
from server.accounts.store import AccountStore
from server.app import Fallwater
from server.clock import Runtime
from tests.server.front_door import NOW_MS
from vault.config_notes import load_settings
from vault.vault import open_vault
from world.command import CommandTable


@cache
def full_table() -> CommandTable:
    """Return the commands of the world, of agents and of the server, with what the starter vault says of them."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        vault, _ = open_vault(root / "world")
        accounts = AccountStore(AccountDatabase(root, in_memory=True))
        rng, said = random.Random(1), list[str]()
        runtime = Runtime(Clock(), rng, lambda: NOW_MS, said.append, lambda call: call())
        made = Fallwater(vault, load_settings(vault), runtime, accounts)
        made.agents.close()
        made.accounts.close()
        return made.game.commands
