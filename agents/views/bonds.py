"""The view of bonds: meetings, promises and secrets of all agents, made in steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from agents.agent import Agent
from agents.memory.facts.store import ME
from agents.reflection.acquaintances import speaker_of
from agents.views.tiers import Shown, Steps
from vault.memory.facts_note import COMMITMENTS, CONFIDED, PEOPLE, PROMISES, Fact
from world.message_catalog import Wording

MAX_PEOPLE = 64
"""Maximum number of people whose quotes are read."""

ROWS_A_STEP = 16
MAX_ROWS = 400
"""Maximum number of rows shown of each table."""


def bonds_of(agent: Agent) -> Iterator[tuple[str, Shown]]:
    """Yield the rows of one agent, each with its table: `met`, `promises` or `told`."""
    for fact in agent.facts.facts:
        if fact.section == PEOPLE:
            yield "met", _met(agent.name, fact)
        elif fact.section in COMMITMENTS:
            yield "promises", _promise(agent.name, fact)
    told = set[tuple[int, str]]()
    people = agent.reflection.people
    for person in people.met()[:MAX_PEOPLE]:
        for one in people.facts(person):
            seq, is_private = one.evidence[0] if one.evidence else 0, bool(people.parties_of(person, one))
            row = _told_row(agent.name, speaker_of(one, person), person, one.words, seq)
            told.add((seq, one.words))
            yield "told", row | {"day": one.day, "is_whispered": is_private, "by_hand": one.by_hand}
    for fact in agent.facts.facts:  # a secret may be kept as both
        if fact.section == CONFIDED and (fact.since, fact.value) not in told:
            yield "told", _told_row(agent.name, fact.subject, fact.subject, fact.value, fact.since)


def bonds_shown(agents: Mapping[str, Agent]) -> Steps:
    """Return the tables of all agents; between two steps others may go on.

    `more` says how many rows of each table are left out.
    """
    tables: dict[str, list[Shown]] = {"met": [], "promises": [], "told": []}
    for agent in list(agents.values()):
        for number, (name, row) in enumerate(bonds_of(agent)):
            tables[name].append(row)
            if number % ROWS_A_STEP == ROWS_A_STEP - 1:
                yield
        yield
    shown: Shown = {name: rows[:MAX_ROWS] for name, rows in tables.items()}
    return shown | {"more": {name: max(0, len(rows) - MAX_ROWS) for name, rows in tables.items()}}


def _met(who: str, fact: Fact) -> Shown:
    return {
        "agent": who,
        "whom": fact.subject,
        "where": fact.value.removeprefix("last seen in "),
        "minute": fact.minute,
        "count": fact.count,
        "since": fact.since,
        "remark": fact.remark,
    }


def _promise(who: str, fact: Fact) -> Shown:
    by = who if fact.subject == ME else fact.subject
    kind = "promise" if fact.section == PROMISES else "request"
    return {"agent": who, "by": by, "kind": kind, "text": fact.value, "state": fact.closed or "open",
            "since": fact.since, "minute": fact.minute}  # fmt: skip


def _told_row(who: str, by: str, about: str, words: str, seq: int) -> Shown:
    return {"agent": who, "by": who if by == ME else by, "about": about, "text": words, "since": seq, "day": "",
            "is_whispered": False, "by_hand": False}  # fmt: skip


def bonds_text(shown: Shown, say: Wording) -> str:
    """Return the tables for people."""
    lines = [say("observatory.met")]
    lines += [
        "  " + say(key, who=one["agent"], whom=one["whom"], where=one["where"], count=one["count"])
        for one in shown["met"]
        for key in ["observatory.met_once" if one["count"] == 1 else "observatory.met_row"]
    ] or [f"  {say('lists.none')}"]
    lines.append(say("observatory.promises"))
    lines += [
        "  " + say("observatory.promise_row", who=one["by"], agent=one["agent"], state=one["state"], text=one["text"])
        for one in shown["promises"]
    ] or [f"  {say('lists.none')}"]
    lines.append(say("observatory.told"))
    lines += [
        "  " + say("observatory.told_row", who=one["by"], agent=one["agent"], about=one["about"], text=one["text"])
        for one in shown["told"]
    ] or [f"  {say('lists.none')}"]
    if left_out := sum(shown["more"].values()):
        lines.append(say("observatory.rows_left_out", count=left_out))
    return "\n".join(lines)
