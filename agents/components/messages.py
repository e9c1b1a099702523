"""Messages: what somebody asks an agent to tell somebody else, which it tells them when they meet."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

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


def message_for(
    partner: Character, view: View, world: World, reading: NarrationParser, is_certain: bool = False
) -> tuple[Memory, Utterance] | None:
    """Return what somebody asked the agent to tell the partner, if it has said nothing of the kind since; or None.

    That is the newest speech with the partner's name and one of some phrases; if it `is_certain`, one that asks just
    that.
    """
    own: list[str] = []
    for one, said in speeches_in(reversed(view.tail[-LOOKED_THROUGH:]), reading):
        if said.privately or said.speaker == partner.name:
            continue
        if one.kind == "acted":
            own.append(said.words)
        elif _asks_to_tell(said.text, partner.name, world, is_certain):
            told = words_to_tell(said.text, partner.name) or said.text
            return None if _has_delivered(told, partner.name, own) else (one, said)
    return None


def message_sender(partner: Character, view: View, world: World, reading: NarrationParser) -> str:
    """Return who surely asked the agent to tell the partner what it has not told yet; empty if nobody did."""
    found = message_for(partner, view, world, reading, is_certain=True)
    return found[1].speaker if found else ""


def _asks_to_tell(text: str, name: str, world: World, is_certain: bool) -> bool:
    if is_certain:
        return bool(words_to_tell(text, name))
    return is_named(name, text) and has_phrase(world.wording("asked.message"), text)


def _has_delivered(words: str, name: str, own: Iterable[str]) -> bool:
    """Return whether one of the agent's own speeches has these words, or two of their key words."""
    keys, forms = key_words(words) - key_words(name), {_letters(words), _letters(in_third_person(words) or words)}
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
    found = re.search(rf"(?:{by_name}|{by_chance}),? (?:that )?{_TOLD}", text, re.IGNORECASE)
    return found["words"] if found else ""


def who_awaits_message(
    company: Iterable[Character], view: View, world: World, reading: NarrationParser
) -> Character | None:
    """Return one of those present to whom the agent was asked to tell something that it has not told yet, or None.

    Who has asked for it and is there as well may tell it themselves.
    """
    company = list(company)
    present = {one.name for one in company}
    lines = [one for one in view.tail[-LOOKED_THROUGH:] if one.kind != "acted" and _MAY_TELL.search(one.text)]
    spoken = [said for _, said in speeches_in(lines, reading)]
    asked = [said for said in spoken if not said.privately and said.speaker not in present]
    named = [one for one in company if any(words_to_tell(said.text, one.name) for said in asked)]
    return next((one for one in named if message_for(one, view, world, reading, is_certain=True)), None)


def message_told(
    partner: Character, view: View, world: World, reading: NarrationParser, called: Callable[[str], str]
) -> str:
    """Return what somebody who is not here asked the agent to tell the partner, as it says it; empty if nothing.

    `called` returns the name that a guest has given; empty if none.
    """
    if who_awaits_message(world.occupants(partner.room_id), view, world, reading) is not partner:
        return ""
    found = message_for(partner, view, world, reading, is_certain=True)
    if found is None:
        return ""
    _, said = found
    who, words = called(said.speaker) or said.speaker, words_to_tell(said.text, partner.name)
    if told := in_third_person(words):
        return world.wording("asked.say_message_of", who=who, words=told)
    return world.wording("asked.say_message", who=who, words=words)
