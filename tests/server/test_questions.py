"""Questions about the past: however many somebody asks, others have their turn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from twisted.internet.defer import Deferred

from server.observatory.views import View
from server.questions import Questions
from tests.english import ENGLISH
from tests.server.front_door import Thread
from tests.server.observatory.town_of import Watched


@pytest.mark.parametrize("is_live", [False, True])
def test_flood_of_page_questions_keeps_two(tmp_path: Path, is_live: bool):
    life, thread = Watched(tmp_path), Thread()
    life.observatory.views.add(
        View(
            "slow",
            lambda asked: thread(dict, asked),
            lambda shown, say: "",
            lambda asked, _: thread(dict, asked),
            is_live,
        )
    )
    viewer, outlet = life.looks("Ben")
    for number in range(600):
        viewer.message_received({"view": "slow", "id": 0 if is_live else number + 1, "of": str(number)})
    begun = 0
    while thread.jobs:
        assert len(thread.jobs) == 1
        thread.goes_on()
        begun += 1
    messages = outlet.taken()
    assert begun == 2
    assert [one["seen"]["of"] for one in messages if one["seen"]][-1] == "599"
    if not is_live:
        assert sorted(one["id"] for one in messages) == list(range(1, 601)), "each question has an answer"
        assert {one["unseen"] for one in messages if not one["seen"]} == {"You have asked something newer since."}


def test_flood_of_one_asker_delays_no_other():
    thread, answers = Thread(), list[str]()
    questions = Questions(thread, lambda: ENGLISH)
    for _ in range(100):
        questions.read("Ana", str, "late").addErrback(lambda _: None)
    questions.read("Ben", str, "soon").addCallback(answers.append)
    for _ in range(2):
        thread.goes_on()
    assert answers == ["soon"]


def test_failed_question_lets_the_next_begin():
    thread, outcomes = Thread(), list[object]()

    def failing() -> Deferred[str]:
        raise ValueError("no file")

    questions = Questions(thread, lambda: ENGLISH)
    questions.ask("Ana", failing).addErrback(lambda failure: outcomes.append(failure.getErrorMessage()))
    questions.read("Ana", json.loads, "{").addErrback(lambda failure: outcomes.append(failure.type))
    questions.read("Ana", str, "well").addCallback(outcomes.append)
    for _ in range(2):
        thread.goes_on()
    assert outcomes == ["no file", json.JSONDecodeError, "well"]
