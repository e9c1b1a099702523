"""The view of a mind: what it does, wants and remembers, its last turns, and its prompt.

Of a past time it is made from the files alone, in steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator
from itertools import pairwise
from time import perf_counter

from agents.agent import Agent
from agents.component import Described
from agents.components.errands import told_errand
from agents.memory.coverage import resolve_ranges
from agents.memory.memory import AgentMemory
from agents.memory.view import View
from agents.models.model import NotCountedYet
from agents.prompts.prompt import Prompt
from agents.views.tiers import (
    SentencePlace,
    Shown,
    Steps,
    lines_behind,
    row_text,
    sentences_for,
    shown_memory,
    tiers_shown,
)
from agents.views.why import Exchange, parsed_command, prompt_shown, told_shown
from vault.chronicle.event_log import Period, moment_text
from vault.errors import NoteError
from vault.markdown import LINE_BREAK
from vault.memory.archive_file import shared_length
from vault.memory.journal import Journal
from vault.memory.memory_line import Memory
from world.message_catalog import Wording
from world.narration import room_name
from world.parsing import parse_line
from world.room_view import visible_characters
from world.world import World

MAX_TURNS_SHOWN = 6
MAX_ENTRIES_READ = 96
"""Number of the newest memories that are searched for the last turns."""

MAX_LEAVES = 12
"""Maximum number of the newest summaries that are offered to roll back to."""

NEAR = 16
"""Number of memories among which one is looked for where lines were deleted by hand."""

STEP_SECONDS = 0.01
"""Seconds of looking for a time before others may go on."""

AHEAD = 96
"""Number of the next memories among which the turn after a time is looked for."""


def mind_shown(agent: Agent, world: World) -> Shown:
    """Return the state of a mind now. Raises: NoteError if its journal cannot be read."""
    view = agent.memory.view()
    queue, conduct = agent.queue, agent.last_turn
    stage = (queue.stage(agent.name) if queue and not agent.why_still else None) or ""
    return {
        "agent": agent.name,
        "room": room_name(agent.character.room_id, world),
        "awake": agent.character.awake,
        "still": agent.why_still,
        "stage": stage,
        "doing": {"outcome": conduct.outcome, "line": parsed_command(conduct.line), "why": conduct.why,
                  "cause": conduct.cause, "reason": parse_line(conduct.line).reason if conduct.line else ""},
        "goals": [{"text": one, "is_own": one not in agent.facts.profile_goals} for one in agent.facts.goals],
        "plan": [{"text": told_errand(one, world), "is_done": one.is_done} for one in agent.mind.errands.steps],
        "attends_to": _attends_to(agent, world),
        "here": [one.name for one in visible_characters(world, agent.character.room_id, agent.character)],
        "bonds": agent.asked.question.prompt.section("bonds") if agent.asked else "",
        "prompt": budget_shown(agent),
        "tiers": tiers_shown(view),
        "pins": [{"text": pin.text, "seq": pin.seq} for pin in agent.facts.pins],
        "memory": _memory(agent),
        "turns": last_turns(agent, agent.memory.journal.last),
    }  # fmt: skip


def _attends_to(agent: Agent, world: World) -> list[str]:
    """Return whom it owes an answer, and who talks with it, by name."""
    ids = [agent.awareness.owed.address.by_id, agent.conversation.manners().in_talk_with]
    return list(dict.fromkeys(world.characters[one].name for one in ids if one in world.characters))


def _memory(agent: Agent) -> Shown:
    record, memory = agent.compactor.stats, agent.memory
    leaves = [name.removesuffix(".md") for name in memory.summaries.newest_leaf_names(MAX_LEAVES)]
    return {
        "is_compacting": agent.compactor.is_running,
        "state": record.state,
        "cycles": record.cycles,
        "failures": record.failures_in_a_row,
        "problem": memory.problem or (record.last_error if record.failures_in_a_row else ""),
        "strategy": memory.strategy.name,
        "leaves": leaves,
    }


def budget_shown(agent: Agent) -> Shown:
    """Return the prompt that its model was asked with last, by section: the `tokens` of the `pieces` add up to it.

    `cached` are the tokens that its model had in its cache, None if nobody told; `same` those of the characters that
    the prompt shares with the one before from its beginning, which a prefix cache can serve. Before the first question
    it is the prompt of this moment.
    """
    asked = agent.asked
    prompt = asked.question.prompt if asked else _prompt_now(agent)
    same = shared_length(asked.before, prompt.text) if asked else 0
    pieces = [
        {"name": name, "tokens": _tokens(agent, prompt.text[at : at + size]), "from": at, "characters": size,
         "is_same": at + size <= same}
        for name, at, size in prompt.pieces
    ]  # fmt: skip
    cached = asked.completion.cached_tokens if asked else None
    return {
        "is_asked": asked is not None,
        "tokens": sum(int(str(one["tokens"])) for one in pieces),
        "characters": len(prompt.text),
        "budget": agent.queue.model.context_tokens if agent.queue else 0,
        "cached": cached,
        "new": asked.completion.prompt_tokens - cached if asked and cached is not None else None,
        "same": _tokens(agent, prompt.text[:same]),
        "pieces": pieces,
        "left_out": list(prompt.left_out),
        "tiers": prompt.tiers,
    }


def _prompt_now(agent: Agent) -> Prompt:
    try:
        return agent.prompt()
    except NoteError:
        return Prompt()


def _tokens(agent: Agent, text: str) -> int:
    try:
        return agent.count_tokens(text) if text else 0
    except NotCountedYet:
        return -(-len(text) // 3)


def last_turns(agent: Agent, last: int) -> list[Shown]:
    """Return an agent's last actions down from a memory, newest first: what it did, why, and what came of it."""
    found = agent.memory.journal.read(max(1, last - MAX_ENTRIES_READ), last)
    places = [at for at, one in enumerate(found) if one.kind == "acted"][-MAX_TURNS_SHOWN:]
    return [_turn(found[start:end]) for start, end in pairwise([*places, len(found)])][::-1]


