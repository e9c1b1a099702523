"""A world that is simulated: seeded, on a copy, recorded, and given again to the byte."""

from __future__ import annotations

import argparse
import asyncio
import errno
import io
import itertools
import json
import random
import re
import shutil
from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest

from agents.models.model import LanguageModel, ModelError, Request
from agents.simulation.recording import Recording, ReplayedModels, SimulationError, TurnCursor, Usage, WatchedModel
from agents.simulation.simulation import Span
from server import simulation
from server.simulate_command import add_simulate_command, run_simulation
from server.simulation import Progress, RunSpec, copy_vault, simulate
from tests.agents.house import GOOD
from tests.scripted_model import ScriptedModel
from vault.errors import NoteError
from vault.vault import STARTER

HEADING = '{"recording": 2, "models": [], "queues": {}, "later": []}\n'
SPEECHES = ("the water is high today", "who has seen the lost page", "tea first, then the weir", "nobody minds")


def lively() -> ScriptedModel:
    """Return a model that walks, talks, mumbles, and once in a while fails; it summarises well in ever other words."""
    rng, good = random.Random(1), itertools.cycle(GOOD)

    def write(request: Request) -> str | ModelError:
        if request.max_tokens > 100:
            return f"I {next(good)} near the weir, and there was talk of water and tea."
        deeds = [f"say {rng.choice(SPEECHES)}", "look", "mumble mumble", f"go {rng.choice(('north', 'south', 'east'))}"]
        answers: list[str | ModelError] = [*deeds, f"think {rng.random()} | it is a number"]
        return rng.choice([*answers, ModelError("The host is gone.")])

    return ScriptedModel(write)


def world(root: Path, *settings: str) -> Path:
    """Return a vault as the starter is, with other settings of memory."""
    shutil.copytree(STARTER, root)
    (root / "config" / "memory_compaction.md").write_text("---\n" + "\n".join(settings) + "\n---\n", encoding="utf-8")
    return root


def talkative(root: Path) -> Path:
    """Return a vault in which each turn asks a model: no engine decides."""
    vault = world(root)
    (vault / "config" / "agents.md").write_text("---\nsteering: off\n---\n", encoding="utf-8")
    return vault


def run(spec: RunSpec, *models: LanguageModel, replay: Path | None = None) -> int:
    silent = Progress(io.StringIO())
    return simulate(spec, lambda said: None, silent, ReplayedModels(replay, TurnCursor()) if replay else None, models)


def options(*arguments: str) -> argparse.Namespace:
    """Return what the sub-command understands of these options."""
    parser = argparse.ArgumentParser()
    add_simulate_command(parser.add_subparsers())
    return parser.parse_args(["simulate", *arguments])


def files_in(out: Path) -> dict[str, bytes]:
    """Return every file of a simulation but the one that tells how long it took."""
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and path.name != "timing.json"
    }


def test_the_same_seed_and_answers_give_the_same_world_to_the_byte(tmp_path):
    for name in ("one", "two"):
        run(RunSpec(STARTER, tmp_path / name, Span(turns=15), seed=5), lively())
    run(RunSpec(STARTER, tmp_path / "other", Span(turns=15), seed=6), lively())
    assert files_in(tmp_path / "one") == files_in(tmp_path / "two")
    assert files_in(tmp_path / "one")["transcript.txt"] != files_in(tmp_path / "other")["transcript.txt"]


def test_a_recording_is_given_again_without_a_model_to_the_byte_summaries_and_failures_too(tmp_path):
    vault = world(tmp_path / "vault", "immediate_window: 10", "recent_window: 10")
    before, record = files_in(vault), tmp_path / "recording.jsonl"
    run(RunSpec(vault, tmp_path / "one", Span(turns=60), seed=5, record=record), lively())
    run(RunSpec(vault, tmp_path / "two", Span(turns=60), seed=5), replay=record)
    assert files_in(tmp_path / "one") == files_in(tmp_path / "two")
    assert files_in(vault) == before
    report = json.loads((tmp_path / "two" / "report.json").read_text(encoding="utf-8"))
    assert report["compactions"] > 0
    assert report["failed"] > 0
    outcomes = ("acted", "refused", "speechless", "silent", "failed")
    assert report["turns"] == 60 == sum(report[outcome] for outcome in outcomes)
    assert sum(agent["turns"] for agent in report["agents"].values()) == 60


