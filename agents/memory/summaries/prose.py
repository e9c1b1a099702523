"""Abstractive summaries by a model: in prose, as JSON, or in six fixed sections.

The model is asked twice at most, the second time with the faults of its first try. If both tries have wrong sentences,
the rest of the better try counts, if enough is left.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.memory.gate import MENDABLE, Objection, Source, Verdict, judge, read_ahead, without_faults
from agents.memory.judging.entities import folded, plain
from agents.memory.summaries.drafts import Draft, SummaryCall
from agents.memory.summaries.form import short
from agents.memory.summaries.formats import memory_of_line
from agents.memory.summaries.prompt import CUE, STOP, SummaryTemplate, fill_template
from agents.models.model import Completion
from vault.memory.memory_line import Memory

MAX_TRIES = 2
MAX_OBJECTIONS_SENT = 5
"""The number of objections in the prompt of the second try; a small model does not heed more."""

MIN_KEPT = 0.4
"""Minimum share of a try's words that has to be left without the wrong sentences for the rest to count."""

FORM_TOKENS = 64
SHAPE = '{"summary": "...", "variables": ["...", ...]}'
SECTIONS = (
    "User Goal",
    "Confirmed Facts",
    "Decisions Made",
    "Open Issues",
    "Pending Actions",
    "Important References",
)
NOTHING = "None."

_TOO_LONG = Objection("cut-off", "It broke off; make it shorter.")
_HEADING = re.compile(r"##\s+(\S.*)")
_ASSUMED = re.compile(r"\b(?:maybe|perhaps|probably|presumably|might|I (?:think|guess|assume|suppose)|seems?)\b", re.I)
_GOAL = re.compile(r"\b(?:I (?:want|need|must|have) to|my (?:goal|aim|task)|today I)\b", re.IGNORECASE)
_PENDING = re.compile(r"\b(?:promise|I will|I'll|I shall|will you|please)\b", re.IGNORECASE)


async def write_summary(
    asking: SummaryCall, template: SummaryTemplate, values: Mapping[str, str], source: Source, chat: bool
) -> Draft:
    """Return a summary that the gate has accepted. Raises: SummaryRefused, ModelError."""
    objections: tuple[Objection, ...] = ()
    tries: list[str] = []
    for _ in range(MAX_TRIES):
        why = " ".join(list(dict.fromkeys(one.detail for one in objections))[:MAX_OBJECTIONS_SENT])
        slots = {**values, "objection": f"\nA first try was refused: {why}" if why else ""}
        completion = await _ask(asking, template, fill_template(template.text, slots, chat), source)
        # Neither the source nor the objection, which quotes the first try, is an instruction that may not be copied.
        told = {"memories": "", "recent": ""} if source.memories else {}
        instructions = fill_template(template.text, {**slots, **told, "objection": ""}, chat)
        told_of = replace(source, prompt=instructions)
        await read_ahead(completion.text, source)
        text, verdict = _judge_completion(completion, template, told_of, asking)
        if verdict.accepted:
            return asking.accept(text, "prose", verdict)
        objections = verdict.objections
        if MENDABLE.issuperset(one.reason for one in objections):
            tries.append(text)
        asking.refused += [one.reason for one in objections]
    if template.schema == "prose" and (rest := _what_is_true(tries, told_of, asking)):
        return rest
    del asking.refused[-len(objections) :]  # the error below has these
    raise asking.refuse(objections)


def _what_is_true(tries: Sequence[str], source: Source, asking: SummaryCall) -> Draft | None:
    """Return the rest of the better try without its wrong sentences; None if that is too little."""
    found = [without_faults(text, source) for text in tries]
    left = [rest for rest, whole in found if len(rest.split()) >= MIN_KEPT * max(1, len(whole.split()))]
    for rest in sorted(left, key=len, reverse=True):
        verdict = judge(rest, source, asking.model.count_tokens)
        if verdict.accepted:
            return asking.accept(rest, "prose", verdict)
    return None


async def _ask(asking: SummaryCall, template: SummaryTemplate, prompt: str, source: Source) -> Completion:
    if template.schema != "prose":
        return await asking.ask(prompt, source.cap_tokens + FORM_TOKENS, (CUE,))
    return await asking.ask(prompt, source.cap_tokens, STOP)


def _judge_completion(
    completion: Completion, template: SummaryTemplate, source: Source, asking: SummaryCall
) -> tuple[str, Verdict]:
    """Return the text to keep, and what is to be said of the one that the model wrote, line by line."""
    try:
        said = readable(completion.text, source) if template.schema == "json" else _lines(completion.text)
    except BadJson as error:
        return "", Verdict((error.objection,), {})
    verdict = judge_in_form(said, template.schema, source, _counting(said, completion, asking))
    if verdict.accepted and completion.finish == "length":
        verdict = Verdict((_TOO_LONG,), verdict.scores)
    told = " ".join(said.split()) if template.schema == "prose" else said
    return told, verdict


def _counting(said: str, completion: Completion, asking: SummaryCall) -> Callable[[str], int]:
    """Return a counter of tokens; for the model's text it never exceeds the model's own count."""

    def count(text: str) -> int:
        estimated = asking.model.count_tokens(text)
        return min(estimated, completion.completion_tokens or estimated) if text == said else estimated

    return count


