"""Exchanges of an archive: the newest questions to the model, and training pairs.

An export is JSONL, a pair a line. Only commands count: not what was no command, nor what somebody else had the agent
do.
"""

from __future__ import annotations

import json
import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from vault.errors import NoteError
from vault.memory.archive import Archive, IsBefore
from vault.vault import Vault
from world.parsing import split_at_bar

MAX_FILES = 4
"""Maximum number of the newest files in which the newest questions are looked for."""

DISCARDED, SUPPRESSED = "cancelled", "silent"
"""`finish` of a discarded answer, and of one suppressed as a repetition."""


@dataclass
class Question:
    """One question: its entry as `reference` names it, the prompt to the letter, and what the archive has after it.

    `after` ends before the next question. `command` is what was done in answer, and `results` are what came of that
    or, without a command, what was said of the reply.
    """

    reference: str
    entry: dict[str, Any]
    prompt: str
    after: list[dict[str, Any]] = field(default_factory=list)

    @property
    def seq(self) -> int:
        """The number of the newest memory when it was answered."""
        return int(self.entry.get("seq", 0))

    @property
    def newest(self) -> int:
        """The number of the newest memory when it was asked; what came until the answer stood in no prompt."""
        return int(self.entry.get("newest", self.seq))

    @property
    def was_discarded(self) -> bool:
        """True if the answer counted for nothing."""
        return self.entry.get("finish") == DISCARDED

    @property
    def was_suppressed(self) -> bool:
        """True if its author was silent, because it would only have repeated itself."""
        return self.entry.get("finish") == SUPPRESSED

    @property
    def command(self) -> str:
        """The command that was done in answer, or an empty string."""
        return str(self._call.get("command", "")) if not (self.was_discarded or self.was_suppressed) else ""

    @property
    def day(self) -> str:
        """The UTC day of the command, as in `2026-11-21`."""
        return str(self._call.get("at", ""))[:10]

    @property
    def results(self) -> list[str]:
        """The results of the command, in order."""
        return [str(one.get("text", "")) for one in self._of_turn if one["event"] == "tool_result"]

    @property
    def is_refused(self) -> bool:
        """True if the command was not done."""
        return any(one["event"] == "tool_result" and one.get("refused") for one in self._of_turn)

    @property
    def _call(self) -> dict[str, Any]:
        """The entry of the command, which is the very next memory: another would be somebody else's doing."""
        called = (one for one in self._of_turn if one["event"] == "tool_call" and one.get("seq") == self.seq + 1)
        return next(called, {})

    @property
    def _of_turn(self) -> list[dict[str, Any]]:
        """The entries that belong to it: up to the next command, which somebody else has made the agent do."""
        calls = [place for place, one in enumerate(self.after) if one["event"] == "tool_call"]
        return self.after[: calls[1]] if len(calls) > 1 else self.after

    def prompt_note(self, name: str) -> str:
        """Return the prompt's section of this name, or an empty string."""
        place = self.entry.get("told", {}).get(name)
        return self.prompt[place[0] : place[0] + place[1]] if place else ""


def newest_questions(archive: Archive, most: int) -> list[Question]:
    """Return so many of the newest questions, or as many as the newest MAX_FILES have, oldest first.

    Only as many files are read as it takes. Raises: NoteError if a file cannot be read.
    """
    return list(deque(questions_in(archive.newest_entries("message", most, MAX_FILES)), most))


def questions_up_to(
    archive: Archive, day: str, is_before: IsBefore, is_wanted: Callable[[Question], bool], most: int
) -> list[Question]:
    """Return the last question near a place that is wanted, last, and so many before it that there are `most`.

    The place is one on a day (UTC, `2026-11-21`); see `Archive.entries_near`. A file before it is read only if there
    are fewer without. Raises: NoteError if a file cannot be read.
    """
    found = _last_wanted(questions_in(archive.entries_near(day, is_before)), is_wanted, most)
    if len(found) == most:
        return found
    older = questions_in(archive.entries_near(day, is_before, before=1))
    if not found:
        return _last_wanted(older, is_wanted, most)
    return [*list(deque(older, most))[:-1], *found][-most:]  # the last of the older is the first of those found