def test_a_prompt_that_is_not_the_recorded_one_is_told_with_turn_agent_and_line(tmp_path):
    record = tmp_path / "recording.jsonl"
    vault = talkative(tmp_path / "vault")
    run(RunSpec(vault, tmp_path / "one", Span(turns=5), record=record), ScriptedModel(lambda request: "look"))
    note = vault / "agents" / "Odile" / "agent.md"
    note.write_text(note.read_text(encoding="utf-8").replace("You are Odile", "You are still Odile"), encoding="utf-8")
    with pytest.raises(SimulationError) as ended:
        run(RunSpec(vault, tmp_path / "two", Span(turns=5)), replay=record)
    told = str(ended.value)
    assert "Fallwater" not in told  # it was the same program
    assert re.search(r"turn \d, Odile: the prompt differs in line \d+\.\n  recorded: .*\n  now:      ", told)
    heading, *lines = record.read_text(encoding="utf-8").splitlines(keepends=True)
    older = json.dumps({**json.loads(heading), "program": "0.0.9"})
    record.write_text("\n".join([older, "".join(lines)]), encoding="utf-8")
    with pytest.raises(SimulationError, match=r"  It was recorded with Fallwater 0\.0\.9; this is \d"):
        run(RunSpec(vault, tmp_path / "three", Span(turns=5)), replay=record)
    assert "You are still Odile" in told
    assert (tmp_path / "two" / "report.json").exists()


def test_a_recording_that_is_too_short_says_how_many_turns_it_has(tmp_path):
    record, vault = tmp_path / "recording.jsonl", talkative(tmp_path / "vault")
    run(RunSpec(vault, tmp_path / "one", Span(turns=3), record=record), ScriptedModel(lambda request: "look"))
    with pytest.raises(SimulationError, match=r"turn 4, \w+: the recording has ended; give --turns 3 for all"):
        run(RunSpec(vault, tmp_path / "two", Span(turns=9)), replay=record)


def test_hours_are_hours_of_the_world_and_not_of_the_clock_on_the_wall(tmp_path):
    vault = world(tmp_path / "vault")
    (vault / "config" / "agents.md").write_text("---\nthink_seconds: 20\nbreak_loops: false\n---\n", encoding="utf-8")
    turns = run(RunSpec(vault, tmp_path / "out", Span(hours=0.25)), ScriptedModel(lambda request: "look"))
    report = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert report["from"] == "2026-01-01 08:00:00"
    assert report["until"] == "2026-01-01 08:15:00"
    assert report["world_seconds"] == 900
    assert 100 < turns == report["turns"] < 200  # three agents, a thought of each every 20 seconds or so
    assert max(Counter(one["turns"] for one in report["agents"].values())) < 65


def test_who_is_spoken_to_thinks_within_a_second_and_the_others_when_their_time_has_come(tmp_path):
    vault = world(tmp_path / "vault")
    (vault / "config" / "agents.md").write_text("---\nsteering: 'off'\n---\n", encoding="utf-8")
    for name in ("Eliza", "Moss", "Odile"):
        note = vault / "agents" / name / "agent.md"
        text = re.sub(r"think_seconds: .*", "think_seconds: 1000", note.read_text(encoding="utf-8"))
        note.write_text(re.sub(r"\[\[.*?\]\]", "[[The Mill]]", text, count=1), encoding="utf-8")
    answer, asking = "think of tea", "say Moss, is it ready?"
    model = ScriptedModel(lambda request: answer if request.prompt.endswith("~Moss>") else asking)
    run(RunSpec(vault, tmp_path / "out", Span(hours=0.5)), model)
    transcript = (tmp_path / "out" / "transcript.txt").read_text(encoding="utf-8")
    turns = [
        (datetime.fromisoformat(when).timestamp(), who)
        for when, who in re.findall(r"^(\S+ \S+)  turn \d+  (\w+)", transcript, re.MULTILINE)
    ]
    spoken = [when for when, who in turns if who != "Moss"]
    answers = [when for when, who in turns if who == "Moss"]
    assert 4 <= len(spoken) <= 6  # two of them, at once and then every 700 to 1,300 seconds of 1,800
    assert [when for when in spoken if not any(when <= answer <= when + 2 for answer in answers)] == []


