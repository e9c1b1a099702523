"""The Ollama model against scripted HTTP replies: what is sent, what comes back, what every failure says."""

import asyncio
import gzip
import json
from dataclasses import replace
from typing import Any

import httpx
import pytest

from agents.models.model import Capabilities, Completion, Message, ModelError, Request, Timing
from agents.models.ollama_api import CHECK_ADDRESS
from agents.models.ollama_model import OllamaModel
from tests.agents.models.places import options_in

REQUEST = Request("~Eliza>")
HOST = "http://127.0.0.1:11434"
PAGE = "<html>\n<body>Not here</body>\n</html>"
SAID = [{"response": " say", "done": False}, {"response": " hi", "done": False}]
DONE = {"response": "", "done": True, "done_reason": "stop", "prompt_eval_count": 40, "eval_count": 3}


class Host:
    """An Ollama host that gives one prepared reply and remembers what it was asked."""

    def __init__(self, *lines, status=200, error=None):
        self.body = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
        self.status = status
        self.error = error
        self.asked = []

    def __call__(self, request):
        self.asked.append((request.url.path, json.loads(request.content or "null")))
        if self.error is not None:
            raise self.error
        return httpx.Response(self.status, text=self.body)


class Ollama:
    """An Ollama host that has one model, tells what it can do, and gives each prepared reply to a question in turn.

    A reply is the lines of a stream, or (status, error); the last one is given again and again.
    """

    def __init__(self, *lines, template="{{ .Prompt }}", capabilities=("completion",), context=32768, then=()):
        self.replies = [lines or (DONE,), *then]
        self.shown = {
            "template": template,
            "capabilities": list(capabilities),
            "details": {"parameter_size": "1.5B"},
            "model_info": {"general.architecture": "qwen2", "qwen2.context_length": context},
            "parameters": 'stop "<|im_end|>"\ntemperature 0.7',
        }
        self.asked = []

    def __call__(self, request):
        path = request.url.path
        if path == "/api/tags":
            return httpx.Response(200, json={"models": [{"model": "llama3.2:latest"}]})
        if path == "/api/show":
            return httpx.Response(200, json=self.shown)
        self.asked.append((path, json.loads(request.content)))
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply[0], int):
            return httpx.Response(reply[0], json={"error": reply[1]})
        if path == "/api/chat":
            reply = [{**line, "message": {"role": "assistant", "content": line.get("response", "")}} for line in reply]
        return httpx.Response(200, text="".join(json.dumps(line) + "\n" for line in reply))

    @property
    def body(self):
        return self.asked[-1][1]


def started(host, *requests, **arguments):
    """Return a model that was started, and what it answers to each request, or the error."""

    async def story():
        model, answers = model_on(host, **arguments), []
        await model.start()
        for request in requests:
            try:
                answers.append(await model.complete(request))
            except ModelError as error:
                answers.append(error)
        return model, *answers

    return asyncio.run(story())


def model_on(host, name="llama3.2", **arguments):
    return OllamaModel(
        HOST, name, options_in(arguments), transport=httpx.MockTransport(host), now=lambda: 5.0, **arguments
    )


def answer(host, request=REQUEST, on_text=None, **arguments):
    return asyncio.run(model_on(host, **arguments).complete(request, on_text))


def failure(host, request=REQUEST, **arguments):
    with pytest.raises(ModelError) as caught:
        answer(host, request, **arguments)
    return caught.value


def test_a_stream_becomes_one_completion():
    assert answer(Host(*SAID, DONE)) == Completion(
        text=" say hi",
        model="ollama:llama3.2@http://127.0.0.1:11434",
        prompt_tokens=40,
        cached_tokens=None,
        completion_tokens=3,
        seconds=0.0,
        finish="stop",
        timing=Timing(prompt=0.0, answer=0.0),
    )


def test_what_the_host_tells_of_its_time_is_told_in_seconds():
    spent = {"load_duration": 2_000_000_000, "prompt_eval_duration": 1_500_000_000, "eval_duration": 250_000_000}
    shows = Ollama(DONE | spent)
    assert answer(shows).timing == Timing(load=2.0, prompt=1.5, answer=0.25)


