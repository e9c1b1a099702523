"""Streams of both kinds of servers, cut and framed in every way that they may be."""

from __future__ import annotations

import asyncio
import json
import random

import httpx
import pytest

from agents.models.model import ModelError, ModelOptions, Request
from agents.models.ollama_model import OllamaModel
from agents.models.openai_model import OpenAIModel

SEPARATORS = "".join(map(chr, [*range(10), *range(11, 0x20), 0x7F, 0x85, 0x2028, 0x2029]))
"""All characters that end a line somewhere, and the other control characters; but for LF, which ends one here."""
WORDS = f"Good day, Ana!{SEPARATORS}Grüße, 水 🐟.{SEPARATORS}"
OLLAMA, OPENAI = OllamaModel, OpenAIModel


def answer(kind, body, sizes=(1 << 16,), mode="raw"):
    """Return the text that a model makes of a reply, which arrives in chunks of these sizes, again and again."""

    class Chunks(httpx.AsyncByteStream):
        async def __aiter__(self):
            rest, number = body, 0
            while rest:
                size = sizes[number % len(sizes)]
                yield rest[:size]
                rest, number = rest[size:], number + 1

    transport = httpx.MockTransport(lambda request: httpx.Response(200, stream=Chunks()))
    model = kind("http://127.0.0.1:11434", "gemma", ModelOptions(mode, constraint="none"), transport=transport)
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


THOUGHT = "<think>Who is she?</think>\n"
CONTENTS = [
    ("Good day!", "Good day!"),
    (["Good ", "day!"], "Good day!"),
    ([{"type": "text", "text": "Good "}, {"type": "output_text", "text": "day!"}], "Good day!"),
    ([{"text": "Good day!"}, {"type": "image_url", "image_url": {"url": "x"}}], "Good day!"),
    ({"type": "text", "text": {"value": "Good day!"}}, "Good day!"),
    ([{"type": "thinking", "thinking": "Who is she?"}, {"type": "text", "text": "Good day!"}], f"{THOUGHT}Good day!"),
    (
        [{"type": "thinking", "thinking": [{"type": "text", "text": "Who is she?"}]}, {"type": "text", "text": "Hm."}],
        f"{THOUGHT}Hm.",
    ),
    ([{"type": "reasoning", "text": "Who is she?"}, {"text": "Good day!"}], f"{THOUGHT}Good day!"),
    ([{"type": "reasoning", "summary": [{"text": "Who is she?"}]}, {"text": "Good day!"}], f"{THOUGHT}Good day!"),
]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(("content", "text"), CONTENTS)
def test_answer_is_read_in_every_frame_and_form_of_text(content, text, indent):
    message = {"role": "assistant", "content": content}
    whole = {"id": "7", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    assert answer(OPENAI, json.dumps(whole, indent=indent).encode(), mode="chat") == text
    assert answer(OLLAMA, json.dumps({"message": message, "done": True}, indent=indent).encode(), mode="chat") == text
    first = {"choices": [{"delta": {"role": "assistant", "content": None}}]}
    last = {"choices": [{"delta": {}, "message": message, "finish_reason": "stop"}]}  # some send all of it once more
    events = [first, {"choices": [{"delta": {"content": content}}]}, last, {"choices": [], "usage": {}}]
    assert answer(OPENAI, "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode(), mode="chat") == text
    choice = {"text": content, "finish_reason": "stop"}
    assert answer(OPENAI, json.dumps({"choices": [choice]}, indent=indent).encode()) == text


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", "thinking"])
def test_thoughts_have_a_field_of_their_own_in_a_whole_answer(field):
    choice = {"message": {"content": "Good day!", field: "Who is she?"}, "finish_reason": "stop"}
    assert answer(OPENAI, json.dumps({"choices": [choice]}).encode(), mode="chat") == f"{THOUGHT}Good day!"


@pytest.mark.parametrize(
    ("message", "finish"),
    [
        ({"content": None}, "stop"),
        ({"content": None, "tool_calls": [{"id": "call_1"}]}, "tool_calls"),
        ({"content": "", "refusal": "I cannot."}, "content_filter"),
        ({"output": "Good day!"}, "stop"),
        ({"content": ""}, "length"),
    ],
)
def test_answer_without_text_names_what_came(message, finish):
    told = {"choices": [{"message": message, "finish_reason": finish}], "usage": {"completion_tokens": 60}}
    with pytest.raises(ModelError) as caught:
        answer(OPENAI, json.dumps(told).encode(), mode="chat")
    assert f"sent no text for 'gemma': it sent {json.dumps(message)}." in caught.value.problem
    assert caught.value.remedy


@pytest.mark.parametrize("finish", ["stop", "length"])
def test_model_may_have_nothing_to_say(finish):
    chunk = {"response": "", "done": True, "done_reason": finish, "eval_count": 1}
    assert answer(OLLAMA, json.dumps(chunk).encode()) == ""
    choice = {"text": "", "finish_reason": finish}
    assert answer(OPENAI, json.dumps({"choices": [choice]}).encode()) == ""