def test_as_many_turns_are_lived_as_were_asked_for(tmp_path):
    turns = simulate(
        RunSpec(STARTER, tmp_path / "out", Span(turns=40)), print, Progress(io.StringIO()), None, [lively()]
    )
    assert turns == 40


def test_a_world_that_remembers_goes_on_where_it_was(tmp_path):
    run(RunSpec(STARTER, tmp_path / "one", Span(turns=6)), ScriptedModel(lambda request: "think of tea"))
    run(
        RunSpec(tmp_path / "one" / "world", tmp_path / "two", Span(turns=6)),
        ScriptedModel(lambda request: "look"),
    )
    one, two = (json.loads((tmp_path / name / "report.json").read_text()) for name in ("one", "two"))
    assert two["from"] > one["until"]
    assert sum(agent["memories"] for agent in two["agents"].values()) > sum(
        agent["memories"] for agent in one["agents"].values()
    )


def test_nothing_is_written_over_and_nothing_into_the_vault(tmp_path):
    vault = world(tmp_path / "vault")
    with pytest.raises(SimulationError, match=r"lies inside the vault .* give another with --out\."):
        run(RunSpec(vault, vault / "out", Span(turns=1)), lively())
    with pytest.raises(SimulationError, match=r"exists already, and nothing is written over"):
        run(RunSpec(STARTER, vault, Span(turns=1)), lively())
    record = tmp_path / "recording.jsonl"
    record.write_text("mine", encoding="utf-8")
    with pytest.raises(SimulationError, match=r"exists already, and is not written over"):
        run(RunSpec(vault, tmp_path / "out", Span(turns=1), record=record), lively())
    assert record.read_text(encoding="utf-8") == "mine"


def test_what_could_not_begin_leaves_nothing_so_that_it_can_be_tried_again(tmp_path):
    out, record = tmp_path / "out", tmp_path / "recording.jsonl"
    with pytest.raises(NoteError, match="--model is 'none such'"):
        run(RunSpec(STARTER, out, Span(turns=2), model="none such", record=record))
    with pytest.raises(SimulationError, match="Nobody would do anything"):
        run(RunSpec(STARTER, out, Span(turns=2), model="none", record=record))
    assert list(tmp_path.iterdir()) == []
    assert run(RunSpec(STARTER, out, Span(turns=2), record=record), ScriptedModel(lambda request: "look")) == 2


