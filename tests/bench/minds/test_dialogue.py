"""What the visitor sees on her screen is counted rightly."""

from __future__ import annotations

import pytest

from bench.minds.dialogue import ASKS_LOSS, ASKS_NAME, SMALL_TALK, VISITORS, Exchange, Talk, lines_in, lines_of, recalls

TILDA = VISITORS[0]


@pytest.mark.parametrize(
    ("seen", "answered"),
    [
        ([], False),
        (['Eliza says, "Good morning."'], True),
        (['Eliza says to you, "Good morning."'], True),
        (['Eliza whispers to you, "Yes."'], True),
        (['Eliza tells you, "Yes."'], True),
        (['Eliza says to Odile, "Good morning."'], False),
        (["Eliza looks up.", 'Eliza says, "Good morning."'], True),
        (["Eliza looks up.", "Eliza leaves west to Ink Yard.", 'Eliza says, "Good morning."'], False),
        (["Eliza is here.", "Eliza arrives from Ink Yard.", "A plank creaks.", 'Eliza says, "Good day."'], True),
        (['Odile says, "Eliza says, no."'], False),
        (["You follow Eliza east to Eel Stage.", "Eliza looks up.", 'Eliza says, "Good day."'], False),
    ],
)
def test_an_answer_is_words_within_two_turns(seen, answered):
    assert Exchange("say Good morning.", seen).is_answered is answered


@pytest.mark.parametrize(
    ("words", "recalled"),
    [
        (["You lost your red kite."], True),
        (["A kite, over the mill."], True),
        (["I lost my red kite."], False),
        (["My kite is gone."], False),
        (["Something red."], False),
        ([], False),
    ],
)
def test_a_loss_is_recalled_by_whom_it_was(words, recalled):
    assert recalls(words, TILDA.lost, TILDA) is recalled


def test_a_talk_counts_its_answers_and_what_was_recalled():
    name = Exchange(f"say {ASKS_NAME}", ['Eliza says, "You are Tilda."'], 2.0)
    loss = Exchange(f"say {ASKS_LOSS}", ['Eliza says, "My name is Tilda."'], 1.0)
    talk = Talk(TILDA, [Exchange("say Hello."), name, loss])
    assert talk.answered == [False, True, True]
    assert talk.recalled == [True, False]
    assert talk.transcript[:3] == ["> say Hello.", f"> say {ASKS_NAME}", 'Eliza says, "You are Tilda."']


def test_ten_lines_stand_between_the_loss_and_the_question():
    lines = lines_of(TILDA)
    assert lines.index(f"say {ASKS_NAME}") - lines.index(f"say {TILDA.loss}") - 1 == len(SMALL_TALK) == 10
    assert not [line for line in lines[2:] if "Tilda" in line or "kite" in line]


def test_a_screen_is_read_as_lines_without_prompts():
    assert lines_in('You see it.\n> Eliza says, "Ja, grün."\n\n> ') == ["You see it.", 'Eliza says, "Ja, grün."']