def test_a_base_model_gets_the_prompt_raw_with_every_option_of_request_and_profile():
    host = Host(DONE)
    request = Request("p", 7, ("\n",), 0.2, seed=3, repeat_penalty=1.1, top_p=0.5, schema={"type": "string"})
    answer(host, request, num_ctx=2048, keep_alive="5m", think="low", constraint="json_schema")
    ((path, body),) = host.asked
    assert path == "/api/generate"
    assert body == {
        "model": "llama3.2",
        "prompt": "p",
        "raw": True,
        "stream": True,
        "keep_alive": "5m",
        "think": "low",
        "format": {"type": "string"},
        "truncate": False,
        "shift": False,
        "options": {
            "num_ctx": 2048,
            "num_predict": 7,
            "temperature": 0.2,
            "repeat_penalty": 1.1,
            "stop": ["\n"],
            "seed": 3,
            "top_p": 0.5,
        },
    }


@pytest.mark.parametrize(("given", "sent"), [("-1", -1), ("0", 0), ("1.5", 1.5), ("-1m", "-1m"), ("1h30m", "1h30m")])
def test_keep_alive_in_seconds_is_sent_as_number(given, sent):
    host = Host(DONE)
    answer(host, keep_alive=given)
    assert host.asked[0][1]["keep_alive"] == sent


def test_an_instructed_model_gets_the_prompt_through_its_template():
    host = Host(DONE)
    answer(host, mode="generate")
    assert host.asked[0][1]["raw"] is False


def test_chat_sends_the_prompt_as_the_message_of_a_user():
    host = Host({"message": {"role": "assistant", "content": "hi"}, "done": False}, {**DONE, "message": {"role": "a"}})
    assert answer(host, Request("p"), mode="chat", think=False).text == "hi"
    path, body = host.asked[0]
    assert (path, body["messages"], body["think"]) == ("/api/chat", [{"role": "user", "content": "p"}], False)


def test_listeners_hear_the_whole_text_so_far():
    heard = list[str]()
    answer(Host(*SAID, DONE), on_text=heard.append)
    assert heard == [" say", " say hi"]


def test_a_listener_that_has_enough_ends_the_answer_there_and_its_costs_are_estimates():
    ended = answer(Host(*SAID, DONE), on_text=lambda text: True)
    assert (ended.text, ended.finish, ended.is_counted, ended.completion_tokens) == (" say", "stop", False, 1)


def test_a_listener_s_own_fault_reaches_its_caller():
    def broken(text):
        raise KeyError(text)

    with pytest.raises(KeyError):
        answer(Host(*SAID, DONE), on_text=broken)


def test_an_answer_cut_by_its_limit_says_so():
    assert answer(Host(*SAID, {**DONE, "done_reason": "length"})).finish == "length"


@pytest.mark.parametrize(("counted", "prompt_tokens", "estimate"), [(240, 240, 252), (10, 300, 300)])
async def test_counts_of_whole_prompts_calibrate_and_how_much_came_from_the_cache_is_unknown(
    counted, prompt_tokens, estimate
):
    model, text = model_on(Host({**DONE, "prompt_eval_count": counted})), "abcd " * 200
    completion = await model.complete(Request(text))
    assert (completion.prompt_tokens, completion.cached_tokens) == (prompt_tokens, None)
    assert model.count_tokens(text) == estimate


