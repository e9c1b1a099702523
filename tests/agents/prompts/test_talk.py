"""A life as a talk: others' words bare, own words as the assistant's, all else in brackets, and no secret."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from agents.memory.facts.narration_parser import NarrationParser
from agents.models.model import Message
from agents.prompts.talk import Talk, merged, words_json
from tests.english import ENGLISH
from vault.memory.memory_line import Memory

TALK = Talk("Rook", NarrationParser(lambda: ENGLISH), lambda: ENGLISH)


def heard(who: str, words: str, kind: str = "observed", **fields: object) -> Memory:
    """Return the memory of somebody's words."""
    text = ENGLISH("narration.says", who=who, text=words)
    return Memory(1, 0, kind, "The Mill", text, (who,), **fields)  # type: ignore[arg-type]


def own(line: str) -> Memory:
    return Memory(1, 0, "acted", "The Mill", line)


memories = st.one_of(
    st.builds(heard, st.sampled_from(["Ana", "Ben"]), st.sampled_from(["Is it late?", "(It is.)", "小明？"])),
    st.sampled_from(["say It is. | I am tired", "look", "whisper Ana …"]).map(own),
    st.sampled_from([Memory(1, 0, "observed", "The Mill", "Ana arrives from The Yard.", ("Ana",))]),
)


def lines(life: list[Memory]) -> list[Message]:
    return list(TALK.lines([(one, one.text) for one in life]))


@given(st.lists(memories, max_size=8), st.integers(0, 8))
def test_a_line_of_a_talk_does_not_depend_on_what_follows(life, count):
    assert lines(life[:count]) == lines(life)[: len(life[:count])]


def test_a_speaker_is_named_where_the_speaker_changes_and_own_words_are_the_assistants():
    life = [heard("Ana", "Is it late?"), own("say It is. | I am tired"), heard("Ana", "Good."), heard("Ben", "Hm.")]
    assert lines(life) == [
        Message("user", "(Ana says:)\nIs it late?"),
        Message("assistant", words_json("It is.")),
        Message("user", "Good."),
        Message("user", "(Ben says:)\nHm."),
    ]


def test_what_nobody_says_aloud_stands_in_brackets_and_so_does_what_was_whispered():
    withheld = heard("Ana", "…", "told", parties=("Ana", "Rook"))
    life = [withheld, own("whisper Ana …"), own("look | why not"), Memory(1, 0, "observed", "The Mill", "It rains.")]
    assert lines(life) == [
        Message("user", f"({withheld.text})"),
        Message("user", "(You: whisper Ana …)"),
        Message("user", "(You: look)"),
        Message("user", "(It rains.)"),
    ]


def test_words_that_wait_are_told_once_more_unless_they_were_said_last():
    asked, answered = lines([heard("Ana", "Is it late?")]), lines([heard("Ana", "Is it late?"), own("say It is.")])
    assert TALK.once_more(asked, "Ana", "Is it late?", is_private=False) == []
    assert TALK.once_more(answered, "Ana", "", is_private=False) == []
    for is_private, opening in ((False, "(Ana says:)"), (True, "(Ana says to you alone:)")):
        waiting = TALK.once_more(answered, "Ana", "And now?\nWell?", is_private)
        assert waiting == [Message("user", f"{opening}\nAnd now?\nWell?")]


@given(st.lists(st.builds(Message, st.sampled_from(["user", "assistant"]), st.sampled_from("ab"))))
def test_merged_messages_take_turns_and_lose_no_line(messages):
    found = merged(messages)
    assert all(one.role != other.role for one, other in pairwise(found))
    kept = [line for one in found for line in one.content.split("\n") if line != "…"]
    assert kept == [one.content for one in messages]
