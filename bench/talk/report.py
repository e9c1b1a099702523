"""The figures of a run as one row, and its turns as a sheet for readers who know neither model nor reference."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

from agents.metrics.statistics import Amount, Share, share_of
from bench.lib.reporting import Table
from bench.talk.measures import Measures
from bench.talk.scenes import Line, Scene
from bench.talk.stage import Played

HEADS = (
    *("model", "scenes", "answered", "recall", "invented", "echo", "repeats", "acts as the reference", "acts done"),
    *("acts not offered", "secrets told", "seconds a turn", "new prompt tokens a turn"),
)


def shares_of(turns: Sequence[Played], measures: Measures) -> dict[str, Share]:
    """Return the share of each measure, by its head, over the turns that have something to measure."""
    values: dict[str, list[bool | None]] = {
        "answered": [measures.answered(turn) for turn in turns],
        "recall": [measures.recalls(turn) for turn in turns],
        "invented": [measures.invents(turn) for turn in turns],
        "echo": [measures.echoes(turn) for turn in turns],
        "repeats": [
            measures.repeats(turn, [one for one in turns[:number] if (one.scene, one.seed) == (turn.scene, turn.seed)])
            for number, turn in enumerate(turns)
        ],
        "acts as the reference": [measures.acts_as_reference(turn) for turn in turns],
        "acts done": [measures.does_act(turn) for turn in turns],
        "acts not offered": [measures.lacks_act(turn) for turn in turns],
        "secrets told": [measures.tells_secret(turn) for turn in turns],
    }
    return {name: share_of(value for value in found if value is not None) for name, found in values.items()}


def table_of(model: str, turns: Sequence[Played], measures: Measures) -> Table:
    """Return the figures of one model as a row."""
    shares = shares_of(turns, measures)
    scenes = len({turn.scene.title for turn in turns})
    seeds = len({turn.seed for turn in turns})
    amounts = {
        "seconds a turn": Amount.over([turn.seconds for turn in turns]).text,
        "new prompt tokens a turn": Amount.over([sum(one.new_tokens for one in turn.thoughts) for turn in turns]).text,
    }
    cells = {"model": model, "scenes": f"{scenes} × {seeds}", **amounts}
    return Table(HEADS, [[cells[head] if head in cells else shares[head].text for head in HEADS]])


def write_sheet(path: Path, turns: Sequence[Played]) -> None:
    """Write the turns in a drawn order, without model or reference, and beside them a key to both."""
    drawn = list(turns)
    random.Random(0).shuffle(drawn)
    sheet = "\n".join(f"## {number}\n\n{_shown(turn)}\n" for number, turn in enumerate(drawn, 1))
    path.write_text(sheet, "utf-8")
    key = {
        number: {"scene": turn.scene.title, "place": turn.place, "seed": turn.seed, "reference": _line(turn.reference)}
        for number, turn in enumerate(drawn, 1)
    }
    path.with_suffix(".key.json").write_text(json.dumps(key, ensure_ascii=False, indent=1) + "\n", "utf-8")


def _shown(turn: Played) -> str:
    scene, place = turn.scene, turn.place
    spoken = [f"whispers to {one.to}: {one.words}" if one.to else one.words for one in turn.speeches]
    offers = turn.reference.offers
    lines = [
        *_about(scene),
        *map(_line, scene.lines[:place]),
        *([f"May: {'; '.join(offers)}"] if offers else []),
        f"> {' / '.join(spoken) or '(says nothing)'}{f' [{turn.act}]' if turn.act else ''}",
    ]
    return "\n".join(f"    {line}" for line in lines)


def _about(scene: Scene) -> list[str]:
    told = {"knows": " | ".join(scene.knows), "notes": " | ".join(scene.notes), "past": scene.past}
    return [
        f"{scene.agent} | {scene.profile}",
        f"place: {scene.room}, {scene.part}; here: {', '.join(scene.here)}; carries: {', '.join(scene.things)}",
        *(f"{name}: {text}" for name, text in told.items() if text),
    ]


def _line(line: Line) -> str:
    act = f" [{line.act}]" if line.act else ""
    if line.is_answer:
        return f"> {'whispers: ' if line.is_whispered else ''}{line.words}{act}"
    return f"{line.who}{' whispers' if line.is_whispered else ''}: {line.words}" if line.who else f"({line.words})"