@pytest.mark.parametrize(
    ("host", "said", "retryable"),
    [
        (
            Host({"error": "model 'llama3.2' not found"}, status=404),
            f"Ollama at {HOST} has no model 'llama3.2': model 'llama3.2' not found. Run: ollama pull llama3.2",
            False,
        ),
        (
            Host(error=httpx.ConnectError("All connection attempts failed")),
            f"Ollama does not answer at {HOST} (asked for 'llama3.2'). "
            "Start it with: ollama serve (https://ollama.com/download), or use --model embedded.",
            True,
        ),
        (Host(*SAID, {"error": "CUDA out of memory"}), "broke off: CUDA out of memory", True),
        (Host(), "broke off: it ended before it was done", True),
        (Host(error=httpx.ReadError("reset")), "broke off: reset", True),
        (Host(error=httpx.RemoteProtocolError("incomplete chunked read")), "incomplete chunked read", True),
        (Host(error=httpx.ReadTimeout("")), "did not finish its answer", True),
        (Host(PAGE), "does not speak Ollama's API", True),
        (Host(PAGE, status=404), f"(status 404). {CHECK_ADDRESS}", True),
        (Host(PAGE, status=502), "does not speak Ollama's API: it answers with a web page (status 502).", True),
        (Host([1, 2]), "does not speak Ollama's API", True),
        (Host({"response": 7, "done": False}), "does not speak Ollama's API: it says '7' where a text belongs", True),
        (Host({"error": "slow down"}, status=429), "status 429: slow down. Set concurrency to 1", True),
        (Host(status=302), "redirects the request (status 302). Check the address", False),
        (Host("[" * 100_000), f"does not speak Ollama's API: it says '{'[' * 60}'.", True),
        (Host("null"), "does not speak Ollama's API: it says 'null'.", True),
        (Host("404 page not found", status=404), "does not know this request (status 404)", False),
        (Host({"error": "invalid option"}, status=400), "status 400: invalid option. Take out the option", False),
    ],
)
def test_every_failure_names_host_and_model_and_what_happened(host, said, retryable):
    error = failure(host)
    assert said in str(error)
    assert HOST in str(error)
    assert "llama3.2" in str(error)
    assert "\n" not in str(error)
    assert error.retryable is retryable


@pytest.mark.parametrize("mode", ["generate", "chat"])
def test_thoughts_in_a_field_of_their_own_stand_before_the_answer_as_thoughts(mode):
    def piece(text, thought=None):
        told = {"content": text, "role": "assistant"} if mode == "chat" else {"response": text}
        of_message = {**told, "thinking": thought} if thought else told
        return {"message": of_message, "done": False} if mode == "chat" else {**of_message, "done": False}

    heard = list[str]()
    lines = [piece("", "Hm. "), piece("", "No."), piece("say "), {**piece("hi"), "done": True}]
    completion = answer(Host(*lines), on_text=heard.append, mode=mode, think=True)
    assert completion.text == "<think>Hm. No.</think>\nsay hi"
    assert heard == ["<think>Hm. No.</think>\nsay ", completion.text]


def test_an_answer_that_is_compressed_is_not_read_for_nobody_knows_how_long_it_is():
    bomb, read = gzip.compress(b" " * 1_000_000), []

    class Stream(httpx.AsyncByteStream):
        async def __aiter__(self):
            read.append(True)
            yield bomb

    def host(request):
        assert request.headers["accept-encoding"] == "identity"
        return httpx.Response(200, headers={"content-encoding": "gzip"}, stream=Stream())

    assert "does not speak Ollama's API: it compresses its answers (gzip)" in str(failure(host))
    assert not read


def test_a_host_that_says_nothing_runs_into_the_timeout():
    async def silent(request):
        await asyncio.Event().wait()

    error = failure(silent, Request("p", timeout_seconds=0.01))
    assert "did not finish its answer with 'llama3.2' within 0.01 s. It had not begun: " in str(error)


async def test_cancelling_the_task_closes_the_request():
    class Stream(httpx.AsyncByteStream):
        closed = False

        async def __aiter__(self):
            yield json.dumps(SAID[0]).encode() + b"\n"
            await asyncio.Event().wait()

        async def aclose(self):
            self.closed = True

    stream, heard = Stream(), asyncio.Event()
    model = model_on(lambda request: httpx.Response(200, stream=stream))
    task = asyncio.create_task(model.complete(Request("p"), lambda text: heard.set()))
    await heard.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert stream.closed


@pytest.mark.parametrize("name", ["llama3.2", "llama3.2:latest"])
def test_start_is_content_with_a_host_that_has_the_model(name):
    host = Host({"models": [{"model": "llama3.2:latest"}]})
    asyncio.run(model_on(host, name).start())
    assert host.asked == [("/api/tags", None), ("/api/show", {"model": name})]


def test_start_names_the_models_that_a_host_has_when_the_wanted_one_is_missing():
    host = Host({"models": [{"model": "qwen3:4b"}, {"model": "gemma3:1b"}]})
    with pytest.raises(ModelError, match=r"\(it has: gemma3:1b, qwen3:4b\)\. Run: ollama pull llama3\.2"):
        asyncio.run(model_on(host).start())


def test_start_does_not_wait_longer_than_it_may():
    async def silent(request):
        await asyncio.Event().wait()

    with pytest.raises(ModelError, match="did not say within 0.01 s whether it has"):
        asyncio.run(model_on(silent, check_seconds=0.01).start())


