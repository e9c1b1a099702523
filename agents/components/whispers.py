"""What was whispered: which of it must not be told, and whether the agent has kept it."""

from __future__ import annotations

import re
from dataclasses import replace

from agents.attending.questions import written_out
from agents.components.messages import LOOKED_THROUGH, NamesOf
from agents.memory.facts.extraction import Utterance, awaits_outcome, speeches_in
from agents.memory.facts.narration_parser import NarrationParser
from agents.memory.facts.store import ME
from agents.memory.view import View
from agents.reflection.speech_facts import key_words
from vault.memory.memory_line import Memory
from world.entities import Character
from world.parsing import is_named, parse_line
from world.sanitize import name_key

_ASKS_SAID = re.compile(
    r"\b(?:what|why|did|does|tell me)\b.*"
    r"\b(?:says?|said|tells?|told|talk(?:ed|ing)?|whisper(?:s|ed)?|confide[sd]?|want(?:s|ed)?)\b",
    re.IGNORECASE,
)


def secrets(view: View, partner: Character, reading: NarrationParser, is_overheard: bool) -> list[Utterance]:
    """Return the whispers between the agent and others, and if others hear its words, also those with the partner."""
    found: list[Utterance] = []
    for one, said in speeches_in(view.tail[-LOOKED_THROUGH:], reading):
        is_own = awaits_outcome(one)  # its own whisper, or tell
        is_of_partner = _is_to(partner, one) or said.speaker == partner.name
        if (is_own or said.privately) and (is_overheard or not is_of_partner):
            found.append(replace(said, text=said.words))
    return found


def has_kept(question: str, view: View, partner: Character, reading: NarrationParser) -> bool:
    """Return whether the partner has confided something to the agent, and it has told nobody else a word of that."""
    confided, told = frozenset[str](), frozenset[str]()
    asked = question.split("\n")
    for one, said in speeches_in(view.tail[-LOOKED_THROUGH:], reading):
        if said.privately and said.speaker == partner.name and said.words not in asked:
            confided |= key_words(said.words)
        elif one.kind == "acted" and confided and not _is_to(partner, one):
            told |= key_words(said.words)
    return bool(confided) and not confided & told


def asks_confided(question: str, view: View, partner: Character, reading: NarrationParser, names_of: NamesOf) -> bool:
    """Return whether a question is for what somebody else has said whose newest words, to the agent, were whispered."""
    if not _ASKS_SAID.search(written_out(question)):
        return False
    newest: dict[str, Utterance] = {}
    for _, said in speeches_in(view.tail[-LOOKED_THROUGH:], reading):
        newest[said.speaker] = said
    others = (who for who, one in newest.items() if who not in (ME, partner.name) and one.privately)
    return any(is_named(name, question) for who in others for name in names_of(who))


def _is_to(partner: Character, memory: Memory) -> bool:
    """Return whether a line of the agent's own is a whisper, or a tell, to the partner."""
    return awaits_outcome(memory) and name_key(parse_line(memory.text).arguments).startswith(name_key(partner.name))
