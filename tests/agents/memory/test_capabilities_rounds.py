"""Compaction as one message, failed rounds, and settings under old and new names, each capability under its number."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest

from agents.memory.inspection import explain_text
from agents.memory.memory import AgentMemory
from agents.memory.view import CompactedMessage, CompactionProvider
from agents.models.model import ModelError
from config.settings import MemorySettings
from config.validation import SettingsError, SourcedValue, settings_from
from tests.agents.memory.lives import Life, talkative, windows, writer
from tests.agents.memory.test_switching import Switching
from tests.agents.memory.towns import Town
from tests.agents.memory.views import memory_settings
from tests.agents.test_agent import Life as AgentLife
from tests.english import ENGLISH
from tests.scripted_model import ScriptedModel
from tests.vault.vault_of import vault_of
from vault.entities.agent_notes import load_agent
from vault.memory.memory_line import Range

OLD_MEMORY = """---
timestamp: 2026-01-31T20:35:01
location: "[[The Landing]]"
occupants: [Moss]
type: observed
---
# 20:35
Moss arrives from The Weir.
"""


class Noting:
    """A provider that notes what it hears."""

    def __init__(self, compaction: CompactedMessage | None = None) -> None:
        self.heard: list[int] = []
        self.compaction = compaction

    def get_compaction(self) -> CompactedMessage | None:
        return self.compaction

    def notify_rounds_changed(self, total_rounds: int) -> None:
        self.heard.append(total_rounds)


def rolling(root: Path, model: ScriptedModel | None = None, **more: object) -> Life:
    given_ = {"strategy": "rolling", "threshold": 7, "retain_recent": 3} | more
    return Life(root, windows(64, 64, **given_), model or writer())


def test_0_7_the_documented_timeline_ten_fifteen_twenty(tmp_path):
    life, covered = Switching(tmp_path, "rolling"), []
    life.memory.settings = windows(64, 64, strategy="rolling", threshold=7, retain_recent=3)
    for more in (10, 5, 5):
        life.go_on(more)
        asyncio.run(life.compact())
        summary = life.memory.longterm
        assert summary
        covered.append((Range(summary.first, summary.last), life.memory.coverage.verbatim))
    assert covered == [(Range(1, 7), Range(8, 10)), (Range(1, 12), Range(13, 15)), (Range(1, 17), Range(18, 20))]
    first, second, third = life.model.prompts
    assert ("part 1\n" in first, "part 7\n" in first, "part 8\n" in first) == (True, True, False)
    assert ("part 7\n" in second, "part 8\n" in second, "part 12\n" in second) == (False, True, True)
    assert "I heard Moss talk of the river: brown in the mornings." in second
    assert ("part 12\n" in third, "part 13\n" in third, "part 17\n" in third) == (False, True, True)


def test_0_9_the_prompt_of_an_agent_that_rolls_has_one_message_for_all_that_is_compacted(tmp_path):
    town = Town(tmp_path, "strategy: rolling\nthreshold: 7\nretain_recent: 3")
    town.live(10)
    asyncio.run(town.compact())
    summary = town.eliza.memory.longterm
    assert summary
    assert f"[Conversation History Summary (Rounds 1-7)]\n{summary.text}\n" in town.eliza.prompt().text
    assert "[Summarized" not in town.eliza.prompt().text


def test_0_10_anything_that_compacts_can_be_registered_with_an_agent(tmp_path):
    life, provider = AgentLife(tmp_path, *["say hello"] * 3), Noting(CompactedMessage(1, 2, "It rained."))
    for number in range(4):
        life.memory.record("observed", f"The rain falls for the {number}th hour.")
    life.memory.provider = provider
    life.turns(3)
    assert len(provider.heard) == 3
    assert provider.heard == sorted(provider.heard)
    prompt = life.agent.prompt().text
    assert "It rained.\n[Summarized 2 memories: 1–2]" in prompt
    assert [f"{number}th hour" in prompt for number in range(4)] == [False, False, True, True]


def test_0_10_an_agent_s_own_compactor_is_such_a_provider(tmp_path):
    life = rolling(tmp_path)
    provider: CompactionProvider = life.compactor

    async def live() -> None:
        life.live(8)
        provider.notify_rounds_changed(8)
        await life.finish()

    asyncio.run(live())
    message = CompactedMessage(1, 5, "I heard Moss talk of the river: brown in the mornings.")
    assert provider.get_compaction() == message  # the end belongs to it
    assert [one.seq for one in life.memory.view().tail] == [6, 7, 8]


@pytest.mark.parametrize(("start", "end"), [(2, 3), (1, 0), (1, 99)])
def test_0_10_what_a_provider_says_of_memories_that_do_not_begin_or_end_there_is_left_out(tmp_path, start, end):
    memory = rolling(tmp_path).memory
    memory.record("observed", "It rains.")
    memory.provider = Noting(CompactedMessage(start, end, "It rained."))
    view = memory.view()
    assert (view.compacted, [one.text for one in view.tail]) == (None, ["It rains."])
    assert memory.warnings == [f"a compaction of memories {start}–{end} of 1 is left out"]


def test_0_11_everyone_who_listens_is_told_once_of_each_memory_in_order(tmp_path):
    life, heard = AgentLife(tmp_path, "say one", "say two"), list[tuple[str, int]]()
    life.memory.subscribe(lambda memory: heard.append(("first", memory.seq)))
    life.memory.subscribe(lambda memory: heard.append(("second", memory.seq)))
    life.turns(2)
    last = life.memory.journal.last
    assert last >= 2
    assert heard == [(who, seq) for seq in range(1, last + 1) for who in ("first", "second")]


def test_0_12_a_failed_round_is_shown_until_something_else_was_done(tmp_path):
    life = AgentLife(tmp_path, "say one", "get moon", "get sun", "say two", "say three")
    life.turns(3)
    prompt = life.agent.prompt().text
    shown = ("~Rook> get moon", "~Rook> get sun", life.remembered("result")[-1])
    assert [line for line in shown if line not in prompt] == []
    assert [turn.outcome for turn in life.turns(1)] == ["acted"]
    prompt, refusals = life.agent.prompt().text, life.remembered("result")
    assert not [line for line in ("get moon", "get sun", *refusals) if line in prompt]
    assert prompt.index("~Rook> say one") < prompt.index("~Rook> say two")
    tail = life.memory.view().tail
    assert [one.seq for one in tail] == list(range(1, life.memory.journal.last + 1))  # the partition counts them all
    assert life.remembered("acted") == ["say one", "get moon", "get sun", "say two"]  # and the journal has them


def failing(memory: AgentMemory, count: int) -> None:
    """Record so many memories, of which every fourth and fifth are a refused command and its refusal."""
    for seq in range(memory.journal.last + 1, count + 1):
        match seq % 5:
            case 4:
                memory.record("acted", f"get moon {seq}")
            case 0:
                memory.record("result", f"There is no moon {seq - 1} here.", refused=True)
            case _:
                memory.record("observed", f"Moss tells me of the river and of part {seq}\n")


@pytest.mark.parametrize("strategy", ["rolling", "waterfall"])
def test_0_12_no_failed_round_is_given_to_the_summariser_and_the_boundary_stays(tmp_path, strategy):
    asked = {}
    for fails in (False, True):
        settings = windows(4, 8, strategy=strategy, threshold=9, retain_recent=3)
        life = Life(tmp_path / str(fails), settings, talkative())
        for count in (13, 22, 30):
            failing(life.memory, count) if fails else life.live(count - life.memory.journal.last)
            asyncio.run(life.compact())
        asked[fails] = (life.memory.coverage, [leaf for _, leaf in life.memory.summaries.leaves()], life.model.prompts)
    assert asked[True][0] == asked[False][0]
    assert [(leaf.first, leaf.last) for leaf in asked[True][1]] == [(leaf.first, leaf.last) for leaf in asked[False][1]]
    told = "\n".join(asked[True][2])
    assert "moon" not in told
    covered = asked[True][0].b
    assert [seq for seq in range(1, covered + 1) if seq % 5 in (1, 2, 3) and f"part {seq}\n" not in told] == []


def test_0_12_a_round_that_a_boundary_cuts_is_left_out_on_both_sides(tmp_path):
    memory = rolling(tmp_path).memory
    memory.record("observed", "It rains.")
    memory.record("acted", "get moon")
    memory.record("result", "There is no moon here.", refused=True)
    memory.record("acted", "look")
    memory.record("result", "The Landing.")
    assert [one.seq for one in memory.to_summarise(1, 2)] == [1]
    assert [one.seq for one in memory.to_summarise(3, 5)] == [4, 5]


def test_0_12_why_a_failed_round_is_not_in_the_prompt_can_be_asked(tmp_path):
    life = AgentLife(tmp_path, "get moon", "say one")
    life.turns(2)
    assert "It belongs to a command that was refused" in explain_text(life.memory, life.memories()[0].seq, ENGLISH)


def test_0_12_a_turn_whose_model_fails_leaves_nothing_to_be_told_or_summarised(tmp_path):
    gone = ModelError("scripted is gone.")
    life = AgentLife(tmp_path, "say one", gone, gone, "say two")
    assert [turn.outcome for turn in life.turns(4)] == ["acted", "failed", "failed", "acted"]
    assert life.remembered("acted") == ["say one", "say two"]
    assert "scripted is gone" not in life.agent.prompt().text
    assert [memory.seq for memory in life.memories()] == list(range(1, len(life.memories()) + 1))


@pytest.mark.parametrize(
    ("more", "covered"), [({}, 7), ({"threshold": 9}, 7), ({"threshold": 10}, 0), ({"retain_recent": 5}, 5)]
)
def test_0_16_threshold_and_retain_recent_decide_when_and_how_much(tmp_path, more, covered):
    life = rolling(tmp_path, **more)
    life.live(10)
    asyncio.run(life.compact())
    assert life.memory.coverage.b == covered


def test_0_16_an_agent_names_its_own_template(tmp_path):
    vault = vault_of(tmp_path, {"agents/Eliza/agent.md": "---\nsummary_template: planner\n---\nYou are Eliza.\n"})
    assert load_agent(vault, "Eliza").memory_settings(MemorySettings()).summary_template == "planner"


def test_0_19_a_setting_under_its_old_name_counts_and_warns_once(caplog):
    given_ = {"short_window": SourcedValue(32, 3), "compaction.threshold": SourcedValue(12, 4)}
    settings: Any = settings_from(type(memory_settings()), given_, "config/memory_compaction.md")
    assert (settings.recent_window, settings.threshold) == (32, 12)
    assert [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING] == [
        "config/memory_compaction.md:3: short_window is called recent_window now.",
        "config/memory_compaction.md:4: compaction.threshold is called threshold now.",
    ]


def test_0_19_today_s_name_wins_and_a_bad_value_is_told_with_its_line(caplog):
    both = {"short_window": SourcedValue(32, 3), "recent_window": SourcedValue(16, 4)}
    assert settings_from(MemorySettings, both, "config/x.md").recent_window == 16
    with pytest.raises(SettingsError, match="config/x.md:3: recent_window is 'many'"):
        settings_from(MemorySettings, {"short_window": SourcedValue("many", 3)}, "config/x.md")


def test_0_19_an_old_name_in_an_agent_s_own_note_counts_too(tmp_path):
    vault = vault_of(tmp_path, {"agents/Eliza/agent.md": "---\nshort_window: 24\n---\nYou are Eliza.\n"})
    assert load_agent(vault, "Eliza").memory_settings(MemorySettings()).recent_window == 24


def test_0_19_an_old_vault_s_memories_are_taken_in_and_none_is_lost(tmp_path):
    folder = tmp_path / "agents" / "Eliza" / "memories"
    folder.mkdir(parents=True)
    for minute in range(12):
        (folder / f"20260131-20{minute:02}01 x.md").write_text(OLD_MEMORY, encoding="utf-8")
    life = rolling(tmp_path)
    assert [one.text for one in life.memory.view().tail] == ["Moss arrives from The Weir."] * 12
    assert len(list(folder.glob("imported/*.md"))) == 12
    asyncio.run(life.compact())
    assert life.memory.coverage.b == 9
