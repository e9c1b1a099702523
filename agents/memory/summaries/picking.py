"""Extractive summaries: lines picked by a model or by rule, by importance and place."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from agents.memory.english import FUNCTION_WORDS
from agents.memory.importance import HANDED, is_routine
from agents.memory.judging.entities import folded, plain
from agents.memory.summaries.drafts import Draft, SummaryCall
from agents.memory.summaries.formats import memory_of_line, picked_line
from agents.memory.summary_verifier import Source, judge_picked
from agents.models.adapter import gbnf_literal
from vault.memory.memory_line import DEFAULT_IMPORTANCE, Memory

FORM_TOKENS = 24
"""Tokens for the marks of JSON round a line and the blanks between them."""

WORTH_PICKING = ("observed", "acted", "thought", "dreamt", "told", "noted")
NEAR = 1
"""Lines this much less important than the most important one are offered with it."""

Resolve = Callable[[int], Memory | None]


@dataclass(frozen=True)
class Candidate:
    """A line that may be picked, how important it is, and where it is from."""

    line: str
    importance: int = DEFAULT_IMPORTANCE
    place: str = ""


def candidates(memories: Sequence[Memory]) -> list[Candidate]:
    """Return the lines worth picking, each text once, in order; all lines if none is worth it."""
    notable = [m for m in memories if not is_routine(m) and (m.kind in WORTH_PICKING or m.importance >= HANDED)]
    by_text = {memory.text: memory for memory in reversed(notable or memories)}
    told = sorted(by_text.values(), key=lambda memory: memory.seq)
    return [Candidate(picked_line(memory), memory.importance, memory.room) for memory in told]


def candidates_of_lines(lines: Sequence[str], resolve: Resolve) -> list[Candidate]:
    """Return the lines of summaries, each once, as important as the memories that they link to."""
    found = []
    for line in dict.fromkeys(lines):
        link = memory_of_line(line)
        memory = resolve(link[0]) if link else None
        found.append(Candidate(line, memory.importance, memory.room) if memory else Candidate(line))
    return found


def offered(left: Sequence[Candidate], chosen: Sequence[Candidate], count: int) -> list[Candidate]:
    """Return those from which the next of `count` lines is taken; never nothing if anything is left.

    No place has more than half of all lines while another has any. The last third is free; before it, only what is
    about as important as the most important line is offered.
    """
    taken = Counter(one.place for one in chosen)
    elsewhere = [one for one in left if 2 * taken[one.place] < count]
    open_to_all = elsewhere or list(left)
    if len(chosen) >= count - count // 3:
        return open_to_all
    most = max(one.importance for one in open_to_all)
    return [one for one in open_to_all if one.importance >= most - NEAR]


async def pick_with_model(
    asking: SummaryCall, lines: Sequence[Candidate], count: int, source: Source, resolve: Resolve
) -> Draft:
    """Return a summary of lines that the model has picked, in their order. Raises: SummaryRefused, ModelError.

    A model that cannot be held to a choice is not asked: the newest of the lines on offer counts.
    """
    chosen, left = list[Candidate](), list(lines)
    while left and len(chosen) < count:
        choice = offered(left, chosen, count)
        if len(left) + len(chosen) <= count:
            one = left[0]
        elif asking.model.capabilities.grammar or asking.model.capabilities.json_schema:
            one = await _ask_for_line(asking, lines, chosen, choice, count, source.name)
        else:
            one = choice[-1]
        left.remove(one)
        if _fits([*chosen, one], asking, source):
            chosen.append(one)
    return _accepted(asking, lines, chosen, source, resolve, "extractive")


def pick_by_rule(
    asking: SummaryCall, lines: Sequence[Candidate], count: int, source: Source, resolve: Resolve
) -> Draft:
    """Return a summary of lines picked by rule: the most important first, among equals the most central.

    A line is central if its words are in many others. Raises: SummaryRefused.
    """
    chosen, left = list[Candidate](), list(lines)
    central = _centrality([one.line for one in lines])
    while left and len(chosen) < count:
        one = max(offered(left, chosen, count), key=lambda candidate: (candidate.importance, central[candidate.line]))
        left.remove(one)
        if _fits([*chosen, one], asking, source):
            chosen.append(one)
    return _accepted(asking, lines, chosen, source, resolve, "fallback")


async def _ask_for_line(
    asking: SummaryCall,
    lines: Sequence[Candidate],
    chosen: Sequence[Candidate],
    choice: Sequence[Candidate],
    count: int,
    name: str,
) -> Candidate:
    shown, before = [one.line for one in lines], [one.line for one in chosen]
    told = "\n".join([*shown, "", f"The {count} of these that {name} must never forget:", *before, ""])
    longest = max(asking.model.count_tokens(one.line) for one in choice)
    if asking.model.capabilities.grammar:
        grammar = f'root ::= ({" | ".join(gbnf_literal(one.line) for one in choice)}) "\\n"\n'
        answer = (await asking.ask(told, longest + 8, ("\n",), grammar)).text.strip("\n")
    else:
        completion = await asking.ask(told, longest + FORM_TOKENS, (), schema=_schema([one.line for one in choice]))
        answer = _line_in(completion.text)
    return next((one for one in choice if one.line == answer), choice[0])


def _schema(lines: Sequence[str]) -> dict[str, Any]:
    """Return the schema of an answer that is exactly one of the lines."""
    line = {"enum": list(lines)}
    return {"type": "object", "properties": {"line": line}, "required": ["line"], "additionalProperties": False}


def _line_in(answer: str) -> str:
    """Return the line in an answer of that schema; empty if the model could not be held to it."""
    try:
        return str(json.loads(answer)["line"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""


def _fits(chosen: Sequence[Candidate], asking: SummaryCall, source: Source) -> bool:
    told = [link[1] if (link := memory_of_line(one.line)) else one.line for one in chosen]
    return asking.model.count_tokens("\n".join(told)) <= source.cap_tokens


def _accepted(
    asking: SummaryCall,
    lines: Sequence[Candidate],
    chosen: Sequence[Candidate],
    source: Source,
    resolve: Resolve,
    quality: str,
) -> Draft:
    place = {line: number for number, line in enumerate(one.line for one in lines)}
    text = "\n".join(sorted((one.line for one in chosen), key=lambda line: place[line]))
    verdict = judge_picked(text, source, resolve, asking.model.count_tokens)
    if not verdict.accepted:
        raise asking.refuse(verdict.objections)
    return asking.accept(text, quality, verdict)


def _centrality(lines: Sequence[str]) -> dict[str, float]:
    """Return for each line the share of all lines that have its words, on average; plain words do not count."""
    words = {line: _words(line) for line in lines}
    frequency = Counter(word for found in words.values() for word in found)
    return {
        line: sum(frequency[word] for word in found) / (len(found) * len(words)) if found else 0.0
        for line, found in words.items()
    }


def _words(line: str) -> frozenset[str]:
    told = memory_of_line(line)
    spelt = folded(plain(told[1] if told else line)).split()
    return frozenset(bare for word in spelt if (bare := word.strip(".,:;!?\"'…()")) and bare not in FUNCTION_WORDS)
