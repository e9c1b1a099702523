"""What an agent knows for certain: pinning, unpinning, asking for facts, and finding memories by their words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from agents.agent import Agent
from agents.commands import meant, meant_first
from agents.memory.facts_text import fact_text
from agents.memory.finding import brief_of, found_text
from vault.memory_line import Memory
from vault.notes import NoteError
from world.command import Command, command
from world.errors import CommandError
from world.events import Event, Recalled, Saw
from world.model import Character, Role, World

T = TypeVar("T")
Publish = Callable[[tuple[Event, ...]], None]


def fact_commands(agents: Mapping[str, Agent], publish: Publish) -> tuple[Command, ...]:
    """Return the commands for these agents; `publish` is how an answer comes that takes a while."""

    @command("@memory-pin <memory>", category="memory", role=Role.PLAYER)
    def memory_pin(world: World, actor: Character, memory: str) -> list[Event]:
        """Keep a memory, by its number, or any words in mind for ever.

        @memory-pin 12                      as an agent, of yourself
        @memory-pin Eliza The key is under the third step.
        """
        found, rest = meant_first(agents, actor, memory)
        pin = _safely(lambda: found.pin(_needed(rest, "@memory-pin [agent] <number or words>")))
        return [Recalled(actor.character_id, f"Pinned for {found.name}: {pin.text}", "You keep that in mind.")]

    @command("@memory-unpin <memory>", category="memory", role=Role.PLAYER)
    def memory_unpin(world: World, actor: Character, memory: str) -> list[Event]:
        """No longer keep something in mind for ever: name its number or its words."""
        found, rest = meant_first(agents, actor, memory)
        pin = _safely(lambda: found.facts.unpin(_needed(rest, "@memory-unpin [agent] <number or words>")))
        return [Recalled(actor.character_id, f"Unpinned for {found.name}: {pin.text}", "You let go of that.")]

    @command("@memory-facts [<memory>]", category="memory", role=Role.PLAYER)
    def memory_facts(world: World, actor: Character, memory: str = "") -> list[Event]:
        """List what is known for certain, all of it or about something: @memory-facts Eliza lantern."""
        found, rest = meant_first(agents, actor, memory) if memory else (meant(agents, actor, ""), "")
        text = _safely(lambda: facts_listing(found, rest))
        return [Recalled(actor.character_id, text, f"You go through what you know{' of ' + rest if rest else ''}.")]

    @command("@memory-find <memory>", category="memory", role=Role.PLAYER)
    def memory_find(world: World, actor: Character, memory: str) -> list[Event]:
        """Find memories by their words, however old: @memory-find Eliza brass lantern."""
        found, query = meant_first(agents, actor, memory)
        query = _needed(query, "@memory-find [agent] <words>")
        answers: list[Event] = []

        def answer(memories: list[Memory]) -> None:
            text, brief = found_text(found.name, query, memories), brief_of(query, memories)
            answers.append(Recalled(actor.character_id, text, brief))
            if is_late:
                publish(tuple(answers))

        is_late = False
        is_late = not _safely(lambda: found.finder.find_soon(query, answer))
        return [Saw(actor.character_id, "You think back; it will take a moment.")] if is_late else answers

    return (memory_pin, memory_unpin, memory_facts, memory_find)


def facts_listing(agent: Agent, query: str = "") -> str:
    """Return what an agent knows, a fact a line with the memory that it comes from; what is at hand as it is now.

    Raises: NoteError if the journal cannot be read.
    """
    facts = agent.get_relevant(query)
    lines = [fact_text(fact) + (f" [memory {fact.since}]" if fact.since else "") for fact in facts]
    pins = [f"Pinned{f' ({pin.seq})' if pin.seq else ''}: {pin.text}" for pin in agent.facts.pins]
    goals = [f"Goal: {goal}" for goal in agent.facts.goals]
    more = [] if query else [*pins, *goals]
    heading = f"What {agent.name} knows{f' of {query}' if query else ''}, up to memory {agent.facts.upto}:"
    behind = agent.memory.journal.last - agent.facts.upto
    problem = [f"Note: {behind:,} later memories are still being gone through."] * (behind > 0)
    problem += [f"Note: {agent.facts.problem}"] * bool(agent.facts.problem)
    return "\n".join([heading, *more, *(lines or ["No facts yet."] if not more else lines), *problem])


def _needed(text: str, usage: str) -> str:
    if not text:
        raise CommandError(f"Usage: {usage}")
    return text


def _safely(make: Callable[[], T]) -> T:
    try:
        return make()
    except NoteError as error:
        raise CommandError(str(error)) from error
