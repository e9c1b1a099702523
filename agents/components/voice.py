"""The manner of the agent: the examples of its `voice.md` that are nearest to what was just said.

An example is found by the words that it shares with a sentence that was said, rare words counting for more, or by a
subject that is named. It stands right before the words to reply to, so that a model answers in the agent's own manner.
A small model is not asked where an example is near enough: the answer of the example is said as it stands.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from agents.attending.conversation import is_question
from agents.attending.questions import SHORT_FORMS, asking_part
from agents.component import Moment, Section, Turn
from agents.components.asked import to_be_answered
from agents.memory.facts.narration_parser import NarrationParser
from agents.memory.facts.speech_acts import sentences
from agents.reflection.speech_facts import key_words
from vault.entities.voice_note import WORD, Exchange, Kind
from vault.memory.memory_line import Memory
from world.events import Event
from world.parsing import parse_line, split_reason

NEAR = 0.6
"""Minimum similarity of an example that is told; 1 is the very words."""

SURE = 0.75
"""Minimum similarity at which its answer is said as it stands, to a statement or where a model finds none.

It is also the similarity of a subject that is named.
"""

VERY_SURE = 0.85
"""Minimum similarity at which its answer is said as it stands, to a question."""

ASKED_SUBJECT = 0.8
"""The similarity of a subject that is asked about; its answer is said where nothing is known of the question."""

SECOND = 0.85
"""A second example is told if its similarity is at least this share of the first one's."""

GIVEN = 0.7
"""An answer counts as given when at least this share of its words were said in one line."""

FAMILIAR = 0.33
"""Words are in the language of the note when it has at least this share of them."""

MAIN_MATTER, OWN_MATTER = 3, 2
"""A statement is about a subject, or about "my sister", if it has no more key words beside that. More of them tell
something else, as in "My sister puts the milk in first"."""

FOREIGN, MIN_FOREIGN_WORDS, MIN_VOCABULARY = 0.25, 3, 400
"""Words are in another language when the note has a smaller share of them than this; fewer words, or a note of fewer
words, tell nothing."""

_STEM = 6
_ARTICLES = frozenset({"the", "a", "an", "my", "our", "this", "that"})
_CIRCUMSTANCES = frozenset({"at", "in", "on", "over", "during", "after", "before", "by", "near", "behind", "from"})
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_ENDINGS = {"'s": "is", "'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would", "n't": "not"}
_FORM = re.compile(rf"(.+)({'|'.join(_ENDINGS)})")
_ME, _YOU = frozenset({"i", "me", "my", "mine", "we", "our"}), frozenset({"you", "your"})


_LEADS = "and|so|but|then|well|now|ok|okay|oh|ah|hm+|yes|no|hey|hi|eh"
_LEAD = re.compile(rf"(?:{_LEADS})\b\W+(?=\w)", re.IGNORECASE)
_FILLER = re.compile(rf"(?:(?:{_LEADS}|yeah|lol|haha|right|sure|thanks|thx|ta|cheers|sorry)\b\W*)+", re.IGNORECASE)
_CLAUSE_ENDS = re.compile(r"[,;:–—]\s+|\s+-\s+|\s+(?:and|but|so|because)\s+")
SHORTEST_CLAUSE = 2
"""Minimum number of words of a part of a sentence that is compared by itself too."""

MAX_PARTS = 12
"""Maximum number of sentences and parts of them that are compared, the first ones."""


