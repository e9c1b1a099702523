"""A strategy that is defined in one file, with one summary for each topic, on a live memory in a real vault."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from agents.memory.coverage import Coverage, Plan, absorbing
from agents.memory.inspection import explain_text
from agents.memory.strategy import MemoryStrategy, Rolling, StrategyRegistry, loaded_strategies
from agents.memory.view import Tier
from agents.plugins import with_plugins
from tests.agents.memory import topics
from tests.agents.memory.lives import Life, talkative, windows
from tests.agents.memory.topics import Topics
from tests.agents.memory.views import KNOWN, covered_by
from tests.english import ENGLISH
from tests.scripted_model import ScriptedModel
from tests.vault.vault_of import vault_of
from vault.entities.agent_notes import load_agent
from vault.memory.memory_line import Memory, RangeSet
from vault.memory.summaries import Summary

ROOT = Path(__file__).parents[3]
SUBJECTS = ("river", "mill", "river", "bread", "weather")


def life_of(root: Path, model: ScriptedModel | None = None) -> Life:
    return Life(root, windows(4, 4, strategy="topics", topics_keep=5), model or talkative())


def live(life: Life, count: int, subjects: Sequence[str] = SUBJECTS) -> None:
    """Let so many things happen, of each subject in its turn."""
    for _ in range(count):
        seq = life.memory.journal.last + 1
        life.live(1, f"Moss tells me once more about the {subjects[seq % len(subjects)]} and its moods, part {seq}.")


def summarised(root: Path, model: ScriptedModel | None = None) -> Life:
    """Return a life of twenty memories, of which all but the newest five are summarised."""
    life = life_of(root, model)
    live(life, 20)
    asyncio.run(life.compact())
    return life


def numbers(tier: Tier) -> list[int]:
    return [seq for one in tier.memories.ranges for seq in range(one.first, one.last + 1)]


def test_a_strategy_is_one_file_of_less_than_forty_lines():
    source = Path(topics.__file__).read_text(encoding="utf-8")
    assert len(source.splitlines()) < 40
    assert f"```python\n{source}```" in (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    assert KNOWN["topics"] is Topics
    assert list(loaded_strategies()) == ["waterfall", "layered", "rolling", "window"]


def test_each_topic_has_a_summary_and_every_memory_is_in_one_of_them_or_word_for_word(tmp_path):
    life = summarised(tmp_path)
    view = life.memory.view()
    assert {tier.title: str(tier.memories) for tier in view.summaries} == {
        "river": "2, 5, 7, 10, 12, 15",
        "mill": "1, 6, 11",
        "bread": "3, 8, 13",
        "other things": "4, 9, 14",
    }
    assert sorted(covered_by(view)) + [memory.seq for memory in view.tail] == list(range(1, 21))
    assert len(life.model.prompts) == 4
    assert "about the mill" in life.model.prompts[0]
    assert "about the river" not in life.model.prompts[0]
    assert "mill: I " in view.told_in("older")
    assert "[Summarized 3 memories: 1, 6, 11]" in view.told_in("older")
    assert life.memory.coverage == Coverage(15, 15, 20)


def test_only_topics_with_something_new_are_written_anew_and_the_others_stay_to_the_letter(tmp_path):
    life = summarised(tmp_path)
    before = {tier.title: tier for tier in life.memory.view().summaries}
    live(life, 10, ("mill",))
    asyncio.run(life.compact())  # memories 16 to 20 are of all topics
    after = {tier.title: tier for tier in life.memory.view().summaries}
    asked = len(life.model.prompts)
    live(life, 10, ("mill",))
    asyncio.run(life.compact())
    last = {tier.title: tier for tier in life.memory.view().summaries}
    new = life.model.prompts[asked:]
    assert new
    assert all("about the mill" in one and "about the river" not in one for one in new)
    assert [title for title in last if last[title].text != after[title].text] == ["mill"]
    assert set(numbers(before["mill"])) < set(numbers(after["mill"])) < set(numbers(last["mill"]))
    assert sorted(covered_by(life.memory.view())) == list(range(1, life.memory.coverage.b + 1))


def test_the_topics_are_one_file_that_a_restart_and_a_person_s_edit_leave_in_parts(tmp_path):
    life = summarised(tmp_path)
    before = life.memory.view().summaries
    life.die()
    again = life_of(tmp_path)
    assert again.memory.view().summaries == before
    path = again.folder / "summaries" / "longterm.md"
    path.write_text(path.read_text().replace("## mill\n", "## mill\nThe mill is Odile's. "))
    edited = {tier.title: tier for tier in again.memory.view().summaries}
    assert edited["mill"].text.startswith("The mill is Odile's. I ")
    assert [str(tier.memories) for tier in edited.values()] == [str(tier.memories) for tier in before]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("## mill\n", ""),
        ("## mill\n", "## river\n"),
        ("mill: 1, 6, 11", "mill: 1, 6, 12"),
        ("mill: 1, 6, 11", "mill: 1, 6"),
        ("mill: 1, 6, 11", "mill: soon"),
        ("contents:\n", "contents: none\nold:\n"),
    ],
)
def test_a_file_whose_parts_do_not_add_up_any_more_is_told_in_one(tmp_path, old, new):
    life = summarised(tmp_path)
    path = life.folder / "summaries" / "longterm.md"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    view = life.memory.view()
    assert [(tier.name, str(tier.memories)) for tier in view.summaries] == [("longterm", "1–15")]
    assert [memory.seq for memory in view.tail] == [16, 17, 18, 19, 20]
    live(life, 10)
    asyncio.run(life.compact())
    told = life.memory.view()
    assert told.summaries[0].title == "Earlier"
    assert sorted(covered_by(told)) == list(range(1, told.covered + 1))


def test_a_topic_that_the_model_cannot_tell_of_leaves_every_topic_as_it_was(tmp_path):
    model = ScriptedModel(lambda one: "" if "about the bread" in one.prompt else "I heard Moss talk of it at length.")
    life = summarised(tmp_path, model)
    assert life.compactor.stats.failures_in_a_row == 1
    view = life.memory.view()
    assert (view.summaries, view.verbatim.first, len(view.tail)) == ((), 1, 20)


def test_lines_taken_out_by_hand_and_failed_commands_are_in_a_topic_all_the_same(tmp_path):
    life = life_of(tmp_path)
    live(life, 8)
    life.memory.record("acted", "fly")
    life.memory.record("result", "You cannot fly.", refused=True)
    live(life, 12)
    for path in life.folder.glob("journal/*.md"):
        path.write_text("\n".join(one for one in path.read_text().split("\n") if "part 3." not in one))
    asyncio.run(life.compact())
    view = life.memory.view()
    assert view.covered >= 10
    assert sorted(covered_by(view)) == list(range(1, view.covered + 1))


def test_status_and_why_name_the_topic(tmp_path):
    life = summarised(tmp_path)
    said = life.status()
    assert said[3].startswith("Long ago (mill): memories 1, 6, 11, 3 of them, ")
    assert "Strategy: topics." in said
    assert "Next compaction: at memory 25, 5 from now." in said
    assert "in the long-term summary of memories 1, 6, 11 (mill)" in explain_text(life.memory, 6, ENGLISH)


def test_its_settings_stand_in_the_notes_of_the_vault_and_are_checked_like_all_others(tmp_path):
    notes = {
        "config/memory_compaction.md": "---\nstrategy: topics\n---\n**topics_keep**: 12\n",
        "agents/Eliza/agent.md": "---\ntopics: bread\n---\nYou are Eliza.\n",
    }
    vault = vault_of(tmp_path, notes)
    general: Any = KNOWN.load_settings(vault).memory
    assert (general.strategy, general.topics_keep, general.topics) == ("topics", 12, "river, mill, bread")
    own = KNOWN.settings_of(load_agent(vault, "Eliza"), general)
    assert KNOWN.strategy_of(own) == Topics("bread", 12)
    vault_of(tmp_path, {"config/memory_compaction.md": "---\ntopics_keep: 0\n---\n"})
    with pytest.raises(Exception, match=r"config/memory_compaction.md:2: topics_keep is 0; expected a whole number"):
        KNOWN.load_settings(vault)
    with pytest.raises(Exception, match=r"unknown setting 'topics_keep'"):
        loaded_strategies().load_settings(vault)


def test_two_strategies_cannot_have_one_name_or_one_setting():
    @dataclass(frozen=True)
    class Other(Rolling):
        name = "other"

    with pytest.raises(ValueError, match="two memory strategies have a setting retain_recent, threshold"):
        loaded_strategies().with_more(Other)
    with pytest.raises(ValueError, match="a name of its own"):
        KNOWN.with_more(Topics)


def test_an_installed_package_brings_a_strategy_by_an_entry_point_and_a_broken_one_is_left_out(caplog):
    found = [
        EntryPoint("topics", "tests.agents.memory.topics:Topics", "fallwater.strategies"),
        EntryPoint("gone", "tests.agents.memory.gone:Gone", "fallwater.strategies"),
    ]
    assert list(with_plugins(loaded_strategies(), found, "memory strategy")) == [*loaded_strategies(), "topics"]
    assert [one.getMessage() for one in caplog.records if one.levelno == logging.ERROR] == [
        "the memory strategy tests.agents.memory.gone:Gone cannot be loaded and is left out"
    ]


class Raising(MemoryStrategy):
    name = "raising"

    def plan(self, coverage: Coverage, forced: bool = False, sizes: Sequence[int] = ()) -> Plan | None:
        raise RuntimeError("I have no plan")


class Skipping(MemoryStrategy):
    """It would leave memories out."""

    name = "skipping"

    def plan(self, coverage: Coverage, forced: bool = False, sizes: Sequence[int] = ()) -> Plan | None:
        return replace(absorbing(coverage, 6), absorbed=absorbing(coverage, 3).absorbed)


class Hiding(MemoryStrategy):
    """Its view leaves out the first memory."""

    name = "hiding"

    def view(self, longterm: Summary | None, recent: Summary | None, n: int) -> list[Tier]:
        (tail,) = super().view(longterm, recent, n)
        return [replace(tail, memories=RangeSet(tuple(replace(one, first=2) for one in tail.memories.ranges)))]


class Undecided(Topics):
    name = "undecided"

    def part_of(self, memory: Memory) -> str:
        raise KeyError(memory.seq)


@pytest.mark.parametrize("kind", [Raising, Skipping, Hiding, Undecided])
def test_a_strategy_that_fails_is_off_and_nothing_is_lost(tmp_path, kind):
    registry = StrategyRegistry(kind)
    life = Life(tmp_path, windows(4, 4, strategy=kind.name), ScriptedModel("I heard Moss."), strategies=registry)
    told: list[str] = []
    life.memory.on_trouble = told.append
    live(life, 20)
    asyncio.run(life.compact())
    live(life, 5)
    asyncio.run(life.compact())
    view = life.memory.view()
    assert (view.summaries, [memory.seq for memory in view.tail]) == ((), list(range(1, 26)))
    assert len(told) == 1
    assert told[0].startswith(f"The memory strategy {kind.name!r} of Eliza failed and is off: ")
