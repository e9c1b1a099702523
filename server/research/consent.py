"""Consent in exports: agents by `training_export`, people by `export_people`; all others are withheld.

A text of somebody else that names one who has not agreed, or has four words in a row that they said, is withheld whole.
So is what an agent made of such texts: summaries, facts, opinions and reflections, by the memories that they cover.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from agents.memory.strategy import loaded_strategies
from agents.repetition.loop_detector import words_in
from config.settings import AgentSettings, WorldSettings
from vault.chronicle.event_log import LoggedEvent
from vault.entities.agent_notes import load_agent
from vault.errors import NoteError
from vault.memory.memory_line import Memory
from vault.snapshot import Snapshot
from world.parsing import parse_line

QUOTED_WORDS = 4
"""Number of words in a row that count as a quotation of somebody who has not agreed."""

WITHHELD = "[withheld]"
"""The replacement for a text that is withheld."""

SOMEBODY = "somebody"
"""The replacement for the name of a person who has not agreed."""

_QUOTE = re.compile(r"[\"“](.+)[\"”]")
_HEARD = frozenset({"observed", "told"})


class Consent:
    """The consent to an export of a world, known before a row is written.

    `agents` may be exported, `refusing` are all others who did or said anything, by name, and `problems` lists those
    whose consent could not be read. All of a snapshot is searched for the words of those others.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        """Raises: NoteError if a file cannot be read."""
        self.problems: list[str] = []
        general, world = self._settings(snapshot)
        self.agents = frozenset(name for name in snapshot.agents if self._agrees(snapshot, name, general))
        agreed = {name.strip().casefold() for name in world.export_people.split(",") if name.strip()}
        known = self.agents.union(snapshot.agents)
        people = {name for name in _people_in(snapshot, known) if name.casefold() not in agreed}
        self.people = frozenset(people)
        self.refusing = frozenset({*people, *(name for name in snapshot.agents if name not in self.agents)})
        self._names: dict[str, list[list[str]]] = {}
        self._said: set[int] = set()
        if self.refusing:
            for name in self.refusing:
                words = words_in(name)
                self._names.setdefault(words[0] if words else name, []).append(words or [name])
            for text in _said_by(snapshot, self.refusing):
                self._said.update(_runs(words_in(text)))

    def is_withheld(self, text: str) -> bool:
        """Return whether a text names somebody who has not agreed, or quotes them."""
        if not self.refusing or not text:
            return False
        words = words_in(text)
        is_named = any(
            words[place : place + len(name)] == name
            for place, word in enumerate(words)
            for name in self._names.get(word, ())
        )
        return is_named or any(run in self._said for run in _runs(words))

    def text(self, text: str) -> str:
        """Return a text, or its replacement if it is withheld."""
        return WITHHELD if self.is_withheld(text) else text

    def touched(self, snapshot: Snapshot, agent: str) -> Sequence[int]:
        """Return the numbers of an agent's memories with a withheld part, in ascending order.

        Summaries of those memories may tell in other words what is withheld. Raises: NoteError.
        """
        if not self.refusing:
            return ()
        return sorted(memory.seq for memory in snapshot.memories(agent) if self.memory(memory) != memory)

    def name(self, name: str) -> str:
        """Return a name, or its replacement if the person has not agreed."""
        return SOMEBODY if name in self.people else name

    def event(self, event: LoggedEvent) -> LoggedEvent:
        """Return an event of somebody who agrees, without what is withheld of it."""
        return replace(
            event,
            to=self.name(event.to),
            line=self.text(event.line),
            words=self.text(event.words),
            secret=self.text(event.secret),
            reason=self.text(event.reason),
            thing=self.text(event.thing),
        )

    def memory(self, memory: Memory) -> Memory:
        """Return a memory of an agent that agrees, without what is withheld of it."""
        is_of_others = any(name in self.refusing for name in memory.people)
        text = WITHHELD if is_of_others and memory.kind != "acted" else self.text(memory.text)
        return replace(memory, text=text, people=tuple(self.name(name) for name in memory.people))

    def _settings(self, snapshot: Snapshot) -> tuple[AgentSettings, WorldSettings]:
        try:
            settings = loaded_strategies().load_settings(snapshot.vault)
        except NoteError as error:
            self.problems.append(f"{error} So nobody agrees whose own note does not say so.")
            return AgentSettings(), WorldSettings()
        return settings.agents, settings.world

    def _agrees(self, snapshot: Snapshot, name: str, general: AgentSettings) -> bool:
        try:
            return load_agent(snapshot.vault, name).agent_settings(general).training_export
        except NoteError as error:
            self.problems.append(f"{error} So {name} is left out.")
            return False


def _people_in(snapshot: Snapshot, agents: frozenset[str]) -> set[str]:
    """Return who has done anything, or is in anybody's memories, and is no agent."""
    found = snapshot.event_people()
    for agent in snapshot.agents:
        found.update(snapshot.journal_people(agent))
    return found - agents - {""}


def _said_by(snapshot: Snapshot, names: frozenset[str]) -> Iterable[str]:
    """Yield the words and poses of some people, from chronicle and journals."""
    for event in snapshot.events():
        if event.who in names:
            yield from (event.words, event.secret) if event.words or event.secret else (event.line,)
    for agent in snapshot.agents:
        for memory in snapshot.memories(agent):
            if memory.kind == "acted" and agent in names:
                yield parse_line(memory.text).arguments
            elif memory.kind in _HEARD and memory.people and memory.people[0] in names:
                quote = _QUOTE.search(memory.text)
                yield quote[1] if quote else memory.text


def _runs(words: list[str]) -> Iterable[int]:
    return (hash(tuple(words[place : place + QUOTED_WORDS])) for place in range(len(words) - QUOTED_WORDS + 1))
