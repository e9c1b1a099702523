"""Of a time in which next to nothing happened no prose is shorter than its lines: they stand, and life goes on."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path

from tests.agents.memory.lives import Life, windows
from tests.scripted_model import ScriptedModel

NODS = "Moss nods at the river."
LONG_WINDED = (
    "I sat with Moss, who nodded at the river, and then he nodded again, and again, and again, and I was still there, "
    "and he nodded once more, and so it went on, and I looked at him, and he at the river, for the whole of the {}."
)


def long_winded() -> ScriptedModel:
    """Return a model that makes many words of anything, each time others."""
    parts = itertools.cycle(("morning", "evening", "night"))
    return ScriptedModel(lambda request: LONG_WINDED.format(next(parts)))


def lived(root: Path, count: int, text: str) -> Life:
    life = Life(root, windows(4, 4, summary_tokens=300), long_winded())
    life.live(count, text)
    asyncio.run(life.compact())
    return life


def test_a_time_without_news_is_summarised_by_its_own_lines_when_no_prose_is_shorter(tmp_path):
    life = lived(tmp_path, 13, NODS)
    recent, longterm = life.memory.recent, life.memory.longterm
    assert recent and longterm
    assert (longterm.first, longterm.last, recent.first, recent.last) == (1, 5, 6, 9)
    assert recent.quality == longterm.quality == "extractive"
    assert recent.text.startswith(f"- {NODS} ([[")
    assert life.compactor.stats.failures_in_a_row == 0
    assert life.compactor.stats.refused["not-smaller"] > 0


def test_prose_stands_where_it_is_shorter(tmp_path):
    life = lived(tmp_path, 9, "Moss nods " + "at the river and at the boat on it " * 8 + "and is silent.")
    assert life.memory.recent is not None
    assert life.memory.recent.quality == "prose"
