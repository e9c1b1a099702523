"""A large export is written by two processes, and is the same."""

from __future__ import annotations

import pytest

pytest.importorskip("pyarrow", reason="the extra export is missing: pip install -e '.[export]'")

from server.research.dataset import write_dataset
from tests.server.research.test_export import NOW_MS, consenting

pytestmark = pytest.mark.integration


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
