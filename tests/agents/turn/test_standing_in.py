"""When no model can speak for an agent, it says lines that its author wrote, and the archive says which were near."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agents.models.model import ModelError
from tests.agents.turn.talking import BASE, CHAT, KITCHEN, TINY, Talking, words
from tests.scripted_model import Reply

LINES = """\
**how is the ale today; how does the ale taste**: Sour, as ever. | Ask the barrel.
**do you know a song**: Only the one about the eel.

## On meeting
- Come in, and mind the step.

## For a gift
- For me? It has been years.

## Lost for words
- That is beyond me.
- I could not say.
"""
ALE = {"say Sour, as ever.", "say Ask the barrel."}
LOST = {"say That is beyond me.", "say I could not say."}
GONE = ModelError("Nobody answers.", is_gone=True)
UNFIT = words("~Rook> look")


def rook(root: Path, *script: Reply, lines: str = LINES, capabilities=CHAT) -> Talking:
    """Return Rook, whose author has written these lines for him."""
    if lines:
        (root / "agents" / "Rook").mkdir(parents=True, exist_ok=True)
        (root / "agents" / "Rook" / "lines.md").write_text(lines, encoding="utf-8")
    return Talking(root, *script, capabilities=capabilities)


def chosen(root: Path) -> list[dict[str, Any]]:
    """Return what the archive says of the author's lines that were said."""
    files = sorted((root / "agents" / "Rook" / "archive").glob("*.jsonl"))
    rows = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    return [row for row in rows if row["event"] == "authors_line"]


@pytest.mark.parametrize(
    ("script", "capabilities", "asked"),
    [((), TINY, 0), ((GONE,), CHAT, 1), ((GONE,), BASE, 1), ((UNFIT, UNFIT), CHAT, 2), ((words(""), UNFIT), CHAT, 2)],
    ids=["does not speak", "is down", "base is down", "is refused twice", "finds no words"],
)
def test_whatever_keeps_a_model_from_speaking_a_line_of_the_authors_is_said(tmp_path, script, capabilities, asked):
    life = rook(tmp_path, *script, capabilities=capabilities)
    turn = life.answers("say Rook, how is the ale today?")
    assert (turn.outcome, turn.cause, turn.line in ALE) == ("acted", "answer", True)
    assert len(life.model.requests) == asked
    assert life.ana.screen()[-1] == f'Rook says, "{turn.line.removeprefix("say ")}"'
    (row,) = chosen(tmp_path)
    assert (row["words"], row["origin"], row["cause"]) == (turn.line.removeprefix("say "), "entry", "answer")
    assert row["candidates"][0] == ["how is the ale today", 1.0]
    assert not life.agent.awareness.owed.address.spoken


def test_without_lines_a_failing_model_owes_the_answer_still(tmp_path):
    life = rook(tmp_path, GONE, words("Sour."), lines="")
    assert life.answers("say Rook, how is the ale today?").outcome == "failed"
    assert life.remembered("acted") == []
    assert life.answers().line == "say Sour."
    assert life.answers().outcome == "resting"


def test_without_lines_an_answer_that_is_refused_twice_is_none(tmp_path):
    life = rook(tmp_path, UNFIT, UNFIT, lines="")
    assert life.answers("say Rook, how is the ale today?").outcome == "speechless"
    assert chosen(tmp_path) == []


def test_what_nobody_wrote_a_line_for_leaves_it_lost_for_words(tmp_path):
    life = rook(tmp_path, capabilities=TINY)
    said = {life.answers(f"say Rook, {words}?").line for words in ("why do bees hum", "who paints the moon")}
    assert said == LOST
    assert [(row["origin"], row["candidates"]) for row in chosen(tmp_path)] == [("lost", [])] * 2


def test_no_line_is_said_twice_within_a_talk(tmp_path):
    life = rook(tmp_path, capabilities=TINY)
    asked = [life.answers(f"say Rook, how is the ale today{'?' * count}").line for count in range(1, 4)]
    assert ({*asked[:2]}, asked[2] in LOST) == (ALE, True)


def test_names_come_before_the_authors_lines(tmp_path):
    life = rook(tmp_path, capabilities=TINY)
    life.has("brass lamp")
    assert life.answers("say Rook, do you know a song of the brass lamp?").line == (
        "say The brass lamp? I have it with me."
    )
    assert life.answers("say Rook, where is the kitchen?").line == f"say {KITCHEN}? Go north, and you are there."


def test_a_newcomer_and_a_gift_have_lines_of_their_own(tmp_path):
    life = rook(tmp_path, capabilities=TINY)
    assert life.answers("go north", "go south").line == "say Come in, and mind the step."
    assert life.answers("give coin to Rook").line == "say For me? It has been years."
    assert [row["origin"] for row in chosen(tmp_path)] == ["meeting", "gift"]


@pytest.mark.parametrize("is_overheard", [True, False])
def test_what_was_whispered_is_told_again_only_to_who_whispered_it(tmp_path, is_overheard):
    life = rook(tmp_path, capabilities=TINY)
    life.answers("whisper Rook My sister Zhmprk keeps a heron.")
    if not is_overheard:
        life.game.perform("Ben", "go north")
    line = life.answers("say Rook, what does my sister Zhmprk keep?").line
    assert ("Zhmprk" in line) is not is_overheard, line


def test_a_whisper_is_answered_in_a_whisper(tmp_path):
    life = rook(tmp_path, GONE)
    line = life.answers("whisper Rook how is the ale today?").line
    assert line.replace("whisper Ana ", "say ", 1) in ALE and line.startswith("whisper Ana ")


def test_the_same_life_chooses_the_same_lines(tmp_path):
    def lives(name: str) -> list[str]:
        life = rook(tmp_path / name, capabilities=TINY)
        return [life.answers(f"say Rook, {words}?").line for words in ("how is the ale today", "why", "a song?")]

    assert lives("one") == lives("two")


def test_a_model_that_can_answer_again_speaks_for_itself(tmp_path):
    life = rook(tmp_path, GONE, words("Better than yours."))
    assert life.answers("say Rook, how is the ale today?").line in ALE
    assert life.answers("say Rook, do you know a song?").line == "say Better than yours."
