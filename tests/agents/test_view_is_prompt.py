"""What the view calls word for word is what the model reads, for every profile that ships."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from agents.agent import Agent
from agents.models.model import Capabilities, ModelError, Request
from agents.models.queue import ModelQueue, SamplingOverrides
from tests.agents.house import GOOD, House
from tests.agents.memory import on_disk
from tests.agents.memory.lives import one_turn
from tests.agents.memory.views import covered_by
from tests.scripted_model import Reply, ScriptedModel
from world.entities import Role

PROFILES = {
    "embedded": (Capabilities(grammar=True, parameters_billion=0.27), "pick"),
    "ollama base": (Capabilities(parameters_billion=4.0), "prose"),
    "ollama instruct": (Capabilities(chat=True, json_schema=True, parameters_billion=4.3), "prose"),
    "ollama small instruct": (Capabilities(chat=True, json_schema=True, parameters_billion=0.9), "pick"),
    "openai": (Capabilities(chat=True, json_schema=True), "prose"),
}
every_profile = pytest.mark.parametrize("profile", PROFILES)
SMALL = "ollama small instruct"
MATTER = "mill bread wheel river lantern cellar ink garden stair window bell kettle ferry rope path gate moss".split()


class Counting(ScriptedModel):
    """A model of which four characters are a token."""

    def count_tokens(self, text: str) -> int:
        return -(-len(text) // 4)


class Lived(House):
    """A house in which Ana and Ben talk with Rook, whose model may be `down` for summaries."""

    def __init__(self, root: Path, profile: str, style: str = "") -> None:
        can, usual = PROFILES[profile]
        super().__init__(root, "Rook", style=style or usual, template="agent_prompt")
        self.agent: Agent = self.agents["Rook"]
        self.down = False
        self.rng, self._count = random.Random(3), itertools.count()
        self.model = Counting(self._reply, capabilities=can)
        assert self.agent.queue is not None
        self.agent.queue.adopt(ModelQueue(self.model).routes, SamplingOverrides())

    def _sentence(self) -> str:
        return f"The {' and the '.join(self.rng.sample(MATTER, 5))} were as quiet as I have seen them."

    def _reply(self, request: Request) -> Reply:
        is_summary = not (request.schema or request.messages or "~Rook>" in request.text[-40:])
        if is_summary and self.down:
            return ModelError("scripted is gone.")
        if is_summary:
            return f"I {GOOD[next(self._count) % len(GOOD)]} and remember it well."
        return json.dumps({"words": self._sentence()}) if request.schema else f" say {self._sentence()}"

    async def live(self, memories: int) -> None:
        """Have so many memories more; after each turn compaction is run to its end."""
        end = self.agent.memory.journal.last + memories
        while self.agent.memory.journal.last < end:
            self.game.perform(self.rng.choice(("Ana", "Ben")), f"say Rook, {self._sentence()}")
            await self.agent.tick()
            while self.agent.compactor.is_running:
                await one_turn()

    def check(self) -> None:
        """Compare the prompt of this moment with what the status says."""
        prompt, view, n = self.agent.prompt(), self.agent.memory.view(), self.agent.memory.journal.last
        ana = self.player("Ana", Role.ADMIN)
        ana.types("@memory-status Rook")
        status = ana.screen()
        assert status[0] == f"Memory of Rook: {n} memories. {prompt.tiers}."
        assert prompt.tiers.endswith(f"{prompt.shown} word for word")
        assert f"Word for word: memories {prompt.shown}, {len(prompt.shown)} of them, " in "\n".join(status)
        assert any(line.startswith("Not shown") for line in status) == bool(prompt.unshown)
        shown = [memory.seq for memory in view.tail if memory.seq in prompt.shown]
        assert [*sorted(covered_by(view)), *range(view.covered + 1, prompt.shown.first), *shown] == [*range(1, n + 1)]
        heard = [one for one in view.tail if one.kind == "observed" and one.text.endswith('."')]
        told = [one.seq for one in heard if one.text.partition('"')[2].rstrip('"') in prompt.text]
        assert [one.seq for one in heard if one.seq in prompt.shown] == told


@every_profile
def test_prompt_shows_what_status_calls_word_for_word(tmp_path, profile):
    house = Lived(tmp_path, profile)

    async def story() -> None:
        for _ in range(5):
            await house.live(30)
            house.check()
            assert not house.agent.prompt().unshown
            assert house.agent.asked is None or not house.agent.asked.question.prompt.unshown

    asyncio.run(story())
    assert house.agent.memory.coverage.b >= 65


def test_lines_without_room_are_named_while_the_model_is_down(tmp_path):
    house = Lived(tmp_path, SMALL, style="prose")
    house.down = True
    asyncio.run(house.live(120))
    house.check()
    assert house.agent.prompt().unshown
    house.down = False
    house.ms += 3_600_000
    asyncio.run(house.live(8))
    house.check()
    assert not house.agent.prompt().unshown


@pytest.mark.parametrize("profile", ["embedded", SMALL])
def test_tail_share_changed_in_a_life_loses_nothing(tmp_path, profile):
    house = Lived(tmp_path, profile)

    async def story() -> None:
        for share in (0.6, 0.1, 0.9, 0.05, 0.6):
            house.agent.memory.settings = replace(house.agent.memory.settings, tail_share=share)
            await house.live(15)
            house.check()
            budget = house.agent.prompt_budget
            tail = house.agent.compactor.tail_size()
            assert sum(tail.sizes) <= max(share * budget, tail.budget_tokens)

    asyncio.run(story())
    folder = tmp_path / "agents/Rook"
    assert list(on_disk.lines(folder)) == list(range(1, house.agent.memory.journal.last + 1))


@pytest.mark.parametrize(
    ("billions", "given", "budget"), [(1.5, 0, 1500), (1.5, 3000, 3000), (4.0, 0, 8112), (4.0, 2000, 2000)]
)
def test_profile_says_how_long_a_prompt_may_be(tmp_path, billions, given, budget):
    agent = Lived(tmp_path, SMALL).agent
    model = ScriptedModel(capabilities=Capabilities(chat=True, parameters_billion=billions))
    agent.queue = ModelQueue(model, overrides=SamplingOverrides(prompt_tokens=given))
    assert agent.prompt_budget == budget
