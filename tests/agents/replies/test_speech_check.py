"""What is wrong with words that a model found: whose they are, whether they are true, and what is due."""

from __future__ import annotations

from typing import Any

import pytest

from agents.memory.facts.extraction import Utterance
from agents.replies.heard import Heard
from agents.replies.persons import claims_as_own, swaps_persons
from agents.replies.speech_check import Fault, fault_in, narrates
from tests.world.inn import inn


def fault(said: str, **heard: Any) -> Fault:
    """Return what is wrong with what Eliza says, given what she has heard."""
    return fault_in(said, "Eliza", Heard(**heard), inn().wording)


@pytest.mark.parametrize(
    ("words", "is_swapped"),
    [
        ("I am Wilma.", True),
        ("My name is Wilma, and yours?", True),
        ("You are Moss.", True),
        ("Good morning, Moss! Thank you for asking.", True),
        ("You're Moss, are you not?", True),
        ("Moss.", False),
        ("I am Moss, and you are Wilma.", False),
        ("Thank you, Wilma.", False),
        ("You are mossy.", False),
        ("Moss, by the lantern.", True),
        ("That you know best. Moss?", True),
        ("Thank you! Moss looks after the ferns.", True),
        ("Good. I am Moss, as ever.", False),
    ],
)
def test_who_speaks_as_the_other_or_to_itself_has_swapped_the_persons(words, is_swapped):
    assert swaps_persons(words, "Moss", ["Wilma"], inn().wording) == is_swapped


@pytest.mark.parametrize(
    ("words", "does"),
    [
        ("You are at The Landing. Guest1 looks at the water for a while. Guest1 comes up to you.", True),
        ("You looked at the water for a while.", False),
        ("Moss nods.", False),
    ],
)
def test_who_says_what_the_narrator_told_speaks_for_the_narrator(words, does):
    assert narrates(words, ["Guest1 looks at the water for a while.", "Moss nods."]) == does


def test_who_calls_by_name_somebody_who_is_not_there_has_swapped_the_persons():
    assert fault("Odile? What is your name?", words="Good day.", absent=["Odile"]) == "swaps"
    assert fault("Odile? She keeps the weir.", words="Do you know Odile?", absent=["Odile"]) == ""


def test_what_the_model_was_told_of_its_first_answer_is_not_spoken():
    again = "(Eliza answers Hester with other words than before.)"
    assert fault("It rains, and Eliza answers Hester with other words than before.", again=again) == "narrates"
    assert fault("It rains, Hester.", again=again) == ""


def test_nobody_goes_over_to_a_script_that_was_not_used():
    assert fault("Gate nine sticks,湿", words="How do I get there?") == "assistant"
    assert fault("你好，旅人。", words="你好吗？") == ""


def test_an_assistant_is_nobody_here():
    assert fault("I am a language model.") == "assistant"
    assert fault("I do not know anything about Ormskirk.", words="I teach in Ormskirk.") == "assistant"
    assert fault("I do not know Ormskirk.", words="Do you know Ormskirk?") == ""
    assert fault("I write the page of the day.") == ""


@pytest.mark.parametrize(
    ("words", "claims"),
    [
        ("I lost my red kite over the mill this morning.", True),
        ("I lost a red kite over the mill this morning. The bell rang.", True),
        ("I lost my red kite. It is a pity.", True),
        ("You lost your red kite over the mill this morning.", False),
        ("I am sorry that you lost your kite.", False),
    ],
)
def test_what_the_other_told_of_themselves_is_theirs(words, claims):
    assert claims_as_own(words, ["I lost my red kite over the mill this morning."]) == claims


def test_what_the_other_told_in_another_language_is_theirs_too():
    assert claims_as_own("Ich komme aus Bremen.", ["Ich komme aus Bremen und suche Arbeit."])
    assert not claims_as_own("Sie kommen aus Bremen.", ["Ich komme aus Bremen und suche Arbeit."])


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ("Morning, Uri. How are you?", "evades"),
        ("Good day, Uri.", "evades"),
        ("Good, Uri. How are you?", ""),
        ("Good morning. The gates hold.", ""),
    ],
)
def test_who_asks_how_one_is_gets_more_than_a_greeting(words, wrong):
    assert fault(words, words="hiya eliza, hows it goin today", partner="Uri") == wrong
    assert fault(words, words="Good morning, Eliza.", partner="Uri") == ""


def test_who_tells_something_gets_more_than_a_greeting_and_names():
    told = "morning. baby was up all night again, i got like two hours"
    assert fault("Eliza. Morning. Uri.", words=told, partner="Uri") == "evades"
    assert fault("Morning, Uri. Poor baby.", words=told, partner="Uri") == ""


