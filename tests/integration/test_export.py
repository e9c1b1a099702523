"""The export of a world while a server writes its archives, by two processes, and for Inspect."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="the extra export is missing: pip install -e '.[export]'")

import pyarrow.parquet as pq

from server.research.dataset import write_dataset
from tests.integration.running import ADMIN, HURRIED, eventually, fallwater, thinking
from tests.server.research.test_export import NOW_MS, consenting, exported

pytestmark = pytest.mark.integration

SECRET = "crocodiles guard the cellar door"
TIMES = 3


def has_turns(vault: Path, count: int) -> bool:
    """Return whether the agents were asked so many times."""
    archives = vault.glob("agents/*/archive/*.jsonl")
    return sum(path.read_bytes().count(b'"event": "message"') for path in archives) > count


def table(data: Path, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(data / f"{name}.parquet").to_pylist()
    return rows


def test_every_export_of_a_running_world_ends_at_its_moment_and_has_no_word_of_who_has_not_agreed(tmp_path):
    data = [tmp_path / f"data{number}" for number in range(TIMES)]
    with thinking(tmp_path / "world", {**HURRIED, "config/agents.md": {"training_export": "true"}}) as (server, _):
        player = server.player(ADMIN)
        player.asks(f"say Eliza, {SECRET}.")
        for number, folder in enumerate(data):
            assert eventually(partial(has_turns, server.vault, 5 + 10 * number)), server.log
            done = fallwater("export", str(server.vault), "--to", str(folder))
            assert done.returncode == 0, done.stderr
            assert "torn" not in done.stdout
            assert "was left out" not in done.stdout
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


def test_two_processes_write_the_same_as_one(tmp_path):
    town = consenting(tmp_path / "town", "Eliza", "Moss")
    for number in range(5):
        town.answers("Eliza", "say Hello.", f"Prompt {number}.")
        town.does("Eliza", "say Hello.")
        town.happens("said", "Eliza", words="Hello.")
    for processes in (1, 2):
        write_dataset(town.root, tmp_path / f"by {processes}", NOW_MS, processes=processes)
    for path in (tmp_path / "by 1").iterdir():
        assert path.read_bytes() == (tmp_path / "by 2" / path.name).read_bytes()


def test_each_question_and_its_answer_is_read_back_by_inspect(tmp_path):
    pytest.importorskip("inspect_ai", reason="Inspect is missing: make integration installs it")
    from inspect_ai.log import read_eval_log

    from server.research.inspect_log import SAMPLE_TURNS, write_logs

    town = consenting(tmp_path / "town", "Eliza", "Moss")
    for number in range(SAMPLE_TURNS + 1):
        town.answers("Eliza", f"say {number}", f"Prompt {number}.")
        town.does("Eliza", f"say {number}")
    town.does("Moss", "look")  # no model was asked
    data = exported(town)
    assert write_logs(data, tmp_path / "inspect") == 1
    log = read_eval_log(str(tmp_path / "inspect" / "town Eliza 1.eval"))
    assert log.samples
    first, second = log.samples
    told = [(message.role, message.content) for message in first.messages[:3]]
    assert told == [("user", "Prompt 0."), ("assistant", "say 0"), ("tool", "Done.")]
    assert (len(first.messages), len(second.messages)) == (3 * SAMPLE_TURNS, 3)
    assert first.model_usage["m"].input_tokens == 100 * SAMPLE_TURNS
