"""The Ollama model against scripted HTTP replies: what is sent, what comes back, what every failure says."""

import asyncio
import gzip
import json

import httpx
import pytest

from agents.models.model import Completion, ModelError, Request
from agents.models.ollama_model import OllamaModel

REQUEST = Request("~Eliza>")
HOST = "http://127.0.0.1:11434"
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


def model_on(host, name="llama3.2", **arguments):
    return OllamaModel(HOST, name, transport=httpx.MockTransport(host), now=lambda: 5.0, **arguments)


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
        cached_tokens=0,
        completion_tokens=3,
        seconds=0.0,
        finish="stop",
    )


def test_a_base_model_gets_the_prompt_raw_with_every_option():
    host = Host(DONE)
    request = Request("p", max_tokens=7, stop=("\n",), temperature=0.2, seed=3, repeat_penalty=1.1)
    answer(host, request, num_ctx=2048, keep_alive="5m")
    options = {"num_ctx": 2048, "num_predict": 7, "temperature": 0.2, "repeat_penalty": 1.1, "stop": ["\n"], "seed": 3}
    assert host.asked == [
        (
            "/api/generate",
            {
                "model": "llama3.2",
                "prompt": "p",
                "raw": True,
                "stream": True,
                "keep_alive": "5m",
                "options": options,
            },
        )
    ]


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
    heard = []

    def listen(text):
        heard.append(text)
        return False

    answer(Host(*SAID, DONE), on_text=listen)
    assert heard == [" say", " say hi"]


def test_a_listener_that_has_enough_ends_the_answer_there():
    completion = answer(Host(*SAID, DONE), on_text=lambda text: True)
    assert (completion.text, completion.finish) == (" say", "stop")


def test_a_listener_s_own_fault_reaches_its_caller():
    def broken(text):
        raise KeyError(text)

    with pytest.raises(KeyError):
        answer(Host(*SAID, DONE), on_text=broken)


def test_an_answer_cut_by_its_limit_says_so():
    assert answer(Host(*SAID, {**DONE, "done_reason": "length"})).finish == "length"


def test_a_count_of_only_the_evaluated_tokens_is_read_as_the_rest_being_cached():
    completion = answer(Host({**DONE, "prompt_eval_count": 10}), Request("abcd " * 200))
    assert (completion.prompt_tokens, completion.cached_tokens) == (300, 290)


def test_whole_counts_calibrate_the_estimate():
    async def estimate():
        model = model_on(Host({**DONE, "prompt_eval_count": 240}))
        await model.complete(Request("abcd " * 200))
        return model.count_tokens("abcd " * 200)

    assert asyncio.run(estimate()) == 252


def test_a_prompt_that_would_be_cut_is_refused_before_it_is_sent():
    host = Host(DONE)
    error = failure(host, Request("abcd " * 200, max_tokens=60), num_ctx=350)
    assert "need about 360 tokens" in str(error)
    assert host.asked == []
    assert not error.retryable


def test_a_model_that_is_not_pulled_is_told_with_the_line_that_pulls_it():
    error = failure(Host({"error": "model 'llama3.2' not found"}, status=404))
    assert str(error) == (
        "Ollama at http://127.0.0.1:11434 has no model 'llama3.2': model 'llama3.2' not found. "
        "Run: ollama pull llama3.2"
    )
    assert not error.retryable


def test_a_host_that_is_not_there_is_told_with_how_to_start_it():
    error = failure(Host(error=httpx.ConnectError("All connection attempts failed")))
    assert str(error).startswith("Ollama does not answer at http://127.0.0.1:11434 (asked for 'llama3.2').")
    assert error.remedy == ("Start it with: ollama serve (https://ollama.com/download), or use --model embedded.")
    assert error.retryable


@pytest.mark.parametrize(
    ("host", "said", "retryable"),
    [
        (Host(*SAID, {"error": "CUDA out of memory"}), "broke off: CUDA out of memory", True),
        (Host(*SAID), "broke off: it ended before it was done", True),
        (Host(), "broke off: it ended before it was done", True),
        (Host(error=httpx.ReadError("reset")), "broke off: reset", True),
        (Host(error=httpx.RemoteProtocolError("incomplete chunked read")), "incomplete chunked read", True),
        (Host(error=httpx.ReadTimeout("")), "did not finish its answer", True),
        (Host("<html>"), "does not speak Ollama's API", True),
        (Host([1, 2]), "does not speak Ollama's API", True),
        (Host({"response": ["not text"], "done": False}), "does not speak Ollama's API", True),
        (Host({"error": "invalid option"}, status=400), "status 400: invalid option", False),
        (Host({"error": "slow down"}, status=429), "status 429: slow down. Set concurrency to 1", True),
        (Host(status=302), "sends us elsewhere (status 302). Check the address", False),
        (Host("[" * 100_000), "does not speak Ollama's API: its answer is JSON of another kind", True),
        (Host("null"), "does not speak Ollama's API: its answer is JSON of another kind", True),
        (
            Host("<html>Bad gateway</html>", status=502),
            "does not speak Ollama's API: it answers with a web page (status 502).",
            True,
        ),
        (Host("404 page not found", status=404), "does not know what it is asked (status 404)", False),
        (Host({"error": "invalid option"}, status=400), "status 400: invalid option. Take out the option", False),
    ],
)
def test_every_failure_names_host_and_model_and_what_happened(host, said, retryable):
    error = failure(host)
    assert said in str(error)
    assert HOST in str(error)
    assert "llama3.2" in str(error)
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
    assert heard == ["<think>Hm. No.</think>\nsay "]


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