# What the host tells of a model, and what follows

ROLES = "{{- range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}"
TALK = Request(
    messages=(Message("system", "You are Eliza."), Message("user", "Good morning!")), schema={"type": "string"}
)
UNTOLD: dict[str, Any] = {"template": None, "details": {}, "model_info": {}, "capabilities": None}


@pytest.mark.parametrize(
    ("template", "is_chat"),
    [
        ("{{ .Prompt }}", False),
        ("", False),
        ("{{ if .System }}{{ .System }}\n{{ end }}{{ .Prompt }}", False),
        (ROLES, True),
        ("{% for message in messages %}{{ message.content }}{% endfor %}", True),
    ],
)
def test_auto_sends_messages_to_a_model_whose_template_has_roles_and_raw_text_to_others(template, is_chat):
    host = Ollama(template=template)
    model, _ = started(host, TALK)
    assert (model.capabilities.chat, model.capabilities.raw, model.capabilities.refusal) == (is_chat, not is_chat, "")
    path, body = host.asked[0]
    if is_chat:
        sent = [{"role": "system", "content": "You are Eliza."}, {"role": "user", "content": "Good morning!"}]
        assert (path, body["messages"], body["format"]) == ("/api/chat", sent, {"type": "string"})
    else:
        assert (path, body["prompt"], body["raw"]) == ("/api/generate", "You are Eliza.\n\nGood morning!", True)


def test_a_mode_that_is_given_holds_whatever_the_host_tells_and_is_warned_of_once(caplog):
    host = Ollama(template=ROLES)
    model, _ = started(host, Request("p"), mode="raw", constraint="none")
    assert (model.capabilities.chat, model.capabilities.json_schema) == (False, False)
    assert (host.asked[0][0], host.body["raw"], "format" in host.body) == ("/api/generate", True, False)
    advice = "mode raw keeps its template from it: set mode to auto"
    assert advice in model.capabilities.explanation
    assert [advice in one.message for one in caplog.records if one.levelname == "WARNING"] == [True]


def test_size_context_and_what_was_chosen_are_told():
    model, *_ = started(Ollama(template=ROLES, context=4096))
    assert model.capabilities == Capabilities(
        chat=True,
        raw=False,
        json_schema=True,
        parameters_billion=1.5,
        explanation=(
            "an instructed model; 1.5 billion parameters; mode auto takes chat; constraint json_schema; "
            "context 4096 tokens, as it was trained for, not num_ctx 8192."
        ),
    )


def test_a_host_that_tells_nothing_of_a_model_leaves_it_raw_with_the_context_of_the_settings():
    host = Ollama(DONE)
    host.shown = UNTOLD
    model, _ = started(host, Request("p"))
    assert not model.capabilities.chat
    assert host.body["options"]["num_ctx"] == 8192


def test_what_is_asked_again_after_a_load_counts_for_the_next_answer():
    host = Ollama(DONE | {"load_duration": 3_000_000_000, "eval_duration": 1})
    model, *_ = started(host)
    host.shown = host.shown | {"template": ROLES}
    asyncio.run(model.complete(Request("p")))
    assert model.capabilities.chat


def test_a_context_above_what_the_model_was_trained_for_counts_as_that():
    host = Ollama(DONE, context=2048)
    model, _, refused = started(host, Request("p"), Request("abcd " * 1500), num_ctx=16384)
    assert (model.context_tokens, host.body["options"]["num_ctx"]) == (2048, 2048)
    assert refused.problem.endswith(" has 2048.")
    assert refused.remedy.startswith("It was trained for no more")
    assert len(host.asked) == 1


def test_a_prompt_longer_than_estimated_is_sent_only_once():
    told = {"code": 400, "message": "request (2100 tokens) exceeds the available context size (2048 tokens)"}
    host = Ollama(400, json.dumps({"error": told}))
    story = Request("и" * 3200)  # 6,400 bytes, 1,920 tokens by a careful estimate
    _model, refused, again = started(host, story, story, num_ctx=2048)
    assert f"has no room for so long a request to 'llama3.2': {told['message']}." in refused.problem
    assert refused.about_request and again.about_request
    assert [body["prompt"] for _, body in host.asked].count(story.text) == 1


