"""What may be chosen as a model, as far as it can be told without one."""

import asyncio
from typing import Any

import pytest

from agents.models.model import Capabilities, ModelError
from agents.models.model_selection import ASLEEP, ModelChoice, largest_suitable, refused_schema, select_model
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


class Server:
    """A model that can be held to JSON, and what it does when it is asked for an answer."""

    def __init__(self, answer: Any) -> None:
        self.name, self.context_tokens, self.closed = "server", 8192, 0
        self.capabilities = Capabilities(json_schema=True)
        self._answer = answer

    async def start(self) -> None:
        pass

    async def complete(self, request: Any, on_text: Any = None) -> Any:
        assert request.schema
        return await self._answer(self)

    def count_tokens(self, text: str) -> int:
        return 1

    async def close(self) -> None:
        self.closed += 1


async def refuses(server: Server) -> None:
    server.capabilities = Capabilities(json_schema=True, refusal="Status 400: invalid format.")


async def fails(server: Server) -> None:
    raise ModelError("It broke off.")


async def hangs(server: Server) -> None:
    await asyncio.Event().wait()


async def answers(server: Server) -> None:
    pass


@pytest.mark.parametrize(
    ("answer", "refusal"), [(refuses, "Status 400: invalid format."), (fails, ""), (hangs, ""), (answers, "")]
)
def test_only_a_server_that_refuses_a_schema_is_said_to_and_each_is_closed(answer, refusal):
    server = Server(answer)
    assert asyncio.run(refused_schema(server, 0.01)) == refusal
    assert server.closed == 1