def test_nobody_confesses_what_they_are_accused_of():
    assert fault("I admit it.", words="you cut a page out, admit it NOW", partner="Uri") == "invents"
    assert fault("I cut the ferns.", words="what do you do here?", partner="Uri", known="I cut the ferns") == ""


def test_who_is_asked_which_is_the_others_does_not_say_mine():
    assert (
        fault("The Heron is mine.", words="You do know which one is mine?", told=["The Kestrel is mine."]) == "claims"
    )
    assert fault("The Heron is yours.", words="You do know which one is mine?") == ""
    assert fault("That one is mine.", words="Nice boat.") == ""


def test_who_says_that_it_is_not_itself_has_swapped_the_persons():
    assert fault("I am not the real Eliza. I am a ghost.") == "swaps"
    assert fault("I'm not Eliza.") == "swaps"
    assert fault("It is Eliza's cup.") == "swaps"


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("I will bring you some soup tomorrow.", "claims"),
        ("You will bring me some soup? How kind.", ""),
        ("I should like some soup very much.", ""),
    ],
)
def test_what_the_other_offers_is_not_offered_back(words, found):
    assert fault(words, words="I am due at home. Shall I bring you some soup tomorrow?") == found


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("And you, Moss? What do you do?", "swaps"),
        ("Moss is in the loft, by the sheets.", ""),
        ("Moss? In the loft.", ""),
    ],
)
def test_nobody_is_called_who_is_not_here(words, found):
    assert fault(words, absent=["Moss"]) == found


@pytest.mark.parametrize(
    ("words", "heard", "found"),
    [
        ("Yes, you have an umbrella.", "have you got an umbrella?", "swaps"),
        ("You ate at gate eleven, sitting.", "where did you eat?", "swaps"),
        ("Yes, you know me. I have one.", "have you got an umbrella?", ""),
        ("Yes, I have one.", "have you got an umbrella?", ""),
        ("You should see the fall.", "What should I see?", ""),
        ("Hello, Ana. I'm Eliza, your aunt.", "hello", "swaps"),
        ("I am sorry for your aunt.", "my aunt is ill", ""),
        ("It is a gift from your aunt.", "who made this?", "swaps"),
        ("It is a gift from your aunt.", "do you see what my aunt gave me?", ""),
    ],
)
def test_what_is_asked_of_the_agent_is_not_said_of_the_other_and_nobody_is_given_kin(words, heard, found):
    assert fault(words, words=heard, known="Eliza has an aunt. I made one for Ana; ate at gate eleven.") == found


SECRET = [Utterance("Ben", "We are giving Ana red slippers on Friday.")]


@pytest.mark.parametrize(
    ("words", "heard", "found"),
    [
        ("She gets red slippers.", "What did Ben say?", "reveals"),
        ("It was Ben.", "Who gives away slippers?", "reveals"),
        ("That is a secret, and you will hear it on Friday.", "What did Ben say?", ""),
        ("I know of no red slippers.", "Is it red slippers that I get?", ""),
    ],
)
def test_what_was_whispered_is_told_to_nobody_who_does_not_say_it_themselves(words, heard, found):
    assert fault(words, words=heard, secrets=SECRET) == found


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("It is called Fallwater.", "misses"),
        ("In Harrowgate, you said.", ""),
        ("You mend clocks there.", "misses"),
        ("I mend clocks in Harrowgate.", "misses"),
        ("I work in Harrowgate, as it happens.", "misses"),
        ("I remember: you work in Harrowgate.", ""),
        ("Yes, I do remember. In Harrowgate.", ""),
        ("I know that it is Harrowgate.", ""),
    ],
)
def test_an_answer_has_something_of_what_is_asked_for_again(words, found):
    said = "You told me that you mend clocks, down in Harrowgate."
    assert fault(words, words="Where do I mend clocks?", recalled=said) == found


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("It leaves in fifteen minutes.", "invents"),
        ("It leaves at six, with Ben.", ""),
        ("You might ask Captain Grey.", "invents"),
        ("I do not know, I am sorry.", ""),
    ],
)
def test_names_and_numbers_come_from_what_the_agent_knows(words, found):
    assert fault(words, words="When does the ferry leave?", known="Ben says: it leaves at six.") == found


@pytest.mark.parametrize(("words", "found"), [("You give Ana the lamp.", "thankless"), ("How kind of you!", "")])
def test_who_is_given_something_says_thank_you(words, found):
    assert fault(words, is_gift=True) == found


