"""Reports of sweeps: tables, what differs, what an audit says of it, and figures beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from server.experiments.report import report_text, write_plots
from server.experiments.sweep import SweepFolder, read_study, write_values
from vault.errors import NoteError

REPORT = dict.fromkeys("turns failed requests prompt_tokens cached_tokens completion_tokens compactions".split(), 0)


def study_of(root: Path, values: Mapping[tuple[str, str], Sequence[float]], missing: int = 0):
    """Write a sweep with one metric, `loops`: values by strategy and perturbation, one a seed; return the study."""
    folder, rows, metrics = SweepFolder(root), [], {}
    for (strategy, perturbation), several in values.items():
        for seed, value in enumerate(several, 1):
            run_id = f"{strategy}-{perturbation}-{seed}"
            rows.append({"run": run_id, "seed": seed, "repetition": 1, "perturbation": perturbation})
            rows[-1]["condition"] = {"strategy": strategy}
            metrics[run_id] = {"loops": value}
            folder.run(run_id).mkdir(parents=True)
            (folder.run(run_id) / "report.json").write_text(json.dumps(REPORT | {"requests": seed}))
    rows += [dict(rows[0], run=f"missing-{number}") for number in range(missing)]
    folder.table.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    folder.plan.write_text("---\nx: 1\n---\n# Which?\n", encoding="utf-8")
    return read_study(folder, lambda path: metrics[path.name])


def section(text: str, title: str) -> list[str]:
    """Return the lines of a section of a report that are not blank."""
    return [line for line in text.partition(f"## {title}\n")[2].partition("\n## ")[0].splitlines() if line]


def test_a_report_has_a_table_a_metric_with_differences_paired_by_seed(tmp_path):
    study = study_of(tmp_path, {("waterfall", ""): [1, 11, 21], ("window", ""): [3, 13, 23]}, missing=2)
    text = report_text(study, {"loops": "plots/loops.svg"}, {"loops": "Stretches in a circle"})
    assert text.startswith("# Which?\n\n6 runs are done, 2 are missing. There are 2 conditions with 3 seeds")
    # The lowest of the 27 means is 1, the next 4.33; a fortieth of the way up is 0.65 of that step.
    assert section(text, "loops") == [
        "Stretches in a circle",
        "| condition | n | mean | 95 % | difference | 95 % |",
        "| --- | --- | --- | --- | --- | --- |",
        "| strategy waterfall | 3 | 11 | 3.17 to 18.8 | – | – |",
        "| strategy window | 3 | 13 | 5.17 to 20.8 | 2 | 2 to 2 |",
        "![loops](plots/loops.svg)",
    ]
    assert "| strategy window | loops | 2 | 2 to 2 |" in section(text, "What differs")


def test_it_is_said_how_many_differences_chance_alone_would_make(tmp_path):
    values = {("a", ""): [0, 0, 0]} | {(name, ""): [1, 1, 1] for name in "bcdefghi"}
    lines = section(report_text(study_of(tmp_path, values), {}, {}), "What differs")
    assert lines[-1] == "By chance alone some 2 of them would look like this."  # 8 times the 2/8 of three coins


def test_without_a_clear_difference_that_is_said(tmp_path):
    study = study_of(tmp_path, {("waterfall", ""): [1, 3], ("window", ""): [3, 1]})
    assert section(report_text(study, {}, {}), "What differs") == [
        "Nothing: of 1 comparisons with strategy waterfall none has an interval without 0."
    ]


def test_an_audit_says_how_far_a_conclusion_moves_and_whether_it_keeps_its_sign(tmp_path):
    values = {("waterfall", ""): [1, 2], ("window", ""): [3, 4]}
    values |= {("waterfall", "rooms"): [1, 2], ("window", "rooms"): [2, 3]}
    values |= {("waterfall", "names"): [5, 5], ("window", "names"): [4, 5]}
    text = report_text(study_of(tmp_path, values), {}, {})
    assert section(text, "Audit")[1:] == [
        "| condition | metric | as it is | rooms | names | moves by up to | keeps its sign |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        "| strategy window | loops | 2 | 1 | -0.5 | 2.5 | no |",
    ]


def test_the_figures_are_a_row_a_run(tmp_path):
    write_values(study_of(tmp_path, {("waterfall", ""): [1, 2.5]}), tmp_path / "runs.csv")
    heads, first, second = (tmp_path / "runs.csv").read_text(encoding="utf-8").splitlines()
    assert heads.startswith("run,strategy,seed,repetition,perturbation,loops,turns,failed,requests,")
    assert first.startswith("waterfall--1,waterfall,1,1,,1,0.0,0.0,1.0,")
    assert second.startswith("waterfall--2,waterfall,2,1,,2.5,")


def test_plots_of_the_same_values_are_the_same_bytes_and_what_never_differs_has_none(tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is missing: pip install -e '.[plots]'")
    study = study_of(tmp_path, {("waterfall", ""): [1, 2], ("window", ""): [3, 4]})
    assert write_plots(study) == {"loops": "plots/loops.svg"}
    before = (tmp_path / "plots" / "loops.svg").read_bytes()
    write_plots(study)
    assert (tmp_path / "plots" / "loops.svg").read_bytes() == before
    assert b"strategy window" in before
    assert write_plots(study_of(tmp_path / "same", {("waterfall", ""): [1, 1]})) == {}


def test_a_folder_without_a_table_is_no_sweep(tmp_path):
    with pytest.raises(NoteError, match="this is not the folder of a sweep; it has no table runs.jsonl"):
        read_study(SweepFolder(tmp_path))
