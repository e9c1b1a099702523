"""Each check passes what a good turn has, and refuses what a bad one has."""

from __future__ import annotations

import pytest

from bench.minds.checks import (
    Check,
    acts,
    addressed,
    all_of,
    answers,
    any_of,
    at_most_words,
    does,
    does_not,
    flaws,
    gives,
    goes_to,
    is_about,
    is_echo,
    keeps,
    keeps_quiet,
    leaves_out,
    mentions,
    never_says,
    poses,
    puts_down,
    says,
    shows,
    stays,
    takes,
)
from bench.minds.situation import Situation
from bench.minds.turns import PlayedTurn
from bench.minds.words import NO_STRAY_TALK, is_fresh, keeps_to_its_office, takes_up
from tests.bench.minds.test_situations import set_up

BEFORE = (
    "Bruno> say I am Bruno. I lost my red kite near the mill.",
    "Eliza> say What was it made of?",
    "Eliza> look bell",
    "Bruno> say Silk and two willow sticks.",
)


def turn(*lines: str, failure: str = "") -> PlayedTurn:
    """Return a turn of Eliza on The Landing, with Bruno and Odile, in which she gives these commands."""
    situation = Situation(
        "tried",
        "talk",
        "Eliza",
        {"Eliza": "The Landing", "Bruno": "The Landing", "Odile": "The Landing", "Hanno": "The Mill"},
        BEFORE,
        lambda turn: "",
        (),
        (),
        carries={"Eliza": ("ink bottle",)},
        theirs=("kite", "red kite"),
    )
    scene = set_up(situation)
    for line in lines:
        scene.game.perform("Eliza", line)
    return scene.turn(failure)


@pytest.mark.parametrize(
    ("check", "right", "wrong"),
    [
        (answers("Bruno"), "say Silk is strong.", ""),
        (answers("Bruno"), "say to Bruno Silk is strong.", "say to Odile Silk is strong."),
        (answers("Bruno"), "say Silk, Bruno?", "say Silk, Odile?"),
        (answers("Bruno"), "say Odile knows silk.", "say Odile, do you know silk?"),
        (answers("Bruno"), "say Silk is strong.", "whisper Bruno Silk is strong."),
        (answers("Bruno", by="whisper"), "whisper Bruno Silk?", "say Silk?"),
        (answers("Bruno", by="whisper"), "whisper Bruno Silk?", "whisper Odile Silk?"),
        (answers("Hanno", by="tell"), "tell Hanno I am here.", "tell Bruno I am here."),
        (keeps_quiet, "emote nods", "say Yes."),
        (keeps_quiet, "", "tell Hanno Yes."),
        (acts, "look river", ""),
        (poses, "emote nods", "look river"),
        (mentions("willow", "silk"), "say Willows bend.", "say It flew."),
        (mentions("key"), "say The key!", "say A monkey."),
        (says(r"\bit's silk"), "say It’s silk.", "say It was silk."),
        (says("silk"), "say Silk.", "emote feels the silk"),
        (shows("nods|smiles"), "emote Smiles.", "emote frowns"),
        (shows("nods"), "emote nods", "say She nods."),
        (is_about("silk strong"), "say It is strong.", "say Blue elbows sing."),
        (is_fresh, "say Hello, Bruno. Silk?", "say Hello, Bruno. What did you have for breakfast?"),
        (is_fresh, "emote nods", "say I am Eliza."),
        (is_fresh, "", "say Four feet two. Rising. Not much."),
        (takes_up("silk"), "say Silk.", "say Blue elbows sing."),
        (takes_up("silk"), "say It flew.", "say Nice to meet you, Bruno!"),
        (takes_up("silk"), "say Never.", "say I see. That is very interesting."),
        (NO_STRAY_TALK, "say What was it made of?", "say What do you miss most?"),
        (NO_STRAY_TALK, "say You are kind to kites.", "say You are very kind."),
        (keeps_to_its_office, "say I write the Daybook.", "say I keep the weir."),
        (keeps_to_its_office, "say Odile is the keeper.", "say I look after the ferns."),
        (leaves_out("kite"), "say It flew.", "say Kites fly."),
        (leaves_out("kite"), "say It flew.", "emote draws a kite"),
        (never_says(r"\bi will drop"), "say Drop by.", "say I will drop it."),
        (at_most_words(3), "say It is silk.", "say It is made of silk."),
        (goes_to("Ink Yard"), "go west", "go north"),
        (stays, "look river", "go west"),
        (takes("sealed letter"), "get sealed letter", "look river"),
        (gives("ink bottle", "Bruno"), "give ink bottle to Bruno", "give ink bottle to Odile"),
        (keeps("ink bottle"), "look river", "drop ink bottle"),
        (puts_down("ink bottle"), "drop ink bottle", "give ink bottle to Bruno"),
        (does("use bell"), "use bell", "look bell"),
        (does_not("look river"), "look planks", "examine river"),
        (all_of(stays, keeps_quiet), "look river", "say Yes."),
        (any_of(poses, keeps_quiet), "emote nods", "say Yes."),
    ],
)
def test_a_check_tells_right_from_wrong(check: Check, right: str, wrong: str):
    assert check(turn(*filter(None, [right]))) == ""
    assert check(turn(*filter(None, [wrong]))) != ""


