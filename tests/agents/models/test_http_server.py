"""What both clients of model servers share: addresses, hidden passwords, prompts that do not fit, bounded answers."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from agents.models.model import ModelError, ModelOptions, Request
from agents.models.model_selection import ModelSpec
from agents.models.ollama_model import OllamaModel
from agents.models.openai_model import OpenAIModel

HOST = "http://127.0.0.1:11434"
WITH_KEY = "http://ana:secret@127.0.0.1:11434"


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


BROKEN = ("http://[::1", "http://host:port", "http://:11434", "http://x:99999", "http://x:0", "ftp://x", "http://")


@pytest.mark.parametrize(
    ("kind", "address"),
    [
        *((kind, address) for kind in (OllamaModel, OpenAIModel) for address in BROKEN),
        (OpenAIModel, ""),
        (OpenAIModel, "localhost:8000"),
    ],
)
def test_an_address_that_is_none_is_refused_with_an_example(kind, address):
    with pytest.raises(ModelError, match=r"is no address for the model.*http://127\.0\.0\.1:(11434|8000/v1)"):
        kind(address, "gemma")


@pytest.mark.parametrize("kind", [OllamaModel, OpenAIModel])
def test_a_prompt_that_does_not_fit_is_refused_before_it_is_sent_and_the_server_is_not_blamed(kind):
    asked: list[httpx.Request] = []

    def server(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(200)

    options = ModelOptions("raw", num_ctx=350, constraint="none")
    model = kind(HOST, "gemma", options, transport=httpx.MockTransport(server))
    with pytest.raises(ModelError, match="need about 360 tokens") as caught:
        asyncio.run(model.complete(Request("abcd " * 200, max_tokens=60)))
    assert (caught.value.about_request, caught.value.retryable, asked) == (True, False, [])


ONE_LINE = b"x" * 100_000
OLLAMA_LINE = b'{"response": "%s", "done": false}\n' % ONE_LINE
OPENAI_EVENT = b'data: {"choices": [{"text": "%s"}]}\n\n' % ONE_LINE


@pytest.mark.parametrize(
    ("kind", "piece"),
    [(OllamaModel, ONE_LINE), (OllamaModel, OLLAMA_LINE), (OpenAIModel, ONE_LINE), (OpenAIModel, OPENAI_EVENT)],
)
def test_an_answer_without_end_is_ended_whether_in_one_line_or_in_many(kind, piece):
    sent = []

    class Endless(httpx.AsyncByteStream):
        async def __aiter__(self):
            for _ in range(200):
                sent.append(len(piece) * 2)
                yield piece * 2

    server = httpx.MockTransport(lambda request: httpx.Response(200, stream=Endless()))
    model = kind(HOST, "gemma", ModelOptions("raw", constraint="none"), transport=server)
    with pytest.raises(ModelError, match="more than any answer may have. Check the address"):
        asyncio.run(model.complete(Request("p")))
    assert sum(sent) < 18_000_000
