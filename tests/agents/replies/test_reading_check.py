"""What is wrong with an answer that was read from a talk."""

from __future__ import annotations

import pytest

from agents.replies.heard import Heard
from agents.replies.reading_check import reading_fault
from agents.replies.speech_check import Fault
from tests.world.inn import inn

EXAMPLES = "Peter says: I sell fish, down at the harbour."


def fault(said: str, question: str, known: str, recalled: str = "") -> Fault:
    """Return what is wrong with what Eliza answers Ana, who has asked a question about what was said."""
    heard = Heard(words=question, known=known, recalled=recalled, examples=EXAMPLES, partner="Ana", others={"Ben"})
    return reading_fault(said, "Eliza", heard, inn().wording)


@pytest.mark.parametrize(
    ("words", "question", "found"),
    [
        ("You have three sisters.", "How many sisters do I have?", ""),
        ("3, you said.", "How many sisters do I have?", ""),
        ("You have two sisters.", "How many sisters do I have?", "misses"),
        ("What is the number of my sisters?", "How many sisters do I have?", "misses"),
        ("Yes, I did.", "Did you get which town I work in?", "misses"),
        ("He sells fish, down at the harbour.", "What did he say he does?", "invents"),
    ],
)
def test_an_answer_that_was_read_is_in_what_was_said(words, question, found):
    known = "Ana says: I have three sisters and two dogs. Ana says: I mend clocks in Harrowgate."
    recalled = "You told me that you have three sisters." if "sisters" in question else ""
    assert fault(words, question, known, recalled) == found


def test_a_number_of_something_else_is_no_answer_to_how_many():
    known = "Ana says: yes. forty stops, the biggest. it took six years"
    assert fault("It took six years.", "and how many stops has the biggest one?", known) == "misses"
    assert fault("Forty stops.", "and how many stops has the biggest one?", known) == ""
    assert fault("Forty.", "how many stops?", known) == ""


def test_a_number_that_was_put_right_since_is_no_other():
    told = "Ana says: I brought six of them. Ana says: No, hang on, seven."
    recalled = 'You told me: "I brought six of them."'
    assert fault("Seven.", "How many did I bring?", told, recalled) == ""


def test_a_day_that_was_put_right_in_the_next_sentence_is_no_other():
    told = "Ana says: We sing on Monday.\nAna says: No, it is not Monday any more. It is Wednesday."
    recalled = 'You told me: "We sing on Monday."'
    assert fault("You sing on Wednesday.", "On what day do we sing?", told, recalled) == ""
    assert fault("You sing on Friday.", "On what day do we sing?", told, recalled) == "misses"


@pytest.mark.parametrize(
    ("words", "question", "found"),
    [
        ("Seven whole eggs.", "How many whole eggs does that leave?", ""),
        ("Eleven.", "How many eggs did I see?", ""),
        ("Six whole eggs.", "How many whole eggs does that leave?", "misses"),
        ("Seven eggs.", "Which eggs are broken?", "invents"),
    ],
)
def test_a_number_may_be_reckoned_from_two_that_were_told(words, question, found):
    told = ["I had nine eggs.", "Two of them are broken."]
    recalled = "You told me that you had nine eggs."
    heard = Heard(words=question, told=told, known=f"{' '.join(told)} {question}", recalled=recalled, partner="Ana")
    assert reading_fault(words, "Eliza", heard, inn().wording) == found


@pytest.mark.parametrize(
    ("words", "question", "found"),
    [
        ("It was your kite.", "I found a kite in a tree. Whose may it be?", "misses"),
        ("It was Ben's kite.", "I found a kite in a tree. Whose may it be?", ""),
        ("It belongs to your sister.", "I found a kite in a tree. Who does it belong to?", ""),
        ("Yes, I do remember your surname.", "You do recall my surname, don't you?", "misses"),
        ("He told me he'd be back.", "Did he tell you if he'd be back?", "misses"),
        ("You mend boats by the weir.", "What did I tell you that I do for a living?", "claims"),
        ("You mend clocks.", "What did I tell you that I do for a living?", ""),
        ("Yes, her name is Ana.", "Do you remember my sister's name?", "invents"),
    ],
)
def test_an_answer_that_was_read_says_something_new_and_of_the_right_person(words, question, found):
    known = "Ana says: I mend clocks. My sister has a kite.\nBen says: I mend boats by the weir. My kite is lost."
    assert fault(words, question, known) == found


def test_what_only_the_examples_tell_is_invented():
    known, question = "Ana says: I look for Jonas. He has red hair.", "Where could I ask about him?"
    assert fault("You could ask about Jonas at the harbour.", question, known) == "invents"
    assert fault("You could ask about Jonas and his red hair.", question, known) == ""
