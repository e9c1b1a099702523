"""What makes a life lively, counted over the turns of a town: see `Liveliness`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from agents.repetition.loop_detector import SPEECH, Shingles, is_similar, shingles
from bench.lib.three_agents import Done
from world.parsing import parse_line

REMEMBERED_SPEECHES = 30
"""A speech is a duplicate when its author, or anybody else, has said the same among so many before it."""

ANSWER_WITHIN = 2
LONGEST_PERIOD = 3


@dataclass(frozen=True)
class Liveliness:
    """Figures of one run; shares from 0 to 1, NaN of nothing.

    `loops` are stretches in which one agent does, or walks, the same one to three things over and over: at least three
    times the same, or twice the same two or three. `answered` is how many of those that the visitor asked by name said
    something within two turns of theirs.
    """

    turns: int
    valid: float
    distinct: float
    speeches: int
    duplicate: float
    loops: float
    rooms: int
    asked: int
    answered: float
    seconds: float


def measured(turns: Sequence[Done], asked: Sequence[tuple[str, int]], seconds: float) -> Liveliness:
    """Return the figures of a run; `asked` are the agents asked with the number of turns there were by then."""
    lines = [_bare(turn.line) for turn in turns if turn.line]
    names = sorted({turn.name for turn in turns})
    lives = [[turn for turn in turns if turn.name == name] for name in names]
    speeches, duplicates = _speeches(turns)
    full = [(name, when) for name, when in asked if len(_next_turns(turns, name, when)) == ANSWER_WITHIN]
    answers = sum(_speaks(_next_turns(turns, name, when)) for name, when in full)
    loops = sum(loops_in(_deeds(life)) + loops_in(_walk(life), 2) for life in lives)
    return Liveliness(
        len(turns),
        _share(sum(turn.outcome == "acted" for turn in turns), len(turns)),
        _share(len(set(lines)), len(lines)),
        speeches,
        _share(duplicates, speeches),
        100 * loops / max(1, len(turns)),
        len({turn.room_id for turn in turns}),
        len(full),
        _share(answers, len(full)),
        seconds / max(1, len(turns)),
    )


def loops_in(steps: Sequence[str], shortest_period: int = 1) -> int:
    """Return how many stretches of a life repeat a cycle: of one step thrice, of two or three steps twice."""
    found, start = 0, 0
    while start < len(steps):
        length = max(_cycle_at(steps, start, period) for period in range(shortest_period, LONGEST_PERIOD + 1))
        found += bool(length)
        start += length or 1
    return found


def _cycle_at(steps: Sequence[str], start: int, period: int) -> int:
    """Return how many steps from `start` on go round with a period, or 0 if that is not long enough."""
    end = start + period
    while end < len(steps) and steps[end] == steps[end - period]:
        end += 1
    rounds = 3 if period == 1 else 2
    is_simple = period > 1 and len(set(steps[start : start + period])) == 1
    return end - start if end - start >= rounds * period and not is_simple else 0


def _deeds(life: Sequence[Done]) -> list[str]:
    return [_bare(turn.line) for turn in life if turn.line]


def _walk(life: Sequence[Done]) -> list[str]:
    return [room_id for room_id, _ in groupby(turn.room_id for turn in life)]


def _speeches(turns: Sequence[Done]) -> tuple[int, int]:
    """Return how many speeches there were, and how many of them were duplicates."""
    before: list[Shingles] = []
    duplicates = 0
    for turn in turns:
        line = parse_line(turn.line)
        if turn.outcome == "acted" and line.verb in SPEECH:
            said = shingles(line.arguments)
            duplicates += bool(is_similar(said, before[-REMEMBERED_SPEECHES:]))
            before.append(said)
    return len(before), duplicates


def _next_turns(turns: Sequence[Done], name: str, when: int) -> list[Done]:
    return [turn for turn in turns[when:] if turn.name == name][:ANSWER_WITHIN]


def _speaks(turns: Sequence[Done]) -> bool:
    return any(turn.outcome == "acted" and parse_line(turn.line).verb in SPEECH for turn in turns)


def _bare(line: str) -> str:
    typed = parse_line(line)
    return f"{typed.verb} {typed.arguments}".casefold().strip()


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")
