"""Reading a transcript, and playing it in any game; `tests.world.test_transcripts` tells the notation."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tests.world.inn import Player
from world.entities import Role
from world.game import Game

_TYPED = re.compile(r"(\w+(?: \w+)?)> ?(.*)")
_SHOWN = re.compile(r"(\w+(?: \w+)?)\| ?(.*)")
_STATE = re.compile(r"\* (\w+(?: \w+)?) (wakes|sleeps|is (?:guest|player|builder|admin))")


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


def play(game: Game, players: dict[str, Player], transcript: str) -> None:
    """Do what a transcript says from now on, whatever the screens have shown before; see `follow`."""
    for player in players.values():
        player.screen()
    follow(game, players, transcript, "line")


def follow(game: Game, players: dict[str, Player], transcript: str, source: str) -> None:
    """Do what a transcript says, and compare every screen after each step with what it says too."""
    for step in steps_in(transcript):
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
        assert shown == step.shown, f"{source}:{step.line}: {step.who} {step.does} {step.typed}"
