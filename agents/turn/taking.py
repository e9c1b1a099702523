"""An agent's turn: the engine decides what kind of act comes next, a model is asked for the rest, and it is done."""

from __future__ import annotations

import logging
import random
from dataclasses import replace

from agents.attending.privacy import may_hear
from agents.choices.policy import Decision
from agents.choices.possible import possible
from agents.component import Turn
from agents.memory.importance import REFUSED
from agents.models.model import Completion, ModelError, Request
from agents.offer import Act
from agents.repetition.guard import RepetitionGuard
from agents.replies.reply import Reply
from agents.turn.answer import Answer
from agents.turn.asking import Asked, Asking, Question, archived, check_profile
from agents.turn.checks import Objection, objection_to
from agents.turn.occasions import SPEECHES, Acting, Occasions
from agents.turn.reading_ahead import ReadingAhead
from agents.turn.standing_in import StandIn, own_words
from agents.turn.word_rarity import WordRarity
from vault.errors import NoteError
from vault.markdown import one_line
from vault.memory.archive_exchanges import DISCARDED, SUPPRESSED
from world.entities import Character
from world.game import Game
from world.parsing import split_reason

log = logging.getLogger(__name__)


class TurnTaker:
    """Takes the turns of one agent, one at a time.

    `question` is what its model is being asked, or was last; `asked` the last one that was answered, None before that.
    After a turn that needed no model, the model reads ahead what it may be asked next.
    """

    def __init__(
        self,
        agent: Acting,
        game: Game,
        conduct: RepetitionGuard,
        asking: Asking,
        rng: random.Random,
        rarity: WordRarity | None = None,
    ) -> None:
        self.question = Question()
        self.asked: Asked | None = None
        self._agent = agent
        self._game = game
        self._conduct = conduct
        self._asking = asking
        self._rng = rng
        self._failing = False
        self._tries = 0
        self._refused: tuple[Act, str] | None = None
        self._first = Reply("")
        self._stand_in = StandIn(agent, game, rng, rarity)
        self._occasions = Occasions(agent, game, conduct)
        self._reading = ReadingAhead(agent, game, self._coming_request)

    async def take_turn(self) -> Turn:
        """Decide what kind of act comes next, ask the model for what it takes, and do it."""
        if still := self._stillness():
            self._reading.begin_if_due()
            return still
        decision = self._decide()
        if self._needs_no_model(decision):
            turn = self._without_model(decision)
            self._reading.begin_if_due()
            return turn
        self.question = Question(decision, newest=self._agent.memory.journal.last)
        try:
            turn = await self._thought()
        except (ModelError, NoteError) as error:
            return self._failed(str(error))
        if self._failing:
            log.info("%s can think again", self._agent.name, extra={"agent": self._agent.name})
            self._failing = False
        return turn

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
        queue, settings = self._agent.queue, self._agent.settings
        assert queue is not None
        if settings.steering == "off":
            return Decision("free")
        world, actor, held = self._game.world, self._agent.character, self._asking.constraint(queue.model, settings)
        decision = self._conduct.policy.decide(
            possible(world, actor, self._game.commands), self._occasions.situation(held)
        )
        # A model that continues a transcript freely finds its own command, unless it is spoken to or on an errand.
        is_free = held == "none" and not queue.model.capabilities.chat and queue.speaks
        return Decision("free") if is_free and decision.cause in ("greet", "free", "rest") else decision

    def _needs_no_model(self, decision: Decision) -> bool:
        queue = self._agent.queue
        is_spoken_for = decision.kind == "speech" and queue is not None and not queue.speaks
        return bool(decision.line) or decision.cause == "rest" or is_spoken_for

    def _without_model(self, decision: Decision) -> Turn:
        """Do the one thing that is left, say a line of the author's, or do nothing: a model has nothing to add."""
        self._agent.awareness.begin_turn()
        line, parting = decision.line, ""
        if decision.kind == "speech" and not line:
            line = self._stand_in.line_for(decision, self._agent.awareness.thinks_of)
        elif decision.cause == "errand" and self._agent.queue and not self._agent.queue.speaks:
            parting = self._stand_in.parting(line)
        self._agent.awareness.end_turn()
        if not line:
            return Turn("resting", why=self._game.world.wording("talk.rests"), cause=decision.cause)
        return self._do([one for one in (parting, line) if one], decision)

    async def _thought(self) -> Turn:
        """Ask the model, and once more if its answer will not do. Raises: ModelError, NoteError."""
        self._conduct.begin_turn()
        self._tries, self._refused, self._first = 0, None, Reply("")
        while True:
            completion = await self._ask()
            self._tries += 1
            decision = self.question.decision
            if completion.finish == "cancelled" or self._agent.why_still:
                return self._cut_short(completion)
            if self._greets_nobody(decision):
                self._archive(completion, DISCARDED, "gone")
                self._agent.awareness.end_turn()
                return Turn("resting", why=self._game.world.wording("talk.rests"), cause=decision.cause)
            turn = self._spoken(completion) if decision.kind == "speech" else self._acted(completion)
            if turn is not None:
                return turn

    def _acted(self, completion: Completion) -> Turn | None:
        """Do the command of an answer; None to ask once more, as it would go round in a circle."""
        reply, here = self._asking.command(completion.text), self._agent.character.room_id
        by_person = self._agent.awareness.thinks_of.by_person
        if self._tries == 1 and self._conduct.objects_to(reply.line, here, by_person):
            self._archive(completion, DISCARDED, "circles")
            self._first = reply
            return None
        reply = reply if reply.line or not self._first.line else self._first
        is_silent = self._conduct.keeps_silent(reply.line, here, by_person)
        self._archive(completion, SUPPRESSED if is_silent else completion.finish)
        self._take_in(completion)
        if not reply.line:
            return self._speechless(reply)
        if is_silent:
            self._conduct.hold_back(reply.line, here)
            return Turn("silent", why=self._game.world.wording("loops.silent", line=split_reason(reply.line)[0]))
        return self._do([reply.line], self.question.decision)

    def _speechless(self, reply: Reply) -> Turn:
        self._agent.memory.record("result", reply.problem, self._agent.character.room_id, importance=REFUSED)
        self._conduct.fail(self._game.world, self._agent.character, self._game.commands)
        return Turn("speechless", why=reply.problem)

    def _spoken(self, completion: Completion) -> Turn | None:
        """Say the words of an answer, and first do what it chose; None to ask once more.

        After two answers that will not do, a line of the author's is said.
        """
        answer, decision = self._asking.answer(completion.text, self.question), self.question.decision
        objection = "" if answer.is_silent else self._objection(answer)
        if objection and self._tries == 1:
            self._archive(completion, DISCARDED, objection)
            self.question = replace(self.question, again=objection)
            return None
        act = None if objection or answer.is_silent else answer.act
        if act and (refusal := self._refusal(act)) and self._tries == 1:
            self._archive(completion, DISCARDED, "refused")
            self._refused = act, refusal
            return None
        self._archive(completion, completion.finish, objection)
        address, say = self._agent.awareness.thinks_of, self._game.world.wording
        self._take_in(completion)
        if answer.is_silent:
            return Turn("silent", why=say("talk.stays_silent"), cause=decision.cause)
        if objection:
            line = self._stand_in.line_for(decision, address)
            return self._do([line], decision) if line else Turn("speechless", why=say("talk.speechless"))
        line = self._line_of(answer)
        return self._do([line], decision) if line else Turn("resting", why=say("talk.rests"), cause=decision.cause)

    def _refusal(self, act: Act) -> str:
        """Do the lines of an act, and take note of it if the world accepts them; return why it refuses, or nothing."""
        for line in act.lines:
            performed = self._agent.perform(line, self.question.decision.cause)
            if not performed.accepted:
                return performed.refusal
        act.take_note()
        return ""

    def _line_of(self, answer: Answer) -> str:
        """Return the line that says an answer's words: in a whisper if somebody has come who may not hear them.

        It is empty if whom they are for has gone as well.
        """
        decision, reason = self.question.decision, f" | {answer.reason}" if answer.reason else ""
        if not self._is_overheard(decision):
            return decision.line_of(answer.words) + reason
        partner = decision.partner
        is_here = partner is not None and partner.room_id == self._agent.character.room_id
        return f"whisper {partner.name} {answer.words}".replace("|", "\\|") + reason if partner and is_here else ""

    def _is_overheard(self, decision: Decision) -> bool:
        """Return whether somebody who has come meanwhile would hear what comes of a private line in the prompt."""
        now, agent = self._occasions.hearers(decision), self._agent
        if now <= self.question.hearers:
            return False
        shown = {seq for section in self.question.prompt.sections for seq in section.shows}
        memories = filter(None, map(agent.memory.memory, shown))
        return not all(may_hear(agent.withhold.parties_of(one), agent.name, now) for one in memories)

    def _objection(self, answer: Answer) -> Objection:
        """Return what is wrong with the words of an answer."""
        tail = self._agent.memory.view().tail
        narrated, question = {one.text for one in tail if one.kind != "acted"}, self.question
        own = own_words(tail)[-SPEECHES:]
        return objection_to(answer.words, self._agent.name, question.prompt.text, question.heard, own, narrated)

    def _greets_nobody(self, decision: Decision) -> bool:
        """Return whether somebody whom the agent would greet has gone meanwhile."""
        partner, here = decision.partner, self._agent.character.room_id
        is_unasked = decision.cause in ("greet", "deliver")
        return is_unasked and partner is not None and not (partner.awake and partner.room_id == here)

    async def _ask(self) -> Completion:
        queue, settings = self._agent.queue, self._agent.settings
        assert queue is not None
        asked = self._asking.question(self.question.decision, queue.model, settings)
        self.question = replace(self.question, grammar=asked.grammar, schema=asked.schema)
        listener = self._asking.listener(lambda: self.question, settings, self._agent.count_tokens)
        return await queue.ask(self._agent.name, self._agent.awareness.priority, self._request, listener)

    def _request(self) -> Request | None:
        """Build the request of this moment, as the model is free for it; None if nothing is to be asked any more."""
        agent = self._agent
        if not agent.character.awake or agent.queue is None or agent.why_still:
            return None
        agent.on_thinking()
        model, newest, decision = agent.queue.model, agent.memory.journal.last, self.question.decision
        again = self.question.again
        if newest != self.question.newest and not self._tries:
            decision = self._decide()  # something has happened while it waited for the model
            if self._needs_no_model(decision):
                self.question = Question(decision, newest=newest)
                return None
        question = replace(self._question(decision), newest=newest, again=again)
        self.question = question  # begun again if its tokens have to be counted first
        self.question = question = replace(question, prompt=agent.prompt(question))
        self._reading.note_read()
        request = self._asking.request(
            question, self._rng.getrandbits(31), agent.settings, self._conduct.mitigation, model.context_tokens
        )
        check_profile(agent.note, request, model)
        agent.awareness.begin_turn()
        return request

    def _question(self, decision: Decision) -> Question:
        """Return what the model is to be asked, with what is on offer, without its prompt."""
        agent, partner, address = self._agent, decision.partner, self._agent.awareness.owed.address
        assert agent.queue is not None
        is_theirs = partner is not None and partner.character_id == address.by_id
        heard = address.text if is_theirs and (decision.is_private or address.channel == "say") else ""
        refused = self._refused[0].label if self._refused else ""
        acts = self._occasions.acts(decision, address, heard, refused)
        question = self._asking.question(decision, agent.queue.model, agent.settings, acts)
        why = self._refused[1] if self._refused else ""
        return replace(question, heard=heard, hearers=self._occasions.hearers(decision), refused=why)

    def _coming_request(self, listener: Character) -> Request | None:
        """Return what the model would be asked if a person spoke now; None if it cannot be told."""
        queue = self._agent.queue
        assert queue is not None
        decision = Decision("answer", "speech", partner=listener)
        question = self._asking.question(decision, queue.model, self._agent.settings)
        question = replace(question, newest=self._agent.memory.journal.last, hearers=self._occasions.hearers(decision))
        try:
            question = replace(question, prompt=self._agent.prompt(question))
        except NoteError:
            return None  # the next turn tells of it
        remedy, context = self._conduct.mitigation, queue.model.context_tokens
        return self._asking.request(question, 0, self._agent.settings, remedy, context)

    def _cut_short(self, completion: Completion) -> Turn:
        decision = self.question.decision
        if completion.finish != "cancelled":  # somebody has stopped or led it as it ended its thought
            self._archive(completion, DISCARDED, "stopped")
        elif not self._agent.why_still and self._needs_no_model(decision):
            return self._without_model(decision)
        return Turn("paused", why=self._agent.why_still) if self._agent.why_still else Turn("asleep")

    def _take_in(self, completion: Completion) -> None:
        """Take in the answer that counts."""
        self._asking.learn(completion)
        self._agent.awareness.end_turn()

    def _do(self, lines: list[str], decision: Decision) -> Turn:
        """Do lines in order, the last of which is what the turn is about, as words to the partner of the decision."""
        turn, own = Turn("asleep"), self._agent.character.transient
        own.speaks_to_id = decision.partner.character_id if decision.partner else ""
        promise = self._promise_to_keep(decision)
        event = f"delivered {promise}" if promise else ""
        try:
            for one in lines:
                line = one_line(one)
                performed = self._agent.perform(line, decision.cause, event)
                turn = Turn("acted" if performed.accepted else "refused", line, performed.refusal, decision.cause)
        finally:
            own.speaks_to_id = ""
        if promise and turn.outcome == "acted":
            self._agent.promises.delivered(promise)
        return turn

    def _promise_to_keep(self, decision: Decision) -> int:
        """Return the number of the promise that a decision keeps; 0 if it keeps none."""
        if decision.cause != "deliver" or decision.partner is None:
            return 0
        promise = self._agent.promise_to(decision.partner)
        return promise.number if promise else 0

    def _archive(self, completion: Completion, finish: str, objection: str = "") -> None:
        before = self.asked.question.prompt.text if self.asked else ""
        self.asked = Asked(self.question, completion, before)
        self._agent.memory.archive_writer.add(
            "message", self._agent.memory.journal.last, **archived(self.question, completion, finish, objection)
        )

    def _failed(self, why: str) -> Turn:
        """Answer a person with a line of the author's while the model fails; else who spoke still waits."""
        if not self._failing:
            log.warning("%s cannot think, and waits for its next beat: %s", self._agent.name, why)
        self._failing = True
        address = self._agent.awareness.owed.address
        self._agent.awareness.addressed = address
        decision = self.question.decision
        is_awaited = decision.kind == "speech" and decision.cause == "answer" and address.by_person
        line = self._stand_in.line_for(decision, address) if is_awaited else ""
        return self._without_model(replace(decision, line=line)) if line else Turn("failed", why=why)
