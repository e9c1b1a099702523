"""What may be chosen as a model, as far as it can be told without one."""

import asyncio

import pytest

from agents.models.choosing import ASLEEP, Choice, choose_model
from agents.models.model import ModelError


def test_none_is_a_world_whose_agents_sleep():
    assert asyncio.run(choose_model("none")) == Choice(None, (ASLEEP,))


@pytest.mark.parametrize("choice", ["", "Auto!", "gemma", "ollama", "ollama:", "ollama: ", "none:", "embedded:x"])
def test_any_other_choice_is_refused_with_the_valid_ones(choice):
    with pytest.raises(ModelError) as caught:
        asyncio.run(choose_model(choice))
    assert f"{choice!r} is not a model to choose. Valid choices: auto, embedded, none, ollama:NAME." in str(
        caught.value
    )
