"""The agent's own lines: what it says by its `voice.md`, or by a stock phrase, whatever the world knows."""

from __future__ import annotations

import random
import re

from agents.attending.conversation import beyond_greeting, is_question, without_idle_phrases
from agents.attending.perception import Address
from agents.attending.questions import asks_advice, asks_of_own_words, goes_back
from agents.choices.policy import PRIVATE
from agents.components.dialogue import ANSWERED_ALIKE, GRAVE, act_of
from agents.components.voice import SURE, VERY_SURE
from agents.reflection.speech_facts import key_words
from agents.speaker import Speaker, is_tiny
from world.game import Game
from world.parsing import has_phrase

_TO_AGENT = re.compile(
    r"(?:(?:and|but|so|well|please|oh) )?(?:(?:you|u|ur|your|let|show|sit|wait|look|tell|help|give|come|go|keep|write|"
    r"take|listen|stop|do not|remember|promise|watch|hold|bring|ask|please)\b"
    r"|(?:I|we) \w+ (?:to \w+ )?(?:you|u|your)\b)",
    re.IGNORECASE,
)
"""What is said to the agent itself: of it, or that it should do something."""

_OF_AGENT = re.compile(r"\b(?:can|could|will|would|do|did|have|are) (?:you|u)\b(?! think)", re.IGNORECASE)

TELLING = 2
"""Minimum number of key words of a remark that tells something."""


class OwnLines:
    """Finds the lines of one agent for what a person says to it."""

    def __init__(self, agent: Speaker, game: Game, rng: random.Random) -> None:
        self._agent = agent
        self._game = game
        self._rng = rng

    def in_own_voice(self, address: Address, least: float = SURE) -> str:
        """Return what the agent's examples answer to a person who says nearly the same."""
        if not address.by_person:
            return ""
        say, voice, tail = self._game.world.wording, self._agent.mind.voice, self._agent.memory.view().tail
        is_asked, is_private = is_question(address.text, say), address.channel in PRIVATE
        act = "" if is_asked else act_of(address.text, say)
        is_delicate = act in GRAVE or (is_private and not is_asked)
        words = without_idle_phrases(beyond_greeting(address.text, self._agent.name, say))
        found = voice.answer_to(words, tail, is_asked, max(least, VERY_SURE) if is_delicate else least)
        if found or is_private or act not in ANSWERED_ALIKE:
            return found
        return voice.answer_to(say(f"dialogue.plain_{act}"), tail, is_asked=False)

    def takes_up(self, words: str, channel: str) -> bool:
        """Return whether a remark is taken up by a line for any remark rather than by the words of a small model.

        Such a model mixes up who has done what, and says things back. What is sad or whispered is never left to it;
        what is said to the agent, or asks it for a thing, is. An insult is one only to the agent. A tiny model is left
        nothing but thanks.
        """
        say = self._game.world.wording
        if is_tiny(self._agent.queue):
            return not has_phrase(say("talk.thanks"), words)
        act = act_of(words, say)
        if act in GRAVE:
            return True
        name = self._agent.name
        told = without_idle_phrases(beyond_greeting(words, name, say))
        polite = f"{name} {say('talk.greetings')} {say('talk.leads')} {say('talk.thanks')}"
        if len(key_words(told) - key_words(polite)) < TELLING:
            return channel == "whisper" and not has_phrase(say("talk.thanks"), words)
        told = re.sub(rf"^(?:dear )?{re.escape(name)}\W+", "", told, flags=re.IGNORECASE)
        is_request = bool(_TO_AGENT.match(told)) or has_phrase(say("talk.asks_to_have"), words)
        return channel == "whisper" or (act in ("", "insult", *ANSWERED_ALIKE) and not is_request)

    def is_worry(self, words: str, channel: str) -> bool:
        """Return whether somebody whispers a question that wants an ear more than an answer: "What shall I do?"."""
        is_of_talk = goes_back(words) or asks_of_own_words(words) or _OF_AGENT.search(words)
        return channel == "whisper" and asks_advice(words) and not is_of_talk

    def at_a_loss(self, address: Address) -> str:
        """Return what the agent says to whatever a person asks or tells in its language, or confides; or nothing."""
        say, is_whispered = self._game.world.wording, address.channel == "whisper"
        is_asked = is_question(address.text, say)
        is_grave = address.by_person and not is_asked and act_of(address.text, say) in GRAVE
        if is_whispered and is_asked and self.is_worry(address.text, address.channel):
            return self._any_of("talk.is_asked_privately")
        if is_grave or (is_whispered and not is_asked):  # nobody answers with a merry line
            return self._any_of("talk.feels_for" if is_grave else "talk.is_confided")
        voice, tail = self._agent.mind.voice, self._agent.memory.view().tail
        is_for_us = address.by_person and voice.understands(address.text)
        return voice.to_any("asked" if is_asked else "told", tail) if is_for_us else ""

    def unsaid(self, lines: str) -> list[str]:
        """Return those of some lines, split by `;`, that the agent has not said in the tail."""
        acted = [one.text for one in self._agent.memory.view().tail if one.kind == "acted"]
        return [line for line in lines.split("; ") if not any(line in text for text in acted)]

    def _any_of(self, key: str) -> str:
        return self._rng.choice(self.unsaid(self._game.world.wording(key)) or [""])
