"""Conversations with questions: an agent hears each as a listener, and its memory is asked at the end."""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from agents.memory.inspection import journal_text
from agents.memory.numerals import NUMBER_WORDS
from agents.memory.view import memory_text
from agents.models.model import LanguageModel
from bench.lib.histories import AgentHistory
from bench.lib.reporting import Table
from bench.lib.retained import memory_part, plain_window, retrieved_lines
from vault.message_notes import starter_sentences
from world.message_catalog import Wording

SETTLE_EVERY = 4
UNSAID = "never said"
"""The category of questions that nothing answers."""

Z_95 = 1.959964

_WORD = re.compile(r"[^\W_]+")
_SENTENCE_END = re.compile(r"(?<=[.!?\"])\s+")
_SPEECH = re.compile(r'[^"]*"[^"]*"[^"]*')


@dataclass(frozen=True)
class Question:
    """A question, and the test of a text that answers it.

    `words` are words of the answer; the share of them in a text is measured. With `needs`, a text answers the question
    if it has all words of each need in one sentence, or in one line of speech. `evidence` are the turns, from 0, that
    give the answer away. A question without `words` and `needs` was never answered: then nothing should come to mind.
    """

    category: str
    text: str
    words: frozenset[str] = frozenset()
    evidence: tuple[int, ...] = ()
    needs: tuple[frozenset[str], ...] = ()


@dataclass(frozen=True)
class Conversation:
    """A conversation: its speakers, the turns as (time in ms since 1970, speaker, text), and the questions on them."""

    name: str
    speakers: tuple[str, ...]
    turns: tuple[tuple[int, str, str], ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True)
class AnswerRecord:
    """The score of each text for a question, 0 to 1; `is_old` if all its evidence is before the plain window."""

    conversation: str
    strategy: str
    category: str
    is_old: bool
    view: float
    reminded: float
    recall: float
    window: float
    tokens: int


async def question_agent(conversation: Conversation, strategy: str, model: LanguageModel) -> list[AnswerRecord]:
    """Let an agent hear a conversation under a strategy, and return what it knows of each question at the end."""
    with tempfile.TemporaryDirectory() as folder:
        life = AgentHistory(Path(folder), model, {"strategy": strategy}, conversation.speakers)
        life.wake()
        blank = life.agent.prompt().text
        numbers = await _play_turns(life, conversation)
        told = memory_part(life.agent.prompt().text, blank)
        asked = [_ask(life, conversation, strategy, numbers, told, one) for one in conversation.questions]
        await life.end()
        return asked


def score(question: Question, text: str) -> float:
    """Return how well a text answers a question; of one that nothing answers, whether the text is empty."""
    if question.needs:
        return float(answers(question, text))
    return share_of(question.words, text) if question.words else float(not text.strip())


def answers(question: Question, text: str) -> bool:
    """Return whether a text has all words of each need in one sentence, or in one line of speech."""
    units = [words_of(unit) for line in text.split("\n") for unit in _units(line)]
    return all(any(need <= unit for unit in units) for need in question.needs)


