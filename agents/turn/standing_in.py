"""The author's lines: what an agent says when no model can speak for it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol

from agents.attending.conversation import Conversation
from agents.attending.perception import Address, is_overheard
from agents.attending.privacy import Withholding
from agents.choices.policy import Decision
from agents.memory.memory import AgentMemory
from agents.memory.speech import speech_in
from agents.reflection.reflection import Reflection
from agents.turn.lines import AuthorsLines, Choice, Told
from agents.turn.promises import Promises
from agents.turn.word_rarity import WordRarity
from vault.entities.agent_notes import AgentNote
from vault.entities.lines_note import Heading
from vault.memory.memory_line import Memory
from vault.memory.promises_note import Promise
from world.entities import Character
from world.game import Game
from world.parsing import parse_line, split_reason

SAID_LATELY = 24
"""Number of own speeches of which none is said again."""


NO_CHOICE = Choice("", "lost")


class Standing(Protocol):
    """What the stand-in needs of the agent; see `agents.agent.Agent`."""

    note: AgentNote
    memory: AgentMemory
    conversation: Conversation
    reflection: Reflection
    promises: Promises
    withhold: Withholding

    @property
    def name(self) -> str: ...
    @property
    def character(self) -> Character: ...
    def promise_to(self, other: Character) -> Promise | None: ...


class StandIn:
    """Chooses the line of the author's that an agent says in a turn, and archives the choice with its candidates."""

    def __init__(self, agent: Standing, game: Game, rng: random.Random, rarity: WordRarity | None) -> None:
        self._agent = agent
        self._game = game
        self._rng = rng
        self._lines = AuthorsLines(agent.name, lambda: agent.note.lines, lambda: game.world, rarity)

    def line_for(self, decision: Decision, address: Address) -> str:
        """Return the line that is done in a speech turn; empty if the author has written none for it."""
        choice = self._choice(decision, address)
        if not choice.words:
            return ""
        memory = self._agent.memory
        memory.archive_writer.add(
            "authors_line",
            memory.journal.last,
            words=choice.words,
            origin=choice.origin,
            cause=decision.cause,
            candidates=[list(one) for one in choice.candidates],
        )
        return decision.line_of(choice.words)

    def parting(self, line: str) -> str:
        """Return how the agent takes leave before it goes away with a line; empty if it talks with nobody."""
        manners = self._agent.conversation.manners()
        here = self._game.world.occupants(self._agent.character.room_id)
        talked = [one for one in here if one.character_id in manners.spoken_to and not one.is_agent]
        if (
            parse_line(line).verb != "go"
            or not talked
            or not manners.words_here
            or talked[0].character_id in manners.parted
        ):
            return ""
        words = self._lines.of(Heading.PARTING, self._said_lately(), self._rng).words
        return f"say {words}".replace("|", "\\|") if words else ""

    def _choice(self, decision: Decision, address: Address) -> Choice:
        partner, lately = decision.partner, self._said_lately()
        if decision.cause == "deliver" and partner:
            names_of = self._agent.reflection.people.names_of
            promise = self._agent.promise_to(partner)
            say = self._game.world.wording
            words = self._agent.promises.sentence(promise, say, lambda name: names_of(name)[0]) if promise else ""
            return Choice(words, "told")
        if decision.cause != "answer":
            heading = Heading.ON_MEETING if decision.cause == "greet" else Heading.UNASKED
            return self._lines.of(heading, lately, self._rng)
        if not address.text:
            return self._lines.of(Heading.FOR_A_GIFT, lately, self._rng)
        speaker = partner or self._game.world.characters.get(address.by_id)
        if speaker is None:
            return NO_CHOICE
        is_heard = is_overheard(address, self._game.world, self._agent.character)
        return self._lines.answer(address.text, speaker, self._told_by(speaker, address), lately, is_heard, self._rng)

    def _said_lately(self) -> list[str]:
        """Return what the agent has said lately, oldest first."""
        return own_words(self._agent.memory.view().tail)[-SAID_LATELY:]

    def _told_by(self, speaker: Character, address: Address) -> list[Told]:
        """Return what somebody has said to or before the agent, without the words that are answered."""
        tail, memory_of = self._agent.memory.view().tail, self._agent.memory
        found, asked, reading = list[Told](), address.text.split("\n"), memory_of.reading
        for memory in memory_of.journal.read(tail[0].seq, tail[-1].seq) if tail else ():
            if memory.people[:1] != (speaker.name,) or memory.kind == "acted":
                continue
            spoken = speech_in(memory, self._agent.name, reading)
            if spoken and spoken.words not in asked:
                found.append(Told(spoken.words, memory.seq, bool(spoken.parties)))
        return found


def own_words(tail: Sequence[Memory]) -> list[str]:
    """Return what the agent has said aloud, oldest first."""
    said = (parse_line(split_reason(one.text)[0]) for one in tail if one.kind == "acted")
    return [one.arguments for one in said if one.verb == "say"]
