"""What comes to the mind of an agent when a question is put to it, as its prompt would tell it."""

from __future__ import annotations

from agents.agent import Agent
from agents.memory.importance import SPOKEN_TO
from agents.memory.retrieval import NotesIndex, Retriever
from vault.memory.memory_line import Memory

COMES_TO_MIND = 3


def reminded(agent: Agent, prompt: str, question: str, speaker: str) -> str:
    """Return the lines that a question to the agent adds to its prompt; nothing is remembered of it."""
    agent.finder.has_time = True
    mind = Retriever(agent.finder, NotesIndex(agent.memory.journal.vault, agent.name))
    view, place = agent.memory.view(), agent.character.room_id
    said = f'{speaker} says, "{question}"'
    asked = Memory(view.n + 1, 0, "observed", place, said, (speaker,), SPOKEN_TO)
    found = mind.of_moment(view, frozenset([speaker]), place, COMES_TO_MIND, prompt, [asked])
    return "\n".join(one.line for one in found)
