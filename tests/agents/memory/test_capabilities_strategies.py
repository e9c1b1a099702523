"""Strategies, tokens and limits, each capability under its number."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.commands.memory_commands import memory_commands
from agents.memory.compaction_cycle import view_tokens
from agents.memory.cost import CompactionEstimate, estimate_compaction
from agents.memory.coverage import Coverage
from agents.memory.strategy import Layered, MemoryStrategy, Waterfall
from agents.memory.summaries.formats import SECTIONS, sections_of
from agents.memory.view import UNSHOWN
from agents.models.adapter import TokenEstimate
from agents.models.model import ModelError, Request
from config.settings import MemorySettings
from config.validation import SettingsError, SourcedValue, settings_from
from tests.agents.memory.lives import HEADINGS, Life, good_summaries, in_sections, talkative, windows, writer
from tests.agents.memory.test_switching import STRATEGIES, Switching
from tests.agents.memory.views import memory_settings
from tests.agents.test_agent import Life as AgentLife
from tests.rows import rows_in
from tests.scripted_model import ScriptedModel
from tests.vault.vault_of import vault_of
from vault.entities.agent_notes import load_agent
from vault.memory.archive import archive_memories
from vault.memory.memory_line import Range
from vault.memory.summaries import Summary
from vault.vault import Vault
from world.entities import Role


def layered(root: Path, model: ScriptedModel | None = None, **more: object) -> Life:
    given_ = {"strategy": "layered", "threshold_tokens": 100, "min_saving_tokens": 20, "summary_tokens": 40} | more
    return Life(root, windows(64, 64, **given_), model or writer())


def rain(life: Life, count: int) -> None:
    """Have so many memories of five words, no two of them alike."""
    for _ in range(count):
        life.live(1, f"It rains for time {life.memory.journal.last + 1}.")


def compacted(life: Life) -> int:
    """Do whatever is due and return how often a model was asked for it."""
    before = len(life.model.requests)
    asyncio.run(life.compact())
    return len(life.model.requests) - before


# 2.1, 2.10, 2.11 Bounds, triggers, levels


@pytest.mark.parametrize("length", [600, pytest.param(4000, marks=pytest.mark.integration)])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_2_1_the_prompt_is_bounded_however_long_a_life_is(tmp_path, strategy, length):
    # Each may keep 64 + 64 memories of eleven words word for word, and two summaries of 60; all of it are 11 a memory.
    more = {"threshold_tokens": 1400, "min_saving_tokens": 0, "summary_tokens": 60, "max_memories": 128}
    more |= {"threshold": 127, "retain_recent": 64}
    life, largest = Life(tmp_path, windows(64, 64, strategy=strategy, **more), writer()), 0
    for number in range(length):
        life.live(1, f"Moss tells me of the river and its moods, time {number}.")
        if number % 8:
            continue
        asyncio.run(life.compact())
        if number % 16 == 0 or number > length - 100:
            largest = max(largest, view_tokens(life.memory.view(), life.model.count_tokens))
    assert life.memory.coverage.n == length
    assert 128 * 11 / 16 < largest <= 2 * 60 + (128 + 8) * 11 + 40


def test_2_10_one_long_event_makes_it_due_and_a_hundred_short_ones_do_not(tmp_path):
    short = Life(tmp_path / "short", windows(64, 64), writer(), tail_tokens=4000)
    rain(short, 100)
    assert compacted(short) == 0
    long = Life(tmp_path / "long", windows(64, 64), writer(), tail_tokens=4000)
    long.live(1, "Moss tells me of the river. " * 834)
    rain(long, 1)
    assert compacted(long) == 1
    assert long.memory.coverage.verbatim == Range(2, 2)


def test_log_and_status_name_the_windows_in_force(tmp_path, caplog):
    caplog.set_level("INFO")
    life = Life(tmp_path, windows(64, 64), writer(), tail_tokens=300)
    rain(life, 50)  # five tokens each
    assert compacted(life) == 0
    assert "Windows: 30 immediate, 30 recent; 300 tokens have room word for word." in life.status()
    assert "Next compaction: at memory 129, or once more than 300 tokens are word for word." in life.status()
    asyncio.run(life.force())
    assert "[Memory] Eliza: Starting compaction (50 memories, 30 immediate, 30 recent)" in caplog.messages
    assert life.memory.coverage.verbatim == Range(21, 50)


def test_2_11_a_long_term_summary_lists_the_two_that_it_is_made_of_down_to_every_leaf(tmp_path):
    life = Life(tmp_path, windows(4, 4), writer())
    for count in (9, 4, 4, 4, 4, 4):  # one cycle each
        before = life.memory.longterm, life.memory.recent
        life.live(count)
        asyncio.run(life.compact())
        if life.memory.longterm and life.memory.longterm != before[0]:
            children = [f"{one.first}-{one.last}" for one in before if one]
            assert list(life.memory.longterm.sources[: len(children)]) == children
    leaves = [leaf for _, leaf in life.memory.summaries.leaves()]
    assert [leaf.sources[0] for leaf in leaves] == [f"{leaf.first}-{leaf.last}" for leaf in leaves]
    assert life.memory.longterm
    told = [seq for leaf in leaves[:-1] for seq in range(leaf.first, leaf.last + 1)]
    assert told == list(range(1, life.memory.longterm.last + 1))


@pytest.mark.parametrize(("recent_words", "longterm_words"), [(20, 0), (9, 20)])
def test_2_11_a_summary_beyond_the_budget_of_its_level_is_refused(tmp_path, recent_words, longterm_words):
    good = good_summaries()

    def reply(request: Request) -> str:  # 20 words more are too many, and fewer tokens than what is summarised
        more = " and talk" * (longterm_words if "long ago" in request.prompt else recent_words)
        return good(request).replace(" of the river", f" of the river{more}")

    life = Life(tmp_path, windows(8, 8, summary_tokens=40, summary_floor_tokens=40), ScriptedModel(reply))
    for count in (17, 8, 8):
        life.live(count)
        asyncio.run(life.compact())
    assert life.compactor.stats.refused["cut-off"] > 0
    in_force = [one.tokens for one in (life.memory.longterm, life.memory.recent) if one]
    assert (len(in_force), max(in_force, default=0) <= 40) == (2 * (longterm_words > 0), True)


# 3.1, 3.2, 3.13 One interface, plain history, and back


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_3_1_every_strategy_appends_tells_goes_on_compacts_and_clears_through_one_interface(tmp_path, strategy):
    life = Switching(tmp_path, strategy)
    assert life.memory.coverage.n == 0  # is empty
    assert life.memory.view().tail_text() == ""
    life.go_on(3)  # append
    assert len(life.memory.view().tail_text().split("\n")) == 3  # context
    life.go_on(20)
    asyncio.run(life.compact())  # next turn
    life.check()
    said = asyncio.run(life.force())  # compact
    life.check()
    assert ("summarises nothing" in said) == (strategy == "window")
    again = life.restarted()
    assert again.memory.view() == life.memory.view()
    again.memory.close()
    (again.folder / "agent.md").write_text("You are Eliza.\n", encoding="utf-8")
    archive_memories(Vault(tmp_path), again.memory.name, again.clock.ms)  # clear
    fresh = Switching(tmp_path, strategy).memory
    assert (fresh.coverage.n, fresh.view().told_in("older"), fresh.view().tail_text()) == (0, "", "")


@pytest.mark.parametrize("most", [1, 2, 5, 7])
def test_3_2_plain_history_is_what_a_sliding_window_holds(tmp_path, most):
    life, reference = Life(tmp_path, windows(64, 64, strategy="window", max_memories=most), writer()), deque[str]()
    for number in range(40):
        life.live(1, f"It rains for the time number {number}.")
        reference.append(f"It rains for the time number {number}.")
        while len(reference) > most:
            reference.popleft()
        assert [memory.text for memory in life.memory.view().tail] == list(reference)


def test_3_13_plain_history_is_there_at_any_time_and_what_was_summarised_comes_back(tmp_path):
    life = Life(tmp_path, windows(8, 8, max_memories=10), writer())
    life.live(40)
    asyncio.run(life.compact())
    before, files = life.memory.view(), sorted(path.name for path in life.folder.rglob("*.md"))
    life.memory.settings = replace(life.memory.settings, strategy="window")
    plain = life.memory.view()
    assert (plain.told_in("older"), plain.told_in("recent")) == ("", "")
    assert [memory.seq for memory in plain.tail][-1] == 40
    assert "Memories 1–" in plain.tail_text()
    life.memory.settings = replace(life.memory.settings, strategy="waterfall")
    assert life.memory.view() == before
    assert sorted(path.name for path in life.folder.rglob("*.md")) == files


# 3.4 to 3.6 By tokens, if it is worth it


def test_3_4_it_is_made_once_when_the_threshold_is_crossed_and_not_again_until_it_is_crossed_anew(tmp_path):
    life, asked = layered(tmp_path), list[int]()
    for number in range(1, 63):
        rain(life, 1)
        if compacted(life):
            asked.append(number)
    # Five tokens each: 105 are more than 100 at the 21st, and again 21 later.
    assert asked == [21, 42]


def test_3_5_a_saving_below_the_guard_costs_no_call_and_the_reason_is_told(tmp_path, caplog):
    caplog.set_level("INFO")
    life = layered(tmp_path, min_saving_tokens=500)
    rain(life, 30)
    assert compacted(life) == 0
    assert "Next compaction: not now: it would save 110 tokens a turn, less than 500." in life.status()
    rain(life, 1)
    assert compacted(life) == 0
    assert caplog.text.count("No compaction for now") == 1
    life.memory.settings = replace(life.memory.settings, min_saving_tokens=20)
    assert compacted(life) == 1
    assert not [line for line in life.status() if "not now" in line]


def test_3_6_an_offer_counts_each_summary_that_is_made_and_each_that_goes():
    settings = MemorySettings(summary_tokens=40, expected_turns=50, cached_token_weight=0.1)
    longterm, recent = Summary(1, 10, "x", tokens=30), Summary(11, 20, "y", tokens=20)
    coverage_sizes = [10] * 40

    def offered(strategy: str, in_force: tuple[Summary | None, Summary | None], a: int, b: int) -> CompactionEstimate:
        chosen: MemoryStrategy = Layered(100) if strategy == "layered" else Waterfall(4, 8)
        plan = chosen.plan(Coverage(a, b, b + 40), sizes=coverage_sizes)
        assert plan
        return estimate_compaction(plan, coverage_sizes, in_force, settings, 0.0)

    first = offered("waterfall", (None, None), 0, 0)  # nine memories into one summary
    assert (first.saved_per_turn, first.request_tokens, first.response_tokens) == (90 - 40, 90, 40)
    later = offered("waterfall", (longterm, recent), 10, 20)  # eight, and both summaries made anew
    assert (later.saved_per_turn, later.request_tokens, later.response_tokens) == (80 + 50 - 80, 130, 80)
    one = offered("layered", (longterm, recent), 10, 20)  # all forty and both into one
    assert (one.saved_per_turn, one.request_tokens, one.response_tokens) == (400 + 50 - 40, 450, 40)


def test_3_6_a_breaker_stops_what_does_not_help_and_the_status_says_so(tmp_path):
    life = layered(tmp_path)
    for _ in range(5):  # every crossing within ten minutes
        rain(life, 25)
        life.clock.ms -= 25_000
        assert compacted(life) == 1
    rain(life, 22)
    assert life.compactor.stats.breaker.why == "5 runs within ten minutes"
    life.compactor.stats.breaker.opened_at_tokens = 10_000  # as if the view were large, so that growth is no reason
    assert compacted(life) == 0
    assert "Next compaction: not now: compaction by tokens rests: 5 runs within ten minutes." in life.status()
    life.clock.ms += 600_000
    assert compacted(life) == 1


# 3.15, 3.16, 3.19


def test_3_15_when_memories_do_not_fit_and_cannot_be_summarised_admins_are_asked_once(tmp_path):
    life, told = AgentLife(tmp_path, *["say hello"] * 4), list[str]()
    failing = ScriptedModel(lambda request: ModelError("scripted is gone."))
    other = Life(tmp_path / "other", windows(1, 1), failing)
    other.live(8)
    life.agent.on_trouble = told.append
    for number in range(400):
        life.memory.record("observed", f"Thing {number}: " + "the river goes by and by " * 4)

    async def live() -> list[str]:
        life.wakes()
        life.model.context_tokens = 2500
        life.agent.compactor = other.compactor
        outcomes = []
        for _ in range(3):
            outcomes.append((await life.agent.tick()).outcome)
            await other.finish()
        return outcomes

    assert asyncio.run(live()) == ["acted"] * 3
    assert UNSHOWN in life.model.prompts[-1]
    assert len(told) == 1
    assert "cannot be summarised: scripted is gone." in told[0]
    assert "@compact-memories Rook" in told[0]


def test_3_16_the_six_sections_are_asked_for_and_kept_and_facts_are_apart_from_guesses(tmp_path):
    good = in_sections("Moss talks of the river.", goal="Listen to Moss.").replace(
        "## Open Issues\nNone.", "## Open Issues\nPerhaps it will rain."
    )
    life = layered(tmp_path, ScriptedModel(good))
    life.live(30)
    assert compacted(life) == 1
    assert HEADINGS in life.model.prompts[0]
    assert life.memory.longterm
    told = sections_of(life.memory.longterm.text)
    assert list(told) == list(SECTIONS)
    assert not {*told["Confirmed Facts"]} & {*told["Open Issues"]}


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("I heard Moss talk of the river.", "wrong-sections"),
        (in_sections("Moss probably talks of the river."), "assumption-as-fact"),
        (in_sections("Moss talks of the river.").replace("## Open Issues\n", ""), "wrong-sections"),
        (in_sections("Zebulon talks of the river."), "unknown-name"),
    ],
)
def test_3_16_other_sections_and_guesses_among_the_facts_are_refused(tmp_path, reply, reason):
    life = layered(tmp_path, ScriptedModel(lambda request: reply))
    life.live(30)
    asyncio.run(life.compact())
    assert life.memory.longterm is None
    assert reason in life.compactor.stats.refused


def test_3_19_the_estimate_is_at_most_a_tenth_below_what_a_tokenizer_counts():
    rows = rows_in(Path(__file__).parent / "counted.yaml")
    assert len(rows) >= 8
    for row in rows:
        assert TokenEstimate().count(row["text"]) >= 0.9 * row["tokens"]


def test_3_19_after_one_prompt_was_counted_no_estimate_of_the_like_is_too_low():
    rows = rows_in(Path(__file__).parent / "counted.yaml")
    estimate = TokenEstimate()
    for row in rows:
        estimate.observe(row["text"], row["tokens"])
    for row in rows:
        assert row["tokens"] <= estimate.count(row["text"]) <= 1.45 * row["tokens"]


# 3.22, 3.24, 4.21 What can be set


def test_3_22_an_unknown_key_and_a_strategy_that_does_not_exist_are_refused_with_their_line():
    source = "config/memory_compaction.md"
    with pytest.raises(SettingsError, match="config/memory_compaction.md:3: unknown setting 'historykey'"):
        settings_from(type(memory_settings()), {"historykey": SourcedValue("chat", 3)}, source)
    with pytest.raises(SettingsError, match="strategy is 'magic'; expected one of waterfall, layered, rolling, window"):
        settings_from(type(memory_settings()), {"strategy": SourcedValue("magic", 4)}, source)


@pytest.mark.parametrize(
    ("change", "calls"),
    [
        ({}, 1),
        ({"strategy": "window"}, 0),
        ({"threshold_tokens": 151}, 0),
        ({"min_saving_tokens": 111}, 0),
        ({"expected_turns": 1}, 0),
        ({"enabled": False}, 0),
        ({"summary_tokens": 140}, 0),
    ],
)
def test_3_22_each_key_of_compaction_by_tokens_changes_what_is_done(tmp_path, change, calls):
    life = layered(tmp_path, **change)
    rain(life, 30)
    assert compacted(life) == calls


def test_3_22_what_is_cached_weighs_as_much_as_is_set(tmp_path):
    for weight, calls in ((1.0, 1), (0.01, 0)):
        life = layered(tmp_path / str(weight), cached_token_weight=weight, expected_turns=2)
        life.compactor._cached_share = lambda: 1.0
        rain(life, 30)
        assert compacted(life) == calls


@pytest.mark.parametrize("off", [{"strategy": "window"}, {"enabled": False}])
def test_3_24_while_it_is_turned_off_everything_is_as_it_was_without_it(tmp_path, off):
    life = Life(tmp_path, windows(8, 8, **off), talkative())
    life.live(60)
    asyncio.run(life.compact())
    assert [memory.seq for memory in life.memory.view().tail] == list(range(1, 61))
    assert life.model.requests == []
    assert not (life.folder / "summaries").exists()
    archived = [json.loads(line) for path in life.folder.glob("archive/*.jsonl") for line in path.open()]
    assert not [entry for entry in archived if "compact" in entry["event"]]


def test_4_21_an_agent_names_its_strategy_in_its_own_note_and_two_of_them_differ_on_one_life(tmp_path):
    note = "---\nstrategy: rolling\nthreshold: 12\n---\nYou are Eliza.\n"
    vault = vault_of(tmp_path / "notes", {"agents/Eliza/agent.md": note})
    own: Any = load_agent(vault, "Eliza").memory_settings(windows(8, 8))
    assert (own.strategy, own.threshold) == ("rolling", 12)
    told = {}
    for settings in (own, windows(8, 8)):
        life = Life(tmp_path / settings.strategy, settings, writer())
        for _ in range(8):
            life.live(5)
            asyncio.run(life.compact())
        told[settings.strategy] = (life.memory.coverage.a, life.memory.coverage.b, life.memory.coverage.n)
    assert told["rolling"] != told["waterfall"]
    assert (told["rolling"][0], told["rolling"][2]) == (told["rolling"][1], 40)


def test_4_21_the_status_names_the_strategy_and_who_asks_for_plain_history_is_told(tmp_path):
    life = AgentLife(tmp_path, "say hello")
    life.game.commands.add(memory_commands({"Rook": life.agent}, life.game.tell, lambda: 0))
    life.game.world.characters["Ana"].role = Role.ADMIN
    life.memory.settings = replace(life.memory.settings, strategy="window")
    life.turns()
    for line, answer in (
        ("@memory-status Rook", "Strategy: window."),
        ("@compact-memories Rook", "the strategy of Rook is window, which summarises nothing"),
        ("@compact-memories Rook --dry-run", "the strategy of Rook is window, which summarises nothing"),
    ):
        life.ana.screen()
        life.ana.types(line)
        assert answer in "\n".join(life.ana.screen())
