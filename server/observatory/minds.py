"""The views of single minds: now, why, memories, sentences and their lines, prompts."""

from __future__ import annotations

from collections.abc import Mapping

from twisted.internet.defer import Deferred

from agents.agent import Agent
from agents.commands.agent_commands import find_agent
from agents.views.bonds import bonds_shown, bonds_text
from agents.views.memories import memory_page, page_text, query_of, time_of
from agents.views.mind import lines_then, mind_shown, mind_text, mind_then, sentences_then, then_text
from agents.views.tiers import SentencePlace, lines_behind, lines_text, run_to_end, sentences_for
from agents.views.why import (
    Exchange,
    action_of,
    exchange_at,
    exchange_for,
    prompt_page,
    why_shown,
    written_archive,
)
from agents.views.why_text import why_text
from server.bridge import deferred_from
from server.clock import InThread
from server.observatory.views import Asked, Scope, Shown, View, now_only
from vault.memory.memory_line import Memory
from world.errors import CommandError
from world.game import Game
from world.message_catalog import Wording
from world.parsing import is_number


class MindViews:
    """Makes them. `in_thread` is for reading an archive, which may be long."""

    def __init__(self, game: Game, agents: Mapping[str, Agent], in_thread: InThread) -> None:
        self._game = game
        self._agents = agents
        self._in_thread = in_thread

    @property
    def views(self) -> tuple[View, ...]:
        """All views of minds."""
        return (
            View("mind", self._mind, self._mind_text, self._seen, True, self._mind_stamp),
            View("why", self._why, why_text),
            View("prompt", self._prompt, lambda shown, say: str(shown["text"])),
            View("memory", self._memories, page_text),
            View("lines", self._lines, lines_text),
            View("sentences", self._sentences, lambda shown, say: str(shown["memory"]["text"])),
            View("bonds", lambda asked: deferred_from(run_to_end(bonds_shown(self._agents))), bonds_text),
        )

    def _mind(self, asked: Asked) -> Shown | Deferred[Shown]:
        agent = self._agent(asked)
        return self._then(agent, asked["at"]) if asked.get("at") else mind_shown(agent, self._game.world)

    def _then(self, agent: Agent, at: str) -> Deferred[Shown]:
        """Return a mind as it was at a time."""
        period = time_of(at, self._game.world.wording)
        found = self._in_thread(exchange_at, written_archive(agent), period.end_ms)
        return found.addCallback(lambda exchange: deferred_from(run_to_end(mind_then(agent, period, exchange))))

    def _mind_stamp(self, asked: Asked) -> object:
        """Return a stamp that changes when a mind has perceived, acted, thought, summarised, pinned or moved."""
        agent = self._agent(asked)
        if asked.get("at"):
            return asked["at"]
        stage = agent.queue.stage(agent.name) if agent.queue else None
        memory, record = agent.memory, agent.compactor.stats
        told = [memory.coverage, agent.facts.pins, agent.facts.goals, agent.mind.errands.steps, agent.why_still]
        company = len(self._game.world.occupants(agent.character.room_id)), agent.character.room_id
        return stage, id(agent.last_turn), id(agent.asked), record.state, record.cycles, company, told

    def _mind_text(self, shown: Shown, say: Wording) -> str:
        if shown.get("is_window"):
            return "\n".join([say("observatory.seen_here", who=shown["agent"]), *shown["words"]])
        if "then" in shown:
            return then_text(shown, say)
        return mind_text(self._agent({"agent": shown["agent"]}), shown, say)

    def _seen(self, asked: Asked, scope: Scope) -> Shown:
        """Return an agent as somebody in its room sees it. Raises: CommandError if it is not there."""
        world, agent = self._game.world, self._agent(asked)
        now_only(asked, "mind", world.wording)
        one = agent.character
        if one.room_id != scope.room_id or not one.awake:
            raise CommandError(world.wording("observatory.not_here", who=agent.name))
        stage = agent.queue.stage(agent.name) if agent.queue and not agent.why_still else None
        words = [one.description or world.wording("looking.somebody", who=one.name)]
        return {"agent": agent.name, "is_window": True, "thinks": stage == "running", "words": words}

    def _why(self, asked: Asked) -> Deferred[Shown]:
        agent, action, found = self._exchange(asked)
        return found.addCallback(lambda exchange: why_shown(agent, exchange, action, self._game.world.wording))

    def _prompt(self, asked: Asked) -> Deferred[Shown]:
        _, _, found = self._exchange(asked)
        start = _number(asked, "from", self._game.world.wording)
        return found.addCallback(lambda exchange: self._page(exchange, start))

    def _page(self, exchange: Exchange, start: int) -> Shown:
        if exchange.question is None:
            raise CommandError(self._game.world.wording("observatory.no_prompt"))
        return prompt_page(exchange.question, start)

    def _exchange(self, asked: Asked) -> tuple[Agent, Memory | None, Deferred[Exchange]]:
        """Return whom it is about, the action, None for the last question, and what was asked before it."""
        agent, say = self._agent(asked), self._game.world.wording
        seq = _number(asked, "seq", say)
        if not seq and asked.get("at"):
            end_ms = time_of(asked["at"], say).end_ms
            return agent, None, self._in_thread(exchange_at, written_archive(agent), end_ms)
        action = action_of(agent, seq, say) if seq else None
        seq, day = (action.seq, action.day) if action else (0, "")
        return agent, action, self._in_thread(exchange_for, written_archive(agent), seq, day)

    def _memories(self, asked: Asked) -> Deferred[Shown]:
        query = query_of(asked, self._game.world.wording)
        return deferred_from(run_to_end(memory_page(self._agent(asked), query)))

    def _lines(self, asked: Asked) -> Deferred[Shown]:
        agent, say, tier = self._agent(asked), self._game.world.wording, asked.get("tier", "")
        number = _number(asked, "sentence", say)
        if asked.get("at"):
            return deferred_from(run_to_end(lines_then(agent, time_of(asked["at"], say), tier, number, say)))
        place = SentencePlace(agent.memory.view(), tier, number)
        return deferred_from(run_to_end(lines_behind(agent.memory, place, agent.finder, say)))

    def _sentences(self, asked: Asked) -> Shown | Deferred[Shown]:
        agent, say = self._agent(asked), self._game.world.wording
        seq = _number(asked, "seq", say)
        if asked.get("at"):
            return deferred_from(run_to_end(sentences_then(agent, time_of(asked["at"], say), seq, say)))
        return sentences_for(agent.memory, agent.memory.view(), seq, say)

    def _agent(self, asked: Asked) -> Agent:
        return find_agent(self._game.world, self._agents, asked.get("agent", ""))


def _number(asked: Asked, key: str, say: Wording) -> int:
    given = asked.get(key, "") or "0"
    if not is_number(given):
        raise CommandError(say("memory.no_number", wanted=given))
    return int(given)
