"""What was measured, as shares with their intervals, in one table and as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.lib.reporting import table

Z_95 = 1.959964
"""How many standard deviations of a normal distribution hold 95 % of it."""

AIMS = {
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
class Share:
    """How many of how many."""

    hits: int = 0
    of: int = 0

    def __add__(self, other: Share) -> Share:
        return Share(self.hits + other.hits, self.of + other.of)

    @property
    def value(self) -> float:
        """The share from 0 to 1; NaN of nothing."""
        return self.hits / self.of if self.of else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval, in which the true share lies with a probability of 95 %."""
        if not self.of:
            return math.nan, math.nan
        n, p, z2 = self.of, self.value, Z_95**2
        middle = (p + z2 / (2 * n)) / (1 + z2 / n)
        half = Z_95 / (1 + z2 / n) * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
        return max(0.0, middle - half), min(1.0, middle + half)

    @property
    def text(self) -> str:
        """The share as a cell of a table."""
        if not self.of:
            return "–"
        low, high = self.interval
        return f"{self.value:.0%} ({low:.0%}–{high:.0%}) of {self.of}"


@dataclass(frozen=True)
class Amount:
    """The mean of something measured once a turn, and the interval in which the true mean lies with 95 %."""

    mean: float
    half: float
    of: int

    @classmethod
    def over(cls, values: Sequence[float]) -> Amount:
        """Return the mean over values."""
        n = len(values)
        if not n:
            return cls(math.nan, math.nan, 0)
        mean = sum(values) / n
        spread = math.sqrt(sum((value - mean) ** 2 for value in values) / (n - 1)) if n > 1 else math.nan
        return cls(mean, Z_95 * spread / math.sqrt(n), n)

    @property
    def text(self) -> str:
        """The mean as a cell of a table."""
        if not self.of:
            return "–"
        digits = 1 if self.mean < 100 else 0
        half = "" if math.isnan(self.half) else f" ± {self.half:.{digits}f}"
        return f"{self.mean:.{digits}f}{half}"


@dataclass(frozen=True)
class Result:
    """All figures of one run: what was measured with which model, without which components.

    `turns` has each situation's turns, and what was wrong with them; `talks` has what each visitor typed and saw.
    """

    model: str
    about: Mapping[str, Any]
    shares: Mapping[str, Share]
    amounts: Mapping[str, Amount]
    turns: Mapping[str, Sequence[Mapping[str, Any]]]
    talks: Sequence[Sequence[str]] = field(default_factory=list)

    @property
    def title(self) -> str:
        """What the result is called in a table."""
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
    names = dict.fromkeys(name for one in results for name in [*AIMS, *one.shares])
    rows = [[name, *(one.shares.get(name, Share()).text for one in results), AIMS.get(name, "")] for name in names]
    amounts = dict.fromkeys(name for one in results for name in one.amounts)
    rows += [[name, *(_amount(one, name) for one in results), ""] for name in amounts]
    return table(["", *(one.title for one in results), "aim"], rows)


def _amount(result: Result, name: str) -> str:
    return result.amounts[name].text if name in result.amounts else "–"


def share_of(flags: Iterable[bool]) -> Share:
    """Return how many of these are so."""
    found = list(flags)
    return Share(sum(found), len(found))