def _turn(memories: list[Memory]) -> Shown:
    """Return an action with its first result, which are among these memories, the action first."""
    action, result = memories[0], next((one for one in memories if one.kind == "result" and one.text), None)
    shown = shown_memory(action) | {"command": parsed_command(action.text), "reason": parse_line(action.text).reason}
    text = result.text.replace(LINE_BREAK, "\n") if result else ""
    return shown | {"result": text, "is_refused": bool(result and result.refused)}


def mind_text(agent: Agent, shown: Shown, say: Wording) -> str:
    """Return the state of a mind for people, a fact a line, with the content of its components."""
    parts = [one.describe(say) for one in agent.mind.components if isinstance(one, Described)]
    return "\n".join(
        [
            say("mind.of", who=agent.name),
            *_doing_lines(shown, say),
            *(line for part in parts for line in part),
            *budget_lines(shown["prompt"], say),
            *tier_lines(shown["tiers"], say),
            *turn_lines(shown["turns"], say),
        ]
    )


def _doing_lines(shown: Shown, say: Wording) -> Iterator[str]:
    stage = say(f"observatory.stage_{shown['stage']}") if shown["stage"] else shown["still"]
    doing = shown["doing"]["line"] or doing_words(shown, say)
    yield say("observatory.doing", room=shown["room"], doing=doing)
    if stage:
        yield stage
    for one in shown["goals"]:
        yield say("memory.goal", goal=one["text"])
    for one in shown["plan"]:
        yield say("observatory.step_done" if one["is_done"] else "observatory.step", step=one["text"])
    if shown["attends_to"]:
        yield say("observatory.attends_to", who=say.join_and(shown["attends_to"]))
    if shown["here"]:
        yield say("observatory.company", who=say.join_and(shown["here"]))
    yield from shown["bonds"].split("\n") if shown["bonds"] else ()
    for one in shown["pins"]:
        yield say("memory.pin", text=one["text"])


def doing_words(shown: Shown, say: Wording) -> str:
    """Return how an agent's last turn ended, where it did nothing."""
    doing = shown["doing"]
    return f"{doing['outcome']}. {doing['why']}".strip() if doing["why"] else str(doing["outcome"])


def budget_lines(prompt: Shown, say: Wording) -> Iterator[str]:
    """Yield a prompt's size and its sections, for people."""
    cached = say("models.share_unknown") if prompt["cached"] is None else f"{prompt['cached']:,}"
    yield say("observatory.prompt", tokens=f"{prompt['tokens']:,}", budget=f"{prompt['budget']:,}", cached=cached)
    sections = Counter[str]()
    for one in prompt["pieces"]:
        sections[one["name"]] += one["tokens"]
    yield from ("  " + say("observatory.piece", name=name, tokens=f"{tokens:,}") for name, tokens in sections.items())


def tier_lines(tiers: Shown, say: Wording) -> Iterator[str]:
    """Yield the tiers with their sentences, and how they add up, for people."""
    for one in tiers["parts"]:
        ranges = ", ".join(f"{first}–{last}" for first, last in one["ranges"]) or say("lists.none")
        yield say("observatory.tier", name=one["name"], count=f"{one['count']:,}", memories=ranges)
        for number, text in enumerate(one["sentences"], 1):
            yield "  " + say("observatory.sentence", number=number, text=text)
    counts = " + ".join(f"{one['count']:,}" for one in tiers["parts"])
    yield say("observatory.adds_up", counts=counts, n=f"{tiers['n']:,}")


def turn_lines(turns: list[Shown], say: Wording) -> Iterator[str]:
    """Yield the last turns, for people."""
    if turns:
        yield say("observatory.last_turns")
    yield from (f"  {row_text(one, say)}" for one in turns)


def last_before(journal: Journal, end_ms: int) -> Generator[None, None, int]:
    """Return the number of the last memory of before a time, 0 if there is none; in steps, as the views are made.

    Raises: NoteError if the journal cannot be read.
    """
    first, last, begun = 0, journal.last, perf_counter()
    while first < last:
        middle = (first + last + 1) // 2
        found = journal.read(middle, middle + NEAR)
        if not found and (following := journal.first_from(middle + NEAR)):  # of a long row of deleted lines
            found = journal.read(following, following)
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
    """Return the memories behind a sentence of a summary of then, as `lines_behind` does."""
    view = yield from view_then(agent.memory, period.end_ms)
    yield
    return (yield from lines_behind(agent.memory, SentencePlace(view, tier, number), agent.finder, say))


def sentences_then(agent: Agent, period: Period, seq: int, say: Wording) -> Steps:
    """Return the tier of a memory then, and the sentences that drew on it, as `sentences_for` does."""
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
