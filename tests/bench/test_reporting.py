"""What a bench prints and keeps: a table as Markdown, and the same rows as JSON."""

from __future__ import annotations

import json
import sys

from bench.lib.reporting import Table, record

ROWS = Table(["strategy", "all"], [["window", "32 %"]], "Kept:")


def test_a_table_is_markdown_under_its_title():
    assert str(ROWS) == "Kept:\n\n| strategy | all |\n| --- | --- |\n| window | 32 % |"


def test_what_is_recorded_is_added_to_the_file_of_the_day_with_its_command(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["bench", "--locomo", "/data/talks", "--record"])
    record("groupmem", [ROWS], results=tmp_path)
    file = record("groupmem", [Table(["a"], [["1"]])], hidden="/data/talks", results=tmp_path)
    first, second = json.loads(file.read_text(encoding="utf-8"))
    assert file.name == f"groupmem-{first['date']}.json"
    assert first["command"] == "python -m bench.groupmem --locomo /data/talks"
    assert first["tables"] == [{"title": "Kept:", "rows": [{"strategy": "window", "all": "32 %"}]}]
    assert second["command"] == "python -m bench.groupmem --locomo DIR"
    assert second["tables"] == [{"rows": [{"a": "1"}]}]