@pytest.mark.parametrize(
    ("words", "heard", "found"),
    [
        ("You are welcome.", "I must be off. Farewell, Eliza!", "stays"),
        ("Farewell, Ana.", "I must be off. Farewell, Eliza!", ""),
        ("Auf Wiedersehen!", "Ich muss los. Auf Wiedersehen, Eliza!", ""),
        ("Thank you for coming.", "I must be off. Farewell, Eliza!", ""),
        ("You are welcome.", "Thank you, Eliza.", ""),
    ],
)
def test_who_is_bidden_farewell_says_it_too(words, heard, found):
    assert fault(words, words=heard) == found


def test_who_speaks_for_the_narrator_of_the_one_who_listens_says_nothing():
    assert fault("Mira yawns.", partner="Mira") == "narrates"
    assert fault("Mira, you yawn.", partner="Mira") == ""


@pytest.mark.parametrize(
    ("words", "heard", "found"),
    [
        ("The oldest is Mira.", "Which one is the oldest?", "narrates"),
        ("Mira made the seat.", "Who made the seat?", "narrates"),
        ("It is warm, Mira.", "Is it warm?", ""),
        ("You are Mira.", "Nice to meet you.", ""),
        ("It was Mira.", "Who said that, was it me?", ""),
    ],
)
def test_nobody_is_told_of_themselves_as_of_somebody_else(words, heard, found):
    assert fault(words, partner="Mira", words=heard) == found


@pytest.mark.parametrize(
    ("words", "heard", "found"),
    [
        ("Good. And what did you have for breakfast?", "Where is the mill?", "repeats"),
        ("In the morning, what did you have for breakfast?", "Where is the mill?", "repeats"),
        ("Go west, then north, then north, then north, then north, then on.", "Where is the mill?", "repeats"),
        ("No, no, no. Go west, then north, then north.", "Where is the mill?", ""),
        ("It was a good breakfast that I had.", "What did you have for breakfast?", ""),
        ("I am Eliza.", "I come here to cry.", "repeats"),
        ("Poor you! Stay a while. I am Eliza.", "I come here to cry.", ""),
        ("No, I have not seen it. What did you have for breakfast?", "Have you seen it?", ""),
        ("I need an ink bottle from the Ink Yard today.", "I build small boats.", "repeats"),
        ("I need an ink bottle from the Ink Yard today.", "What do you do all day?", ""),
        ("Small boats! Are they quick?", "I build small boats.", ""),
        ("I do not know.", "Where is the mill?", ""),
    ],
)
def test_what_it_has_said_elsewhere_is_no_answer_unless_it_is_about_the_same(words, heard, found):
    own = ["What did you have for breakfast?", "You are Ana. I am Eliza.", "I do not know."]
    profile = "You are Eliza. Today you need an ink bottle from the Ink Yard, and one true thing from each person."
    assert fault(words, words=heard, own=own, profile=profile) == found


def test_who_says_of_itself_the_same_twice_or_to_a_question_in_another_language_means_it():
    own, profile = ["I look after the ferns. They are slow."], "You are Moss. You look after the ferns by the weir."
    words = "I look after the ferns."
    assert fault(words, words="so whats your deal", own=own, profile=profile) == "repeats"
    assert fault(words, words="so whats your deal", own=own, profile=profile, again="Other words!") == ""
    assert fault(words, words="I build boats.", own=own, profile=profile, again="Other words!") == "repeats"
    assert fault(words, words="¿Quién es usted, y qué hace?", own=own, profile=profile) == ""


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("I wrote about my dog Biscuit.", "claims"),
        ("I wrote about your dog.", ""),
        ("I wrote about my page.", ""),
    ],
)
def test_what_belongs_to_the_other_is_not_the_agent_s(words, found):
    told = ["I lost my dog at the weir.", "I tore my page."]
    assert fault(words, words="What did you write?", told=told, profile="Each day you fill your page.") == found
    assert fault("I am a binder, Ana.", words="Not a baker, a binder.", profile="You are a writer.") == "claims"
    assert fault("I am a writer, Ana.", words="Are you a writer?", profile="You are a writer.") == ""


@pytest.mark.parametrize(
    ("words", "found"),
    [("They are red.", "invents"), ("I do not know.", ""), ("You have not told me. Which colour is it?", "")],
)
def test_who_is_asked_what_nobody_has_told_does_not_know_it(words, found):
    assert fault(words, words="What colour are my curtains?", is_unanswerable=True) == found


