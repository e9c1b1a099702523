"""Putting a compaction into the archive, with everything that it replaces, before it comes into force."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from agents.memory.memory import AgentMemory
from agents.memory.view import OLDER, RECENT, View
from vault.remembered.archive_line import EventName
from vault.remembered.summaries import Summary

CountTokens = Callable[[str], int]


def archived(
    memory: AgentMemory, event: EventName, longterm: Summary | None, recent: Summary | None, count_tokens: CountTokens
) -> tuple[Summary | None, Summary | None]:
    """Archive summaries that the gate has accepted; return them with the reference among their sources.

    Raises: NoteError if they cannot be archived, or the journal cannot be read.
    """
    view = memory.view()
    tiers = memory.tiers(longterm or memory.longterm, recent)
    tail = tuple(one for one in view.tail if one.seq in tiers[-1].memories)
    after = View(view.name, (*tiers[:-1], replace(tiers[-1], lines=tail)), view.limits)
    reference = memory.trail.keep(
        event,
        view.n,
        outcome="accepted",
        longterm=summary_fields(longterm),
        recent=summary_fields(recent),
        replaced={"longterm": summary_fields(memory.longterm), "recent": summary_fields(memory.recent)},
        tokens_before=view_tokens(view, count_tokens),
        tokens_after=view_tokens(after, count_tokens),
    )
    return longterm and traced(longterm, reference), recent and traced(recent, reference)


def traced(summary: Summary, reference: str) -> Summary:
    """Return a summary with the reference to its archive entry among its sources; as it is if there is none."""
    return replace(summary, sources=(*summary.sources, f"archive {reference}")) if reference else summary


def summary_fields(summary: Summary | None) -> dict[str, Any] | None:
    """Return what the archive keeps of a summary: all of it."""
    if summary is None:
        return None
    return {
        "covers": [summary.first, summary.last],
        "text": summary.text,
        "tokens": summary.tokens,
        "generation": summary.generation,
        "quality": summary.quality,
        "model": summary.model,
        "sources": list(summary.sources),
    }


def view_tokens(view: View, count_tokens: CountTokens) -> int:
    """Return how many tokens of a prompt are memory."""
    return count_tokens("\n".join((view.told_in(OLDER), view.told_in(RECENT), view.tail_text())))
