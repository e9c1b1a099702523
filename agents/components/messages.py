"""Messages: what somebody asks an agent to tell somebody else, which it tells them when they meet."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from agents.attending.questions import written_out
from agents.memory.facts.extraction import Utterance, speeches_in
from agents.memory.facts.narration_parser import NarrationParser
from agents.memory.view import View
from agents.reflection.speech_facts import in_third_person, key_words
from vault.memory.memory_line import Memory
from world.entities import Character
from world.parsing import has_phrase, is_named
from world.world import World

LOOKED_THROUGH = 200
"""So many of the newest memories are looked through."""

_MAY_TELL = re.compile(r"\b(?:tell|remind|let)\b", re.IGNORECASE)
_ASKS = r"(?<!n['’]t )(?<!not )(?<!never )(?<!did you )(?<!do you )(?<!\bI )(?<!to )\b"
_TOLD = r"(?P<words>(?!(?:about|of|what|how|where|why|who)\b)\w[^.!?]*\w)"


NamesOf = Callable[[str], tuple[str, ...]]
"""Returns the names by which people speak of somebody; see `agents.reflection.acquaintances.Acquaintances.names_of`."""


@dataclass(frozen=True)
class Messages:
    """The messages in what an agent remembers verbatim, for those whom it may meet."""

    view: View
    world: World
    reading: NarrationParser
    names_of: NamesOf

    def for_one(self, partner: Character, is_certain: bool = False) -> tuple[Memory, Utterance] | None:
        """Return what somebody asked the agent to tell the partner, if it has said nothing of the kind since; or None.

        That is the newest speech with the partner's name and one of some phrases; if it `is_certain`, one that asks
        just that.
        """
        own: list[str] = []
        names = self.names_of(partner.name)
        for one, said in speeches_in(reversed(self.view.tail[-LOOKED_THROUGH:]), self.reading):
            if said.privately or said.speaker == partner.name:
                continue
            if one.kind == "acted":
                own.append(said.words)
                continue
            told = _told(said.text, names)
            if told or (not is_certain and self._may_ask_to_tell(said.text, names)):
                return None if _has_delivered(told or said.text, names, own) else (one, said)
        return None

    def sender(self, partner: Character) -> str:
        """Return who surely asked the agent to tell the partner what it has not told yet; empty if nobody did."""
        found = self.for_one(partner, is_certain=True)
        return found[1].speaker if found else ""

    def awaited_by(self, company: Iterable[Character]) -> Character | None:
        """Return one of those present to whom the agent was asked to tell something that it has not told yet, or None.

        Who has asked for it and is there as well may tell it themselves.
        """
        company = list(company)
        present = {one.name for one in company}
        lines = [one for one in self.view.tail[-LOOKED_THROUGH:] if one.kind != "acted" and _MAY_TELL.search(one.text)]
        spoken = [said for _, said in speeches_in(lines, self.reading)]
        asked = [said.text for said in spoken if not said.privately and said.speaker not in present]
        names = {one.character_id: self.names_of(one.name) for one in company} if asked else {}
        named = (one for one in company if any(_told(said, names[one.character_id]) for said in asked))
        return next((one for one in named if self.for_one(one, is_certain=True)), None)

    def told_to(self, partner: Character) -> str:
        """Return what somebody who is not here asked the agent to tell the partner, as it says it; empty if nothing."""
        found = self.for_one(partner, is_certain=True)
        if found is None or self.awaited_by(self.world.occupants(partner.room_id)) is not partner:
            return ""
        _, said = found
        who, words = self.names_of(said.speaker)[0], _told(said.text, self.names_of(partner.name))
        if told := in_third_person(written_out(words)):
            return self.world.wording("asked.say_message_of", who=who, words=told)
        return self.world.wording("asked.say_message", who=who, words=words)

    def _may_ask_to_tell(self, text: str, names: Iterable[str]) -> bool:
        is_meant = any(is_named(one, text) for one in names)
        return is_meant and has_phrase(self.world.wording("asked.message"), text)


def _told(text: str, names: Iterable[str]) -> str:
    """Return what a speech asks its hearer to tell one who has these names; empty if nothing."""
    return next(filter(None, (words_to_tell(text, one) for one in names)), "")


def _has_delivered(words: str, names: Iterable[str], own: Iterable[str]) -> bool:
    """Return whether one of the agent's own speeches has these words, or two of their key words."""
    keys = key_words(words) - key_words(" ".join(names))
    forms = {_letters(words), _letters(in_third_person(written_out(words)) or words)}
    return any(any(form in _letters(one) for form in forms) or len(keys & key_words(one)) > 1 for one in own)


def _letters(text: str) -> str:
    return "".join(re.findall(r"\w", text.casefold()))


def words_to_tell(text: str, name: str) -> str:
    """Return what a speech asks its hearer to tell somebody: "Tell Ben that it leaks."; empty if nothing."""
    if name.casefold() not in text.casefold():
        return ""
    who, asks = re.escape(name), rf"{_ASKS}(?:tell|remind)"
    by_name = rf"{asks} {who}\b|{_ASKS}let {who} know\b"
    named = rf"\b(?:if|when|once|should)\b[^.!?]{{0,40}}\b{who}\b[^.!?]{{0,40}}"
    by_chance = rf"{named}(?:{asks} (?:him|her|them)\b|{_ASKS}let (?:him|her|them) know\b)"
    of_kin = rf"\b(?:if|when|once) (?:my|the|a) [^.!?]{{1,40}}{asks} (?:him|her|them)\b(?=.*[.!?,].*\b{who}\b)"
    found = re.search(rf"(?:{by_name}|{by_chance}|{of_kin}),? (?:that )?{_TOLD}", text, re.IGNORECASE)
    return found["words"] if found else ""