def _last_wanted(questions: Iterable[Question], is_wanted: Callable[[Question], bool], most: int) -> list[Question]:
    near, found = deque[Question](maxlen=most), list[Question]()
    for question in questions:
        near.append(question)
        found = list(near) if is_wanted(question) else found
    return found


def questions_in(entries: Iterable[tuple[str, dict[str, Any]]]) -> Iterator[Question]:
    """Yield the questions in the entries of an archive, each once the next one begins.

    What the agent does without being asked again is in `after` up to its second command: a long life without a model
    takes no more room than a turn.
    """
    question: Question | None = None
    stem, prompt, calls = "", "", 0
    for reference, entry in entries:
        if (file := reference.partition("#")[0]) != stem:
            stem, prompt = file, ""
        if entry["event"] == "message":
            if question:
                yield question
            prompt = prompt[: int(entry.get("prompt_shared", 0))] + str(entry.get("prompt_rest", ""))
            question, calls = Question(reference, entry, prompt), 0
        elif question:
            calls += entry["event"] == "tool_call"
            if calls <= 2 or not entry["event"].startswith("tool_"):
                question.after.append(entry)
    if question:
        yield question


COMPLETION, CHAT = "completion", "chat"

_TYPED = re.compile(r"~[^>\n]+> ")


@dataclass(frozen=True)
class Pair:
    """A prompt and the command typed in answer; `day` is the UTC day, as in `2026-11-21`."""

    prompt: str
    completion: str
    day: str = ""
    accepted: bool = True


@dataclass(frozen=True)
class Export:
    """The options of an export: the form, the first day (empty for all), refused commands, and private reasons.

    The form `completion` is `{"prompt": …, "completion": …}`, for base models; `chat` is `{"messages": […]}`, a user's
    message and the assistant's. With `refused` every line says whether it was `accepted`.
    """

    form: str = COMPLETION
    since: str = ""
    reasons: bool = True
    refused: bool = False

    def select(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """Yield the selected pairs, in the wanted form."""
        for pair in pairs:
            if pair.day >= self.since and (pair.accepted or self.refused):
                yield pair if self.reasons else without_reasons(pair)

    def line(self, pair: Pair) -> str:
        """Return the line of a pair."""
        if self.form == CHAT:
            messages = [("user", pair.prompt), ("assistant", pair.completion)]
            told: dict[str, Any] = {"messages": [{"role": role, "content": text} for role, text in messages]}
        else:
            told = {"prompt": pair.prompt, "completion": pair.completion}
        return json.dumps(told | ({"accepted": pair.accepted} if self.refused else {}))


def without_reasons(pair: Pair) -> Pair:
    """Return a pair without the reasons of commands, both in the answer and in the prompt."""
    lines = [split_at_bar(line)[0].rstrip() if _TYPED.match(line) else line for line in pair.prompt.split("\n")]
    return replace(pair, prompt="\n".join(lines), completion=split_at_bar(pair.completion)[0].rstrip())


def export_training(vault: Vault, agent_id: str, path: Path, wanted: Export | None = None) -> int:
    """Write the pairs that are wanted to a file, and return how many there are.

    Raises: NoteError if the archive cannot be read or the file cannot be written; there is no file then.
    """
    count, wanted = 0, wanted or Export()
    draft = path.with_name(f".{path.name}.draft")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with draft.open("w", encoding="utf-8") as file:
            for pair in wanted.select(pairs_in(Archive(vault, agent_id).entries())):
                file.write(wanted.line(pair) + "\n")
                count += 1
        os.replace(draft, path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        raise NoteError(f"{path}: cannot be written: {error.strerror}.") from error
    return count


def pairs_in(entries: Iterable[tuple[str, dict[str, Any]]]) -> Iterator[Pair]:
    """Yield prompts with the commands that were typed in answer, from the entries of an archive in order."""
    for one in questions_in(entries):
        if command := one.command:
            yield Pair(one.prompt, command, one.day, not one.is_refused)
