"""The turns of a data set as logs that Inspect reads."""

from __future__ import annotations

import pytest

pytest.importorskip("pyarrow", reason="the extra export is missing")
pytest.importorskip("inspect_ai", reason="Inspect is missing: make integration installs it")

from inspect_ai.log import read_eval_log

from server.research.inspect_log import SAMPLE_TURNS, write_logs
from tests.server.research.test_export import consenting, exported

pytestmark = pytest.mark.integration


def test_each_question_and_its_answer_is_read_back_by_inspect(tmp_path):
    town = consenting(tmp_path / "town", "Eliza", "Moss")
    for number in range(SAMPLE_TURNS + 1):
        town.answers("Eliza", f"say {number}", f"Prompt {number}.")
        town.does("Eliza", f"say {number}")
    town.does("Moss", "look")  # no model was asked
    data = exported(town)
    assert write_logs(data, tmp_path / "inspect") == 1
    log = read_eval_log(str(tmp_path / "inspect" / "town Eliza 1.eval"))
    first, second = log.samples
    told = [(message.role, message.content) for message in first.messages[:3]]
    assert told == [("user", "Prompt 0."), ("assistant", "say 0"), ("tool", "Done.")]
    assert (len(first.messages), len(second.messages)) == (3 * SAMPLE_TURNS, 3)
    assert first.model_usage["m"].input_tokens == 100 * SAMPLE_TURNS
