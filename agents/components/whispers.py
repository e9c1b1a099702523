"""What was whispered: which of it must not be told, and whether the agent has kept it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass, replace

from agents.attending.questions import written_out
from agents.components.messages import LOOKED_THROUGH, NamesOf
from agents.memory.facts.extraction import Utterance, awaits_outcome, speeches_in
from agents.memory.facts.narration_parser import NarrationParser
from agents.memory.facts.store import ME
from agents.memory.view import View
from agents.reflection.speech_facts import key_words
from vault.memory.memory_line import Memory
from world.entities import Character
from world.parsing import has_phrase, is_named, parse_line
from world.sanitize import name_key
from world.world import World

_ASKS_SAID = re.compile(
    r"\b(?:what|why|did|does|tell me)\b.*"
    r"\b(?:says?|said|tells?|told|talk(?:ed|ing)?|whisper(?:s|ed)?|confide[sd]?|want(?:s|ed)?)\b",
    re.IGNORECASE,
)

_ASKS_WHISPERED = re.compile(r"\b(?:whisper\w*|confide[sd]?|secret\w*)\b", re.IGNORECASE)
_ASKS_WHAT_WHISPERED = re.compile(r"\bwhat (?:did|has|was)(?! (?:i|we)\b)[^.!?]*\bwhisper(?:ed)?\b", re.IGNORECASE)
_ASKS_WHERE = re.compile(r"\b(?:where|seen|see|find|which way|hiding|hid)\b", re.IGNORECASE)
_NOT_TOLD = re.compile(
    r"\b(?:not tell|never tell|tell (?:nobody|no one)|not (?:say|let on)|hid(?:e|es|ing)?|secret|between us)\b",
    re.IGNORECASE,
)


def secrets(view: View, partner: Character, reading: NarrationParser, is_overheard: bool) -> list[Utterance]:
    """Return the whispers between the agent and others, and if others hear its words, also those with the partner.

    What the partner has said aloud as well is left out of theirs.
    """
    found: list[Utterance] = []
    aloud = frozenset[str]()
    for one, said in speeches_in(view.tail[-LOOKED_THROUGH:], reading):
        is_own = awaits_outcome(one)  # its own whisper, or tell
        is_of_partner = _is_to(partner, one) or said.speaker == partner.name
        if (is_own or said.privately) and (is_overheard or not is_of_partner):
            found.append(replace(said, text=said.words))
        elif said.speaker == partner.name:
            aloud |= key_words(said.words)
    return [_without(aloud, one) if one.speaker == partner.name else one for one in found]


@dataclass(frozen=True)
class Whispers:
    """What others have whispered to an agent, as it remembers it verbatim."""

    view: View
    world: World
    reading: NarrationParser
    names_of: NamesOf

    def has_kept(self, question: str, partner: Character) -> bool:
        """Return whether the partner has confided something to the agent, and it has told nobody else a word of it."""
        confided, told = frozenset[str](), frozenset[str]()
        asked = question.split("\n")
        for one, said in self._speeches():
            if said.privately and said.speaker == partner.name and said.words not in asked:
                confided |= key_words(said.words)
            elif one.kind == "acted" and confided and not _is_to(partner, one):
                told |= key_words(said.words)
        return bool(confided) and not confided & told

    def are_asked_for(self, question: str, partner: Character) -> bool:
        """Return whether a question is for what somebody else has whispered, or where one is who does not want it told.

        Who is named is asked after, if their newest words to the agent were whispered, or any if it asks for a whisper.
        """
        written = written_out(question)
        is_whisper = has_phrase(self.world.wording("asked.asks_confided"), question)
        is_whisper = is_whisper or bool(_ASKS_WHAT_WHISPERED.search(written))
        if not (is_whisper or _ASKS_SAID.search(written) or _ASKS_WHERE.search(written)):
            return False
        others = [said for _, said in self._speeches() if said.speaker not in (ME, partner.name)]
        if is_whisper and any(said.privately for said in others):
            return True
        is_any = bool(_ASKS_WHISPERED.search(written))
        newest = {said.speaker: said for said in others if said.privately or not is_any}
        whispered = {who: one for who, one in newest.items() if one.privately}
        named = [one for who, one in whispered.items() if any(is_named(name, question) for name in self.names_of(who))]
        if _ASKS_SAID.search(written):
            return bool(named)
        return bool(_ASKS_WHERE.search(written)) and any(_NOT_TOLD.search(written_out(one.words)) for one in named)

    def _speeches(self) -> Iterator[tuple[Memory, Utterance]]:
        return speeches_in(self.view.tail[-LOOKED_THROUGH:], self.reading)


def _without(known: Set[str], said: Utterance) -> Utterance:
    """Return words without those that are known."""
    hidden = (word for word in said.words.split() if not key_words(word) or key_words(word) - known)
    return replace(said, text=" ".join(hidden))


def _is_to(partner: Character, memory: Memory) -> bool:
    """Return whether a line of the agent's own is a whisper, or a tell, to the partner."""
    return awaits_outcome(memory) and name_key(parse_line(memory.text).arguments).startswith(name_key(partner.name))
