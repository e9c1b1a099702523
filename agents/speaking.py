"""What an agent says: its model's words held against what it knows, and what is said where they will not do."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from typing import Protocol

from agents.asking import Question, is_small
from agents.attending.conversation import is_farewell, is_question
from agents.attending.floor import Awareness
from agents.attending.perception import Address
from agents.attending.questions import (
    answer_type,
    asking_part,
    asking_parts,
    asks_of_self,
    asks_once_more,
    asks_what_was_done,
    goes_back,
    subject_of,
    wants_more_than_yes,
)
from agents.choices.possible import asked_for
from agents.components.asked import Person, answers, asks_again, surely_known
from agents.components.earlier import remembered
from agents.components.voice import ASKED_SUBJECT, SURE, VERY_SURE, Voice
from agents.memory.facts.extraction import Utterance, utterance_in
from agents.memory.facts.speech_acts import sentences
from agents.memory.memory import AgentMemory
from agents.models.queue import ModelQueue
from agents.prompts.talk import spoken_words
from agents.reflection.reflection import Reflection
from agents.reflection.speech_facts import NAME, answered_name, heard_facts, key_words, told_name
from agents.repetition.guard import RepetitionGuard
from agents.repetition.loop_detector import is_similar, shingles
from agents.replies.reading_check import reading_fault
from agents.replies.reply import Reply
from agents.replies.speech_check import TOLD, Fault, Heard, fault_in, takes_leave
from world.entities import Character, Role
from world.game import Game
from world.parsing import has_phrase, parse_line

TINY_BILLION = 0.6
"""A base model of fewer parameters says nothing to the point; what the world can answer it is not asked."""

MAX_ANSWERS = 2
NARRATION_LINES, TOLD_LINES = 12, 60
"""Among so many of the newest memories is what a model may say back as if it were speech, and what a person said of
themselves that it may take for its own."""


class Manner(Protocol):
    """What is needed of the mind of the agent that speaks: how it talks."""

    voice: Voice


class Speaker(Protocol):
    """What is needed of the agent that speaks; see `agents.agent.Agent`."""

    queue: ModelQueue | None
    memory: AgentMemory
    awareness: Awareness
    reflection: Reflection

    @property
    def name(self) -> str: ...
    @property
    def character(self) -> Character: ...
    @property
    def mind(self) -> Manner: ...

    def answers_to(self, address: Address) -> list[str]: ...
    def recalls_for(self, address: Address, is_sure: bool) -> list[str]: ...
    def thanks_for(self, address: Address) -> str: ...
    def secrets_from(self, partner: Character) -> list[Utterance]: ...


@dataclass(frozen=True)
class _Recalled:
    """What somebody who spoke asks to be told again, as the memory was up to its entry `newest`."""

    address: Address | None = None
    newest: int = -1
    text: str = ""


class Speaking:
    """Judges the words of one agent's model, one turn at a time, and finds others where a model finds none."""

    def __init__(self, agent: Speaker, game: Game, conduct: RepetitionGuard, rng: random.Random) -> None:
        self._agent = agent
        self._game = game
        self._conduct = conduct
        self._rng = rng
        self._recalled = _Recalled()
        self.begin_turn()

    def begin_turn(self) -> None:
        """Forget what was wrong in the turn before."""
        self._fault: Fault = ""
        self._said_again = ""

    def answer_without_model(self, address: Address) -> str:
        """Return what the engine answers by itself, because the model would do it badly; empty if nothing.

        That is, for a small model: its agent's own examples, where nearly the same is said; and what world and lore
        know of what is asked, unless it is about one of the two who talk. A tiny model is asked for nothing that the
        engine can answer, be it by what its agent says to anything.
        """
        say, words = self._game.world.wording, address.text
        if not self._finds_few_words:
            return ""
        if has_phrase(say("asked.odd"), words):
            return self._rng.choice(say("asked.odd_answers").split("; "))
        known = self._known(address) if self._is_tiny else ""
        is_deed = has_phrase(say("talk.asks_along"), words) or asked_for(self._game.world, self._agent.character, words)
        if not address.by_person or address.is_gift or address.with_gift or is_deed:
            return known
        if is_farewell(words, say):  # whatever else is told on the way out
            return self._in_own_voice(address, VERY_SURE) or known
        if not is_question(words, say):
            is_plain = not has_phrase(say("talk.thanks"), words)
            is_spoken_for = self._is_tiny and is_plain
            return self._reply_to_told(address) or known or (self._at_a_loss(address) if is_spoken_for else "")
        if len(parts := asking_parts(words)) > 1:
            each = [self.answer_without_model(replace(address, text=one)) for one in parts]
            return " ".join(dict.fromkeys(filter(None, each))) if all(each) or self._is_tiny else ""
        is_recalled = asks_of_self(words) or goes_back(words)
        found = self._in_own_voice(address, VERY_SURE) or known
        if not found and not is_recalled:
            of_world = "" if subject_of(words) == "asked" else self._known_here(address)
            own = "" if of_world else self._in_own_voice(address, ASKED_SUBJECT)
            found = (of_world if self._is_tiny else self._known_here(address, is_sure=True)) or own
        return found or ((self._in_own_voice(address) or self._at_a_loss(address)) if self._is_tiny else "")

    def greeting_without_model(self, partner: Character, has_posed: bool) -> str:
        """Return the greeting of somebody of whom nothing is known, where the model would do it badly; or empty.

        Another agent gets one of the agent's own that it has not used lately.
        One who `has_posed`, as in "sits down and sighs", is asked what it is.
        """
        people, say = self._agent.reflection.people, self._game.world.wording
        if not self._finds_few_words or (self._is_tiny and partner.is_agent):
            return ""
        if partner.is_agent:
            hello = self._own_hello()
            return f"{partner.name}! {hello}" if hello else ""
        if people.facts(partner.name) and not self._is_tiny:
            return ""
        called = people.called(partner.name) or ("" if partner.role is Role.GUEST else partner.name)
        stock = say("talk.asks_after" if has_posed else "talk.greets")
        hello = ("" if has_posed else self._own_hello()) or self._rng.choice(stock.split("; "))
        return f"{called}! {hello}" if called else f"{hello} {say('talk.asks_called')}"

    def _own_hello(self) -> str:
        """Return a greeting of the agent's examples that was not said in the tail; empty without such."""
        hello, tail = self._game.world.wording("talk.hello"), self._agent.memory.view().tail
        return self._agent.mind.voice.answer_to(hello, tail, is_asked=False)

    @property
    def _is_tiny(self) -> bool:
        assert self._agent.queue is not None
        can = self._agent.queue.model.capabilities
        return not can.chat and (can.parameters_billion or TINY_BILLION) < TINY_BILLION

    @property
    def _finds_few_words(self) -> bool:
        assert self._agent.queue is not None
        return self._is_tiny or is_small(self._agent.queue.model.capabilities)

    def _reply_to_told(self, address: Address) -> str:
        """Return what the agent's examples reply to what a person tells, by the name that they give with it."""
        own, name = self._in_own_voice(address), self._told_name(address)
        if not name:
            return own
        return f"{self._game.world.wording('talk.is_called', who=name)} {own or self._at_a_loss(address)}".strip()

    def _told_name(self, address: Address) -> str:
        """Return the name that a person gives of themselves in their words, as the agent has taken it; or nothing."""
        spoken = Utterance(address.by_id, address.text)
        facts = [*heard_facts(spoken, 0), answered_name(spoken, 0)]
        names = [told_name(one.words) for one in facts if one is not None and one.kind == NAME]
        who = self._game.world.characters.get(address.by_id)
        called = self._agent.reflection.people.called(who.name) if who else ""
        return called if called in names else ""

    def _in_own_voice(self, address: Address, least: float = SURE) -> str:
        """Return what the agent's examples answer to a person who says nearly the same."""
        if not address.by_person:
            return ""
        is_asked = is_question(address.text, self._game.world.wording)
        return self._agent.mind.voice.answer_to(address.text, self._agent.memory.view().tail, is_asked, least)

    def _at_a_loss(self, address: Address) -> str:
        """Return what the agent's examples say to whatever a person asks or tells in their language; or nothing."""
        voice, tail = self._agent.mind.voice, self._agent.memory.view().tail
        is_meant = address.by_person and voice.understands(address.text)
        return voice.at_a_loss(tail, is_question(address.text, self._game.world.wording)) if is_meant else ""

    def _known(self, address: Address) -> str:
        """Return what the world, and what the agent was told, answer to somebody's words."""
        return " ".join(self._agent.answers_to(address)[:MAX_ANSWERS])

    def _known_here(self, address: Address, is_sure: bool = False) -> str:
        """Return what the world and lore answer to somebody's words, or surely answer, whatever the agent was told."""
        who, world, words = address.by_id, self._game.world, address.text
        person = Person(who, world.characters[who].name if who in world.characters else who)
        if is_sure and (subject_of(words) == "asked" or asks_again(words, world)):
            return ""
        found = surely_known if is_sure else answers
        return " ".join(found(words, world, self._agent.character, person)[:MAX_ANSWERS])

    def asked_of_the_past(self, question: Question) -> str:
        """Return the words of a person who asks about what was said, empty if they do not, or ask for a thing."""
        decision, address, world = question.decision, self._agent.awareness.owed.address, self._game.world
        words, is_plain = address.text, not (decision.hand_over() or decision.asked_along)
        if not (is_plain and question.schema and address.by_person and is_question(words, world.wording)):
            return ""
        asked, hidden = key_words(words), self._agent.secrets_from(decision.partner) if decision.partner else []
        if any(asked & key_words(one.text) for one in hidden):
            return ""  # a text without what was whispered would deny it
        is_own = asks_of_self(words) or (subject_of(words) == "asker" and goes_back(words))
        is_again = is_own or asks_once_more(words) or asks_again(words, world)
        if is_again or (subject_of(words) != "asked" and self._known_here(address)):
            return words
        has_answer = bool(self._in_own_voice(address))
        return words if not has_answer and self._may_have_heard(words, decision.partner) else ""

    def _may_have_heard(self, words: str, partner: Character | None) -> bool:
        """Return whether a question may be about what was said: of a type that can be read, or of what was told.

        What the agent is or likes stands nowhere in that; what it has done or heard may.
        """
        if partner is None or (subject_of(words) == "asked" and not asks_what_was_done(words)):
            return False
        if answer_type(words):
            return True
        actor, memory = self._agent.character, self._agent.memory
        return remembered(words, memory.view(), actor, partner, self._game.world, memory.reading) is not None

    def objects_to(self, reply: Reply, question: Question) -> bool:
        """Return whether the words of a reply will not do: there are none, or they have a fault."""
        words = reply.line.removeprefix(question.decision.opening()).strip()
        is_again = self._conduct.has_heard(words) and not self._tells_again(words, question)
        self._fault = self._fault_in(words, question) or ("repeats" if is_again else "")
        self._said_again = words if self._fault == "repeats" else ""
        return not words or bool(self._fault) or self._has_not_found(words, question)

    def _has_not_found(self, words: str, question: Question) -> bool:
        """Return whether a model has read what was said in vain for what may be known from elsewhere."""
        return bool(question.reads) and not self._is_of_the_past(question.reads) and self._does_not_know(words)

    def _is_of_the_past(self, words: str) -> bool:
        """Return whether a question can only be answered from what was said."""
        is_told = (subject_of(words) == "asker" or goes_back(words)) and wants_more_than_yes(words)
        return is_told or asks_again(asking_part(words), self._game.world)

    def _does_not_know(self, words: str) -> bool:
        return has_phrase(self._game.world.wording("talk.does_not_know"), words)

    def _tells_again(self, words: str, question: Question) -> bool:
        """Return whether words tell what was said earlier to one who asks for it, which may well be the same words."""
        address = self._agent.awareness.thinks_of
        if question.reads:
            return not is_similar(shingles(words), [shingles(address.text)])
        is_asked = address.by_person and is_question(address.text, self._game.world.wording)
        return is_asked and bool(key_words(question.prompt.section("earlier")) & key_words(words))

    def _fault_in(self, words: str, question: Question) -> Fault:
        heard = self._heard(question)
        if self._tells_again(words, question):
            heard = replace(heard, own=())
        name, say = self._agent.name, self._game.world.wording
        return fault_in(words, name, heard, say) or (reading_fault(words, name, heard, say) if question.reads else "")

    def _heard(self, question: Question) -> Heard:
        """Return what words that the model found are held against."""
        world, agent, partner = self._game.world, self._agent, question.decision.partner
        address, prompt = agent.awareness.thinks_of, question.prompt
        awake = list(world.awake())
        others = {one.name for one in awake if one.is_agent and one.name != agent.name}
        called = {of: name for one in prompt.sections for of, name in one.names.items()}
        others.update(called.values())
        tail = agent.memory.view().tail[-NARRATION_LINES:]
        narration = [one.text for one in tail if one.kind != "acted" and not utterance_in(one, agent.memory.reading)]
        read = f"{prompt.section('here')} {prompt.section('errand')}"
        narration += [*re.split(r"(?<=[.:]) ", read), *self._example_day(question)]
        if partner is None:
            return Heard(others, narration, words=address.text)
        narration += [world.wording(key, who=partner.name) for key in ("talk.approaches", "talk.turns_to")]
        told = [one.words for one in agent.reflection.people.facts(partner.name)]
        is_asked = address.by_person and is_question(address.text, world.wording)
        if is_asked:
            spoken = (utterance_in(one, agent.memory.reading) for one in agent.memory.view().tail[-TOLD_LINES:])
            told += [one for said in spoken if said and said.speaker == partner.name for one in sentences(said.text)]
        return Heard(
            {*others, partner.name},
            narration,
            told,
            address.text,
            self._recall(question) if is_asked else "",
            self._answer(question) if is_asked else "",
            agent.secrets_from(partner),
            question.known if is_asked else "",
            address.is_gift or address.with_gift,
            {one.name for one in awake if is_asked or one.room_id != agent.character.room_id}
            - {agent.name, partner.name, called.get(partner.name, "")},
            called.get(partner.name, partner.name),
            is_asked and question.is_unanswerable,
            self._own_words(question),
            prompt.section("profile"),
            question.again,
            question.examples,
        )

    def _answer(self, question: Question) -> str:
        """Return what world and lore answer, and where a model has read what was said, what memory surely answers."""
        answer = " ".join(self._agent.answers_to(self._agent.awareness.thinks_of))
        return answer or (self._recall(question) if question.reads else "")

    def _example_day(self, question: Question) -> list[str]:
        """Return the lines of a talk's example day, which ends in a question of its own."""
        last, lines = self._game.world.wording("talk.who_am_i"), list[str]()
        for one in question.prompt.messages[1:]:
            lines += one.content.split("\n")
            if lines[-1] == last:
                return lines[:-1]
        return []

    def _own_words(self, question: Question) -> list[str]:
        """Return what the agent says in its prompt: in a talk with its example day, else lately in its life."""
        if messages := question.prompt.messages:
            return [spoken_words(one.content) for one in messages if one.role == "assistant"]
        lines = (one.text for one in self._agent.memory.view().tail[-TOLD_LINES:] if one.kind == "acted")
        typed = (parse_line(line) for line in lines)
        return [one.arguments for one in typed if one.verb == "say"]

    def told_again(self, question: Question) -> Question:
        """Return a question to be asked once more, with what the model is told of its first answer."""
        partner, say = question.decision.partner, self._game.world.wording
        if question.reads and not self._is_of_the_past(question.reads):
            question = replace(question, reads="")  # it was not said, but may be known
        if partner is None or (self._fault not in TOLD and not question.reads):
            return replace(question, said_again=self._said_again)
        recalled = self._recall(question)
        if question.reads and not recalled:
            return replace(question, again=say("earlier.again"))
        fault = "misses" if recalled and self._fault == "invents" else self._fault
        known = recalled or self._known(self._agent.awareness.thinks_of)
        again = say(f"talk.again_{fault}", name=self._agent.name, who=partner.name, recalled=known)
        return replace(question, again=again, said_again=self._said_again)

    def _recall(self, question: Question) -> str:
        """Return what is asked to be told again. A refused answer wants it three times; it is looked for once."""
        address, newest = self._agent.awareness.thinks_of, self._agent.memory.journal.last
        if question.is_unanswerable:
            return ""
        if (self._recalled.address, self._recalled.newest) != (address, newest):
            told = self._agent.recalls_for(address, is_sure=bool(question.reads))
            self._recalled = _Recalled(address, newest, " ".join(told))
        return self._recalled.text

    def instead_of(self, reply: Reply, question: Question) -> str:
        """Return the line that is done when a model found no words twice; empty if there is nobody to speak to.

        A person who waits for an answer gets what the world answers, or a stock phrase. Everybody else, and where there
        were no words, a nod or another gesture.
        """
        decision, say = question.decision, self._game.world.wording
        partner = decision.partner
        if partner is None:
            return ""
        words = reply.line.removeprefix(decision.opening()).strip()
        is_awaited = words and not partner.is_agent and decision.cause in ("answer", "thank")
        if is_awaited or self._fault == "thankless":
            return f"{decision.opening()} {self._stock_phrase(partner, question)}"
        return f"emote {self._rng.choice(say('talk.nods_to', who=partner.name).split('; '))}"

    def _stock_phrase(self, partner: Character, question: Question) -> str:
        """Return what is said where the model's words were wrong twice: what the world answers, or a stock phrase."""
        say, address = self._game.world.wording, self._agent.awareness.thinks_of
        fault: str = "stays" if takes_leave(address.text, say) else self._fault
        is_asked = is_question(address.text, say)
        recalled = self._recall(question) if is_asked else ""
        if fault == "invents" and (question.is_unanswerable or (question.reads and not recalled)):
            fault = "untold"
        is_unknown = fault == "invents" and not recalled
        if is_unknown and (own := self._at_a_loss(address)):
            return own
        if fault in ("reveals", "stays", "untold") or is_unknown:
            return self._rng.choice(say(f"talk.instead_{fault}", who=partner.name).split("; "))
        if address.with_gift and (thanks := self._agent.thanks_for(address)):
            return thanks
        stock = say("talk.at_a_loss" if is_asked else "talk.listens").split("; ")
        own = self._in_own_voice(address) or self._at_a_loss(address)
        return recalled or self._known(address) or own or self._rng.choice(stock)
