"""The occasion of an agent's turn: its situation, what is on offer, and who will hear what it says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from agents.attending.conversation import Conversation
from agents.attending.perception import Address
from agents.attending.privacy import Withholding
from agents.choices.policy import Decision
from agents.choices.possible import Situation
from agents.components.errands import Errands, Step
from agents.components.visitors import Visitors
from agents.offer import Act, Occasion
from agents.prompts.prompt import Prompt
from agents.reflection.reflection import Reflection
from agents.repetition.guard import RepetitionGuard
from agents.turn.asking import Question
from agents.turn.offers import Offers
from agents.turn.promises import Promises
from agents.turn.reading_ahead import Reader
from config.settings import AgentSettings
from vault.entities.agent_notes import AgentNote
from vault.memory.promises_note import Promise
from world.entities import Character, Thing
from world.game import CommandResult, Game
from world.parsing import is_named

SPEECHES = 12
"""Number of the newest speeches in which rooms are looked for."""

SPOKEN = frozenset({"said", "whispered", "told", "shouted"})


class HasOffers(Protocol):
    """What the occasions need of a mind; see `agents.mind.Mind`."""

    errands: Errands

    def offers(self, now: Occasion) -> list[Act]: ...


class Acting(Reader, Protocol):
    """What a turn needs of the agent whose it is, beside what reading ahead does; see `agents.agent.Agent`."""

    note: AgentNote
    settings: AgentSettings
    conversation: Conversation
    visitors: Visitors
    reflection: Reflection
    promises: Promises
    withhold: Withholding
    on_thinking: Callable[[], None]

    @property
    def mind(self) -> HasOffers: ...

    def prompt(self, question: Question | None = None) -> Prompt: ...
    def promise_to(self, other: Character) -> Promise | None: ...
    def count_tokens(self, text: str) -> int: ...
    def next_step(self) -> Step | None: ...
    def perform(self, line: str, cause: str = "", event: str = "") -> CommandResult: ...


class Occasions:
    """Tells the occasions of one agent's turns."""

    def __init__(self, agent: Acting, game: Game, conduct: RepetitionGuard) -> None:
        self._agent = agent
        self._game = game
        self._conduct = conduct
        people = agent.reflection.people
        self._offers = Offers(agent.conversation, agent.visitors, people, agent.promises, self._needs, game.tell)

    def situation(self, held: str) -> Situation:
        """Return the situation of the agent, as the policy sees it; `held` is what its model's answers are held to."""
        agent, world, actor = self._agent, self._game.world, self._agent.character
        finds_words = held == "grammar" and agent.queue is not None and agent.queue.speaks
        manners, address = agent.conversation.manners(), agent.awareness.owed.address
        now = self._conduct.situation(world, actor, address, manners, agent.next_step(), finds_words)
        due = ((one, promise) for one in now.company if (promise := agent.promise_to(one)))
        target, promise = next(due, (None, None))
        return replace(now, delivers_to=target, delivers_privately=bool(promise and promise.parties))

    def acts(self, decision: Decision, address: Address, heard: str, refused: str = "") -> tuple[Act, ...]:
        """Return what is on offer beside the words that answer `heard`; `refused` is on offer no more."""
        agent, world, partner = self._agent, self._game.world, decision.partner
        if decision.kind != "speech" or partner is None:
            return ()
        now, tail = self.situation("none"), agent.memory.view().tail
        is_gift = bool(heard) and (address.is_gift or address.with_gift)
        occasion = Occasion(
            world,
            agent.character,
            partner,
            heard,
            agent.memory.journal.last,
            decision.is_private,
            is_named=not heard or address.channel != "say" or is_named(agent.name, heard),
            spoken=tuple(one.text for one in tail if one.event in SPOKEN and not one.parties)[-SPEECHES:],
            gift=now.gifts[-1] if is_gift and now.gifts else "",
            keeps=frozenset(one.strip() for one in agent.settings.keeps.split(",") if one.strip()),
            company=now.company,
            words_here=now.manners.words_here,
            called=lambda name: agent.reflection.people.names_of(name)[0],
        )
        acts = self._offers.acts(occasion, agent.mind.offers(occasion))
        return tuple(one for one in acts if one.label != refused)

    def hearers(self, decision: Decision) -> frozenset[str]:
        """Return the names of all who would hear what the agent says now."""
        if decision.is_private:
            return frozenset(filter(None, [decision.opening().partition(" ")[2]]))
        here = self._game.world.occupants(self._agent.character.room_id)
        return frozenset(one.name for one in here if one.name != self._agent.name)

    def _needs(self) -> list[str]:
        """Return the names of the things that the agent's errands need."""
        todo = [one for one in self._agent.mind.errands.steps if not one.is_done]
        carried = self._game.world.things_at(self._agent.character.character_id)
        named = [one.name for one in carried for step in todo if _is_in(one, step.do)]
        return [*named, *(one.thing[0] for one in todo if one.thing)]


def _is_in(thing: Thing, line: str) -> bool:
    """Return whether a line names a thing."""
    return any(is_named(name, line) for name in (thing.name, *thing.aliases))
