"""Measuring a world: what cannot be known is named, and nothing stops the rest."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from inspect import getsource
from pathlib import Path
from textwrap import indent

import pytest

from agents.metrics.measuring import BUILT_IN, MetricRegistry, measure, measure_world
from agents.metrics.metric import CHRONICLE, JOURNAL, About, MeasuredWorld, Metric, Results, Unknown, Value
from agents.plugins import with_plugins
from tests.agents.metrics.small_world import SmallWorld
from vault.errors import NoteError
from vault.memory.memory_line import Memory
from vault.vault import Vault


class Nods(Metric):
    """`nods`: the share of commands that are a nod."""

    source = JOURNAL
    figures = (About("nods", "share", "commands", "commands that are a nod"),)

    def __init__(self, world: MeasuredWorld) -> None:
        super().__init__(world)
        self._nods = self._all = 0

    def take_memory(self, agent: str, memory: Memory) -> None:
        self._all += memory.kind == "acted"
        self._nods += memory.kind == "acted" and memory.text == "emote nods"

    def results(self) -> Results:
        return {"nods": Value(self._nods / self._all, self._all) if self._all else Unknown("no command was given")}


class Broken(Nods):
    """Raises at the first memory."""

    figures = (About("broken", "nods", "commands", "nothing"),)

    def take_memory(self, agent: str, memory: Memory) -> None:
        raise LookupError("no such nod")


@pytest.fixture
def town(tmp_path) -> SmallWorld:
    town = SmallWorld(tmp_path / "town", "Eliza")
    town.does("Eliza", "emote nods")
    town.does("Eliza", "get moon", refused=True)
    return town


def entry(name: str) -> EntryPoint:
    return EntryPoint(name, f"{__name__}:{name}", "fallwater.metrics")


def test_a_metric_of_a_package_is_measured_beside_those_that_come_with_fallwater(town):
    known = with_plugins(MetricRegistry(*BUILT_IN), [entry("Nods")], "metric")
    found = measure_world(Vault(town.root), ["nods", "refusals"], known)
    assert {name: one.value for name, one in found.figures.items()} == {"nods": 1 / 2, "refusals": 1 / 2}


def test_the_researchers_page_shows_the_metric_that_is_measured_here():
    page = Path(__file__).parents[3] / "docs" / "research.md"
    assert indent(getsource(Nods), "    ") in page.read_text(encoding="utf-8")


def test_a_metric_that_raises_is_named_and_does_not_stop_the_others(town):
    known = MetricRegistry(*BUILT_IN).with_more(Broken, Nods)
    found = measure_world(Vault(town.root), ["broken", "nods", "refusals"], known)
    assert found.unknown == {"broken": "the metric Broken failed: LookupError: no such nod"}
    assert list(found.figures) == ["nods", "refusals"]


def test_a_metric_that_cannot_be_loaded_or_takes_a_name_is_left_out():
    known = with_plugins(MetricRegistry(*BUILT_IN, Nods), [entry("Missing"), entry("Nods"), entry("Broken")], "metric")
    assert known.kinds[len(BUILT_IN) :] == (Nods, Broken)


def test_a_source_that_is_not_there_leaves_its_figures_out_and_says_so(town):
    found = measure_world(Vault(town.root), ["answered", "validity", "refusals", "diffusion"])
    assert list(found.figures) == ["refusals"]
    assert found.unknown == {
        "answered": f"there is no {CHRONICLE}",
        "validity": "no model has answered",
        "diffusion": "no fact was named; give one with --fact",
    }


def test_what_was_before_the_given_moment_does_not_count(town):
    assert measure(town.root, ["refusals"]) == {"refusals": 1 / 2}
    town.at_ms += 86_400_000
    town.does("Eliza", "look")  # the next day, though its journal is that of the day before
    assert measure(town.root, ["refusals"], since="2026-11-30T12:05") == {"refusals": 1 / 2}
    assert measure(town.root, ["refusals"], since="2026-12-02") == {}


def test_a_half_written_line_is_left_out_and_named(town):
    town.happens("said", "Eliza", words="Hello.")
    for path, torn in ((town.chronicle, b'{"at": "20\n{"at"'), (town.archive("Eliza"), b'{"event": \n{"event": "mess')):
        with open(path, "ab") as file:
            file.write(torn)
    found = measure_world(Vault(town.root))
    assert found.problems.named == [
        "agents/Eliza/archive/2026-11-30.jsonl:5: this entry is not valid and was left out",
        "agents/Eliza/archive/2026-11-30.jsonl:6: the last line is torn and was left out",
        "chronicle/2026-11-30.jsonl:2: this is no event and was left out",
        "chronicle/2026-11-30.jsonl:3: the last line is torn and was left out",
    ]
    assert found.figures["distinct_1"] == Value(1.0, 1)


def test_a_world_of_another_version_is_measured_all_the_same(town):
    for folder, note in (("text", "memory"), ("config", "agents")):
        (town.root / folder).mkdir()
        (town.root / folder / f"{note}.md").write_text("**unheard_of**: {of}\n", "utf-8")
    found = measure_world(Vault(town.root), ["refusals", "cost"])
    assert found.figures["refusals"].value == 1 / 2
    assert [one.split(" ")[0] for one in found.problems.named] == ["config/agents.md:1:", "text/memory.md:1:"]


def test_agents_with_odd_names_are_measured(tmp_path):
    names = [f"Ägent {number} «{chr(0x4E00 + number % 500)}»" for number in range(300)]
    town = SmallWorld(tmp_path / "town", *names)
    for name in names:
        town.remembers(name, "acted", "look")
    assert measure(town.root, ["refusals"]) == {"refusals": 0.0}


def test_a_folder_without_a_world_is_refused(tmp_path):
    with pytest.raises(NoteError, match="neither a vault nor the folder of a simulation"):
        measure(tmp_path)


def test_a_figure_of_nothing_is_unknown_and_never_0(tmp_path):
    found = measure_world(Vault(SmallWorld(tmp_path / "town", "Eliza").root))
    assert found.figures == {}
    assert all(found.unknown.values())
