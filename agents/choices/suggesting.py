"""Lines that an agent could type here and now, for one that finds no command by itself."""

from __future__ import annotations

import random

from agents.choices.possible import Form, Possible, spelt
from agents.choices.steering import Moment, Steering

GREETING = "hello"
TRIES = 4
"""How many draws there are for each line that is wanted: the same may be drawn again, or one that needs many words."""


def suggested(among: Possible, moment: Moment, steering: Steering, rng: random.Random, count: int = 3) -> list[str]:
    """Return up to so many different lines, each of which would be accepted; they are drawn as for a small model."""
    lines: list[str] = []
    for _ in range(TRIES * count):
        for form in steering.choose(among, moment).values():
            line = _line(form, rng)
            if line and line not in lines and len(lines) < count:
                lines.append(line)
    return lines


def _line(form: Form, rng: random.Random) -> str:
    command = form.command
    free = {word.kind for word in command.words if word.kind} - form.choices.keys()
    if free and command.verb != "say":
        return ""
    filled = {kind: rng.choice(choices) for kind, choices in form.choices.items()} | dict.fromkeys(free, GREETING)
    return f"{command.verb} {spelt(command, filled)}".strip()
