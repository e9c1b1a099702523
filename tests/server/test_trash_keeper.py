"""The trash is emptied by age, and with it goes what leads to rooms that have been gone as long."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from twisted.internet.task import Clock

from config.settings import WorldSettings
from server.trash_keeper import TrashKeeper
from tests.vault.vault_of import files, vault_of
from vault.entities.load import load_world
from world.commands.table import world_commands
from world.game import Game

DAY = 86400
NOTES = {
    "rooms/Hall.md": "A hall.\n\n## Exits\n- **up**: [[Attic]]\n- **down**: [[Cellar]]\n",
    ".trash/rooms/Attic.md": "Dust.\n",
    ".trash/rooms/Cellar.md": "Damp.\n",
    ".trash/things/lamp.md": "A lamp.\n",
}


@pytest.mark.parametrize("days", [0, 30])
def test_notes_and_closed_exits_go_after_trash_days(tmp_path: Path, days: int):
    vault, clock = vault_of(tmp_path, NOTES), Clock()
    settings = WorldSettings(start_room="Hall", trash_days=days)
    world = load_world(vault, settings)
    for path, age in ((".trash/rooms/Attic.md", 31), (".trash/rooms/Cellar.md", 29), (".trash/things/lamp.md", 31)):
        os.utime(tmp_path / path, (1000 * DAY - age * DAY,) * 2)
    keeper = TrashKeeper(vault, Game(world, world_commands()), lambda: settings, lambda: 1000 * DAY * 1000, clock)
    keeper.empty()
    clock.pump([0.0] * 5)
    left = {"rooms/Hall.md", ".trash/rooms/Cellar.md"} if days else set(NOTES)
    assert set(files(tmp_path)) == left
    assert {exit.name for _, exit in world.closed_exits_to()} == ({"down"} if days else {"up", "down"})
