"""What an agent says: its model's words held against what it knows, and what is said where they will not do."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace

from agents.answering import Answering
from agents.asking import Question
from agents.attending.conversation import is_question
from agents.attending.perception import Address
from agents.attending.questions import (
    MEASURED,
    answer_type,
    asking_part,
    asks_advice,
    asks_of_self,
    asks_once_more,
    asks_what_was_done,
    goes_back,
    is_of_type,
    subject_of,
    wants_more_than_yes,
)
from agents.choices.policy import PRIVATE, Decision
from agents.components.asked import asks_again, told_by
from agents.components.earlier import remembered
from agents.memory.facts.extraction import Utterance, utterance_in
from agents.memory.facts.speech_acts import sentences
from agents.memory.facts.store import ME
from agents.prompts.talk import spoken_words
from agents.reflection.speech_facts import key_words
from agents.repetition.guard import RepetitionGuard
from agents.repetition.loop_detector import is_similar, shingles
from agents.replies.heard import Heard
from agents.replies.reading_check import put_right, reading_fault
from agents.replies.reply import Reply
from agents.replies.speech_check import SHORTEST_WHOLE, TOLD, Fault, fault_in, takes_leave
from agents.speaker import Speaker, finds_few_words
from world.entities import Character
from world.game import Game
from world.parsing import has_phrase, parse_line, strip_article
from world.sanitize import name_key

NARRATION_LINES, TOLD_LINES = 12, 60
"""Among so many of the newest memories is what a model may say back as if it were speech, and what a person said of
themselves that it may take for its own."""


_HERE_IS = r"\b(?:this is|(?:we|you)(?:['’]re| are) (?:in|at|on)|here (?:in|at|on)) (?:the )?"


@dataclass(frozen=True)
class _Recalled:
    """What somebody who spoke asks to be told again, as the memory was up to its entry `newest`."""

    address: Address | None = None
    newest: int = -1
    text: str = ""


class Speaking:
    """Judges the words of one agent's model, one turn at a time, and finds others where a model finds none."""

    def __init__(
        self, agent: Speaker, game: Game, conduct: RepetitionGuard, answering: Answering, rng: random.Random
    ) -> None:
        self._agent = agent
        self._game = game
        self._answering = answering
        self._conduct = conduct
        self._rng = rng
        self._recalled = _Recalled()
        self.begin_turn()

    def begin_turn(self) -> None:
        """Forget what was wrong in the turn before."""
        self._fault: Fault = ""
        self._said_again = ""

    def asked_of_the_past(self, question: Question) -> str:
        """Return the words of a person who asks about what was said, empty if they do not, or ask for a thing."""
        decision, address, world = question.decision, self._agent.awareness.owed.address, self._game.world
        words, is_plain = address.text, not _is_deed(decision)
        if not (is_plain and question.schema and address.by_person and is_question(words, world.wording)):
            return ""
        asked, hidden = key_words(words), self._agent.secrets_from(decision.partner) if decision.partner else []
        if any(asked & key_words(one.text) for one in hidden):
            return ""  # a text without what was whispered would deny it
        is_own = asks_of_self(words) or (subject_of(words) == "asker" and goes_back(words))
        is_again = is_own or asks_once_more(words) or asks_again(words, world)
        if is_again or (subject_of(words) != "asked" and self._answering.known_here(address)):
            return words
        if asks_advice(words) and not answer_type(words):
            return ""
        has_answer = bool(self._answering.own.in_own_voice(address))
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

    def objection(self, reply: Reply, question: Question) -> str:
        """Return why the words of a reply are rejected, empty if they are not.

        That is a fault, `wordless` where there are none, or `unread` where what was said was read in vain.
        """
        words = _spoken(reply, question.decision)
        is_again = (
            not _is_deed(question.decision)
            and self._conduct.has_heard(words)
            and not self._tells_again(words, question)
        )
        self._fault = self._fault_in(words, question) or ("repeats" if is_again else "")
        self._said_again = words if self._fault == "repeats" else ""
        if not words:
            return "wordless"
        return self._fault or ("unread" if self._has_not_found(words, question) else "")

    def instead_of_bland(self, reply: Reply, question: Question) -> Reply | None:
        """Return what a small model's agent says by itself where the model found nothing to the point; None if it did.

        It answers a question by not knowing, or by asking back.
        """
        decision, address = question.decision, self._agent.awareness.thinks_of
        is_awaited = decision.cause == "answer" and address.by_person and not address.with_gift
        if not is_awaited or _is_deed(decision) or question.reads or question.is_unanswerable:
            return None
        if not finds_few_words(self._agent.queue) or not self._is_bland(_spoken(reply, decision), address):
            return None
        answering = self._answering
        own = answering.known(address) or answering.own.in_own_voice(address) or answering.own.at_a_loss(address)
        return Reply(decision.line_of(own)) if own else None

    def without_model(self, address: Address) -> str:
        """Return what the agent answers a person while its model does not answer; empty if it knows nothing to say."""
        if not address.by_person:
            return ""
        is_asked = is_question(address.text, self._game.world.wording)
        found = self._answering.known(address) or self._answering.own.in_own_voice(address)
        return found or ("" if is_asked else self._answering.own.at_a_loss(address))

    def _is_bland(self, words: str, address: Address) -> bool:
        """Return whether words answer a question aloud only by not knowing, or by asking back."""
        if address.channel in PRIVATE or not is_question(address.text, self._game.world.wording):
            return False
        return all(one.endswith("?") or self._does_not_know(one) for one in sentences(words))

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
        heard = replace(self._heard(question), is_understood=question.is_of_able_model)
        is_foreign = self._agent.mind.voice.is_foreign
        if heard.is_understood and is_foreign(heard.words) and is_foreign(words):
            heard = replace(heard, known="")  # a noun of German is written like a name
        if self._tells_again(words, question):
            heard = replace(heard, own=())
        name, say = self._agent.name, self._game.world.wording
        if self._takes_for_another_place(words):
            return "invents"
        if not question.reads and self._asks_what_was_asked(words):
            return "echoes"
        found = fault_in(words, name, heard, say)
        if found or not question.reads:
            return found
        if later := put_right(words, name, heard, say):
            self._recall_instead(later, heard, question)
        return reading_fault(words, name, heard, say, is_outdated=later is not None)

    def _recall_instead(self, later: Utterance, heard: Heard, question: Question) -> None:
        """Let the line be told again that has put right what a model has read."""
        address, partner, world = self._agent.awareness.thinks_of, question.decision.partner, self._game.world
        if partner is None:
            return
        own = {heard.partner: partner.name, self._agent.name: ME}
        spoken = replace(later, speaker=own.get(later.speaker, later.speaker))
        told = told_by(spoken, address.text, self._agent.character, partner, world)
        self._recalled = _Recalled(address, self._agent.memory.journal.last, told)

    def _asks_what_was_asked(self, words: str) -> bool:
        """Return whether words put a question that somebody has just put to another: "What did Nia whisper to you?"."""
        memory = self._agent.memory
        spoken = (utterance_in(one, memory.reading) for one in memory.view().tail[-NARRATION_LINES:])
        heard = [name_key(said.text) for said in spoken if said and said.speaker != ME]
        asked = (name_key(one) for one in sentences(words) if one.endswith("?") and len(one.split()) >= SHORTEST_WHOLE)
        return any(one in said for one in asked for said in heard)

    def _takes_for_another_place(self, words: str) -> bool:
        """Return whether words say that another room is where the agent is: "This is the Spray Garden."."""
        world, here = self._game.world, self._agent.character.room_id
        said = name_key(words)
        names = {strip_article(one.name) for one in world.rooms.values() if one.room_id != here}
        names -= {strip_article(world.rooms[here].name)}
        return any(one in said and re.search(rf"{_HERE_IS}{re.escape(one)}\b", said) for one in names)

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
        if is_asked or question.decision.cause == "greet":
            spoken = (utterance_in(one, agent.memory.reading) for one in agent.memory.view().tail[-TOLD_LINES:])
            same = {partner.name, *agent.reflection.people.other_names_of(partner.name)}
            told += [one for said in spoken if said and said.speaker in same for one in sentences(said.text)]
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
        is_told = self._fault in TOLD and not (recalled and self._fault == "invents")
        fault = self._fault if is_told else "misses"
        known = recalled or self._answering.known(self._agent.awareness.thinks_of)
        again = say(f"talk.again_{fault}", name=self._agent.name, who=partner.name, recalled=known)
        return replace(question, again=again, said_again=self._said_again)

    def _recall(self, question: Question) -> str:
        """Return what is asked to be told again. A refused answer wants it three times; it is looked for once."""
        address, newest = self._agent.awareness.thinks_of, self._agent.memory.journal.last
        if question.is_unanswerable:
            return ""
        if (self._recalled.address, self._recalled.newest) != (address, newest):
            told = self._answering.recalled(address, "sure" if question.reads else "asked")
            self._recalled = _Recalled(address, newest, told)
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
        words = _spoken(reply, decision)
        is_awaited = words and not partner.is_agent and decision.cause in ("answer", "thank")
        if is_awaited or self._fault == "thankless":
            return decision.line_of(self._stock_phrase(partner, question))
        return f"emote {self._rng.choice(say('talk.nods_to', who=partner.name).split('; '))}"

    def _stock_phrase(self, partner: Character, question: Question) -> str:
        """Return what is said where the model's words were wrong twice: what the world answers, or a stock phrase."""
        say, address = self._game.world.wording, self._agent.awareness.thinks_of
        fault: str = "stays" if takes_leave(address.text, say) else self._fault
        is_asked = is_question(address.text, say)
        recalled = self._recall(question) if is_asked else ""
        if question.reads and not recalled and not question.is_unanswerable and (told := self._related(address)):
            return told
        if fault == "invents" and (question.is_unanswerable or (question.reads and not recalled)):
            fault = "untold" if subject_of(address.text) == "asker" else "unheard"
        is_unknown = fault == "invents" and not recalled
        if is_unknown and (own := self._answering.own.at_a_loss(address)):
            return own
        if fault in ("reveals", "stays", "untold", "unheard") or is_unknown:
            return self._rng.choice(say(f"talk.instead_{fault}", who=partner.name).split("; "))
        if address.with_gift and (thanks := self._agent.thanks_for(address)):
            return thanks
        if is_asked and (asks_of_self(address.text) or asks_again(asking_part(address.text), self._game.world)):
            known = recalled or self._answering.recalled(address) or self._answering.known(address)
            return known or self._rng.choice(say("talk.instead_invents").split("; "))
        stock = say("talk.at_a_loss" if is_asked else "talk.listens").split("; ")
        own = self._answering.own.in_own_voice(address) or self._answering.own.at_a_loss(address)
        return recalled or self._answering.known(address) or own or self._rng.choice(stock)

    def _related(self, address: Address) -> str:
        """Return what was said that has most to do with a question about it, if it is of the kind that it wants."""
        words = address.text
        if subject_of(words) != "asker" and not asks_again(asking_part(words), self._game.world):
            return ""
        told, kind = self._answering.recalled(address, "any"), answer_type(words)
        return told if kind not in MEASURED or is_of_type(kind, told) else ""


def _spoken(reply: Reply, decision: Decision) -> str:
    """Return the words of a reply without the command and the name before them."""
    return reply.line.removeprefix(decision.opening()).strip()


def _is_deed(decision: Decision) -> bool:
    """Return whether it may hand something over or come along: there "Yes" will do, also twice."""
    return bool(decision.hand_over() or decision.asked_along)
