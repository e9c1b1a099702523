"""The engine's own answers: what an agent says without a model, where a small model would do it badly."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import dropwhile

from agents.attending.belongings import handed_by
from agents.attending.conversation import is_farewell, is_question
from agents.attending.perception import Address
from agents.attending.pressure import presses
from agents.attending.questions import (
    asking_part,
    asking_parts,
    asks_of_self,
    asks_whether_told,
    asks_which_of_us,
    goes_back,
    is_of_own_past,
    is_riddle,
    names_goal,
    presents,
    puts_right,
    subject_of,
)
from agents.choices.possible import asks_to_walk
from agents.components.asked import Person, answers, asks_again, is_seen_first, place_named, surely_known, told_again
from agents.components.dialogue import act_of
from agents.components.earlier import Certainty, source_of
from agents.components.messages import words_to_tell
from agents.components.voice import ASKED_SUBJECT, VERY_SURE
from agents.components.whispers import Whispers
from agents.greeting import Greeting, said_aloud
from agents.lending import Lending
from agents.memory.facts.extraction import Utterance, utterance_in
from agents.memory.facts.speech_acts import sentences
from agents.own_lines import OwnLines
from agents.reflection.speech_facts import LOSS, NAME, answered_name, heard_facts, key_words, kind_of, told_name
from agents.speaker import Speaker, finds_few_words, is_tiny
from world.entities import Character
from world.game import Game
from world.parsing import has_phrase, is_named

MAX_ANSWERS = 2
MAX_FACTS = 3
"""Maximum number of facts, the newest, in the answer to one who asks what is known of them."""

SHORTEST_TOLD = 4
"""Minimum number of words of a sentence that tells something worth telling again."""

MENTIONED = 12
"""Among so many of the newest memories is the place that somebody means by "there"."""

INSISTED_ON = 8
"""Among so many of the newest memories is what somebody insists on with "say it"."""

MORE_THAN_A_NAME = 2
"""Minimum number of key words by which somebody tells more than a name."""


class Answering:
    """Finds what one agent says without a model: by its note, and by what the world and its memory know."""

    def __init__(self, agent: Speaker, game: Game, rng: random.Random, greeting: Greeting, lending: Lending) -> None:
        self._agent = agent
        self._game = game
        self._rng = rng
        self.own = OwnLines(agent, game, rng)
        self._greeting = greeting
        self._lending = lending

    def answer(self, address: Address, is_part: bool = False) -> str:
        """Return what the engine answers by itself, because the model would do it badly; empty if nothing.

        That is, for a small model: its agent's own examples, where nearly the same is said; and what world and lore
        know of what is asked, unless it is about one of the two who talk. A tiny model is asked for nothing that the
        engine can answer, be it by what its agent says to anything, unless this `is_part` of what is to be answered.
        """
        say, words = self._game.world.wording, address.text
        if not finds_few_words(self._agent.queue):
            return ""
        if address.by_person and (refusal := self._refusal(words, address.by_id)):
            return refusal
        partner, is_asked = self._game.world.characters.get(address.by_id), is_question(words, say)
        if partner and is_asked and self._whispers.are_asked_for(words, partner):
            return self._rng.choice(say("talk.instead_reveals").split("; "))
        if has_phrase(say("asked.asks_whispered"), words) and (whispered := self._whispered(address)):
            return whispered
        if has_phrase(say("asked.asks_found"), words) and self._has_lost(address) and not self.known_here(address):
            return self._rng.choice(say("asked.not_found").split("; "))
        if is_seen_first(words, self._game.world, self._agent.character) and (seen := self._seen(address)):
            return seen
        known = self.known(address) if self._is_tiny else ""
        world = self._game.world
        if where := self._presentation(address) or (self._lending.instead(address) if address.by_person else ""):
            return where
        is_deed = asks_to_walk("talk.asks_along", words, world) or self._lending.asked_for(address)
        if not address.by_person or address.is_gift or address.with_gift or is_deed:
            return known
        told = self._of_errand(address) or self._introduction(words) or self._recognition(address)
        if told := told or self._knowledge_of(address) or self._of_messages(address) or self._misunderstood(address):
            return told
        if is_farewell(words, say) and not is_asked:  # whatever else is told on the way out
            goodbye = say("talk.says_goodbye") if self._is_tiny else ""
            return self.own.in_own_voice(address, VERY_SURE) or known or self._rng.choice(goodbye.split("; "))
        if is_asked:
            found = self._answer_to_question(address, known)
            is_lost = not is_part and (self._is_tiny or self.own.is_worry(words, address.channel))
            return found or (self.own.at_a_loss(address) if is_lost else "")
        is_spoken_for = self.own.takes_up(words, address.channel)
        return self._reply_to_told(address) or known or (self.own.at_a_loss(address) if is_spoken_for else "")

    def leads_to(self, address: Address) -> str:
        """Return the id of the room to which a person here asks to be led: named, or talked of last; empty if none."""
        world, actor, memory = self._game.world, self._agent.character, self._agent.memory
        partner = world.characters.get(address.by_id)
        is_here = partner is not None and not partner.is_agent and partner.room_id == actor.room_id
        if not is_here or not asks_to_walk("talk.asks_led", address.text, world):
            return ""
        if names_goal(address.text):
            return place_named(address.text, world, actor, address.by_id)
        said = (utterance_in(one, memory.reading) for one in reversed(memory.view().tail[-MENTIONED:]))
        places = (place_named(one.text, world, actor, address.by_id) for one in said if one)
        return next(filter(None, places), "")

    def _misunderstood(self, address: Address) -> str:
        """Return what is said to one who puts right what was misheard, or speaks another language; else nothing."""
        say, words, voice = self._game.world.wording, address.text, self._agent.mind.voice
        if puts_right(words):
            return voice.answer_to(say("dialogue.plain_correction"), self._agent.memory.view().tail, is_asked=False)
        is_foreign = voice.is_foreign(words) and not is_farewell(words, say)
        lines = self.own.unsaid(say("talk.foreign", name=self._agent.name)) if is_foreign else []
        return self.known_here(address) or lines[0] if lines else ""

    def _of_errand(self, address: Address) -> str:
        """Return where the agent is going, if somebody asks for that and it is on an errand; or nothing."""
        say, step = self._game.world.wording, None
        if has_phrase(say("asked.asks_errand"), address.text):
            step = self._agent.next_step()
        if step is None or step.led or not (step.errand.where or step.errand.do):
            return ""
        errand, (verb, thing, to) = step.errand, handed_by(step.errand.do)
        if verb == "get":
            return say("asked.say_fetches", where=errand.where, thing=thing)
        if verb == "give" and to != address.by_id:
            return say("asked.say_brings", who=to, thing=thing)
        return say("asked.say_goes", where=errand.where) if errand.where else ""

    def _presentation(self, address: Address) -> str:
        """Return who the one other person here is, if somebody asks that; or nothing."""
        world, here, say = self._game.world, self._agent.character.room_id, self._game.world.wording
        if not has_phrase(say("asked.asks_who_this_is"), address.text):
            return ""
        others = [one for one in world.awake() if one.room_id == here and one.character_id != address.by_id]
        names = [self._greeting.name_of(one.character_id) for one in others if not one.is_agent]
        return say("asked.say_this_is", who=names[0]) if len(names) == 1 and names[0] else ""

    def _introduction(self, words: str) -> str:
        """Return the greeting of a person here whom somebody presents, as in "This is my brother Ivo."; or nothing."""
        world, here = self._game.world, self._agent.character.room_id
        people = (one for one in world.awake() if one.room_id == here and not one.is_agent)
        names = (name for one in people for name in self._names_of(one.name))
        named = next((one for one in names if presents(words, one)), "")
        return self._greeting.to_presented(named) if named else ""

    def _refusal(self, words: str, by: str) -> str:
        """Return what is said to one, called `by`, who presses the agent or insults it; empty if they do not."""
        memory, voice, say = self._agent.memory, self._agent.mind.voice, self._game.world.wording
        tail = memory.view().tail
        spoken = (utterance_in(one, memory.reading) for one in tail[-INSISTED_ON:])
        if presses(words, (one.text for one in spoken if one and one.speaker == by), say):
            return voice.to_any("pressing", tail) or self._rng.choice(say("asked.odd_answers").split("; "))
        is_insult = act_of(words, say) == "insult" and subject_of(words) == "asked" and not is_question(words, say)
        return voice.answer_to(say("dialogue.plain_insult"), tail, is_asked=False) if is_insult else ""

    def _answer_to_question(self, address: Address, known: str) -> str:
        """Return the answer to a person who asks; `known` is what a tiny model's agent would say in any case."""
        if told := self._of_what_was_said(address):
            return told
        parts = asking_parts(address.text)
        if len(parts) < 2:
            return self._answer_to_one(address, known)
        each = [self.answer(replace(address, text=one), is_part=True) for one in parts]
        return " ".join(dict.fromkeys(filter(None, each))) if all(each) or self._is_tiny else ""

    def _of_what_was_said(self, address: Address) -> str:
        """Return the answer to a question about the talk itself that a small model gets wrong; empty if it is none.

        It says yes to whatever it is asked: whether somebody has said a thing, or whether it has kept a secret.
        """
        words, say, memory = address.text, self._game.world.wording, self._agent.memory
        partner = self._game.world.characters.get(address.by_id)
        if partner is None:
            return ""
        if has_phrase(say("asked.asks_kept"), words) and self._whispers.has_kept(words, partner):
            return self._rng.choice(say("asked.say_kept").split("; "))
        if has_phrase(say("asked.asks_source"), words):
            who = source_of(words, memory.view(), partner, memory.reading)
            return say("asked.say_source", who=self._names_of(who)[0]) if who else ""
        if has_phrase(say("asked.asks_leave"), next(reversed(list(sentences(words))), "")):
            return self._rng.choice(say("asked.gives_leave").split("; "))
        if is_riddle(words):
            return self._rng.choice(say("talk.to_riddle").split("; "))
        is_told = has_phrase(say("asked.asks_promise"), words) or asks_whether_told(words)
        return self.recalled(address, "sure") if is_told else ""

    @property
    def _whispers(self) -> Whispers:
        memory = self._agent.memory
        return Whispers(memory.view(), self._game.world, memory.reading, self._names_of)

    def _answer_to_one(self, address: Address, known: str) -> str:
        """Return the answer to one question, or nothing."""
        words = address.text
        is_own = self._is_tiny and asks_of_self(words)  # which the world does not know
        is_back = self._is_tiny and (is_own or goes_back(words) or asks_again(asking_part(words), self._game.world))
        if is_back or asks_which_of_us(words):
            is_known = not is_own and self.known_here(address, is_sure=True)
            if told := self.recalled(address, "sure" if is_known else "any"):
                return told
        found = self.own.in_own_voice(address, VERY_SURE) or ("" if is_own else known)
        if not found and is_own and is_of_own_past(words):
            return self._rng.choice(self._game.world.wording("talk.instead_untold").split("; "))
        if not found and not (asks_of_self(words) or goes_back(words)):
            of_world = "" if subject_of(words) == "asked" else self.known_here(address)
            own = "" if of_world else self.own.in_own_voice(address, ASKED_SUBJECT)
            found = (of_world if self._is_tiny else self.known_here(address, is_sure=True)) or own
        if found or not self._is_tiny:
            return found
        return self.own.in_own_voice(address) or ("" if subject_of(words) == "asked" else self.recalled(address, "any"))

    def is_open(self, address: Address) -> bool:
        """Return whether words leave room for what the agent has for who speaks: they ask nothing, or just that."""
        world, words = self._game.world, address.text
        return not is_question(words, world.wording) or asks_again(words, world)

    def _of_messages(self, address: Address) -> str:
        """Return a message for who speaks, unless they ask for something else; or the promise to tell an agent one."""
        world, here, words = self._game.world, self._agent.character.room_id, address.text
        partner = world.characters.get(address.by_id)
        is_due = partner is not None and (self.is_open(address) or self._names_sender(partner, words))
        if partner and is_due and (message := self._greeting.messages.told_to(partner)):
            return message
        others = (one for one in world.awake() if one.is_agent and one.room_id != here)
        who = next((one.name for one in others if words_to_tell(address.text, one.name)), "")
        return self._rng.choice(world.wording("asked.will_tell", who=who).split("; ")) if who else ""

    def _names_sender(self, partner: Character, words: str) -> bool:
        """Return whether words name who asked the agent to tell the partner something, or look for somebody."""
        sender = self._greeting.messages.sender(partner)
        is_sought = has_phrase(self._game.world.wording("asked.asks_sought"), words)
        return bool(sender) and (is_sought or any(is_named(one, words) for one in self._names_of(sender)))

    def _names_of(self, who: str) -> tuple[str, ...]:
        return self._agent.reflection.people.names_of(who)

    @property
    def _is_tiny(self) -> bool:
        return is_tiny(self._agent.queue)

    def _reply_to_told(self, address: Address) -> str:
        """Return what the agent's examples reply to what a person tells, by the name that they give with it."""
        own, name = self.own.in_own_voice(address), self._told_name(address)
        if not name:
            return own
        say = self._game.world.wording
        told = key_words(address.text) - key_words(f"{name} {self._agent.name} {say('talk.says_name')}")
        is_all = len(told) < MORE_THAN_A_NAME
        more = self._rng.choice(say("talk.is_met").split("; ")) if is_all else self.own.at_a_loss(address)
        return f"{say('talk.is_called', who=name)} {own or more}".strip()

    def _whispered(self, address: Address) -> str:
        """Return what somebody has whispered to the agent, or before others that it is not told there; or nothing."""
        partner = self._game.world.characters.get(address.by_id)
        if partner is None:
            return ""
        if any(one.speaker == partner.name for one in self._agent.secrets_from(partner)):
            return self._rng.choice(self._game.world.wording("asked.only_whispered").split("; "))
        return self.recalled(address, "sure")

    def _has_lost(self, address: Address) -> bool:
        """Return whether somebody has told the agent of a loss."""
        return any(one.label == LOSS for one in self._agent.reflection.people.facts(address.by_id))

    def _recognition(self, address: Address) -> str:
        """Return what is said to a guest who tells the name of somebody known from before; empty at all other times."""
        known, world = self._agent.reflection.people.from_before(address.by_id), self._game.world
        name = self._told_name(address) if known else ""
        if not name:
            return ""
        hello, tail = world.wording("talk.is_back", who=name), self._agent.memory.view().tail
        this_visit = dropwhile(lambda one: address.by_id not in one.people, tail)
        if any(hello in one.text for one in this_visit):
            return ""
        told = [told_again(one.words, self._agent.character, world) for one in said_aloud(known)]
        return " ".join([hello, *told[-1:]])

    def _knowledge_of(self, address: Address) -> str:
        """Return what a person has said of themselves to one who asks for just that, or that they are unknown.

        Empty where they have said anything else that it may be.
        """
        say, people, who = self._game.world.wording, self._agent.reflection.people, address.by_id
        if not has_phrase(say("asked.asks_of_asker"), address.text):
            return ""
        facts = [one.words for one in said_aloud(people.facts(who))]
        called = [say("asked.say_name", name=name)] if (name := self._greeting.name_of(who)) else []
        if not facts and any(one.label != NAME for one in people.facts(who)):
            return ""
        said = facts[-MAX_FACTS:] or list(filter(None, [self._said_last(address)]))
        if said:
            return " ".join([*called, *(told_again(one, self._agent.character, self._game.world) for one in said)])
        if not self._is_new(address):
            return ""
        return say("asked.say_only_name", name=name) if name else say("asked.say_unknown")

    def _said_last(self, address: Address) -> str:
        """Return the last sentence by which somebody has told something aloud, before these words; or nothing."""
        memory, say = self._agent.memory, self._game.world.wording
        spoken = (utterance_in(one, memory.reading) for one in reversed(memory.view().tail))
        aloud = (one for one in spoken if one and one.speaker == address.by_id and not one.privately)
        told = (one for said in aloud for one in reversed(list(sentences(said.text))) if one not in address.text)
        told = (one for one in told if kind_of(one, address.by_id) != NAME)  # the answer begins with the name
        return next((one for one in told if len(one.split()) >= SHORTEST_TOLD and not is_question(one, say)), "")

    def _is_new(self, address: Address) -> bool:
        """Return whether an agent has never heard somebody before these words of theirs."""
        memory, who = self._agent.memory, address.by_id
        tail = memory.view().tail
        heard = [one for one in tail if who in one.people and utterance_in(one, memory.reading)]
        knows_all = bool(tail) and tail[0].seq == 1
        return knows_all and len(heard) <= len(address.lines)

    def _told_name(self, address: Address) -> str:
        """Return the name that a person gives of themselves in their words, as the agent has taken it; or nothing."""
        spoken = Utterance(address.by_id, address.text)
        facts = [*heard_facts(spoken, 0), answered_name(spoken, 0)]
        names = [told_name(one.words) for one in facts if one is not None and one.kind == NAME]
        called = self._agent.reflection.people.called(address.by_id)
        return called if called in names else ""

    def known(self, address: Address) -> str:
        """Return what the world, and what the agent was told, answer to somebody's words."""
        return " ".join(self._agent.answers_to(address)[:MAX_ANSWERS])

    def recalled(self, address: Address, certainty: Certainty = "asked") -> str:
        """Return what somebody asks to be told again, as far as that is certain."""
        return " ".join(self._agent.recalls_for(address, certainty))

    def _seen(self, address: Address) -> str:
        """Return what the world shows to answer somebody's words first of all; lore and what was told left aside."""
        found = surely_known(address.text, self._game.world, self._agent.character, self._asker(address))
        return found[0] if found else ""

    def known_here(self, address: Address, is_sure: bool = False) -> str:
        """Return what the world and lore answer to somebody's words, or surely answer, whatever the agent was told."""
        world, words = self._game.world, address.text
        if is_sure and (subject_of(words) == "asked" or asks_again(words, world)):
            return ""
        found = surely_known if is_sure else answers
        return " ".join(found(words, world, self._agent.character, self._asker(address))[:MAX_ANSWERS])

    def _asker(self, address: Address) -> Person:
        """Return who asks, without anything that the agent was told of them."""
        who, characters = address.by_id, self._game.world.characters
        return Person(who, characters[who].name if who in characters else who)
