"""Finds the journal lines of an event in the agents that perceived it."""

from __future__ import annotations

from vault.chronicle.event_log import LoggedEvent, moment_text
from vault.memory.memory_line import parse_line
from vault.vault import Vault, agent_names

LATER_MS = 2_000
"""How much later than it happened an agent may have written it down."""

MAX_AGENTS = 8
"""In so many journals an event of people is looked for, if no agent has done it and none is meant."""


class JournalLines:
    """Looks for lines in journals, and reads each file of them once."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._agents = agent_names(vault)
        self._files: dict[tuple[str, str], dict[str, list[str]]] = {}

    def places_of(self, event: LoggedEvent) -> list[str]:
        """Return where agents have written an event down, as `agents/Eliza/journal/2026-11-22.md:12`."""
        words = event.words or event.secret or event.thing
        concerned = [name for name in self._agents if name in (event.who, event.to)] or self._agents[:MAX_AGENTS]
        return [place for name in concerned for place in self._in_journal(name, event.at_ms, words)][:MAX_AGENTS]

    def _in_journal(self, agent: str, at_ms: int, words: str) -> list[str]:
        seconds = {moment_text(ms)[:19]: None for ms in range(at_ms, at_ms + LATER_MS + 1000, 1000)}
        for moment in seconds:
            lines = self._lines_of(agent, moment[:10]).get(moment[11:], [])
            for line in lines:
                place, _, text = line.partition(" ")
                memory = parse_line(text, moment[:10])
                is_it = memory and words and words in memory.text and 0 <= memory.at_ms - at_ms <= LATER_MS
                if is_it:
                    return [place]
        return []

    def _lines_of(self, agent: str, day: str) -> dict[str, list[str]]:
        """Return the lines of a day by the second in which they were written, each behind its place."""
        if (agent, day) not in self._files:
            found = self._files[agent, day] = {}
            folder = f"agents/{agent}/journal"
            for name in self._vault.names(folder):
                if name == day or name.startswith(f"{day}-"):
                    text = self._vault.read_lossy(folder, f"{name}.md")
                    for number, line in enumerate(text.split("\n"), 1):
                        if line.startswith("- ") and line[4:5] == ":":
                            found.setdefault(line[2:10], []).append(f"{folder}/{name}.md:{number} {line}")
        return self._files[agent, day]
