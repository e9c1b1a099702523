"""Conversations with questions: an agent hears each as a listener, and its memory is asked at the end."""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from agents.agent import Agent
from agents.memory.importance import SPOKEN_TO
from agents.memory.inspection import journal_text
from agents.memory.memory import AgentMemory
from agents.memory.numerals import NUMBER_WORDS
from agents.memory.retrieval import NotesIndex, Retriever
from agents.memory.view import memory_text
from agents.metrics.statistics import Share
from agents.models.model import LanguageModel
from bench.lib.histories import AgentHistory
from bench.lib.reporting import Table
from vault.memory.memory_line import Memory
from vault.message_notes import starter_sentences
from world.message_catalog import Wording

SETTLE_EVERY = 4
WINDOW_STEP = 64
COMES_TO_MIND = 3
UNSAID = "never said"
"""The category of questions that nothing answers."""

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
        life = AgentHistory(Path(folder), model, strategy, conversation.speakers)
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
        strategy,
        question.category,
        bool(question.evidence) and all(numbers[turn] < first for turn in question.evidence),
        math.nan if is_unsaid else score(question, told),
        score(question, before + came_to_mind),
        score(question, before + recalled),
        math.nan if is_unsaid else score(question, "\n".join(memory_text(one, memory.name) for one in newest)),
        tokens,
    )


def plain_window(memory: AgentMemory, tokens: int, count_tokens: Callable[[str], int]) -> list[Memory]:
    """Return the newest memories that fit into `tokens` tokens as a prompt tells them, oldest first."""
    kept: list[Memory] = []
    last, used = memory.journal.last, 0
    while last > 0:
        for one in reversed(memory.journal.read(max(1, last - WINDOW_STEP + 1), last)):
            used += count_tokens(memory_text(one, memory.name) + "\n")
            if used > tokens:
                return kept[::-1]
            kept.append(one)
        last -= WINDOW_STEP
    return kept[::-1]


def memory_part(prompt: str, blank: str) -> str:
    """Return the part of a prompt that is memory: the lines that a prompt without any memory does not have."""
    frame = frozenset(blank.split("\n"))
    return "\n".join(line for line in prompt.split("\n") if line not in frame)


def retrieved_lines(agent: Agent, prompt: str, question: str, speaker: str) -> str:
    """Return the lines that a question to the agent adds to its prompt; nothing is remembered of it."""
    agent.finder.has_time = True
    mind = Retriever(agent.finder, NotesIndex(agent.memory.journal.vault, agent.name))
    view, place = agent.memory.view(), agent.character.room_id
    said = f'{speaker} says, "{question}"'
    asked = Memory(view.n + 1, 0, "observed", place, said, (speaker,), SPOKEN_TO)
    found = mind.retrieve(view, frozenset([speaker]), place, COMES_TO_MIND, prompt, [asked])
    return "\n".join(one.line for one in found)


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
    heads = ["strategy", "questions", "number", "tokens", *VALUES, "ratio"]
    return Table(heads, lines, f"{len(rows)} answers.")


def _line(strategy: str, name: str, rows: Sequence[AnswerRecord]) -> list[str]:
    found = {value: mean_of([of(row) for row in rows]) for value, of in VALUES.items()}
    recall, window = found["view and find"].value, found["plain window"].value
    tokens = sum(row.tokens for row in rows) / len(rows)
    cells = [mean.text for mean in found.values()]
    return [strategy, name, str(len(rows)), f"{tokens:,.0f}", *cells, f"{recall / window:.2f}" if window > 0 else "–"]


def mean_of(scores: Sequence[float]) -> Share:
    """Return the mean of scores from 0 to 1 as a share; of nothing where a text has no score."""
    return Share() if any(map(math.isnan, scores)) else Share(sum(scores), len(scores))
