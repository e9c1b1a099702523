"""Agents are put into situations as the situations say, and the figures of a run are counted."""

from __future__ import annotations

import asyncio
import math
from dataclasses import replace
from functools import cache
from random import Random

import pytest

from agents.metrics.statistics import Amount, Share
from agents.models.profiles import Profiles
from agents.models.queue import ModelQueue
from bench.lib.models import ScriptedModel
from bench.minds.__main__ import (
    Result,
    Trial,
    failures_text,
    play_situation,
    results_table,
    situation_shares,
    turns_of,
)
from bench.minds.situation import Situation, Step, situations_of
from bench.minds.stage import UnknownComponent, WatchedQueue, check_components, prepare_vault
from tests.bench.minds.test_situations import set_up, turn_in


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


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [(0, 10, 0.0, 0.278), (10, 10, 0.722, 1.0), (5, 10, 0.237, 0.763), (81, 263, 0.255, 0.366)],
)
def test_the_interval_is_wilsons(hits, of, low, high):
    # The last is Newcombe's example (Statistics in Medicine 17, 1998), as far as it is given there.
    assert Share(hits, of).interval == pytest.approx((low, high), abs=0.0006)


def test_a_share_of_nothing_is_no_number():
    assert math.isnan(Share().value)
    assert Share().text == "–"


def test_a_mean_has_its_interval():
    found = Amount.over([1.0, 2.0, 3.0])
    assert (found.mean, found.of) == (2.0, 3)
    assert found.half == pytest.approx(1.959964 / math.sqrt(3))


EVERY = situations_of("all")
ASKED = ("stranger_greets", "asks_if_it_is_safe")


def held_back(trial: Trial) -> Trial:
    """Return a trial as if its situation were not for tuning."""
    return replace(trial, situation=replace(trial.situation, is_held_back=True))


def trials_of(who: str) -> list[Trial]:
    """Return every situation tried once by somebody "silent" or "perfect", by an "echo" or by who talks "nonsense"."""
    return [trials[who] for trials in trials_of_all()]


@cache
def trials_of_all() -> list[dict[str, Trial]]:
    return [trials_in(situation) for situation in EVERY]


def trials_in(situation: Situation) -> dict[str, Trial]:
    scene = set_up(situation)
    silent = turn_in(scene, "")
    echo = turn_in(scene, f"say {' '.join(silent.heard[-1:])}")
    nonsense = turn_in(scene, nonsense_for(situation))
    perfect = turn_in(scene, situation.right[0])  # the last, for it may change the scene
    return {
        who: Trial(situation, 1, turn, situation.judge(turn), bool(turn.speeches))
        for who, turn in (("silent", silent), ("echo", echo), ("nonsense", nonsense), ("perfect", perfect))
    }


def nonsense_for(situation: Situation) -> str:
    """Return nonsense that is spoken as the right words would be; to say it where none are asked for does no harm."""
    verb, _, rest = situation.right[0].partition(" ")
    if verb not in ("whisper", "tell"):
        return "say Purple elbows yodel."
    return f"{verb} {rest.partition(' ')[0]} Purple elbows yodel."


def test_who_plays_perfectly_scores_everything():
    trials = trials_of("perfect")
    shares = situation_shares([*trials, held_back(trials[0])])
    assert {name: share.value for name, share in shares.items()} == {
        "valid commands": 1.0,
        "answered within two turns": 1.0,
        "keeps out of a talk of others": 1.0,
        "no swaps, echoes, assistant talk": 1.0,
        "situations right, tuning": 1.0,
        "situations right, held back": 1.0,
    }


def test_who_is_silent_keeps_out_and_answers_nobody():
    trials = trials_of("silent")
    shares = situation_shares(trials)
    assert shares["valid commands"].value == 1.0
    assert shares["answered within two turns"].value == 0.0
    assert shares["keeps out of a talk of others"].value == 1.0
    right = [one.situation.name for one in trials if one.is_right]
    assert right == [one.name for one in EVERY if "" in one.right]


def test_who_echoes_is_right_nowhere():
    trials = [trial for trial in trials_of("echo") if trial.turn.heard]
    assert len(trials) > 50
    assert [one.situation.name for one in trials if one.is_right] == []
    assert situation_shares(trials)["no swaps, echoes, assistant talk"].value < 0.1


def test_nonsense_is_no_answer_but_to_nonsense():
    trials = [trial for trial in trials_of("nonsense") if trial.situation.asks_for_words]
    passed = [trial.situation for trial in trials if trial.is_right]
    assert [one.name for one in passed if not one.is_held_back] == [
        "is_fed_the_marks_of_a_template",
        "is_told_what_to_say",
        "is_told_gibberish",
        "is_given_another_part_to_play",
        "is_told_to_repeat_words",
        "is_told_words_of_no_language",
        "bogdan_types_with_his_elbows",
    ]
    assert [one.group for one in passed if one.is_held_back] == []


def test_nothing_is_told_of_what_is_held_back():
    greeted, asked = (one for one in trials_of("silent") if one.situation.name in ASKED)
    turns = turns_of([replace(greeted, rejected=["echoes: Good day!"]), held_back(asked)])
    assert list(turns) == ["stranger_greets"]
    assert failures_text(turns).split("\n") == [
        "  stranger_greets, seed 1: did not answer Tilda  [nothing]",
        "    not taken: echoes: Good day!",
    ]


def result(model: str = "embedded", **shares: Share) -> Result:
    return Result(model, {"without": ["facts"]}, shares, {"seconds": Amount(1.25, 0.5, 9)}, {})


def test_a_result_is_read_as_it_was_saved(tmp_path):
    saved = result(valid=Share(1, 2))
    saved.saved(tmp_path / "one.json")
    assert Result.load(tmp_path / "one.json") == saved


@pytest.mark.parametrize("text", ["", "[]", '{"model": 1}', '{"model": "m", "shares": {"valid": 3}}'])
def test_what_is_no_result_is_refused(tmp_path, text):
    (tmp_path / "odd.json").write_text(text, "utf-8")
    with pytest.raises(ValueError, match="odd.json is no result of bench.minds: "):
        Result.load(tmp_path / "odd.json")


def test_results_stand_side_by_side():
    table = results_table([result("one", odd=Share(1, 2)), result("two")])
    assert "| | one, without facts | two, without facts | goal |" in table.replace("|  |", "| |")
    assert "| odd | 50% (9%–91%) of 2 | – |  |" in table
    assert "| seconds | 1.2 ± 0.5 | 1.2 ± 0.5 |  |" in table
