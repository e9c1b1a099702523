"""The @memory-… commands: inspect an agent's memory; compact, rebuild or roll back its summaries."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from agents.agent import Agent
from agents.commands.agent_commands import find_agent, refusing_at_note_errors
from agents.commands.late_answers import LateAnswers, Publish
from agents.memory.compactor import Outcome, describe_plan, nothing_due, outcome_of
from agents.memory.facts.store import fact_text
from agents.memory.inspection import diff_text, expansion, explain_text, status_text
from agents.memory.journal_search import brief_of, search_text
from vault.memory.facts_note import CONFIDED, Pin
from vault.memory.memory_line import Memory
from world.command import Command, command, commands_of
from world.entities import Character, Role
from world.errors import CommandError
from world.events import Event, Output, Recalled
from world.message_catalog import Wording
from world.parsing import is_number
from world.world import World

Tell = Callable[[str, str], None]

DRY_RUN = "--dry-run"


class MemoryCommands:
    """The commands that look into memories and have them summarised."""

    def __init__(
        self, agents: Mapping[str, Agent], tell: Tell, now_ms: Callable[[], int], answers: LateAnswers
    ) -> None:
        self._agents = agents
        self._tell = tell
        self._now_ms = now_ms
        self._answers = answers

    @command("@memory-status [<agent>]", category="memory", role=Role.PLAYER, for_agents=False)
    def memory_status(self, world: World, actor: Character, agent: str = "") -> list[Event]:
        """Show the memories by tier, the compactions, and the health of an agent's memory.

        Without a name, show your own. Only observers and admins see others'.
        """
        found = target_agent(world, self._agents, actor, agent)
        return _seen(world, actor, _status(found, self._now_ms(), world.wording))

    @command("@compact-memories [<text>]", category="memory", role=Role.PLAYER, for_agents=False)
    def compact_memories(self, world: World, actor: Character, text: str = "") -> list[Event]:
        """Compact the memories now, even if no compaction is due.

        @compact-memories Eliza             starts at once, and reports its end
        @compact-memories Eliza --dry-run   only shows the plan
        """
        words = [word for word in text.split() if word != DRY_RUN]
        is_dry = DRY_RUN in text.split()
        found = target_agent(world, self._agents, actor, " ".join(words), Role.OBSERVER if is_dry else Role.ADMIN)
        if is_dry:
            return [Output(actor.character_id, _dry_run(found).told(world.wording))]
        begun = found.compactor.force(_teller(self._tell, actor, world))
        return [Output(actor.character_id, begun.told(world.wording))]

    @command("@rebuild-memories [<agent>]", category="memory", role=Role.PLAYER, for_agents=False)
    def rebuild_memories(self, world: World, actor: Character, agent: str = "") -> list[Event]:
        """Rebuild the long-term summary from all short-term ones; the better one is kept."""
        found = target_agent(world, self._agents, actor, agent, Role.ADMIN)
        begun = found.compactor.force_rebuild(_teller(self._tell, actor, world))
        return [Output(actor.character_id, begun.told(world.wording))]

    @command("@memory-expand <text>", category="memory", role=Role.PLAYER, for_agents=False)
    def memory_expand(self, world: World, actor: Character, text: str) -> list[Event]:
        """Show the memories that a summary covers, or that a reference in a prompt names.

        @memory-expand Eliza 3-17           by their numbers; ^m12 is one
        @memory-expand Eliza recent         all that the short-term summary covers; longterm likewise
        @memory-expand Eliza recent-20261121-203501-m000129    what a leaf covers
        @memory-expand Eliza 2026-11-21#7   an entry of the archive, whole
        """
        found, rest = split_target(world, self._agents, actor, text)
        if not rest:
            raise CommandError(world.wording("memory.expand_usage"))
        told = expansion(found.memory, rest, world.wording, actor.is_agent)
        if isinstance(told, str):
            return _seen(world, actor, told)
        return self._answers.read(world, actor, told, lambda text: _seen(world, actor, text))

    @command("@memory-why <text>", category="memory", role=Role.PLAYER, for_agents=False)
    def memory_why(self, world: World, actor: Character, text: str) -> list[Event]:
        """Explain why a memory is or is not in the prompt: @memory-why Eliza 12."""
        found, rest = split_target(world, self._agents, actor, text)
        number = rest.removeprefix("^m")
        if not is_number(number):
            raise CommandError(world.wording("memory.no_number", wanted=rest))
        return _seen(world, actor, _why(found, int(number), world.wording, actor.is_agent))

    @command("@memory-diff [<agent>]", category="memory", role=Role.PLAYER, for_agents=False)
    def memory_diff(self, world: World, actor: Character, agent: str = "") -> list[Event]:
        """Show how the long-term summary differs from the one before."""
        found = target_agent(world, self._agents, actor, agent)
        return _seen(world, actor, diff_text(found.memory, world.wording))

    @command("@memory-rollback <text>", category="memory", role=Role.PLAYER, for_agents=False)
    def memory_rollback(self, world: World, actor: Character, text: str) -> list[Event]:
        """Restore an earlier short-term summary: @memory-rollback Eliza recent-20261121-203501-m000129.

        Later memories are word for word again until the next compaction. No file is deleted.
        """
        found, leaf = split_target(world, self._agents, actor, text, Role.ADMIN)
        if found.compactor.is_running:
            raise CommandError(world.wording("compaction.wait", who=found.name))
        return _seen(world, actor, _rolled_back(found, leaf, world.wording))

    @command("@impersonate <agent>", category="memory", role=Role.OBSERVER, for_agents=False)
    def impersonate(self, world: World, actor: Character, agent: str) -> list[Event]:
        """Show the exact prompt that an agent would get now."""
        found = target_agent(world, self._agents, actor, agent)
        return _seen(world, actor, found.prompt().text)


def memory_commands(
    agents: Mapping[str, Agent], tell: Tell, now_ms: Callable[[], int], answers: LateAnswers | None = None
) -> tuple[Command, ...]:
    """Return the commands for these agents; `tell` is how a character hears later how something ended.

    `answers` has archives read elsewhere; without it they are read at once.
    """
    answers = answers or LateAnswers(lambda events: None)
    return refusing_at_note_errors(commands_of(MemoryCommands(agents, tell, now_ms, answers)))


def target_agent(
    world: World, agents: Mapping[str, Agent], actor: Character, wanted: str, needed: Role = Role.OBSERVER
) -> Agent:
    """Return the agent that an actor asks about: itself without a name.

    Raises: CommandError if there is none, or if it is another's memory and the actor's role does not include `needed`.
    """
    if not wanted and actor.name not in agents:
        names = world.wording.join_and(sorted(agents)) or world.wording("memory.no_agents")
        raise CommandError(world.wording("memory.your_journal", names=names))
    found = find_agent(world, agents, wanted or actor.name)
    if found.name != actor.name and not actor.role.includes(needed):
        key = "memory.only_seen" if actor.role.includes(Role.OBSERVER) else "memory.private"
        raise CommandError(world.wording(key, who=found.name))
    return found


def split_target(
    world: World, agents: Mapping[str, Agent], actor: Character, text: str, needed: Role = Role.OBSERVER
) -> tuple[Agent, str]:
    """Return the agent that the first word names, and the rest; an agent may leave its own name out.

    Who may not look into others' memories means itself, whatever its first word is.

    Raises: CommandError, as `target_agent` does.
    """
    first, _, rest = text.partition(" ")
    others = {name.casefold() for name in agents if actor.role.includes(needed)} | {actor.name.casefold()}
    if actor.name in agents and first.casefold() not in others:
        return target_agent(world, agents, actor, "", needed), text
    return target_agent(world, agents, actor, first, needed), rest.strip()


def _seen(world: World, actor: Character, text: str) -> list[Event]:
    return [Recalled(actor.character_id, text, world.wording("memory.you_look"))]


def _status(agent: Agent, now_ms: int, say: Wording) -> str:
    unshown = agent.prompt().unshown
    return status_text(agent.memory, agent.compactor, agent.count_tokens, now_ms, say, unshown)


def _why(agent: Agent, number: int, say: Wording, is_for_prompt: bool) -> str:
    prompt = agent.prompt()
    told = explain_text(agent.memory, number, say, prompt.unshown, is_for_prompt)
    return f"{told}\n{say('memory.came_to_mind')}" if prompt.recalls(number) else told


def _dry_run(agent: Agent) -> Outcome:
    plan = agent.compactor.next_plan(forced=True)
    if plan is None:
        return nothing_due(agent.memory)
    return outcome_of("compaction.would", who=agent.name, plan=describe_plan(plan))


def _rolled_back(agent: Agent, leaf: str, say: Wording) -> str:
    recent = agent.memory.roll_back(leaf)
    return say("compaction.rolled_back", first=recent.first, last=recent.last, leaf=leaf)


def _teller(tell: Tell, actor: Character, world: World) -> Callable[[Outcome], None]:
    return lambda ended: tell(actor.character_id, ended.told(world.wording))


class FactCommands:
    """The commands about pins, facts, and finding memories."""

    def __init__(self, agents: Mapping[str, Agent], publish: Publish) -> None:
        self._agents = agents
        self._publish = publish

    @command("@memory-pin <memory>", category="memory", role=Role.PLAYER)
    def memory_pin(self, world: World, actor: Character, memory: str) -> list[Event]:
        """Pin a memory, by its number, or any words: they stay in every prompt.

        @memory-pin 12                      as an agent, of yourself
        @memory-pin Eliza The key is under the third step.
        """
        found, rest = split_target(world, self._agents, actor, memory, Role.ADMIN)
        wanted = _needed(rest, world.wording("memory.pin_usage"))
        pin, brief = found.pin(wanted), world.wording("memory.you_pin")
        told = world.wording("memory.pinned", who=found.name, text=pin.text)
        text = brief if _is_private(actor, found, pin) else told
        return [Recalled(actor.character_id, text, brief)]

    @command("@memory-unpin <memory>", category="memory", role=Role.PLAYER)
    def memory_unpin(self, world: World, actor: Character, memory: str) -> list[Event]:
        """Unpin a memory or words, by number or text."""
        found, rest = split_target(world, self._agents, actor, memory, Role.ADMIN)
        wanted = _needed(rest, world.wording("memory.unpin_usage"))
        pin, brief = found.facts.unpin(wanted, world.wording), world.wording("memory.you_unpin")
        told = world.wording("memory.unpinned", who=found.name, text=pin.text)
        text = brief if _is_private(actor, found, pin) else told
        return [Recalled(actor.character_id, text, brief)]

    @command("@memory-facts [<memory>]", category="memory", role=Role.PLAYER)
    def memory_facts(self, world: World, actor: Character, memory: str = "") -> list[Event]:
        """List known facts, all or about something: @memory-facts Eliza lantern."""
        found, rest = split_target(world, self._agents, actor, memory)
        text = facts_listing(found, world.wording, rest, actor.is_agent)
        brief = world.wording("memory.you_go_through_of" if rest else "memory.you_go_through", wanted=rest)
        return [Recalled(actor.character_id, text, brief)]

    @command("@memory-find <memory>", category="memory", role=Role.PLAYER)
    def memory_find(self, world: World, actor: Character, memory: str) -> list[Event]:
        """Find memories by their words, however old: @memory-find Eliza brass lantern."""
        found, query = split_target(world, self._agents, actor, memory)
        return search_memories(world, actor, found, _needed(query, world.wording("memory.find_usage")), self._publish)


def fact_commands(agents: Mapping[str, Agent], publish: Publish) -> tuple[Command, ...]:
    """Return the commands for these agents; `publish` is how an answer comes that takes a while."""
    return refusing_at_note_errors(commands_of(FactCommands(agents, publish)))


def facts_listing(agent: Agent, say: Wording, query: str = "", is_for_prompt: bool = False) -> str:
    """Return what an agent knows, a fact a line with the memory that it comes from; what is at hand as it is now.

    What `is_for_prompt` is without pins, which stand there anyway where they may, and without what was confided.

    Raises: NoteError if the journal cannot be read.
    """
    facts = [one for one in agent.get_relevant(query) if not (is_for_prompt and one.section == CONFIDED)]
    lines = [
        say("memory.fact_since" if fact.since else "memory.fact", fact=fact_text(fact), number=fact.since)
        for fact in facts
    ]
    pins = [
        say("memory.pin_of_memory" if pin.seq else "memory.pin", text=pin.text, number=pin.seq)
        for pin in agent.facts.pins
    ]
    goals = [say("memory.goal", goal=goal) for goal in agent.facts.goals]
    more = [] if query else [*([] if is_for_prompt else pins), *goals]
    heading = say("memory.known_of" if query else "memory.known", who=agent.name, wanted=query, upto=agent.facts.upto)
    behind = agent.memory.journal.last - agent.facts.upto
    problem = [say("memory.behind", count=f"{behind:,}")] * (behind > 0)
    problem += [say("memory.problem", problem=agent.facts.problem)] * bool(agent.facts.problem)
    return "\n".join([heading, *more, *(lines or [say("memory.no_facts")] if not more else lines), *problem])


def search_memories(world: World, actor: Character, agent: Agent, query: str, publish: Publish) -> list[Event]:
    """Return what an agent's memory has of some words, or that `publish` will bring it in a moment."""
    answers: list[Event] = []

    def answer(memories: list[Memory]) -> None:
        if actor.is_agent:  # it stands in a prompt, and others may hear what comes of it
            memories = [agent.withhold(one) for one in memories]
        text = search_text(agent.name, query, memories, world.wording)
        answers.append(Recalled(actor.character_id, text, brief_of(query, memories, world.wording)))
        if is_late:
            publish(tuple(answers))

    is_late = False
    is_late = not agent.finder.find_soon(query, answer)
    return [Output(actor.character_id, world.wording("memory.thinking_back"))] if is_late else answers


def _is_private(actor: Character, agent: Agent, pin: Pin) -> bool:
    """Return whether an agent pins what was whispered: what it is told of that stands in a prompt."""
    memory = agent.memory.memory(pin.seq) if actor.is_agent and pin.seq else None
    return memory is not None and bool(agent.withhold.parties_of(memory))


def _needed(text: str, usage: str) -> str:
    if not text:
        raise CommandError(usage)
    return text
