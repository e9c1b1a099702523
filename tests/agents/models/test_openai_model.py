"""The OpenAI-compatible model against scripted HTTP replies: what is sent, what comes back, what every failure says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from agents.models.model import Completion, Message, ModelError, ModelOptions, Request, Timing
from agents.models.openai_api import size_in_name
from agents.models.openai_model import OpenAIModel
from agents.models.thoughts import without_thoughts
from tests.agents.models.places import options_in

REQUEST = Request("~Eliza>")
ADDRESS = "http://127.0.0.1:8000/v1"
SAID = [{"choices": [{"text": " say"}]}, {"choices": [{"text": " hi", "finish_reason": "stop"}]}]
USAGE = {
    "choices": [],
    "usage": {"prompt_tokens": 40, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 30}},
}


class Server:
    """A server that gives one prepared reply and remembers what it was asked."""

    def __init__(self, *events: Any, status: int = 200, text: str = "", error: Exception | None = None, kind: str = ""):
        told = [f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n" for event in events]
        self.text = text or "".join(told)
        self.status = status
        self.error = error
        self.kind = kind or "text/event-stream"
        self.asked: list[Any] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append((str(request.url), json.loads(request.content or "null"), dict(request.headers)))
        if self.error is not None:
            raise self.error
        return httpx.Response(self.status, text=self.text, headers={"content-type": self.kind})

    @property
    def body(self) -> Any:
        return self.asked[-1][1]


def model_on(server, address=ADDRESS, mode="raw", constraint="none", **arguments):
    arguments |= {"mode": mode, "constraint": constraint}
    return OpenAIModel(
        address,
        "gemma",
        options_in(arguments),
        transport=httpx.MockTransport(server),
        now=lambda: 5.0,
        **arguments,
    )


def answer(server, request=REQUEST, on_text=None, **arguments):
    return asyncio.run(model_on(server, **arguments).complete(request, on_text))


def failure(server, request=REQUEST, **arguments):
    with pytest.raises(ModelError) as caught:
        answer(server, request, **arguments)
    return caught.value


def test_a_stream_becomes_one_completion_with_its_costs():
    assert answer(Server(*SAID, USAGE, "[DONE]")) == Completion(
        text=" say hi",
        model="openai:gemma@http://127.0.0.1:8000/v1",
        prompt_tokens=40,
        cached_tokens=30,
        completion_tokens=3,
        seconds=0.0,
        finish="stop",
        timing=Timing(prompt=0.0, answer=0.0),
    )


def test_a_base_model_gets_the_prompt_as_it_is_with_every_option():
    server = Server(*SAID)
    answer(server, Request("p", 7, ("\n",), 0.2, seed=3, repeat_penalty=1.1, top_p=0.5))
    url, body, _ = server.asked[0]
    assert url == f"{ADDRESS}/completions"
    assert body == {
        "model": "gemma",
        "prompt": "p",
        "max_tokens": 7,
        "temperature": 0.2,
        "top_p": 0.5,
        "seed": 3,
        "stop": ["\n"],
        "repeat_penalty": 1.1,
        "repetition_penalty": 1.1,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_thoughts_in_a_field_of_their_own_stand_before_the_answer_as_thoughts(field):
    thoughts = [{"choices": [{"delta": {"content": None, field: piece}}]} for piece in ("Hm. ", "say </think> no")]
    server = Server(*thoughts, {"choices": [{"delta": {"content": "hi"}, "finish_reason": "stop"}]})
    text = answer(server, mode="chat").text
    assert text == "<think>Hm. say ‹/think> no</think>\nhi"
    assert without_thoughts(text).strip() == "hi"


def test_chat_sends_the_prompt_as_the_message_of_a_user():
    first = {"choices": [{"delta": {"role": "assistant", "content": ""}}]}
    server = Server(first, {"choices": [{"delta": {"content": "hi"}, "finish_reason": "length"}]})
    completion = answer(server, mode="chat", think=False)
    assert (completion.text, completion.finish) == ("hi", "length")
    assert server.asked[0][0] == f"{ADDRESS}/chat/completions"
    assert server.body["messages"] == [{"role": "user", "content": "~Eliza>"}]
    assert server.body["chat_template_kwargs"] == {"enable_thinking": False}


@pytest.mark.parametrize(
    ("constraint", "sent"),
    [
        ("none", {}),
        ("grammar", {"grammar": "root ::= x"}),
        ("guided_grammar", {"guided_grammar": "root ::= x"}),
        ("structured_outputs", {"structured_outputs": {"grammar": "root ::= x"}}),
        (
            "json_schema",
            {
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "reply", "schema": {"type": "string"}},
                }
            },
        ),
    ],
)
def test_a_grammar_or_schema_goes_along_as_the_profile_says_and_not_otherwise(constraint, sent):
    server, plain = Server(*SAID), Server(*SAID)
    answer(server, Request("p", grammar="root ::= x", schema={"type": "string"}), constraint=constraint)
    answer(plain, Request("p"), constraint=constraint)
    assert {key: value for key, value in server.body.items() if key not in plain.body} == sent


def test_a_key_and_an_address_without_a_path_are_used_as_they_are_meant():
    server = Server(*SAID)
    answer(server, address="http://127.0.0.1:8000", api_key="secret")
    assert server.asked[0][0] == "http://127.0.0.1:8000/v1/completions"
    assert server.asked[0][2]["authorization"] == "Bearer secret"


def test_what_llama_cpp_has_in_its_cache_is_read_from_its_timings():
    done = {"choices": [{"text": "", "finish_reason": "stop"}], "timings": {"cache_n": 25, "prompt_n": 5}}
    assert answer(Server(*SAID[:1], done, USAGE | {"usage": {"prompt_tokens": 30}})).cached_tokens == 25


def test_a_listener_that_has_enough_ends_the_answer_and_the_request_and_its_costs_are_estimates():
    closed = []

    class Endless(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            while True:
                yield b'data: {"choices": [{"text": " say"}]}\n\n'

        async def aclose(self) -> None:
            closed.append(True)

    server = httpx.MockTransport(lambda request: httpx.Response(200, stream=Endless()))
    model = OpenAIModel(ADDRESS, "gemma", ModelOptions("raw", constraint="none"), transport=server)
    completion = asyncio.run(model.complete(REQUEST, lambda text: len(text) > 8))
    assert (completion.text, completion.finish, closed) == (" say say say", "stop", [True])
    assert (completion.is_counted, completion.cached_tokens) == (False, None)


HTML = "<html><body>It works!</body></html>"


@pytest.mark.parametrize(
    ("server", "problem", "retryable"),
    [
        (Server(error=httpx.ConnectError("no")), f"No server answers at {ADDRESS} (asked for 'gemma').", True),
        (Server(error=httpx.ReadError("gone")), "The answer of 'gemma' from http://127.0.0.1:8000/v1 broke off", True),
        (Server(text=HTML, kind="text/html"), "does not speak OpenAI's API: it answers with a web page.", True),
        (Server(text=HTML), "does not speak OpenAI's API: it says '<html><body>It works!</body></html>'.", True),
        (Server(), "broke off: it ended before it was done.", True),
        (Server(SAID[0], '{"choices": [{"te'), """does not speak OpenAI's API: it says '{"choices": [{"te'.""", True),
        (Server("[1, 2]"), "does not speak OpenAI's API: it says '[1, 2]'.", True),
        (Server({"choices": ["x"]}), "does not speak OpenAI's API: a choice that is none.", True),
        (
            Server(SAID[0], {"error": {"message": "out of memory", "code": 500}}),
            "broke off: out of memory.",
            True,
        ),
        (
            Server(status=404, text='{"error": {"message": "The model `gemma` does not exist."}}'),
            "has no model 'gemma': The model `gemma` does not exist.",
            False,
        ),
        (Server(status=404, text='{"detail": "Not Found"}'), "this request (status 404): Not Found.", False),
        (Server(status=401, text='{"error": "no key"}'), "wants another key for 'gemma' (status 401): no key.", False),
        (
            Server(status=400, text='{"error": {"message": "unknown field seed"}}'),
            "refused the request for 'gemma' with status 400: unknown field seed.",
            False,
        ),
        (Server(status=503, text="Loading model"), "with status 503: Loading model.", True),
    ],
)
def test_every_failure_says_what_is_wrong_and_what_to_do(server, problem, retryable):
    error = failure(server)
    assert problem in error.problem
    assert error.remedy
    assert error.retryable is retryable
    assert "\n" not in str(error)


