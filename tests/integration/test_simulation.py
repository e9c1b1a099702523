"""A simulation by the command line: recorded with real models, and given again in another process without them."""

from __future__ import annotations

import json
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.integration.running import CLEAN, fallwater, new_vault
from tests.integration.scripted_ollama import MODEL, ScriptedOllama, scripted_ollama
from tests.server.test_simulation import files_in

pytestmark = pytest.mark.integration

TURNS = 30


def simulate(folder: Path, *arguments: str, hash_seed: int = 0) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder, whatever order the sets of that process have."""
    return fallwater("simulate", *arguments, folder=folder, env={**CLEAN, "PYTHONHASHSEED": str(hash_seed)})


@pytest.mark.embedded
def test_what_the_embedded_model_has_done_is_done_again_without_it_to_the_byte(tmp_path):
    wanted = ("--turns", str(TURNS), "--seed", "3", "--model", "embedded")
    first = simulate(tmp_path, *wanted, "--record", "life.jsonl", "--out", "one", hash_seed=1)
    assert first.returncode == 0, first.stderr
    again = simulate(tmp_path, "--replay", "life.jsonl", "--out", "two", hash_seed=2)
    assert again.returncode == 0, again.stderr
    one, two = files_in(tmp_path / "one"), files_in(tmp_path / "two")
    assert {name for name in one.keys() | two.keys() if one.get(name) != two.get(name)} == set()
    assert one["transcript.txt"].count(b"  turn ") == TURNS
    assert again.stderr == ""  # no progress where there is no terminal


def vault_of_many_models(folder: Path, near: ScriptedOllama, far: ScriptedOllama, other: ScriptedOllama) -> Path:
    """Make a vault whose thinker has two endpoints, with one profile more for summaries and one for Moss."""
    small = {"immediate_window": 10, "recent_window": 10}
    vault = new_vault(
        folder, {"config/memory_compaction.md": small, "agents/Moss/agent.md": {"room": "'[[The Landing]]'"}}
    )
    profiles = f"""
## thinker
**endpoints**: {near.host}, {far.host}
**model**: {MODEL}

## summarizer
**endpoints**: {other.host}
**mode**: chat

## careful
**endpoints**: {other.host}
**temperature**: 0.1
**price_in**: 3
"""
    with (vault / "config/models.md").open("a", encoding="utf-8") as note:
        note.write(profiles)
    moss = vault / "agents/Moss/agent.md"
    moss.write_text(moss.read_text().replace("---\n", "---\nmodel_profile: careful\n", 1))
    return vault


def test_several_profiles_and_endpoints_of_which_one_goes_away_are_given_again_to_the_byte(tmp_path):
    with ExitStack() as town:
        near, far, other = (town.enter_context(scripted_ollama()) for _ in range(3))
        far.gone_after = 12
        vault = vault_of_many_models(tmp_path / "world", near, far, other)
        wanted = ("--vault", str(vault), "--turns", "240", "--seed", "3")
        first = simulate(tmp_path, *wanted, "--record", "life.jsonl", "--out", "one", hash_seed=1)
        assert first.returncode == 0, first.stderr
        assert near.answered["generate"] > 12
        assert far.answered["generate"] == 12
        assert other.answered["generate"] > 5
        assert other.answered["chat"] > 0
    again = simulate(tmp_path, *wanted, "--replay", "life.jsonl", "--out", "two", hash_seed=2)
    assert again.returncode == 0, again.stderr
    one, two = files_in(tmp_path / "one"), files_in(tmp_path / "two")
    assert {name for name in one.keys() | two.keys() if one.get(name) != two.get(name)} == set()
    report = json.loads(one["report.json"])
    assert (report["turns"], report["failed"]) == (240, 0)
    assert report["compactions"] > 0
