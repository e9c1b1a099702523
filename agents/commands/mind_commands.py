"""Commands of a mind: dreams, recollections and goals."""

from __future__ import annotations

import asyncio
import logging
import random
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from agents.agent import Agent
from agents.commands.late_answers import Publish
from agents.commands.memory_commands import search_memories
from agents.escaping import filled, load_template
from agents.models.model import ModelError, Request
from agents.models.queue import ModelQueue, complete_text
from agents.models.scheduler import Priority
from vault.markdown import one_line
from vault.vault import Vault
from world.command import command
from world.entities import Character, Role
from world.errors import CommandError
from world.events import Event, Output, Recalled, SystemMessage
from world.parsing import collapse_whitespace, is_number
from world.room_view import render_room
from world.sanitize import clean_line
from world.world import World

log = logging.getLogger(__name__)

TEMPLATE = ("templates", "dream.md")
SLOTS = ("name", "past")
MAX_DREAM_TOKENS = 120
MAX_DREAM_CHARACTERS = 600
"""Maximum length of a dream, in characters; it ends with a sentence if it can."""
PAST_SHARE = 2
"""One part in so many of what the model can read is for the past; the oldest of it is left out first."""
TEMPERATURE = 1.1

_SENTENCES = re.compile(r".*[.!?…][\"'”’)]?", re.DOTALL)

OnLine = Callable[[str], None]

MAX_DREAM_MEMORIES = 40
"""Number of an agent's newest memories that a dream is made from."""

MAX_GOAL_CHARACTERS = 200
MAX_GOALS = 20
MAX_RECALLED = 8
MAX_RECALL_WORDS = 32


