"""Streams of both kinds of servers, cut and framed in every way that they may be."""

from __future__ import annotations

import asyncio
import json
import random

import httpx
import pytest

from agents.models.model import ModelOptions, Request
from agents.models.ollama_model import OllamaModel
from agents.models.openai_model import OpenAIModel

SEPARATORS = "".join(map(chr, [*range(10), *range(11, 0x20), 0x7F, 0x85, 0x2028, 0x2029]))
"""All characters that end a line somewhere, and the other control characters; but for LF, which ends one here."""
WORDS = f"Good day, Ana!{SEPARATORS}Grüße, 水 🐟.{SEPARATORS}"
OLLAMA, OPENAI = OllamaModel, OpenAIModel


def answer(kind, body, sizes=(1 << 16,)):
    """Return the text that a model makes of a reply, which arrives in chunks of these sizes, again and again."""

    class Chunks(httpx.AsyncByteStream):
        async def __aiter__(self):
            rest, number = body, 0
            while rest:
                size = sizes[number % len(sizes)]
                yield rest[:size]
                rest, number = rest[size:], number + 1

    transport = httpx.MockTransport(lambda request: httpx.Response(200, stream=Chunks()))
    model = kind("http://127.0.0.1:11434", "gemma", ModelOptions("raw", constraint="none"), transport=transport)
    return asyncio.run(model.complete(Request("p"))).text


def raw_json(value):
    """Return JSON whose strings have all their characters but quotes, backslashes and LF as they are."""
    text = json.dumps(value, ensure_ascii=False)
    for character in SEPARATORS:
        text = text.replace(json.dumps(character, ensure_ascii=False)[1:-1], character)
    return text


def streamed(kind, *pieces, end="\n"):
    """Return the bytes of a stream of pieces."""
    if kind is OLLAMA:
        chunks = [{"response": piece, "done": False} for piece in pieces] + [{"response": "", "done": True}]
        return "".join(f"{raw_json(chunk)}{end}" for chunk in chunks).encode()
    events = [{"choices": [{"text": piece}]} for piece in pieces] + [{"choices": [{"finish_reason": "stop"}]}]
    return "".join(f"data: {raw_json(event)}{end}{end}" for event in events).encode() + b"data: [DONE]\n\n"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("kind", [OLLAMA, OPENAI])
@pytest.mark.parametrize("seed", range(8))
def test_stream_keeps_every_separator_however_it_is_cut(kind, end, seed):
    rng = random.Random(seed)
    sizes = [rng.randint(1, 5 + 20 * seed) for _ in range(20)]
    assert answer(kind, streamed(kind, WORDS, WORDS, end=end), sizes) == WORDS * 2


@pytest.mark.parametrize("kind", [OLLAMA, OPENAI])
def test_byte_that_is_no_text_costs_one_character(kind):
    body = streamed(kind, "Good day!").replace(b"day", b"d\xffy")
    assert answer(kind, b"\xef\xbb\xbf" + body, [1]) == "Good d\ufffdy!"
