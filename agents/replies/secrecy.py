"""A private reason stays private: an agent does not tell one of its own to others word for word.

A model is shown its reasons in its prompt, and may be talked into reciting them.
"""

from __future__ import annotations

import re

from world.parsing import parse_line, split_reason

TOLD_WORDS = 8
"""So many words of a reason in a row, or all of it, are the reason."""

LEAST_CHARACTERS = 12
"""A reason shorter than this, such as `he asked`, is what anybody might say."""

_UNHEARD = frozenset({"think", "note", "goal", "recall"})
_COUNT = re.compile(r" \(×\d+\)$")
_WORD = re.compile(r"[^\W_]+")


def tells_reason(line: str, name: str, prompt: str) -> bool:
    """Return whether a line of the agent `name` would tell others a private reason that stands in its prompt.

    What is said openly anywhere in the prompt is no secret.
    """
    verb = parse_line(line).verb
    if verb in _UNHEARD or verb.startswith("@memory"):
        return False
    told = _words(split_reason(line)[0])
    found = [part for reason in _reasons(prompt, name) for part in _parts(reason) if part in told]
    if not found:
        return False
    openly = "".join(_words(_openly(one, name)) for one in prompt.split("\n"))
    return any(part not in openly for part in found)


def _reasons(prompt: str, name: str) -> list[str]:
    own = re.findall(rf"^~{re.escape(name)}> (.*\|.*)$", prompt, re.MULTILINE)
    return [_COUNT.sub("", split_reason(one)[1]) for one in own]


def _openly(line: str, name: str) -> str:
    return split_reason(line)[0] if line.startswith(f"~{name}> ") else line


def _parts(reason: str) -> list[str]:
    """Return what tells a reason, as `_words`: each run of its words that is long enough."""
    words = _WORD.findall(reason.casefold())
    runs = range(max(1, len(words) - TOLD_WORDS + 1))
    parts = [f" {' '.join(words[start : start + TOLD_WORDS])} " for start in runs]
    return [part for part in parts if len(part) >= LEAST_CHARACTERS + 2]


def _words(text: str) -> str:
    """Return the words of a text with a space around each."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "
