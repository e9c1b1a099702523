"""Our Ollama model against a process that speaks Ollama's API, through Ollama's own client.

The process is ours (`ollama_server.py`) unless OLLAMA_HOST and OLLAMA_MODEL name a true Ollama. With
OLLAMA_OPENAPI=path of Ollama's openapi.yaml, every request and reply is held against it as well.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from agents.choices.constraints import command_schema, line_schema, words_schema
from agents.models.model import Completion, Message, ModelError, ModelOptions, OnText, Request
from agents.models.model_selection import ModelSpec, select_model
from agents.models.ollama_model import OllamaModel
from tests.integration.ollama_server import INSTRUCTED, MODEL
from tests.integration.running import model_server

pytestmark = [pytest.mark.integration, pytest.mark.ollama]

TRUE_MODEL_SECONDS = 900.0
PROMPT = '~Eliza> look\nThe garden. Moss is here.\n~Eliza> say hello Moss\nYou say, "hello Moss"\n~Eliza>'
# The keys that our code reads, or that Ollama's own tools do; openapi.yaml demands none of them.
DEMANDED = {"model", "created_at", "response", "done"}


@dataclass
class Host:
    """Where the API is spoken, which model is there, and whether the server is ours."""

    address: str
    model: str
    ours: bool

    def patient(self, request: Request) -> Request:
        """Return a request with as much time as a true model may need on a machine that is busy with other things."""
        return request if self.ours else replace(request, timeout_seconds=TRUE_MODEL_SECONDS)

    def seen(self) -> dict[str, Any]:
        found: dict[str, Any] = httpx.get(f"{self.address}/seen").json()
        return found

    def idle_within(self, seconds: float) -> bool:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if self.seen()["generating"] == 0:
                return True
            time.sleep(0.01)
        return False


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    if os.environ.get("OLLAMA_HOST") and os.environ.get("OLLAMA_MODEL"):
        yield Host(os.environ["OLLAMA_HOST"], os.environ["OLLAMA_MODEL"], ours=False)
        return
    pytest.importorskip("xllamacpp", reason="the embedded model's packages are missing: pip install -e '.[embedded]'")
    with model_server("ollama_server", "--port", "0") as (port, _):
        yield Host(f"http://127.0.0.1:{port}", MODEL, ours=True)


@pytest.fixture
def our_host(host: Host) -> Host:
    if not host.ours:
        pytest.skip("a true Ollama cannot be asked to fail; unset OLLAMA_HOST to run this against our own server")
    return host


@pytest.fixture(scope="module")
def openapi() -> Any:
    path = os.environ.get("OLLAMA_OPENAPI")
    if not path:
        pytest.skip("set OLLAMA_OPENAPI to the path of Ollama's docs/openapi.yaml to check against it")
    pytest.importorskip("jsonschema", reason="jsonschema is missing: pip install -e '.[dev]'")
    return yaml.safe_load(Path(path).read_text(encoding="utf-8"))


def ask(host: Host, request: Request, on_text: OnText | None = None, **arguments: Any) -> Completion:
    request = host.patient(request)

    async def story() -> Completion:
        model = OllamaModel(host.address, arguments.pop("name", host.model), ModelOptions(**arguments))
        try:
            return await model.complete(request, on_text)
        finally:
            await model.close()

    return asyncio.run(story())


def test_the_host_has_the_model(host):
    async def story():
        model = OllamaModel(host.address, host.model)
        await model.start()
        await model.close()

    asyncio.run(story())


@pytest.mark.parametrize("mode", ["raw", "generate", "chat"])
def test_the_model_continues_a_prompt_and_counts_its_tokens(host, mode):
    completion = ask(host, Request(PROMPT, max_tokens=12, stop=("\n",), seed=1), mode=mode)
    assert 20 <= completion.prompt_tokens <= 80
    assert 1 <= completion.completion_tokens <= 12
    assert "\n" not in completion.text
    assert completion.finish in ("stop", "length")


def test_the_limit_of_tokens_is_kept(host):
    completion = ask(host, Request("One, two, three, four,", max_tokens=4, temperature=0.0))
    assert (completion.completion_tokens, completion.finish) == (4, "length")


def test_pieces_arrive_one_by_one_and_grow_into_the_text(host):
    heard: list[str] = []

    def listen(text):
        heard.append(text)
        return False

    completion = ask(host, Request("One, two, three, four,", max_tokens=10), listen)
    assert len(heard) > 1
    assert all(later.startswith(earlier) for earlier, later in pairwise(heard))
    assert completion.text.startswith(heard[-1])


def test_a_model_that_is_not_there_is_told_with_the_line_that_pulls_it(host):
    with pytest.raises(ModelError, match="Run: ollama pull no-such-model"):
        ask(host, Request(PROMPT), name="no-such-model")


def test_start_tells_which_models_there_are(host):
    with pytest.raises(ModelError, match=f"it has: .*{host.model}.*Run: ollama pull no-such-model"):
        asyncio.run(OllamaModel(host.address, "no-such-model").start())


def test_the_estimate_learns_from_the_host(host):
    story = "The lamp by the mill is lit, and Moss says hello to Eliza near the weir. " * 30

    async def learn():
        model = OllamaModel(host.address, host.model)
        completion = await model.complete(host.patient(Request(story, max_tokens=1)))
        counted = model.count_tokens(story)
        await model.close()
        return completion.prompt_tokens, counted

    prompt_tokens, counted = asyncio.run(learn())
    assert prompt_tokens <= counted <= prompt_tokens * 1.1


def test_a_listener_that_has_enough_stops_the_host(our_host):
    completion = ask(our_host, Request("Once upon a time", max_tokens=3000), lambda text: len(text) > 20)
    assert (completion.finish, len(completion.text) < 60) == ("stop", True)
    assert our_host.idle_within(2.0)


def test_cancelling_stops_the_host_in_mid_answer(our_host):
    async def story():
        heard = asyncio.Event()

        def listen(text):
            heard.set()
            return False

        model = OllamaModel(our_host.address, our_host.model)
        task = asyncio.create_task(model.complete(Request("Once upon a time", max_tokens=3000), listen))
        await heard.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await model.close()

    asyncio.run(story())
    assert our_host.idle_within(2.0)


def test_a_timeout_stops_the_host_and_names_the_limit(our_host):
    with pytest.raises(ModelError, match=r"did not finish its answer with 'slow' within 0\.3 s"):
        ask(our_host, Request(PROMPT, timeout_seconds=0.3), name="slow")
    assert our_host.idle_within(2.0)


def test_a_model_is_asked_in_the_way_that_suits_it(host):
    async def story(name):
        model = OllamaModel(host.address, name)
        await model.start()
        talk = (Message("system", "You are Eliza. Answer in one short sentence."), Message("user", "Good morning!"))
        completion = await model.complete(host.patient(Request(max_tokens=24, messages=talk, seed=1)))
        await model.close()
        return model.capabilities, completion

    names = (MODEL, INSTRUCTED) if host.ours else (host.model,)
    for name in names:
        capabilities, completion = asyncio.run(story(name))
        shown = httpx.post(f"{host.address}/api/show", json={"model": name}).json()
        assert capabilities.chat == (shown["template"] != "{{ .Prompt }}")
        assert capabilities.raw != capabilities.chat
        assert capabilities.parameters_billion
        assert completion.text.strip()


@pytest.mark.parametrize("mode", ["raw", "chat"])
def test_an_answer_is_held_to_a_schema_whose_keys_come_in_the_order_of_the_alphabet_in_a_chat(host, mode):
    words = {"type": "string", "pattern": "^[A-Za-z][a-z ]{1,20}$"}
    schema = {
        "type": "object",
        "properties": {"words": words, "aim": {"enum": ["talk", "rest"]}},
        "required": ["words", "aim"],
        "additionalProperties": False,
    }
    text = ask(host, Request(PROMPT, max_tokens=200, schema=schema, seed=1), mode=mode).text
    # A small base model may go on with white space for ever behind the first key; what it began is a schema's even so.
    first = re.match(r'\{\s*"(words|aim)"', text)
    assert first, text
    assert mode == "raw" or first[1] == "aim"


@pytest.mark.parametrize(
    ("schema", "begins"),
    [
        (words_schema(), r'\{\s*"words"'),
        (words_schema(["ink bottle"]), r'\{\s*"words"'),
        (command_schema(["look bell", "go north"]), r'\{\s*"command"'),
        (line_schema(["look bell", "go north"]), r'"(look bell|go north)'),
    ],
)
def test_no_schema_that_agents_ask_with_is_refused(host, schema, begins, caplog):
    text = ask(host, Request(PROMPT, max_tokens=60, schema=schema, seed=1)).text
    assert re.match(begins, text), text
    assert "refuses a schema" not in caplog.text


def test_a_schema_that_the_host_refuses_is_left_out(host):
    schema = {"type": "object", "properties": {"a": {"$ref": "#/nowhere"}}, "required": ["a"]}
    assert ask(host, Request(PROMPT, max_tokens=4, schema=schema)).completion_tokens > 0


def test_prompt_longer_than_estimated_is_refused_uncut(host):
    async def story():
        model = OllamaModel(host.address, host.model, ModelOptions(num_ctx=1024))
        await model.start()
        with pytest.raises(ModelError) as caught:
            # Every letter is a token of its own: 1,010 tokens are expected, and there are more than the context has.
            await model.complete(host.patient(Request("Ω ☃ ж ∑ " * 240, max_tokens=2)))
        await model.close()
        return caught.value

    error = asyncio.run(story())
    assert "has no room for so long a request" in error.problem
    assert error.about_request


def test_after_any_failure_the_next_request_is_answered(our_host):
    async def story():
        model = OllamaModel(our_host.address, "dies-midway")
        with pytest.raises(ModelError, match="broke off"):
            await model.complete(Request(PROMPT))
        await model.close()

    asyncio.run(story())
    assert ask(our_host, Request(PROMPT, max_tokens=3)).completion_tokens == 3


def test_auto_takes_ollama_when_it_answers_and_has_the_model(host):
    choice = asyncio.run(select_model("auto", ModelSpec("ollama", host.address, host.model)))
    assert choice.model is not None
    assert choice.model.name == f"ollama:{host.model}@{host.address}"
    assert "it answers and has the model" in choice.sentences[0]


def test_models_for_summaries_are_started_beside_and_one_that_is_not_there_is_left_out(our_host):
    names = f"no-such-model, ollama:{our_host.model}"
    like = ModelSpec("ollama", our_host.address)
    choice = asyncio.run(select_model(f"ollama:{our_host.model}", like, summary_model=names))
    assert [model.name for model in choice.summary_models] == [f"ollama:{our_host.model}@{our_host.address}"]
    assert choice.sentences[1].startswith("Summaries are made without no-such-model: ")
    assert choice.sentences[2] == f"Summaries are made with {our_host.model} on Ollama at {our_host.address}."


def test_a_model_asked_for_by_name_must_be_there(host):
    with pytest.raises(ModelError, match="Run: ollama pull no-such-model"):
        asyncio.run(select_model("ollama:no-such-model", ModelSpec("ollama", host.address)))


def test_what_our_client_sends_is_in_the_published_description(our_host, openapi):
    for mode, path, schema in (("raw", "/api/generate", "GenerateRequest"), ("chat", "/api/chat", "ChatRequest")):
        ask(our_host, Request(PROMPT, max_tokens=2, stop=("\n",), seed=1), mode=mode)
        sent = [seen["body"] for seen in our_host.seen()["requests"] if seen["path"] == path][-1]
        assert faults(openapi, schema, sent) == []


def test_what_our_server_replies_is_in_the_published_description(our_host, openapi):
    asked = {"model": our_host.model, "prompt": PROMPT, "raw": True, "options": {"num_predict": 3}}
    with httpx.Client(base_url=our_host.address, timeout=60) as client:
        lines = [json.loads(line) for line in client.post("/api/generate", json=asked).text.splitlines()]
        whole = client.post("/api/generate", json={**asked, "stream": False}).json()
        pages = {
            "ListResponse": client.get("/api/tags").json(),
            "PsResponse": client.get("/api/ps").json(),
            "VersionResponse": client.get("/api/version").json(),
            "ShowResponse": client.post("/api/show", json={"model": our_host.model}).json(),
            "GenerateResponse": whole,
        }
    found = {name: faults(openapi, name, page) for name, page in pages.items()}
    found |= {f"chunk {number}": faults(openapi, "GenerateStreamEvent", line) for number, line in enumerate(lines)}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}
    assert all(line.keys() >= DEMANDED for line in [*lines, whole])


def test_our_server_refuses_what_ollama_refuses(our_host):
    raw = {"model": our_host.model, "prompt": "p", "raw": True, "system": "s"}
    logprobs = {"model": our_host.model, "prompt": "p", "top_logprobs": 21}
    with httpx.Client(base_url=our_host.address, timeout=60) as client:
        statuses = [client.post("/api/generate", json=body).status_code for body in (raw, logprobs, {})]
        loaded = client.post("/api/generate", json={"model": our_host.model}).json()
    assert statuses == [400, 400, 400]
    assert (loaded["done_reason"], loaded["response"]) == ("load", "")


def faults(openapi: Any, schema: str, page: Any) -> list[str]:
    """Return how the page differs from the schema; keys that the schema does not name are faults too."""
    import jsonschema

    whole = {**openapi["components"]["schemas"][schema], "components": openapi["components"]}
    wrong = [error.message for error in jsonschema.Draft202012Validator(whole).iter_errors(page)]
    unknown = set(page) - set(whole["properties"])
    return wrong + [f"unknown key {key}" for key in sorted(unknown)]