def test_stops_of_the_model_stand_beside_those_of_a_request():
    host = Ollama(DONE)
    started(host, Request("p", stop=("\n",)))
    assert host.body["options"]["stop"] == ["\n", "<|im_end|>"]


@pytest.mark.parametrize(("think", "sent"), [(None, False), (True, True), ("low", "low")])
def test_a_model_that_can_think_does_so_only_when_it_is_told_to(think, sent):
    host = Ollama(DONE, capabilities=("completion", "thinking"))
    started(host, Request("p"), think=think)
    assert host.body["think"] == sent


# Answers that go wrong


def test_an_answer_that_the_host_ends_without_saying_so_is_an_answer():
    repeats = [{"response": "0", "done": False}] * 31
    completion = answer(Host(*repeats))
    assert (completion.text, completion.finish, completion.is_counted) == ("0" * 31, "length", False)


@pytest.mark.parametrize("status", [400, 500])
def test_a_schema_that_the_host_refuses_is_left_out_and_that_is_said_once(status, caplog):
    refusal = (status, "failed to parse grammar")
    host = Ollama(*refusal, then=[[*SAID, DONE]] + [refusal, [*SAID, DONE]] * 2)
    model, *answers = started(host, *[TALK] * 4)
    assert [one.text for one in answers] == [" say hi"] * 4
    assert ["format" in body for _, body in host.asked] == [True, False, True, False, True, False, False]
    assert not model.capabilities.json_schema
    told = [record.message for record in caplog.records if record.levelname == "WARNING"]
    assert len(told) == 2
    assert "refuses a schema or grammar, and answers without it: " in told[0]
    assert model.capabilities.refusal.endswith(f"with status {status}: failed to parse grammar.")


def test_a_failure_that_a_schema_has_no_part_in_is_told_as_it_is():
    refusal = (400, "invalid option")
    _, error = started(Ollama(*refusal, then=[refusal]), TALK)
    assert "status 400: invalid option" in error.problem


def test_a_model_whose_template_fails_is_given_plain_text_and_that_is_said_once(caplog):
    host = Ollama(500, 'template: :3: function "now" not defined', template=ROLES, then=[[*SAID, DONE]])
    request = replace(TALK, schema=None)
    _model, *answers = started(host, request, request)
    assert [one.text for one in answers] == [" say hi"] * 2
    assert [path for path, _ in host.asked] == ["/api/chat", "/api/generate", "/api/generate"]
    assert len([record for record in caplog.records if "its template fails" in record.message]) == 1


async def test_until_a_prompt_was_counted_a_short_answer_is_read_to_its_end_and_only_so_much_of_it_taken():
    model = model_on(Host(*SAID, DONE | {"prompt_eval_count": 240}))
    request = Request("abcd " * 200)
    first, second = [await model.complete(request, lambda text: True) for _ in range(2)]
    assert [(one.text, one.is_counted) for one in (first, second)] == [(" say", True), (" say", False)]


LONG = "The river goes on, and somebody writes it down. " * 50  # 2,400 characters


def test_a_long_prompt_is_read_in_pieces_so_that_it_can_give_way_and_only_once():
    host = Ollama(*SAID, DONE | {"prompt_eval_duration": 2_000_000_000, "eval_duration": 1_000_000_000})
    _model, first, second = started(host, Request(LONG), Request(f"{LONG}And then?"))
    assert [len(body["prompt"]) for _, body in host.asked] == [1000, 2400, 2409]
    assert [body["options"]["num_predict"] for _, body in host.asked] == [1, 60, 60]
    assert (first.text, first.timing.prompt, second.timing.prompt) == (" say hi", 4.0, 2.0)


def test_what_a_host_has_read_is_read_again_once_the_model_was_loaded_again():
    done = DONE | {"prompt_eval_duration": 2_000_000_000, "eval_duration": 1_000_000_000}
    loaded = [*SAID, done | {"load_duration": 6_000_000_000}]
    host = Ollama(*SAID, done, then=[[*SAID, done], loaded])
    model, *_ = started(host, Request(LONG), Request("Something else."))
    assert model.unread(Request(LONG)) == len(LONG)


def test_a_piece_that_fails_leaves_it_to_the_request_itself():
    host = Ollama(500, "out of memory", then=[[*SAID, DONE]])
    _model, said = started(host, Request(LONG))
    assert said.text == " say hi"
