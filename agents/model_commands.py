"""The command that looks at the language model."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from agents.agent import Agent
from agents.models.queue import ModelQueue
from world.command import Command, command
from world.events import Event, Saw
from world.model import Character, Role, World


def model_commands(agents: Mapping[str, Agent], queue: Callable[[], ModelQueue | None]) -> tuple[Command, ...]:
    """Return the commands about the model that `queue` stands before, if there is one."""

    @command("@llm-status", category="models", role=Role.ADMIN, for_agents=False)
    def llm_status(world: World, actor: Character) -> list[Event]:
        """Tell which model the agents think with, how it is, and what became of each one's last turn."""
        return [Saw(actor.character_id, model_text(queue(), agents))]

    return (llm_status,)


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
