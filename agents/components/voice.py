"""How the agent talks: the examples of its `voice.md` that are nearest to what was just said.

An example is found by the words that it shares with a sentence that was said, rare words counting for more. It stands
right before the words that are to be answered, so that a small model answers in the agent's own manner.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from agents.component import Moment, Section, Turn
from agents.components.asked import to_be_answered
from agents.memory.facts.narration_parser import NarrationParser
from agents.memory.facts.speech_acts import sentences
from vault.entities.voice_note import Exchange
from vault.memory.memory_line import Memory
from world.events import Event
from world.parsing import parse_line, split_reason

NEAR = 0.5
"""From this on, of 1 for the very words, an example is told."""

SURE = 0.75
"""From this on its answer will do as it stands, where a model finds none."""

SECOND = 0.85
"""A second example is told if it is this near, of the first."""

GIVEN = 0.7
"""An answer counts as given when so many of its words were said in one line."""

_STEM = 6
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_SHORT_FORMS = dict(
    one.split("=")
    for one in (
        "u=you; ur=your; ya=you; r=are; im=i am; ive=i have; whats=what is; wheres=where is; whos=who is; hows=how is; "
        "thats=that is; its=it is; isnt=is not; dont=do not; cant=can not; cannot=can not; pls=please; thx=thanks"
    ).split("; ")
)
_ENDINGS = {"'s": "is", "'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would", "n't": "not"}
_FORM = re.compile(rf"(.+)({'|'.join(_ENDINGS)})")
_ME, _YOU = frozenset({"i", "me", "my", "mine", "we", "our"}), frozenset({"you", "your"})


@dataclass(frozen=True)
class Example:
    """An exchange, in the wording `heard` that is nearest to what was said, and how near that is, from 0 to 1."""

    near: float
    heard: str
    answer: str


class Voice:
    """Tells how the agent has answered the like of what a person has said last.

    `exchanges` returns those of the agent's note, the same tuple until it is edited.
    """

    name = "voice"

    def __init__(self, exchanges: Callable[[], tuple[Exchange, ...]], reading: NarrationParser) -> None:
        self._exchanges = exchanges
        self._reading = reading
        self._index = _Index(())

    def observe(self, memory: Memory, event: Event | None) -> None:
        """Nothing is kept."""

    def acted(self, turn: Turn) -> None:
        """Nothing is kept."""

    def context(self, moment: Moment) -> Section | None:
        spoken = to_be_answered(moment, self._reading)
        if spoken is None or moment.partner is None or moment.partner.is_agent:
            return None
        found = self.nearest(spoken.text, moment.view.tail)
        say, name = moment.world.wording, moment.actor.name
        told = [say("talk.voice", name=name, heard=one.heard, answer=one.answer) for one in found]
        return Section(self.name, " ".join(told), is_aside=True) if told else None

    def answer_to(self, words: str, tail: Iterable[Memory]) -> str:
        """Return an answer that will do as it stands, and that was not given in the tail; empty if there is none."""
        return next((one.answer for one in self.nearest(words, tail) if one.near >= SURE), "")

    def nearest(self, words: str, tail: Iterable[Memory]) -> Sequence[Example]:
        """Return the nearest example, and another if it is as near; none whose answer was given in the tail."""
        exchanges = self._exchanges()
        if exchanges is not self._index.exchanges:
            self._index = _Index(exchanges)
        found = self._index.nearest(words)
        if not found:
            return ()
        said = [_words(parse_line(split_reason(one.text)[0]).arguments) for one in tail if one.kind == "acted"]
        fresh = [one for one in found if not any(_is_given(_words(one.answer), words) for words in said)]
        return [one for one in fresh[:2] if one.near >= SECOND * fresh[0].near]


class _Index:
    """The words of all wordings, and how much each word weighs: the rarer, the more."""

    def __init__(self, exchanges: tuple[Exchange, ...]) -> None:
        self.exchanges = exchanges
        self._wordings = [(_words(heard), heard, one.answer) for one in exchanges for heard in one.heard]
        self._counts = Counter(word for words, _, _ in self._wordings for word in words)

    def nearest(self, said: str) -> list[Example]:
        """Return those that are near enough, the nearest first, each answer once."""
        best: dict[str, Example] = {}
        for sentence in sentences(said):
            heard_words = _words(sentence)
            for words, heard, answer in self._wordings:
                near = self._alike(heard_words, words)
                if near >= NEAR and (answer not in best or near > best[answer].near):
                    best[answer] = Example(near, heard, answer)
        return sorted(best.values(), key=lambda one: -one.near)

    def _alike(self, one: frozenset[str], other: frozenset[str]) -> float:
        """Return how alike two sentences are; one about `my` is not like one about `your`."""
        if not one & other or any(bool(one & side) < bool(other & side) for side in (_ME, _YOU)):
            return 0.0
        return 2 * self._weight(one & other) / (self._weight(one) + self._weight(other))

    def _weight(self, words: Iterable[str]) -> float:
        return sum(math.log(1 + len(self._wordings) / (1 + self._counts[word])) for word in words)


def _is_given(answer: frozenset[str], said: frozenset[str]) -> bool:
    """Return whether most of the words of an answer were said."""
    return len(answer & said) >= GIVEN * len(answer)


def _words(sentence: str) -> frozenset[str]:
    """Return the stems of a sentence's words, short forms written out."""
    found = list[str]()
    for word in _WORD.findall(sentence.casefold().replace("’", "'")):
        form = _FORM.fullmatch(word)
        found += [form[1], _ENDINGS[form[2]]] if form else _SHORT_FORMS.get(word, word).split()
    return frozenset(word if len(word) <= 3 else word.removesuffix("s")[:_STEM] for word in found)
