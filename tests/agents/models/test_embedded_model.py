"""The embedded model around a runtime that is scripted: threads, stopping, timeouts, errors."""

from __future__ import annotations

import asyncio
import threading
from contextlib import asynccontextmanager

import pytest

from agents.models.embedded_model import EmbeddedModel, LineTokenCache
from agents.models.llama_runtime import Generated
from agents.models.model import Completion, Message, ModelError, Request, Timing
from agents.models.queue import ModelQueue
from agents.models.scheduler import Priority
from tests.agents.models.places import options_in

REQUEST = Request("~Eliza>")


class ScriptedRuntime:
    """Says pieces until it is asked to stop; `endless` never stops by itself. It has a token for each character.

    It remembers what it was asked to count, and in which threads.
    """

    has_template = False

    def __init__(self, *pieces, endless=False, error=None):
        self.pieces = pieces
        self.endless = endless
        self.error = error
        self.fields = []
        self.thread = None
        self.busy = threading.Event()
        self.ended = threading.Event()
        self.closed = False
        self.counted = []
        self.counting_threads = set()

    def generate(self, fields, on_piece):
        self.fields.append(fields)
        self.thread = threading.current_thread()
        self.busy.set()
        if self.error is not None:
            raise self.error
        stopped = any(on_piece(piece) for piece in self.pieces)
        while self.endless and not stopped:
            stopped = on_piece("")
        self.ended.set()
        return Generated(9, 4, len(self.pieces), "cancelled" if stopped else "stop", 1.5, 0.5)

    def count_tokens(self, text):
        if self.error is not None:
            raise self.error
        self.counted.append(text)
        self.counting_threads.add(threading.current_thread())
        return len(text)

    def close(self):
        self.closed = True


@asynccontextmanager
async def started(runtime, **arguments):
    """Yield a model that has loaded a runtime, and close it at the end."""
    model = EmbeddedModel(None, options_in(arguments), load=lambda: runtime, now=lambda: 5.0, **arguments)
    await model.start()
    try:
        yield model
    finally:
        await model.close()


def answer(runtime, request=REQUEST, on_text=None, **arguments):
    async def ask():
        async with started(runtime, **arguments) as model:
            return await model.complete(request, on_text)

    return asyncio.run(ask())


def test_the_pieces_become_one_text_with_its_costs():
    assert answer(ScriptedRuntime(" say", " hi")) == Completion(
        text=" say hi",
        model="embedded:gemma-3-270m",
        prompt_tokens=9,
        cached_tokens=4,
        completion_tokens=2,
        seconds=0.0,
        finish="stop",
        timing=Timing(prompt=1.5, answer=0.5),
    )


def test_the_request_reaches_the_runtime_with_everything_in_it():
    runtime = ScriptedRuntime("x")
    request = Request("p", max_tokens=7, stop=("\n",), temperature=0.2, seed=3, grammar="root", repeat_penalty=1.1)
    answer(runtime, request)
    assert runtime.fields == [
        {
            "prompt": "p",
            "max_tokens": 7,
            "stop": ["\n"],
            "temperature": 0.2,
            "repeat_penalty": 1.1,
            "cache_prompt": True,
            "seed": 3,
            "grammar": "root",
        }
    ]


def test_a_thought_is_kept_from_echoing_phrases():
    runtime = ScriptedRuntime("x")
    answer(runtime, Request("p", temperature=0.9))
    assert runtime.fields[0]["dry_multiplier"] == 0.8


def test_listeners_hear_the_whole_text_so_far_on_the_event_loop_s_thread():
    heard, runtime = [], ScriptedRuntime("a", "", "b")
    answer(runtime, on_text=lambda text: heard.append((text, threading.current_thread())))
    assert heard == [("a", threading.main_thread()), ("ab", threading.main_thread())]
    assert runtime.thread is not threading.main_thread()


def test_a_listener_that_has_enough_ends_the_answer_there():
    completion = answer(ScriptedRuntime("a", "b", endless=True), on_text=lambda text: text == "a")
    assert (completion.text, completion.finish) == ("a", "stop")


def test_a_listener_s_own_fault_reaches_its_caller():
    def broken(text):
        raise KeyError(text)

    with pytest.raises(KeyError, match="a"):
        answer(ScriptedRuntime("a", endless=True), on_text=broken)


def test_a_model_that_takes_too_long_is_stopped_and_named():
    runtime = ScriptedRuntime(endless=True)
    with pytest.raises(ModelError, match=r"embedded:gemma-3-270m did not finish within 0\.01 s"):
        answer(runtime, Request("p", timeout_seconds=0.01))
    assert runtime.ended.is_set()


async def test_cancelling_the_task_stops_the_generation():
    runtime = ScriptedRuntime(endless=True)
    async with started(runtime) as model:
        task = asyncio.create_task(model.complete(REQUEST))
        await asyncio.to_thread(runtime.busy.wait)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.to_thread(runtime.ended.wait)


async def test_closing_ends_a_running_answer_as_cancelled():
    runtime = ScriptedRuntime("a", endless=True)
    async with started(runtime) as model:
        task = asyncio.create_task(model.complete(REQUEST))
        await asyncio.to_thread(runtime.busy.wait)
    assert (await task).finish == "cancelled"
    assert runtime.closed


def test_the_runtime_s_error_reaches_the_caller():
    with pytest.raises(ModelError, match="refused"):
        answer(ScriptedRuntime(error=ModelError("refused")))


