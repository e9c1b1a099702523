"""Removal of the wrapping that models put round a command: thoughts, tags, fences, JSON, prompts, labels, quotes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from agents.models.thoughts import without_thoughts
from world.parsing import split_at_bar
from world.sanitize import clean_block

MOST_THOUGHT = 64_000
MOST_READ = 4_000
"""Number of characters of a reply that are searched for the end of its thoughts, and that are read of the rest."""

_BREAKS = re.compile(
    r"</?s>|<(?:bos|eos|pad|unk)>|<(?:start|end)_of_turn>|\[/?INST\]|\[TOOL_CALLS\]"
    r"|</?(?:tool_calls?|tool_use|function_calls?|command|action|answer|reply|response|output)\s*/?>"
    r"|</(?:function|invoke)>"
    r"|^[ \t]*(?:```|~~~)[\w-]*",
    re.IGNORECASE | re.MULTILINE,
)
_FUNCTION_TAG = re.compile(r"<(?:function=|invoke name=\")(\w{1,40})\"?>")
_PARAMETER_TAG = re.compile(r"(?<!\s)\s*<parameter(?:=\w{1,40}| name=\"\w{1,40}\")>([^<]*)</parameter>")
_OBJECT_START = re.compile(r"^[ \t`\[]*(?=\{)", re.MULTILINE)
_CALL = re.compile(r"(?:functions\.)?(\w{1,40})\s*\(?(\{.*\})\)?")
_ELEMENT = re.compile(r"<(\w{1,40})>([^<]*)</\1>")
_PYTHON_CALL = re.compile(r"""(\w{1,40})\(\s*(?:("[^"]*"|'[^']*')\s*)?\)""")
_MARKS = re.compile(r"\*\*|__|`")
_BULLET = re.compile(
    r"[>$%•·–—]\s*|[/!\\](?=\w)|[-*+#]+\s+|\(?\d{1,2}[.):]\s+|(?:Option|Step)\s+\d{1,2}\s*[.:)]\s*", re.IGNORECASE
)
_LABEL = re.compile(
    r"(?:(?:the|my|your|next|final|chosen|best)\s+){0,3}"
    r"(?:command|action|answer|response|reply|output|input|assistant)(?:\s+is)?\s*[:=]\s*",
    re.IGNORECASE,
)
_REASON_LABEL = re.compile(
    r"(?:(?:my|the|private)\s+){0,2}(?:reason|because|why|reasoning|rationale)\s*[:=]\s*", re.IGNORECASE
)
_REASON_BEHIND = re.compile(r"\s(?P<open>[(\[]?)(?:REASON|Reason|reason)\s*[:=]\s*(?P<reason>.+)")
_NEXT_PROMPT = re.compile(r"\s~\w[\w' -]{0,30}>")
# As some write the bar of a reason: close behind the end of a sentence, or in a wide or broken form.
_LOOSE_BAR = re.compile(r"(?<=[.!?…。！？\"'”’)])[|｜](?=\w)|\s[｜¦]\s*|[｜¦]\s+")
_PAIRS = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "(": ")", "[": "]", "<": ">", "*": "*", "_": "_"}
_MOST_LAYERS = 8
_MOST_OBJECTS = 5
_VERB_KEYS = ("command", "verb", "action", "name", "function", "tool")
_ARGUMENT_KEYS = ("args", "arguments", "argument", "parameters", "params", "input", "text")
_REASON_KEYS = ("reason", "private_reason", "because", "why")
# An answer that came to the end of its tokens after the command: only the reason is not whole.
_CUT_IN_REASON = re.compile(rf'(\{{.*),\s*"(?:{"|".join(_REASON_KEYS)})"\s*:\s*(?:"(?:[^"\\]|\\.)*\\?)?\s*', re.DOTALL)


@dataclass(frozen=True)
class Piece:
    """One line of a reply without its decoration, and the reason that stood beside it, if any."""

    text: str
    reason: str = ""


def pieces(reply: str, name: str) -> Iterator[Piece]:
    """Yield the lines of a reply that hold anything, bare, in order. `name` is the agent's own."""
    text = without_thoughts(reply[:MOST_THOUGHT])[:MOST_READ].replace("\ufffd", "")
    text = _FUNCTION_TAG.sub(r"\n\1 ", _PARAMETER_TAG.sub(_parameter, _BREAKS.sub("\n", text)))
    lines = [line for line in clean_block(_with_objects_as_lines(text)).split("\n") if line.strip()]
    bare = [_bare(line, name) for line in lines]
    reasons = [_reason_of(line) for line in bare]
    for number, line in enumerate(bare):
        if line and not reasons[number]:
            yield Piece(_as_line(line), _beside(reasons, number))


