"""The LoCoMo conversations: recorded as memories of a listener, who is then asked what was said."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from agents.memory.english import FUNCTION_WORDS
from agents.memory.inspection import journal_text
from agents.memory.numerals import NUMBER_WORDS
from agents.memory.view import memory_text
from agents.models.model import LanguageModel
from bench.lib.histories import Life, at_ms
from bench.lib.reporting import Table
from bench.lib.retained import memory_part, plain_window, reminded
from vault.message_notes import starter_sentences
from world.message_catalog import Wording

SETTLE_EVERY = 4
CATEGORIES = ("single-hop", "multi-hop", "temporal", "open-domain")

_WORD = re.compile(r"[^\W_]+")
_WHEN = "%I:%M %p on %d %B, %Y"


@dataclass(frozen=True)
class Question:
    """A question, the words of its answer that are not ordinary, and the turns, from 0, that give it away."""

    category: str
    text: str
    words: frozenset[str]
    evidence: tuple[int, ...]


@dataclass(frozen=True)
class Conversation:
    """Who spoke, the turns as (when in ms since 1970, speaker, text), and what is asked of them."""

    name: str
    speakers: tuple[str, ...]
    turns: tuple[tuple[int, str, str], ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True)
class Asked:
    """What share of a question's words each text has; `is_old` if all its evidence is before the plain window."""

    conversation: str
    strategy: str
    category: str
    is_old: bool
    view: float
    reminded: float
    recall: float
    window: float
    tokens: int


def conversations(folder: Path) -> list[Conversation]:
    """Return the conversations of a folder; none if there are none."""
    paths = sorted(folder.glob("conv-*.json")) if folder.is_dir() else []
    return [_conversation(json.loads(path.read_text(encoding="utf-8"))) for path in paths]


async def questioned(conversation: Conversation, strategy: str, model: LanguageModel) -> list[Asked]:
    """Let an agent hear a conversation under a strategy, and return what it knows of each question at the end."""
    with tempfile.TemporaryDirectory() as folder:
        life = Life(Path(folder), model, {"strategy": strategy}, conversation.speakers)
        life.wake()
        blank = life.agent.prompt().text
        numbers = await _heard(life, conversation)
        asked = [
            _asked(life, conversation, strategy, numbers, memory_part(life.agent.prompt().text, blank), one)
            for one in conversation.questions
        ]
        await life.end()
        return asked


def share_of(wanted: frozenset[str], text: str) -> float:
    """Return what share of the words wanted a text has."""
    return len(wanted & _words(text)) / len(wanted)


def asked_table(rows: list[Asked]) -> Table:
    """Return the Markdown of what was asked: by strategy, and by category for each."""
    lines = []
    for strategy in dict.fromkeys(row.strategy for row in rows):
        own = [row for row in rows if row.strategy == strategy]
        groups = [(category, [row for row in own if row.category == category]) for category in CATEGORIES]
        undated = [row for row in own if row.category != "temporal"]
        groups += [("all", own), ("older than the window", [row for row in own if row.is_old])]
        groups += [("older, but temporal ones", [row for row in undated if row.is_old])]
        lines += [_line(strategy, name, group) for name, group in groups if group]
    views = ["view", "view, reminded", "view and find"]
    heads = ["strategy", "questions", "number", "tokens", *views, "plain window", "ratio"]
    return Table(heads, lines, f"{len(rows)} questions.")


def _line(strategy: str, name: str, rows: list[Asked]) -> list[str]:
    def mean(of: Callable[[Asked], float]) -> float:
        return sum(map(of, rows)) / len(rows)

    recall, window = mean(lambda row: row.recall), mean(lambda row: row.window)
    view, came_to_mind = mean(lambda row: row.view), mean(lambda row: row.reminded)
    shares = [f"{share:.1%}" for share in (view, came_to_mind, recall, window)]
    ratio = f"{recall / window:.2f}" if window else "–"
    return [strategy, name, str(len(rows)), f"{mean(lambda row: row.tokens):,.0f}", *shares, ratio]


async def _heard(life: Life, conversation: Conversation) -> list[int]:
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


def _asked(
    life: Life, conversation: Conversation, strategy: str, numbers: list[int], told: str, question: Question
) -> Asked:
    memory, count = life.agent.memory, life.agent.count_tokens
    found = life.agent.finder.find(question.text)
    wording = Wording(starter_sentences())
    recalled = "\n".join(journal_text(one, wording) for one in found)
    came_to_mind = reminded(life.agent, told, question.text, conversation.speakers[0])
    tokens = count(told) + count(recalled)
    newest = plain_window(memory, tokens, count)
    window = "\n".join(memory_text(one, memory.name) for one in newest)
    first = newest[0].seq if newest else memory.journal.last + 1
    return Asked(
        conversation.name,
        strategy,
        question.category,
        bool(question.evidence) and all(numbers[turn] < first for turn in question.evidence),
        share_of(question.words, told),
        share_of(question.words, f"{told}\n{came_to_mind}"),
        share_of(question.words, f"{told}\n{recalled}"),
        share_of(question.words, window),
        tokens,
    )


def _conversation(read: dict[str, object]) -> Conversation:
    turns, questions, speakers = read["turns"], read["questions"], read["speakers"]
    assert isinstance(turns, list) and isinstance(questions, list) and isinstance(speakers, list)
    places = {turn["id"]: place for place, turn in enumerate(turns)}
    told = tuple((at_ms(datetime.strptime(t["when"], _WHEN)), t["speaker"], t["text"]) for t in turns)
    asked = (
        Question(
            one["category"],
            one["question"],
            _words(str(one["answer"])) - FUNCTION_WORDS,
            tuple(places[turn] for turn in one["evidence"] if turn in places),
        )
        for one in questions
    )
    return Conversation(str(read["id"]), tuple(speakers), told, tuple(one for one in asked if one.words))


def _words(text: str) -> frozenset[str]:
    """Return the words of a text without case, plurals as singulars, numbers as they are."""
    found = (word.casefold() for word in _WORD.findall(text))
    return frozenset(
        word if word in NUMBER_WORDS else word.removesuffix("s") if len(word) > 3 else word for word in found
    )
