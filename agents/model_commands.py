"""The command that looks at the language model."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from agents.agent import Agent
from agents.models.queue import ModelQueue
from agents.turn import Turn
from world.command import Command, command
from world.events import Event, Saw
from world.model import Character, Role, World
from world.wording import Wording


def model_commands(agents: Mapping[str, Agent], queue: Callable[[], ModelQueue | None]) -> tuple[Command, ...]:
    """Return the commands about the model that `queue` stands before, if there is one."""

    @command("@llm-status", category="models", role=Role.ADMIN, for_agents=False)
    def llm_status(world: World, actor: Character) -> list[Event]:
        """Tell which model the agents think with, how it is, and what became of each one's last turn."""
        return [Saw(actor.character_id, model_text(queue(), agents, world.wording))]

    return (llm_status,)


def model_text(queue: ModelQueue | None, agents: Mapping[str, Agent], say: Wording) -> str:
    """Return how the model is and what became of each agent's last turn, a line each."""
    if queue is None:
        return say("models.none")
    status = queue.status()
    lines = [
        say("models.model", model=status.model, state=status.state),
        say("models.now", running=status.running, waiting=status.waiting),
        say(
            "models.since_the_start",
            answered=status.answered,
            failed=status.failed,
            cancelled=status.cancelled,
        ),
        say(
            "models.of_late",
            seconds=f"{status.mean_seconds:.2f}",
            tokens=f"{status.tokens_per_second:.0f}",
            cached=f"{status.cached_share:.0%}",
        ),
    ]
    if status.last_error:
        lines.append(say("models.last_error", error=status.last_error))
    return "\n".join([*lines, *(_turn_text(agent, say) for agent in agents.values())])


def _turn_text(agent: Agent, say: Wording) -> str:
    turn = Turn("paused", why=agent.why_still) if agent.why_still else agent.last_turn
    return say("models.turn_because" if turn.why else "models.turn", who=agent.name, outcome=turn.outcome, why=turn.why)
