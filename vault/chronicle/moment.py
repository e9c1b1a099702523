"""Moments that rules find in the event log, and the state of these rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from vault.chronicle.event_log import LoggedEvent


@dataclass(frozen=True)
class Moment:
    """What a rule has found: its name, when and where, the two whom it is about, and the numbers of its events.

    `is_private` says that it cannot be told without what only some may know; `seconds` is how long somebody was away.
    """

    at_ms: int
    rule: str
    who: str
    other: str
    room: str
    events: tuple[int, ...]
    is_private: bool = False
    seconds: int = 0


class RuleState(dict[str, Any]):
    """What rules remember from event to event: JSON values by name. Only `put` and `drop` change it."""

    def __init__(self) -> None:
        super().__init__()
        self.changed: set[str] = set()

    def put(self, name: str, value: Any) -> None:
        """Remember a value."""
        self[name] = value
        self.changed.add(name)

    def drop(self, name: str) -> None:
        """Forget a value, if there is one."""
        if self.pop(name, None) is not None:
            self.changed.add(name)


class MomentRules(Protocol):
    """Finds moments. `fingerprint` differs when another result is to be expected of the same events."""

    @property
    def fingerprint(self) -> str:
        """What the rules are known by."""
        ...

    def moments_of(self, number: int, event: LoggedEvent, state: RuleState) -> list[Moment]:
        """Return what is worth telling now that this event has happened, with it and with what is remembered."""
        ...


class NoRules:
    """Finds nothing."""

    fingerprint = ""

    def moments_of(self, number: int, event: LoggedEvent, state: RuleState) -> list[Moment]:
        """Return nothing."""
        return []
