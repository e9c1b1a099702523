"""Leading an agent: an admin's lines are done by the agent, who remembers them as its own acts and thinks nothing."""

from __future__ import annotations

from collections.abc import Callable

from agents.agent import Agent
from world.events import Arrived, Event, Left
from world.game import Game
from world.parsing import parse_line
from world.room_view import scene

Note = Callable[[str, str, str, str], None]


class Leading:
    """Who leads which agent just now.

    `note` is told of every line that an agent did in this way: who typed it, the line, why it was refused (empty if it
    was done), and the agent.
    """

    def __init__(self, game: Game, note: Note) -> None:
        self._game = game
        self._note = note
        self._led: dict[str, Agent] = {}

    def led_by(self, admin_id: str) -> Agent | None:
        """Return the agent that somebody leads, or None."""
        return self._led.get(admin_id)

    def begin(self, admin_id: str, agent: Agent) -> None:
        """Let somebody lead an agent and see what it sees."""
        self.end(admin_id)
        self._led[admin_id] = agent
        agent.led_by = admin_id
        agent.end_thought_if_still()
        agent.on_perceived = lambda event, text: self._show(admin_id, agent, event, text)

    def end(self, admin_id: str) -> Agent | None:
        """Let the agent be itself again, and return it; None if nobody was led."""
        agent = self._led.pop(admin_id, None)
        if agent:
            agent.led_by = ""
            agent.on_perceived = lambda event, text: None
        return agent

    def perform(self, character_id: str, line: str) -> None:
        """Do a line: as the agent whom its author leads, but for commands that begin with an @."""
        if not self._may_lead(character_id):
            self.end(character_id)
        agent = self._led.get(character_id)
        if agent is None or parse_line(line).verb.startswith("@"):
            self._game.perform(character_id, line)
        elif parse_line(line).verb:
            performed = agent.perform(line)
            self._note(character_id, line, performed.refusal, agent.name)

    def take_note(self, events: tuple[Event, ...]) -> None:
        """Let go of an agent whose leader has left the world."""
        for event in events:
            if isinstance(event, Left) and not event.to_room_id:
                self.end(event.actor_id)

    def _may_lead(self, character_id: str) -> bool:
        """Return whether somebody may still lead: rights can be taken away meanwhile."""
        found = self._game.commands.get("@possess")
        return found is not None and found.allows(self._game.world.characters[character_id])

    def _show(self, admin_id: str, agent: Agent, event: Event, text: str) -> None:
        shown = [text]
        if isinstance(event, Arrived) and event.actor_id == agent.name:
            shown = [scene(self._game.world, agent.character)]
        say = self._game.world.wording
        lines = "\n".join(shown).split("\n")
        self._game.tell(admin_id, "\n".join(say("population.through", who=agent.name, text=line) for line in lines))
