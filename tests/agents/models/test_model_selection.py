"""What may be chosen as a model, as far as it can be told without one."""

import asyncio

import pytest

from agents.models.model import ModelError
from agents.models.model_selection import ASLEEP, ModelChoice, largest_suitable, select_model
from agents.models.ollama_api import OllamaFacts


def test_none_is_a_world_whose_agents_sleep():
    assert asyncio.run(select_model("none")) == ModelChoice(None, (ASLEEP,))


@pytest.mark.parametrize(
    "choice", ["", "Auto!", "gemma", "ollama", "ollama:", "ollama: ", "none:", "embedded:x", "gguf:"]
)
def test_any_other_choice_is_refused_with_the_valid_ones(choice):
    with pytest.raises(ModelError) as caught:
        asyncio.run(select_model(choice))
    assert f"{choice!r} is not a model to choose. Valid choices: auto, embedded, none, ollama:NAME, gguf:FILE." in str(
        caught.value
    )


def test_a_file_that_is_none_is_refused_with_its_name():
    with pytest.raises(ModelError, match=r"The model file .*nothing\.gguf cannot be read"):
        asyncio.run(select_model("gguf:/nowhere/nothing.gguf"))


def instructed(billions: float | None, *, is_instructed: bool = True, is_completing: bool = True) -> OllamaFacts:
    return OllamaFacts(is_instructed, is_completing, parameters_billion=billions)


@pytest.mark.parametrize(
    ("models", "best"),
    [
        ({"a:3b": instructed(3.0), "b:8b": instructed(8.0), "c:1b": instructed(1.0)}, "b:8b"),
        ({"huge:70b": instructed(70.0), "tiny": instructed(0.1), "small:1b": instructed(1.0)}, "small:1b"),
        ({"huge:70b": instructed(70.0)}, ""),
        ({"base:4b": instructed(4.0, is_instructed=False), "untold": OllamaFacts(parameters_billion=4.0)}, ""),
        ({"embed:1b": instructed(1.0, is_completing=False), "unknown": instructed(None)}, ""),
        ({"z:4b": instructed(4.0), "a:4b": instructed(4.0)}, "a:4b"),
        ({}, ""),
    ],
)
def test_in_place_of_its_own_auto_takes_the_largest_instructed_model_that_is_not_too_large(models, best):
    assert largest_suitable(models) == best
