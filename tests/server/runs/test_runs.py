"""The folders of simulations: read, compared, and never changed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from heapq import merge
from pathlib import Path

import pytest

from server.runs.runs import AskedPrompt, Run, difference_lines, first_difference, prompts_of
from tests.server.runs.observing import observed
from vault.errors import NoteError
from vault.memory.archive import Archive
from vault.vault import Vault, agent_names


def all_prompts(vault: Vault) -> Iterator[AskedPrompt]:
    """Yield what all agents of a vault were asked, oldest first."""
    asked = (prompts_of(vault, name) for name in agent_names(vault))
    return merge(*asked, key=lambda one: (one.at, one.agent, one.seq))


def test_every_prompt_of_a_run_is_read_to_the_letter_and_in_order(runs):
    vault = Vault(runs["one"] / "world")
    prompts = list(all_prompts(vault))
    assert len({one.agent for one in prompts}) > 1
    assert [one.at for one in prompts] == sorted(one.at for one in prompts)
    for one in prompts:
        file, _, line = one.place.rpartition("/")[2].partition(".jsonl:")
        assert Archive(vault, one.agent).prompt_of(f"{file}#{line}") == one.prompt


def test_two_runs_with_the_same_answers_never_differ(runs):
    assert first_difference(Vault(runs["one"] / "world"), Vault(runs["same"] / "world")) is None
    assert observed(runs["one"], runs["same"]) == "Every prompt of one and same is the same."


def test_where_two_runs_part_is_named_with_the_reply_before_and_what_is_other(runs):
    one, other = (Vault(runs[name] / "world") for name in ("one", "other"))
    found = first_difference(one, other)
    assert found
    assert found.one
    assert found.other
    assert found.reply
    mine, theirs = (list(prompts_of(vault, found.agent)) for vault in (one, other))
    assert (mine[found.number - 1], theirs[found.number - 1]) == (found.one, found.other)
    assert [asked.prompt for asked in mine[: found.number - 1]] == [a.prompt for a in theirs[: found.number - 1]]
    assert all(
        a.prompt == b.prompt for a, b in zip(all_prompts(one), all_prompts(other), strict=False) if a.at < found.at
    )
    assert found.reply == [*all_prompts(one)][1]
    text = observed(runs["one"], runs["other"])
    assert f"The first prompt that differs is number {found.number} of {found.agent}." in text
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


def test_a_vault_is_told_like_a_run_also_with_a_folder_of_its_own_that_is_called_world(runs):
    vault = runs["one"] / "world"
    assert (vault / "world").is_dir()
    assert Run(vault).reader.days() == Run(runs["one"]).reader.days() != {}


def test_a_run_that_was_cut_short_says_so(runs, tmp_path):
    folder = Path(shutil.copytree(runs["one"], tmp_path / "torn"))
    (folder / "report.json").write_text('{"turns":')
    assert "The simulation was cut short: there is no report" in observed(folder, "--view", "chronicle")


@pytest.mark.parametrize("names", [("nothing",), ("one", "same", "other")])
def test_what_is_no_run_and_more_than_two_are_refused(runs, names, tmp_path):
    with pytest.raises(NoteError, match="neither a vault nor the folder of a simulation|too many"):
        observed(*(runs.get(name, tmp_path) for name in names))