def test_before_start_it_says_that_it_is_not_loaded():
    with pytest.raises(ModelError, match="is not loaded"):
        asyncio.run(EmbeddedModel().complete(Request("p")))


async def test_starting_twice_loads_once():
    loaded = iter([ScriptedRuntime()])
    model = EmbeddedModel(load=lambda: next(loaded))
    await model.start()
    await model.start()
    await model.close()


@pytest.mark.parametrize(("error", "tokens"), [(None, 10), (ModelError("no"), 3)])
async def test_tokens_are_counted_exactly_once_the_model_is_loaded_or_else_estimated(error, tokens):
    assert EmbeddedModel().count_tokens("abcdefghij") == 3
    async with started(ScriptedRuntime(error=error)) as model:
        assert model.count_tokens("abcdefghij") == tokens


TALK = (Message("system", "You are Eliza."), Message("user", "Good morning!"))


class InstructedRuntime(ScriptedRuntime):
    has_template = True


def test_a_model_with_a_template_is_sent_messages_and_others_their_text():
    instructed, base, raw = InstructedRuntime("Hi"), ScriptedRuntime("Hi"), InstructedRuntime("Hi")
    for runtime, mode in ((instructed, "auto"), (base, "auto"), (raw, "raw")):
        answer(runtime, Request(messages=TALK), mode=mode)
    assert instructed.fields[0]["messages"] == [
        {"role": "system", "content": "You are Eliza."},
        {"role": "user", "content": "Good morning!"},
    ]
    assert [runtime.fields[0]["prompt"] for runtime in (base, raw)] == ["You are Eliza.\n\nGood morning!"] * 2


def test_an_answer_is_held_to_a_grammar_or_else_a_schema_unless_nothing_shall_hold_it():
    runtime = ScriptedRuntime("x")
    both, schema = Request("p", grammar="root", schema={"type": "string"}), Request("p", schema={"type": "string"})
    for request, constraint in ((both, "auto"), (schema, "auto"), (both, "none")):
        answer(runtime, request, constraint=constraint)
    held = [{key: one[key] for key in ("grammar", "json_schema") if key in one} for one in runtime.fields]
    compact = {"type": "string", "x-guidance": {"whitespace_flexible": False}}
    assert held == [{"grammar": "root"}, {"json_schema": compact}, {}]


async def test_a_grammar_that_is_refused_is_left_out_and_that_is_said_once(caplog):
    class Refusing(ScriptedRuntime):
        def generate(self, fields, on_piece):
            if "grammar" in fields:
                raise ModelError("The model refused: failed to parse grammar.", retryable=False)
            return super().generate(fields, on_piece)

    async with started(Refusing("hi")) as model:
        texts = [(await model.complete(Request("p", grammar="("))).text for _ in range(3)]
    assert (texts, model.capabilities.grammar) == (["hi"] * 3, False)
    assert len([one for one in caplog.records if "answers without it" in one.message]) == 1


LONG = "".join(f"line {number} of what is remembered\n" for number in range(300))


async def asked(runtime, text):
    """Ask a model for something whose size has to be known first; return that size, and how often it was built."""
    made: list[int] = []
    async with started(runtime) as model:
        queue = ModelQueue(model)

        def make():
            made.append(0)
            made[-1] = queue.model.count_tokens(text)

        await queue.ask("Eliza", Priority.THOUGHT, make)
    return made[-1], len(made)


async def test_a_long_text_that_is_new_is_counted_in_another_thread_before_a_request_is_built():
    runtime = ScriptedRuntime()
    assert await asked(runtime, LONG) == (len(LONG), 2)
    assert threading.main_thread() not in runtime.counting_threads
    assert len(runtime.counted) == 300


async def test_a_few_new_lines_are_counted_at_once():
    assert await asked(ScriptedRuntime(), "one\ntwo\nthree") == (13, 1)


async def test_what_cannot_be_counted_is_estimated_and_does_not_go_on_for_ever():
    assert await asked(ScriptedRuntime(error=ModelError("no")), LONG) == (-(-len(LONG) * 3 // 10), 2)


async def test_while_no_request_is_built_everything_is_counted_at_once():
    async with started(ScriptedRuntime()) as model:
        assert ModelQueue(model).model.count_tokens(LONG) == len(LONG)


@pytest.mark.parametrize("text", ["", "a", "a\n", "\n\na", "a\n\n\nb\n", "a\nb\na\nb"])
def test_a_text_has_as_many_tokens_as_its_lines(text):
    counts = LineTokenCache(len)
    assert counts.count(text) == len(text)
    assert counts.unknown(text) == []


def test_a_line_is_counted_once():
    asked_for: list[str] = []

    def count(line: str) -> int:
        asked_for.append(line)
        return 1

    counts = LineTokenCache(count)
    assert counts.unknown("a\nb\na\n") == ["a\n", "b\n", "a\n"]
    assert counts.count("a\nb\na\n") == 3
    assert counts.count("a\nc\n") == 2
    assert asked_for == ["a\n", "b\n", "c\n"]


def test_of_many_lines_those_counted_last_are_kept():
    counts = LineTokenCache(len, most=4)
    for letter in "abcdef":
        counts.count(letter)
    assert [letter for letter in "abcdef" if not counts.unknown(letter)] == ["c", "d", "e", "f"]
