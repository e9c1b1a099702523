"""What each kind of model shares: addresses that hide passwords, and estimates of tokens."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from agents.models.adapter import TokenEstimate, redact_address
from agents.models.model import ModelError, ModelOptions, Request
from agents.models.model_selection import ModelSpec
from agents.models.ollama_model import OllamaModel
from agents.models.openai_model import OpenAIModel

THOUSAND_BYTES = "abcd " * 200


def test_before_anything_is_known_the_estimate_is_cautious():
    assert TokenEstimate().count(THOUSAND_BYTES) == 300


def test_a_count_of_the_whole_prompt_calibrates_the_estimate_with_some_headroom():
    estimate = TokenEstimate()
    estimate.observe(THOUSAND_BYTES, 240)
    assert estimate.count(THOUSAND_BYTES) == 252


def test_a_count_of_only_the_uncached_tokens_is_not_believed():
    estimate = TokenEstimate()
    estimate.observe(THOUSAND_BYTES, 12)
    assert estimate.count(THOUSAND_BYTES) == 300


def test_the_highest_of_the_recent_counts_is_believed():
    estimate = TokenEstimate()
    for tokens in (410, 210, 230):
        estimate.observe(THOUSAND_BYTES, tokens)
    assert estimate.count(THOUSAND_BYTES) == 431


def test_a_short_prompt_teaches_nothing():
    estimate = TokenEstimate()
    estimate.observe("hi", 2)
    assert estimate.count(THOUSAND_BYTES) == 300


def test_the_empty_text_has_no_tokens():
    assert TokenEstimate().count("") == 0


def test_text_that_is_not_latin_is_measured_by_its_bytes():
    assert TokenEstimate().count("水" * 100) == 90


def test_half_a_surrogate_pair_can_be_counted():
    assert TokenEstimate().count("\ud83d") == 1


HOST = "http://127.0.0.1:11434"
WITH_KEY = "http://ana:secret@127.0.0.1:11434"


@pytest.mark.parametrize("address", [HOST, "http://[::1]:8000/v1", "http://a.b/c@d"])
def test_an_address_without_a_password_is_shown_as_it_is(address):
    assert redact_address(address) == address


def test_no_part_of_a_password_with_a_sign_in_it_is_shown():
    assert redact_address("http://ana:se@cr@et@127.0.0.1:11434/v1") == "http://...@127.0.0.1:11434/v1"


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
