"""Having a model summarise in its own words: asked twice at most, the second time with what was wrong.

Of a second try that is wrong in some sentences the others count, if enough is left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from agents.memory.gate import UNTRUE, Objection, Source, Verdict, judge, without_untrue
from agents.memory.summaries.drafts import Asking, Draft
from agents.memory.summaries.sections import section_faults, without_headings
from agents.memory.summaries.structured import BadJson, readable
from agents.memory.summaries.templates import CUE, STOP, SummaryTemplate, filled
from agents.models.model import Completion

TRIES = 2
MOST_TOLD = 5
"""So many objections stand in the prompt of the second try: more is more than a small model minds."""

MIN_KEPT = 0.4
"""Of the words of a last try so much has to be left without the sentences that are wrong, for the rest to count."""

FORM_TOKENS = 64

_TOO_LONG = Objection("cut-off", "It broke off; make it shorter.")


async def written(
    asking: Asking, template: SummaryTemplate, values: Mapping[str, str], source: Source, chat: bool
) -> Draft:
    """Return a summary that the gate has accepted. Raises: SummaryRefused, ModelError."""
    objections: tuple[Objection, ...] = ()
    for _ in range(TRIES):
        why = " ".join(list(dict.fromkeys(one.detail for one in objections))[:MOST_TOLD])
        slots = {**values, "objection": f"\nA first try was refused: {why}" if why else ""}
        completion = await _asked(asking, template, filled(template.text, slots, chat), source)
        # Neither the source nor the objection, which quotes the first try, is an instruction that may not be copied.
        told = {"memories": "", "recent": ""} if source.memories else {}
        instructions = filled(template.text, {**slots, **told, "objection": ""}, chat)
        told_of = replace(source, prompt=instructions)
        text, verdict = _judged(completion, template, told_of, asking)
        if verdict.accepted:
            return asking.accept(text, "prose", verdict)
        objections = verdict.objections
        asking.refused += [one.reason for one in objections]
    is_untrue_only = template.schema == "prose" and UNTRUE.issuperset(one.reason for one in objections)
    if is_untrue_only and (rest := _what_is_true(text, told_of, asking)):
        return rest
    del asking.refused[-len(objections) :]  # the error tells of these
    raise asking.refuse(objections)


def _what_is_true(text: str, source: Source, asking: Asking) -> Draft | None:
    """Return what is left of a last try without the sentences that are wrong; None if that is too little."""
    rest = without_untrue(text, source)
    if len(rest.split()) < MIN_KEPT * len(text.split()):
        return None
    verdict = judge(rest, source, asking.model.count_tokens)
    return asking.accept(rest, "prose", verdict) if verdict.accepted else None


async def _asked(asking: Asking, template: SummaryTemplate, prompt: str, source: Source) -> Completion:
    if template.schema != "prose":
        return await asking.ask(prompt, source.cap_tokens + FORM_TOKENS, (CUE,))
    return await asking.ask(prompt, source.cap_tokens, STOP)


def _judged(completion: Completion, template: SummaryTemplate, source: Source, asking: Asking) -> tuple[str, Verdict]:
    """Return the text to keep, and what is to be said of the one that the model wrote, line by line."""
    try:
        said = readable(completion.text, source) if template.schema == "json" else _lines(completion.text)
    except BadJson as error:
        return "", Verdict((error.objection,), {})
    verdict = judged(said, template.schema, source, _counting(said, completion, asking))
    if verdict.accepted and completion.finish == "length":
        verdict = Verdict((_TOO_LONG,), verdict.scores)
    told = " ".join(said.split()) if template.schema == "prose" else said
    return told, verdict


def _counting(said: str, completion: Completion, asking: Asking) -> Callable[[str], int]:
    """Return what counts tokens: of what the model wrote never more than it says that it has written."""

    def count(text: str) -> int:
        estimated = asking.model.count_tokens(text)
        return min(estimated, completion.completion_tokens or estimated) if text == said else estimated

    return count


def judged(text: str, schema: str, source: Source, count_tokens: Callable[[str], int]) -> Verdict:
    """Judge a summary in the form that its template asks for; of one in sections what is told, and the form as well."""
    if schema != "sections":
        return judge(text, source, count_tokens)
    told = judge(without_headings(text), replace(source, first_person=False), count_tokens)
    faults = (Objection(reason, detail) for reason, detail in section_faults(text))
    return Verdict((*faults, *told.objections), told.scores)


def _lines(text: str) -> str:
    return "\n".join(" ".join(line.split()) for line in text.splitlines() if line.strip())
