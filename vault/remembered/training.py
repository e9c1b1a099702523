"""What an agent was asked and what it answered, as pairs to train a model with: JSONL, a pair a line.

Only commands count: not what was no command, nor what somebody else had the agent do.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from vault.archive import Archive
from vault.folder import Vault
from vault.notes import NoteError
from vault.remembered.archive_turns import DROPPED, SILENT
from world.parsing import at_bar

COMPLETION, CHAT = "completion", "chat"
FORMS = (COMPLETION, CHAT)

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
    """What to export: in which form, from which day on (empty for all), with what was refused, with private reasons.

    The form `completion` is `{"prompt": …, "completion": …}`, for base models; `chat` is `{"messages": […]}`, a user's
    message and the assistant's. With `refused` every line says whether it was `accepted`.
    """

    form: str = COMPLETION
    since: str = ""
    reasons: bool = True
    refused: bool = False

    def chosen(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """Yield those that are wanted, as they are wanted."""
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
    """Return a pair in which no command has its reason: neither the answer, nor those that stand in the prompt."""
    lines = [at_bar(line)[0].rstrip() if _TYPED.match(line) else line for line in pair.prompt.split("\n")]
    return replace(pair, prompt="\n".join(lines), completion=at_bar(pair.completion)[0].rstrip())


def export_training(vault: Vault, agent_id: str, path: Path, wanted: Export | None = None) -> int:
    """Write the pairs that are wanted to a file, and return how many there are.

    Raises: NoteError if the archive cannot be read or the file cannot be written; there is no file then.
    """
    count, wanted = 0, wanted or Export()
    draft = path.with_name(f".{path.name}.draft")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with draft.open("w", encoding="utf-8") as file:
            for pair in wanted.chosen(pairs_in(entry for _, entry in Archive(vault, agent_id).entries())):
                file.write(wanted.line(pair) + "\n")
                count += 1
        os.replace(draft, path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        raise NoteError(f"{path}: cannot be written: {error.strerror}.") from error
    return count


def pairs_in(entries: Iterable[Mapping[str, Any]]) -> Iterator[Pair]:
    """Yield prompts with the commands that were typed in answer to them, from the entries of an archive in order."""
    prompt, asked, seq = "", False, 0
    pair: Pair | None = None
    for entry in entries:
        match entry["event"]:
            case "message":
                if pair:
                    yield pair
                prompt = prompt[: int(entry.get("prompt_shared", 0))] + str(entry.get("prompt_rest", ""))
                asked, pair, seq = entry.get("finish") not in (DROPPED, SILENT), None, int(entry.get("seq", 0))
            case "tool_call":
                if pair:
                    yield pair
                # The very next memory: another one would be somebody else's doing.
                answers = asked and int(entry.get("seq", 0)) == seq + 1
                day, command = str(entry.get("at", ""))[:10], str(entry.get("command", ""))
                asked, pair = False, Pair(prompt, command, day) if answers and command else None
            case "tool_result" if entry.get("refused") and pair:
                pair = replace(pair, accepted=False)
    if pair:
        yield pair
