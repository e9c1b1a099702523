"""Conversations of published data sets, read from folders: LoCoMo, LongMemEval and ConvoMem. None is in the project."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from agents.memory.english import FUNCTION_WORDS
from bench.lib.conversations import UNSAID, Conversation, Question, words_of
from bench.lib.histories import START_MS, at_ms

MS_A_TURN = 15_000
LOCOMO_WHEN = "%I:%M %p on %d %B, %Y"
LOCOMO_KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: UNSAID}
"""The names of LoCoMo's numbered categories; questions of the fifth were never answered."""

DATE = re.compile(r"(\d{4})[/-](\d{2})[/-](\d{2})(?:\D+(\d{2}):(\d{2}))?")
"""The format of LongMemEval's dates: `2023/05/20 (Sat) 14:03`."""

BREAKS = re.compile(r"\s+")
MAX_CHARACTERS = 3000
"""Maximum length of a message, in characters, as one line: nobody can say more at once."""


class DatasetError(Exception):
    """A file that is not of the data set; the message names it, and what is missing."""


def locomo(folder: Path) -> list[Conversation]:
    """Return the conversations of `locomo*.json`, as it is published, and of `conv-*.json`, one each with plain lists.

    Raises: DatasetError.
    """
    published = [
        _check_conversation(path, one, _published) for path in _files(folder, "locomo*.json") for one in _read(path)
    ]
    return published + [_check_conversation(path, _read(path), _locomo) for path in _files(folder, "conv-*.json")]


def longmemeval(folder: Path) -> list[Conversation]:
    """Return one conversation for each question of the `longmemeval*.json` files. Raises: DatasetError."""
    return [
        _check_conversation(path, one, _longmemeval)
        for path in _files(folder, "longmemeval*.json")
        for one in _read(path)
    ]


def convomem(folder: Path) -> list[Conversation]:
    """Return the test cases of all JSON files below a folder, mixed ones and evidence alone. Raises: DatasetError.

    The nearest folder whose name begins with no number names the category: `user_evidence/1_evidence/batched.json`.
    """
    found: list[Conversation] = []
    for path in _files(folder, "**/*.json"):
        read = _read(path)
        cases = read if isinstance(read, list) else [_alone(item) for item in read.get("evidence_items", ())]
        parts = path.relative_to(folder).parts[:-1]
        kind = next((part for part in reversed(parts) if not part[0].isdigit()), folder.name)
        found += [
            _check_conversation(path, {**case, "category": kind, "name": f"{path.stem} {number}"}, _convomem)
            for number, case in enumerate(cases)
        ]
    return found


def _files(folder: Path, pattern: str) -> list[Path]:
    return sorted(folder.glob(pattern)) if folder.is_dir() else []


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DatasetError(f"{path.name} is no JSON: {error}.") from error


def _check_conversation(path: Path, read: Any, make: Any) -> Conversation:
    try:
        conversation: Conversation = make(read)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DatasetError(f"{path.name} is not of this data set: {type(error).__name__} {error}.") from error
    return conversation


def _published(read: dict[str, Any]) -> Conversation:
    said, speakers = read["conversation"], [read["conversation"][f"speaker_{one}"] for one in "ab"]
    sessions = sorted(int(found[1]) for key in said if (found := re.fullmatch(r"session_(\d+)", key)))
    turns = [
        {
            "id": turn["dia_id"],
            "when": said[f"session_{one}_date_time"],
            "speaker": turn["speaker"],
            "text": turn["text"],
        }
        for one in sessions
        for turn in said[f"session_{one}"]
    ]
    questions = [
        {**one, "category": LOCOMO_KINDS[one["category"]], "answer": one.get("answer", "")} for one in read["qa"]
    ]
    return _locomo({"id": read["sample_id"], "speakers": speakers, "turns": turns, "questions": questions})


def _locomo(read: dict[str, Any]) -> Conversation:
    places = {turn["id"]: place for place, turn in enumerate(read["turns"])}
    told = ((at_ms(datetime.strptime(t["when"], LOCOMO_WHEN)), t["speaker"], t["text"]) for t in read["turns"])
    asked = (
        Question(UNSAID, one["question"])
        if one["category"] == UNSAID
        else Question(
            one["category"],
            one["question"],
            _answer(one["answer"]),
            tuple(places[turn] for turn in one["evidence"] if turn in places),
        )
        for one in read["questions"]
    )
    answerable = tuple(one for one in asked if one.words or one.category == UNSAID)
    return Conversation(str(read["id"]), tuple(read["speakers"]), tuple(told), answerable)


def _longmemeval(read: dict[str, Any]) -> Conversation:
    turns: list[tuple[int, str, str]] = []
    evidence: list[int] = []
    dated = sorted(zip(read["haystack_dates"], read["haystack_sessions"], strict=True), key=lambda pair: str(pair[0]))
    for date, session in dated:
        begun = _date_ms(str(date))
        for number, turn in enumerate(session):
            if not (text := _line(turn["content"])):
                continue
            if turn.get("has_answer"):
                evidence.append(len(turns))
            turns.append((begun + number * MS_A_TURN, _speaker(turn["role"]), text))
    is_unsaid = str(read["question_id"]).endswith("_abs")
    question = (
        Question(UNSAID, read["question"])
        if is_unsaid
        else Question(read["question_type"], read["question"], _answer(read["answer"]), tuple(evidence))
    )
    return _with_questions(str(read["question_id"]), turns, [question])


def _convomem(read: dict[str, Any]) -> Conversation:
    messages = [message for one in read["conversations"] for message in one["messages"] if _line(message["text"])]
    turns = [
        (START_MS + number * MS_A_TURN, _speaker(one["speaker"]), _line(one["text"]))
        for number, one in enumerate(messages)
    ]
    texts = [one[2] for one in turns]
    questions = [
        Question(UNSAID, item["question"])
        if read["category"].startswith("abstention")
        else Question(read["category"], item["question"], _answer(item["answer"]), tuple(_places(item, texts)))
        for item in read["evidenceItems"]
    ]
    return _with_questions(read["name"], turns, questions)


def _alone(item: dict[str, Any]) -> dict[str, Any]:
    """Return a piece of evidence that has conversations of its own as a test case."""
    return {"evidenceItems": [item], "conversations": item["conversations"]}


def _places(item: dict[str, Any], texts: list[str]) -> Iterator[int]:
    evidences = {_line(one["text"]) for one in item.get("message_evidences", ())}
    return (place for place, text in enumerate(texts) if text in evidences)


def _with_questions(name: str, turns: Iterable[tuple[int, str, str]], questions: list[Question]) -> Conversation:
    asked = tuple(one for one in questions if one.words or one.category == UNSAID)
    return Conversation(name, ("User", "Assistant"), tuple(turns), asked)


def _answer(answer: object) -> frozenset[str]:
    return words_of(str(answer)) - FUNCTION_WORDS


def _speaker(role: str) -> str:
    """Return who speaks: everything is said to somebody by one of two."""
    return "Assistant" if role.casefold() == "assistant" else "User"


def _line(text: str) -> str:
    return BREAKS.sub(" ", text).strip().replace("|", "/")[:MAX_CHARACTERS]


def _date_ms(date: str) -> int:
    found = DATE.match(date)
    if not found:
        raise ValueError(f"{date!r} is no date")
    year, month, day, hour, minute = (int(part or 0) for part in found.groups())
    return at_ms(datetime(year, month, day, hour, minute))