def judge_in_form(text: str, schema: str, source: Source, count_tokens: Callable[[str], int]) -> Verdict:
    """Judge a summary in the form that its template asks for; of one in sections the content, and the form as well."""
    if schema != "sections":
        return judge(text, source, count_tokens)
    told = judge(without_headings(text), replace(source, first_person=False), count_tokens)
    faults = (Objection(reason, detail) for reason, detail in section_faults(text))
    return Verdict((*faults, *told.objections), told.scores)


def _lines(text: str) -> str:
    return "\n".join(" ".join(line.split()) for line in text.splitlines() if line.strip())


class BadJson(Exception):
    """A reply is not the JSON that was asked for; `objection` says why."""

    def __init__(self, why: str) -> None:
        detail = f"{why} Answer with JSON of this form and nothing else: {SHAPE}"
        super().__init__(detail)
        self.objection = Objection("bad-json", detail)


def readable(reply: str, source: Source) -> str:
    """Return a reply in JSON as text: the summary, and a line with its variables.

    Raises: BadJson if it is no such JSON, or a variable has a name that stands nowhere in the source.
    """
    try:
        found = json.loads(_without_fence(reply.strip()))
    except (ValueError, RecursionError) as error:
        raise BadJson(f"It is not valid JSON: {short(str(error))}.") from error
    summary, variables = _parts(found)
    known = folded(plain("\n".join([source.text, *source.roster, *(m.room for m in source.memories)])))
    unknown = [name for name, _ in variables if folded(plain(name)) not in known]
    if unknown:
        raise BadJson(f"No memory has these variables: {', '.join(short(name) for name in unknown)}.")
    listed = ", ".join(f"{name} = {value}" if value else name for name, value in variables)
    return f"{summary}\nWhat I keep in mind: {listed}." if listed else summary


def _without_fence(text: str) -> str:
    """Return the text inside a fence around the whole of a text, else the text."""
    begin, _, rest = text.partition("\n")
    is_fenced = begin.rstrip() in ("```", "```json") and rest.endswith("```")
    return rest.removesuffix("```") if is_fenced else text


def _parts(found: Any) -> tuple[str, list[tuple[str, str]]]:
    """Return the summary and the (name, value) of each variable; a value may be empty."""
    if not isinstance(found, dict):
        raise BadJson("It is not a JSON object.")
    summary, variables = found.get("summary"), found.get("variables")
    if not isinstance(summary, str) or not summary.strip():
        raise BadJson("Its summary is missing or no text.")
    if not isinstance(variables, list):
        raise BadJson("Its variables are missing or no list.")
    return " ".join(summary.split()), [_variable(one) for one in variables]


def _variable(one: Any) -> tuple[str, str]:
    match one:
        case str() if one.strip():
            return " ".join(one.split()), ""
        case {"name": str(name)} if name.strip():
            value = one.get("value")
            return " ".join(name.split()), "" if value is None else " ".join(str(value).split())
        case _:
            raise BadJson(f"{short(repr(one))} is no variable: write its name, or name and value.")


def section_faults(text: str) -> Iterator[tuple[str, str]]:
    """Yield the faults of the sections of a text, as kinds of objection with a sentence each."""
    headings = [match[1] for line in text.split("\n") if (match := _HEADING.fullmatch(line.strip()))]
    if headings != list(SECTIONS):
        found = ", ".join(headings) or "none"
        yield "wrong-sections", f"The sections are {found}; they have to be {', '.join(SECTIONS)}, in this order."
        return
    if text.strip().split("\n")[0].strip() != f"## {SECTIONS[0]}":
        yield "wrong-sections", f"Nothing may stand before the section {SECTIONS[0]}."
    told = sections_of(text)
    for name in SECTIONS:
        if not told[name]:
            yield "wrong-sections", f"The section {name} is empty; write {NOTHING} where there is nothing to tell."
    for line in told["Confirmed Facts"]:
        if _ASSUMED.search(line):
            yield "assumption-as-fact", f"{line!r} is no fact; what is not certain belongs under Open Issues."


def sections_of(text: str) -> dict[str, list[str]]:
    """Return the lines under each heading, in order; an unknown heading has its own."""
    told: dict[str, list[str]] = {}
    name = ""
    for line in filter(None, map(str.strip, text.split("\n"))):
        heading = _HEADING.fullmatch(line)
        if heading:
            name = heading[1]
            told.setdefault(name, [])
        else:
            told.setdefault(name, []).append(line)
    return told


def without_headings(text: str) -> str:
    """Return the content alone: no headings, no lines that say that there is nothing."""
    lines = (line.strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line and line != NOTHING and not _HEADING.fullmatch(line))


def sort_into_sections(lines: Sequence[str], resolve: Callable[[int], Memory | None]) -> str:
    """Return picked lines under the six headings, sorted into them by rule."""
    placed: dict[str, list[str]] = {name: [] for name in SECTIONS}
    for line in lines:
        link = memory_of_line(line)
        words, memory = (link[1], resolve(link[0])) if link else (line, None)
        placed[_section_for(words, memory)].append(line)
    return "\n".join("\n".join([f"## {name}", *(placed[name] or [NOTHING])]) for name in SECTIONS)


def _section_for(words: str, memory: Memory | None) -> str:
    if _GOAL.search(words):
        return "User Goal"
    if _PENDING.search(words):
        return "Pending Actions"
    if words.rstrip('"” ').endswith("?") or _ASSUMED.search(words):
        return "Open Issues"
    if memory and memory.kind == "acted":
        return "Decisions Made"
    if memory and memory.kind in ("result", "noted"):
        return "Important References"
    return "Confirmed Facts"