@dataclass(frozen=True)
class Example:
    """An exchange, in the wording `heard` that is nearest to what was said, and how near that is, from 0 to 1."""

    near: float
    heard: str
    answers: tuple[str, ...]


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
        say, name = moment.world.wording, moment.actor.name
        found = self.nearest(spoken.text, moment.view.tail, is_question(spoken.text, say))
        if moment.is_for_able_model:  # it would say the line for a mere subject as it stands
            found = [one for one in found if one.near >= VERY_SURE]
        told = [say("talk.voice", name=name, heard=one.heard, answer=one.answers[0]) for one in found]
        return Section(self.name, " ".join(told), is_aside=True) if told else None

    def answer_to(self, words: str, tail: Iterable[Memory], is_asked: bool, least: float = SURE) -> str:
        """Return an answer that will do as it stands, and that was not given in the tail; empty if there is none.

        `least` is how near an example must be.
        """
        return next((one.answers[0] for one in self.nearest(words, tail, is_asked) if one.near >= least), "")

    def understands(self, words: str) -> bool:
        """Return whether words are in the language of the note."""
        return self._indexed().understands(words)

    def is_foreign(self, words: str) -> bool:
        """Return whether words are surely in another language than the note; a short note tells nothing of that."""
        return self._indexed().is_foreign(words)

    def to_any(self, kind: Kind, tail: Sequence[Memory]) -> str:
        """Return an answer of the agent's to any words of a kind that it has not said in the tail; empty if none is.

        It is not the same at every visit, and the same whenever it is looked for with the same memories.
        """
        given = _given_in(tail)
        answers = (answer for one in self._exchanges() if one.to_any == kind for answer in one.answers)
        fresh = [one for one in answers if not given(one)]
        return fresh[(tail[-1].seq if tail else 0) % len(fresh)] if fresh else ""

    def nearest(self, words: str, tail: Iterable[Memory], is_asked: bool) -> Sequence[Example]:
        """Return the nearest example, and another if it is as near, with the answers that were not given in the tail.

        Of words that ask, only the sentences that do are looked at, and only the subjects of questions.
        """
        found = self._indexed().nearest(words, is_asked)
        if not found:
            return ()
        given = _given_in(tail)
        left = (replace(one, answers=tuple(answer for answer in one.answers if not given(answer))) for one in found)
        fresh = [one for one in left if one.answers]
        return [one for one in fresh[:2] if one.near >= SECOND * fresh[0].near]

    def _indexed(self) -> _Index:
        exchanges = self._exchanges()
        if exchanges is not self._index.exchanges:
            self._index = _Index(exchanges)
        return self._index


class _Index:
    """The words of all wordings, and how much each word weighs: the rarer, the more."""

    def __init__(self, exchanges: tuple[Exchange, ...]) -> None:
        self.exchanges = exchanges
        self._wordings = [(frozenset(_words(heard)), heard, one) for one in exchanges for heard in one.heard]
        self._subjects = [
            (_words(phrase), phrase.rstrip("?"), phrase.endswith("?"), one)
            for one in exchanges
            for phrase in one.subjects
        ]
        counts = Counter(word for words, _, _ in self._wordings for word in words)
        self._weights = {word: math.log(1 + len(self._wordings) / (1 + count)) for word, count in counts.items()}
        self._unknown = math.log(1 + len(self._wordings))
        written = (text for one in exchanges for text in (*one.heard, *one.subjects, *one.answers))
        self._vocabulary = frozenset(word for text in written for word in _words(text))

    def understands(self, words: str) -> bool:
        """Return whether enough of the words stand anywhere in the note."""
        said = _words(words)
        return bool(said) and self._known_of(said) >= FAMILIAR

    def is_foreign(self, words: str) -> bool:
        """Return whether the note has hardly one of the words, though they and it are enough to tell."""
        said = _words(words)
        is_telling = len(said) >= MIN_FOREIGN_WORDS and len(self._vocabulary) >= MIN_VOCABULARY
        return is_telling and self._known_of(said) < FOREIGN

    def _known_of(self, said: Sequence[str]) -> float:
        return len([one for one in said if one in self._vocabulary]) / len(said)

    def nearest(self, said: str, is_asked: bool) -> list[Example]:
        """Return those that are near enough, the nearest first, each exchange once; of subjects the first one."""
        told = list(sentences(said))
        told = [one for one in told if not _FILLER.fullmatch(one)] or told
        if is_asked:
            told = [one for one in told if one.rstrip("\"'”’)").endswith("?")] or [asking_part(said)]
        best: dict[Exchange, Example] = {}
        for words in map(frozenset, map(_words, islice(_parts(told), MAX_PARTS))):
            weight = self._weight(words)
            for wording, heard, exchange in self._wordings:
                near = self._alike(words, wording, weight) if words & wording else 0.0
                if near >= NEAR and (exchange not in best or near > best[exchange].near):
                    best[exchange] = Example(near, heard, exchange.answers)
        subject = self._subject(told, is_asked)
        found = [*best.values(), *([subject] if subject else [])]
        return sorted(found, key=lambda one: -one.near)

    def _subject(self, told: Sequence[str], is_asked: bool) -> Example | None:
        """Return the exchange of the first subject of the note that stands in what was told, or asked."""
        said = [_words(one) for one in told]
        for words, phrase, is_of_questions, exchange in self._subjects:
            if is_of_questions is not is_asked:
                continue
            for sentence, spoken in zip(told, said, strict=True):
                if _speaks_of(words, spoken) and (is_asked or not _only_mentions(sentence, phrase)):
                    word, near = phrase.split()[-1], ASKED_SUBJECT if is_asked else SURE
                    return Example(near, sentence, tuple(one.replace(WORD, word) for one in exchange.answers))
        return None

    def _alike(self, one: frozenset[str], other: frozenset[str], weight: float) -> float:
        """Return how alike two sentences are, the first of this weight; one about `my` is not like one about `your`."""
        if any(bool(one & side) < bool(other & side) for side in (_ME, _YOU)):
            return 0.0
        return 2 * self._weight(one & other) / (weight + self._weight(other))

    def _weight(self, words: Iterable[str]) -> float:
        return sum(self._weights.get(word, self._unknown) for word in words)


