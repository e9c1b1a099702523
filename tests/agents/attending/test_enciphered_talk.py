"""A talk in a language that nobody knows leads to the same addressees, the same floor and the same manners.

Names, rooms and speeches are enciphered letter by letter; digits and marks stay. So no word of any language decides.
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from agents.attending.conversation import Conversation
from agents.attending.turn_taking import Floor
from world.entities import Character, Exit, Room
from world.events import Arrived, Left, Said, Whispered
from world.world import World

AGENTS = ("Rook", "Jay", "Old Jay", "Wren2")
PEOPLE = ("Ana", "Anais", "Mr Hill", "Guest1")
NAMES = AGENTS + PEOPLE
ROOMS = ("Yard", "Mill")

ALPHABETS = (
    string.ascii_lowercase,
    "абвгдежзиклмнопрстуфхцчшщэ",
    "აბგდევზთიკლმნოპჟრსტუფქღყშჩ",
    "ابتثجحخدذرزسشصضطظعغفقكلمنه",
    [f"{letter}ा" for letter in "कखगघचछजझटठडढणतथदधनपफबभमयरल"],  # each with a vowel sign
)
"""Alphabets of 26 letters with blanks between words."""


@dataclass(frozen=True)
class Step:
    """Somebody says words, or whispers them (`to` a number among the names), or goes to the other room without any."""

    who: str
    words: str = ""
    to: str = ""
    is_whisper: bool = False


WORDS = ("good bye", "where is the key", "I am", "tell", "ask", "rookie", "an", "7", "thanks")
no_name = st.just("")
some_name = st.sampled_from(NAMES)
sentences = st.builds(
    lambda first, words, last, mark: ", ".join(one for one in (first, words, last) if one) + mark,
    no_name | no_name | some_name,
    st.lists(st.sampled_from(WORDS) | st.sampled_from(WORDS) | some_name, max_size=3).map(" ".join),
    no_name | no_name | some_name,
    st.sampled_from((".", "?", "!", "", "…", "？")),
)
speeches = st.builds(
    lambda who, parts, to, is_whisper: Step(who, " ".join(parts), to, is_whisper and bool(to)),
    st.sampled_from(("Ana", "Ana", "Mr Hill", "Rook", *NAMES)),
    st.lists(sentences, min_size=1, max_size=2),
    no_name | no_name | no_name | some_name,
    st.booleans(),
)
steps = st.one_of(speeches, speeches, speeches, st.builds(Step, st.sampled_from(NAMES)))


def cipher(seed: int, letters: str | list[str]) -> Callable[[str], str]:
    """Return a function that enciphers a text; capitals become capitals where the alphabet has them."""
    shuffled = random.Random(seed).sample(list(letters), len(string.ascii_lowercase))
    table = dict(zip(string.ascii_lowercase, shuffled, strict=True))
    table |= {plain.upper(): secret.upper() for plain, secret in table.items() if secret.upper().lower() == secret}
    return lambda text: "".join(table.get(one, table.get(one.lower(), one)) for one in text)


def decisions(talk: list[Step], secret: Callable[[str], str]) -> list[object]:
    """Return what is decided at each step of an enciphered talk: whom it is for, who takes it up, and all manners."""
    rooms = [secret(one) for one in ROOMS]
    world = World([Room(one, "", {"out": Exit("out", other)}) for one, other in zip(rooms, rooms[::-1], strict=True)])
    for name in NAMES:
        world.add_character(Character(secret(name), rooms[0], awake=True, is_agent=name in AGENTS))
    floor, plain = Floor(), {secret(name): name for name in NAMES} | {"": ""}
    agents = {secret(name): Conversation(secret(name), lambda: 0) for name in AGENTS}
    found = list[object]()
    for step in talk:
        for event in _events(step, world, rooms, secret):
            takes = [plain[name] for name in agents if floor.is_for(event, name, world)]
            to_id = floor.addressee(event, world)
            for name, conversation in agents.items():
                if world.characters[name].room_id == event.room_id:
                    conversation.observe(event, world, to_id)
                    floor.perceive(name)
            for name in takes:
                floor.begin_turn(secret(name))
            found += [plain[to_id], takes]
        for conversation in agents.values():
            now = conversation.manners()
            to = {plain[one] for one in now.spoken_to}
            parted = {plain[one] for one in now.parted}
            found.append((plain[now.in_talk_with], now.is_waiting, now.others_talk, to, now.words_here, parted))
    return found


def _events(
    step: Step, world: World, rooms: list[str], secret: Callable[[str], str]
) -> list[Said | Whispered | Left | Arrived]:
    who = world.characters[secret(step.who)]
    if step.is_whisper:
        return [Whispered(who.character_id, who.room_id, secret(step.to), secret(step.words))]
    if step.words:
        return [Said(who.character_id, who.room_id, secret(step.words), to_id=secret(step.to))]
    before, who.room_id = who.room_id, rooms[1 - rooms.index(who.room_id)]
    return [Left(who.character_id, before, "out", who.room_id), Arrived(who.character_id, who.room_id, before)]


@given(st.lists(steps, min_size=8, max_size=24), st.integers(0, 1000))
def test_an_enciphered_talk_leads_to_the_same_addressees_floor_and_manners(talk, seed):
    plain = decisions(talk, lambda text: text)
    for letters in ALPHABETS:
        assert decisions(talk, cipher(seed, letters)) == plain
