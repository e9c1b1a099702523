"""Pages of a journal: the newest memories that match a query, made in steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from agents.agent import Agent
from agents.memory.journal_search import query_terms
from agents.memory.view import View
from agents.views.mind import last_before
from agents.views.tiers import Shown, Steps, row_text, shown_memory
from vault.chronicle.event_log import UNITS_MS, Period, period_of
from vault.memory.journal import Journal
from vault.memory.memory_line import KINDS, Memory
from world.errors import CommandError
from world.message_catalog import Wording
from world.parsing import is_number

PAGE_ROWS = 50
STEP_ROWS = 256
"""Number of memories that are read in one step: a few milliseconds."""

MAX_SEARCHED = 20_000
"""Maximum number of memories that are searched for one page; then it says how far it came."""

MAX_HOLDING = 2_000
"""Maximum number of the newest memories with a word that are searched."""

AGES_MS = {"hour": UNITS_MS[1], "day": UNITS_MS[0], "week": 7 * UNITS_MS[0]}
"""Maximum ages of memories for the filter `age`, in milliseconds, counted from the newest one in view."""


@dataclass(frozen=True)
class MemoryQuery:
    """A query for memories; an empty text or 0 matches any.

    The memory has all of `words`, and `who` is among its people. The memory is of `since_ms` or later and of
    before `until_ms`, in milliseconds since 1970, and at most `age_ms` older than the newest one before `until_ms`. The
    page begins below the number `before`.
    """

    words: str = ""
    kind: str = ""
    room: str = ""
    who: str = ""
    since_ms: int = 0
    until_ms: int = 0
    age_ms: int = 0
    pinned: bool = False
    before: int = 0

    def fits(self, memory: Memory, pins: frozenset[int], is_indexed: bool = False) -> bool:
        """Return whether a memory matches the query.

        `pins` are the numbers of the pinned memories. With `is_indexed` the index has looked for the words.
        """
        text = memory.text.casefold()
        return (
            (is_indexed or all(word in text for word in self.words.casefold().split()))
            and self.kind in ("", memory.kind)
            and self.room.casefold() in memory.room.casefold()
            and (not self.who or self.who.casefold() in (one.casefold() for one in memory.people))
            and self.since_ms <= memory.at_ms
            and (not self.until_ms or memory.at_ms < self.until_ms)
            and (not self.pinned or memory.pinned or memory.seq in pins)
        )


def query_of(asked: Mapping[str, str], say: Wording) -> MemoryQuery:
    """Return the query of a page or a person, from its fields by name; `at` and `until` both end the time.

    Raises: CommandError if a kind, a number, an age or a time is none.
    """
    kind, before, age = asked.get("kind", ""), asked.get("before", ""), asked.get("age", "")
    if kind not in ("", *KINDS):
        raise CommandError(say("observatory.no_kind", kind=kind, kinds=", ".join(KINDS)))
    if before and not is_number(before):
        raise CommandError(say("memory.no_number", wanted=before))
    if age not in ("", *AGES_MS):
        raise CommandError(say("observatory.no_age", age=age, ages=", ".join(AGES_MS)))
    since, *ends = (time_of(asked[key], say) if asked.get(key) else None for key in ("since", "until", "at"))
    texts = {key: asked.get(key, "").strip() for key in ("words", "room", "who")}
    return MemoryQuery(
        kind=kind,
        since_ms=since.start_ms if since else 0,
        until_ms=min((one.end_ms for one in ends if one), default=0),
        age_ms=AGES_MS.get(age, 0),
        pinned=asked.get("pinned") == "1",
        before=int(before or 0),
        **texts,
    )


def time_of(name: str, say: Wording) -> Period:
    """Return the day, hour, minute or second that a name means. Raises: CommandError if it means none."""
    found = period_of(name.strip())
    if found is None:
        raise CommandError(say("observatory.no_time", wanted=name))
    return found


def memory_page(agent: Agent, query: MemoryQuery) -> Steps:
    """Return a page of memories, newest first; between two steps others may go on.

    `rows` are the matches, `next` is where the next page begins (0 at the end), `searched_to` the lowest number that
    was searched, `is_indexed` whether words were looked up in the search index, `n` the number of memories.
    Raises: NoteError if the journal cannot be read.
    """
    memory = agent.memory
    view, pins = memory.view(), frozenset(pin.seq for pin in agent.facts.pins if pin.seq)
    newest = (yield from last_before(memory.journal, query.until_ms)) if query.until_ms else view.n
    query = _aged(memory.journal, query, newest)
    last = min(query.before - 1, newest) if query.before else newest
    blocks, is_indexed = _blocks(agent, query, last)
    rows, searched, reached = list[Memory](), 0, last + 1
    for block in blocks:
        for one in block:
            searched, reached = searched + 1, one.seq
            if query.fits(one, pins, is_indexed):
                rows.append(one)
            if len(rows) == PAGE_ROWS:
                break
        if len(rows) == PAGE_ROWS or searched >= MAX_SEARCHED:
            break
        if block and all(one.at_ms < query.since_ms for one in block):
            reached = 1
            break
        yield
    else:
        reached = 1 if not is_indexed or searched < MAX_HOLDING else reached
    is_over = reached <= 1
    return {
        "agent": agent.name,
        "n": view.n,
        "rows": [_row(one, view, pins) for one in rows],
        "next": 0 if is_over else reached,
        "searched_to": max(1, reached),
        "is_indexed": is_indexed,
        "pins": [{"text": pin.text, "seq": pin.seq} for pin in agent.facts.pins],
    }


def _aged(journal: Journal, query: MemoryQuery, newest: int) -> MemoryQuery:
    """Return a query with its age as a time. Raises: NoteError if the journal cannot be read."""
    found = journal.read(newest, newest) if query.age_ms else []
    since_ms = found[0].at_ms - query.age_ms if found else 0
    return replace(query, since_ms=max(query.since_ms, since_ms), age_ms=0)


def _row(memory: Memory, view: View, pins: frozenset[int]) -> Shown:
    shown = shown_memory(memory, view)
    return shown | {"pinned": memory.pinned or memory.seq in pins}


def _blocks(agent: Agent, query: MemoryQuery, last: int) -> tuple[Iterator[list[Memory]], bool]:
    """Return the memories to be looked at, newest first, a few at a time; and whether the index has named them."""
    words = query_terms(query.words).split() if query.words else []
    if words and last and agent.finder.is_ready(last):
        return _indexed(agent, words, last + 1), True
    return _backwards(agent.memory.journal.read, last), False


def _backwards(read: Callable[[int, int], list[Memory]], last: int) -> Iterator[list[Memory]]:
    while last >= 1:
        first = max(1, last - STEP_ROWS + 1)
        yield read(first, last)[::-1]
        last = first - 1


def _indexed(agent: Agent, words: list[str], before: int) -> Iterator[list[Memory]]:
    found = [agent.finder.holding(word, before, MAX_HOLDING) for word in words]
    rarest, sets = min(found, key=len), [set(one) for one in found]
    for seq in (seq for seq in rarest if all(seq in one for one in sets)):
        yield agent.memory.journal.read(seq, seq)


def page_text(page: Shown, say: Wording) -> str:
    """Return a page for people, a line a memory, with what was looked through."""
    lines = [
        say("observatory.memories", who=page["agent"], count=f"{page['n']:,}"),
        *(row_text(row, say) for row in page["rows"]),
    ]
    if not page["rows"]:
        lines.append(say("observatory.no_memories", first=page["searched_to"]))
    if page["next"]:
        lines.append(say("observatory.more_memories", first=page["searched_to"], next=page["next"]))
    return "\n".join(lines)
