"""The bench of compaction measures what it says, and tells what has become too slow."""

from __future__ import annotations

from collections import Counter

from bench.compaction import Row, measure, report


def test_3_20_placeholders_decisions_the_archive_and_cycles_are_measured_small_and_large(capsys):
    rows = measure(runs=1)
    assert Counter(row.name for row in rows) == {"placeholder": 6, "decision": 3, "archive": 3, "cycle": 2}
    assert len({row.case for row in rows}) == len(rows)
    assert all(0 < row.milliseconds < 60_000 for row in rows)
    report(rows)
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(rows)


def test_3_20_a_figure_above_its_baseline_is_marked_and_fails_the_bench(capsys):
    quick, slow = Row("cycle", "quick", 1.0, 2.0), Row("cycle", "slow", 3.0, 2.0)
    assert report([quick]) == 0
    assert report([quick, slow]) == 1
    assert [line.endswith("TOO SLOW") for line in capsys.readouterr().out.splitlines()[-2:]] == [False, True]
