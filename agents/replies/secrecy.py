"""A private reason stays private: an agent does not tell one of its own to others word for word.

A model is shown its reasons in its prompt, and may be talked into reciting them.
"""

from __future__ import annotations

import re
from functools import cached_property

from world.parsing import parse_line, split_reason

TOLD_WORDS = 8
"""So many words of a reason in a row, or all of it, are the reason."""

LEAST_CHARACTERS = 12
"""A reason shorter than this, such as `he asked`, is what anybody might say."""

_UNHEARD = frozenset({"think", "note", "goal", "recall"})
_COUNT = re.compile(r" \(×\d+\)$")
_WORD = re.compile(r"[^\W_]+")


class Reasons:
    """The private reasons that stand in a prompt of the agent `name`; they are looked for once, when first needed."""

    def __init__(self, name: str, prompt: str) -> None:
        self._own = f"~{name}> "
        self._prompt = prompt

    def are_told_by(self, line: str) -> bool:
        """Return whether a line would tell one of them to others. What the prompt says openly anywhere is no secret."""
        verb = parse_line(line).verb
        if not verb or verb in _UNHEARD or verb.startswith("@memory"):
            return False
        told = _words(split_reason(line)[0])
        found = [part for part in self._parts if part in told]
        return any(part not in self._openly for part in found)

    @cached_property
    def _parts(self) -> tuple[str, ...]:
        """What tells a reason, as `_words`: each run of its words that is long enough."""
        own = re.findall(rf"^{re.escape(self._own)}(.*\|.*)$", self._prompt, re.MULTILINE)
        reasons = {_COUNT.sub("", split_reason(line)[1]) for line in own}
        return tuple({part for reason in reasons for part in _runs(reason) if len(part.strip()) >= LEAST_CHARACTERS})

    @cached_property
    def _openly(self) -> str:
        lines = self._prompt.split("\n")
        return "".join(_words(split_reason(line)[0] if line.startswith(self._own) else line) for line in lines)


def _runs(reason: str) -> list[str]:
    words = _WORD.findall(reason.casefold())
    starts = range(max(1, len(words) - TOLD_WORDS + 1))
    return [f" {' '.join(words[start : start + TOLD_WORDS])} " for start in starts]


def _words(text: str) -> str:
    """Return the words of a text with a space around each."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "
