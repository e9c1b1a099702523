"""What was said earlier that has to do with a question."""

from __future__ import annotations

import pytest

from agents.asking import Question
from agents.choices.policy import Decision
from tests.agents.house import House


class Asking(House):
    """The inn with Rook in the common room, where Ana asks."""

    def told_after(self, words: str) -> str:
        self.game.perform("Ana", f"say {words}")
        ana = self.game.world.characters["Ana"]
        return self.agents["Rook"].prompt(Question(Decision("answer", "speech", partner=ana))).section("earlier")


@pytest.fixture
def inn(tmp_path):
    house = Asking(tmp_path)
    house.game.perform("Ben", "say My red kite flew off over the mill.")
    house.agents["Rook"].perform("say I shall ask at the bridge, Ben. | he looks sad")
    for number in range(4):
        house.game.perform("Ana", f"say The fire is low, and that is {number}.")
    return house


def test_the_line_that_shares_most_with_the_question_is_told_with_who_said_it(inn):
    assert inn.told_after("Whose is the kite in the tree?") == (
        "Rook remembers: Ben's red kite flew off over the mill."
    )


def test_what_cannot_be_put_into_the_third_person_is_quoted(inn):
    inn.game.perform("Ben", "say You will find the ladder behind your own house.")
    for number in range(4):
        inn.game.perform("Ana", f"say The stairs are steep, and that is {number}.")
    assert inn.told_after("Where was the ladder?") == (
        'Earlier Ben said: "You will find the ladder behind your own house."'
    )


def test_own_words_are_told_without_their_reason(inn):
    assert inn.told_after("Have you been at the bridge?") == 'Earlier Rook said: "I shall ask at the bridge, Ben."'


@pytest.mark.parametrize("words", ["There is a kite in the tree.", "What is for supper?", "Rook, who are you?"])
def test_nothing_is_told_where_nothing_is_asked_or_nothing_fits(inn, words):
    assert inn.told_after(words) == ""


def test_what_another_has_confided_is_not_told_again(inn):
    inn.game.perform("Ben", "whisper Rook I hid the silver spoons under the stove.")
    for number in range(4):
        inn.game.perform("Ana", f"say The stairs are steep, and that is {number}.")
    secret = "Ben has told that to Rook alone. Rook keeps it secret from Ana."
    assert inn.told_after("Has anybody seen the silver spoons?") == secret
    assert inn.told_after("What did Ben whisper to you?") == secret


def test_a_promise_is_found_by_what_it_is_and_not_by_its_words(inn):
    assert inn.told_after("What was it that you were going to do for him?") == (
        'Earlier Rook said: "I shall ask at the bridge, Ben."'
    )


def test_a_request_is_found_by_what_it_is(inn):
    inn.game.perform("Ana", "say Please bring me the brass lamp.")
    for number in range(4):
        inn.game.perform("Ben", f"say The rain is loud, and that is {number}.")
    assert inn.told_after("What did I ask of you?") == 'Earlier Ana said: "Please bring me the brass lamp."'


def test_of_what_somebody_said_that_which_names_the_asker_comes_first(inn):
    inn.game.perform("Ben", "say When Ana comes, tell her that supper is at seven.")
    inn.game.perform("Ben", "say And now to the pots.")
    for number in range(4):
        inn.game.perform("Ana", f"say The stairs are steep, and that is {number}.")
    assert "supper is at seven" in inn.told_after("Has Ben left word for me?")


def test_what_who_asks_has_asked_before_is_no_answer(inn):
    inn.game.perform("Ana", "say ok so how long ago did he lose his lantern")
    for number in range(4):
        inn.game.perform("Ana", f"say The stairs are steep, and that is {number}.")
    assert inn.told_after("Whose was the lantern?") == ""


def test_a_question_needs_no_mark(inn):
    assert "mill" in inn.told_after("so whose is the kite in the tree")


def test_what_he_said_is_what_the_last_other_said(inn):
    assert inn.told_after("what did he say he lost") == "Rook remembers: Ben's red kite flew off over the mill."


def test_a_message_is_told_to_whom_it_is_for_until_it_is_delivered(inn):
    inn.game.perform("Ana", "say If Ben comes by, tell him that gate three leaks.")
    for number in range(4):
        inn.game.perform("Ana", f"say The rain is loud, and that is {number}.")
    ben, rook = inn.game.world.characters["Ben"], inn.agents["Rook"]
    greeting = Question(Decision("greet", "speech", partner=ben))
    assert rook.prompt(greeting).section("earlier") == (
        'Earlier Ana said: "If Ben comes by, tell him that gate three leaks."'
    )
    rook.perform("say Ben, gate three leaks.")
    assert rook.prompt(greeting).section("earlier") == ""


def test_an_answer_of_the_right_type_comes_before_other_words_that_are_shared(inn):
    inn.game.perform("Ana", "say My brother went to sea on his nineteenth birthday.")
    inn.game.perform("Ana", "say He went without a word, my brother.")
    inn.agents["Rook"].perform("say He went far, then.")
    assert inn.told_after("How old was he when he went?") == (
        "Rook remembers: Ana's brother went to sea on his nineteenth birthday."
    )


def test_what_somebody_said_comes_before_what_the_agent_has_told_of_it_again(inn):
    inn.game.perform("Ana", "say My brother went out on Tuesday.")
    inn.agents["Rook"].perform("say You told me that your brother went out.")
    inn.game.perform("Ana", "say So I did.")
    assert inn.told_after("When did he go out, my brother?") == "Rook remembers: Ana's brother went out on Tuesday."


def test_what_has_been_put_right_a_moment_ago_is_told(inn):
    inn.game.perform("Ana", "say The carrier comes for the bales on Thursday.")
    inn.game.perform("Ana", "say No, I am a fool. It is Saturday.")
    inn.agents["Rook"].perform("say Saturday, then.")
    assert inn.told_after("For which day have you got him down?") == 'Earlier Ana said: "It is Saturday."'


def test_a_speech_goes_on_about_what_the_one_before_was_about(inn):
    inn.game.perform("Ana", "say My cat hates the new house.")
    inn.game.perform("Ben", "say Mine is called Tom.")
    inn.game.perform("Ana", "say He is called Biscuit.")
    inn.game.perform("Ana", "say The stove is called Old Smoky.")
    assert inn.told_after("What was the name of my cat?") == 'Earlier Ana said: "He is called Biscuit."'


def test_what_somebody_does_for_a_living_is_told_from_when_they_came(inn):
    inn.game.perform("Ana", "say I cast bells.")
    inn.game.perform("Ben", "say I mend clocks.")
    inn.game.perform("Ana", "say I am glad that it rains.")
    assert inn.told_after("Now tell me what I do for a living.") == 'Earlier Ana said: "I cast bells."'


def test_where_somebody_asks_for_what_they_have_never_told_that_is_told(inn):
    inn.game.perform("Ana", "say The house has a red door.")
    assert inn.told_after("What colour are my curtains?") == (
        "Ana has told Rook nothing of that, so Rook does not know it."
    )
    assert inn.told_after("What colour is the door of my house?") == 'Earlier Ana said: "The house has a red door."'
