"""The prompts that a server keeps, and the pieces in which it is given a long one."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from agents.models.model import Message, Request
from agents.models.prompt_cache import (
    FIRST_PIECE_CHARACTERS,
    KEPT_PROMPTS,
    PIECE_SECONDS,
    PromptCache,
)

LONG = "The river goes on, and somebody writes it down. " * 90  # 4,320 characters

messages = st.builds(Message, st.sampled_from(["system", "user", "assistant"]), st.text("ab \n", max_size=1500))
requests = st.one_of(
    st.builds(lambda prompt: Request(prompt, stop=("\n",), schema={}), st.text("ab \n", max_size=6000)),
    st.builds(lambda each: Request(messages=tuple(each)), st.lists(messages, min_size=1, max_size=8)),
)


def lengths(cache: PromptCache, request: Request) -> list[int]:
    return [len(piece.text) for piece in cache.pieces(request)]


@given(requests)
def test_each_piece_begins_as_the_one_before_and_the_request_as_the_last(request):
    pieces = [*PromptCache().pieces(request), request]
    for piece, longer in pairwise(pieces):
        assert longer.text.startswith(piece.text)
        assert 0 < len(piece.text) < len(longer.text)
        assert (piece.max_tokens, piece.stop, piece.schema) == (1, (), None)
        assert not piece.messages or piece.messages[-1].role != "assistant"


def test_no_piece_is_much_longer_than_another():
    found = [0, *lengths(PromptCache(), Request(LONG)), len(LONG)]
    assert [longer - one for one, longer in pairwise(found)] == [1000, 1000, 1000, 1320]


def test_of_a_text_that_has_been_read_only_what_is_new_is_read_in_pieces():
    cache = PromptCache()
    cache.note(LONG)
    assert (cache.unread(LONG), lengths(cache, Request(LONG))) == (0, [])
    assert cache.unread(f"{LONG} And then?") == len(" And then?")
    longer = Request(LONG + LONG.upper())
    assert lengths(cache, longer)[0] == len(LONG) + FIRST_PIECE_CHARACTERS


def test_a_server_that_was_started_again_has_read_nothing():
    cache = PromptCache()
    cache.note(LONG)
    cache.forget()
    assert cache.unread(LONG) == len(LONG)


def test_the_prompts_that_were_read_last_are_kept():
    cache, texts = PromptCache(), [f"{number} {LONG}" for number in range(KEPT_PROMPTS + 1)]
    for text in texts:
        cache.note(text)
        cache.note(texts[0])
    assert [cache.unread(text) < 100 for text in texts[:3]] == [True, False, True]


def test_a_piece_is_what_the_server_reads_in_its_time():
    slow, fast = PromptCache(), PromptCache()
    slow.note("a" * 1000, 1000, 2 * PIECE_SECONDS)
    fast.note("a" * 1000, 1000, PIECE_SECONDS / 10)
    fast.note("b" * 10, 10, PIECE_SECONDS)  # too short to tell anything
    assert lengths(slow, Request(LONG))[:2] == [500, 1000]
    assert lengths(fast, Request(LONG)) == []
