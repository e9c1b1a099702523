"""What is needed of an agent that speaks, and whether its model finds words by itself."""

from __future__ import annotations

from typing import Protocol

from agents.asking import is_small
from agents.attending.perception import Address
from agents.attending.turn_taking import Awareness
from agents.components.earlier import Certainty
from agents.components.errands import Step
from agents.components.voice import Voice
from agents.memory.facts.extraction import Utterance
from agents.memory.memory import AgentMemory
from agents.models.queue import ModelQueue
from agents.reflection.reflection import Reflection
from config.settings import AgentSettings
from vault.entities.agent_notes import AgentNote
from world.entities import Character

TINY_BILLION = 0.6
"""A base model of fewer parameters says nothing to the point; what the world can answer it is not asked."""


class Manner(Protocol):
    """What is needed of the mind of the agent that speaks: how it talks."""

    voice: Voice


class Speaker(Protocol):
    """What is needed of the agent that speaks; see `agents.agent.Agent`."""

    queue: ModelQueue | None
    memory: AgentMemory
    awareness: Awareness
    reflection: Reflection
    settings: AgentSettings
    note: AgentNote

    @property
    def name(self) -> str: ...
    @property
    def character(self) -> Character: ...
    @property
    def mind(self) -> Manner: ...

    def next_step(self) -> Step | None: ...
    def answers_to(self, address: Address) -> list[str]: ...
    def recalls_for(self, address: Address, certainty: Certainty = "asked") -> list[str]: ...
    def thanks_for(self, address: Address) -> str: ...
    def secrets_from(self, partner: Character) -> list[Utterance]: ...


def is_tiny(queue: ModelQueue | None) -> bool:
    """Return whether an agent thinks with a base model that says nothing to the point."""
    assert queue is not None
    can = queue.model.capabilities
    return not can.chat and (can.parameters_billion or TINY_BILLION) < TINY_BILLION


def finds_few_words(queue: ModelQueue | None) -> bool:
    """Return whether an agent thinks with a tiny model, or with a small instructed one."""
    assert queue is not None
    return is_tiny(queue) or is_small(queue.model.capabilities)
