"""The inn as it is watched: before anything has happened, and after Rook has taken a turn."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.observatory.town_of import Watched


@pytest.fixture
def life(tmp_path: Path) -> Watched:
    return Watched(tmp_path)


@pytest.fixture
def lived(tmp_path: Path) -> Watched:
    """Return the inn in which Rook has looked around."""
    life = Watched(tmp_path, "look")
    life.turns()
    return life
