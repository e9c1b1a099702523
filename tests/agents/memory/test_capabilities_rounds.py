"""Compaction as rounds and one message, and settings under old and new names, each capability under its number."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import pytest

from agents.memory.coverage import Range
from agents.memory.rounds import CompactedMessage, MemoryCompaction, Rounds
from agents.memory.strategies import Rolling
from agents.models.model import ModelError
from config.settings import Given, MemorySettings, SettingsError, settings_from
from tests.agents.memory.lives import Life, windows
from tests.agents.memory.test_switching import Switching, writer
from tests.agents.test_agent import Life as AgentLife
from tests.scripted_model import ScriptedModel
from tests.vault.vault_of import vault_of
from vault.agent_notes import load_agent

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

    async def live() -> None:
        for more in (10, 5, 5):
            life.go_on(more)
            await life.compact()
            summary = life.memory.longterm
            assert summary
            covered.append((Range(summary.first, summary.last), life.memory.coverage.verbatim))

    asyncio.run(live())
    assert covered == [(Range(1, 7), Range(8, 10)), (Range(1, 12), Range(13, 15)), (Range(1, 17), Range(18, 20))]
    first, second, third = life.model.prompts
    assert ("part 1\n" in first, "part 7\n" in first, "part 8\n" in first) == (True, True, False)
    assert ("part 7\n" in second, "part 8\n" in second, "part 12\n" in second) == (False, True, True)
    assert "I heard Moss talk of the river: brown in the mornings." in second
    assert ("part 12\n" in third, "part 13\n" in third, "part 17\n" in third) == (False, True, True)


def test_0_7_at_the_threshold_itself_nothing_is_due(tmp_path):
    life = rolling(tmp_path)
    life.live(7)
    asyncio.run(life.compact())
    assert life.model.prompts == []
    assert isinstance(life.memory.strategy, Rolling)


def test_0_9_a_compacted_message_says_which_rounds_it_stands_for():
    message = CompactedMessage(1, 7, "I met Moss.\nHe hummed.")
    assert message.to_system_message() == "[Conversation History Summary (Rounds 1-7)]\nI met Moss.\nHe hummed."


def test_0_9_the_end_belongs_to_it(tmp_path):
    life = rolling(tmp_path)
    life.live(10)
    asyncio.run(life.compact())
    message = MemoryCompaction(life.compactor).get_compaction()
    assert message == CompactedMessage(1, 7, "I heard Moss talk of the river: brown in the mornings.")


def test_0_10_anything_that_compacts_can_be_registered(tmp_path):
    rounds, given_ = Rounds({"Eliza": rolling(tmp_path).memory}), Noting(CompactedMessage(1, 2, "Rain."))
    rounds.register_compaction_provider("Eliza", given_)
    for _ in range(3):
        rounds.add_round("Eliza", "observed", "It rains.")
    assert given_.heard == [1, 2, 3]
    told, compaction = rounds.get_role_rounds("Eliza")
    assert ([one.seq for one in told], compaction) == ([3], given_.compaction)


def test_0_10_an_agent_s_own_memory_is_such_a_provider(tmp_path):
    life = rolling(tmp_path)
    rounds = Rounds({"Eliza": life.memory})
    rounds.register_compaction_provider("Eliza", MemoryCompaction(life.compactor))

    async def live() -> None:
        for _ in range(8):
            rounds.add_round("Eliza", "observed", "Moss tells me once more about the river and its moods.")
        await life.finish()

    asyncio.run(live())
    told, compaction = rounds.get_role_rounds("Eliza")
    assert compaction
    assert (compaction.start, compaction.end, [one.seq for one in told]) == (1, 5, [6, 7, 8])


def test_0_11_everyone_who_listens_is_told_once_of_each_round_in_order(tmp_path):
    rounds, heard = Rounds({"Eliza": rolling(tmp_path).memory}), list[tuple[str, str, int]]()
    rounds.on_round_added(lambda role, total: heard.append(("first", role, total)))
    rounds.on_round_added(lambda role, total: heard.append(("second", role, total)))
    for _ in range(2):
        rounds.add_round("Eliza", "observed", "It rains.")
    assert heard == [
        ("first", "Eliza", 1),
        ("second", "Eliza", 1),
        ("first", "Eliza", 2),
        ("second", "Eliza", 2),
    ]


def test_0_11_a_role_without_a_provider_has_all_its_rounds_and_no_compaction(tmp_path):
    rounds = Rounds({"Eliza": rolling(tmp_path).memory})
    rounds.add_round("Eliza", "observed", "It rains.")
    told, compaction = rounds.get_role_rounds("Eliza")
    assert ([one.text for one in told], compaction) == (["It rains."], None)
    with pytest.raises(KeyError):
        rounds.get_role_rounds("Nobody")


def test_0_12_failed_rounds_are_left_out_unless_asked_for_and_the_boundary_stays(tmp_path):
    memory = rolling(tmp_path).memory
    memory.record("acted", "get moon")
    memory.record("result", "There is no moon here.", refused=True)
    for _ in range(3):
        memory.record("observed", "It rains.")
    memory.record("acted", "go up")
    memory.record("observed", "Moss hums.")
    memory.record("result", "There is no exit up.", refused=True)
    memory.record("acted", "look")
    memory.record("result", "The Landing.")
    rounds, provider = Rounds({"Eliza": memory}), Noting()
    rounds.register_compaction_provider("Eliza", provider)

    def seqs(failed: bool) -> list[int]:
        return [one.seq for one in rounds.get_role_rounds("Eliza", failed)[0]]

    assert (seqs(False), seqs(True)) == ([3, 4, 5, 7, 9, 10], list(range(1, 11)))
    provider.compaction = CompactedMessage(1, 4, "It rained.")
    assert (seqs(False), seqs(True)) == ([5, 7, 9, 10], list(range(5, 11)))


def test_0_12_a_turn_whose_model_fails_leaves_nothing_to_be_told_or_summarised(tmp_path):
    gone = ModelError("scripted is gone.")
    life = AgentLife(tmp_path, "say one", gone, gone, "say two")
    assert [turn.outcome for turn in life.turns(4)] == ["acted", "failed", "failed", "acted"]
    assert life.remembered("acted") == ["say one", "say two"]
    assert "scripted is gone" not in life.agent.prompt()
    assert [memory.seq for memory in life.memories()] == list(range(1, len(life.memories()) + 1))


def test_0_16_enabled_false_costs_no_call(tmp_path):
    life = rolling(tmp_path, enabled=False)
    life.live(50)
    asyncio.run(life.compact())
    assert (life.model.prompts, life.memory.coverage.b) == ([], 0)


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
    given_ = {"short_window": Given(32, 3), "compaction.threshold": Given(12, 4)}
    settings = settings_from(MemorySettings, given_, "config/memory_compaction.md")
    assert (settings.recent_window, settings.threshold) == (32, 12)
    assert [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING] == [
        "config/memory_compaction.md:3: short_window is called recent_window now.",
        "config/memory_compaction.md:4: compaction.threshold is called threshold now.",
    ]


def test_0_19_today_s_name_wins_and_a_bad_value_is_told_with_its_line(caplog):
    both = {"short_window": Given(32, 3), "recent_window": Given(16, 4)}
    assert settings_from(MemorySettings, both, "config/x.md").recent_window == 16
    with pytest.raises(SettingsError, match="config/x.md:3: recent_window is 'many'"):
        settings_from(MemorySettings, {"short_window": Given("many", 3)}, "config/x.md")


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
