"""The embedded model itself: its text, grammars, token counts, speed of stopping, and its weights."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from agents.models.embedded_model import LICENCE_NOTICE, EmbeddedModel
from agents.models.llama_runtime import LlamaRuntime
from agents.models.model import Message, ModelError, ModelOptions, Request
from agents.models.model_selection import ModelSpec, select_model
from agents.models.weights import assemble, default_cache_dir, is_assembled
from tests.integration.running import ROOT

pytestmark = [pytest.mark.integration, pytest.mark.embedded]

PROMPT = "~Eliza> look\nThe garden. Moss is here.\n~Eliza>"
LONG = "\n".join(f"On day {day} Moss walked to the weir and Eliza counted {day * 7} lamps." for day in range(70))


@pytest.fixture(scope="module")
def model() -> Iterator[EmbeddedModel]:
    """One loaded model for all: it belongs to no event loop."""
    model = EmbeddedModel(options=ModelOptions(num_ctx=4096))
    asyncio.run(model.start())
    yield model
    asyncio.run(model.close())


def test_the_same_seed_gives_the_same_text_when_nothing_is_cached():
    async def story():
        model = EmbeddedModel(options=ModelOptions(num_ctx=512), cache_prompt=False, threads=1)
        await model.start()
        request = Request(PROMPT, max_tokens=12, seed=7, stop=("\n",))
        completions = [await model.complete(request) for _ in range(2)]
        await model.close()
        return completions

    first, second = asyncio.run(story())
    assert first.text == second.text
    assert first.prompt_tokens > 10


def test_a_grammar_leaves_only_what_it_admits(model):
    async def story():
        grammar = 'root ::= " say hello" | " go north"'
        return [(await model.complete(Request(PROMPT, seed=seed, grammar=grammar))).text for seed in range(4)]

    assert set(asyncio.run(story())) <= {" say hello", " go north"}


def test_a_grammar_that_is_none_is_left_out_and_that_is_said(model, caplog):
    completion = asyncio.run(model.complete(Request(PROMPT, max_tokens=3, grammar='root ::= "unclosed')))
    assert completion.completion_tokens > 0
    assert "failed to parse grammar" in caplog.text


def test_a_schema_leaves_only_what_it_admits(model):
    only = {"required": ["aim"], "additionalProperties": False}
    schema = {"type": "object", "properties": {"aim": {"enum": ["talk", "rest"]}}, **only}
    completion = asyncio.run(model.complete(Request(PROMPT, seed=1, schema=schema)))
    assert completion.text in ('{"aim":"talk"}', '{"aim":"rest"}')


def test_a_file_without_a_template_is_a_base_model_with_the_context_that_it_was_trained_for():
    async def story():
        model = EmbeddedModel(weights=assemble(default_cache_dir()), options=ModelOptions(num_ctx=100_000))
        await model.start()
        completion = await model.complete(Request(PROMPT, max_tokens=4))
        await model.close()
        return model.capabilities, model.context_tokens, completion

    capabilities, context_tokens, completion = asyncio.run(story())
    assert (capabilities.chat, capabilities.grammar, capabilities.json_schema) == (False, True, True)
    assert (context_tokens, round(capabilities.parameters_billion or 0, 2)) == (32768, 0.27)
    assert completion.timing.prompt and completion.timing.answer


@pytest.mark.skipif(not os.environ.get("GGUF"), reason="set GGUF to the path of an instructed model in a GGUF file")
def test_an_instructed_model_in_a_file_answers_messages_through_its_own_template():
    async def story():
        model = EmbeddedModel(weights=Path(os.environ["GGUF"]), options=ModelOptions(num_ctx=4096))
        await model.start()
        words = {"type": "object", "properties": {"words": {"type": "string", "maxLength": 80}}, "required": ["words"]}
        talk = Message("system", "You are Eliza."), Message("user", "My name is Robin. What is my name?")
        completion = await model.complete(Request(messages=talk, schema=words, temperature=0.0))
        await model.close()
        return model.capabilities, completion

    capabilities, completion = asyncio.run(story())
    assert (capabilities.chat, capabilities.raw) == (True, False)
    assert "Robin" in json.loads(completion.text)["words"]


def test_a_prompt_that_only_grows_is_evaluated_once(model):
    async def story():
        await model.complete(Request(LONG, max_tokens=1))
        return await model.complete(Request(LONG + "\nEliza looks up.\n~Eliza>", max_tokens=1))

    completion = asyncio.run(story())
    assert completion.prompt_tokens - completion.cached_tokens < 20


def test_tokens_are_counted_exactly(model):
    async def story():
        texts = [LONG, "a\n\n\nb\n  c\n\n~El>", "# Head\n\n- x\n\n\nEnd", "é🙂\nnaïve\n", "\n\n\nx", ""]
        counted = [model.count_tokens(text) for text in texts]
        evaluated = [(await model.complete(Request(text, max_tokens=1))).prompt_tokens for text in texts if text]
        return counted, evaluated

    counted, evaluated = asyncio.run(story())
    assert counted == [tokens - 1 for tokens in evaluated] + [0]  # a prompt has an opening token besides


def test_a_prompt_too_long_for_the_context_is_refused_with_both_numbers(model):
    async def story():
        with pytest.raises(ModelError, match=r"The prompt has 5\d\d\d tokens; .* has room for 4096") as caught:
            await model.complete(Request("word " * 5000))
        return caught.value.retryable

    assert asyncio.run(story()) is False


@pytest.mark.parametrize("prompt", [LONG, "Once upon a time"], ids=["in the prompt", "in the answer"])
def test_cancelling_frees_the_model_within_seconds(model, prompt):
    async def story():
        task = asyncio.create_task(model.complete(Request(prompt, max_tokens=3000)))
        await asyncio.sleep(0.3)
        task.cancel()
        began = time.monotonic()
        with pytest.raises(asyncio.CancelledError):
            await task
        await model.complete(Request("a", max_tokens=1))
        return time.monotonic() - began

    assert asyncio.run(story()) < 8.0  # usually below 1 s; to the end it would be a minute


def test_the_event_loop_goes_on_while_the_model_works(model):
    async def story():
        task = asyncio.create_task(model.complete(Request("Tale:\n" + LONG, max_tokens=20)))
        worst = 0.0
        while not task.done():
            began = time.monotonic()
            await asyncio.sleep(0.005)
            worst = max(worst, time.monotonic() - began)
        return worst

    assert asyncio.run(story()) < 0.5


def test_the_socket_of_the_library_lets_nobody_else_in():
    runtime = LlamaRuntime(assemble(default_cache_dir()), context_tokens=512)
    address = runtime._server.listening_address
    asked = [
        httpx.post(f"{address}{path}", json={"content": "x", "prompt": "x"}) for path in ("/tokenize", "/completion")
    ]
    runtime.close()
    assert [reply.status_code for reply in asked] == [401, 401]


def test_being_killed_while_the_weights_are_assembled_leaves_nothing_that_is_taken_for_whole(tmp_path):
    code = f"from pathlib import Path; from agents.models.weights import assemble; assemble(Path({str(tmp_path)!r}))"
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT) as process:
        until = time.monotonic() + 30
        while time.monotonic() < until and not list(tmp_path.glob("*.part")):
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
    assert not is_assembled(tmp_path)
    assert list(tmp_path.glob("*.gguf")) == []
    assert assemble(tmp_path).stat().st_size > 200_000_000


def test_the_first_start_with_a_cache_shows_the_licence_and_later_ones_do_not(tmp_path):
    async def sentences():
        choice = await select_model("embedded", cache_dir=tmp_path)
        assert choice.model is not None
        await choice.model.close()
        return choice.sentences

    assert asyncio.run(sentences())[-1] == LICENCE_NOTICE
    assert LICENCE_NOTICE not in asyncio.run(sentences())


def test_auto_takes_the_embedded_model_when_no_ollama_answers_and_says_why():
    async def story():
        choice = await select_model("auto", ModelSpec("ollama", "http://127.0.0.1:9", "gemma3:4b"))
        assert choice.model is not None
        await choice.model.close()
        return choice.model.name, choice.sentences

    name, sentences = asyncio.run(story())
    assert name == "embedded:gemma-3-270m"
    assert "does not answer" in sentences[0]
    assert "Gemma 3 270M" in sentences[1]
    assert sentences[-1].startswith("For better minds, ")