def test_costs_that_are_no_numbers_and_logprobs_that_are_nan_do_no_harm():
    choice = '{"text": "hi", "finish_reason": "stop", "logprobs": {"token_logprobs": [NaN]}}'
    completion = answer(Server(f'{{"choices": [{choice}], "usage": {{"prompt_tokens": NaN}}}}'))
    assert (completion.text, completion.prompt_tokens) == ("hi", 3)  # an estimate


def listing(*entries: dict[str, str]) -> Server:
    return Server(text=json.dumps({"data": entries}), kind="application/json")


def test_a_start_finds_the_model_or_says_which_there_are():
    asyncio.run(model_on(listing({"id": "gemma"})).start())
    asyncio.run(model_on(listing({"id": "any.gguf", "owned_by": "llamacpp"})).start())
    with pytest.raises(ModelError, match=r"has no model 'gemma' \(it has: other\)\. Load it there"):
        asyncio.run(model_on(listing({"id": "other"})).start())
    with pytest.raises(ModelError, match="does not speak OpenAI's API"):
        asyncio.run(model_on(Server(text=HTML)).start())


def test_an_answer_that_ends_well_without_a_reason_is_an_answer_cut_off():
    completion = answer(Server(SAID[0]))
    assert (completion.text, completion.finish) == (" say", "length")


