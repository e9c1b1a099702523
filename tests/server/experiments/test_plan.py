"""Plans: notes that become a table of runs, and what is wrong with one."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.memory.strategy import loaded_strategies
from server.experiments.plan import Plan, read_plan, runs_of
from vault.errors import NoteError

HEAD = "| factor | values |\n| --- | --- |\n"
PLAN = f"# Which?\n\n**turns**: 20\n**seeds**: 1-3\n\n## Factors\n{HEAD}"


def plan_of(folder: Path, text: str) -> Plan:
    path = folder / "plan.md"
    path.write_text(text, encoding="utf-8")
    return read_plan(path, loaded_strategies().settings_kind)


def test_a_plan_is_every_value_with_every_other_and_every_seed(tmp_path):
    plan = plan_of(tmp_path, PLAN + '| strategy | waterfall, window |\n| without | "", "errand, facts" |\n')
    runs = list(runs_of(plan))
    assert (plan.title, plan.count, len({run.run_id for run in runs})) == ("Which?", 12, 12)
    assert [run.parameters.seed for run in runs] == [1] * 4 + [2] * 4 + [3] * 4
    assert [dict(run.condition) for run in runs[:4]] == [
        {"strategy": "waterfall", "without": '""'},
        {"strategy": "waterfall", "without": "errand, facts"},
        {"strategy": "window", "without": '""'},
        {"strategy": "window", "without": "errand, facts"},
    ]
    assert runs[3].arguments[2:] == (
        *("--turns", "20", "--seed", "1", "--set", "strategy=window", "--set", "without=errand, facts"),
    )


def test_a_list_among_the_properties_is_a_factor_and_a_value_alone_varies_nothing(tmp_path):
    plan = plan_of(tmp_path, "---\nrecall: [0, 3]\nthink_jitter: 0\nhours: 1.5\nseeds: [4, 9]\nrepetitions: 2\n---\n")
    runs = list(runs_of(plan))
    assert [one.name for one in plan.varied_factors] == ["recall"]
    assert [(run.condition["recall"], run.parameters.seed, run.parameters.repetition) for run in runs] == [
        *(("0", 4, 1), ("3", 4, 1), ("0", 9, 1), ("3", 9, 1)),
        *(("0", 4, 2), ("3", 4, 2), ("0", 9, 2), ("3", 9, 2)),
    ]
    assert runs[0].parameters.settings == {"recall": "0", "think_jitter": "0"}


def test_an_audit_multiplies_a_plan_by_the_perturbations_and_leaves_its_own_runs_as_they_are(tmp_path):
    plan = plan_of(tmp_path, PLAN + "| strategy | waterfall, window |\n")
    audit = list(runs_of(plan.with_audit()))
    assert [run.run_id for run in audit[:6]] == [run.run_id for run in runs_of(plan)]
    assert [run.perturbation for run in audit[::6]] == ["", "rooms", "names", "persona", "rules"]


def test_a_vault_and_templates_are_known_by_what_is_in_them(tmp_path):
    (tmp_path / "terse").mkdir()
    template = tmp_path / "terse" / "talk_prompt.md"
    template.write_text("## System\n{profile}\n", encoding="utf-8")
    text = PLAN + '| templates | "", terse |\n'
    before = [run.run_id for run in runs_of(plan_of(tmp_path, text))]
    template.write_text("## System\n{profile} Be brief.\n", encoding="utf-8")
    after = [run.run_id for run in runs_of(plan_of(tmp_path, text))]
    assert [one == other for one, other in zip(before, after, strict=True)] == [True, False] * 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (PLAN + "| stratgy | window |\n", ":9: there is no setting 'stratgy'; did you mean 'strategy'?"),
        (PLAN + "| sedes | 1 |\n", ":9: there is no factor 'sedes'; did you mean 'seeds'?"),
        (
            PLAN + "| strategy | windo |\n",
            ":9: strategy is 'windo'; expected one of waterfall, layered, rolling",
        ),
        (PLAN + "| think_jitter | 0, 3 |\n", ":9: think_jitter is 3; expected a number from 0 to 0.9"),
        (PLAN + "| recall | 1, 2, 1 |\n", ":9: recall has the value '1' twice; remove one."),
        (PLAN + "| turns | 5 |\n", ":9: 'turns' stands in line 3 already; make them one."),
        (PLAN + "| recall |\n", ":9: '| recall |' has 1 cells; it needs two: factor, values."),
        (PLAN + "| recall | |\n", ":9: '' has no values; write them with commas between them, as 16, 64."),
        (PLAN + "| recall | [1 |\n", ":9: '[1' cannot be read; write values with commas between them."),
        (
            PLAN + "| model | llama |\n",
            ":9: model is 'llama'; expected auto, embedded, none, ollama:NAME or",
        ),
        (PLAN + "| vault | nowhere |\n", ":9: vault is 'nowhere'; expected the folder of a vault, from"),
        (PLAN + "| agents | 0 |\n", ":9: agents is 0; expected a whole number above 0."),
        (PLAN + "| without | errnd |\n", ":9: without is 'errnd'; expected names of components: board, "),
        ("**turns**: 0\n", ":1: turns is 0; expected a whole number above 0."),
        ("**turns**: 5\n**hours**: 1\n", ": both turns and hours are given; give **turns**: 60, or **hours**: 2"),
        ("**seeds**: 1\n", ": it is not said how long a run is; give **turns**: 60, or **hours**: 2"),
        ("**turns**: 5\n**seeds**: 1, x\n", ":2: seeds has 'x'; expected whole numbers, as 1, 2, 5 or 1-20."),
        ("**turns**: 5\n**seeds**: 1-3, 2\n", ":2: seeds has 2 twice; remove one."),
        ("**turns**: 5\n**repetitions**: 0\n", ":2: repetitions is 0; expected one whole number from 1 to 1000."),
    ],
)
def test_a_plan_that_cannot_be_is_refused_with_file_line_and_what_would_be_right(tmp_path, text, message):
    with pytest.raises(NoteError) as refused:
        plan_of(tmp_path, text)
    assert str(refused.value).startswith(f"{tmp_path / 'plan.md'}{message}")


def test_two_conditions_that_are_the_same_run_are_refused(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name / "rooms").mkdir(parents=True)
    plan = plan_of(tmp_path, PLAN + "| vault | one, two |\n")
    with pytest.raises(NoteError, match=r"\{'vault': 'one'\} and \{'vault': 'two'\} are the same run; remove one\."):
        list(runs_of(plan))


def test_a_million_runs_are_counted_without_making_them(tmp_path):
    assert plan_of(tmp_path, "**turns**: 5\n**seeds**: 1-1000000\n").count == 1_000_000
