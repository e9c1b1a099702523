"""Looking into what agents were asked and why they did what they did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agents.agent import Agent
from agents.commands.agent_commands import find_agent
from agents.commands.memory_commands import as_command_error, split_target
from agents.component import Described
from agents.components.people import person_lines
from agents.memory.inspection import journal_text
from agents.models.adapter import without_thoughts
from vault.errors import NoteError
from vault.memory.archive_exchanges import Question, newest_questions
from vault.memory.memory_line import Memory
from world.command import Command, command, commands_of
from world.entities import Character, Role
from world.errors import CommandError
from world.events import Event, Output
from world.message_catalog import Wording
from world.parsing import is_number, parse_line
from world.world import World

PROMPT_LINES = 8
LONGEST_TEXT = 2_000
MOST_PERCEIVED = 12
MOST_READ = 256
"""How far back the deed before is looked for, in memories."""

ASKED_IN_A_TURN = 2
"""A turn asks once, and once more if the first answer is not taken."""

Told = list[str]

CAUSES = ("answer", "thank", "errand", "greet", "free")
"""What the engine may have decided on; see `agents.choices.policy`."""

QUESTIONS = 3
MOST_QUESTIONS = 20
MOST_WHOLE = 3
"""How many are shown if nobody says, at most, and at most with the whole prompt of each."""

FULL = "full"


def log_text(agent: Agent, questions: list[Question], whole: bool, say: Wording) -> str:
    """Return questions with their answers and what came of them; with `whole` every prompt from its first line on."""
    return "\n\n".join("\n".join(_question_told(agent.name, one, whole, say)) for one in questions)


def explain_action(agent: Agent, say: Wording) -> str:
    """Return why an agent did what it did last: what it perceived, was told, answered and did, and what came of it.

    Raises: NoteError if its journal or archive cannot be read.
    """
    agent.memory.archive_writer.write()
    asked = newest_questions(agent.memory.archive_writer.archive, ASKED_IN_A_TURN)
    if not asked:
        return "\n".join([say("thoughts.nothing_asked", who=agent.name), *_now(agent, say)])
    last = asked[-1]
    at = _moment(last)
    lines = [say("thoughts.why", who=agent.name, at=at, reference=last.reference)]
    for part in (
        _perceived(agent, last, say),
        _told(last, say),
        _refused_first(asked, say),
        _answer(last, say),
        _now(agent, say),
    ):
        lines += ["", *part] if part else []
    return "\n".join(lines)


def _question_told(who: str, question: Question, whole: bool, say: Wording) -> Told:
    entry, prompt = question.entry, question.prompt.split("\n")
    cached = entry.get("cached_tokens", 0)
    heading = say(
        "thoughts.question" if entry.get("is_counted", True) else "thoughts.question_uncounted",
        who=who,
        at=_moment(question),
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
    has_choice = question.entry.get("verbs") or question.entry.get("menu")
    verbs = [_decided(question, say), *(_verbs(question, say) if has_choice else [])]
    return [heading, *_indented(shown), *_indented([*verbs, *_answer(question, say)])]


def _answer(question: Question, say: Wording) -> Told:
    """Return the reply, what was thought in it, the command and its reason, and what came of that."""
    reply = str(question.entry.get("reply", ""))
    said = without_thoughts(reply).strip()
    thought = reply.strip() if said != reply.strip() else ""
    lines = [say("thoughts.thinking", text=_short(thought.removesuffix(said).strip()))] if thought else []
    lines.append(say("thoughts.reply", text=_short(said)))
    if question.was_discarded:
        return [*lines, say("thoughts.dropped")]
    if question.was_suppressed:
        return [*lines, say("thoughts.silent")]
    if not question.command:
        lines.append(say("thoughts.no_command"))
    else:
        done = parse_line(question.command)
        command = f"{done.verb} {done.arguments}".strip()
        lines.append(say("thoughts.did", command=command))
        reason = say("thoughts.no_reason")
        if done.reason:
            reason = say("thoughts.reason", text=done.reason)
        lines.append(reason)
    key = "thoughts.refused" if question.is_refused else "thoughts.result"
    return lines + [say(key, text=_short(result)) for result in question.results]


def _perceived(agent: Agent, question: Question, say: Wording) -> Told:
    found = agent.memory.journal.read(question.newest - MOST_READ, question.newest)
    since = _since_the_deed_before(found)
    if not since:
        return [say("thoughts.perceived_nothing")]
    shown = since[-MOST_PERCEIVED:]
    lines = _indented(journal_text(one, say) for one in shown)
    left_out = len(since) - len(shown)
    more = [f"  {say('thoughts.and_more', count=left_out, who=agent.name)}"] if left_out else []
    return [say("thoughts.perceived"), *more, *lines]


def _since_the_deed_before(memories: list[Memory]) -> list[Memory]:
    deeds = [place for place, one in enumerate(memories) if one.kind == "acted"]
    return memories[deeds[-1] + 1 :] if deeds else memories


def _told(question: Question, say: Wording) -> Told:
    lines: Told = []
    if text := question.told("facts"):
        lines += [say("thoughts.facts"), *_indented(text.split("\n"))]
    if known := [
        text for key in ("known", "recollected", "errand", "bonds", "insights") if (text := question.told(key))
    ]:
        lines += [say("thoughts.known"), *_indented("\n".join(known).split("\n"))]
    if notice := question.told("notice"):
        lines.append(say("thoughts.notice", text=notice))
    return [*lines, _decided(question, say), *_verbs(question, say)]


def _decided(question: Question, say: Wording) -> str:
    """Return why the engine asked the model."""
    cause = question.entry.get("cause", "free")
    return say(f"thoughts.cause_{cause if cause in CAUSES else 'free'}")


def _verbs(question: Question, say: Wording) -> Told:
    """Return what the model could choose from; nothing where it was asked for words alone."""
    if choices := question.entry.get("verbs") or question.entry.get("menu"):
        return [say("thoughts.verbs", verbs=", ".join(choices))]
    return [say("thoughts.any_verb")] if question.entry.get("cause", "free") == "free" else []


def _refused_first(asked: list[Question], say: Wording) -> Told:
    """Return what the model would have done at first, if that was not taken: asked again with the same memories."""
    first, last = asked[0], asked[-1]
    if first is last or not first.was_discarded or first.after or first.seq != last.seq:
        return []
    return [say("thoughts.asked_twice", text=_short(without_thoughts(str(first.entry.get("reply", ""))).strip()))]


def _now(agent: Agent, say: Wording) -> Told:
    turn = agent.last_turn
    if agent.queue and agent.queue.stage(agent.name) and not agent.why_still:
        return [say("thoughts.thinks")]
    return [say("thoughts.now", outcome=turn.outcome, why=turn.why).rstrip()] if turn.outcome != "acted" else []


def _moment(question: Question) -> str:
    return str(question.entry.get("at", ""))[:19].replace("T", " ")


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]} ..."


def _indented(lines: Iterable[str]) -> Told:
    return [f"  {line}".rstrip() for line in lines]


class ThoughtCommands:
    """The commands that read the archives of agents."""

    def __init__(self, agents: Mapping[str, Agent]) -> None:
        self._agents = agents

    @command("@llm-log [<text>]", category="models", role=Role.OBSERVER, for_agents=False)
    def llm_log(self, world: World, actor: Character, text: str = "") -> list[Event]:
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
        chosen = [find_agent(world, self._agents, " ".join(words))] if words else list(self._agents.values())
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
        return [Output(actor.character_id, "\n\n".join([heading, *told]))]

    @command("@why <agent>", category="models", role=Role.OBSERVER, for_agents=False)
    def why(self, world: World, actor: Character, agent: str) -> list[Event]:
        """Tell why an agent did what it did last: what it perceived, what it was told, its answer, what came of it."""
        meant = find_agent(world, self._agents, agent)
        try:
            return [Output(actor.character_id, explain_action(meant, world.wording))]
        except NoteError as error:
            raise CommandError(str(error)) from error


def thought_commands(agents: Mapping[str, Agent]) -> tuple[Command, ...]:
    """Return the commands that read the archives of agents."""
    return commands_of(ThoughtCommands(agents))


def _asked(agent: Agent, count: int) -> list[Question]:
    agent.memory.archive_writer.write()
    return newest_questions(agent.memory.archive_writer.archive, count)


def mind_command(agents: Mapping[str, Agent]) -> tuple[Command, ...]:
    """Return the command that shows what the components of a mind hold."""

    @command("@mind [<text>]", category="mind", role=Role.PLAYER, for_agents=False)
    def mind(world: World, actor: Character, text: str = "") -> list[Event]:
        """Show an agent's errands and opinions, whom it knows, and when it last looked back.

        @mind Eliza         all of it; another's is for observers and admins
        @mind Eliza Robin   what she knows and thinks of Robin
        """
        found, person = split_target(world, agents, actor, text)
        told = as_command_error(
            lambda: _person(found, person, world.wording) if person else _mind(found, world.wording)
        )
        return [Output(actor.character_id, told)]

    return (mind,)


def _mind(agent: Agent, say: Wording) -> str:
    parts = [one.describe(say) for one in agent.mind.components if isinstance(one, Described)]
    return "\n".join([say("mind.of", who=agent.name), *(line for part in parts for line in part)])


def _person(agent: Agent, person: str, say: Wording) -> str:
    lines = person_lines(agent.reflection, person, say)
    if not lines:
        return say("mind.nothing_on", who=agent.name, person=person)
    return "\n".join([say("mind.person", who=agent.name, person=person), *(f"  {line}" for line in lines)])