def test_where_the_time_went_is_read_from_llama_cpp_s_timings():
    done = {"choices": [{"text": "", "finish_reason": "stop"}], "timings": {"prompt_ms": 1500, "predicted_ms": 250.0}}
    assert answer(Server(SAID[0], done)).timing == Timing(prompt=1.5, answer=0.25)


@pytest.mark.parametrize(
    "said",
    [
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
        "request (10802 tokens) exceeds the available context size (8192 tokens)",
    ],
)
def test_a_request_that_is_too_long_for_the_server_is_no_fault_of_the_server(said):
    error = failure(Server(status=400, text=json.dumps({"error": {"message": said}})))
    assert error.about_request
    assert "has no room for so long a request" in error.problem
    assert "Set num_ctx" in error.remedy


# What is found out by trying


class Trying:
    """A server with these ways of asking: `paths` that it knows, and `fields` that hold its answers to something."""

    def __init__(self, *paths: str, fields: tuple[str, ...] = (), refuses: tuple[str, ...] = (), entry: Any = None):
        self.paths = paths
        self.fields = fields
        self.refuses = refuses
        self.entry = entry or {"id": "gemma"}
        self.asked: list[tuple[str, Any]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path.removeprefix("/v1/")
        if path == "models":
            return httpx.Response(200, json={"data": [self.entry]})
        body = json.loads(request.content)
        self.asked.append((path, body))
        if path not in self.paths:
            return httpx.Response(404, json={"detail": "Not Found"})
        if unknown := [name for name in self.refuses if name in body]:
            return httpx.Response(400, json={"error": {"message": f"{unknown[0]} is not supported"}})
        text = self._text(body)
        if not body.get("stream"):
            choice = {"message": {"content": text}} if path.startswith("chat") else {"text": text}
            return httpx.Response(200, json={"choices": [choice]})
        choice = {"delta": {"content": text}} if path.startswith("chat") else {"text": text}
        event = {"choices": [{**choice, "finish_reason": "stop"}]}
        return httpx.Response(200, text=f"data: {json.dumps(event)}\n\n")

    def _text(self, body: Any) -> str:
        if "response_format" in body and "response_format" in self.fields:
            return '{"answer": "fallwater"}'
        return "fallwater" if any(name in body for name in self.fields) else "Paris, of course."


CHAT, RAW = "chat/completions", "completions"
TALK = (Message("system", "You are Eliza."), Message("user", "Good morning!"))


@pytest.mark.parametrize(
    ("server", "found"),
    [
        (Trying(CHAT, RAW, fields=("response_format",)), ("chat", "json_schema")),
        (Trying(CHAT, RAW), ("chat", "none")),
        (Trying(CHAT, RAW, refuses=("response_format",)), ("chat", "none")),
        (Trying(RAW, fields=("grammar",)), ("raw", "grammar")),
        (Trying(RAW, fields=("structured_outputs",)), ("raw", "structured_outputs")),
        (Trying(RAW, refuses=("grammar",), fields=("guided_grammar",)), ("raw", "guided_grammar")),
        (Trying(RAW), ("raw", "none")),
    ],
)
async def test_auto_takes_messages_if_the_server_does_and_the_first_constraint_that_it_keeps_to(server, found):
    model = model_on(server, mode="auto", constraint="auto")
    await model.start()
    tried = len(server.asked)
    await model.start()
    tried_again = len(server.asked) - tried
    mode, constraint = found
    can = model.capabilities
    assert f"mode auto takes {mode}; constraint {constraint}; " in can.explanation
    assert (can.chat, can.raw, can.json_schema) == (mode == "chat", mode == "raw", constraint == "json_schema")
    assert can.grammar == (constraint not in ("json_schema", "none"))
    assert tried_again == 0


def test_what_is_given_is_not_tried():
    server = Trying(CHAT, RAW, fields=("response_format",))
    asyncio.run(model_on(server, mode="chat", constraint="grammar").start())
    assert server.asked == []


def test_messages_reach_a_server_that_takes_them_and_one_that_does_not_as_one_text():
    chat, raw = Trying(CHAT), Trying(RAW)
    for server in (chat, raw):
        answer(server, Request(messages=TALK), mode="auto", constraint="auto")
    assert chat.asked[-1][1]["messages"] == [
        {"role": "system", "content": "You are Eliza."},
        {"role": "user", "content": "Good morning!"},
    ]
    assert raw.asked[-1][1]["prompt"] == "You are Eliza.\n\nGood morning!"


async def test_a_server_that_takes_neither_is_told_and_tried_again_at_the_next_start():
    server = Trying()
    model = model_on(server, mode="auto")
    with pytest.raises(ModelError, match=r"does not know this request \(status 404\)"):
        await model.start()
    server.paths = (CHAT,)
    await model.start()
    assert model.capabilities.chat


async def test_a_server_that_is_still_loading_is_tried_with_the_first_request():
    class Loading(Trying):
        loads = True

        async def __call__(self, request):  # type: ignore[override]
            if self.loads and not request.url.path.endswith("models"):
                await asyncio.Event().wait()
            return super().__call__(request)

    server = Loading(RAW)
    model = model_on(server, mode="auto", constraint="auto", trial_seconds=0.01)
    await model.start()
    told = model.capabilities.explanation
    server.loads = False
    await model.complete(REQUEST)
    is_raw = model.capabilities.raw
    assert told.startswith("its server has not been tried yet; ")
    assert is_raw


async def test_a_schema_that_the_server_refuses_is_left_out_and_that_is_said_once(caplog):
    server = Trying(CHAT, refuses=("response_format",))
    request = Request(messages=TALK, schema={"type": "object"})
    model = model_on(server, mode="chat", constraint="json_schema")
    texts = [(await model.complete(request)).text for _ in range(4)]
    assert (texts, model.capabilities.json_schema) == (["Paris, of course."] * 4, False)
    assert ["response_format" in body for _, body in server.asked] == [True, False, True, False, True, False, False]
    assert len([one for one in caplog.records if "answers without it" in one.message]) == 1


@pytest.mark.parametrize(
    ("entry", "context", "billions"),
    [
        ({"id": "gemma", "max_model_len": 4096}, 4096, None),
        ({"id": "x", "owned_by": "llamacpp", "meta": {"n_ctx_train": 2048, "n_params": 1_500_000_000}}, 2048, 1.5),
        ({"id": "gemma", "max_model_len": "long", "meta": 7}, 8192, None),
    ],
)
def test_context_and_size_are_read_where_servers_tell_them(entry, context, billions):
    model = model_on(Trying(CHAT, entry=entry))
    asyncio.run(model.start())
    assert (model.context_tokens, model.capabilities.parameters_billion) == (context, billions)


@pytest.mark.parametrize(
    ("name", "billions"),
    [
        ("Qwen/Qwen2.5-7B-Instruct-AWQ", 7.0),
        ("llama-3.2-1b", 1.0),
        ("smollm2-135m-instruct", 0.135),
        ("qwen2.5-coder:1.5b", 1.5),
        ("mixtral-8x7b", 56.0),
        ("gpt-4o-mini", None),
        ("gemma-3n-e4b", None),
        ("claude-3-5-haiku", None),
        ("claude-opus-4-1m", None),
        ("stablelm-2-1_6b", 1.6),
    ],
)
def test_where_no_server_tells_the_size_the_name_may(name, billions):
    assert size_in_name(name) == billions
