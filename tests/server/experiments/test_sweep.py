"""Sweeps: which runs are done, which again, and what ends one."""

from __future__ import annotations

import errno
import io
import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path

import pytest

from agents.memory.strategy import loaded_strategies
from agents.simulation.recording import SimulationError
from server.experiments.command import SweepProgress
from server.experiments.executor import CommandExit, ExecutorError, last_line
from server.experiments.plan import PlannedRun, read_plan, runs_of
from server.experiments.sweep import Sweep, SweepFolder, missing_recordings


class FakeExecutor:
    """Ends each command at once as `how` says, and makes its folder if that is with 0."""

    def __init__(self, how: Callable[[int], CommandExit] = lambda number: CommandExit(0), capacity: int = 2) -> None:
        self.capacity = capacity
        self.commands: list[Sequence[str]] = []
        self._how = how

    def submit(self, commands: Sequence[Sequence[str]]) -> Sequence[Future[CommandExit]]:
        return [self._done(command) for command in commands]

    def _done(self, command: Sequence[str]) -> Future[CommandExit]:
        future: Future[CommandExit] = Future()
        try:
            ended = self._how(len(self.commands))
            self.commands.append(command)
            if ended.code == 0:
                Path(command[command.index("--out") + 1]).mkdir(parents=True)
            future.set_result(ended)
        except ExecutorError as error:
            future.set_exception(error)
        return future

    def close(self) -> None:
        pass


@pytest.fixture
def runs(tmp_path: Path) -> list[PlannedRun]:
    path = tmp_path / "plan.md"
    path.write_text("**turns**: 5\n**seeds**: 1-4\n", encoding="utf-8")
    return list(runs_of(read_plan(path, loaded_strategies().settings_kind)))


def begun(root: Path, runs: Sequence[PlannedRun]) -> SweepFolder:
    folder = SweepFolder(root / "out")
    folder.begin("the plan", runs)
    return folder


def test_runs_that_are_done_are_not_done_again(tmp_path, runs):
    folder = begun(tmp_path, runs)
    folder.run(runs[1].run_id).mkdir()
    executor = FakeExecutor()
    assert Sweep(folder, executor).run(runs).done == 3
    assert [command[command.index("--seed") + 1] for command in executor.commands] == ["1", "3", "4"]
    again = FakeExecutor()
    assert (folder.begin("the plan", runs), Sweep(folder, again).run(runs).done, again.commands) == (4, 0, [])


def test_the_table_names_every_run_with_its_condition(tmp_path, runs):
    folder = begun(tmp_path, runs)
    rows = [json.loads(line) for line in folder.table.read_text(encoding="utf-8").splitlines()]
    assert rows[1] == {"run": runs[1].run_id, "seed": 2, "repetition": 1, "perturbation": "", "condition": {}}
    assert len(rows) == 4


def test_a_worker_that_dies_is_tried_again_three_times_in_all_and_then_named(tmp_path, runs):
    folder = begun(tmp_path, runs)
    executor = FakeExecutor(lambda number: CommandExit(-9) if number in (0, 2, 3) else CommandExit(0), capacity=1)
    outcome = Sweep(folder, executor).run(runs[:2])
    assert outcome.done == 2  # the first died twice, the second once
    executor = FakeExecutor(
        lambda number: CommandExit(-9, "no more memory") if number < 3 else CommandExit(0), capacity=1
    )
    outcome = Sweep(folder, executor).run(runs[2:])
    assert outcome.failed == {runs[2].run_id: "no more memory (signal 9, 3 times)"}
    assert outcome.done == 1
    assert json.loads(folder.failures.read_text(encoding="utf-8")) == outcome.failed


INDEX_FULL = "x: the search index cannot be used: database or disk is full."


@pytest.mark.parametrize(
    ("how", "why", "done"),
    [
        (
            lambda number: CommandExit(0) if number == 0 else CommandExit(1, f"x: {os.strerror(errno.ENOSPC)}."),
            "the disk is full (x: No space left on device.)",
            1,
        ),
        (lambda number: CommandExit(1, INDEX_FULL), f"the disk is full ({INDEX_FULL})", 0),
        (
            lambda number: (_ for _ in ()).throw(ExecutorError("the head of the cluster is gone.")),
            "the head of the cluster is gone",
            0,
        ),
    ],
)
def test_a_full_disk_and_an_executor_that_is_gone_end_a_sweep_with_what_stays(tmp_path, runs, how, why, done):
    folder = begun(tmp_path, runs)
    with pytest.raises(SimulationError) as ended:
        Sweep(folder, FakeExecutor(how, capacity=1)).run(runs)
    told = f"{done} runs were done and stay; the same command goes on with the others."
    assert str(ended.value) == f"{folder.root}: the sweep stopped: {why}. {told}"


def test_a_folder_that_is_something_else_is_left_alone(tmp_path, runs):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.md").write_text("x")
    with pytest.raises(SimulationError, match="exists already and is no folder of a sweep; give another"):
        begun(tmp_path, runs)


def test_a_replay_asks_no_model_and_needs_every_recording(tmp_path, runs):
    folder = SweepFolder(tmp_path / "live")
    (folder.run(runs[0].run_id)).mkdir(parents=True)
    (folder.run(runs[0].run_id) / "recording.jsonl").write_text("")
    assert missing_recordings(folder, runs) == [run.run_id for run in runs[1:]]
    path = tmp_path / "plan.md"
    path.write_text("**turns**: 5\n**model**: embedded\n", encoding="utf-8")
    run = next(runs_of(read_plan(path, loaded_strategies().settings_kind)))
    command = Sweep(SweepFolder(tmp_path / "out"), FakeExecutor(), replay_from=folder).command(run)
    assert "--model" not in command
    assert "embedded" not in command
    assert command[command.index("--replay") + 1] == str(folder.run(run.run_id) / "recording.jsonl")


def test_progress_tells_the_rate_and_when_it_will_be_over():
    times = iter([0.0, 120.0])
    progress = SweepProgress(io.StringIO(), total=40, before=8, now=lambda: next(times))
    assert progress.line(10, 2) == "[############............] 18/40 runs, 2 failed, 6 a minute, 3 min left"


def test_the_complaint_of_a_command_is_its_own_last_line():
    text = "warning: x\nfallwater: out: cannot be written: No space left on device.\nException ignored in: <y>\n"
    assert last_line(text) == "out: cannot be written: No space left on device."
    assert last_line("Traceback\nMemoryError\n") == "MemoryError"
