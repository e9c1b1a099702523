"""Commands that create, pause and possess agents."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any

from agents.agent import Agent
from agents.population import Population
from vault.errors import NoteError
from world.command import Command, CommandFunction, command, commands_of
from world.entities import Character, Role
from world.errors import CommandError
from world.events import Arrived, Event, Left, Output
from world.find import validate_name, validate_text
from world.game import Game
from world.parsing import parse_line, suggestions
from world.room_view import render_room
from world.world import World

Note = Callable[[str, str, str, str], None]

_NAME = re.compile(r"[^\W\d_](?:[^\W_]|['-](?=\w)){1,19}")


class Possession:
    """The possession of agents by admins: who leads which agent just now.

    `note` is called with every line that an agent did in this way: who typed it, the line, why it was refused (empty if
    it was done), and the agent.
    """

    def __init__(self, game: Game, note: Note) -> None:
        self._game = game
        self._note = note
        self._led: dict[str, Agent] = {}

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
        """Perform a line: as the agent that its author leads, except for commands that begin with an @."""
        if not self._may_lead(character_id):
            self.end(character_id)
        agent = self._led.get(character_id)
        if agent is None or parse_line(line).verb.startswith("@") or self._game.redact(character_id, line) != line:
            self._game.perform(character_id, line)
        elif parse_line(line).verb:
            performed = agent.perform(line)
            self._note(character_id, line, performed.refusal, agent.name)

    def on_events(self, events: tuple[Event, ...]) -> None:
        """Let go of an agent whose leader has left the world."""
        for event in events:
            if isinstance(event, Left) and not event.to_room_id:
                self.end(event.actor_id)

    def _may_lead(self, character_id: str) -> bool:
        """Return whether somebody may still lead: rights can be taken away meanwhile."""
        found = self._game.commands.get("@possess")
        return found is not None and found.allows(self._game.world.characters[character_id])

    def _show(self, admin_id: str, agent: Agent, event: Event, text: str) -> None:
        if isinstance(event, Arrived) and event.actor_id == agent.name:
            text = render_room(self._game.world, agent.character)
        say = self._game.world.wording
        lines = [say("population.through", who=agent.name, text=line) for line in text.split("\n")]
        self._game.tell(admin_id, "\n".join(lines))


class PopulationCommands:
    """The commands that make, pause and lead agents."""

    def __init__(self, agents: Population, leading: Possession) -> None:
        self._agents = agents
        self._leading = leading

    @command("@create-agent <name> -> <text>", category="agents", role=Role.ADMIN, for_agents=False)
    def create_agent(self, world: World, actor: Character, name: str, text: str) -> list[Event]:
        r"""Create an agent here, at once: @create-agent Wren -> You are Wren. You mend nets.

        The text becomes its profile, agents/Wren/agent.md; \n in it is a new line.
        It remembers from the first moment, and thinks if there is a model.
        """
        called = validate_name(world, name[:1].upper() + name[1:])
        if not _NAME.fullmatch(called):
            raise CommandError(world.wording("population.name_rule", name=called))
        try:
            self._agents.create(called, actor.room_id, validate_text(world, text))
        except NoteError as error:
            raise CommandError(world.wording("population.not_created", name=called, why=error)) from error
        key = "population.created" if world.characters[called].awake else "population.created_asleep"
        return [Output(actor.character_id, world.wording(key, name=called))]

    @command("@pause-agent <agent>", category="agents", role=Role.ADMIN, for_agents=False)
    def pause_agent(self, world: World, actor: Character, agent: str) -> list[Event]:
        """Pause an agent until @resume-agent. It still hears and remembers."""
        return self._set_paused(world, actor, find_agent(world, self._agents, agent), True)

    @command("@resume-agent <agent>", category="agents", role=Role.ADMIN, for_agents=False)
    def resume_agent(self, world: World, actor: Character, agent: str) -> list[Event]:
        """Resume a paused agent."""
        return self._set_paused(world, actor, find_agent(world, self._agents, agent), False)

    @command("@agent-model <agent> [<name>]", category="models", role=Role.ADMIN, for_agents=False)
    def agent_model(self, world: World, actor: Character, agent: str, name: str = "") -> list[Event]:
        """Set the model profile of an agent, from config/models.md: @agent-model Moss small.

        The profile counts from the next thought. Without a profile, show the present one.
        """
        found, say = find_agent(world, self._agents, agent), world.wording
        if not name:
            return [
                Output(actor.character_id, say("models.of_agent", agent=found.name, name=found.settings.model_profile))
            ]
        if name not in self._agents.profiles:
            names = say.join_or(suggestions(name, self._agents.profiles) or list(self._agents.profiles))
            raise CommandError(say("models.no_profile", wanted=name, names=names))
        self._agents.set_profile(found, name)
        return [Output(actor.character_id, say("models.profile_set", agent=found.name, name=name))]

    @command("@possess <agent>", category="agents", role=Role.ADMIN, for_agents=False)
    def possess(self, world: World, actor: Character, agent: str) -> list[Event]:
        """Puppet an agent until @release: it does what you type, and you see what it sees.

        It remembers your commands as its own acts. It does not think meanwhile.
        Commands that begin with an @ stay your own.
        """
        found = find_agent(world, self._agents, agent)
        if found.led_by not in ("", actor.character_id):
            raise CommandError(world.wording("population.led_already", agent=found.name, who=found.led_by))
        if not found.character.awake or actor.is_agent:
            raise CommandError(world.wording("population.cannot_lead", agent=found.name))
        self._leading.begin(actor.character_id, found)
        return [Output(actor.character_id, world.wording("population.led", agent=found.name))]

    @command("@release", category="agents", role=Role.ADMIN, for_agents=False)
    def release(self, world: World, actor: Character) -> list[Event]:
        """Release the agent that you possess."""
        found = self._leading.end(actor.character_id)
        if found is None:
            raise CommandError(world.wording("population.none_led"))
        return [Output(actor.character_id, world.wording("population.released", agent=found.name))]

    def _set_paused(self, world: World, actor: Character, agent: Agent, paused: bool) -> list[Event]:
        say = world.wording
        if agent.settings.paused is paused:
            key = "population.paused_already" if paused else "population.not_paused"
            raise CommandError(say(key, agent=agent.name))
        self._agents.set_paused(agent, paused)
        if agent.settings.paused is not paused:
            raise CommandError(say("population.all_paused", agent=agent.name))
        key = "population.paused" if paused else "population.resumed"
        return [Output(actor.character_id, say(key, agent=agent.name))]


def population_commands(agents: Population, leading: Possession) -> tuple[Command, ...]:
    """Return the commands that make, pause and lead agents."""
    return refusing_at_note_errors(commands_of(PopulationCommands(agents, leading)))


def refusing_at_note_errors(commands: Iterable[Command]) -> tuple[Command, ...]:
    """Return commands that raise CommandError for NoteError: who types a line reads what is wrong with a file."""
    return tuple(replace(one, act=_refusing_at_note_errors(one.act)) for one in commands)


def _refusing_at_note_errors(act: CommandFunction) -> CommandFunction:
    @wraps(act)
    def act_or_refuse(*arguments: Any, **named: Any) -> list[Event]:
        try:
            return act(*arguments, **named)
        except NoteError as error:
            raise CommandError(str(error)) from error

    return act_or_refuse


def find_agent(world: World, agents: Mapping[str, Agent], wanted: str) -> Agent:
    """Return the agent of a name, in whatever case. Raises: CommandError naming those there are."""
    found = next((agent for name, agent in agents.items() if name.casefold() == wanted.casefold()), None)
    if found is None:
        say, close = world.wording, suggestions(wanted, agents)
        if close:
            raise CommandError(say("population.did_you_mean", wanted=wanted, names=say.join_or(close)))
        names = say.join_and(sorted(agents)) or say("lists.none")
        raise CommandError(say("population.no_agent", wanted=wanted, names=names))
    return found
