"""Play every transcript of tests/transcripts in a new inn.

    Ana> say hello              Ana types a line
    Ben| Ana says, "hello"      Ben's screen shows a line because of it
    * Dan wakes                 somebody comes into the world, or sleeps
    * Ana is builder            somebody may do more, or less
    # why                       a remark

After each line typed, every screen must show just the lines that follow it. Each player's own are in order;
between players the order is free.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.playing import follow, steps_in
from tests.world.inn import Player, inn_game

TRANSCRIPTS = sorted((Path(__file__).parent.parent / "transcripts").glob("*.txt"))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_every_screen_shows_what_the_transcript_says_and_nothing_more(path: Path):
    game = inn_game()
    players = {name: Player(game, name) for name, one in game.world.characters.items() if one.awake}
    follow(game, players, path.read_text(encoding="utf-8"), path.name)


def test_there_are_transcripts():
    assert TRANSCRIPTS


def test_a_line_that_is_no_step_is_refused():
    with pytest.raises(ValueError, match="line 2 is neither"):
        steps_in("Ana> look\nAna looks about.\n")
