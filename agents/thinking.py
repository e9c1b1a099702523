"""An agent's turn: the engine decides what kind of act comes next, a model is asked for the rest, and it is done."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from agents.answering import Answering
from agents.asking import Asked, Asking, Question, archived, check_profile, is_small
from agents.attending.conversation import Conversation
from agents.attending.perception import Address
from agents.choices.policy import Decision
from agents.choices.possible import Situation, possible
from agents.component import Turn
from agents.components.visitors import Visitors
from agents.greeting import Greeting
from agents.lending import Lending
from agents.memory.importance import REFUSED
from agents.models.model import Completion, ModelError, Request
from agents.models.queue import ModelQueue
from agents.prompts.prompt import Prompt
from agents.repetition.guard import RepetitionGuard
from agents.replies.reply import Reply
from agents.speaker import Speaker
from agents.speaking import Speaking
from config.settings import AgentSettings
from vault.errors import NoteError
from vault.markdown import one_line
from vault.memory.archive_exchanges import DISCARDED, SUPPRESSED
from world.entities import Character, Role
from world.game import CommandResult, Game
from world.parsing import has_phrase, split_reason

log = logging.getLogger(__name__)

ANY_QUESTION = "What did I say?"
"""A text that a model is asked about begins the same whatever it is asked."""

READ_AFTER = 2
"""Number of new memories after which a model reads ahead once more, in company."""


class Thinker(Speaker, Protocol):
    """What a turn needs of the agent whose it is; see `agents.agent.Agent`."""

    settings: AgentSettings
    conversation: Conversation
    visitors: Visitors
    on_thinking: Callable[[], None]

    @property
    def why_still(self) -> str: ...

    def prompt(self, question: Question | None = None) -> Prompt: ...
    def count_tokens(self, text: str) -> int: ...
    def perform(self, line: str, cause: str = "") -> CommandResult: ...


class Thinking:
    """Takes the turns of one agent, one at a time.

    `question` is what its model is being asked, or was last; `asked` the last one that was answered, None before that.
    After a turn that needed no model, the model reads ahead what it may be asked next.
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
        self._read_upto = (-1, 0)
        self._reading: asyncio.Task[None] | None = None
        self._greeting = Greeting(agent, game, rng)
        self._lending = Lending(agent, game)
        self._answering = Answering(agent, game, rng, self._greeting, self._lending)
        self._speaking = Speaking(agent, game, conduct, self._answering, rng)

    async def take_turn(self) -> Turn:
        """Decide what kind of act comes next, ask the model for what it takes, and do it."""
        if still := self._stillness():
            self._read_ahead()
            return still
        decision = self._decide()
        if decision.line or decision.cause == "rest":
            turn = self._without_model(decision)
            self._read_ahead()
            return turn
        self.question = Question(decision, newest=self._agent.memory.journal.last)
        try:
            reply = await self._thought()
        except (ModelError, NoteError) as error:
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
        if not self._agent.memory.write_pending():
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
        if address.spoken:
            now = self._answered(now, address)
        if now.company:
            awaits = self._greeting.messages.awaited_by(now.company) or self._lending.awaited_by(now.company)
            now = replace(now, awaits_message=awaits)
        decision = self._conduct.policy.decide(possible(world, actor, self._game.commands), now)
        partner = decision.partner if decision.cause == "greet" else None
        if partner and (left := self._lending.left_for(partner)):
            words = decision.line_of(f"{self._greeting.name_of(partner.character_id)}! {self._lending.says_left(left)}")
            return Decision("greet", line=words, before=f"give {left.thing} to {partner.name}", partner=partner)
        has_posed = partner is not None and partner.character_id in manners.posed
        if partner and (hello := self._greeting.greeting(partner, has_posed)):
            return Decision("greet", line=decision.line_of(hello), partner=partner)
        # A model that continues a transcript freely finds its own command, unless it is spoken to or on an errand.
        is_free = held == "none" and not is_chat and decision.cause in ("greet", "free", "rest")
        return Decision("free") if is_free else decision

    def _answered(self, now: Situation, address: Address) -> Situation:
        """Return a situation with what the engine answers and hands over by itself, and where it leads somebody."""
        world, visitors = self._game.world, self._agent.visitors
        now = replace(now, asked_for=self._lending.asked_for(address))
        if gives := self._lending.gives(address, now.asked_for, now.errand.line if now.errand else ""):
            answer = self._rng.choice(world.wording("talk.gives_back", thing=gives).split("; "))
            return replace(now, answer=answer, gives=gives)
        if not address.by_person:
            return now
        partner = world.characters.get(address.by_id)
        if partner and self._answering.is_open(address) and (left := self._lending.left_for(partner)):
            return replace(now, answer=self._lending.says_left(left), gives=left.thing)
        if visitors.is_leading and has_phrase(world.wording("talk.calls_off"), address.text):
            visitors.stop_leading(address.by_id)
        room_id = self._answering.leads_to(address) if self._agent.settings.think_when != "addressed" else ""
        if not room_id:
            return replace(now, answer=self._greeting.with_told_names(self._answering.answer(address)))
        words = self._rng.choice(world.wording("talk.leads_to", room=world.rooms[room_id].name).split("; "))
        return replace(now, answer=words, leads_to=room_id)

    def _without_model(self, decision: Decision) -> Turn:
        """Do the one thing that is left, or nothing: a model has nothing to add."""
        self._agent.awareness.begin_turn()
        self._agent.awareness.end_turn()
        if not decision.line:
            return Turn("resting", why=self._game.world.wording("talk.rests"), cause=decision.cause)
        turn = self._do([one for one in (decision.before, decision.line) if one], decision)
        if decision.leads_to and decision.partner:
            self._lead(decision.partner, decision.leads_to)
        return turn

    def _lead(self, partner: Character, room_id: str) -> None:
        """Lead a person from now on, and tell them how to follow."""
        if self._agent.character.transient.following_id:
            self._game.perform(self._agent.name, "unfollow")
        self._agent.visitors.lead(self._agent.character, partner.character_id, room_id)
        if partner.transient.following_id != self._agent.character.character_id:
            self._game.tell(partner.character_id, self._game.world.wording("talk.how_to_follow", name=self._agent.name))

    async def _thought(self) -> Reply | Turn:
        """Ask the model, and once more if what it would do goes round in a circle. Raises: ModelError, NoteError."""
        self._conduct.begin_turn()
        self._asked_again = False
        self._speaking.begin_turn()
        completion = await self._ask()
        reply, decision = self._read(completion), self.question.decision
        if reply is None:
            return self._cut_short(completion)
        if self._greets_nobody(decision):
            return self._discarded(completion, decision)
        if own := self._speaking.instead_of_bland(reply, self.question):
            return self._kept(own, completion, "bland")
        objection = self._objection(reply, decision)
        if not objection:
            return self._kept(reply, completion)
        self._archive(completion, DISCARDED, objection)
        self._asked_again = True
        again = await self._ask()
        second = self._read(again)
        if second is None:
            return self._cut_short(again)
        if self._greets_nobody(decision):
            return self._discarded(again, decision)
        objection = self._objection(second, decision) if decision.kind == "speech" else ""
        if objection:
            second = Reply(self._speaking.instead_of(second or reply, self.question))
        elif own := self._speaking.instead_of_bland(second, self.question):
            return self._kept(own, again, "bland")
        return self._kept(second if second.line else reply, again, objection)

    def _greets_nobody(self, decision: Decision) -> bool:
        """Return whether somebody whom the agent would greet has gone meanwhile."""
        partner, here = decision.partner, self._agent.character.room_id
        return decision.cause == "greet" and partner is not None and not (partner.awake and partner.room_id == here)

    def _discarded(self, completion: Completion, decision: Decision) -> Turn:
        self._archive(completion, DISCARDED, "gone")
        self._agent.awareness.end_turn()
        return Turn("resting", why=self._game.world.wording("talk.rests"), cause=decision.cause)

    def _objection(self, reply: Reply, decision: Decision) -> str:
        """Return why the model is asked once more, empty if it is not."""
        if decision.kind == "speech":
            return self._speaking.objection(reply, self.question)
        by_person = self._agent.awareness.thinks_of.by_person
        is_circle = self._conduct.objects_to(reply.line, self._agent.character.room_id, by_person)
        return "circles" if is_circle else ""

    async def _ask(self) -> Completion:
        assert self._agent.queue is not None
        priority = self._agent.awareness.priority
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
        partner, address = decision.partner, self._agent.awareness.owed.address
        heard = address.text if partner and partner.character_id == address.by_id else ""
        question = replace(self._asking.question(decision, model, self._agent.settings), newest=newest, heard=heard)
        if partner and partner.role is Role.GUEST:
            question = replace(question, is_unknown=not self._agent.reflection.people.called(partner.name))
        if self._asked_again:
            before = self.question
            question = self._speaking.told_again(replace(question, prompt=before.prompt, reads=before.reads))
        elif decision.kind == "speech" and is_small(model.capabilities):
            question = replace(question, reads=self._speaking.asked_of_the_past(question))
        self.question = question  # begun again if its tokens have to be counted first
        self.question = question = replace(question, prompt=self._agent.prompt(question))
        if not question.reads:  # a text of its own, which a talk does not begin with
            self._note_read()
        request = self._asking.request(
            question,
            self._rng.getrandbits(31),
            self._agent.settings,
            self._conduct.mitigation,
            self._asked_again,
            model.context_tokens,
        )
        check_profile(self._agent.note, request, model)
        self._agent.awareness.begin_turn()
        return request

    def _read_ahead(self) -> None:
        """Have the model read in the background what an answer to a person would begin with, if it is worth the time.

        It is the first time, once there are new summaries, and each time that something has happened and a person is
        with the agent.
        """
        covered, newest = self._read_upto
        journal, actor = self._agent.memory.journal, self._agent.character
        is_new = covered != self._agent.memory.view().covered
        is_due = is_new or (journal.last - newest >= READ_AFTER and self._listener() is not None)
        if self._agent.queue and actor.awake and is_due and (self._reading is None or self._reading.done()):
            self._reading = asyncio.create_task(self._read_all_ahead(self._agent.queue, is_new))

    async def _read_all_ahead(self, queue: ModelQueue, is_new: bool) -> None:
        """Have a model read the beginning of a talk, and if it `is_new`, of a text that it is asked about."""
        await queue.read_ahead(self._agent.name, self._coming_request)
        if is_new and is_small(queue.model.capabilities):
            await queue.read_ahead(self._agent.name, lambda: self._coming_request(ANY_QUESTION))

    def _coming_request(self, reads: str = "") -> Request | None:
        """Return what the model would be asked if a person spoke now; None if somebody has, or it does not think.

        With `reads`, it is asked that about what was said.
        """
        queue, actor = self._agent.queue, self._agent.character
        if queue is None or not actor.awake or self._agent.why_still or self._agent.awareness.addressed.spoken:
            return None
        listener = self._listener() or (actor if reads else None)
        decision = Decision("answer", "speech", partner=listener) if listener else Decision("free")
        question = Question(decision, newest=self._agent.memory.journal.last, reads=reads)
        try:
            question = replace(question, prompt=self._agent.prompt(question))
        except NoteError:
            return None  # the next turn tells of it
        self._note_read()
        settings, remedy = self._agent.settings, self._conduct.mitigation
        return self._asking.request(question, 0, settings, remedy, False, queue.model.context_tokens)

    def _listener(self) -> Character | None:
        """Return a person who is with the agent, or None."""
        present = self._game.world.occupants(self._agent.character.room_id)
        return next((one for one in present if not one.is_agent), None)

    def _note_read(self) -> None:
        """Note that the model reads what has happened up to now."""
        memory = self._agent.memory
        self._read_upto = memory.view().covered, memory.journal.last

    def _read(self, completion: Completion) -> Reply | None:
        """Return what an answer comes to; None if the turn was cut short."""
        if completion.finish == "cancelled" or self._agent.why_still:
            return None
        return self._asking.read(completion.text, self.question)

    def _cut_short(self, completion: Completion) -> Turn:
        decision = self.question.decision
        if completion.finish != "cancelled":  # somebody has stopped or led it as it ended its thought
            self._archive(completion, DISCARDED, "stopped")
        elif not self._agent.why_still and (decision.line or decision.cause == "rest"):
            return self._without_model(decision)
        return Turn("paused", why=self._agent.why_still) if self._agent.why_still else Turn("asleep")

    def _kept(self, reply: Reply, completion: Completion, objection: str = "") -> Reply | Turn:
        """Archive the answer that counts, and return it, or the turn of one that is silent or speechless.

        With an `objection`, `reply` is what is done instead of that answer.
        """
        here, by_person = self._agent.character.room_id, self._agent.awareness.thinks_of.by_person
        is_silent = self._conduct.keeps_silent(reply.line, here, by_person)
        self._archive(completion, SUPPRESSED if is_silent else completion.finish, objection)
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
        return self._do([one for one in (reply.before, reply.line) if one], self.question.decision)

    def _do(self, lines: Sequence[str], decision: Decision) -> Turn:
        """Do lines in order, the last of which is what the turn is about, as words to the partner of the decision."""
        turn, own = Turn("asleep"), self._agent.character.transient
        own.speaks_to_id = decision.partner.character_id if decision.partner else ""
        try:
            for one in lines:
                line = one_line(one)
                performed = self._agent.perform(line, decision.cause)
                turn = Turn("acted" if performed.accepted else "refused", line, performed.refusal, decision.cause)
        finally:
            own.speaks_to_id = ""
        return turn

    def _archive(self, completion: Completion, finish: str, objection: str = "") -> None:
        before = self.asked.question.prompt.text if self.asked else ""
        self.asked = Asked(self.question, completion, before)
        self._agent.memory.archive_writer.add(
            "message", self._agent.memory.journal.last, **archived(self.question, completion, finish, objection)
        )

    def _failed(self, why: str) -> Turn:
        """Answer a person by what is known without the model that has failed; else who spoke still waits."""
        if not self._failing:
            log.warning("%s cannot think, and waits for its next beat: %s", self._agent.name, why)
        self._failing = True
        self._agent.awareness.addressed = address = self._agent.awareness.owed.address
        decision, words = self.question.decision, self._speaking.without_model(address)
        if words and decision.kind == "speech" and decision.cause == "answer":
            return self._without_model(replace(decision, line=decision.line_of(words)))
        return Turn("failed", why=why)
