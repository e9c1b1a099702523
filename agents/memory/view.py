"""What of an agent's memory goes into a prompt, as text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from agents.memory.coverage import Coverage, Range
from agents.memory.micro import LIMITS, Limits, result_texts
from agents.prompts.quoting import plain, quoted
from vault.remembered.memory_line import LINE_BREAK, Memory
from vault.remembered.summaries import Summary

RESULT_CHARACTERS = 240
STEP_LINES = 16
UNSHOWN = "are not shown here for want of room"

_UNSHOWN = re.compile(rf"^\[Memories (\d+)(?:–(\d+))? {UNSHOWN}", re.MULTILINE)
_BLOCK_LINK = re.compile(r"\s*\(?\[\[[^\]]*#\^m\d+\]\]\)?")


@dataclass(frozen=True)
class View:
    """The three tiers at one moment. `tail` holds the newest memories of the verbatim range, oldest first.

    `limits` bounds how much of a command's result is told.
    """

    name: str
    coverage: Coverage
    longterm: Summary | None
    recent: Summary | None
    tail: tuple[Memory, ...]
    limits: Limits = LIMITS

    def older(self) -> str:
        """Return the long-term summary with a line that says what it stands for; empty if there is none."""
        return _told(self.longterm)

    def recent_past(self) -> str:
        """Return the short-term summary in the same way."""
        return _told(self.recent)

    def tail_text(self, left_out: int = 0) -> str:
        """Return the verbatim tail, a line a memory, without the oldest `left_out` of them.

        Whatever of the verbatim range is not shown is named in a first line.
        """
        return "\n".join([*self._unshown(left_out), *collapsed(self._texts[left_out:])])

    def before_text(self, left_out: int = 0) -> str:
        """Return the tail up to what its owner did last, in the same way; `since_text` has the rest."""
        return "\n".join([*self._unshown(left_out), *collapsed(self._texts[left_out : self._done])])

    def since_text(self, left_out: int = 0) -> str:
        """Return what has come after its owner's last deed, a line a memory."""
        return "\n".join(collapsed(self._texts[max(left_out, self._done) :]))

    def idle_ms(self, now_ms: int) -> int:
        """Return how long ago its owner did something, in milliseconds; 0 if the tail holds no deed of its own."""
        return max(0, now_ms - self.tail[self._done - 1].at_ms) if self._done else 0

    @property
    def moment(self) -> tuple[Memory, ...]:
        """The owner's last deed, if the tail holds one, and all that came after it."""
        return self.tail[max(0, self._done - 1) :]

    @cached_property
    def _done(self) -> int:
        """How many of the tail there are up to the owner's last deed, that one included."""
        deeds = (place for place in range(len(self.tail), 0, -1) if self.tail[place - 1].kind == "acted")
        return next(deeds, 0)

    @cached_property
    def _texts(self) -> list[str]:
        """What is told of each memory of the tail."""
        results = result_texts(self.tail, self._done, self.limits)
        return [
            quoted(results[place]) if place in results else memory_text(memory, self.name)
            for place, memory in enumerate(self.tail)
        ]

    def _unshown(self, left_out: int) -> list[str]:
        shown = self.tail[left_out:]
        first_shown = shown[0].seq if shown else self.coverage.n + 1
        unshown = Range(self.coverage.verbatim.first, first_shown - 1)
        if not unshown:
            return []
        return [f"[Memories {unshown} {UNSHOWN}; they are in the journal]"]


def memory_text(memory: Memory, name: str) -> str:
    """Return a memory as its owner would see it on a screen: what it typed behind its prompt, the rest as it was.

    Of a long result this is the beginning: as much as is of use to whoever summarises it.
    """
    match memory.kind:
        case "acted":
            return f"~{name}> {memory.text}"
        case "noted":
            return f"[You noted: {plain(memory.text)}]"
        case "dreamt":
            return f"[You dreamt: {plain(memory.text)}]"
        case "result" if len(memory.text) > RESULT_CHARACTERS:
            told = memory.text[:RESULT_CHARACTERS].rsplit(" ", 1)[0].replace(LINE_BREAK, " ")
            return f"{quoted(told)} [… ^m{memory.seq}]"
        case _:
            return quoted(memory.text.replace(LINE_BREAK, " "))


def unshown_in(prompt: str) -> Range:
    """Return which memories a prompt says that it does not show; an empty range if it shows all."""
    found = _UNSHOWN.search(prompt)
    return Range(int(found[1]), int(found[2] or found[1])) if found else Range(1, 0)


def collapsed(lines: Iterable[str]) -> list[str]:
    """Return lines with each run of equal ones made one with its count: `It rains. (×3)`."""
    told, counts = list[str](), list[int]()
    for line in lines:
        if told and told[-1] == line:
            counts[-1] += 1
        else:
            told.append(line)
            counts.append(1)
    return [f"{line} (×{count})" if count > 1 else line for line, count in zip(told, counts, strict=True)]


def _told(summary: Summary | None) -> str:
    if summary is None:
        return ""
    what = f"[Summarized {summary.count} memories: {Range(summary.first, summary.last)}]"
    return f"{_BLOCK_LINK.sub('', summary.text)}\n{what}"
