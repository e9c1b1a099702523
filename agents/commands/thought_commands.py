"""Commands that inspect prompts and reasons: `@why`, `@llm-log`, `@memories`, `@bonds`, `@mind`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial

from agents.agent import Agent
from agents.commands.agent_commands import find_agent, refusing_at_note_errors
from agents.commands.late_answers import AskReader, LateAnswers, Publish, ask_now
from agents.commands.memory_commands import split_target
from agents.components.people import person_lines
from agents.views.bonds import bonds_shown, bonds_text
from agents.views.memories import memory_page, page_text, query_of, time_of
from agents.views.mind import lines_then, mind_shown, mind_text, mind_then, then_text
from agents.views.tiers import SentencePlace, Steps, lines_behind, lines_text
from agents.views.why import (
    Exchange,
    action_of,
    exchange_at,
    exchange_for,
    question_shown,
    why_shown,
    written_archive,
)
from agents.views.why_text import answer_lines, choice_lines, indented, why_text
from vault.memory.archive_exchanges import Question, newest_questions
from world.command import Command, command, commands_of
from world.entities import Character, Role
from world.errors import CommandError
from world.events import Event, Output
from world.message_catalog import Wording
from world.parsing import is_number
from world.world import World

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


class ThoughtCommands:
    """The commands that look into minds and their archives."""

    def __init__(self, agents: Mapping[str, Agent], publish: Publish, ask: AskReader) -> None:
        self._agents = agents
        self._late = LateAnswers(publish, ask)

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
        archives = [(agent.name, written_archive(agent)) for agent in chosen]

        def read() -> list[str]:
            rows = ((who, question) for who, archive in archives for question in newest_questions(archive, count))
            return [_question_told(who, question, is_whole, say) for who, question in rows]

        def answer(told: list[str]) -> list[Event]:
            if words and not told:
                raise CommandError(say("thoughts.nothing_asked", who=chosen[0].name))
            one = say("thoughts.log_of_one", who=chosen[0].name, count=len(told)) if words else ""
            return [Output(actor.character_id, "\n\n".join([one or say("thoughts.log_of_all"), *told]))]

        return self._late.read(world, actor, read, answer)

    @command("@why <agent> [<number>]", category="models", role=Role.OBSERVER, for_agents=False)
    def why(self, world: World, actor: Character, agent: str, number: str = "") -> list[Event]:
        """Explain an act of an agent: its perception, prompt, answer and result.

        @why Eliza       her last act
        @why Eliza 123   the origin of memory 123
        @why Eliza 2026-11-21T20:35    the last question to her model before that time (UTC)
        """
        meant, say, action = find_agent(world, self._agents, agent), world.wording, None
        archive = written_archive(meant)
        if not number or is_number(number):
            action = action_of(meant, int(number), say) if int(number or 0) else None
            read = partial(exchange_for, archive, *((action.seq, action.day) if action else (0, "")))
        else:
            read = partial(exchange_at, archive, time_of(number, say).end_ms)

        def answer(exchange: Exchange) -> list[Event]:
            return [Output(actor.character_id, why_text(why_shown(meant, exchange, action, say), say))]

        return self._late.read(world, actor, read, answer)

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


def thought_commands(agents: Mapping[str, Agent], publish: Publish, ask: AskReader = ask_now) -> tuple[Command, ...]:
    """Return the commands that look into minds; `publish` is how an answer comes that takes a while.

    `ask` has archives read elsewhere.
    """
    return refusing_at_note_errors(commands_of(ThoughtCommands(agents, publish, ask)))


def mind_command(agents: Mapping[str, Agent], publish: Publish, ask: AskReader = ask_now) -> tuple[Command, ...]:
    """Return the command that shows what goes on in a mind, with the same arguments as `thought_commands`."""
    later = LateAnswers(publish, ask)

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
            read = partial(exchange_at, written_archive(found), period.end_ms)
            return later.read(
                world,
                actor,
                read,
                lambda asked: later.answer(world, actor, mind_then(found, period, asked), then_text),
            )
        told = _person(found, rest, world.wording) if rest else _mind(found, world)
        return [Output(actor.character_id, told)]

    return refusing_at_note_errors([mind])


def _lines(agent: Agent, asked: re.Match[str], say: Wording) -> Steps:
    """Return the memories behind a sentence of a summary of now or of a time. Raises: CommandError."""
    tier, number = asked["tier"].casefold(), int(asked["number"]) - 1
    if asked["at"]:
        return (yield from lines_then(agent, time_of(asked["at"], say), tier, number, say))
    place = SentencePlace(agent.memory.view(), tier, number)
    return (yield from lines_behind(agent.memory, place, agent.finder, say))


def _mind(agent: Agent, world: World) -> str:
    return mind_text(agent, mind_shown(agent, world), world.wording)


def _person(agent: Agent, person: str, say: Wording) -> str:
    lines = person_lines(agent.reflection, person, say)
    if not lines:
        return say("mind.nothing_on", who=agent.name, person=person)
    return "\n".join([say("mind.person", who=agent.name, person=person), *(f"  {line}" for line in lines)])
