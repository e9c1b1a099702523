"""How a compaction that was asked for began or ended, as a sentence of `text/compaction.md` that is not said yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from agents.memory.memory import AgentMemory
from agents.memory.strategy import Plan
from world.wording import Wording


@dataclass(frozen=True)
class Outcome:
    """`key` names the sentence and `values` fill it; `done` is false if nothing has changed."""

    key: str
    done: bool = False
    values: Mapping[str, object] = field(default_factory=dict)

    def told(self, say: Wording) -> str:
        """Return it in the words of a world."""
        return say(self.key, **{name: _told(value, say) for name, value in self.values.items()})

    def __str__(self) -> str:
        return self.told(Wording())


def outcome(key: str, /, *, done: bool = False, **values: object) -> Outcome:
    """Return how something began or ended; an outcome among the values is told in its place."""
    return Outcome(key, done, values)


def described(plan: Plan) -> Outcome:
    """Return what a plan will do."""
    if plan.absorbed:
        return outcome("compaction.absorbs", memories=plan.absorbed, longterm=plan.longterm)
    if plan.longterm:
        return outcome("compaction.folds", longterm=plan.longterm, recent=plan.recent)
    return outcome("compaction.begins_with", recent=plan.recent)


def nothing_due(memory: AgentMemory) -> Outcome:
    """Return why nothing can be compacted now."""
    return outcome(memory.strategy.idle, who=memory.name)


def _told(value: object, say: Wording) -> object:
    return value.told(say) if isinstance(value, Outcome) else value