def test_an_answer_that_is_ended_early_has_estimates_for_costs_and_says_so():
    ended = answer(Host(*SAID, DONE), on_text=lambda text: True)
    assert (ended.is_counted, ended.cached_tokens) == (False, 0)
    assert answer(Host(*SAID, DONE)).is_counted


def test_a_host_that_says_nothing_runs_into_the_timeout():
    async def silent(request):
        await asyncio.Event().wait()

    error = failure(silent, Request("p", timeout_seconds=0.01))
    assert "did not finish its answer with 'llama3.2' within 0.01 s" in str(error)


def test_cancelling_the_task_closes_the_request():
    class Stream(httpx.AsyncByteStream):
        closed = False

        async def __aiter__(self):
            yield json.dumps(SAID[0]).encode() + b"\n"
            await asyncio.Event().wait()

        async def aclose(self):
            self.closed = True

    stream = Stream()

    async def cancel():
        heard = asyncio.Event()

        def listen(text):
            heard.set()
            return False

        model = model_on(lambda request: httpx.Response(200, stream=stream))
        task = asyncio.create_task(model.complete(Request("p"), listen))
        await heard.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert stream.closed


@pytest.mark.parametrize("name", ["llama3.2", "llama3.2:latest"])
def test_start_is_content_with_a_host_that_has_the_model(name):
    host = Host({"models": [{"model": "llama3.2:latest"}]})
    asyncio.run(model_on(host, name).start())
    assert host.asked == [("/api/tags", None)]


def test_start_names_the_models_that_a_host_has_when_the_wanted_one_is_missing():
    host = Host({"models": [{"model": "qwen3:4b"}, {"model": "gemma3:1b"}]})
    with pytest.raises(ModelError, match=r"\(it has: gemma3:1b, qwen3:4b\)\. Run: ollama pull llama3\.2"):
        asyncio.run(model_on(host).start())


def test_start_does_not_wait_longer_than_it_may():
    async def silent(request):
        await asyncio.Event().wait()

    with pytest.raises(ModelError, match="did not say within 0.01 s whether it has"):
        asyncio.run(model_on(silent, check_seconds=0.01).start())


@pytest.mark.parametrize(
    "host", ["http://[::1", "http://host:port", "http://:11434", "http://x:99999", "http://x:0", "ftp://x"]
)
def test_an_address_that_is_none_is_refused_with_an_example(host):
    with pytest.raises(ModelError, match=r"is not the address of an Ollama host.*http://127\.0\.0\.1:11434"):
        OllamaModel(host, "llama3.2")


@pytest.mark.parametrize("endless", [b"x" * 1000, b'{"response": "%s", "done": false}\n' % (b"x" * 1000)])
def test_an_answer_without_end_is_ended_whether_in_one_line_or_in_many(endless):
    sent = []

    class Endless(httpx.AsyncByteStream):
        async def __aiter__(self):
            for _ in range(200):
                sent.append(len(endless) * 200)
                yield endless * 200

    server = httpx.MockTransport(lambda request: httpx.Response(200, stream=Endless()))
    with pytest.raises(ModelError, match="more than any answer has. Check the address"):
        asyncio.run(OllamaModel(HOST, "llama3.2", transport=server).complete(REQUEST))
    assert sum(sent) < 18_000_000


def test_a_web_page_is_told_in_one_sentence_whatever_its_status():
    page = "<html>\n<body>Not here</body>\n</html>"
    for status in (200, 404, 500):
        error = failure(Host(page, status=status))
        assert "does not speak Ollama's API" in error.problem
        assert "Check the address in config/models.md; it ends with the port" in str(error)


def test_options_of_a_profile_reach_the_host():
    host = Host(DONE)
    answer(host, Request("p", top_p=0.5, schema={"type": "string"}), think="low", constraint="json_schema")
    body = host.asked[0][1]
    assert (body["options"]["top_p"], body["format"], body["think"]) == (0.5, {"type": "string"}, "low")
