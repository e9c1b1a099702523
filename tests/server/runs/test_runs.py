"""The folders of simulations: read, compared, and never changed."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import pytest

from agents.simulation.simulation import Span
from server.runs.command import add_observe_command, run_observe
from server.runs.runs import Run, difference_lines, first_difference, prompts_of
from server.runs.site import HOST, RunsSite
from server.simulation import RunSpec
from tests.scripted_model import ScriptedModel
from tests.server.test_simulation import files_in, run
from vault.errors import NoteError
from vault.memory.archive import Archive
from vault.vault import STARTER, Vault


def answering(*lines: str) -> ScriptedModel:
    """Return a model that says these lines in turn, again and again."""
    said = iter(lines * 100)
    return ScriptedModel(lambda request: f"say {next(said)}")


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("runs")
    models = {
        "one": answering("tea first", "then the weir"),
        "same": answering("tea first", "then the weir"),
        "other": answering("tea first", "then the <b>mill</b>"),
    }
    for name, model in models.items():
        run(RunSpec(STARTER, folder / name, Span(turns=24), seed=5), model)
    run(RunSpec(STARTER, folder / "short", Span(turns=20), seed=5), answering("tea first", "then the weir"))
    return {name: folder / name for name in (*models, "short")}


def observed(*arguments: object) -> str:
    """Return what `observe --text` prints."""
    parser, said = argparse.ArgumentParser(), list[str]()
    add_observe_command(parser.add_subparsers(dest="command"))
    assert run_observe(parser.parse_args(["observe", "--text", *map(str, arguments)]), said.append) == 0
    return "\n".join(said)


def test_every_prompt_of_a_run_is_read_to_the_letter_and_in_order(runs):
    vault = Vault(runs["one"] / "world")
    prompts = list(prompts_of(vault))
    assert len({one.agent for one in prompts}) > 1
    assert [one.at for one in prompts] == sorted(one.at for one in prompts)
    for one in prompts:
        file, _, line = one.place.rpartition("/")[2].partition(".jsonl:")
        assert Archive(vault, one.agent).prompt_of(f"{file}#{line}") == one.prompt


def test_two_runs_with_the_same_answers_never_differ(runs):
    assert first_difference(Vault(runs["one"] / "world"), Vault(runs["same"] / "world")) is None
    assert observed(runs["one"], runs["same"]).endswith("\nEvery prompt of one and same is the same.")


def test_where_two_runs_part_is_named_with_the_reply_before_and_what_is_other(runs):
    one, other = (Vault(runs[name] / "world") for name in ("one", "other"))
    found = first_difference(one, other)
    assert found
    assert found.one
    assert found.other
    pairs = list(zip(prompts_of(one), prompts_of(other), strict=False))
    assert all(mine.prompt == theirs.prompt for mine, theirs in pairs[: found.number - 1])
    assert pairs[found.number - 1][0].prompt != pairs[found.number - 1][1].prompt
    assert found.reply == 2
    text = observed(runs["one"], runs["other"])
    assert f"The first prompt that differs is number {found.number}." in text
    assert f"one: {found.one.agent} at {found.one.at}, {found.one.place}" in text
    assert "then the weir" in text.partition("--- one")[2]
    assert "then the <b>mill</b>" in text.partition("+++ other")[2]


def test_a_run_that_is_shorter_is_said_to_be(runs):
    one, short = (Vault(runs[name] / "world") for name in ("one", "short"))
    found = first_difference(short, one)
    assert "The prompts are the same, but only one goes on" in difference_lines(found, ("short", "one"))[0]


def test_a_long_difference_is_cut_and_says_so(runs):
    one, other = (Run(runs[name]) for name in ("one", "other"))
    found = first_difference(one.vault, other.vault)
    assert found
    assert found.one
    longer = "\n".join(f"line {n}" for n in range(900))
    lines = difference_lines(type(found)(1, found.one, type(found.one)("", "", 1, "", longer, "")), ("one", "other"))
    assert lines[-1].endswith(" more lines")


def test_one_run_is_told_with_its_figures_days_and_moments(runs):
    text = observed(runs["one"])
    for part in ("# one\n", "- turns: 24", "- 2026-01-01: ", "2026-01-01 08:0"):
        assert part in text


def test_looking_at_a_run_changes_nothing_in_it(runs):
    before = files_in(runs["one"])
    observed(runs["one"], runs["other"])
    site = RunsSite([Run(runs["one"])])
    assert site.page("/1/2026-01-01")
    assert files_in(runs["one"]) == before


def test_a_half_written_line_and_report_are_told_and_the_rest_is_read(runs, tmp_path):
    folder = Path(shutil.copytree(runs["one"], tmp_path / "torn"))
    path = folder / "world" / "chronicle" / "2026-01-01.jsonl"
    path.write_bytes(path.read_bytes()[:-9])
    (folder / "report.json").write_text('{"turns":')
    page = RunsSite([Run(folder)]).page("/1/2026-01-01")
    assert page
    assert "half-written; left out" in page


@pytest.mark.parametrize("names", [("nothing",), ("one", "same", "other")])
def test_what_is_no_run_and_more_than_two_are_refused(runs, names, tmp_path):
    with pytest.raises(NoteError, match="neither the folder of a simulation nor a vault|too many"):
        observed(*(runs.get(name, tmp_path) for name in names))


@pytest.fixture(scope="module")
def site(runs) -> RunsSite:
    return RunsSite([Run(runs["one"]), Run(runs["other"])])


def test_days_hours_and_the_difference_are_pages(site):
    status, first = site.answer("/", "localhost:4090", 4090)
    assert status == 200
    for link in ('href="/difference"', 'href="/1/2026-01-01"', 'href="/2/2026-01-01"'):
        assert link in first
    assert "tea first" in site.answer("/1/2026-01-01T08", f"{HOST}:4090", 4090)[1]
    assert "then the &lt;b&gt;mill&lt;/b&gt;" in site.answer("/difference", f"{HOST}:4090", 4090)[1]


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("/1/yesterday", f"{HOST}:4090"),
        ("/3/2026-01-01", f"{HOST}:4090"),
        ("/1/../../etc/passwd", f"{HOST}:4090"),
        ("/", "evil.example:4090"),
        ("/", f"{HOST}:4091"),
        ("/", ""),
    ],
)
def test_there_is_no_other_page_and_none_under_another_name(site, address, host):
    status, page = site.answer(address, host, 4090)
    assert status == 404
    assert "tea first" not in page


def test_a_log_that_cannot_be_read_is_told_on_the_page(runs, tmp_path):
    folder = Path(shutil.copytree(runs["one"], tmp_path / "broken"))
    log = folder / "world" / "chronicle"
    site = RunsSite([Run(folder)])
    shutil.rmtree(log)
    log.write_text("a file")
    status, page = site.answer("/1/2026-01-01", "localhost:1", 1)
    assert status == 500
    assert "the log cannot be read" in page


def test_a_port_that_cannot_be_listened_on_is_refused(runs):
    with pytest.raises(NoteError, match="--port is 70000"):
        run_observe(
            argparse.Namespace(folders=[runs["one"]], text=False, port=70000, no_browser=True), lambda said: None
        )
