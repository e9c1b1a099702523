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

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.world.inn import Player, inn_game
from world.model import Role

TRANSCRIPTS = sorted((Path(__file__).parent.parent / "transcripts").glob("*.txt"))

_TYPED = re.compile(r"(\w+)> ?(.*)")
_SHOWN = re.compile(r"(\w+)\| ?(.*)")
_STATE = re.compile(r"\* (\w+) (wakes|sleeps|is (?:guest|player|builder|admin))")


@dataclass
class Step:
    """One thing done, in a line of a transcript, and what each screen is to show of it."""

    line: int
    who: str
    does: str
    typed: str = ""
    shown: dict[str, list[str]] = field(default_factory=dict)


def steps_in(text: str) -> list[Step]:
    """Return the steps of a transcript. Raises: ValueError at a line that is none of its kinds."""
    steps: list[Step] = []
    for number, line in enumerate(text.splitlines(), 1):
        if typed := _TYPED.fullmatch(line):
            steps.append(Step(number, typed[1], "types", typed[2]))
        elif state := _STATE.fullmatch(line):
            steps.append(Step(number, state[1], state[2]))
        elif (shown := _SHOWN.fullmatch(line)) and steps:
            steps[-1].shown.setdefault(shown[1], []).append(shown[2])
        elif line and not line.startswith("#"):
            raise ValueError(f"line {number} is neither typed, shown, a state nor a remark: {line!r}")
    return steps


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_every_screen_shows_what_the_transcript_says_and_nothing_more(path: Path):
    game = inn_game()
    players = {name: Player(game, name) for name, one in game.world.characters.items() if one.awake}
    for step in steps_in(path.read_text(encoding="utf-8")):
        match step.does:
            case "types":
                players[step.who].types(step.typed)
            case "wakes":
                players[step.who] = Player(game, step.who)
            case "sleeps":
                game.sleep(step.who)
            case state:
                game.world.characters[step.who].role = Role[state.removeprefix("is ").upper()]
        shown = {name: lines for name, one in players.items() if (lines := one.screen())}
        assert shown == step.shown, f"{path.name}:{step.line}: {step.who} {step.does} {step.typed}"


def test_there_are_transcripts():
    assert TRANSCRIPTS


def test_a_line_that_is_no_step_is_refused():
    with pytest.raises(ValueError, match="line 2 is neither"):
        steps_in("Ana> look\nAna looks about.\n")
