"""What somebody means with their words stands in one line before the answer."""

from __future__ import annotations

import pytest

from agents.components.dialogue import ACTS, act_of
from tests.agents.components.test_asked import Asking
from vault.message_notes import load_wording
from vault.vault import STARTER, Vault


@pytest.fixture
def inn(tmp_path):
    return Asking(tmp_path)


def test_an_agent_is_told_what_a_visitor_means_and_how_one_takes_it(inn):
    told = inn.told_after("sorry I was rude yesterday", "dialogue")
    assert told == "Ana says sorry. Rook forgives Ana in a few kind words, and does not say sorry."
    assert inn.told_after("The river is brown.", "dialogue") == ""


def test_every_phrase_is_known_by_itself():
    say = load_wording(Vault(STARTER))
    for act in ACTS:
        for phrase in say(f"dialogue.is_{act}").split("; "):
            assert act_of(phrase, say) in ACTS[: ACTS.index(act) + 1], f"{act}: {phrase}"


@pytest.mark.parametrize(
    ("words", "act"),
    [
        ("i brought you soup, its still hot", "offer"),
        ("I think I broke my ankle", "hurt"),
        ("hey odile im getting married tomorrow!!", "good_news"),
        ("I failed my exam. I feel so stupid.", "sad"),
        ("My daughter is in the hospital. Sorry, I just needed to tell somebody.", "sad"),
        ("I come here when I cannot cry at home.", "sad"),
        ("You are a liar, old man.", "insult"),
        ("last night i dreamt of you", "dream"),
        ("what would you do if it rained for a year", "wish"),
        ("you look tired. everything ok?", "mood"),
        ("do you ever get lonely", "opinion"),
        ("which way is the mill", ""),
        ("I'm scared of the stairs", "sad"),
        ("I'm really scared.", "sad"),
        ("I am very sad today.", "sad"),
        ("My dog is dead.", "sad"),
        ("I can't cry any more.", "sad"),
        ("Let's play hide and seek.", "game"),
        ("What's up?", "mood"),
        ("You are kind, but please help me carry my bag", "help"),
        ("We danced and were up all night, it was wonderful.", ""),
        ("im not cross and i won't tell", ""),
        ("A cold potato, standing up.", ""),
        ("It was the best view I ever had with a potato.", ""),
        ("people have got scared of a quiet room", ""),
        ("I passed everything but chemistry.", ""),
        ("My brother went to sea on his nineteenth birthday.", ""),
    ],
)
def test_an_act_is_known_by_its_phrases_the_first_that_fits(words, act):
    assert act in ("", *ACTS)
    assert act_of(words, load_wording(Vault(STARTER))) == act
