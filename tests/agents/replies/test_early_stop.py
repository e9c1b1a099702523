"""An answer ends as soon as it has its command, and comes to the same command as the whole of it would."""

from __future__ import annotations

import asyncio

import pytest

from agents.models.model import Request
from agents.replies.early_stop import Listener, is_enough
from agents.replies.reply import Reply, first_command
from tests.agents.replies.test_reply import EXITS, ROWS, TABLE
from tests.scripted_model import ScriptedModel

MORE = "\nI chose this because it is friendly, and because nothing else comes to mind just now.\n" * 8
THOUGHT = "<think>Who is this?\nI could say no.\n\nsay no\n" + "Hm. " * 30 + "</think>\n\n"


def read(text: str) -> Reply:
    return first_command(text, "Eliza", TABLE, EXITS)


def heard(text: str, thinks: bool = False, most_tokens: int = 48) -> str:
    """Return as much of a text as a model would write before it is ended; it writes a character at a time."""
    listener = Listener(read, thinks, most_tokens, lambda text: len(text.split()))
    return next((text[:end] for end in range(1, len(text) + 1) if listener(text[:end])), text)


@pytest.mark.parametrize(("reply", "line"), ROWS)
def test_ending_early_never_changes_the_command(reply, line):
    assert read(heard(reply)).line == line


@pytest.mark.parametrize(("reply", "line"), [(reply, line) for reply, line in ROWS if line and "think" not in reply])
def test_whatever_follows_a_command_is_not_waited_for(reply, line):
    text = heard(reply + MORE)
    assert len(text) < len(reply) + len(MORE) / 2
    assert read(text).line == read(reply + MORE).line


@pytest.mark.parametrize(
    ("text", "enough"),
    [
        ("say hi", False),
        ("say hi\n", False),  # a reason may follow
        ("say hi\nREASON: he", False),
        ("say hi\nREASON: he is new here, and nobody has", False),
        ("say hi\nREASON: he is new here\n", True),
        ("say hi\nMoss says,", False),
        ("say hi\nMoss says, \"It is a fine day for", True),
        ("say hi | he is new\n", True),
        ("I will greet him.\n", False),
        ("I will greet him.\nsay hi\nThis is a friendly thing to do", True),
        ("<think>I could\nsay no\nor something else entirely, but which", False),
        ("{\n  \"command\": \"say\",\n", False),
    ],
)  # fmt: skip
def test_a_command_counts_when_its_line_and_its_reason_have_ended(text, enough):
    assert is_enough(text, read) == enough


def test_a_model_that_thinks_is_waited_for_until_it_has_thought():
    assert heard(THOUGHT + "say hi\n" + MORE, thinks=True).startswith(THOUGHT + "say hi\n")


def test_a_model_that_thinks_may_talk_no_longer_than_others_when_it_has_thought():
    text = heard(THOUGHT + "I wonder. " * 200, thinks=True, most_tokens=48)
    assert len(text) < len(THOUGHT) + 48 * 10


def test_a_chatty_model_writes_a_fraction_of_its_tokens():
    reply = "Sure! Here is what I do:\nsay Good morning, Moss.\n" + MORE
    listener = Listener(read, False, 48, lambda text: len(text.split()))

    async def ask(listen: bool) -> int:
        model = ScriptedModel(reply)
        answer = await model.complete(Request("~Eliza>", max_tokens=400), listener if listen else None)
        return answer.completion_tokens

    assert asyncio.run(ask(True)) < 0.2 * asyncio.run(ask(False))