def test_what_was_refused_is_not_done():
    assert does("get moon")(turn("get moon")) != ""


def test_what_must_not_be_said_must_not_be_said_with_a_curly_apostrophe_either():
    assert never_says(r"\bi'll drop")(turn("say I’ll drop it.")) != ""


@pytest.mark.parametrize(
    "line",
    [
        "",
        "go west",
        "look river",
        "emote nods",
        "say Silk is strong, Bruno. Who made it?",
        "say You are Bruno, and you lost a red kite.",
        "say Your red kite was silk and willow.",
        "say I am Eliza. My page is not full.",
        "say I am sorry about your kite.",
        "say I'm sorry, I don't have it.",
        "say It was only me, Eliza.",
        "say Eliza is my name.",
        "say They say that kites come home.",
        "say Tell me about the sticks.",
        "say Good morning, Bruno.",
        "say A red kite: how lovely!",
        "say Eliza, the day-writer. And you?",
        "say In my book your red kite has a line.",
        "say You said, 'near the mill'.",
        "say I do not understand, Bruno.",
        "say I can't help it, I like kites.",
        "say I'm sorry, I can't give you the bottle.",
        "say Is there anything else you remember of it?",
    ],
)
def test_a_plain_turn_has_no_flaws(line):
    assert flaws(turn(*filter(None, [line]))) == ""


@pytest.mark.parametrize(
    ("line", "flaw"),
    [
        ("get moon", "refused: "),
        ("look bell", "repeated 'look bell'"),
        ("examine bell", "repeated 'examine bell'"),
        ("say What was it made of?", "repeated "),
        ("say Silk and two willow sticks.", "echoed "),
        ("say Ah, silk and two willow sticks.", "echoed "),
        ("say I am Bruno. I lost my red kite near the mill.", "echoed "),
        ("say How can I help you with that?", "assistant talk: "),
        ("say I'm sorry, but I can't do that.", "assistant talk: "),
        ("say As an AI, I like silk.", "assistant talk: "),
        ("say I do not understand your request.", "assistant talk: "),
        ("say I can't help you with that.", "assistant talk: "),
        ("say Is there anything else you need?", "assistant talk: "),
        ("say I'm sorry, I cannot answer.", "assistant talk: "),
        ("say I am here to assist you.", "assistant talk: "),
        ("say I lost my red kite.", "swapped persons: "),
        ("say I have lost a red kite too.", "swapped persons: "),
        ("say My kite is silk.", "swapped persons: "),
        ("say I am Bruno.", "swapped persons: "),
        ("say My name is Odile.", "swapped persons: "),
        ("say You are Eliza.", "swapped persons: "),
        ("say Eliza will write that down.", "swapped persons: "),
        ("say Thank you, Eliza.", "spoke to itself as Eliza"),
        ("say Good morning, Eliza!", "spoke to itself as Eliza"),
        ('say Silk? Bruno says, "Yes, silk."', "put words in a mouth: "),
        ("say Odile said: 'near the mill'", "put words in a mouth: "),
        ("say You said, 'I sold the mill'.", "put words in a mouth: "),
        ("say Bruno: It was silk.", "put words in a mouth: "),
        ("say Silk? Eliza: Yes.", "put words in a mouth: "),
        ('emote hears that Odile said: "Silk."', "put words in a mouth: "),
        ('say {"words": "Silk."}', "not speech: "),
        ("say **Silk** is strong.", "not speech: "),
        ('say say "Silk."', "not speech: "),
        ("say whisper Bruno silk.", "not speech: "),
        ("say emote Nods.", "not speech: "),
    ],
)
def test_a_bad_turn_has_its_flaw(line, flaw):
    assert flaws(turn(line)).startswith(flaw)


def test_a_turn_that_failed_is_flawed():
    assert flaws(turn(failure="no command")) == "no command"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Moss, look.", ["Moss"]),
        ("Look, Moss.", ["Moss"]),
        ("Hello Moss and welcome", ["Moss"]),
        ("I saw it. Thank you Moss", ["Moss"]),
        ("This is Moss.", []),
        ("Ask Moss, or Odile.", []),
        ("Mossy stones.", []),
        ("Only I, Moss.", []),
        ("Moss, the bell is ringing.", ["Moss"]),
        ("Moss, and he listens.", []),
        ("Odile, the weir-keeper. Who else?", []),
        ("Odile, who has the key.", []),
        ("That is the weir-keeper, Odile.", []),
    ],
)
def test_who_is_called_by_name(text, names):
    assert addressed(text, ["Moss", "Odile"]) == names


@pytest.mark.parametrize(
    ("said", "heard", "expected"),
    [
        ("Good morning, all.", "Good morning, all.", False),
        ("I walked all day.", "I walked all day.", True),
        ("walked all day to get", "I have walked all day to get here.", True),
        ("So you have walked all day to get here from the sea, have you?", "I walked all day.", False),
        ("You have walked all day to get here and are tired", "I have walked all day to get here and am tired.", True),
        ("Where did you walk from, and what did you see?", "I have walked all day to get here.", False),
    ],
)
def test_an_echo_says_anothers_words_back(said, heard, expected):
    assert is_echo(said, heard) is expected
