"""Scenes are read whole, and a line that is not of the form is named with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.talk.scenes import Line, Scene, SceneError, read_scenes, scenes_in
from vault.message_notes import starter_sentences
from world.message_catalog import Wording

TEXT = """== Old Bram | You keep a lamp. You say little.
place: Lamp Room, late evening; here: Maëlys, Mrs. Oil; carries: oil can, wick
knows: Maëlys lost a knife. | Maëlys is afraid.
notes: The boat comes on the 9th.
past: It rained.
(Maëlys climbs up.)
Maëlys: made it: when is the boat
> On the 9th.
may: give oil can to Maëlys; stay silent
Mrs. Oil whispers: hush
> whispers: I will. [give oil can to Maëlys]
may: stay silent
Maëlys: hm
> [stay silent]
"""
OFFERS = ("give oil can to Maëlys", "stay silent")


def written(folder: Path, text: str) -> Path:
    path = folder / "lamp.txt"
    path.write_text(text, "utf-8")
    return path


def test_scene_has_all_fields_and_lines(tmp_path):
    assert list(scenes_in(written(tmp_path, TEXT))) == [
        Scene(
            title="lamp:1",
            agent="Old Bram",
            profile="You keep a lamp. You say little.",
            room="Lamp Room",
            part="late evening",
            here=("Maëlys", "Mrs. Oil"),
            things=("oil can", "wick"),
            knows=("Maëlys lost a knife.", "Maëlys is afraid."),
            notes=("The boat comes on the 9th.",),
            past="It rained.",
            lines=(
                Line("", "Maëlys climbs up."),
                Line("Maëlys", "made it: when is the boat"),
                Line("Old Bram", "On the 9th.", is_answer=True),
                Line("Mrs. Oil", "hush", is_whispered=True),
                Line("Old Bram", "I will.", True, True, "give oil can to Maëlys", OFFERS),
                Line("Maëlys", "hm"),
                Line("Old Bram", "", False, True, "stay silent", ("stay silent",)),
            ),
        )
    ]


def test_heard_is_what_came_since_last_answer(tmp_path):
    (scene,) = scenes_in(written(tmp_path, TEXT))
    assert [scene.heard(place) for place in scene.answers] == [
        "Maëlys climbs up.\nmade it: when is the boat",
        "hush",
        "hm",
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nobody", "lamp.txt:15: 'nobody' is not of the form; expected NAME: words, (an event) or > an answer."),
        (">", "lamp.txt:15: '>' is not of the form; expected > words, or > [stay silent]."),
        ("> So. [fly]", "lamp.txt:15: '> So. [fly]' is not of the form; expected one of the acts on offer: none."),
        ("== Bram", "lamp.txt:15: '== Bram' is not of the form; expected == NAME | profile."),
        ("== Bram | x", "lamp.txt:15: the scene has no place; expected place: ROOM, part of day; here: OTHERS."),
    ],
)
def test_fault_is_named_with_its_line(tmp_path, line, message):
    with pytest.raises(SceneError) as raised:
        list(scenes_in(written(tmp_path, TEXT + line)))
    assert str(raised.value) == message


def test_text_before_first_scene_is_refused(tmp_path):
    with pytest.raises(SceneError, match="^lamp.txt:2: 'hello' stands in no scene; expected == NAME | profile.$"):
        list(scenes_in(written(tmp_path, f"\nhello\n{TEXT}")))


def test_part_of_the_scenes_is_always_the_same():
    scenes = read_scenes()
    assert (len(scenes), sum(len(scene.answers) for scene in scenes)) == (300, 1584)
    assert read_scenes(count=7) == scenes[:7]
    assert {scene.title.split(":")[0] for scene in read_scenes("town")} == {"town"}


def test_unknown_title_is_told():
    with pytest.raises(SceneError, match="--only is 'nowhere', which no scene's title has; expected a part of one"):
        read_scenes("nowhere")


def test_acts_on_offer_are_those_of_the_engine():
    wording = Wording(starter_sentences())
    acts = [key for key in wording.sentences if key.startswith("offers.")]
    offers = {offer for scene in read_scenes() for line in scene.lines for offer in line.offers}
    assert offers
    assert [offer for offer in sorted(offers) if not any(wording.read(act, offer) is not None for act in acts)] == []
