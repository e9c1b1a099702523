"""Wiring: the commands about the memories, minds and models of agents."""

from __future__ import annotations

from collections.abc import Callable

from agents.commands.late_answers import LateAnswers
from agents.commands.memory_commands import fact_commands, memory_commands
from agents.commands.model_commands import model_commands
from agents.commands.thought_commands import mind_command, thought_commands
from agents.population import Population
from server.agent_scheduler import AgentScheduler
from server.questions import Questions
from world.game import Game


def add_agent_commands(
    game: Game, agents: Population, scheduler: AgentScheduler, now_ms: Callable[[], int], questions: Questions
) -> None:
    """Add the commands that people look at agents with."""
    add = game.commands.add
    add(memory_commands(agents, game.tell, now_ms, LateAnswers(game.publish, questions.ask_reader)))
    add(fact_commands(agents, game.publish))
    add(mind_command(agents, game.publish, questions.ask_reader))
    add(thought_commands(agents, game.publish, questions.ask_reader))
    add(
        model_commands(
            agents,
            lambda: scheduler.queue,
            scheduler.other_queues,
            lambda: scheduler.no_model_reason,
            lambda: scheduler.chosen,
        )
    )
