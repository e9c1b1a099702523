"""The figures of a run, as shares with their intervals, in one table and as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from agents.metrics.statistics import Amount, Share
from bench.lib.reporting import table

GOALS = {
    "valid commands": "≥ 99 %",
    "exact repeats": "≤ 5 %",
    "speech in company": "20–60 %",
    "answered within two turns": "≥ 95 %",
    "name and loss recalled": "≥ 80 %",
    "errands of three steps done": "≥ 80 %",
    "keeps out of a talk of others": "≥ 90 %",
    "situations right, tuning": "",
    "situations right, held back": "≥ 85 %",
}


@dataclass(frozen=True)
class Result:
    """All figures of one run with one model, with or without some components.

    `turns` has each situation's turns, with their faults; `talks` has the lines that each visitor typed and saw.
    """

    model: str
    about: Mapping[str, Any]
    shares: Mapping[str, Share]
    amounts: Mapping[str, Amount]
    turns: Mapping[str, Sequence[Mapping[str, Any]]]
    talks: Sequence[Sequence[str]] = field(default_factory=list)

    @property
    def title(self) -> str:
        """The name of the result in a table."""
        without = ", ".join(self.about.get("without", ()))
        return f"{self.model}, without {without}" if without else self.model

    def saved(self, path: Path) -> None:
        """Write the result as JSON."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n", "utf-8")

    @classmethod
    def load(cls, path: Path) -> Result:
        """Return a result that was saved. Raises: ValueError if the file is none."""
        try:
            told = json.loads(path.read_text("utf-8"))
            shares = {name: Share(**one) for name, one in told["shares"].items()}
            amounts = {name: Amount(**one) for name, one in told["amounts"].items()}
            return cls(told["model"], told["about"], shares, amounts, told["turns"], told["talks"])
        except (OSError, KeyError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(f"{path} is no result of bench.minds: {error}.") from error


def results_table(results: Sequence[Result]) -> str:
    """Return the figures of results side by side, each with its 95 % interval, as Markdown."""
    names = dict.fromkeys(name for one in results for name in [*GOALS, *one.shares])
    rows = [[name, *(one.shares.get(name, Share()).text for one in results), GOALS.get(name, "")] for name in names]
    amounts = dict.fromkeys(name for one in results for name in one.amounts)
    rows += [[name, *(_amount(one, name) for one in results), ""] for name in amounts]
    return table(["", *(one.title for one in results), "aim"], rows)


def _amount(result: Result, name: str) -> str:
    return result.amounts[name].text if name in result.amounts else "–"
