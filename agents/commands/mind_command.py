"""Looking into an agent's mind: its errands, opinions, what it knows of people, and how it came to all that."""

from __future__ import annotations

from collections.abc import Mapping

from agents.agent import Agent
from agents.commands.memory_commands import meant_first, safely
from agents.component import Described
from agents.components.people import person_lines
from world.command import Command, command
from world.entities import Character, Role
from world.events import Event, Saw
from world.message_catalog import Wording
from world.world import World


def mind_command(agents: Mapping[str, Agent]) -> tuple[Command, ...]:
    """Return the command that shows what the components of a mind hold."""

    @command("@mind [<text>]", category="mind", role=Role.PLAYER, for_agents=False)
    def mind(world: World, actor: Character, text: str = "") -> list[Event]:
        """Show an agent's errands and opinions, whom it knows, and when it last looked back.

        @mind Eliza         all of it; another's is for admins
        @mind Eliza Robin   what she knows and thinks of Robin
        """
        found, person = meant_first(world, agents, actor, text)
        told = safely(lambda: _person(found, person, world.wording) if person else _mind(found, world.wording))
        return [Saw(actor.character_id, told)]

    return (mind,)


def _mind(agent: Agent, say: Wording) -> str:
    parts = [one.describe(say) for one in agent.mind.components if isinstance(one, Described)]
    return "\n".join([say("mind.of", who=agent.name), *(line for part in parts for line in part)])


def _person(agent: Agent, person: str, say: Wording) -> str:
    lines = person_lines(agent.reflection, person, say)
    if not lines:
        return say("mind.nothing_on", who=agent.name, person=person)
    return "\n".join([say("mind.person", who=agent.name, person=person), *(f"  {line}" for line in lines)])
