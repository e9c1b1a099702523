"""Every bench runs, in its smallest form, from the command that its docstring gives."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.integration.running import CLEAN, ROOT

pytestmark = [pytest.mark.integration, pytest.mark.embedded]

SMALLEST = {
    "bigworld": ["--rooms", "20", "--things", "40", "--agents", "5"],
    "chronicle": ["--events", "2000", "--hours", "2"],
    "env": ["--steps", "60"],
    "export": ["--turns", "2000"],
    "verifier": [],
    "groupmem": ["--questions", "14", "--turns", "60", "--strategies", "waterfall"],
    "hostile_text": ["0.2"],
    "liveliness": ["--turns", "2", "--runs", "engine chooses verbs"],
    "load": ["--people", "1", "--seconds", "1", "--alone", "--without-agents"],
    "observe": ["--seconds", "1", "--pairs", "1", "--lines", "10", "--memories", "2000"],
    "pauses": ["1", "50"],
    "questions": ["200", "1"],
    "retention": ["--memories", "300", "--strategies", "waterfall"],
    "startup": ["--runs", "1"],
    "talk": ["--scenes", "1", "--seeds", "1", "--judge", "{folder}/sheet.md"],
    "two_writers": ["1", "10"],
}
"""The arguments with which a bench does least; a bench that is not here has --quick."""

NEEDS_OLLAMA = {"summaries"}
"""They ask an instructed model in Ollama, which a new machine has not."""

BENCHES = sorted(
    [path.stem for path in (ROOT / "bench").glob("[a-z]*.py") if path.stem not in NEEDS_OLLAMA]
    + [path.parent.name for path in (ROOT / "bench").glob("*/__main__.py")]
)


@pytest.mark.parametrize("name", BENCHES)
def test_a_bench_runs(name, tmp_path):
    arguments = [one.format(folder=tmp_path) for one in SMALLEST.get(name, ["--quick"])]
    command = [sys.executable, "-m", f"bench.{name}", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=CLEAN, capture_output=True, text=True, timeout=300, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout
