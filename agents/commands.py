"""The @memory-… family: looking into an agent's memory, and having it summarised, rebuilt or rolled back."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from agents.agent import Agent
from agents.memory.compaction import Outcome, described, nothing_due
from agents.memory.looking_back import diff_text, expanded_text, why_text
from agents.memory.status import status_text
from agents.memory.view import unshown_in
from vault.notes import NoteError
from world.command import Command, command
from world.errors import CommandError
from world.events import Event, Recalled, Saw
from world.matching import listed, suggestions
from world.model import Character, Role, World

Tell = Callable[[str, str], None]

DRY_RUN = "--dry-run"


def memory_commands(agents: Mapping[str, Agent], tell: Tell, now_ms: Callable[[], int]) -> tuple[Command, ...]:
    """Return the commands for these agents; `tell` is how a character hears later how something ended."""

    @command("@memory-status [<agent>]", category="memory", role=Role.PLAYER, for_agents=False)
    def memory_status(world: World, actor: Character, agent: str = "") -> list[Event]:
        """Tell what an agent remembers word for word, what in summaries, and whether its memory is well.

        Without a name: of yourself. Another's is for admins.
        """
        found = meant(agents, actor, agent)
        return _seen(actor, lambda: _status(found, now_ms()))

    @command("@compact-memories [<text>]", category="memory", role=Role.PLAYER, for_agents=False)
    def compact_memories(world: World, actor: Character, text: str = "") -> list[Event]:
        """Summarise now all memories outside the newest, also if it is not yet due.

        @compact-memories Eliza             begins at once, and tells you when it has ended
        @compact-memories Eliza --dry-run   only tells what would be done
        """
        words = [word for word in text.split() if word != DRY_RUN]
        found = meant(agents, actor, " ".join(words))
        if DRY_RUN in text.split():
            return [Saw(actor.character_id, _dry_run(found))]
        return [Saw(actor.character_id, found.compactor.force(_teller(tell, actor)))]

    @command("@rebuild-memories [<agent>]", category="memory", role=Role.PLAYER, for_agents=False)
    def rebuild_memories(world: World, actor: Character, agent: str = "") -> list[Event]:
        """Make the long-term summary anew from all the short-term ones that were ever made; the better one is kept."""
        found = meant(agents, actor, agent)
        return [Saw(actor.character_id, found.compactor.force_rebuild(_teller(tell, actor)))]

    @command("@memory-expand <text>", category="memory", role=Role.PLAYER, for_agents=False)
    def memory_expand(world: World, actor: Character, text: str) -> list[Event]:
        """Show the very memories that a summary stands for, or what a reference in a prompt stands for.

        @memory-expand Eliza 3-17           by their numbers; ^m12 is one
        @memory-expand Eliza recent         all that the short-term summary covers; longterm likewise
        @memory-expand Eliza recent-20261121-203501-m000129    what a leaf covers
        @memory-expand Eliza 2026-11-21#7   an entry of the archive, whole
        """
        found, rest = meant_first(agents, actor, text)
        if not rest:
            raise CommandError("Usage: @memory-expand [agent] <range|summary|reference>, such as 3-17 or recent")
        return _seen(actor, lambda: expanded_text(found.memory, rest))

    @command("@memory-why <text>", category="memory", role=Role.PLAYER, for_agents=False)
    def memory_why(world: World, actor: Character, text: str) -> list[Event]:
        """Tell why a memory is or is not in the prompt: @memory-why Eliza 12."""
        found, rest = meant_first(agents, actor, text)
        number = rest.removeprefix("^m")
        if not number.isdecimal():
            raise CommandError(f"{rest!r} is not the number of a memory. Usage: @memory-why [agent] <number>")
        return _seen(actor, lambda: why_text(found.memory, int(number), unshown_in(found.prompt())))

    @command("@memory-diff [<agent>]", category="memory", role=Role.PLAYER, for_agents=False)
    def memory_diff(world: World, actor: Character, agent: str = "") -> list[Event]:
        """Show how the long-term summary differs from the one before."""
        found = meant(agents, actor, agent)
        return _seen(actor, lambda: diff_text(found.memory))

    @command("@memory-rollback <text>", category="memory", role=Role.PLAYER, for_agents=False)
    def memory_rollback(world: World, actor: Character, text: str) -> list[Event]:
        """Put an earlier short-term summary back in force: @memory-rollback Eliza recent-20261121-203501-m000129.

        What came after it is word for word again, and is summarised anew; no file is deleted.
        """
        found, leaf = meant_first(agents, actor, text)
        if found.compactor.is_running:
            raise CommandError(f"A compaction of {found.name} is under way; wait until it has ended.")
        return _seen(actor, lambda: found.memory.roll_back(leaf))

    @command("@impersonate <agent>", category="memory", role=Role.ADMIN, for_agents=False)
    def impersonate(world: World, actor: Character, agent: str) -> list[Event]:
        """Show the exact prompt that an agent would be given now."""
        found = meant(agents, actor, agent)
        return _seen(actor, found.prompt)

    return (
        memory_status,
        compact_memories,
        rebuild_memories,
        memory_expand,
        memory_why,
        memory_diff,
        memory_rollback,
        impersonate,
    )


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


def meant_first(agents: Mapping[str, Agent], actor: Character, text: str) -> tuple[Agent, str]:
    """Return the agent that the first word names, and the rest; an agent may leave its own name out.

    Who may not look into others' memories means itself, whatever its first word is. Raises: CommandError as `meant`.
    """
    first, _, rest = text.partition(" ")
    others = {name.casefold() for name in agents if actor.role >= Role.ADMIN} | {actor.name.casefold()}
    if actor.name in agents and first.casefold() not in others:
        return meant(agents, actor, ""), text
    return meant(agents, actor, first), rest.strip()


def _seen(actor: Character, make: Callable[[], str]) -> list[Event]:
    try:
        return [Recalled(actor.character_id, make(), "You look into your memory.")]
    except NoteError as error:
        raise CommandError(str(error)) from error


def _status(agent: Agent, now_ms: int) -> str:
    unshown = unshown_in(agent.prompt())
    return status_text(agent.memory, agent.compactor, agent.count_tokens, now_ms, unshown)


def _dry_run(agent: Agent) -> str:
    plan = agent.memory.strategy.plan(agent.memory.coverage, forced=True)
    if plan is None:
        return nothing_due(agent.memory)
    return f"Compaction of {agent.name} would put {described(plan)}."


def _teller(tell: Tell, actor: Character) -> Callable[[Outcome], None]:
    return lambda outcome: tell(actor.character_id, outcome.text)