def test_a_disk_that_is_full_is_told_in_a_sentence(tmp_path, monkeypatch):
    def full(path: Path, told: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr(simulation, "_write", full)
    with pytest.raises(SimulationError, match=r"out: cannot be written: No space left on device\.$"):
        run(RunSpec(STARTER, tmp_path / "out", Span(turns=2)), ScriptedModel(lambda request: "look"))


def test_a_disk_that_is_full_while_the_vault_is_copied_is_told_once_and_leaves_nothing(tmp_path):
    vault, out = world(tmp_path / "vault"), tmp_path / "out"

    def full(file: str, target: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", file, None, target)

    with pytest.raises(SimulationError) as told:
        copy_vault(vault, out, full)
    told_of = re.fullmatch(r"(.*): No space left on device \((\S+)\)\. (.*)", str(told.value))
    assert told_of and (told_of[1], told_of[3]) == (
        f"{vault} cannot be copied to {out / 'world'}",
        "Make room, or give a folder on another disk with --out.",
    )
    assert (vault / told_of[2]).is_file()
    assert not out.exists()


def test_a_note_that_cannot_be_read_is_named_when_a_vault_is_copied(tmp_path):
    vault, out = world(tmp_path / "vault"), tmp_path / "out"
    (vault / "text" / "gone.md").symlink_to("nowhere.md")
    with pytest.raises(SimulationError, match=r"world: No such file or directory \(text/gone\.md\)\.$"):
        copy_vault(vault, out)


def test_turns_that_no_model_answered_are_told_at_the_end(tmp_path):
    said, vault = list[str](), talkative(tmp_path / "vault")
    gone = ScriptedModel(lambda request: ModelError("The host is gone."))
    for name, model in (("gone", gone), ("well", ScriptedModel(lambda request: "look"))):
        simulate(
            RunSpec(vault, tmp_path / name, Span(turns=3)),
            said.append,
            Progress(io.StringIO()),
            models=[model],
        )
    assert said == ["Turns without an answer of a model: 3. The transcript says why; they count as turns."]


def test_a_question_that_is_cut_short_by_the_end_is_no_failure_of_the_model(tmp_path):
    place, usage = TurnCursor(1, "Rook"), Usage()
    model = ScriptedModel("look")
    model.hold()
    recording = Recording(tmp_path / "recording.jsonl", place)
    watched = WatchedModel(model, 0, usage, recording)

    async def end() -> None:
        question = asyncio.create_task(watched.complete(Request("~Rook>", max_tokens=8)))
        await asyncio.sleep(0)
        question.cancel()
        await asyncio.wait([question])

    asyncio.run(end())
    recording.close()
    assert (usage.failures, (tmp_path / "recording.jsonl").read_text(encoding="utf-8")) == (0, "")


@pytest.mark.parametrize("hours", ["inf", "1e300", "876001", "nan", "0"])
def test_hours_that_never_end_are_refused(tmp_path, hours):
    with pytest.raises(SimulationError, match=rf"^--hours is {re.escape(f'{float(hours):g}')}; expected"):
        run_simulation(options("--out", str(tmp_path / "out"), "--hours", hours), print)


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (("--model", "embedded"), "--model is embedded; a replay asks no model. Leave it out."),
        (("--seed", "7"), "--seed is 7; {recording} was recorded with 0. Leave it out."),
    ],
)
def test_what_a_recording_says_otherwise_is_refused(tmp_path, given, complaint):
    recording = tmp_path / "recording.jsonl"
    recording.write_text(HEADING, encoding="utf-8")
    asked = options("--out", str(tmp_path / "out"), "--turns", "1", "--replay", str(recording), *given)
    with pytest.raises(SimulationError) as refused:
        run_simulation(asked, print)
    assert str(refused.value) == complaint.format(recording=recording)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", r"recording\.jsonl:1: this is not a line of a recording; is the file complete\?"),
        ("<html>", r"recording\.jsonl:1: this is not a line of a recording"),
        ('{"recording": true, "models": []}', r"this is not a recording of a simulation\."),
        (
            '{"recording": 9, "program": "0.9", "models": []}',
            r"recording\.jsonl: this recording has format 9, and this program reads format 2\. "
            r"Replay it with Fallwater 0\.9, or record it again\.",
        ),
        (HEADING + '{"turn": 1, "ow', r"recording\.jsonl:2: this is not a line of a recording"),
        (HEADING + '{"turn": 1}', r"recording\.jsonl:2: this line was changed by hand"),
    ],
)
def test_a_file_that_is_no_recording_is_refused_with_its_line(tmp_path, text, complaint):
    path = tmp_path / "recording.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SimulationError, match=complaint):
        ReplayedModels(path, TurnCursor())


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_a_line_on_a_terminal_and_nothing_elsewhere():
    terminal, pipe = Terminal(), io.StringIO()
    for stream in (terminal, pipe):
        progress = Progress(stream)
        progress.show(5, 0.5, "Eliza")
        progress.end()
    assert terminal.getvalue().split("\r")[1].rstrip() == "[###############...............]  50%  turn 5  Eliza"
    assert pipe.getvalue() == ""