def _only_mentions(sentence: str, phrase: str) -> bool:
    """Return whether a statement has a subject only among other things; what happened, as "lost my", is never so."""
    first, _, rest = phrase.partition(" ")
    beside, is_own, is_event = key_words(sentence) - key_words(phrase), first == "my", rest and first not in _ARTICLES
    return len(beside) > OWN_MATTER if is_own else not is_event and len(beside) > MAIN_MATTER


def _speaks_of(subject: Sequence[str], spoken: Sequence[str]) -> bool:
    """Return whether words have a subject; "at lunch" and "in the boat" only say when or where something was.

    A subject of a single word must stand without such a preposition once.
    """
    ats = [at for at in range(len(spoken) - len(subject) + 1) if spoken[at : at + len(subject)] == subject]
    return any(len(subject) > 1 or not _is_aside(spoken[:at]) for at in ats)


def _is_aside(before: Sequence[str]) -> bool:
    """Return whether the words before a noun make it a mere circumstance."""
    noun = before[:-1] if before and before[-1] in _ARTICLES else before
    return bool(noun) and noun[-1] in _CIRCUMSTANCES


def _parts(told: Iterable[str]) -> Iterator[str]:
    """Yield sentences, also without a word like "so" in front, and their clauses that are not too short."""
    for sentence in told:
        yield sentence
        if lead := _LEAD.match(sentence):
            yield sentence[lead.end() :]
        clauses = _CLAUSE_ENDS.split(sentence)
        yield from (one for one in clauses if len(clauses) > 1 and len(one.split()) >= SHORTEST_CLAUSE)


def _given_in(tail: Iterable[Memory]) -> Callable[[str], bool]:
    """Return a test whether most of the words of an answer were said in one line of the tail."""
    lines = (parse_line(split_reason(one.text)[0]).arguments for one in tail if one.kind == "acted")
    said = [frozenset(_words(one)) for one in lines]

    def given(answer: str) -> bool:
        words = frozenset(_words(answer))
        return any(len(words & one) >= GIVEN * len(words) for one in said)

    return given


def _words(sentence: str) -> list[str]:
    """Return the stems of a sentence's words, short forms written out."""
    found = list[str]()
    for word in _WORD.findall(sentence.casefold().replace("’", "'")):
        form = _FORM.fullmatch(word)
        found += [form[1], _ENDINGS[form[2]]] if form else SHORT_FORMS.get(word, word).split()
    return [word if len(word) <= 3 else word.removesuffix("s")[:_STEM] for word in found]
