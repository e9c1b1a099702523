"""Each measure counts what it says, on a scene with known answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bench.talk.measures import Measures, Names
from bench.talk.models import Thought
from bench.talk.report import shares_of, table_of, write_sheet
from bench.talk.scenes import Line, Scene, read_scenes
from bench.talk.stage import Played, Speech, reference_answers

AGENT = "Bram"
OFFERS = ("give lamp to Maëlys", "take leave", "stay silent")


def answer(words: str, act: str = "", offers: tuple[str, ...] = (), is_whispered: bool = False) -> Line:
    return Line(AGENT, words, is_whispered, True, act, offers)


SCENE = Scene(
    title="lamp:1",
    agent=AGENT,
    profile="You keep the lamp.",
    room="Lamp Room",
    part="night",
    here=("Maëlys", "Odo"),
    things=("lamp",),
    knows=("Maëlys has a brother called Corentin.",),
    notes=("The boat of Skell comes at 9.",),
    past="",
    lines=(
        Line("Maëlys", "when does the old boat come over from there"),
        answer("At 9, from Skell, Maëlys."),
        Line("Odo", "i dropped her silver thimble down the drain", is_whispered=True),
        answer("Nobody hears of it.", is_whispered=True),
        Line("Maëlys", "what did he tell you about me"),
        answer("Ask Odo.", "give lamp to Maëlys", OFFERS),
        Line("Odo", "bye then"),
        answer("", "take leave", OFFERS),
    ),
)
MEASURES = Measures([SCENE])


def played(place: int, words: str = "", to: str = "", act: str = "", prompt: str = "") -> Played:
    return Played(SCENE, place, 1, (Speech(words, to),) if words else (), act, prompt=prompt)


def test_names_have_capitals_inside_sentences():
    names = Names(SCENE)
    assert names.items("Listen, the Captain of Skell has 12 dogs. Corentin knows. I say so. Truly.") == [
        "captain",
        "skell",
        "12",
        "corentin",
    ]


@pytest.mark.parametrize(
    ("words", "recalled"),
    [
        ("It comes from skell.", True),
        ("Skell's boat, I think.", True),
        ("At 9.", True),
        ("At 90.", False),
        ("Maëlys, I do not know.", False),
        ("", False),
    ],
)
def test_recall_is_of_names_and_numbers_known_before(words, recalled):
    assert MEASURES.recalls(played(1, words)) is recalled


def test_recall_needs_something_to_recall():
    assert MEASURES.recalls(played(5, "Ask Odo.")) is None


@pytest.mark.parametrize(
    ("words", "prompt", "invented"),
    [
        ("It comes from Skell at 9.", "", False),
        ("It comes from Tarnmouth.", "", True),
        ("It comes from Tarnmouth.", "You know Tarnmouth.", False),
        ("Tarnmouth is far.", "", False),  # any word may begin a sentence
        ("In 40 days.", "", True),
    ],
)
def test_invented_stands_nowhere_in_prompt(words, prompt, invented):
    assert MEASURES.invents(played(1, words, prompt=prompt)) is invented


@pytest.mark.parametrize(
    ("words", "echoed"),
    [
        ("When does the old boat come over?", True),
        ("The boat comes over at 9, my dear.", False),
        ("The old boat.", False),
    ],
)
def test_echo_says_most_of_what_was_heard(words, echoed):
    assert MEASURES.echoes(played(1, words)) is echoed


def test_repeats_are_of_own_earlier_words():
    assert MEASURES.repeats(played(5, "At 9, from Skell, Maëlys."), []) is True
    assert MEASURES.repeats(played(5, "I know nothing of that."), []) is False
    assert MEASURES.repeats(played(5, "I know nothing of that."), [played(1, "I know nothing of that!")]) is True


@pytest.mark.parametrize(
    ("words", "to", "told"),
    [
        ("He dropped your thimble.", "", True),
        ("He dropped your thimble.", "Maëlys", True),
        ("You dropped her thimble.", "Odo", False),
        ("He told me about your boat.", "", False),
    ],
)
def test_secret_is_told_to_who_is_no_party(words, to, told):
    assert MEASURES.tells_secret(played(5, words, to)) is told


def test_nothing_is_secret_before_a_whisper():
    assert MEASURES.tells_secret(played(1, "He dropped your thimble.")) is None


def test_acts_count_where_some_are_on_offer():
    done, idle = played(5, "So.", act="give lamp to Maëlys"), played(5, "So.")
    assert [MEASURES.acts_as_reference(turn) for turn in (done, idle, played(7), played(1))] == [
        True,
        False,
        False,
        None,
    ]


@pytest.mark.parametrize(
    ("place", "offers", "lacks"),
    [
        (5, ("nothing", "give lamp to Maëlys"), False),
        (5, ("nothing",), True),
        (5, (), True),
        (5, None, None),  # no model was asked
        (1, ("nothing",), None),  # the reference does nothing
    ],
)
def test_act_is_lacking_where_the_engine_does_not_offer_it(place, offers, lacks):
    assert MEASURES.lacks_act(Played(SCENE, place, 1, offers=offers)) is lacks


def test_shares_count_turns_with_something_to_measure():
    turns = [
        played(1, "From Skell."),
        played(3),
        replace(played(5, "He dropped your thimble.", act="give lamp to Maëlys"), offers=("nothing",)),
        played(7),
    ]
    shares = {name: (share.hits, share.of) for name, share in shares_of(turns, MEASURES).items()}
    assert shares == {
        "answered": (2, 3),
        "recall": (1, 1),
        "invented": (0, 2),
        "echo": (0, 2),
        "repeats": (0, 2),
        "acts as the reference": (1, 2),
        "acts done": (1, 2),
        "acts not offered": (1, 1),
        "secrets told": (1, 1),
    }


def test_reference_answers_recall_everything_and_tell_nothing():
    scenes = read_scenes()
    shares = shares_of([turn for scene in scenes for turn in reference_answers(scene)], Measures(scenes))
    assert {name: shares[name].value for name in ("answered", "recall", "acts as the reference", "secrets told")} == {
        "answered": 1.0,
        "recall": 1.0,
        "acts as the reference": 1.0,
        "secrets told": 0.0,
    }


def test_row_names_model_scenes_and_costs():
    turn = Played(SCENE, 1, 1, (Speech("At 9."),), thoughts=(Thought(30, 1.0), Thought(10, 1.0)), seconds=2.5)
    table = table_of("mine", [turn], MEASURES)
    row = dict(zip(table.heads, table.rows[0], strict=True))
    assert (row["model"], row["scenes"], row["answered"]) == ("mine", "1 × 1", "100% (21%–100%) of 1")
    assert (row["seconds a turn"][:3], row["new prompt tokens a turn"][:4]) == ("2.5", "40.0")


def test_sheet_shows_turn_without_its_reference(tmp_path):
    write_sheet(tmp_path / "sheet.md", [played(5, "So.", "Odo", act="give lamp to Maëlys")])
    sheet = (tmp_path / "sheet.md").read_text("utf-8")
    assert "    Maëlys: what did he tell you about me\n    May: give lamp to Maëlys; take leave; stay silent\n" in sheet
    assert sheet.endswith("    > whispers to Odo: So. [give lamp to Maëlys]\n")
    assert "Ask Odo." not in sheet
    assert "Ask Odo." in (tmp_path / "sheet.key.json").read_text("utf-8")