def share_of(wanted: frozenset[str], text: str) -> float:
    """Return the share of the wanted words that a text has."""
    return len(wanted & words_of(text)) / len(wanted)


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text without case, plurals as singulars, numbers as they are."""
    found = (word.casefold() for word in _WORD.findall(text))
    return frozenset(
        word if word in NUMBER_WORDS else word.removesuffix("s") if len(word) > 3 else word for word in found
    )


def _units(line: str) -> list[str]:
    return [line] if _SPEECH.fullmatch(line) else _SENTENCE_END.split(line)


async def _play_turns(life: AgentHistory, conversation: Conversation) -> list[int]:
    """Let everything be said; return the number of the memory of each turn."""
    numbers = []
    for count, (ms, speaker, text) in enumerate(conversation.turns, 1):
        life.ms = max(life.ms, ms)
        life.perform(speaker, f"say {text}")
        numbers.append(life.last)
        if count % SETTLE_EVERY == 0:
            life.agent.memory.archive_writer.write()
            await life.settle()
    return numbers


def _ask(
    life: AgentHistory, conversation: Conversation, strategy: str, numbers: list[int], told: str, question: Question
) -> AnswerRecord:
    memory, count = life.agent.memory, life.agent.count_tokens
    wording = Wording(starter_sentences())
    recalled = "\n".join(journal_text(one, wording) for one in life.agent.finder.find(question.text))
    came_to_mind = retrieved_lines(life.agent, told, question.text, conversation.speakers[0])
    tokens = count(told) + count(recalled)
    newest = plain_window(memory, tokens, count)
    first = newest[0].seq if newest else memory.journal.last + 1
    is_unsaid = not (question.words or question.needs)
    before = "" if is_unsaid else f"{told}\n"
    return AnswerRecord(
        conversation.name,
        strategy,
        question.category,
        bool(question.evidence) and all(numbers[turn] < first for turn in question.evidence),
        math.nan if is_unsaid else score(question, told),
        score(question, before + came_to_mind),
        score(question, before + recalled),
        math.nan if is_unsaid else score(question, "\n".join(memory_text(one, memory.name) for one in newest)),
        tokens,
    )


@dataclass(frozen=True)
class Estimate:
    """A mean from 0 to 1, and the intervals in which the true one lies with a probability of 95 %.

    `by_question` takes every question for itself, `by_conversation` all questions of one as one draw. Both are
    Wilson's; for conversations with as many questions as would give the variance that is between them.
    """

    mean: float
    by_question: tuple[float, float]
    by_conversation: tuple[float, float]

    @property
    def cells(self) -> list[str]:
        """The mean with each interval, as cells of a table."""
        if math.isnan(self.mean):
            return ["–", "–"]
        return [
            f"{self.mean:.1%} ({self.by_question[0]:.0%}–{self.by_question[1]:.0%})",
            f"{self.by_conversation[0]:.0%}–{self.by_conversation[1]:.0%}",
        ]


def estimate(rows: Iterable[tuple[str, float]]) -> Estimate:
    """Return the mean of values, given each with its conversation; NaN of none."""
    groups: dict[str, list[float]] = {}
    for name, value in rows:
        groups.setdefault(name, []).append(value)
    n, clusters = sum(map(len, groups.values())), len(groups)
    if not n or any(math.isnan(value) for group in groups.values() for value in group):
        return Estimate(math.nan, (math.nan, math.nan), (math.nan, math.nan))
    mean = sum(map(sum, groups.values())) / n
    if clusters < 2:
        return Estimate(mean, wilson(mean, n), wilson(mean, 0))
    between = sum(sum(value - mean for value in group) ** 2 for group in groups.values()) / n**2
    between *= clusters / (clusters - 1)
    drawn = min(n, mean * (1 - mean) / between) if between else n
    return Estimate(mean, wilson(mean, n), wilson(mean, drawn))


def wilson(mean: float, n: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share among `n` draws, all from 0 to 1 if there are none."""
    if n <= 0:
        return 0.0, 1.0
    middle = (mean + Z_95**2 / (2 * n)) / (1 + Z_95**2 / n)
    half = Z_95 / (1 + Z_95**2 / n) * math.sqrt(mean * (1 - mean) / n + Z_95**2 / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


VALUES: dict[str, Callable[[AnswerRecord], float]] = {
    "in the view": lambda row: row.view,
    "view, reminded": lambda row: row.reminded,
    "view and find": lambda row: row.recall,
    "plain window": lambda row: row.window,
}


def asked_table(rows: Sequence[AnswerRecord]) -> Table:
    """Return the results of the questions: by strategy, in all, by category, and for those before the plain window."""
    lines = []
    for strategy in dict.fromkeys(row.strategy for row in rows):
        own = [row for row in rows if row.strategy == strategy]
        answered = [row for row in own if row.category != UNSAID]
        groups = {"all": answered}
        groups |= {
            name: [row for row in own if row.category == name] for name in dict.fromkeys(r.category for r in own)
        }
        groups["older than the window"] = [row for row in answered if row.is_old]
        groups["older, but temporal ones"] = [row for row in answered if row.is_old and row.category != "temporal"]
        if not any(row.category == "temporal" for row in own):
            del groups["older, but temporal ones"]
        lines += [_line(strategy, name, group) for name, group in groups.items() if group]
    heads = ["strategy", "questions", "number", "tokens"]
    for name in VALUES:
        heads += [name, f"{name}, by conversation"]
    return Table([*heads, "ratio"], lines, f"{len(rows)} answers.")


def _line(strategy: str, name: str, rows: Sequence[AnswerRecord]) -> list[str]:
    found = {value: estimate((row.conversation, of(row)) for row in rows) for value, of in VALUES.items()}
    recall, window = found["view and find"].mean, found["plain window"].mean
    tokens = sum(row.tokens for row in rows) / len(rows)
    cells = [cell for one in found.values() for cell in one.cells]
    return [strategy, name, str(len(rows)), f"{tokens:,.0f}", *cells, f"{recall / window:.2f}" if window > 0 else "–"]
