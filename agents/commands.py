"""The commands that look into agents: their memory and their model."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from agents.agent import Agent
from agents.memory.status import status_text
from agents.models.queue import ModelQueue
from world.command import Command, command
from world.errors import CommandError
from world.events import Event, Saw
from world.matching import listed, suggestions
from world.model import Character, Role, World


def agent_commands(
    agents: Mapping[str, Agent], queue: Callable[[], ModelQueue | None], now_ms: Callable[[], int]
) -> tuple[Command, ...]:
    """Return the commands for these agents; the mapping is by name and may grow."""

    @command("@memory-status [<agent>]", category="memory", role=Role.PLAYER, for_agents=False)
    def memory_status(world: World, actor: Character, agent: str = "") -> list[Event]:
        """Tell what an agent remembers word for word, what in summaries, and whether its memory is well.

        Without a name: of yourself. Another's is for admins.
        """
        found = meant(agents, actor, agent)
        return [Saw(actor.character_id, status_text(found.memory, now_ms()))]

    @command("@llm-status", category="models", role=Role.ADMIN, for_agents=False)
    def llm_status(world: World, actor: Character) -> list[Event]:
        """Tell which model the agents think with, and how it is."""
        return [Saw(actor.character_id, model_text(queue(), agents))]

    return (memory_status, llm_status)


def meant(agents: Mapping[str, Agent], actor: Character, wanted: str) -> Agent:
    """Return the agent that an actor asks about: itself without a name.

    Raises: CommandError if there is none, or if it is another's memory and the actor is no admin.
    """
    name = wanted or actor.name
    found = next((agent for key, agent in agents.items() if key.casefold() == name.casefold()), None)
    if found is None and not wanted:
        raise CommandError(f"You keep no journal; agents do. Name one: {listed(sorted(agents)) or 'there are none'}.")
    if found is None:
        close = suggestions(name, agents)
        hint = f"Did you mean {close[0]}?" if close else f"Agents: {listed(sorted(agents)) or 'none'}."
        raise CommandError(f"There is no agent {wanted!r}. {hint}")
    if found.name != actor.name and actor.role < Role.ADMIN:
        raise CommandError(f"The memory of {found.name} is for {found.name} and for admins.")
    return found


def model_text(queue: ModelQueue | None, agents: Mapping[str, Agent]) -> str:
    """Return how the model is and what became of each agent's last turn, a line each."""
    if queue is None:
        return "There is no model: the agents sleep. Start with --model embedded, or see config/models.md."
    status = queue.status()
    lines = [
        f"Model: {status.model}, {status.state}.",
        f"Now: {status.running} running, {status.waiting} waiting.",
        f"Since the start: {status.answered} answered, {status.failed} failed, {status.cancelled} cancelled.",
        f"Of late: {status.mean_seconds:.2f} s an answer, {status.tokens_per_second:.0f} tokens a second, "
        f"{status.cached_share:.0%} of the prompts from the cache.",
    ]
    if status.last_error:
        lines.append(f"Last error: {status.last_error}")
    turns = (f"{agent.name}: {agent.last_turn.outcome}. {agent.last_turn.why}".rstrip() for agent in agents.values())
    return "\n".join([*lines, *turns])
