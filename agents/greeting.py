"""How an agent greets without a model: who is new, who comes back, and for whom it has a message."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

from agents.components.asked import told_again
from agents.components.messages import Messages
from agents.memory.facts.extraction import utterance_in
from agents.reflection.speech_facts import NAME
from agents.speaker import Speaker, finds_few_words, is_tiny
from vault.memory.bullet_note import Statement
from world.entities import Character, Role
from world.game import Game
from world.parsing import renaming

AWAY_MS = 900_000
"""Milliseconds without a word of somebody after which they are greeted as one who comes back."""


class Greeting:
    """Finds how one agent greets, by what it knows of who comes."""

    def __init__(self, agent: Speaker, game: Game, rng: random.Random) -> None:
        self._agent = agent
        self._game = game
        self._rng = rng

    def greeting(self, partner: Character, has_posed: bool) -> str:
        """Return the greeting of somebody where the model would do it badly; or empty.

        Somebody for whom the agent has a message gets that. Another agent gets a greeting of the agent's own that it
        has not used lately. A person who comes back after a while hears what they have said of themselves. One who
        `has_posed`, as in "sits down and sighs", is asked what it is.
        """
        people, say = self._agent.reflection.people, self._game.world.wording
        if message := self.messages.told_to(partner):
            return f"{self.name_of(partner.character_id) or say('talk.hello')}! {message}"
        if not finds_few_words(self._agent.queue) or (is_tiny(self._agent.queue) and partner.is_agent):
            return ""
        if partner.is_agent:
            hello = self._own_hello()
            return f"{partner.name}! {hello}" if hello else ""
        called = self.name_of(partner.character_id)
        if not has_posed and (told := self._welcome_back(partner, called)):
            return told
        if people.facts(partner.name) and not is_tiny(self._agent.queue):
            return ""
        stock = say("talk.asks_after" if has_posed else "talk.greets")
        hello = ("" if has_posed else self._own_hello()) or self._rng.choice(stock.split("; "))
        return f"{called}! {hello}" if called else f"{hello} {say('talk.asks_called')}"

    def to_presented(self, name: str) -> str:
        """Return the greeting of one whom somebody else presents to the agent by a name."""
        return f"{name}! {self._own_hello() or self._game.world.wording('talk.hello')}"

    def _welcome_back(self, partner: Character, called: str) -> str:
        """Return the greeting of somebody who has been away and of whom something is known; else empty."""
        known, memory = self._agent.reflection.people.facts(partner.name), self._agent.memory
        tail = memory.view().tail
        if not (known and called and tail):
            return ""
        by_partner = (one for one in reversed(tail) if one.people[:1] == (partner.name,))
        last = next((one for one in by_partner if utterance_in(one, memory.reading)), tail[0])
        if tail[-1].at_ms - last.at_ms < AWAY_MS:
            return ""
        told = [one.words for one in said_aloud(known) if not one.by_hand][-1:]
        said = told_again(told[0], self._agent.character, self._game.world) if told else self._own_hello()
        return f"{self._game.world.wording('talk.is_back', who=called)} {said}".strip()

    @property
    def messages(self) -> Messages:
        """The messages that the agent has for others."""
        memory = self._agent.memory
        return Messages(memory.view(), self._game.world, memory.reading, self._agent.reflection.people.names_of)

    def with_told_names(self, words: str) -> str:
        """Return words with the names that guests have told in place of those that everybody sees."""
        return renaming(self._agent.reflection.people.names_of_guests())(words)

    def name_of(self, who: str) -> str:
        """Return by what name somebody is called: one that they have told, or their own unless it is a guest's."""
        character = self._game.world.characters.get(who)
        own = character.name if character and character.role is not Role.GUEST else ""
        return self._agent.reflection.people.called(who) or own

    def _own_hello(self) -> str:
        """Return a greeting of the agent's examples that was not said in the tail; empty without such."""
        hello, tail = self._game.world.wording("talk.hello"), self._agent.memory.view().tail
        return self._agent.mind.voice.answer_to(hello, tail, is_asked=False)


def said_aloud(facts: Iterable[Statement]) -> Iterator[Statement]:
    """Yield the facts that people have told of themselves, not in a whisper; names aside."""
    return (one for one in facts if one.label != NAME and not one.tags)
