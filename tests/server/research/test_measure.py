"""The sub-command `measure`."""

from __future__ import annotations

import argparse
import json

import pytest

from server.research.command import add_measure_command, run_measure
from tests.agents.metrics.small_world import SmallWorld
from vault.errors import NoteError


@pytest.fixture
def town(tmp_path) -> SmallWorld:
    town = SmallWorld(tmp_path / "town", "Eliza")
    town.does("Eliza", "look")
    town.does("Eliza", "get moon", refused=True)
    return town


def measured(*arguments: object) -> str:
    parser, said = argparse.ArgumentParser(), list[str]()
    add_measure_command(parser.add_subparsers(dest="command"))
    assert run_measure(parser.parse_args(["measure", *map(str, arguments)]), said.append) == 0
    return "\n".join(said)


def test_a_table_has_each_figure_with_its_unit_and_denominator_and_what_is_not_known(town):
    assert measured(town.root, "--only", "refusals, loops,answered") == (
        "refusals  0.5  share; of 2 commands: commands that the world refused\n"
        "loops       0  per 100 commands; of 2 commands: stretches in which an agent goes in a circle\n"
        "\n"
        "Not known:\n"
        "  answered: there is no chronicle"
    )


def test_json_has_the_same(town):
    told = json.loads(measured(town.root, "--json", "--only", "refusals,answered"))
    assert told["figures"]["refusals"]["value"] == 0.5
    assert told["figures"]["refusals"]["of"] == "commands"
    assert told["unknown"] == {"answered": "there is no chronicle"}


def test_what_is_no_moment_is_refused(town):
    with pytest.raises(NoteError, match=r"--since is 'yesterday'; expected a day or a moment"):
        measured(town.root, "--since", "yesterday")
