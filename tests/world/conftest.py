"""A game in the inn, new for every test."""

import pytest

from tests.world.inn import inn_game
from world.game import Game


@pytest.fixture
def game() -> Game:
    return inn_game()
