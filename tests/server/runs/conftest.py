"""Four runs of the starter town: two alike, one whose model answers otherwise, and a shorter one."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.simulation.simulation import Span
from server.simulation import RunSpec
from tests.scripted_model import ScriptedModel
from tests.server.test_simulation import run
from vault.vault import STARTER


def answering(*lines: str) -> ScriptedModel:
    """Return a model that says these lines in turn, again and again."""
    said = iter(lines * 100)
    return ScriptedModel(lambda request: f"say {next(said)}")


@pytest.fixture(scope="package")
def runs(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("runs")
    alike, otherwise = ("tea first", "then the weir"), ("tea first", "then the <b>mill</b>")
    for name, turns, lines in (("one", 24, alike), ("same", 24, alike), ("other", 24, otherwise), ("short", 20, alike)):
        run(RunSpec(STARTER, folder / name, Span(turns=turns), seed=5), answering(*lines))
    return {name: folder / name for name in ("one", "same", "other", "short")}
