"""What an agent knows for certain: pinning, unpinning, asking for facts, and finding memories by their words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from agents.agent import Agent
from agents.commands.memory_commands import meant, meant_first, safely
from agents.memory.knowing.facts_text import fact_text
from agents.memory.looking.finding import brief_of, found_text
from vault.memory.memory_line import Memory
from world.command import Command, command
from world.entities import Character, Role
from world.errors import CommandError
from world.events import Event, Recalled, Saw
from world.message_catalog import Wording
from world.world import World

Publish = Callable[[tuple[Event, ...]], None]


def fact_commands(agents: Mapping[str, Agent], publish: Publish) -> tuple[Command, ...]:
    """Return the commands for these agents; `publish` is how an answer comes that takes a while."""

    @command("@memory-pin <memory>", category="memory", role=Role.PLAYER)
    def memory_pin(world: World, actor: Character, memory: str) -> list[Event]:
        """Keep a memory, by its number, or any words in mind for ever.

        @memory-pin 12                      as an agent, of yourself
        @memory-pin Eliza The key is under the third step.
        """
        found, rest = meant_first(world, agents, actor, memory)
        wanted = _needed(rest, world.wording("memory.pin_usage"))
        pin = safely(lambda: found.pin(wanted))
        text = world.wording("memory.pinned", who=found.name, text=pin.text)
        return [Recalled(actor.character_id, text, world.wording("memory.you_pin"))]

    @command("@memory-unpin <memory>", category="memory", role=Role.PLAYER)
    def memory_unpin(world: World, actor: Character, memory: str) -> list[Event]:
        """No longer keep something in mind for ever: name its number or its words."""
        found, rest = meant_first(world, agents, actor, memory)
        wanted = _needed(rest, world.wording("memory.unpin_usage"))
        pin = safely(lambda: found.facts.unpin(wanted, world.wording))
        text = world.wording("memory.unpinned", who=found.name, text=pin.text)
        return [Recalled(actor.character_id, text, world.wording("memory.you_unpin"))]

    @command("@memory-facts [<memory>]", category="memory", role=Role.PLAYER)
    def memory_facts(world: World, actor: Character, memory: str = "") -> list[Event]:
        """List what is known for certain, all of it or about something: @memory-facts Eliza lantern."""
        found, rest = meant_first(world, agents, actor, memory) if memory else (meant(world, agents, actor, ""), "")
        text = safely(lambda: facts_listing(found, world.wording, rest))
        brief = world.wording("memory.you_go_through_of" if rest else "memory.you_go_through", wanted=rest)
        return [Recalled(actor.character_id, text, brief)]

    @command("@memory-find <memory>", category="memory", role=Role.PLAYER)
    def memory_find(world: World, actor: Character, memory: str) -> list[Event]:
        """Find memories by their words, however old: @memory-find Eliza brass lantern."""
        found, query = meant_first(world, agents, actor, memory)
        return recalling(world, actor, found, _needed(query, world.wording("memory.find_usage")), publish)

    return (memory_pin, memory_unpin, memory_facts, memory_find)


def facts_listing(agent: Agent, say: Wording, query: str = "") -> str:
    """Return what an agent knows, a fact a line with the memory that it comes from; what is at hand as it is now.

    Raises: NoteError if the journal cannot be read.
    """
    facts = agent.get_relevant(query)
    lines = [
        say("memory.fact_since" if fact.since else "memory.fact", fact=fact_text(fact), number=fact.since)
        for fact in facts
    ]
    pins = [
        say("memory.pin_of_memory" if pin.seq else "memory.pin", text=pin.text, number=pin.seq)
        for pin in agent.facts.pins
    ]
    goals = [say("memory.goal", goal=goal) for goal in agent.facts.goals]
    more = [] if query else [*pins, *goals]
    heading = say("memory.known_of" if query else "memory.known", who=agent.name, wanted=query, upto=agent.facts.upto)
    behind = agent.memory.journal.last - agent.facts.upto
    problem = [say("memory.behind", count=f"{behind:,}")] * (behind > 0)
    problem += [say("memory.problem", problem=agent.facts.problem)] * bool(agent.facts.problem)
    return "\n".join([heading, *more, *(lines or [say("memory.no_facts")] if not more else lines), *problem])


def recalling(world: World, actor: Character, agent: Agent, query: str, publish: Publish) -> list[Event]:
    """Return what an agent's memory has of some words, or that it will be told in a moment, by `publish`."""
    answers: list[Event] = []

    def answer(memories: list[Memory]) -> None:
        text = found_text(agent.name, query, memories, world.wording)
        answers.append(Recalled(actor.character_id, text, brief_of(query, memories, world.wording)))
        if is_late:
            publish(tuple(answers))

    is_late = False
    is_late = not safely(lambda: agent.finder.find_soon(query, answer))
    return [Saw(actor.character_id, world.wording("memory.thinking_back"))] if is_late else answers


def _needed(text: str, usage: str) -> str:
    if not text:
        raise CommandError(usage)
    return text
