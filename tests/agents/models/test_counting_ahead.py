"""Counting tokens of long texts that are new holds nobody up, and gives the same figures."""

from __future__ import annotations

import asyncio
import threading

import pytest

from agents.models.embedded_model import EmbeddedModel
from agents.models.line_counts import LineCounts
from agents.models.llama_runtime import Generated
from agents.models.model import ModelError, Request
from agents.models.queue import ModelQueue, Priority

LONG = "".join(f"line {number} of what is remembered\n" for number in range(300))


class CountingRuntime:
    """A runtime that counts characters and remembers what it has counted, and in which threads."""

    has_template = False

    def __init__(self, error=None):
        self.error = error
        self.counted = []
        self.threads = set()

    def generate(self, fields, on_piece):
        on_piece("look\n")
        return Generated(1, 0, 1, "stop")

    def count_tokens(self, text):
        if self.error:
            raise self.error
        self.counted.append(text)
        self.threads.add(threading.current_thread())
        return len(text)

    def close(self):
        """Nothing is held."""


def asked(runtime, text):
    """Ask a model for something whose size has to be known first; return that size, and how often it was built."""
    made: list[int] = []

    async def story():
        model = EmbeddedModel(load=lambda: runtime)
        await model.start()
        queue = ModelQueue(model)

        def make():
            made.append(0)
            made[-1] = queue.model.count_tokens(text)
            return Request("p")

        await queue.ask("Eliza", Priority.THOUGHT, make)
        await queue.close()

    asyncio.run(story())
    return made[-1], len(made)


def test_a_long_text_that_is_new_is_counted_in_another_thread_before_a_request_is_built():
    runtime = CountingRuntime()
    assert asked(runtime, LONG) == (len(LONG), 2)
    assert threading.main_thread() not in runtime.threads
    assert len(runtime.counted) == 300


def test_a_few_new_lines_are_counted_at_once():
    runtime = CountingRuntime()
    assert asked(runtime, "one\ntwo\nthree") == (13, 1)


def test_what_cannot_be_counted_is_estimated_and_does_not_go_on_for_ever():
    runtime = CountingRuntime(ModelError("no"))
    tokens, times = asked(runtime, LONG)
    assert tokens == -(-len(LONG) * 3 // 10)
    assert times == 2


def test_while_no_request_is_built_everything_is_counted_at_once():
    async def story():
        model = EmbeddedModel(load=CountingRuntime)
        await model.start()
        queue = ModelQueue(model)
        counted = queue.model.count_tokens(LONG)
        await queue.close()
        return counted

    assert asyncio.run(story()) == len(LONG)


@pytest.mark.parametrize("text", ["", "a", "a\n", "\n\na", "a\n\n\nb\n", "a\nb\na\nb"])
def test_a_text_has_as_many_tokens_as_its_lines(text):
    counts = LineCounts(len)
    assert counts.count(text) == len(text)
    assert counts.unknown(text) == []


def test_a_line_is_counted_once():
    asked_for: list[str] = []

    def count(line):
        asked_for.append(line)
        return 1

    counts = LineCounts(count)
    assert counts.unknown("a\nb\na\n") == ["a\n", "b\n", "a\n"]
    assert counts.count("a\nb\na\n") == 3
    assert counts.count("a\nc\n") == 2
    assert asked_for == ["a\n", "b\n", "c\n"]


def test_of_many_lines_those_counted_last_are_kept():
    counts = LineCounts(len, most=4)
    for letter in "abcdef":
        counts.count(letter)
    assert [letter for letter in "abcdef" if not counts.unknown(letter)] == ["c", "d", "e", "f"]
