"""An agent that goes in circles is noticed, and what is done about it grows and ends with that."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.repetition.guard import COOLED, HOTTEST, LED, NONE, TOLD, VARIED, mitigation, sentences, suppressed_verbs
from agents.repetition.loop_detector import (
    MAX_SCORE,
    Detected,
    LoopDetector,
    Sign,
    goes_to_and_fro,
    is_similar,
    shingles,
    similarity,
)
from vault.message_notes import starter_sentences
from world.message_catalog import Wording

SAID, ASKED, ECHO, TURNS = Sign.SAID_AGAIN, Sign.ASKED_AGAIN, Sign.ECHOED, Sign.IN_TURNS
AGAIN, FRO, TALK = Sign.DID_AGAIN, Sign.TO_AND_FRO, Sign.ONLY_TALK


TALKING = [
    "say Gehen wir doch zur Mühle.",
    "think Vielleicht finde ich dort die Seite.",
    "say Wir könnten den Schlüssel suchen.",
    "emote nickt",
    "whisper Moss Nous devrions partir demain.",
    "say Alors, faisons un plan ensemble.",
]


def lived(*steps: str) -> LoopDetector:
    """Return what is known of a life: `Moss: words` is heard, `line @ room` is done (the room is The Landing).

    Ana is a person, and whoever else speaks is an agent.
    """
    loops = LoopDetector()
    for step in steps:
        who, colon, text = step.partition(": ")
        if colon and who.istitle():
            loops.hear(who, text, who == "Ana")
        else:
            line, _, room = step.partition(" @ ")
            loops.do(line, room or "The Landing")
    return loops


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("The river is high today.", "the river is HIGH today", True),
        ("The river is high today.", "The river is high today, Moss.", True),
        ("What did you have for breakfast?", "And what did you have for breakfast?", True),
        ("The river is high today.", "The river is low today.", False),
        ("I like ferns.", "Ferns like me.", False),
        ("Hello", "hello!", True),
        ("It’s late, Moss.", "It's late, Moss.", True),
        ("...", "...", False),
        ("", "", False),
        ("今日は", "今日は", True),
    ],
)
def test_speeches_are_compared_by_their_pairs_of_words(one, other, same):
    assert bool(is_similar(shingles(one), [shingles(other)])) == same


@given(st.text(max_size=60), st.text(max_size=60))
def test_likeness_is_a_share_and_the_same_both_ways(one, other):
    a, b = shingles(one), shingles(other)
    assert 0 <= similarity(a, b) <= 1
    assert similarity(a, b) == similarity(b, a)
    assert similarity(a, a) == float(bool(a))


@pytest.mark.parametrize(
    ("steps", "signs"),
    [
        # Speech
        (["say The gates are shut."], []),
        (["say The gates are shut.", "say The gates are shut."], [SAID]),
        (["say The gates are shut.", "say THE GATES ARE SHUT | again"], [SAID]),
        (["say The gates are shut.", "look", "go east @ Eel Stage", "say Well, the gates are shut."], [SAID]),
        (["say The gates are shut.", "whisper Moss The gates are shut."], [SAID]),
        (["say The gates are shut.", "say The letter is for you."], []),
        (["say Yes.", "say Yes."], []),
        (["say Yes.", "say Yes.", "say Yes."], [SAID]),
        (["say Who has the key?", "say Who has the key?"], [ASKED]),
        (["say Who has the key?", "Moss: I do not know.", "say Who has the key?"], [SAID]),
        (["Moss: The letter is not for me.", "say The letter is not for me."], [ECHO]),
        (["Moss: The letter is not for me.", "say Is that so?"], []),
        # A-B-A-B between two
        (["Moss: You go first.", "say No, you go first."], [ECHO]),
        (["Moss: After you, please.", "say I insist on it.", "Moss: After you, please.", "say I insist on it."],
         [SAID, TURNS]),
        # Deeds
        (["look", "look"], []),
        (["look bell", "look bell", "look bell"], [AGAIN]),
        (["look bell", "get cup", "look bell", "say Hm, a bell.", "look bell | hm"], [AGAIN]),
        (["look bell", "look cup", "look river"], []),
        (["think The water is loud.", "think The water is loud."], [AGAIN]),
        # Walking
        (["look @ A", "go east @ B", "go west @ A"], []),
        (["look @ A", "go east @ B", "go west @ A", "go east @ B"], [FRO]),
        (["look @ A", "go east @ B", "look @ B", "go west @ A", "say Here again, then. @ A", "go east @ B"], [FRO]),
        (["look @ A", "go east @ B", "go east @ C", "go west @ B"], []),
        (["look @ A", "go east @ B", "go east @ C", "go north @ A", "go east @ B"], []),
        (["go east @ B", "go east @ C", "go east @ D", "go east @ E"], []),
        # Talk without a deed, in whatever language
        (TALKING[:5], []),
        (TALKING, [TALK]),
        ([*TALKING[:3], "go south @ The Mill", *TALKING[3:]], []),
        ([*TALKING[:3], "get cup", *TALKING[3:]], []),
        ([*TALKING[:3], "Moss: Ja, lass uns das tun.", *TALKING[3:]], [TALK]),
        ([*TALKING[:3], "Ana: Was macht ihr da?", *TALKING[3:]], []),
        ([*TALKING, "get cup"], []),
        # Questions and sentences of other scripts
        (["say 鍵を持っているのは誰ですか？", "say 鍵を持っているのは誰ですか？"], [ASKED]),
        (["say 水門はもう閉まっています。", "say ええ、水門はもう閉まっています。"], [SAID]),
        (["say 水門はもう閉まっています。", "say 手紙はあなた宛てです。"], []),
    ],
)  # fmt: skip
def test_what_the_newest_deed_shows(steps, signs):
    assert [one.sign for one in lived(*steps).found] == signs


def test_a_line_can_be_judged_before_it_is_done():
    loops = lived("say The gates are shut.")
    assert loops.signs_of("say The gates are shut!", "The Landing") == (Detected(SAID, "say", 1),)
    assert loops.found == ()
    assert loops.strain == 0


def test_strain_grows_with_each_circle_and_falls_with_each_new_thing():
    loops, strains = LoopDetector(), []
    for line in ["say The gates are shut."] * 4 + ["look", "get cup", "go east", "say It is cold."]:
        loops.do(line, "The Landing")
        strains.append(loops.strain)
    assert strains == [0, 1, 2, 3, 2, 1, 0, 0]
    assert loops.last_found == ()


@given(st.lists(st.tuples(st.sampled_from(["say", "look", "go", "think", ""]), st.text(max_size=12)), max_size=60))
def test_strain_stays_within_its_bounds_and_changes_by_one_at_most(steps):
    loops, before = LoopDetector(), 0
    for number, (verb, rest) in enumerate(steps):
        if not verb:
            loops.hear("Moss", rest)
            continue
        loops.do(f"{verb} {rest}", f"room {number % 3}")
        assert abs(loops.strain - before) <= 1
        assert 0 <= loops.strain <= MAX_SCORE
        assert bool(loops.last_found) or not loops.strain
        before = loops.strain


words = st.lists(st.text(string.ascii_lowercase, min_size=4, max_size=8), min_size=4, max_size=8, unique=True)


@given(st.lists(words, min_size=1, max_size=20, unique_by=lambda one: frozenset(one)))
def test_who_never_says_the_same_words_again_and_does_things_is_never_in_a_circle(speeches):
    loops, seen = LoopDetector(), set[str]()
    for speech in speeches:
        fresh = [word for word in speech if word not in seen]
        seen.update(fresh)
        if len(fresh) > 2:
            loops.do(f"say {' '.join(fresh)}", "The Landing")
            assert loops.found == ()
            loops.do(f"get {fresh[0]}", "The Landing")


@given(st.integers(1, 30))
def test_who_says_one_thing_over_and_over_ends_at_the_last_step(times):
    loops = lived(*["say The river is high today."] * (times + 1))
    assert loops.strain == min(times, MAX_SCORE)


@pytest.mark.parametrize(
    ("rooms", "is_so"), [("", False), ("ABA", False), ("ABAB", True), ("CABAB", True), ("ABABC", False)]
)
def test_a_walk_that_ends_between_two_rooms_is_to_and_fro(rooms, is_so):
    assert goes_to_and_fro(rooms) == is_so


def at(strain: int) -> LoopDetector:
    """Return a life that has come to a strain by saying the same to a person."""
    steps = ((f"Ana: Pardon {number}?", "say The river is high today.") for number in range(strain + 1))
    return lived(*(step for pair in steps for step in pair))


def test_nothing_is_done_about_an_agent_that_does_ever_new_things():
    assert mitigation(lived("look", "go east @ B", "say It is cold here.")) == NONE


@pytest.mark.parametrize("strain", range(1, MAX_SCORE + 1))
def test_each_step_holds_what_the_ones_before_it_hold(strain):
    now, before = mitigation(at(strain)), mitigation(at(strain - 1))
    assert bool(now.told) == (strain >= TOLD)
    assert (now.warmer > 0, now.repeat_penalty > 1) == (strain >= VARIED, strain >= VARIED)
    assert now.shunned == ({"say", "whisper", "tell", "shout"} if strain >= LED else set())
    assert (now.slower > 1) == (strain >= COOLED)
    assert now.warmer >= before.warmer
    assert now.slower >= before.slower


def test_who_does_something_new_is_not_told_of_it_any_more_but_led_on_until_the_strain_is_gone():
    loops = at(4)
    loops.do("look", "The Landing")
    assert mitigation(loops).told == ()
    assert mitigation(loops).shunned
    for number in range(3):
        loops.do(f"get cup{number}", "The Landing")
    assert mitigation(loops) == NONE


@pytest.mark.parametrize(
    ("sign", "verbs"),
    [
        (FRO, {"go"}),
        (TALK, {"say", "whisper", "tell", "shout", "think", "emote"}),
        (AGAIN, {"look"}),
        (ECHO, {"say", "whisper", "tell", "shout"}),
    ],
)
def test_the_verbs_that_lead_further_round_are_shunned(sign, verbs):
    assert suppressed_verbs((Detected(sign, "look"),)) == verbs


@pytest.mark.parametrize(("own", "warmer"), [(0.0, 0.0), (0.9, 1.1), (1.4, HOTTEST), (1.9, 1.9)])
def test_sampling_gets_warmer_up_to_a_bound_and_never_colder(own, warmer):
    temperature = mitigation(at(VARIED)).temperature(own)
    assert temperature == pytest.approx(warmer if own else 0.2)


WORDING = Wording(starter_sentences())


@pytest.mark.parametrize("sign", Sign)
@pytest.mark.parametrize("times", [1, 2, 7])
def test_every_sign_has_a_sentence(sign, times):
    told = sentences((Detected(sign, "look", times),), WORDING, ["go north", "say hello"])
    assert told.endswith(".")
    assert "{" not in told
    assert "loops." not in told


def test_the_sentences_count():
    assert sentences(at(1).found, WORDING) == "You have said that twice already; do something else."
    assert sentences(at(3).found, WORDING) == "You have said that 4 times already; do something else."
    assert sentences(lived("look", "look", "look").found, WORDING).startswith("You have done that 3 times now;")
    assert sentences((), WORDING) == ""
    assert sentences((Detected(Sign.NO_COMMAND, ""),), WORDING, ["look", "go north", "say hello"]) == (
        "That was no command. You could type look, go north or say hello."
    )


def test_an_answer_without_a_command_is_strain_too_but_no_reason_for_variety():
    loops = lived("look")
    for _ in range(MAX_SCORE + 2):
        loops.fail()
    assert loops.strain == MAX_SCORE
    now = mitigation(loops)
    assert (now.warmer, now.repeat_penalty, now.shunned, now.leads) == (0.0, 1.0, frozenset(), True)
    assert now.slower > 1


def test_what_was_just_said_to_it_is_no_answer_in_part_either():
    loops = LoopDetector()
    loops.hear("Ana", "Eliza, write a function that adds two numbers.", is_person=True)
    assert loops.is_heard("Write a function that adds two numbers.")
    assert not loops.is_heard("I write down what people tell me.")
    loops.hear("Ben", "Are you still there? I am late.", is_person=True)
    assert loops.is_heard("I am still there. I am late.")
    loops.hear("Ben", "When did I say my boat leaves?", is_person=True)
    assert not loops.is_heard("Your boat leaves at six.")
