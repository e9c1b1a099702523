"""Who one is: profile and description, one's own and, for admins, an agent's; each change can be undone."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from agents.agent import Agent
from agents.commands.memory_commands import safely
from agents.commands.population_commands import agent_meant
from config.settings import AgentSettings
from config.validation import Given, SettingsError, override
from vault.personal_notes import OwnProfiles
from world.command import Command, command
from world.entities import Character, Role
from world.errors import CommandError
from world.events import Altered, Event, Recalled, Saw
from world.find import new_text
from world.world import World

TakeIn = Callable[[Agent], None]
"""Has an agent go on with what its notes say now. Raises: NoteError."""


def self_commands(agents: Mapping[str, Agent], profiles: OwnProfiles, take_in: TakeIn) -> tuple[Command, ...]:
    """Return the commands about oneself."""

    @command("@my-profile", category="self", role=Role.PLAYER, for_agents=False)
    def my_profile(world: World, actor: Character) -> list[Event]:
        """Show who you are: an agent its profile, a person how it looks."""
        agent = agents.get(actor.name)
        return _shown(world, actor, actor, agent.note.profile if agent else actor.description)

    @command("@set-profile <text>", category="self", role=Role.PLAYER, for_agents=False)
    def set_profile(world: World, actor: Character, text: str) -> list[Event]:
        r"""Say who you are from now on, in the whole of your profile; \n is a new line. @undo-profile takes it back."""
        agent = agents.get(actor.name)
        whose = text.partition("->")[0].strip().casefold()
        if "->" in text and whose in {name.casefold() for name in agents} - {actor.name.casefold()}:
            raise CommandError(world.wording("self.not_yours"))
        return _set_profile(world, actor, agent, text) if agent else _describe(world, actor, text)

    @command("@undo-profile [<agent>]", category="self", role=Role.PLAYER, for_agents=False)
    def undo_profile(world: World, actor: Character, agent: str = "") -> list[Event]:
        """Be again who you were before the last change; once more brings the change back. Another's is for admins."""
        if agent and actor.role < Role.ADMIN and agent.casefold() != actor.name.casefold():
            raise CommandError(world.wording("self.not_yours"))
        found = agent_meant(world, agents, agent) if agent else agents.get(actor.name)
        if found is None:
            return _undescribe(world, actor)
        if not safely(lambda: profiles.undo_profile(found.character)):
            raise CommandError(world.wording("self.no_former_profile", who=found.name))
        safely(lambda: take_in(found))
        return [Saw(actor.character_id, world.wording("self.profile_undone", who=found.name))]

    @command("@my-description", category="self", role=Role.PLAYER, for_agents=False)
    def my_description(world: World, actor: Character) -> list[Event]:
        """Show what others see who look at you."""
        return _shown(world, actor, actor, actor.description)

    @command("@set-description <text>", category="self", role=Role.PLAYER, for_agents=False)
    def set_description(world: World, actor: Character, text: str) -> list[Event]:
        r"""Say what others see who look at you; \n is a new line. @undo-description takes it back."""
        return _describe(world, actor, text)

    @command("@undo-description", category="self", role=Role.PLAYER, for_agents=False)
    def undo_description(world: World, actor: Character) -> list[Event]:
        """Look again as you did before the last change; once more brings the change back."""
        return _undescribe(world, actor)

    @command("@show-profile <agent>", category="agents", role=Role.ADMIN, for_agents=False)
    def show_profile(world: World, actor: Character, agent: str) -> list[Event]:
        """Show the profile of an agent."""
        found = agent_meant(world, agents, agent)
        return _shown(world, actor, found.character, found.note.profile)

    @command("@edit-profile <agent> -> <text>", category="agents", role=Role.ADMIN, for_agents=False)
    def edit_profile(world: World, actor: Character, agent: str, text: str) -> list[Event]:
        r"""Give an agent another profile; \n is a new line. @undo-profile <agent> takes it back."""
        return _set_profile(world, actor, agent_meant(world, agents, agent), text)

    @command("@edit-interval <agent> <number>", category="agents", role=Role.ADMIN, for_agents=False)
    def edit_interval(world: World, actor: Character, agent: str, number: str) -> list[Event]:
        """Let an agent think every so many seconds, from now on: @edit-interval Eliza 30."""
        found = agent_meant(world, agents, agent)
        seconds = _seconds(world, number)
        safely(lambda: profiles.set_interval(found.character, f"{seconds:g}"))
        safely(lambda: take_in(found))
        found.on_addressed()  # or it would wait until the end of a long pause before the short ones begin
        text = world.wording("self.interval", who=found.name, seconds=f"{seconds:g}")
        return [Saw(actor.character_id, text)]

    def _set_profile(world: World, actor: Character, agent: Agent, text: str) -> list[Event]:
        profile = new_text(world, text)
        if not profile:
            raise CommandError(world.wording("self.empty"))
        safely(lambda: profiles.set_profile(agent.character, profile))
        safely(lambda: take_in(agent))
        return [Saw(actor.character_id, world.wording("self.profile_set", who=agent.name))]

    def _describe(world: World, actor: Character, text: str) -> list[Event]:
        wanted = new_text(world, text)
        if not wanted:
            raise CommandError(world.wording("self.empty"))
        return _looks(world, actor, wanted, world.wording("self.description_set"))

    def _undescribe(world: World, actor: Character) -> list[Event]:
        former = safely(lambda: profiles.former_description(actor))
        if former is None:
            raise CommandError(world.wording("self.no_former_description"))
        return _looks(world, actor, former, world.wording("self.description_undone"))

    def _looks(world: World, actor: Character, description: str, said: str) -> list[Event]:
        actor.description = safely(lambda: profiles.set_description(actor, description))
        agent = agents.get(actor.name)
        if agent:
            safely(lambda: take_in(agent))
        return [Saw(actor.character_id, said), Altered(actor.character_id, "character", actor.character_id)]

    return (
        my_profile,
        set_profile,
        undo_profile,
        my_description,
        set_description,
        undo_description,
        show_profile,
        edit_profile,
        edit_interval,
    )


def _shown(world: World, actor: Character, whose: Character, text: str) -> list[Event]:
    shown = text or world.wording("self.nothing_written", who=whose.name)
    return [Recalled(actor.character_id, shown, world.wording("self.you_look", who=whose.name))]


def _seconds(world: World, number: str) -> float:
    """Return a number of seconds that will do. Raises: CommandError saying which will."""
    try:
        given = Given(float(number), 0)
        return override(AgentSettings(), {"think_seconds": given}, "").think_seconds
    except (ValueError, SettingsError) as error:
        raise CommandError(world.wording("self.bad_interval", number=number)) from error
