"""A world is exported while a server writes its archives, and a person is in it who has not agreed."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="the extra export is missing: pip install -e '.[export]'")

import pyarrow.parquet as pq

from tests.integration.running import ADMIN, CLEAN, ROOT, eventually, new_vault, running
from tests.integration.scripted_ollama import MODEL, scripted_ollama

pytestmark = pytest.mark.integration

AGENTS = ("Eliza", "Moss", "Odile")
SECRET = "crocodiles guard the cellar door"
TIMES = 3


def export(vault: Path, to: Path, *arguments: str) -> str:
    """Export a vault, and return what is said of it."""
    command = [sys.executable, "-m", "server", "export", str(vault), "--to", str(to), *arguments]
    env = {**CLEAN, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=to.parent, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def has_turns(vault: Path, count: int) -> bool:
    """Return whether the agents were asked so many times."""
    archives = vault.glob("agents/*/archive/*.jsonl")
    return sum(path.read_bytes().count(b'"event": "message"') for path in archives) > count


def table(data: Path, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(data / f"{name}.parquet").to_pylist()
    return rows


def test_every_export_of_a_running_world_ends_at_its_moment_and_has_no_word_of_who_has_not_agreed(tmp_path):
    agents = {f"agents/{name}/agent.md": {"think_seconds": 1} for name in AGENTS}
    data = [tmp_path / f"data{number}" for number in range(TIMES)]
    with scripted_ollama() as model:
        agreed = {"config/agents.md": {"training_export": "true"}}
        vault = new_vault(tmp_path / "world", {"config/models.md": {"ollama_host": model.host}, **agreed, **agents})
        with running(vault, f"ollama:{MODEL}") as server:
            player = server.player(ADMIN)
            player.asks(f"say Eliza, {SECRET}.")
            for number, folder in enumerate(data):
                assert eventually(partial(has_turns, vault, 5 + 10 * number)), server.log
                said = export(vault, folder)
                assert "torn" not in said
                assert "was left out" not in said
            player.asks(f"say {SECRET}")
            assert server.failure == ""
    told = [
        json.dumps([table(one, name) for name in ("turns", "events", "memories", "prompts")], default=str)
        for one in data
    ]
    for text in told:
        assert SECRET not in text
        assert ADMIN not in text
    for folder in data:
        (run,) = table(folder, "runs")
        assert "it was being lived in" in (folder / "README.md").read_text("utf-8")
        assert all(row["at"] <= run["until"] for name in ("turns", "events", "memories") for row in table(folder, name))
    counts = [len(table(folder, "turns")) for folder in data]
    assert counts[-1] > 0
    assert counts == sorted(counts)
