"""One run by one command line: how its vault differs, what it is known by, and that it is whole or not there."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from agents.simulation.recording import SimulationError
from agents.simulation.simulation import Span
from server.simulate_command import atomic_folder, part_of, run_simulation, variant_of
from server.simulation import RunSpec
from tests.scripted_model import ScriptedModel
from tests.server.test_simulation import files_in, options, run, talkative
from vault.errors import NoteError
from vault.variant import Variant
from vault.vault import STARTER


def looking() -> ScriptedModel:
    return ScriptedModel(lambda request: "look")


def test_a_run_is_recorded_with_all_that_decides_it(tmp_path):
    variant = Variant({"strategy": "window", "steering": "off"}, agents=2, perturbations=("rooms",))
    spec = RunSpec(STARTER, tmp_path / "out", Span(turns=4), seed=3, variant=variant)
    run(spec, looking())
    told = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))
    assert told["run"] == spec.parameters().run_id
    assert told["parameters"] | {"vault": ""} == {
        "vault": "",
        "turns": 4,
        "hours": None,
        "seed": 3,
        "repetition": 1,
        "model": None,
        "settings": {"steering": "off", "strategy": "window"},
        "agents": 2,
        "templates": "",
        "perturbations": ["rooms"],
    }
    assert told["models"] == [{"name": "scripted", "context_tokens": 8192, "engine": "", "weights_sha256": ""}]
    assert told["sampler"]["temperature"] == 0.9
    agents = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))["agents"]
    assert list(agents) == ["Eliza", "Moss"]


def test_the_same_parameters_have_one_hash_and_each_other_parameter_another():
    def run_id(**changes) -> str:
        given: dict[str, Any] = {
            "span": Span(turns=4),
            "seed": 1,
            "variant": Variant({"recall": "1", "strategy": "window"}),
        } | changes
        return RunSpec(STARTER, STARTER, **given).parameters().run_id

    assert run_id() == run_id(variant=Variant({"strategy": "window", "recall": "1"}))
    others = [run_id(seed=2), run_id(span=Span(turns=5)), run_id(repetition=2), run_id(variant=Variant())]
    assert len({run_id(), *others}) == 5


def test_a_whole_run_leaves_its_recording_and_a_replay_of_it_the_same_bytes(tmp_path, monkeypatch):
    vault = talkative(tmp_path / "vault")
    record = tmp_path / "recording.jsonl"
    run(RunSpec(vault, tmp_path / "one", Span(turns=3), record=record), looking())
    said: list[str] = []
    wanted = options("--vault", str(vault), "--replay", str(record), "--out", str(tmp_path / "two"), "--whole")
    assert run_simulation(wanted, said.append) == 0
    assert files_in(tmp_path / "one") == files_in(tmp_path / "two")
    assert run_simulation(wanted, said.append) == 0
    assert said[-1] == f"{tmp_path / 'two'} is there already; nothing is done again."
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["strategy"], "--set strategy has no value; expected NAME=VALUE, as strategy=window."),
        (["recall=1", "recall=2"], "--set recall=2 is given twice."),
    ],
)
def test_a_setting_without_a_value_or_with_two_is_refused(given, message):
    arguments = [one for text in given for one in ("--set", text)]
    with pytest.raises(NoteError) as refused:
        variant_of(options(*arguments))
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--vault", "nowhere", "--turns", "3"), "nowhere: there is no vault here. Name it with --vault."),
        ((), "How long? Give --turns N, or --hours H of the world's time."),
        (("--turns", "0"), "--turns is 0; expected a number above 0."),
        (("--replay", "gone.jsonl"), "gone.jsonl: cannot be read: No such file or directory."),
    ],
)
def test_a_simulation_that_cannot_be_is_refused_and_leaves_nothing(tmp_path, arguments, complaint):
    with pytest.raises((NoteError, SimulationError)) as refused:
        run_simulation(options(*arguments, "--out", str(tmp_path / "out")), print)
    assert str(refused.value) == complaint
    assert list(tmp_path.iterdir()) == []


def test_a_folder_has_its_name_only_when_it_is_whole(tmp_path):
    target = tmp_path / "run"
    with atomic_folder(target) as part:
        assert part is not None
        (part / "report.json").write_text("{}")
        assert not target.exists()
    assert [path.name for path in tmp_path.rglob("*")] == ["run", "report.json"]


def test_what_was_cut_short_is_removed_and_begun_again(tmp_path):
    target = tmp_path / "run"
    with pytest.raises(RuntimeError), atomic_folder(target) as part:
        assert part is not None
        (part / "half").mkdir()
        (part / "half" / "a").write_text("")
        raise RuntimeError
    assert not target.exists()
    with atomic_folder(target) as part:
        assert part is not None
        assert list(part.iterdir()) == []
    assert target.is_dir()


def test_a_folder_that_is_there_is_not_made_again(tmp_path):
    (tmp_path / "run").mkdir()
    with atomic_folder(tmp_path / "run") as part:
        assert part is None
    assert not part_of(tmp_path / "run").exists()


def test_the_second_waits_for_the_first_and_then_finds_it_done(tmp_path):
    found: list[object] = []

    def second() -> None:
        with atomic_folder(tmp_path / "run") as part:
            found.append(part)

    with atomic_folder(tmp_path / "run"):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join(0.1)
        assert found == []
    thread.join(10)
    assert found == [None]
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
