"""The view of a mind at a past time, from its files: memories, tiers, last turns and last prompt."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from time import perf_counter

from agents.agent import Agent
from agents.memory.coverage import resolve_ranges
from agents.memory.memory import AgentMemory
from agents.memory.view import View
from agents.views.mind import last_turns, tier_lines, turn_lines
from agents.views.tiers import Holding, SentencePlace, Shown, Steps, lines_behind, sentences_for, tiers_shown
from agents.views.why import Exchange, prompt_shown, told_shown
from vault.chronicle.event_log import Period, moment_text
from vault.memory.journal import Journal
from world.message_catalog import Wording

NEAR = 16
"""Number of memories among which one is looked for where lines were deleted by hand."""

STEP_SECONDS = 0.01
"""Seconds of looking for a time before others may go on."""

AHEAD = 96
"""Number of the next memories among which the turn after a time is looked for."""


def last_before(journal: Journal, end_ms: int) -> Generator[None, None, int]:
    """Return the number of the last memory of before a time, 0 if there is none; in steps, as the views are made.

    Raises: NoteError if the journal cannot be read.
    """
    first, last, begun = 0, journal.last, perf_counter()
    while first < last:
        middle = (first + last + 1) // 2
        found = journal.read(middle, middle + NEAR) or journal.read(middle, last)
        if found and found[0].at_ms < end_ms:
            first = found[0].seq
        else:
            last = middle - 1
        if perf_counter() - begun > STEP_SECONDS:
            yield
            begun = perf_counter()
    return first


def view_then(memory: AgentMemory, end_ms: int) -> Generator[None, None, View]:
    """Return the tiers of before a time, as far as the files tell, in steps. Raises: NoteError."""
    n = yield from last_before(memory.journal, end_ms)
    yield
    resolved = resolve_ranges(*memory.summaries.in_force_at(end_ms))
    tiers = memory.chosen.tiers(resolved.longterm, resolved.recent, resolved.coverage(n).n)
    return View(memory.name, tuple(tiers))


def lines_then(agent: Agent, period: Period, tier: str, number: int, say: Wording) -> Steps:
    """Return the memories that a sentence of a summary of then stands for, as `lines_behind` does."""
    view = yield from view_then(agent.memory, period.end_ms)
    yield
    return lines_behind(agent.memory, SentencePlace(view, tier, number), Holding(agent.finder), say)


def sentences_then(agent: Agent, period: Period, seq: int, say: Wording) -> Steps:
    """Return the tier that stood for a memory then, and its sentences that told it, as `sentences_for` does."""
    view = yield from view_then(agent.memory, period.end_ms)
    yield
    return sentences_for(agent.memory, view, seq, say)


def mind_then(agent: Agent, period: Period, exchange: Exchange) -> Steps:
    """Return the state of a mind at the end of a period; `exchange` is the last exchange with its model before.

    `n` is how many memories it had, `of` how many it has now. `told` is what the prompt told of the moment. Goals and
    pins have no times in the files: they are those of now. `earlier` and `later` are the times of the turns around
    it, 0 where there is none. Raises: NoteError if a file cannot be read.
    """
    memory = agent.memory
    n = yield from last_before(memory.journal, period.end_ms)
    turns = last_turns(agent, n)
    yield
    view = yield from view_then(memory, period.end_ms)
    newest, ahead = memory.memory(n), memory.journal.read(n + 1, n + AHEAD)
    later = next((one.at_ms for one in ahead if one.kind == "acted"), 0)
    question = exchange.question
    shown: Shown = {
        "agent": agent.name,
        "then": period.name,
        "n": n,
        "of": memory.journal.last,
        "at": newest.at_ms if newest else 0,
        "room": newest.room if newest else "",
        "turns": turns,
        "earlier": turns[1]["at"] if len(turns) > 1 else 0,
        "later": later,
        "tiers": tiers_shown(view),
        "goals": list(agent.facts.goals),
        "pins": [pin.text for pin in agent.facts.pins],
        "prompt": prompt_shown(question, exchange.before) if question else None,
    }
    if question:
        shown |= {"told": told_shown(question), "asked_at": str(question.entry.get("at", ""))}
        shown |= {"seq": question.seq + 1 if question.command else 0}
    return shown


def then_text(shown: Shown, say: Wording) -> str:
    """Return a mind as it was at a time for people: what is of then first, and below it what is of now."""
    return "\n".join([*_then_lines(shown, say), *_prompt_lines(shown, say), *_now_lines(shown, say)])


def _then_lines(shown: Shown, say: Wording) -> Iterator[str]:
    who, at = shown["agent"], shown["then"].replace("T", " ")
    if not shown["n"]:
        yield say("observatory.not_yet", who=who, at=at)
        return
    newest = moment_text(shown["at"])[:19].replace("T", " ")
    yield say("observatory.then", who=who, at=at, n=f"{shown['n']:,}", of=f"{shown['of']:,}", newest=newest)
    doing = shown["turns"][0]["command"] if shown["turns"] else say("lists.none")
    yield say("observatory.doing", room=shown["room"], doing=doing)
    yield from tier_lines(shown["tiers"], say)
    yield from turn_lines(shown["turns"], say)


def _prompt_lines(shown: Shown, say: Wording) -> Iterator[str]:
    prompt = shown["prompt"]
    if not prompt:
        yield say("observatory.no_prompt_then")
        return
    asked, tokens = shown["asked_at"][:19].replace("T", " "), f"{prompt['tokens']:,}"
    cached = say("models.share_unknown") if prompt["cached"] is None else f"{prompt['cached']:,}"
    yield say("observatory.prompt_then", asked=asked, tokens=tokens, model=prompt["model"], cached=cached)
    for name, _, size in prompt["sections"]:
        yield "  " + say("observatory.section", name=name, count=f"{size:,}")
    for name, text in shown["told"]:
        yield say("observatory.told_then", name=name)
        yield from (f"  {line}" for line in text.split("\n"))


def _now_lines(shown: Shown, say: Wording) -> Iterator[str]:
    yield say("observatory.of_now")
    yield from (f"  {say('memory.goal', goal=goal)}" for goal in shown["goals"])
    yield from (f"  {say('memory.pin', text=text)}" for text in shown["pins"])
    if not (shown["goals"] or shown["pins"]):
        yield f"  {say('lists.none')}"
