"""A scene is played through the engine: with a scripted model, and with one that answers by files."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from agents.models.model import Capabilities, ModelError
from bench.talk.__main__ import play_by_hand
from bench.talk.models import queue_before
from bench.talk.scenes import Line, Scene
from bench.talk.stage import Played, Speech, play_answer, play_scene, set_up_vault
from tests.bench.talk.test_measures import SCENE
from tests.scripted_model import ScriptedModel
from vault.vault import agent_names

SPOKEN = replace(
    SCENE,
    room="Bram's Lamp Room",
    lines=(
        Line("", "A gull screams."),
        Line("Maëlys", "Bram, do you sing?"),
        Line("Bram", "Only to the Lamp.", is_answer=True),
        Line("Odo", "Bram, what is that tune?"),
        Line("Bram", "Take this. ", is_answer=True, act="give lamp to Odo", offers=("give lamp to Odo",)),
        Line("Odo", "Bram, what would you sing tomorrow?", is_whispered=True),
        Line("Bram", "Hush.", is_whispered=True, is_answer=True),
    ),
)


def model_saying(words: str, act: str = "nothing") -> ScriptedModel:
    instructed = Capabilities(chat=True, raw=False, json_schema=True)
    return ScriptedModel(lambda request: json.dumps({"words": words, "you_do": act}), capabilities=instructed)


def play(scene: Scene, words: str, place: int, act: str = "nothing") -> Played:
    return asyncio.run(play_answer(scene, place, 1, queue_before(model_saying(words, act))))


def test_answer_is_the_models_words():
    turn = play(SPOKEN, "Only in the bath.", 2)
    assert turn.speeches == (Speech("Only in the bath."),)
    assert (turn.act, len(turn.thoughts)) == ("", 1)


def test_prompt_has_knowledge_and_talk_before():
    known = replace(SPOKEN, knows=("Odo owes you a wick.",))
    prompt = play(known, "Only in the bath.", 4).prompt
    wanted = (
        "You keep the lamp.",
        "The boat of Skell comes at 9.",
        "Odo: Odo owes you a wick.",
        "A gull screams.",
        "do you sing?",
        "Only to the Lamp.",
    )
    assert [text for text in wanted if text not in prompt] == []


def test_reference_gift_has_changed_hands():
    prompt = play(SPOKEN, "Softly.", 6).prompt
    assert "give lamp to Odo" in prompt
    assert "You carry a lamp" not in prompt


TALKED = tuple(
    line
    for words in ("Good day, Bram.", "Is it cold?", "Does the Lamp go out?")
    for line in (Line("Odo", words), Line("Bram", f"{words} So you ask.", is_answer=True))
)


@pytest.mark.parametrize(
    ("act", "words"),
    [
        ("give lamp to Odo", "Bram, may I?"),
        ("promise to tell Ilse", "Bram, Ilse must hear of it."),
        ("lead Odo to The Attic", "Bram, where is The Attic?"),
        ("go along with Odo", "Bram, come."),
        ("take leave", "Bram, farewell."),
    ],
)
def test_act_is_named_as_the_scene_names_it(act, words):
    offers = (act, "promise to tell Ilse", "lead Odo to The Attic")
    asked = (*TALKED, Line("Odo", words), Line("Bram", "Yes.", is_answer=True, act=act, offers=offers))
    turn = play(replace(SPOKEN, here=("Odo",), lines=asked), "As you say.", len(TALKED) + 1, act)
    assert (turn.act, turn.words) == (act, "As you say.")
    assert act in (turn.offers or ())


def test_silence_is_an_act_only_where_it_is_on_offer():
    asked = (Line("Odo", "Maëlys, do you sing?"), Line("Bram", "", is_answer=True, offers=("stay silent",)))
    assert play(replace(SPOKEN, lines=asked), "", 1, "stay silent").act == "stay silent"
    assert play(replace(SPOKEN, lines=(asked[0], replace(asked[1], offers=()))), "", 1, "stay silent").act == ""


@pytest.mark.parametrize(("room", "is_in_town"), [("Spray Garden", True), ("Bram's Lamp Room", False)])
def test_starter_world_is_around_its_own_rooms(tmp_path, room, is_in_town):
    vault = set_up_vault(tmp_path / "vault", replace(SPOKEN, room=room))
    assert ("Kettle House" in vault.names("rooms"), "The ink" in vault.names("lore")) == (is_in_town, is_in_town)
    assert (room in vault.names("rooms"), agent_names(vault)) == (True, ["Bram"])


def test_every_answer_is_played():
    model = model_saying("Only in the bath.")
    assert [turn.place for turn in asyncio.run(play_scene(SPOKEN, 1, queue_before(model)))] == [2, 4, 6]


async def answering(folder: Path, words: str) -> None:
    """Answer every request as soon as it is there."""
    while True:
        for asked in (folder / "asked").glob("*.json"):
            (folder / "answers" / asked.name).write_text(json.dumps({"words": words}), "utf-8")
        await asyncio.sleep(0)


def test_files_answer_by_hand(tmp_path):
    async def played() -> list[Played]:
        hand = asyncio.create_task(answering(tmp_path, "Only in the bath."))
        try:
            return await play_by_hand(tmp_path, [replace(SPOKEN, lines=SPOKEN.lines[:3])], 1, look_seconds=0.0)
        finally:
            hand.cancel()

    (turn,) = asyncio.run(played())
    assert turn.words == "Only in the bath."
    asked = json.loads((tmp_path / "asked" / "lamp-1.2.1.1.json").read_text("utf-8"))
    assert asked["messages"][-1]["content"].endswith("Bram, do you sing?")


def test_answers_of_another_run_are_kept(tmp_path):
    (tmp_path / "answers").mkdir()
    (tmp_path / "answers" / "one.json").write_text("{}", "utf-8")
    with pytest.raises(ModelError, match="has the answers of another run"):
        asyncio.run(play_by_hand(tmp_path, [SPOKEN], 1))
