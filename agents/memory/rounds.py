"""An agent's memory as rounds and one message for what is compacted: for programs that know it in that form.

A round is a memory, and its number is its `seq`. A deed that was refused is a failed round, and so is its refusal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from agents.memory.compaction import Compactor
from agents.memory.memory import AgentMemory
from vault.remembered.memory_line import Memory


@dataclass(frozen=True)
class CompactedMessage:
    """What stands for the rounds from `start` to `end`, both included."""

    start: int
    end: int
    summary: str

    def to_system_message(self) -> str:
        """Return it as a system message for a chat."""
        return f"[Conversation History Summary (Rounds {self.start}-{self.end})]\n{self.summary}"


class CompactionProvider(Protocol):
    """Compacts the rounds of one role."""

    def get_compaction(self) -> CompactedMessage | None:
        """Return what is compacted now, or None."""

    def notify_rounds_changed(self, total_rounds: int) -> None:
        """Hear that there are more rounds; whatever is due may be begun, in the background."""


class MemoryCompaction:
    """The compaction of an agent's own memory, whatever its strategy: all summaries in force as one message."""

    def __init__(self, compactor: Compactor) -> None:
        self._compactor = compactor

    def get_compaction(self) -> CompactedMessage | None:
        """Return the summaries in force as one message."""
        memory = self._compactor.memory
        told = [summary for summary in (memory.longterm, memory.recent) if summary]
        if not told:
            return None
        return CompactedMessage(1, told[-1].last, "\n".join(summary.text for summary in told))

    def notify_rounds_changed(self, total_rounds: int) -> None:
        """Begin whatever is due, in the running loop."""
        self._compactor.start_if_due()


class Rounds:
    """The rounds of several roles, each the name of an agent."""

    def __init__(self, memories: Mapping[str, AgentMemory]) -> None:
        self._memories = memories
        self._providers: dict[str, CompactionProvider] = {}
        self._listeners: list[Callable[[str, int], None]] = []

    def on_round_added(self, listener: Callable[[str, int], None]) -> None:
        """Have somebody told the role and its number of rounds after each that is added, in order of registration."""
        self._listeners.append(listener)

    def register_compaction_provider(self, role: str, provider: CompactionProvider) -> None:
        """Have a role compacted by a provider, which hears of each of its rounds; the last one registered counts."""
        self._providers[role] = provider

    def add_round(self, role: str, kind: str, text: str) -> None:
        """Record a round and tell everyone who listens. Raises: KeyError if there is no such role."""
        memory = self._memories[role]
        memory.record(kind, text)
        total = memory.journal.last
        if provider := self._providers.get(role):
            provider.notify_rounds_changed(total)
        for listener in self._listeners:
            listener(role, total)

    def get_role_rounds(
        self, role: str, include_failure_rounds: bool = False
    ) -> tuple[list[Memory], CompactedMessage | None]:
        """Return the rounds that are not compacted, oldest first, and what stands for the others.

        Without a provider nothing is compacted. Raises: KeyError if there is no such role, NoteError if its journal
        cannot be read.
        """
        memory, provider = self._memories[role], self._providers.get(role)
        compaction = provider.get_compaction() if provider else None
        rounds = memory.journal.read(compaction.end + 1 if compaction else 1, memory.journal.last)
        return (rounds if include_failure_rounds else _without_failures(rounds)), compaction


def _without_failures(rounds: list[Memory]) -> list[Memory]:
    failed, deed = set[int](), 0
    for one in rounds:
        if one.kind == "acted":
            deed = one.seq
        elif one.kind == "result" and one.refused:
            failed |= {deed, one.seq}
    return [one for one in rounds if one.seq not in failed]
