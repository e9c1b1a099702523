"""Every line that is typed in a transcript or a test, and what became of it."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from tests.playing import steps_in
from tests.syntax import nodes_of
from tests.world.inn import Player, inn_game
from tests.world.test_transcripts import TRANSCRIPTS
from world.entities import Role
from world.parsing import parse_line

TESTS = Path(__file__).parent
ELSEWHERE = ("agents", "server")
"""The tests of commands that come from packages to the right of the world."""


@cache
def performed() -> tuple[tuple[str, bool], ...]:
    """Return each line typed in tests/transcripts, and whether the game did what it said."""
    done = []
    for path in TRANSCRIPTS:
        game = inn_game()
        for name in [name for name, one in game.world.characters.items() if one.awake]:
            Player(game, name)
        for step in steps_in(path.read_text(encoding="utf-8")):
            match step.does:
                case "types":
                    done.append((step.typed, game.perform(step.who, step.typed).accepted))
                case "wakes":
                    Player(game, step.who)
                case "sleeps":
                    game.sleep(step.who)
                case state:
                    game.world.characters[step.who].role = Role[state.removeprefix("is ").upper()]
    return tuple(done)


@cache
def typed_elsewhere() -> tuple[str, ...]:
    """Return what is typed in the transcripts of other packages, and every text in their tests that may be typed."""
    folders = [TESTS / name for name in ELSEWHERE]
    transcripts = [path for folder in folders for path in folder.rglob("transcripts/*.txt")]
    steps = [step for path in transcripts for step in steps_in(path.read_text(encoding="utf-8"))]
    return (*(step.typed for step in steps), *(text for folder in folders for text in _texts(folder)))


@cache
def verbs_elsewhere() -> frozenset[str]:
    """Return the first words of all of them."""
    return frozenset(parse_line(line).verb for line in typed_elsewhere())


def _texts(folder: Path) -> list[str]:
    found = []
    for path in folder.rglob("test_*.py"):
        nodes = nodes_of(path.read_text(encoding="utf-8"))
        texts = (node.value for node in nodes if isinstance(node, ast.Constant))
        found += [line for text in texts if isinstance(text, str) for line in text.split("\n")]
    # In a transcript within a test, the line stands behind whoever types it.
    return found + [line.partition("> ")[2] for line in found]
