"""Of what type the answer to a question has to be, of whom it asks, and when nobody can know."""

from __future__ import annotations

import pytest

from agents.attending.questions import (
    answer_type,
    asking_part,
    asking_parts,
    asks_of_self,
    asks_once_more,
    asks_what_was_done,
    goes_back,
    is_of_type,
    is_untold,
    subject_of,
    values_of,
    whole_question,
)
from agents.reflection.speech_facts import key_words

TYPES = {
    "number": {
        "How many sisters do I have?": ("I have three sisters.", "I have a sister."),
        "how far is it again": ("It is 12 miles.", "It is far."),
    },
    "age": {
        "How old was he?": ("It was his nineteenth birthday.", "He walked for three days."),
        "how old did I say she'll be?": ("She turns eighty on Sunday.", "In three days you will not notice."),
        "What age is the boy?": ("He's eight, and loud.", "There are 12 gates."),
    },
    "time": {
        "When does the carrier come?": ("He comes on Saturday.", "He comes with a cart."),
        "For which day have you got him down?": ("At six, or at noon.", "He never comes at once."),
    },
    "hour": {"what TIME did i say it goes?": ("It goes at half past five.", "It goes on Wednesday, from two quays.")},
    "colour": {"What colour is it?": ("A red door.", "A redoubtable door.")},
    "place": {"Where is the donkey?": ("I tied her to the pump.", "She leans.")},
    "name": {"Who gave me that?": ("My cousin Ulla did.", "My cousin did on Tuesday.")},
    "work": {
        "Now tell me what I do for a living.": ("I cast bells, over in Ormskirk.", "I think that it rains."),
        "Do you know what I play?": ("I play the fiddle at weddings.", "I have a dog."),
        "so whats my trade": ("I do cheese.", "I do not know."),
    },
}


@pytest.mark.parametrize("kind", TYPES)
def test_the_type_of_an_answer_is_known_by_the_question_and_found_in_what_was_said(kind):
    for question, (answer, other) in TYPES[kind].items():
        assert (answer_type(question), is_of_type(kind, answer), is_of_type(kind, other)) == (kind, True, False)


def test_nothing_is_of_a_type_that_is_not_known():
    assert answer_type("Do you like it here?") == answer_type("Could I use yours when you have finished?") == ""
    assert answer_type("Do you know when my boat leaves?") == "time"
    assert not is_of_type("", "I have three sisters.")


def test_it_is_the_last_sentence_that_asks():
    assert answer_type("When I was ten I lost a kite. What colour was it?") == "colour"
    assert subject_of("I am Ana. What do you sell?") == "asked"


@pytest.mark.parametrize("question", ["whats ur favorite fern", "do u ever talk to these", "y dont ya sing?"])
def test_who_is_asked_is_known_in_the_short_forms_of_a_chat(question):
    assert subject_of(question) == "asked"


def test_polite_forms_do_not_make_a_question_one_of_who_is_asked():
    assert subject_of("Do you remember when I sail?") == "asker"
    assert subject_of("You notice everything. How old was he when he went?") == ""
    assert goes_back("Do you remember when I sail?")
    assert goes_back("Now I have forgotten! How many were there?")
    assert not goes_back("When does the ferry leave?")
    assert not goes_back("is it weird that I come here just to talk")


def test_who_ends_in_again_asks_for_what_was_said_before():
    assert asks_once_more("ok onwards. hang on which one was loose again")
    assert asks_once_more("hang on wheres it YOU ate again, my heads a sieve")
    assert not asks_once_more("Will you come again?")


def test_who_asks_of_themselves_asks_for_what_they_have_told_or_for_advice():
    assert asks_of_self("ok test. which knee am i to rest?")
    assert asks_of_self("Where do I come from?")
    assert asks_of_self("Ow! So, did you listen? On what day do we sing now?")
    assert not asks_of_self("Where are we?")
    for advice in ("What should I see first?", "How do I get to the weir?", "Where do I find Moss?", "Am I late?"):
        assert not asks_of_self(advice), advice


def test_the_last_sentence_asks_that_begins_with_a_question_word_or_has_the_mark():
    assert asking_part("Why the numbers? Never mind. Which of mine doesnt write") == "Which of mine doesnt write"
    assert asking_part("It is loose. quick what do i shout") == "quick what do i shout"
    assert asking_part("Is it you? I hope so.") == "Is it you?"


def test_who_asks_what_the_other_has_done_to_them_asks_of_the_other():
    assert subject_of("I'm back! Did you miss me?") == "asked"
    assert subject_of("Do you remember what I lost?") == "asker"


def test_numbers_colours_and_days_can_be_compared():
    assert values_of("number", "Twelve, no, thirteen.") == {"12", "13"}
    assert values_of("colour", "A Red door.") == {"red"}
    assert values_of("time", "On Saturdays, at noon.") == {"saturday"}
    assert values_of("name", "Ulla did.") == set()


@pytest.mark.parametrize(
    ("question", "is_it"),
    [
        ("What colour are my curtains?", True),
        ("You do recall my surname, don't you?", True),
        ("Where does my uncle live now?", True),
        ("whats the name of my wife", True),
        ("What colour did I say his coat was?", True),
        ("What did I say my brother was called?", False),
        ("What is the name of my brother?", False),
        ("What is my brother's dog called?", True),
        ("How old is my brother?", False),
        ("What do you think of my hat?", False),
        ("What colour are curtains?", False),
    ],
)
def test_what_somebody_has_never_spoken_of_nobody_can_know(question, is_it):
    assert is_untold(question, key_words("My brother's gone to sea.")) is is_it


def test_what_the_one_who_is_asked_has_done_may_stand_in_what_was_said():
    assert asks_what_was_done("What did you tell him?")
    assert asks_what_was_done("whats it u were going to bring, did u say")
    assert asks_what_was_done("so what will you look for on the stairs?")
    assert not asks_what_was_done("Have you a boat?")
    assert not asks_what_was_done("What do you sell?")


def test_who_is_asked_is_told_from_who_asks_by_who_does_what():
    assert subject_of("hang on wheres it YOU ate again, my heads a sieve") == "asked"
    assert subject_of("What did I tell you?") == "asker"
    assert subject_of("Where is my dog?") == "asker"


def test_a_question_too_short_to_tell_of_what_is_read_with_the_sentence_before_it():
    assert whole_question("Good day. I have found a kite. Whose is it?") == "I have found a kite. Whose is it?"
    assert (
        whole_question("Good day. What did I say that I lost on the stairs?")
        == "What did I say that I lost on the stairs?"
    )
    assert whole_question("Whose is it?") == "Whose is it?"


def test_who_asks_whether_somebody_is_known_asks_for_nothing_that_was_said():
    assert not goes_back("Do you know anybody here who would buy a clock?")
    assert goes_back("Do you know who bought the clock?")


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("Who is Moss, and where is he now?", ["Who is Moss", "where is he now?"]),
        ("what do you do here\nim new\nwhere is the mill", ["what do you do here", "where is the mill"]),
        ("Excuse me? Where is the mill?", ["Where is the mill?"]),
        ("Do you like pears and plums?", ["Do you like pears and plums?"]),
        ("I came by boat. It leaks.", []),
    ],
)
def test_several_questions_are_told_apart(words, parts):
    assert asking_parts(words) == parts
