"""Putting a compaction into the archive, with everything that it replaces, before it comes into force."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from agents.memory.coverage import Coverage
from agents.memory.memory import AgentMemory
from agents.memory.view import View
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
    told = longterm or memory.longterm
    a = told.last if told else 0
    coverage = Coverage(a, recent.last if recent else a, view.coverage.n)
    tail = tuple(one for one in view.tail if one.seq > coverage.b)
    after = View(view.name, coverage, told, recent, tail, view.limits)
    reference = memory.trail.keep(
        event,
        view.coverage.n,
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
    return count_tokens("\n".join((view.older(), view.recent_past(), view.tail_text())))
