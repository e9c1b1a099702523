"""Export of an agent's history: as a narrative, or as pairs of prompt and completion for training."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from itertools import groupby

from twisted.internet.threads import deferToThread

from agents.agent import Agent
from agents.commands.agent_commands import find_agent
from server.clock import InThread
from vault.errors import NoteError
from vault.markdown import LINE_BREAK
from vault.memory.archive_exchanges import Export, export_training
from vault.memory.memory_line import Memory
from vault.note import Note
from vault.vault import Vault
from world.command import command
from world.entities import Character, Role
from world.errors import CommandError
from world.events import Event, Output
from world.message_catalog import Wording
from world.narration import format_pose, room_name
from world.parsing import is_number, parse_line
from world.world import World

DEFAULT_MEMORIES = 60
MAX_MEMORIES = 2000
"""Default and maximum number of memories of each agent that a story is made from."""

PARAGRAPH_MS = 5_000
"""Two agents' memories with the same words within this time are one event, in milliseconds."""

FILE = "file"
STORIES = "stories"


class ExportCommands:
    """The commands that read back; `moment` returns the present time as a part of a file's name."""

    def __init__(
        self,
        agents: Mapping[str, Agent],
        vault: Vault,
        tell: Callable[[str, str], None],
        moment: Callable[[], str],
        in_thread: InThread = deferToThread,
    ) -> None:
        self._agents = agents
        self._vault = vault
        self._tell = tell
        self._moment = moment
        self._in_thread = in_thread

    @command("@narrative [<text>]", category="admin", role=Role.ADMIN, for_agents=False)
    def narrative(self, world: World, actor: Character, text: str = "") -> list[Event]:
        """Tell recent events as a story, from agents' memories.

        @narrative             of all agents
        @narrative Eliza 200   of one, from its last 200 memories
        @narrative Eliza file  into a note in the folder stories of the vault
        """
        words = text.split()
        to_file = words[-1:] == [FILE]
        words = words[:-1] if to_file else words
        count = min(int(words.pop()), MAX_MEMORIES) if words and is_number(words[-1]) else DEFAULT_MEMORIES
        one = find_agent(world, self._agents, " ".join(words)) if words else None
        title = world.wording(
            "narrative.title_of_one" if one else "narrative.title_of_all", agent=one.name if one else ""
        )
        try:
            story = _story(world, self._agents, one, max(count, 1))
            if not story:
                raise CommandError(world.wording("narrative.nothing"))
            if to_file:
                parts = (STORIES, f"{one.name if one else 'All'} {self._moment()}.md")
                self._vault.write(Note("", {}, f"# {title}\n\n{story}"), *parts)
                return [Output(actor.character_id, world.wording("narrative.written", path="/".join(parts)))]
        except NoteError as error:
            raise CommandError(str(error)) from error
        return [Output(actor.character_id, f"{title}\n\n{story}")]

    @command("@training-export <agent> [<text>]", category="admin", role=Role.ADMIN, for_agents=False)
    def training_export(self, world: World, actor: Character, agent: str, text: str = "") -> list[Event]:
        """Export an agent's prompts and commands as JSONL beside the vault, for training.

        It needs `training_export: true` in the agent's agent.md, or in config/agents.md.

        @training-export Eliza                         prompt and completion of accepted commands
        @training-export Eliza chat                    as messages of a chat
        @training-export Eliza no-reasons refused      without reasons; refused commands too, marked
        @training-export Eliza chat since 2026-11-01   from that day on
        """
        say, who, found = world.wording, actor.character_id, find_agent(world, self._agents, agent)
        wanted = _parse_export(text, say)
        if not found.settings.training_export:
            raise CommandError(say("narrative.no_export", agent=found.name))
        # Beside the vault, which is opened, synced and shared. With what was wanted in the name: one export must not
        # take the place of another of the same second.
        folder = self._vault.root.with_name(f"{self._vault.root.name}.exports")
        path = folder / f"{' '.join([found.name, self._moment(), *text.lower().split()])}.jsonl"
        self._in_thread(export_training, self._vault, found.name, path, wanted).addCallbacks(
            lambda count: self._tell(who, say("narrative.exported", count=count, path=path)),
            lambda failure: self._tell(who, failure.getErrorMessage()),
        )
        return [Output(who, say("narrative.exporting", agent=found.name))]


def _parse_export(text: str, say: Wording) -> Export:
    """Raises: CommandError at a word that means nothing here."""
    wanted, words = Export(), text.lower().split()
    while words:
        match words:
            case [("chat" | "completion") as form, *rest]:
                wanted = replace(wanted, form=form)
            case ["no-reasons", *rest]:
                wanted = replace(wanted, reasons=False)
            case ["refused", *rest]:
                wanted = replace(wanted, refused=True)
            case ["since", day, *rest] if _is_day(day):
                wanted = replace(wanted, since=day)
            case _:
                raise CommandError(say("narrative.no_such_export", given=" ".join(words)))
        words = rest
    return wanted


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _story(world: World, agents: Mapping[str, Agent], one: Agent | None, count: int) -> str:
    """Return the events of one agent, told to itself as `you`, or those of all, by their names.

    Looks, lists and refusals are left out, and in the story of all what only one could remember. Raises: NoteError if a
    journal cannot be read.
    """
    if one:
        told = [(memory, _own_sentence(world, memory)) for memory in _last(one, count)]
    else:
        memories = ((agent.name, memory) for agent in agents.values() for memory in _last(agent, count))
        every = sorted(memories, key=lambda pair: (pair[1].at_ms, pair[0], pair[1].seq))
        told = list(_once((memory, _sentence(world, who, memory)) for who, memory in every))
    kept = [(memory, sentence) for memory, sentence in told if sentence]
    parts = []
    for heading, group in groupby(kept, key=lambda pair: _heading(world, pair[0])):
        parts.append(f"## {heading}\n\n" + "\n".join(sentence for _, sentence in group))
    return "\n\n".join(parts)


def _last(agent: Agent, count: int) -> list[Memory]:
    journal = agent.memory.journal
    return journal.read(max(1, journal.last - count + 1), journal.last)


def _heading(world: World, memory: Memory) -> str:
    return world.wording("narrative.heading", room=room_name(memory.room, world), day=memory.day)


def _own_sentence(world: World, memory: Memory) -> str:
    if memory.kind == "acted":
        line = parse_line(memory.text)
        key = {"say": "narration.you_say", "think": "narration.you_think"}.get(line.verb)
        return world.wording(key, text=line.arguments) if key else ""
    is_sentence = memory.kind in ("observed", "told", "result") and LINE_BREAK not in memory.text
    return memory.text if is_sentence and not memory.refused else ""


def _sentence(world: World, who: str, memory: Memory) -> str:
    if memory.kind == "observed":
        return memory.text if LINE_BREAK not in memory.text else ""
    line = parse_line(memory.text)
    match (memory.kind, line.verb):
        case ("acted", "say"):
            return world.wording("narration.says", who=who, text=line.arguments)
        case ("acted", "emote"):
            return format_pose(who, line.arguments)
        case _:
            return ""


def _once(told: Iterable[tuple[Memory, str]]) -> Iterator[tuple[Memory, str]]:
    last_ms: dict[str, int] = {}
    for memory, sentence in told:
        if memory.at_ms - last_ms.get(sentence, memory.at_ms - PARAGRAPH_MS - 1) > PARAGRAPH_MS:
            yield memory, sentence
        last_ms[sentence] = memory.at_ms
