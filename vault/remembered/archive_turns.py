"""The newest questions to a model that an archive has, each with the whole prompt and what came of the answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from vault.archive import Archive

DROPPED, SILENT = "cancelled", "silent"
"""How an answer has finished that counted for nothing, and one that was not said because it was said before."""


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
    def was_dropped(self) -> bool:
        """Whether the answer counted for nothing."""
        return self.entry.get("finish") == DROPPED

    @property
    def was_kept_back(self) -> bool:
        """Whether its author was silent, for it would only have said again what it had said."""
        return self.entry.get("finish") == SILENT

    @property
    def command(self) -> str:
        """The command that was done in answer, or an empty string."""
        # The very next memory: another one would be somebody else's doing.
        done = [one for one in self._of_turn if one["event"] == "tool_call" and one.get("seq") == self.seq + 1]
        return str(done[0].get("command", "")) if done and not (self.was_dropped or self.was_kept_back) else ""

    @property
    def results(self) -> list[str]:
        """What came of it, in order."""
        return [str(one.get("text", "")) for one in self._of_turn if one["event"] == "tool_result"]

    @property
    def is_refused(self) -> bool:
        """Whether the command was not done."""
        return any(one["event"] == "tool_result" and one.get("refused") for one in self._of_turn)

    @property
    def _of_turn(self) -> list[dict[str, Any]]:
        """What belongs to it: up to the next command, which somebody else has made the agent do."""
        calls = [place for place, one in enumerate(self.after) if one["event"] == "tool_call"]
        return self.after[: calls[1]] if len(calls) > 1 else self.after

    def told(self, name: str) -> str:
        """Return what the prompt told of the moment under this name, or an empty string."""
        place = self.entry.get("told", {}).get(name)
        return self.prompt[place[0] : place[0] + place[1]] if place else ""


def newest_questions(archive: Archive, most: int) -> list[Question]:
    """Return so many of the newest questions, or as many as there are, oldest first.

    Only as many files are read as it takes. Raises: NoteError if a file cannot be read.
    """
    count, _ = archive.size()
    found: list[Question] = []
    for files in range(1, count + 1):
        found = _questions(archive, files)
        if len(found) >= most:
            break
    return found[-most:]


def _questions(archive: Archive, files: int) -> list[Question]:
    found: list[Question] = []
    stem, prompt = "", ""
    for reference, entry in archive.entries(files):
        if (file := reference.partition("#")[0]) != stem:
            stem, prompt = file, ""
        if entry["event"] == "message":
            prompt = prompt[: int(entry.get("prompt_shared", 0))] + str(entry.get("prompt_rest", ""))
            found.append(Question(reference, entry, prompt))
        elif found:
            found[-1].after.append(entry)
    return found
