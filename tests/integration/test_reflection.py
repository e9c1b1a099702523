"""A real model looks back: what it makes of a day is kept only where the day bears it out."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from agents.models.ollama_model import OllamaModel
from tests.agents.reflection.looking_back import DAY, NIGHT, Mind

pytestmark = [pytest.mark.integration, pytest.mark.ollama]

TIMEOUT_SECONDS = 1800.0


@pytest.mark.skipif(
    not (os.environ.get("OLLAMA_HOST") and os.environ.get("OLLAMA_MODEL")),
    reason="set OLLAMA_HOST and OLLAMA_MODEL to an Ollama and an instructed model of 1B or more",
)
def test_a_real_model_is_held_to_the_form_and_what_it_says_to_the_memories(tmp_path: Path):
    model = OllamaModel(os.environ["OLLAMA_HOST"], os.environ["OLLAMA_MODEL"])
    mind = Mind(tmp_path, model=model, timeout_seconds=TIMEOUT_SECONDS)

    async def night() -> None:
        await model.start()
        assert mind.reflection.start_if_due(NIGHT, mind.ms)
        await mind.reflection.wait()
        await model.close()

    asyncio.run(night())
    assert (mind.reflection.record.last_error, mind.reflection.record.made) == ("", 1)
    for path in sorted((tmp_path / "agents" / "Eliza").rglob("*.md")):
        print(f"{path.name}\n{path.read_text(encoding='utf-8')}")
    text = " ".join(DAY)
    quotes = [one for person in mind.people.met() for one in mind.people.facts(person)]
    assert quotes, "it has chosen nothing that was said"
    assert [one.words for one in quotes if one.words not in text] == []
    numbers = {seq for one in (*quotes, *mind.opinions.in_force) for seq in one.evidence}
    assert numbers <= set(range(1, len(DAY) + 1))