class Dreamer:
    """Dreams for everyone, one dream at a time for each. `queue` returns the queue of the model, if there is one."""

    def __init__(
        self, vault: Vault, queue: Callable[[], ModelQueue | None], rng: random.Random, timeout_seconds: float
    ) -> None:
        self._vault = vault
        self._queue = queue
        self._rng = rng
        self._timeout_seconds = timeout_seconds
        self._tasks: dict[str, asyncio.Task[None]] = {}

    @property
    def can_dream(self) -> bool:
        """True if there is a model to dream with."""
        return self._queue() is not None

    def is_dreaming(self, name: str) -> bool:
        """Return whether somebody's dream is not told yet."""
        return name in self._tasks

    def dream(self, name: str, past: str, told: OnLine) -> None:
        """Begin a dream of somebody's past; `told` is given its text later, an empty one if nothing came of it.

        Raises: NoteError if the template cannot be read.
        """
        queue = self._queue()
        if queue is None or self.is_dreaming(name):
            return
        template = load_template(self._vault, TEMPLATE, SLOTS)
        task = asyncio.create_task(self._run_dream(queue, name, template, past, told))
        self._tasks[name] = task
        task.add_done_callback(lambda done: self._tasks.pop(name))

    async def _run_dream(self, queue: ModelQueue, name: str, template: str, past: str, told: OnLine) -> None:
        try:
            make = partial(self._request, queue, name, template, past)
            answer = await complete_text(queue, name, Priority.OTHER, make)
        except ModelError as error:
            log.info("%s dreams nothing: %s", name, error)
            told("")
            return
        if answer.finish != "cancelled":
            told(dream_text(answer.text))

    def _request(self, queue: ModelQueue, name: str, template: str, past: str) -> Request:
        lines = past.split("\n")
        most = queue.model.context_tokens // PAST_SHARE
        while len(lines) > 1 and queue.model.count_tokens("\n".join(lines)) > most:
            del lines[: max(1, len(lines) // 8)]
        return Request(
            filled(template, {"name": name, "past": "\n".join(lines)}),
            max_tokens=MAX_DREAM_TOKENS,
            stop=("\n\n", f"\n~{name}>"),
            temperature=TEMPERATURE,
            seed=self._rng.getrandbits(31),
            timeout_seconds=self._timeout_seconds,
        )


def dream_text(text: str) -> str:
    """Return the answer of a model as a dream: one line, whole sentences if there are any."""
    line = collapse_whitespace(clean_line(text)).strip('"“” ')[:MAX_DREAM_CHARACTERS]
    whole = _SENTENCES.match(line)
    return whole[0] if whole else line


class MindCommands:
    """The commands of a mind: dreams, recollections and goals."""

    def __init__(self, agents: Mapping[str, Agent], dreamer: Dreamer, publish: Publish) -> None:
        self._agents = agents
        self._dreamer = dreamer
        self._publish = publish

    @command("dream", category="mind", role=Role.PLAYER, for_agents=False)
    def dream(self, world: World, actor: Character) -> list[Event]:
        """Dream of what has happened to you; the dream is told to you when it is over, and nothing in it is a fact."""
        if not self._dreamer.can_dream:
            raise CommandError(world.wording("mind.no_dreamer"))
        if self._dreamer.is_dreaming(actor.name):
            raise CommandError(world.wording("mind.dreaming_already"))
        past = _past(world, actor, self._agents)
        self._dreamer.dream(actor.name, past, lambda text: self._publish((_dream_event(world, actor, text),)))
        return [Output(actor.character_id, world.wording("mind.dream_begins"))]

    @command("recall <memory>", "remember", category="mind", role=Role.PLAYER)
    def recall(self, world: World, actor: Character, memory: str) -> list[Event]:
        """Think back to something, however long ago it was: `recall brass lantern`."""
        agent = self._agents.get(actor.name)
        return (
            search_memories(world, actor, agent, memory, self._publish)
            if agent
            else _search_heard(world, actor, memory)
        )

    @command(
        "goal <text>",
        category="mind",
        role=Role.PLAYER,
        also=("goal done <number>",),
    )
    def goal(self, world: World, actor: Character, text: str = "", number: str = "") -> list[Event]:
        """Set yourself a goal, to be kept in mind until it is done.

        goal Find the lost page.
        goal done 2              by its number in `goals`
        """
        agent = _agent(world, actor, self._agents)
        if is_number(number):
            done = _goal_of_number(world, agent, int(number))
            agent.facts.end_goal(done, world.wording)
            return [Output(actor.character_id, world.wording("mind.goal_done", goal=done))]
        wanted = collapse_whitespace(clean_line(text or f"done {number}"))
        _check_goal(world, agent, wanted)
        agent.facts.add_goal(wanted, world.wording)
        return [Output(actor.character_id, world.wording("mind.goal_set", goal=wanted))]

    @command("goals", category="mind", role=Role.PLAYER, for_agents=False)
    def goals(self, world: World, actor: Character) -> list[Event]:
        """List your goals: those of your profile, and those that you have set yourself."""
        agent = _agent(world, actor, self._agents)
        agent.facts.take_in()
        lines = [
            world.wording("mind.profile_goal" if one in agent.facts.profile_goals else "mind.goal", number=at, goal=one)
            for at, one in enumerate(agent.facts.goals, 1)
        ]
        text = "\n".join([world.wording("mind.goals"), *lines]) if lines else world.wording("mind.no_goals")
        return [Recalled(actor.character_id, text, world.wording("mind.you_list_goals"))]


def _past(world: World, actor: Character, agents: Mapping[str, Agent]) -> str:
    """Return what a dream is made of: an agent's newest memories, or what a person has around it."""
    agent = agents.get(actor.name)
    if agent is None:
        return render_room(world, actor)
    return "\n".join(agent.memory.view().tail_text().split("\n")[-MAX_DREAM_MEMORIES:])


def _dream_event(world: World, actor: Character, text: str) -> Event:
    key = "mind.dreamt" if text else "mind.dreamless"
    return SystemMessage(actor.character_id, world.wording(key, text=text))


def _search_heard(world: World, actor: Character, wanted: str) -> list[Event]:
    """Return what was said in a person's hearing with all of these words. Raises: CommandError if nothing was."""
    found = lines_with(wanted, actor.transient.speech_history)
    if not found:
        raise CommandError(world.wording("mind.nothing_recalled", wanted=wanted))
    return [Output(actor.character_id, "\n".join(found[-MAX_RECALLED:]))]


def lines_with(wanted: str, lines: Iterable[str]) -> list[str]:
    """Return the lines that have all of these words, of which the first MAX_RECALL_WORDS count."""
    words = list(dict.fromkeys(wanted.casefold().split()))[:MAX_RECALL_WORDS]
    return [line for line, text in ((line, line.casefold()) for line in lines) if all(word in text for word in words)]


def _agent(world: World, actor: Character, agents: Mapping[str, Agent]) -> Agent:
    agent = agents.get(actor.name)
    if agent is None:
        raise CommandError(world.wording("mind.goals_of_agents"))
    return agent


def _goal_of_number(world: World, agent: Agent, number: int) -> str:
    agent.facts.take_in()
    found = agent.facts.goals
    if not 1 <= number <= len(found):
        raise CommandError(world.wording("mind.no_such_goal", number=number, count=len(found)))
    if found[number - 1] in agent.facts.profile_goals:
        raise CommandError(world.wording("mind.goal_of_profile", number=number))
    return found[number - 1]


def _check_goal(world: World, agent: Agent, wanted: str) -> None:
    known = {one_line(goal).casefold() for goal in agent.facts.goals}
    if len(wanted) > MAX_GOAL_CHARACTERS:
        raise CommandError(world.wording("mind.long_goal", most=MAX_GOAL_CHARACTERS))
    if wanted.casefold() in known:
        raise CommandError(world.wording("mind.goal_already", goal=wanted))
    if len(known) >= MAX_GOALS:
        raise CommandError(world.wording("mind.too_many_goals", count=len(known)))