def _parameter(found: re.Match[str]) -> str:
    return f" {found[1].strip()}"


def _beside(reasons: list[str], number: int) -> str:
    """Return the labelled reason in the line after, else in the line before."""
    near = [*reasons[number + 1 : number + 2], *reasons[max(number - 1, 0) : number]]
    return next(filter(None, near), "")


def _bare(line: str, name: str) -> str:
    """Return a line without its prompt, bullets, labels, marks, and what stands round the whole of it."""
    text = _MARKS.sub("", line).strip()
    prompt = re.compile(rf"(?:~\s*)?{re.escape(name)}\s*[>:]\s*|~\s*{re.escape(name)}\s+", re.IGNORECASE)
    for _ in range(_MOST_LAYERS):
        peeled = text
        for decoration in (prompt, _BULLET, _LABEL):
            peeled = peeled[match.end() :] if (match := decoration.match(peeled)) else peeled
        done, bar, reason = peeled.partition(" | ")
        peeled = f"{_inside(done.strip()).strip()}{bar}{reason}".strip()
        if peeled == text:
            break
        text = peeled
    return _with_bar(_NEXT_PROMPT.split(text)[0]).strip()


def _with_bar(text: str) -> str:
    """Return `say hi (Reason: he is new)` and `say Hi.|he is new` as `say hi | he is new`."""
    if not split_at_bar(text)[1]:
        text = _LOOSE_BAR.sub(" | ", text, 1)
    found = _REASON_BEHIND.search(text)
    if not found:
        return text
    reason = found["reason"].rstrip(")]") if found["open"] else found["reason"]
    return f"{text[: found.start()]} | {reason}"


def _inside(text: str) -> str:
    """Return the text inside a pair of quotes, brackets or marks that encloses the whole text, else the text."""
    close = _PAIRS.get(text[:1])
    inner = text[1:-1]
    return inner if close and len(text) > 2 and text[-1] == close and close not in inner else text


def _reason_of(line: str) -> str:
    label = _REASON_LABEL.match(line)
    return line[label.end() :].strip() if label else ""


def _as_line(text: str) -> str:
    """Return `say {"text": "hi"}`, `<say>hi</say>` and `say("hi")` as the lines that they mean."""
    call = _CALL.fullmatch(text)
    if call and (arguments := _object(call[2])) is not None:
        return f"{call[1]} {_joined(arguments)}".strip()
    if element := _ELEMENT.fullmatch(text):
        return f"{element[1]} {element[2].strip()}".strip()
    call = _PYTHON_CALL.fullmatch(text)
    return f"{call[1]} {_inside(call[2] or '')}".strip() if call else text


def _with_objects_as_lines(text: str) -> str:
    """Return the text with each JSON object that begins a line replaced by the command it names."""
    for _ in range(_MOST_OBJECTS):
        start = _OBJECT_START.search(text)
        if not start:
            break
        try:
            found, length = json.JSONDecoder().raw_decode(text[start.end() :])
        except (ValueError, RecursionError):
            cut = _CUT_IN_REASON.fullmatch(text, start.end())
            found, length = _object(f"{cut[1]}}}") if cut else None, len(text)
        if found is None:
            break
        text = f"{text[: start.start()]}\n{_command_in(found)}\n{text[start.end() + length :]}"
    return text


def _command_in(found: dict[str, Any]) -> str:
    verb, arguments, reason = (_first(found, keys) for keys in (_VERB_KEYS, _ARGUMENT_KEYS, _REASON_KEYS))
    if isinstance(verb, dict):  # {"function": {"name": "say", "arguments": {…}}}
        return _command_in(verb)
    line = clean_block(f"{_joined(verb)} {_joined(arguments)}").replace("\n", " ").strip()
    return f"{line} | {_joined(reason)}" if reason else line


def _first(found: dict[str, Any], keys: Iterable[str]) -> Any:
    return next((found[key] for key in keys if found.get(key)), "")


def _joined(value: Any) -> str:
    """Return JSON arguments as text: a list's or an object's values in their order."""
    if isinstance(value, str) and value.startswith("{"):
        value = _object(value) or value
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return " ".join(str(item) for item in value if isinstance(item, str | int | float))
    return str(value) if isinstance(value, str | int | float) else ""


def _object(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
