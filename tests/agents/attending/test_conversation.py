"""For whom words are, and the manners that follow: whom to stay with, when to be quiet, and when it is over."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.attending.conversation import (
    ANSWER_MS,
    IN_TALK_MS,
    MET_MS,
    Conversation,
    Manners,
    addressee,
    is_question,
)
from tests.world.inn import inn
from world.entities import Character
from world.events import Arrived, Emoted, Event, Gave, Left, Said, Whispered

ROOM, KITCHEN = "The Common Room", "The Kitchen"


class Heard:
    """Rook's conversation in a room with Ana and Ben, who are people, and Cat, who is an agent."""

    def __init__(self) -> None:
        self.world, self.ms = inn(), 0
        for name in ("Rook", "Cat"):
            self.world.characters[name].room_id = ROOM
            self.world.characters[name].awake = True
            self.world.characters[name].is_agent = True
        self.talk = Conversation("Rook", lambda: self.ms)

    def after(self, *events: Event) -> Manners:
        """Let things happen, and return what manners ask then; whom words are for is known, as from the floor."""
        for event in events:
            to_id = addressee(event, self.world) if isinstance(event, Said) else ""
            self.talk.observe(event, self.world, to_id)
        return self.talk.manners()


def to_whom(words: str, *names: str, partner: str = "", to_id: str = "", meant_for: str = "") -> str:
    """Return whom words of Ana are for, in a room with Ben, Rook and others of these names."""
    world = Heard().world
    world.characters["Cat"].room_id = KITCHEN
    for name in names:
        world.add_character(Character(name, ROOM, awake=True))
    return addressee(Said("Ana", ROOM, words, to_id=to_id, meant_for_id=meant_for), world, partner)


# For whom words are


def test_words_are_for_whom_they_are_known_to_be_meant_whomever_they_name():
    assert to_whom("Ben, is it late?", partner="Ben", to_id="Rook") == "Rook"
    assert to_whom("Ben, is it late?", partner="Ben", meant_for="Rook") == "Rook"
    assert to_whom("Is it late?", meant_for="Guest1") == "Guest1"  # who has gone meanwhile


@pytest.mark.parametrize(
    "words",
    [
        "Rook, is it late?",
        "rook is it late",
        "ROOK!",
        "Good day, Rook.",
        "good day rook",
        "It rains. Rook, is it late? Ben sleeps.",
        "It rains, Rook. Is it late?",
        "- «Rook», is it late?",
        "It rains…Rook?",
    ],
)
def test_a_name_first_or_last_in_a_sentence_calls_whomever_else_the_speaker_talked_with(words):
    assert to_whom(words, partner="Ben") == "Rook"


@pytest.mark.parametrize(
    "name, words",
    [
        ("小明", "小明，你好！"),
        ("小明", "你好小明。"),
        ("Иван", "Здравствуй, иван!"),
        ("علي", "أين أنت يا علي؟"),
        ("राजू", "राजू, कहाँ हो?"),
        ("राजू", "कहाँ हो राजू?"),
        ("Zoë", "Where is it, Zoe\u0308?"),
        ("Old Tess", "Old Tess, where is it?"),
        ("Mr. Finch", "Where is it, Mr. Finch?"),
        ("Mr. Finch", "mr. finch, where is it?"),
        ("d+y", "What a d+y."),
    ],
)
def test_a_name_calls_in_every_script_and_whatever_signs_it_has(name, words):
    assert to_whom(words, name, partner="Ben") == name


@pytest.mark.parametrize("names", [("Old Tess", "Tess", "Old"), ("Old", "Tess", "Old Tess")])
@pytest.mark.parametrize("words", ["Old Tess, is it late?", "Is it late, Old Tess?", "I saw Old Tess there."])
def test_the_longest_name_that_stands_there_is_the_one_that_is_meant(names, words):
    assert to_whom(words, *names) == "Old Tess"


@pytest.mark.parametrize("words", ["What does Rook do?", "Is it late?", "A rookie mistake.", "...", ""])
def test_words_that_call_nobody_are_for_the_speaker_s_partner_if_still_here(words):
    assert to_whom(words, partner="Ben") == "Ben"
    assert to_whom(words, partner="Cat") != "Cat"


def test_who_is_named_in_the_middle_is_meant_where_the_speaker_talks_with_nobody():
    assert to_whom("What does Rook do?") == "Rook"
    assert to_whom("What does Rook do?", partner="Cat") == "Rook"  # Cat has gone


@pytest.mark.parametrize("words", ["It rains.", "A rookie mistake.", "Where is Cat?", "Dan sleeps, I see.", ""])
def test_words_to_the_only_one_who_listens_are_for_that_one_and_in_company_for_nobody(words):
    assert to_whom(words) == ""
    world = Heard().world
    world.characters["Cat"].room_id = world.characters["Ben"].room_id = KITCHEN
    assert addressee(Said("Ana", ROOM, words), world) == "Rook"


