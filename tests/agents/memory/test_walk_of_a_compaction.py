"""How many files a compaction goes through, from the plan to the summary in its file."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path

from agents.memory.compaction_cycle import Prepared
from agents.memory.summaries.drafts import Draft
from tests.agents.memory.lives import Life, talkative, windows
from tests.walks import Function, Route, Walk
from vault.memory.summaries import Summary

WORD = "light was gone"
"""Part of what the model answers."""

CODE = ("agents/", "config/", "vault/", "world/")
STAGES = frozenset(
    {
        ("agents/memory/strategy.py", "Waterfall.plan"),
        ("agents/memory/summary_verifier.py", "judge"),
        ("agents/memory/memory.py", "AgentMemory.publish"),
        ("vault/memory/summaries.py", "SummaryFolder.prepare"),
        ("vault/atomic_write.py", "Drafts.write"),
        ("vault/atomic_write.py", "Drafts.commit"),
    }
)
MAX_FUNCTIONS = 28
MAX_FILES = 8
MAX_FILES_WITH_THE_SUMMARY = 17


def _carries(value: object) -> bool:
    """Return whether a value holds what the model answered."""
    match value:
        case str(text):
            return WORD in text
        case list() | tuple():
            return any(_carries(one) for one in value)
        case Draft() | Summary() | Prepared():
            return is_dataclass(value) and any(_carries(getattr(value, one.name)) for one in fields(value))
    return False


def _walked(root: Path, walk: Walk) -> set[Function]:
    """Return the functions of an ordinary compaction, which is accepted at the first try, that a walk counts."""

    async def lived() -> Life:
        life = Life(root, windows(4, 8), talkative())
        while life.memory.plan() is None:
            life.live(1)
        sys.setprofile(walk)
        try:
            await life.compact()
        finally:
            sys.setprofile(None)
        return life

    life = asyncio.run(lived())
    assert life.memory.recent
    assert WORD in life.memory.recent.text
    assert (life.compactor.stats.cycles, life.compactor.stats.calls) == (1, 1)
    return walk.functions_in(*CODE)


def test_few_files_lie_between_the_compactor_and_each_stage_of_a_compaction(tmp_path):
    """Counted is what calls a stage: the plan, the verdict, the publication, and the files that are written."""
    functions = _walked(tmp_path, Route(STAGES))
    assert functions >= STAGES
    assert len(functions) <= MAX_FUNCTIONS, sorted(functions)
    assert len({path for path, _ in functions}) <= MAX_FILES, sorted(functions)


def test_a_summary_passes_through_few_files_of_memory(tmp_path):
    """Counted is each file of memory in which a function takes or returns the text, or calls one that does."""
    functions = _walked(tmp_path, Walk(_carries))
    files = {path for path, _ in functions if path.startswith(("agents/memory/", "vault/memory/"))}
    assert len(files) <= MAX_FILES_WITH_THE_SUMMARY, sorted(files)
