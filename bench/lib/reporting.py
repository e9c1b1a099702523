"""The tables of what was measured, and their place in bench/RESULTS.md."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from bench.lib.histories import FORMS
from bench.lib.measuring import Tally
from bench.lib.retained import AGES, Measured

RESULTS = Path(__file__).parents[1] / "RESULTS.md"
HEADING = "## Retention"

COLUMNS: dict[str, Callable[[Measured], str]] = {
    "strategy": lambda m: m.strategy,
    "cycles": lambda m: str(m.cycles),
    "memory in the prompt, tokens": lambda m: f"{m.memory_tokens:,}",
    "pinned": lambda m: _percent(m.prompt.kept("pinned")),
    "important": lambda m: _percent(m.prompt.kept("important")),
    "ordinary": lambda m: _percent(m.prompt.kept("ordinary")),
    "updated": lambda m: _percent(m.prompt.kept("updated")),
    "stale only": lambda m: _percent(m.prompt.share("updated", "stale")),
    "both values": lambda m: _percent(m.prompt.share("updated", "both")),
    "all": lambda m: _percent(m.prompt.kept_of_all),
    "all, plain window": lambda m: _percent(m.window.kept_of_all),
    "older than that window": lambda m: f"{_percent(m.beyond.kept_of_all)} of {m.beyond.of.total()}",
    "all, reminded by the question": lambda m: _percent(m.reminded.kept_of_all),
    "by expand": lambda m: _percent(m.expanded),
    "by find": lambda m: _percent(m.found.kept_of_all),
}
COSTS: dict[str, Callable[[Measured], str]] = {
    "strategy": lambda m: m.strategy,
    "calls": lambda m: f"{m.record.calls:,}",
    "tokens spent": lambda m: f"{m.record.spent_tokens:,}",
    "tokens saved": lambda m: f"{m.record.saved_tokens:,}",
    "whole journal, tokens": lambda m: f"{m.all_tokens:,}",
    "names and numbers invented": lambda m: f"{m.lies:,}",
    "accepted": lambda m: f"{len(m.invented)}{' ' + ', '.join(sorted(m.invented)[:8]) if m.invented else ''}",
    "refused, by reason": lambda m: ", ".join(f"{why} {n}" for why, n in m.record.refused.most_common()) or "none",
    "seconds": lambda m: f"{m.seconds:.0f}",
}


def tables(results: list[Measured]) -> str:
    """Return the Markdown of what was measured."""
    ages = [f"{low}–{high - 1}" for low, high in zip((0, *AGES), AGES, strict=False)] + [f"{AGES[-1]} and more"]
    by_age = [
        [m.strategy, kind, *(_percent(m.by_age.get(age, Tally()).kept(kind)) for age in range(len(ages)))]
        for m in results
        for kind in ("important", "ordinary")
    ]
    parts = [
        table(list(COLUMNS), [[cell(m) for cell in COLUMNS.values()] for m in results]),
        "In the prompt by age, in memories since it was told:",
        table(["strategy", "kind", *ages], by_age),
        "Important facts in the prompt, by form:",
        table(["strategy", *FORMS["important"]], [_by_form(m) for m in results]),
        table(list(COSTS), [[cell(m) for cell in COSTS.values()] for m in results]),
    ]
    return "\n\n".join(parts)


def table(heads: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def machine() -> str:
    """Return what it was measured on: the number of processors and their name."""
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        found = None
    return f"{os.cpu_count()} × {found[1] if found else 'unknown processor'}"


def record(section: str, heading: str = HEADING) -> None:
    """Add a section under a heading, at the end of that part of the file."""
    text = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else "# Results\n"
    if f"{heading}\n" not in text:
        text = f"{text.rstrip()}\n\n{heading}\n"
    start = text.index(f"{heading}\n") + len(heading)
    end = text.find("\n## ", start)
    end = len(text) if end < 0 else end
    RESULTS.write_text(f"{text[:end].rstrip()}\n\n{section}\n{text[end:]}", encoding="utf-8")


def _by_form(m: Measured) -> list[str]:
    return [m.strategy, *(_percent(m.by_form.kept(form)) for form in FORMS["important"])]


def _percent(share: float) -> str:
    return "–" if share != share else f"{share:.0%}"
