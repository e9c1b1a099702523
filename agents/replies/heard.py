"""What the words of an agent are held against: to whom it speaks, what was said, and what is known."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from agents.attending.questions import written_out
from agents.memory.facts.extraction import Utterance
from agents.reflection.speech_facts import key_words

FIRST_PERSON = frozenset("i i've i'm my ich mein meine meinen meiner je mon mes yo soy io mio mia jag".split())
"""In English and, as far as no English word is the same, in some neighbours of it."""

SECOND_PERSON = frozenset({"you", "your", "yours"})
THIRD_PERSON = frozenset({"he", "she", "they", "his", "her", "him", "their", "them"})

SAYING_NOTHING = key_words("yes no indeed sure said says told tells remember know think asked called sorry whisper")
"""Words that tell nothing of what was said."""

WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Heard:
    """Whom an agent speaks to, and what its words are held against.

    `others` are the names of everybody else, `absent` of those whom it does not speak to, `partner` of whom it does;
    `narration` is what the agent read that nobody said, `told` is what the other has told of themselves, `words` what
    they have just said. `recalled` is what they ask to be told again, `answer` is what the world, lore and memory
    answer them, and `secrets` are what others have whispered. `known` is all that stands in the prompt; empty if names
    and numbers are not looked at. `is_gift` says that they gave something, `is_unanswerable` that they ask for what
    nobody has told. `own` is what the agent has said, or says in its example day, and `profile` is who it is. `again`
    is what its model was told when it was asked once more. `examples` is what it has read beside `known`, if it has
    read that for the answer. `is_understood` says that a model which is not small has found the words: it tells who is
    who and what is meant better than the engine does.
    """

    others: Collection[str] = ()
    narration: Sequence[str] = ()
    told: Sequence[str] = ()
    words: str = ""
    recalled: str = ""
    answer: str = ""
    secrets: Sequence[Utterance] = ()
    known: str = ""
    is_gift: bool = False
    absent: Collection[str] = ()
    partner: str = ""
    is_unanswerable: bool = False
    own: Sequence[str] = ()
    profile: str = ""
    again: str = ""
    examples: str = ""
    is_understood: bool = False


def words_of(text: str) -> set[str]:
    return set(word_list(text))


def word_list(text: str) -> list[str]:
    """Return the words of a text in lower case, short forms such as "i'm" written out."""
    return WORD.findall(written_out(text).casefold())
