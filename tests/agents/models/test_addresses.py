"""Addresses of models: what is shown of them, and what is told of one that cannot be reached."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from agents.models.addresses import shown
from agents.models.model import ModelError, Request
from agents.models.ollama_model import OllamaModel
from agents.models.openai_model import OpenAIModel
from agents.models.specs import ModelSpec

HOST = "http://127.0.0.1:11434"
WITH_KEY = "http://ana:secret@127.0.0.1:11434"


@pytest.mark.parametrize("address", [HOST, "http://[::1]:8000/v1", "http://a.b/c@d"])
def test_an_address_without_a_password_is_shown_as_it_is(address):
    assert shown(address) == address


def test_no_part_of_a_password_with_a_sign_in_it_is_shown():
    assert shown("http://ana:se@cr@et@127.0.0.1:11434/v1") == "http://...@127.0.0.1:11434/v1"


@pytest.mark.parametrize("kind", [OllamaModel, OpenAIModel])
def test_a_password_in_an_address_stands_in_no_name_and_no_error(kind):
    def gone(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    model = kind(WITH_KEY, "gemma", transport=httpx.MockTransport(gone))
    with pytest.raises(ModelError) as caught:
        asyncio.run(model.complete(Request("p")))
    told = f"{model.name} {ModelSpec('ollama', WITH_KEY, 'gemma').place} {caught.value}"
    assert "secret" not in told
    assert "http://...@127.0.0.1:11434" in told


@pytest.mark.parametrize("kind", [OllamaModel, OpenAIModel])
@pytest.mark.parametrize(
    ("error", "hint"),
    [
        ("[Errno -2] Name or service not known", "(asked for 'gemma'). Its name is not known here."),
        ("[SSL: WRONG_VERSION_NUMBER] wrong version number", "It does not speak TLS as https:// wants"),
        ("[Errno 111] Connection refused", "(asked for 'gemma'). Start it"),
    ],
)
def test_why_nobody_can_be_reached_is_told_if_the_address_is_to_blame(kind, error, hint):
    def gone(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError(error)

    model = kind(HOST, "gemma", transport=httpx.MockTransport(gone))
    for attempt in (model.start, lambda: model.complete(Request("p"))):
        with pytest.raises(ModelError) as caught:
            asyncio.run(attempt())
        assert hint in str(caught.value)
