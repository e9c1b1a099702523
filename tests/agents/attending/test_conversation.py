"""What manners follow from a conversation: whom to stay with, when to be quiet, and when it is over."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agents.attending.conversation import (
    ANSWER_MS,
    IN_TALK_MS,
    MET_MS,
    Conversation,
    Manners,
    beyond_greeting,
    is_question,
    is_spoken_to,
    without_idle_phrases,
)
from tests.world.inn import inn
from world.events import Arrived, Event, Gave, Left, Said, Whispered

ROOM, KITCHEN = "The Common Room", "The Kitchen"


class Heard:
    """Rook's conversation in a room with Ana and Ben, who are people, and Jay, who is an agent."""

    def __init__(self) -> None:
        self.world, self.ms = inn(), 0
        for name in ("Rook", "Cat"):
            self.world.characters[name].room_id = ROOM
            self.world.characters[name].awake = True
            self.world.characters[name].is_agent = True
        self.talk = Conversation("Rook", lambda: self.ms)

    def after(self, *events: Event) -> Manners:
        for event in events:
            self.talk.observe(event, self.world)
        return self.talk.manners()


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
    assert heard.after(Said("Ana", ROOM, "Ben, are you there?")) == Manners()


def test_who_spoke_to_somebody_else_is_not_stayed_with():
    assert Heard().after(Said("Ana", ROOM, "Ben, are you there?")).in_talk_with == ""


def test_who_has_gone_or_said_good_bye_keeps_nobody():
    assert Heard().after(Said("Ana", ROOM, "hello Rook"), Left("Ana", ROOM, "north", KITCHEN)).in_talk_with == ""
    assert Heard().after(Said("Ana", ROOM, "Goodbye, Rook!")).in_talk_with == ""


def test_own_words_wait_until_somebody_says_something():
    own = Said("Rook", ROOM, "Is anybody there?")
    assert Heard().after(own).is_waiting
    assert not Heard().after(own, Said("Ben", ROOM, "Yes.")).is_waiting


def test_two_others_who_speak_to_each_other_by_name_are_let_alone_until_they_end():
    talk = (Said("Ana", ROOM, "Ben, is it raining?"), Said("Ben", ROOM, "It is, Ana."))
    assert Heard().after(*talk).others_talk
    assert not Heard().after(*talk, Said("Ana", ROOM, "Rook, do come here.")).others_talk
    assert not Heard().after(Said("Ana", ROOM, "It rains."), Said("Ben", ROOM, "So it does.")).others_talk


def test_who_was_spoken_to_by_name_is_given_time_to_answer():
    heard = Heard()
    assert heard.after(Said("Ana", ROOM, "What comes after eighteen, Ben?")).others_talk
    heard.ms = ANSWER_MS
    assert not heard.talk.manners().others_talk


def test_two_others_need_not_say_each_others_name_again_while_they_answer_each_other():
    talk = (Said("Ana", ROOM, "Ben, did you book?"), Said("Ben", ROOM, "Not yet."), Said("Ana", ROOM, "Then do."))
    assert Heard().after(*talk[:2]).others_talk
    assert Heard().after(*talk).others_talk
    assert not Heard().after(*talk, Said("Ana", ROOM, "Who keeps this house?")).others_talk
    heard = Heard()
    heard.after(talk[0])
    heard.world.characters["Ana"].room_id = KITCHEN
    assert not heard.after(talk[1]).others_talk


@pytest.mark.parametrize("bye", ["Goodbye, Ana.", "Farewell!", "Good night.", "Take care, Ana."])
def test_both_good_byes_end_it_and_new_words_begin_it_again(bye):
    parted = (Said("Cat", ROOM, "Goodbye, Rook."), Said("Rook", ROOM, bye))
    assert Heard().after(*parted).has_parted
    assert not Heard().after(*parted, Said("Cat", ROOM, "One more thing, Rook.")).has_parted


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


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("If you ask me, people are scared.", "people are scared."),
        ("if you ask me nicely I will sing", "if you ask me nicely I will sing"),
        ("From here, you see the weir at once.", "From here, you see the weir at once."),
        ("Come closer, I tell you a secret.", "Come closer, I tell you a secret."),
        ("It was late, you know, and cold.", "It was late, and cold."),
        ("Do you know, I was a cook.", "I was a cook."),
        ("My knees are gone, I'll tell you that for nothing.", "My knees are gone."),
        ("Do you know Ben? He knows you.", "Do you know Ben? He knows you."),
        ("I will tell you when he comes.", "I will tell you when he comes."),
    ],
)
def test_phrases_with_you_that_speak_to_nobody_are_left_out(words, told):
    assert without_idle_phrases(words) == told


@pytest.mark.parametrize(
    ("words", "is_one"),
    [
        ("lol ok. so how old is she", True),
        ("hiya odile, hows it going today", True),
        ("well, is there an inn", True),
        ("which step was loose again", True),
        ("So be it.", False),
        ("Well, I never.", False),
        ("told my sister about ur lamp lol. whered u get it", True),
        ("Hello. What a place! I am Tomas.", False),
        ("what an odd bell", False),
        ("What a place! How old is it", True),
        ("When I was small we had one.", False),
        ("Where I live everybody has three telephones.", False),
        ("How very green it is.", False),
        ("Good day. When Emil comes by, tell him that supper is ready.", False),
        ("when does the ferry leave", True),
        ("when does the ferry leave, please", True),
        ("when is supper, Odile", True),
        ("how i get to the mill", True),
        ("where i can buy bread here", True),
        ("how very old is the pump", True),
        ("how old is the pump", True),
    ],
)
def test_a_question_is_known_without_its_mark_and_behind_small_words(words, is_one):
    assert is_question(words, inn().wording) is is_one


@pytest.mark.parametrize(
    ("words", "is_called"),
    [
        ("hanife did u feed the cat this morning", True),
        ("Hanife, did you feed the cat?", True),
        ("so hanife are you coming", True),
        ("Hanife did not feed the cat.", False),
        ("Did hanife feed the cat?", False),
    ],
)
def test_who_is_asked_by_name_without_a_comma_is_spoken_to(words, is_called):
    assert is_spoken_to("Hanife", words, inn().wording) is is_called


@pytest.mark.parametrize(
    "words, left",
    [
        ("Good evening, Moss. My fern is dying.", "My fern is dying."),
        ("hi moss! hello! i brought tea", "i brought tea"),
        ("Good evening, Moss.", "Good evening, Moss."),
        ("Hello, my fern is dying. Why?", "Hello, my fern is dying. Why?"),
        ("My fern is dying.", "My fern is dying."),
    ],
)
def test_beyond_a_greeting_is_what_else_is_said(words, left):
    assert beyond_greeting(words, "Moss", inn().wording) == left
