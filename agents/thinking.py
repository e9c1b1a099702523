"""An agent's turn: the engine decides what kind of act comes next, a model is asked for the rest, and it is done."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from agents.asking import Asked, Asking, Question, archived, is_small
from agents.attending.conversation import Conversation, is_question
from agents.attending.floor import Awareness
from agents.attending.perception import Address
from agents.choices.policy import Decision
from agents.choices.possible import possible
from agents.component import Turn
from agents.components.errands import Step
from agents.memory.facts.extraction import Utterance, utterance_in
from agents.memory.facts.speech_acts import sentences
from agents.memory.importance import REFUSED
from agents.memory.memory import AgentMemory
from agents.models.model import Completion, ModelError, Request
from agents.models.queue import ModelQueue
from agents.models.scheduler import Priority
from agents.prompts.prompt import Prompt
from agents.prompts.talk import spoken_words
from agents.reflection.reflection import Reflection
from agents.reflection.speech_facts import key_words
from agents.repetition.guard import RepetitionGuard
from agents.replies.reply import Reply
from agents.replies.speech_check import TOLD, Fault, Heard, fault_in, takes_leave
from config.settings import AgentSettings
from vault.errors import NoteError
from vault.markdown import one_line
from vault.memory.archive_exchanges import DISCARDED, SUPPRESSED
from world.entities import Character, Role
from world.game import CommandResult, Game
from world.parsing import has_phrase, parse_line, split_reason

log = logging.getLogger(__name__)

TINY_BILLION = 0.6
"""A base model of fewer parameters says nothing to the point; what the world can answer it is not asked."""

MAX_ANSWERS = 2
NARRATION_LINES, TOLD_LINES = 12, 60
"""Among so many of the newest memories is what a model may say back as if it were speech, and what a person said of
themselves that it may take for its own."""


class Thinker(Protocol):
    """What a turn needs of the agent whose it is; see `agents.agent.Agent`."""

    queue: ModelQueue | None
    settings: AgentSettings
    memory: AgentMemory
    awareness: Awareness
    conversation: Conversation
    reflection: Reflection
    on_thinking: Callable[[], None]

    @property
    def name(self) -> str: ...
    @property
    def character(self) -> Character: ...
    @property
    def why_still(self) -> str: ...

    def next_step(self) -> Step | None: ...
    def answers_to(self, address: Address) -> list[str]: ...
    def recalls_for(self, address: Address) -> list[str]: ...
    def thanks_for(self, address: Address) -> str: ...
    def secrets_from(self, partner: Character) -> list[Utterance]: ...
    def prompt(self, question: Question | None = None) -> Prompt: ...
    def count_tokens(self, text: str) -> int: ...
    def perform(self, line: str, cause: str = "") -> CommandResult: ...


@dataclass(frozen=True)
class _Recalled:
    """What somebody who spoke asks to be told again, as the memory was up to its entry `newest`."""

    address: Address | None = None
    newest: int = -1
    text: str = ""


class Thinking:
    """Takes the turns of one agent, one at a time.

    `question` is what its model is being asked, or was last; `asked` the last one that was answered, None before that.
    """

    def __init__(
        self, agent: Thinker, game: Game, conduct: RepetitionGuard, asking: Asking, rng: random.Random
    ) -> None:
        self.question = Question()
        self.asked: Asked | None = None
        self._agent = agent
        self._game = game
        self._conduct = conduct
        self._asking = asking
        self._rng = rng
        self._failing = False
        self._asked_again = False
        self._fault: Fault = ""
        self._said_again = ""
        self._recalled = _Recalled()

    async def take_turn(self) -> Turn:
        """Decide what kind of act comes next, ask the model for what it takes, and do it."""
        if still := self._stillness():
            return still
        decision = self._decide()
        if decision.line or decision.cause == "rest":
            return self._without_model(decision)
        self.question = Question(decision, newest=self._agent.memory.journal.last)
        try:
            reply = await self._thought()
        except (ModelError, NoteError) as error:
            self._agent.awareness.addressed = (
                self._agent.awareness.owed.address
            )  # whoever spoke still waits for an answer
            return self._failed(str(error))
        if self._failing:
            log.info("%s can think again", self._agent.name, extra={"agent": self._agent.name})
            self._failing = False
        return self._done(reply)

    def _stillness(self) -> Turn | None:
        """Return the turn of one who does not think now, or None."""
        if self._agent.queue is None or not self._agent.character.awake:
            return Turn("asleep")
        if self._agent.why_still:
            return Turn("paused", why=self._agent.why_still)
        if not self._agent.memory.write_what_waits():
            return Turn("paused", why=self._agent.memory.problem)
        return self._agent.awareness.stillness(self._agent.settings.think_when, self._game.world, self._agent.character)

    def _decide(self) -> Decision:
        """Return what kind of act comes next."""
        assert self._agent.queue is not None
        held = self._asking.constraint(self._agent.queue.model, self._agent.settings)
        if self._agent.settings.steering == "off":
            return Decision("free")
        world, actor, is_chat = self._game.world, self._agent.character, self._agent.queue.model.capabilities.chat
        errand = self._agent.next_step()
        manners, address = self._agent.conversation.manners(), self._agent.awareness.owed.address
        now = self._conduct.situation(world, actor, address, manners, errand, finds_words=held == "grammar")
        if address.by_person:
            now = replace(now, answer=self._answer_without_model(address))
        decision = self._conduct.policy.decide(possible(world, actor, self._game.commands), now)
        # A model that continues a transcript freely finds its own command, unless it is spoken to or on an errand.
        is_free = held == "none" and not is_chat and decision.cause in ("greet", "free", "rest")
        return Decision("free") if is_free else decision

    def _answer_without_model(self, address: Address) -> str:
        """Return what the engine answers by itself, because the model would do it badly; empty if nothing."""
        assert self._agent.queue is not None
        can, say = self._agent.queue.model.capabilities, self._game.world.wording
        is_tiny = not can.chat and (can.parameters_billion or TINY_BILLION) < TINY_BILLION
        if (is_tiny or is_small(can)) and has_phrase(say("asked.odd"), address.text):
            return self._rng.choice(say("asked.odd_answers").split("; "))
        return self._known(address) if is_tiny else ""

    def _known(self, address: Address) -> str:
        """Return what the world, and what the agent was told, answer to somebody's words."""
        return " ".join(self._agent.answers_to(address)[:MAX_ANSWERS])

    def _without_model(self, decision: Decision) -> Turn:
        """Do the one thing that is left, or nothing: a model has nothing to add."""
        self._agent.awareness.begin_turn()
        self._agent.awareness.end_turn()
        if not decision.line:
            return Turn("resting", why=self._game.world.wording("talk.rests"), cause=decision.cause)
        return self._do([decision.line], decision.cause)

    async def _thought(self) -> Reply | Turn:
        """Ask the model, and once more if what it would do goes round in a circle. Raises: ModelError, NoteError."""
        self._conduct.begin_turn()
        self._asked_again, self._fault, self._said_again = False, "", ""
        completion = await self._ask()
        reply, decision = self._read(completion), self.question.decision
        if reply is None:
            return self._cut_short(completion)
        if not self._objects_to(reply, decision):
            return self._kept(reply, completion)
        self._archive(completion, DISCARDED)
        self._asked_again = True
        again = await self._ask()
        second = self._read(again)
        if second is None:
            return self._cut_short(again)
        if decision.kind == "speech" and self._objects_to(second, decision):
            second = self._instead_of(second or reply, decision)
        return self._kept(second if second.line else reply, again)

    def _objects_to(self, reply: Reply, decision: Decision) -> bool:
        by_person = self._agent.awareness.thinks_of.by_person
        if decision.kind == "speech":
            words = reply.line.removeprefix(decision.opening()).strip()
            is_again = self._conduct.has_heard(words) and not self._tells_again(words)
            self._fault = self._fault_in(words) or ("repeats" if is_again else "")
            self._said_again = words if self._fault == "repeats" else ""
            return not words or bool(self._fault)
        return self._conduct.objects_to(reply.line, self._agent.character.room_id, by_person)

    def _tells_again(self, words: str) -> bool:
        """Return whether words tell what was said earlier to one who asks for it, which may well be the same words."""
        is_asked = is_question(self._agent.awareness.thinks_of.text, self._game.world.wording)
        return is_asked and bool(key_words(self.question.prompt.section("earlier")) & key_words(words))

    def _fault_in(self, words: str) -> Fault:
        return fault_in(words, self._agent.name, self._heard(), self._game.world.wording)

    def _heard(self) -> Heard:
        """Return what words that the model found are held against."""
        world, agent, partner = self._game.world, self._agent, self.question.decision.partner
        address, prompt = agent.awareness.thinks_of, self.question.prompt
        awake = list(world.awake())
        others = {one.name for one in awake if one.is_agent and one.name != agent.name}
        others |= {name for one in prompt.sections for name in one.names.values()}
        tail = agent.memory.view().tail[-NARRATION_LINES:]
        narration = [one.text for one in tail if one.kind != "acted" and not utterance_in(one, agent.memory.reading)]
        narration += prompt.section("here").split(". ")
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
            self._recall() if is_asked else "",
            " ".join(agent.answers_to(address)) if is_asked else "",
            agent.secrets_from(partner),
            prompt.text if is_asked else "",
            address.is_gift or address.with_gift,
            {one.name for one in awake if one.room_id != agent.character.room_id} - {partner.name},
            partner.name,
            is_asked and self._is_unanswerable(),
            self._own_words(),
            prompt.section("profile"),
        )

    def _own_words(self) -> list[str]:
        """Return what the agent says in its prompt: in a talk with its example day, else lately in its life."""
        if messages := self.question.prompt.messages:
            return [spoken_words(one.content) for one in messages if one.role == "assistant"]
        lines = (one.text for one in self._agent.memory.view().tail[-TOLD_LINES:] if one.kind == "acted")
        typed = (parse_line(line) for line in lines)
        return [one.arguments for one in typed if one.verb == "say"]

    def _told_again(self) -> str:
        """Return what the model is told of its first answer when it is asked once more; empty if nothing."""
        decision = self.question.decision
        if self._fault not in TOLD or decision.partner is None:
            return ""
        recalled = self._recall()
        fault = "misses" if recalled and self._fault == "invents" else self._fault
        return self._game.world.wording(
            f"talk.again_{fault}",
            name=self._agent.name,
            who=decision.partner.name,
            recalled=recalled or self._known(self._agent.awareness.thinks_of),
        )

    def _recall(self) -> str:
        """Return what is asked to be told again. A refused answer wants it three times; it is looked for once."""
        address, newest = self._agent.awareness.thinks_of, self._agent.memory.journal.last
        if self._is_unanswerable():
            return ""
        if (self._recalled.address, self._recalled.newest) != (address, newest):
            self._recalled = _Recalled(address, newest, " ".join(self._agent.recalls_for(address)))
        return self._recalled.text

    def _is_unanswerable(self) -> bool:
        """Return whether the prompt tells that nobody has told what is asked for."""
        return any(one.is_unanswerable for one in self.question.prompt.sections)

    def _instead_of(self, reply: Reply, decision: Decision) -> Reply:
        """Return what is done when a model found no words twice.

        A person who waits for an answer gets what the world answers, or a stock phrase. Everybody else, and where there
        were no words, a nod.
        """
        say, partner = self._game.world.wording, decision.partner
        if partner is None:
            return Reply("")
        words = reply.line.removeprefix(decision.opening()).strip()
        is_awaited = words and not partner.is_agent and decision.cause in ("answer", "thank")
        if is_awaited or self._fault == "thankless":
            return Reply(f"{decision.opening()} {self._stock_phrase(partner)}")
        return Reply(f"emote {say('talk.nods_to', who=partner.name)}")

    def _stock_phrase(self, partner: Character) -> str:
        """Return what is said where the model's words were wrong twice: what the world answers, or a stock phrase."""
        say, address = self._game.world.wording, self._agent.awareness.thinks_of
        fault = "stays" if takes_leave(address.text, say) else self._fault
        recalled = self._recall() if is_question(address.text, say) else ""
        if fault in ("reveals", "stays") or (fault == "invents" and not recalled):
            return self._rng.choice(say(f"talk.instead_{fault}", who=partner.name).split("; "))
        if address.with_gift and (thanks := self._agent.thanks_for(address)):
            return thanks
        return recalled or self._known(address) or self._rng.choice(say("talk.at_a_loss").split("; "))

    async def _ask(self) -> Completion:
        assert self._agent.queue is not None
        priority = Priority.ANSWER if self._agent.awareness.owed.address.spoken else Priority.THOUGHT
        question = self._asking.question(self.question.decision, self._agent.queue.model, self._agent.settings)
        listener = self._asking.listener(question, self._agent.settings, self._agent.count_tokens)
        return await self._agent.queue.ask(self._agent.name, priority, self._request, listener)

    def _request(self) -> Request | None:
        if not self._agent.character.awake or self._agent.queue is None or self._agent.why_still:
            return None
        self._agent.on_thinking()
        model, newest = self._agent.queue.model, self._agent.memory.journal.last
        decision = self.question.decision
        if newest != self.question.newest and not self._asked_again:
            decision = self._decide()  # something has happened while it waited for the model
            if decision.line or decision.cause == "rest":
                self.question = Question(decision, newest=newest)
                return None
        question = replace(self._asking.question(decision, model, self._agent.settings), newest=newest)
        if (partner := decision.partner) and partner.role is Role.GUEST:
            question = replace(question, is_unknown=not self._agent.reflection.people.called(partner.name))
        if self._asked_again:
            question = replace(question, again=self._told_again(), said_again=self._said_again)
        self.question = question  # begun again if its tokens have to be counted first
        self.question = question = replace(question, prompt=self._agent.prompt(question))
        self._agent.awareness.begin_turn()
        return self._asking.request(
            question,
            self._rng.getrandbits(31),
            self._agent.settings,
            self._conduct.mitigation,
            self._asked_again,
            model.context_tokens,
        )

    def _read(self, completion: Completion) -> Reply | None:
        """Return what an answer comes to; None if the turn was cut short."""
        if completion.finish == "cancelled" or self._agent.why_still:
            return None
        return self._asking.read(completion.text, self.question)

    def _cut_short(self, completion: Completion) -> Turn:
        decision = self.question.decision
        if completion.finish != "cancelled":  # somebody has stopped or led it as it ended its thought
            self._archive(completion, DISCARDED)
        elif not self._agent.why_still and (decision.line or decision.cause == "rest"):
            return self._without_model(decision)
        return Turn("paused", why=self._agent.why_still) if self._agent.why_still else Turn("asleep")

    def _kept(self, reply: Reply, completion: Completion) -> Reply | Turn:
        """Archive the answer that counts, and return it, or the turn of one that is silent or speechless."""
        here, by_person = self._agent.character.room_id, self._agent.awareness.thinks_of.by_person
        is_silent = self._conduct.keeps_silent(reply.line, here, by_person)
        self._archive(completion, SUPPRESSED if is_silent else completion.finish)
        self._asking.learn(completion)
        self._agent.awareness.end_turn()
        if not reply.line:
            self._agent.memory.record("result", reply.problem, here, importance=REFUSED)
            self._conduct.fail(self._game.world, self._agent.character, self._game.commands)
            return Turn("speechless", why=reply.problem)
        if is_silent:
            self._conduct.hold_back(reply.line, here)
            return Turn("silent", why=self._game.world.wording("loops.silent", line=split_reason(reply.line)[0]))
        return reply

    def _done(self, reply: Reply | Turn) -> Turn:
        if isinstance(reply, Turn):
            return reply
        return self._do([one for one in (reply.before, reply.line) if one], self.question.decision.cause)

    def _do(self, lines: Sequence[str], cause: str) -> Turn:
        """Do lines in order, the last of which is what the turn is about."""
        turn = Turn("asleep")
        for one in lines:
            line = one_line(one)
            performed = self._agent.perform(line, cause)
            turn = Turn("acted" if performed.accepted else "refused", line, performed.refusal, cause)
        return turn

    def _archive(self, completion: Completion, finish: str) -> None:
        before = self.asked.question.prompt.text if self.asked else ""
        self.asked = Asked(self.question, completion, before)
        self._agent.memory.archive_writer.add(
            "message", self._agent.memory.journal.last, **archived(self.question, completion, finish)
        )

    def _failed(self, why: str) -> Turn:
        if not self._failing:
            log.warning("%s cannot think, and waits for its next beat: %s", self._agent.name, why)
        self._failing = True
        return Turn("failed", why=why)
