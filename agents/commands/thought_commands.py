"""Looking into what agents were asked and why they did what they did."""

from __future__ import annotations

from collections.abc import Mapping

from agents.agent import Agent
from agents.commands.population_commands import agent_meant
from agents.commands.thoughts import log_text, why_did
from vault.errors import NoteError
from vault.memory.archive_exchanges import Question, newest_questions
from world.command import Command, command
from world.entities import Character, Role
from world.errors import CommandError
from world.events import Event, Saw
from world.parsing import is_number
from world.world import World

QUESTIONS = 3
MOST_QUESTIONS = 20
MOST_WHOLE = 3
"""How many are shown if nobody says, at most, and at most with the whole prompt of each."""

FULL = "full"


def thought_commands(agents: Mapping[str, Agent]) -> tuple[Command, ...]:
    """Return the commands that read the archives of agents."""

    @command("@llm-log [<text>]", category="models", role=Role.ADMIN, for_agents=False)
    def llm_log(world: World, actor: Character, text: str = "") -> list[Event]:
        """Show the last questions to the model: prompt, reply, command, result, times and tokens.

        @llm-log               the last one of each agent
        @llm-log Eliza         her last three
        @llm-log Eliza 10      her last ten
        @llm-log Eliza 1 full  the last one, with the whole prompt
        """
        say, words = world.wording, text.split()
        is_whole = words[-1:] == [FULL]
        words = words[:-1] if is_whole else words
        number = int(words.pop()) if words and is_number(words[-1]) else 0
        chosen = [agent_meant(world, agents, " ".join(words))] if words else list(agents.values())
        count = min(number or (QUESTIONS if words else 1), MOST_WHOLE if is_whole else MOST_QUESTIONS)
        try:
            found = {agent: _asked(agent, count) for agent in chosen}
        except NoteError as error:
            raise CommandError(str(error)) from error
        if words and not found[chosen[0]]:
            raise CommandError(say("thoughts.nothing_asked", who=chosen[0].name))
        told = [log_text(agent, asked, is_whole, say) for agent, asked in found.items() if asked]
        one = chosen[0]
        heading = (
            say("thoughts.log_of_one", who=one.name, count=len(found[one])) if words else say("thoughts.log_of_all")
        )
        return [Saw(actor.character_id, "\n\n".join([heading, *told]))]

    @command("@why <agent>", category="models", role=Role.ADMIN, for_agents=False)
    def why(world: World, actor: Character, agent: str) -> list[Event]:
        """Tell why an agent did what it did last: what it perceived, what it was told, its answer, what came of it."""
        meant = agent_meant(world, agents, agent)
        try:
            return [Saw(actor.character_id, why_did(meant, world.wording))]
        except NoteError as error:
            raise CommandError(str(error)) from error

    return (llm_log, why)


def _asked(agent: Agent, count: int) -> list[Question]:
    agent.memory.trail.write()
    return newest_questions(agent.memory.trail.archive, count)
