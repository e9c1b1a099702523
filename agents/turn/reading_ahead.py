"""Reading ahead: a model that has nothing to do reads what an answer to a person would begin with."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from agents.attending.turn_taking import Awareness
from agents.memory.memory import AgentMemory
from agents.models.model import Request
from agents.models.queue import ModelQueue
from world.entities import Character
from world.game import Game

READ_AFTER = 2
"""Number of new memories after which a model reads ahead once more, in company."""


class Reader(Protocol):
    """What reading ahead needs of the agent; see `agents.agent.Agent`."""

    queue: ModelQueue | None
    memory: AgentMemory
    awareness: Awareness

    @property
    def name(self) -> str: ...
    @property
    def character(self) -> Character: ...
    @property
    def why_still(self) -> str: ...


class ReadingAhead:
    """Has the model of one agent read ahead. `request` returns what it would be asked if that person spoke now."""

    def __init__(self, agent: Reader, game: Game, request: Callable[[Character], Request | None]) -> None:
        self._agent = agent
        self._game = game
        self._request = request
        self._read_upto = (-1, 0)
        self._task: asyncio.Task[None] | None = None

    def begin_if_due(self) -> None:
        """Begin in the background, if it is worth the time.

        It is the first time, once there are new summaries, and each time that something has happened and a person is
        with the agent.
        """
        covered, newest = self._read_upto
        journal, queue = self._agent.memory.journal, self._agent.queue
        is_new = covered != self._agent.memory.view().covered
        is_due = is_new or (journal.last - newest >= READ_AFTER and self._listener() is not None)
        if queue and queue.speaks and self._agent.character.awake and is_due and (not self._task or self._task.done()):
            self._task = asyncio.create_task(queue.read_ahead(self._agent.name, self._coming))

    def note_read(self) -> None:
        """Note that the model reads what has happened up to now."""
        memory = self._agent.memory
        self._read_upto = memory.view().covered, memory.journal.last

    def _coming(self) -> Request | None:
        """Return what the model reads; None if somebody has spoken meanwhile, or nobody is there to speak."""
        agent = self._agent
        if agent.queue is None or not agent.character.awake or agent.why_still or agent.awareness.addressed.spoken:
            return None
        if (listener := self._listener()) is None:
            return None
        self.note_read()
        return self._request(listener)

    def _listener(self) -> Character | None:
        """Return a person who is with the agent, or None."""
        present = self._game.world.occupants(self._agent.character.room_id)
        return next((one for one in present if not one.is_agent), None)