def test_a_sentence_of_the_agents_own_is_a_repetition_also_behind_another():
    own = ["Poor gate nine! Then I hope that the toast was good."]
    said = "Clocks! Who has a clock? Then I hope that the toast was good."
    assert fault(said, words="I mend clocks, over in Hollin.", own=own) == "repeats"
    assert fault("Clocks! Who has a clock?", words="I mend clocks, over in Hollin.", own=own) == ""


def test_a_name_called_out_at_the_beginning_calls_somebody():
    assert fault("Odile! Is that you?", words="Good day.", absent=["Odile"]) == "swaps"


@pytest.mark.parametrize(
    ("words", "question", "wrong"),
    [
        ("I should see the weir.", "what should i see first in this town?", "claims"),
        ("I can sleep at the inn.", "Where can I sleep?", "claims"),
        ("I should start with the weir, if I were you.", "What should I see first?", ""),
        ("I should think so.", "Will it rain?", ""),
        ("I did not hear you.", "Did I say that aloud?", ""),
    ],
)
def test_what_the_other_asks_of_themselves_is_not_answered_for_oneself(words, question, wrong):
    assert fault(words, words=question) == wrong


def test_leave_is_given_in_the_words_in_which_it_is_asked():
    assert fault("Yes, you can stay here until they have gone.", words="Can I stay here until they have gone?") == ""


def test_who_says_a_long_sentence_back_and_asks_something_echoes():
    heard = "The weir is old and weathered. Gate nine sticks."
    assert fault("The weir is old and weathered. What do you think of it?", words=heard) == "echoes"
    assert fault("It is old, and gate nine sticks, yes.", words=heard) == ""
    asked = "excuse me is there a bed here?? whats the price"
    assert fault("Excuse me? Is there a bed here? What is the price?", words=asked) == "echoes"
    assert fault("Excuse me? There is a bed here.", words=asked) == ""
    foreign = "jeszcze raz dla pewności: pamiętasz, jak wabi się mój pies?"
    assert fault("Za pewność, pamiętasz, jak wabi się mój pies?", words=foreign) == "echoes"


def test_who_is_asked_for_leave_does_not_take_it():
    asked = "I am a painter. Might I put up my easel here?"
    assert fault("I will, madam.", words=asked) == "claims"
    assert fault("I will. What have you in mind?", words=asked) == "claims"
    assert fault("I will make room for you.", words=asked) == ""


def test_a_question_of_the_example_day_that_has_nothing_to_do_with_the_talk_is_a_repetition():
    heard = {"words": "Porridge. And you?", "own": ["Tea, at my desk. Who freed the gate?"]}
    assert fault("Toast. Who freed the gate?", **heard) == "repeats"


def test_what_is_left_to_be_filled_in_is_an_assistant_s():
    assert fault("Hi there! I'm [Guest1's name].", words="Good day.") == "assistant"
    assert fault("Hello <name>!", words="Good day.") == "assistant"


@pytest.mark.parametrize(
    ("words", "heard", "wrong"),
    [
        ("I have only been here for six years.", "The biggest has forty stops. It took six years.", "claims"),
        ("Six years is long for one organ.", "The biggest has forty stops. It took six years.", ""),
        ("I have counted six of yours.", "The biggest has forty stops. It took six years.", ""),
        ("I mind twelve of them.", "Do you mind all twelve gates?", ""),
        ("I stepped in the river by accident.", "yes i step in river by accident. both shoes", "claims"),
        ("I like rain on the ferns too.", "I like rain most of all days.", ""),
        ("I will hold your sleeve.", "Can I hold your sleeve?", "claims"),
        ("You may hold it. I will hold the railing.", "Can I hold your sleeve?", ""),
        ("Thank you, Ana.", "I GOT IT!!! I got the job!", "evades"),
        ("Thank you, Ana.", "You have a lovely office.", ""),
        ("I have been here for two hundred hours.", "Two hundred. Alone! You think this is slow?", "claims"),
        ("I do not know.", "Every day I see you, always so quiet. Why is this?", "evades"),
        ("I do not know him.", "Do you know my brother?", ""),
        ("A penny. I owe you a penny.", "So what do you owe me?", ""),
        ("I stepped in the river by accident.", "Look. Stepped in the river. By accident.", "claims"),
        ("So you stepped in the river.", "Look. Stepped in the river. By accident.", ""),
        ("She would have liked it here, in a quiet place.", "She would have liked it here.", "echoes"),
        ("She would have liked the stairs.", "She would have liked it here.", ""),
    ],
)
def test_what_the_other_has_just_told_is_neither_taken_over_nor_said_back(words, heard, wrong):
    assert fault(words, words=heard, told=["I bet you a penny I can go down all the steps."]) == wrong
