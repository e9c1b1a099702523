"""What an agent tells whoever listens: that its model is asked, and that its memory is summarised."""

from __future__ import annotations

import asyncio

from tests.agents.memory.lives import Life as Remembering
from tests.agents.memory.lives import talkative, windows
from tests.agents.test_agent import Life


def test_it_tells_that_it_thinks_as_its_model_is_asked(tmp_path):
    life, told = Life(tmp_path, "say hello"), list[str]()
    life.agent.on_thinking = lambda: told.append("thinking")
    life.ana.game.subscribe_lines("test", lambda name, line, performed: told.append(line))
    life.turns()
    assert told == ["thinking", "say hello"]


def test_without_a_thought_it_tells_of_none(tmp_path):
    life, told = Life(tmp_path, "say hello"), list[str]()
    life.agent.on_thinking = lambda: told.append("thinking")
    assert asyncio.run(life.agent.tick()).outcome == "asleep"
    assert told == []


def test_it_tells_of_each_cycle_that_was_published(tmp_path):
    eliza, told = Remembering(tmp_path, windows(4, 4), talkative()), list[int]()
    eliza.compactor.on_compacted = lambda: told.append(eliza.compactor.stats.cycles)
    eliza.live(20)
    asyncio.run(eliza.compact())
    assert told and told == list(range(1, eliza.compactor.stats.cycles + 1))