@given(st.text("ab ?？؟.!…", max_size=12))
def test_a_question_is_a_question_mark(words):
    assert is_question(words) == any(mark in words for mark in "?？؟")


# Manners


def test_who_spoke_or_came_or_gave_something_is_stayed_with_for_a_while_if_it_is_a_person():
    for event in (Said("Ana", ROOM, "hello Rook"), Arrived("Ana", ROOM), Gave("Ana", ROOM, "copper coin", "Rook")):
        heard = Heard()
        assert heard.after(event).in_talk_with == "Ana"
        heard.ms = IN_TALK_MS
        assert heard.talk.manners().in_talk_with == ""
    assert Heard().after(Said("Cat", ROOM, "hello Rook")).in_talk_with == ""


def test_who_was_spoken_to_is_given_time_to_answer_if_it_is_a_person():
    greeting = Said("Rook", ROOM, "There you are! What are you called?")
    for meant_for, partner in (("Ana", "Ana"), ("Cat", ""), ("", "")):
        assert Heard().after(replace(greeting, meant_for_id=meant_for)).in_talk_with == partner


def test_who_has_just_gone_is_neither_stayed_with_nor_taken_for_one_who_talks_here():
    words = replace(Said("Rook", ROOM, "What are you called?"), meant_for_id="Guest1")
    assert Heard().after(words) == Manners(is_waiting=True)
    heard = Heard()
    heard.world.characters["Ben"].room_id = KITCHEN
    assert heard.after(Said("Ana", ROOM, "Are you there?", to_id="Ben")) == Manners()


def test_who_spoke_to_somebody_else_or_has_gone_keeps_nobody():
    assert Heard().after(Said("Ana", ROOM, "Ben, are you there?")).in_talk_with == ""
    assert Heard().after(Said("Ana", ROOM, "hello Rook"), Left("Ana", ROOM, "north", KITCHEN)).in_talk_with == ""


def test_own_words_wait_until_somebody_says_or_does_something():
    own = Said("Rook", ROOM, "Is anybody there?")
    assert Heard().after(own).is_waiting
    for other in (Said("Ben", ROOM, "Yes."), Emoted("Ben", ROOM, "nods"), Arrived("Ben", ROOM, KITCHEN)):
        assert not Heard().after(own, other).is_waiting


def test_two_others_who_speak_to_each_other_are_let_alone_until_they_end():
    talk = (Said("Ana", ROOM, "Ben, is it raining?"), Said("Ben", ROOM, "It is, Ana."))
    assert Heard().after(*talk).others_talk
    assert not Heard().after(*talk, Said("Ana", ROOM, "Rook, do come here.")).others_talk
    assert not Heard().after(Said("Ana", ROOM, "It rains."), Said("Ben", ROOM, "So it does.")).others_talk


def test_who_was_spoken_to_by_name_is_given_time_to_answer():
    heard = Heard()
    assert heard.after(Said("Ana", ROOM, "What comes after eighteen, Ben?")).others_talk
    heard.ms = ANSWER_MS
    assert not heard.talk.manners().others_talk


def test_who_has_taken_leave_keeps_nobody_until_the_other_speaks_or_comes_again():
    heard = Heard()
    heard.after(Said("Ana", ROOM, "Well, Rook."))
    heard.talk.part("Ana")
    parted = heard.talk.manners()
    assert (parted.parted, parted.in_talk_with) == (frozenset({"Ana"}), "")
    for again in (Said("Ana", ROOM, "One more thing, Rook."), Arrived("Ana", ROOM, KITCHEN)):
        heard.talk.part("Ana")
        after = heard.after(again)
        assert (after.parted, after.in_talk_with) == (frozenset(), "Ana")


def test_how_often_it_spoke_is_forgotten_in_another_room_and_to_whom_after_a_while():
    heard = Heard()
    spoken = heard.after(Said("Rook", ROOM, "Good morning, Ana."), Whispered("Rook", ROOM, "Ben", "psst"))
    assert (set(spoken.spoken_to), spoken.words_here) == ({"Ana", "Ben"}, 2)
    assert heard.after(Left("Rook", ROOM, "north", KITCHEN)) == Manners(spoken_to=frozenset({"Ana", "Ben"}))
    heard.ms = MET_MS
    assert heard.after(Arrived("Rook", ROOM, KITCHEN)) == Manners()


def test_who_comes_back_has_not_been_spoken_to():
    back = (Said("Rook", ROOM, "Hello, Ana."), Left("Ana", ROOM, "north", KITCHEN), Arrived("Ana", ROOM, KITCHEN))
    assert "Ana" not in Heard().after(*back).spoken_to


def test_who_walks_along_behind_it_is_not_new_in_each_room():
    heard = Heard()
    heard.world.characters["Ana"].transient.following_id = "Rook"
    spoken = heard.after(Said("Rook", ROOM, "Good day, Ana!"), Arrived("Rook", KITCHEN), Arrived("Ana", KITCHEN))
    assert "Ana" in spoken.spoken_to
