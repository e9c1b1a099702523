"""What came of a simulation: as a text to be read, turn by turn, and as numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from agents.population import Population
from agents.simulated.recording import Usage
from agents.simulated.simulation import Step
from world.parsing import parse_line

OUTCOMES = ("acted", "refused", "speechless", "silent", "failed", "resting", "listening", "paused", "asleep")


class Tally:
    """Counts turns: what became of them (`outcomes`), which verbs were done, and in which rooms agents were."""

    def __init__(self) -> None:
        self.turns = 0
        self.outcomes: Counter[str] = Counter()
        self._verbs: Counter[str] = Counter()
        self._rooms: Counter[str] = Counter()

    def add(self, step: Step) -> None:
        """Count a turn."""
        self.turns += 1
        self.outcomes[step.turn.outcome] += 1
        self._rooms[step.room] += 1
        if step.turn.outcome == "acted":
            self._verbs[parse_line(step.turn.line).verb] += 1

    def told(self) -> dict[str, Any]:
        """Return the counts, the most frequent first."""
        outcomes = {name: self.outcomes[name] for name in OUTCOMES}
        return {"turns": self.turns, **outcomes, "verbs": _ordered(self._verbs), "rooms": _ordered(self._rooms)}


class Tallies:
    """Counts of all agents together, and of each."""

    def __init__(self) -> None:
        self.all = Tally()
        self._each: dict[str, Tally] = {}

    def add(self, step: Step) -> None:
        """Count a turn."""
        self.all.add(step)
        self._each.setdefault(step.agent, Tally()).add(step)

    def report(self, agents: Population, usage: Usage, begun_ms: int, ended_ms: int, **about: Any) -> dict[str, Any]:
        """Return everything that is the same whenever the simulation is done again; `about` comes first."""
        each = {
            name: {**(self._each.get(name) or Tally()).told(), **_of_memory(agents, name)} for name in sorted(agents)
        }
        tokens = {
            "requests": usage.requests,
            "failures": usage.failures,
            "prompt_tokens": usage.prompt_tokens,
            "cached_tokens": usage.cached_tokens,
            "completion_tokens": usage.completion_tokens,
        }
        compactions = sum(agent.compactor.record.cycles for agent in agents.values())
        when = {
            "from": moment(begun_ms),
            "until": moment(ended_ms),
            "world_seconds": round((ended_ms - begun_ms) / 1000, 3),
        }
        return {**about, **when, **self.all.told(), **tokens, "compactions": compactions, "agents": each}


def timing(usage: Usage, turns: int, seconds: float) -> dict[str, Any]:
    """Return how long it took by the clock on the wall, in seconds, and how many tokens and turns a second that is."""
    return {
        "seconds": round(seconds, 3),
        "model_seconds": round(usage.seconds, 3),
        "turns_per_second": round(turns / seconds, 3) if seconds else 0.0,
        "completion_tokens_per_second": round(usage.completion_tokens / usage.seconds, 1) if usage.seconds else 0.0,
        "prompt_tokens_per_second": round(
            (usage.prompt_tokens - usage.cached_tokens) / usage.seconds if usage.seconds else 0.0, 1
        ),
    }


def step_text(step: Step) -> str:
    """Return a turn as it reads in a transcript."""
    turn = step.turn
    lines = _indented(step.happened)
    lines.append(f"{moment(step.at_ms)}  turn {step.number}  {step.agent} in {step.room}")
    lines.append(f"~{step.agent}> {turn.line}" if turn.line else f"    ({turn.outcome}: {turn.why})")
    return "\n".join([*lines, *_indented(step.told)]) + "\n\n"


def moment(ms: int) -> str:
    """Return a time in milliseconds since 1970 as a transcript shows it, in UTC."""
    return datetime.fromtimestamp(ms // 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _indented(texts: Iterable[str]) -> list[str]:
    return [f"    {part}".rstrip() for text in texts for part in text.split("\n")]


def _of_memory(agents: Population, name: str) -> dict[str, int]:
    agent = agents[name]
    return {"memories": agent.memory.journal.last, "compactions": agent.compactor.record.cycles}


def _ordered(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
