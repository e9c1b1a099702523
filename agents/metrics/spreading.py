"""Metrics of diffusion: a planted fact, and promises."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from agents.chronicle.moments import RULES, Settings, TopMoments
from agents.chronicle.speech import overlap_key, repeats
from agents.metrics.metric import (
    CHRONICLE,
    JOURNAL,
    SHARE,
    About,
    MeasuredWorld,
    Metric,
    Results,
    Unknown,
    Value,
    value_of,
)
from agents.metrics.shares import Share
from agents.repetition.loop_detector import SPEECH
from vault.chronicle.event_log import LoggedEvent
from vault.chronicle.moment import RuleState
from vault.memory.memory_line import Memory
from world.parsing import parse_line

HOUR_MS = 3_600_000
NO_FACT = "no fact was named; give one with --fact"

_LEARNING = frozenset({"observed", "told", "result", "noted"})
"""The kinds of memories from which an agent learns something; what it thinks or dreams is its own."""


class Diffusion(Metric):
    """`diffusion` and `diffusion_half_hours`: who knows a planted fact, and when.

    An agent knows it from its first memory on that repeats the fact: what it perceived, was told, read or was given by
    hand, or said itself. A text repeats the fact if it has 60 % of its content words, or half of its pairs of words
    (the rule by which the chronicle knows secrets passed on). `diffusion` is the share of all agents that know it at
    the end; `diffusion_half_hours` is how many hours after the first of them half of all agents knew it.
    """

    source = JOURNAL
    figures = (
        About("diffusion", SHARE, "agents", "agents that know the planted fact at the end"),
        About("diffusion_half_hours", "hours of the world", "agents", "until half of the agents knew it"),
    )

    def __init__(self, world: MeasuredWorld) -> None:
        super().__init__(world)
        self.known_from: dict[str, tuple[int, str]] = {}
        self._fact = overlap_key(world.fact)
        self._stems = tuple(self._fact["words"]) or tuple(world.fact.casefold().split())

    def take_memory(self, agent: str, memory: Memory) -> None:
        known = self.known_from.get(agent)
        if not self.world.fact or (known and known[0] <= memory.at_ms):
            return
        text = memory.text
        if memory.kind == "acted":
            line = parse_line(text)
            text = line.arguments if line.verb in SPEECH else ""
        elif memory.kind not in _LEARNING:
            return
        if self._tells(text):
            how = "said it" if memory.kind == "acted" else memory.kind
            self.known_from[agent] = memory.at_ms, f"{how}, memory {memory.seq}"

    def results(self) -> Results:
        if not self.world.fact:
            return {one.name: Unknown(NO_FACT) for one in self.figures}
        times = sorted(at_ms for at_ms, _ in self.known_from.values())
        half = -(-len(self.world.agents) // 2)
        return {
            "diffusion": value_of(Share(len(times), len(self.world.agents)), "there are no agents"),
            "diffusion_half_hours": Value((times[half - 1] - times[0]) / HOUR_MS, len(self.world.agents))
            if 0 < half <= len(times)
            else Unknown(f"{len(times)} of {len(self.world.agents)} agents know it, fewer than half"),
        }

    def details(self) -> Sequence[str]:
        """Return who knows it from when on, the first one first."""
        return [
            f"{_moment(at_ms)}  {name} knows the fact ({how})"
            for name, (at_ms, how) in sorted(self.known_from.items(), key=lambda pair: (pair[1][0], pair[0]))
        ]

    def _tells(self, text: str) -> bool:
        low = text.casefold()
        return any(stem in low for stem in self._stems) and repeats(overlap_key(text), self._fact)


class Promises(Metric):
    """`promises_kept`: of the promises that agents make, the share that the chronicle sees kept.

    Promises and their keeping are found by the chronicle's rules for top moments: a promise is known by English words
    and the `promise_phrases` of the world; it is kept when a thing that it names is given to the other one, or one of
    the two says that it is done. The same promise made again is one. Those that are still open count as not kept.
    """

    source = CHRONICLE
    figures = (About("promises_kept", SHARE, "promises of agents", "promises that were kept"),)

    def __init__(self, world: MeasuredWorld) -> None:
        super().__init__(world)
        rules = {name: RULES[name] for name in ("promise_kept", "promise_made")}
        self._rules, self._state = TopMoments(Settings(lexicon=world.lexicon), rules), RuleState()
        self._number = self._made = self._kept = 0
        self._open: dict[int, int] = {}

    def take_event(self, event: LoggedEvent) -> None:
        self._number += 1
        for moment in self._rules.moments_of(self._number, event, self._state):
            promise = moment.events[0]
            if moment.rule == "promise_kept" and self._open.get(promise):
                self._open[promise] -= 1
                self._kept += 1
            elif moment.rule == "promise_made" and event.who in self.world.agents:
                self._open[promise] = self._open.get(promise, 0) + 1
                self._made += 1
        self._state.changed.clear()

    def results(self) -> Results:
        return {"promises_kept": value_of(Share(self._kept, self._made), "no agent has promised anything")}


def _moment(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")
