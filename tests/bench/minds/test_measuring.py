"""Agents are put into situations as the situations say."""

from __future__ import annotations

import asyncio
from random import Random

import pytest

from agents.models.profiles import Profiles
from agents.models.queue import ModelQueue
from bench.lib.models import ScriptedModel
from bench.minds.measuring import Trial, play_situation
from bench.minds.situation import Step
from bench.minds.situations.every import situations_of
from bench.minds.stage import UnknownComponent, WatchedQueue, check_components, prepare_vault


def silent_trial(name: str) -> Trial:
    """Return one situation, tried with a model that has no words."""
    queue = WatchedQueue(ModelQueue(ScriptedModel("silent", lambda request: "")), Profiles(Random(0)))
    (situation,) = situations_of("all", name)
    return asyncio.run(play_situation(situation, 1, queue))


def test_an_agent_without_words_answers_nobody():
    trial = silent_trial("answers_its_question")
    assert not trial.is_right
    assert not trial.is_answered


def test_the_script_is_what_came_before():
    trial = silent_trial("answers_its_question")
    assert trial.turn.own_lines == ("say Good day, Marta. Where do you come from?",)
    assert trial.turn.heard == ("Good day. I am Marta.", "From the hills, two days away.")
    assert trial.turn.others == {"Marta"}


def test_errands_stand_in_the_agents_notes_and_in_no_others(tmp_path):
    vault = prepare_vault(tmp_path / "vault", {"Moss": (Step("Kettle House", "get tin cup"), Step("The Landing"))})
    notes = {name: vault.path("agents", name, "agent.md").read_text("utf-8") for name in ("Eliza", "Moss", "Odile")}
    errands = "\n\n## Errands\n- [[Kettle House]]: get tin cup\n- [[The Landing]]\n"
    assert {name: note.endswith(errands) for name, note in notes.items()} == {
        "Eliza": False,
        "Moss": True,
        "Odile": False,
    }
    assert [note.count("## Errands") for note in notes.values()] == [0, 1, 0]
    assert all("## Reactions" in note for note in notes.values())


def test_an_unknown_component_is_told():
    with pytest.raises(UnknownComponent, match="There is no component 'appetite' to do without"):
        check_components(["appetite"])
