"""Commands that inspect prompts and reasons: `@why`, `@llm-log`, `@memories`, `@bonds`, `@mind`."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Mapping

from agents.agent import Agent
from agents.commands.agent_commands import find_agent, refusing_at_note_errors
from agents.commands.memory_commands import Publish, split_target
from agents.components.people import person_lines
from agents.views.bonds import bonds_shown, bonds_text
from agents.views.memories import memory_page, page_text, query_of, time_of
from agents.views.mind import lines_then, mind_shown, mind_text, mind_then, then_text
from agents.views.tiers import QUICK_STEPS, SentencePlace, Shown, Steps, lines_behind, lines_text, run_steps, run_to_end
from agents.views.why import action_of, exchange_at, exchange_of, question_shown, why_shown, written_archive
from agents.views.why_text import answer_lines, choice_lines, indented, why_text
from vault.memory.archive_exchanges import Question, newest_questions
from world.command import Command, command, commands_of
from world.entities import Character, Role
from world.errors import CommandError
from world.events import Event, Output
from world.message_catalog import Wording
from world.parsing import is_number
from world.world import World

log = logging.getLogger(__name__)

Text = Callable[[Shown, Wording], str]
PROMPT_LINES = 8

DEFAULT_QUESTIONS = 3
MAX_QUESTIONS = 20
MAX_WHOLE = 3
"""Number of questions shown by default, the maximum, and the maximum with whole prompts."""

_SENTENCE = re.compile(r"(?P<tier>(?i:longterm|recent)(?::.+)?) (?P<number>\d{1,6})(?: (?P<at>\d{4}-\S+))?")

FULL = "full"
MEMORY_FILTERS = ("kind", "room", "who", "since", "until", "age", "pinned", "before")


def _question_told(who: str, question: Question, whole: bool, say: Wording) -> str:
    """Return a question with its answer and outcome; with `whole`, the prompt from its first line on."""
    entry, prompt = question.entry, question.prompt.split("\n")
    cached = entry.get("cached_tokens", 0)
    heading = say(
        "thoughts.question" if entry.get("is_counted", True) else "thoughts.question_uncounted",
        who=who,
        at=str(entry.get("at", ""))[:19].replace("T", " "),
        reference=question.reference,
        model=entry.get("model", ""),
        prompt=f"{entry.get('prompt_tokens', 0):,}",
        cached=say("models.share_unknown") if cached is None else f"{cached:,}",
        completion=f"{entry.get('completion_tokens', 0):,}",
        seconds=f"{entry.get('seconds', 0.0):.2f}",
        finish=entry.get("finish", ""),
    )
    if whole:
        shown = [say("thoughts.prompt_whole", count=len(prompt)), *prompt]
    else:
        shown = [say("thoughts.prompt_end", count=len(prompt), who=who), *prompt[-PROMPT_LINES:]]
    about = question_shown(question, say)
    decided = choice_lines(about, say)[: 2 if about["choices"] else 1]
    return "\n".join([heading, *indented([*shown, *decided, *answer_lines(about, say)])])


class LateAnswers:
    """Tells views that may take a while: at once where they are quick, else by `publish`."""

    def __init__(self, publish: Publish) -> None:
        self._publish = publish
        self._tasks: set[asyncio.Task[None]] = set()

    def answer(self, world: World, actor: Character, steps: Steps, text: Text) -> list[Event]:
        """Return the answer that some steps lead to, or that it will come in a moment. Raises: CommandError.

        A failure after that is logged, and no answer comes.
        """
        shown = run_steps(steps, QUICK_STEPS)
        if shown is not None:
            return [Output(actor.character_id, text(shown, world.wording))]
        task = asyncio.get_running_loop().create_task(self._answer_later(world, actor, steps, text))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return [Output(actor.character_id, world.wording("memory.thinking_back"))]

    async def _answer_later(self, world: World, actor: Character, steps: Steps, text: Text) -> None:
        try:
            shown = await run_to_end(steps)
            self._publish((Output(actor.character_id, text(shown, world.wording)),))
        except Exception:
            log.exception("a view could not be made")


class ThoughtCommands:
    """The commands that look into minds and their archives."""

    def __init__(self, agents: Mapping[str, Agent], publish: Publish) -> None:
        self._agents = agents
        self._late = LateAnswers(publish)

    @command("@llm-log [<text>]", category="models", role=Role.OBSERVER, for_agents=False)
    def llm_log(self, world: World, actor: Character, text: str = "") -> list[Event]:
        """Show the last questions to the model: prompt, reply, command, result, times and tokens.

        @llm-log               the last question of each agent
        @llm-log Eliza         her last three
        @llm-log Eliza 10      her last ten
        @llm-log Eliza 1 full  the last one, with the whole prompt
        """
        say, words = world.wording, text.split()
        is_whole = words[-1:] == [FULL]
        words = words[:-1] if is_whole else words
        number = int(words.pop()) if words and is_number(words[-1]) else 0
        chosen = [find_agent(world, self._agents, " ".join(words))] if words else list(self._agents.values())
        count = min(number or (DEFAULT_QUESTIONS if words else 1), MAX_WHOLE if is_whole else MAX_QUESTIONS)
        told = [
            _question_told(agent.name, question, is_whole, say)
            for agent in chosen
            for question in newest_questions(written_archive(agent), count)
        ]
        if words and not told:
            raise CommandError(say("thoughts.nothing_asked", who=chosen[0].name))
        heading = (
            say("thoughts.log_of_one", who=chosen[0].name, count=len(told)) if words else say("thoughts.log_of_all")
        )
        return [Output(actor.character_id, "\n\n".join([heading, *told]))]

    @command("@why <agent> [<number>]", category="models", role=Role.OBSERVER, for_agents=False)
    def why(self, world: World, actor: Character, agent: str, number: str = "") -> list[Event]:
        """Explain an act of an agent: its perception, prompt, answer and result.

        @why Eliza       her last act
        @why Eliza 123   the origin of memory 123
        @why Eliza 2026-11-21T20:35    the last question to her model before that time (UTC)
        """
        meant, say, action = find_agent(world, self._agents, agent), world.wording, None
        if not number or is_number(number):
            action = action_of(meant, int(number), say) if int(number or 0) else None
            exchange = exchange_of(meant, action)
        else:
            exchange = exchange_at(written_archive(meant), time_of(number, say).end_ms)
        return [Output(actor.character_id, why_text(why_shown(meant, exchange, action, say), say))]

    @command("@bonds", category="mind", role=Role.OBSERVER, for_agents=False)
    def bonds(self, world: World, actor: Character) -> list[Event]:
        """List who has met whom, which promises are open or kept, and who told whom what."""
        return self._late.answer(world, actor, bonds_shown(self._agents), bonds_text)

    @command("@memories <text>", category="memory", role=Role.OBSERVER, for_agents=False)
    def memories(self, world: World, actor: Character, text: str) -> list[Event]:
        """List an agent's memories, newest first, all or filtered.

        @memories Eliza lantern
        @memories Eliza kind=told who=Moss before=900
        @memories Eliza since=2026-11-20 until=2026-11-21T20:35
        @memories Eliza age=day room=weir pinned=1    the last hour, day or week
        """
        found, rest = split_target(world, self._agents, actor, text)
        pairs = [word.partition("=") for word in rest.split()]
        asked = {name: value for name, _, value in pairs if name in MEMORY_FILTERS and value}
        words = " ".join(word for word in rest.split() if word.partition("=")[0] not in asked)
        query = query_of(asked | {"words": words}, world.wording)
        return self._late.answer(world, actor, memory_page(found, query), page_text)


def thought_commands(agents: Mapping[str, Agent], publish: Publish) -> tuple[Command, ...]:
    """Return the commands that look into minds; `publish` is how an answer comes that takes a while."""
    return refusing_at_note_errors(commands_of(ThoughtCommands(agents, publish)))


def mind_command(agents: Mapping[str, Agent], publish: Publish) -> tuple[Command, ...]:
    """Return the command that shows what goes on in a mind; `publish` is how an answer comes that takes a while."""
    later = LateAnswers(publish)

    @command("@mind [<text>]", category="mind", role=Role.PLAYER, for_agents=False)
    def mind(world: World, actor: Character, text: str = "") -> list[Event]:
        """Show an agent's mind: activity, goals, errands, prompt, memory, opinions.

        @mind Eliza                    everything; observers and admins may see all agents
        @mind Eliza Robin              her knowledge and opinion of Robin
        @mind Eliza 2026-11-21T20:35   at that time (UTC), from her files
        @mind Eliza recent 2           the memories behind a sentence of a summary
        @mind Eliza longterm 1 2026-11-21T20:35    the same at that time
        """
        found, rest = split_target(world, agents, actor, text)
        if sentence := _SENTENCE.fullmatch(rest):
            return later.answer(world, actor, _lines(found, sentence, world.wording), lines_text)
        if rest[:1].isdigit():
            period = time_of(rest, world.wording)
            asked = exchange_at(written_archive(found), period.end_ms)
            return later.answer(world, actor, mind_then(found, period, asked), then_text)
        told = _person(found, rest, world.wording) if rest else _mind(found, world)
        return [Output(actor.character_id, told)]

    return refusing_at_note_errors([mind])


def _lines(agent: Agent, asked: re.Match[str], say: Wording) -> Steps:
    """Return the memories behind a sentence of a summary of now or of a time. Raises: CommandError."""
    tier, number = asked["tier"].casefold(), int(asked["number"]) - 1
    if asked["at"]:
        return (yield from lines_then(agent, time_of(asked["at"], say), tier, number, say))
    return lines_behind(agent.memory, SentencePlace(agent.memory.view(), tier, number), agent.finder, say)


def _mind(agent: Agent, world: World) -> str:
    return mind_text(agent, mind_shown(agent, world), world.wording)


def _person(agent: Agent, person: str, say: Wording) -> str:
    lines = person_lines(agent.reflection, person, say)
    if not lines:
        return say("mind.nothing_on", who=agent.name, person=person)
    return "\n".join([say("mind.person", who=agent.name, person=person), *(f"  {line}" for line in lines)])
