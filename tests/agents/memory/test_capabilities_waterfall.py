"""What the three-tier design promises (4.1–4.18, 4.22, 4.23), a test for each."""

from __future__ import annotations

import asyncio

import pytest
import yaml

from tests.agents.house import House, said
from tests.agents.memory.lives import Life, one_turn, talkative, windows
from tests.agents.memory.towns import Town, told
from tests.scripted_model import ScriptedModel
from vault.config_notes import load_settings
from vault.entities.agent_notes import set_agent_property
from world.entities import Role

DEFAULT = windows(64, 64)


def ranges(life: Life) -> list[tuple[int, int]]:
    """Return what the summaries in force cover, the long-term one first."""
    return [(one.first, one.last) for one in (life.memory.longterm, life.memory.recent) if one]


def test_4_1_the_newest_64_are_word_for_word_in_the_prompt_and_in_order(tmp_path):
    town = Town(tmp_path)
    town.live(300)
    asyncio.run(town.compact())
    assert "\n".join(told(seq) for seq in range(300 - 63, 301)) in town.eliza.prompt().text


def test_4_2_the_short_term_summary_covers_exactly_what_is_just_outside_the_window(tmp_path):
    eliza = Life(tmp_path, DEFAULT, talkative())
    covered = []
    for count in (129, 64, 64):
        eliza.live(count)
        asyncio.run(eliza.compact())
        covered.append(ranges(eliza)[-1])
        assert covered[-1][1] == eliza.memory.coverage.n - 64
    assert covered == [(1, 65), (66, 129), (130, 193)]


@pytest.mark.parametrize("length", [2000, pytest.param(10_000, marks=pytest.mark.integration)])
def test_4_3_the_long_term_summary_begins_at_the_first_memory_without_a_hole_up_to_10_000(tmp_path, length):
    eliza = Life(tmp_path, windows(250, 250), talkative())
    while eliza.memory.coverage.n < length:
        eliza.live(50)
        asyncio.run(eliza.compact())
        coverage, found = eliza.memory.coverage, ranges(eliza)
        seqs = [seq for first, last in found for seq in range(first, last + 1)]
        assert seqs == list(range(1, coverage.b + 1))
        assert 250 <= len(coverage.verbatim) < 550 or not found
    assert eliza.memory.longterm
    assert (eliza.memory.longterm.first, eliza.memory.coverage.n) == (1, length)


def test_4_4_first_the_old_is_folded_then_the_new_is_told_and_both_are_saved_with_a_dated_copy(tmp_path):
    eliza = Life(tmp_path, DEFAULT, talkative())
    eliza.live(129)
    asyncio.run(eliza.compact())
    eliza.live(64)
    before = eliza.memory.view().tail[-64:]
    asyncio.run(eliza.compact())
    asked = ["long ago" in prompt for prompt in eliza.model.prompts]
    assert asked == [False, True, False], "short-term; then long-term, short-term"
    assert ranges(eliza) == [(1, 65), (66, 129)]
    assert eliza.memory.view().tail == before
    names = sorted(path.name for path in (eliza.folder / "summaries").iterdir())
    assert names[:2] == ["longterm.md", "recent-20261121-080209-m000065.md"]
    assert names[2:] == ["recent-20261121-080313-m000129.md", "recent.md"]


def test_4_6_an_agent_goes_on_acting_while_it_is_being_summarised(tmp_path):
    town = Town(tmp_path)
    town.summaries.hold()
    town.live(129)

    async def story() -> list[str]:
        turns = [(await town.eliza.tick()).outcome for _ in range(5)]
        assert town.summaries.running == 1
        await town.agents.stop()
        return turns

    assert asyncio.run(story()) == ["acted"] * 5


def test_4_7_a_thousand_memories_are_14_cycles_and_27_calls(tmp_path):
    eliza = Life(tmp_path, DEFAULT, talkative())
    for _ in range(1000):
        eliza.live(1)
        asyncio.run(eliza.compact())
    assert (eliza.compactor.stats.cycles, eliza.compactor.stats.calls) == (14, 27)
    leaves = [leaf for _, leaf in eliza.memory.summaries.leaves()]
    assert [leaf.last for leaf in leaves] == list(range(65, 1000 - 64, 64))
    assert len(eliza.model.requests) == 27


def test_4_8_summaries_are_in_the_vault_and_a_life_after_a_sudden_end_has_the_same_view(tmp_path):
    eliza = Life(tmp_path, DEFAULT, talkative())
    eliza.live(200)
    asyncio.run(eliza.compact())
    before = eliza.memory.view()
    eliza.die()
    again = Life(tmp_path, DEFAULT, talkative()).memory.view()
    assert (tmp_path / "agents/Eliza/summaries/longterm.md").exists()
    assert (again.told_in("older"), again.told_in("recent"), again.tail_text()) == (
        before.told_in("older"),
        before.told_in("recent"),
        before.tail_text(),
    )


def test_4_9_a_hundred_short_term_summaries_within_a_second_are_a_hundred_files(tmp_path):
    eliza = Life(tmp_path, windows(1, 2), talkative())
    for _ in range(202):
        eliza.memory.record("observed", "Moss tells me once more about the river and its moods.")
        asyncio.run(eliza.compact())
    leaves = list((eliza.folder / "summaries").glob("recent-*.md"))
    assert eliza.compactor.stats.cycles == len(leaves) == 100


def test_4_10_the_windows_stand_in_markdown_and_an_edit_counts_from_then_on(tmp_path):
    town = Town(tmp_path, "immediate_window: 8\nrecent_window: 8\nprofile: summarizer")
    assert town.eliza.memory.strategy.next_due_at(town.eliza.memory.coverage) == 17
    town.set("immediate_window: 4\nrecent_window: 6")
    assert town.agents.reload(load_settings(town.vault)) == []
    assert town.eliza.memory.strategy.next_due_at(town.eliza.memory.coverage) == 11


def test_4_11_a_compaction_can_be_asked_for_before_its_time_and_twice_is_once(tmp_path):
    house = House(tmp_path, settings=DEFAULT)
    admin, rook = house.player("Ana", Role.ADMIN), house.agents["Rook"]
    said(house, "Ben", 80)
    assert not rook.compactor.start_if_due()

    async def asked() -> list[str]:
        admin.screen()
        admin.types("@compact-memories Rook")
        while rook.compactor.is_running:
            await one_turn()
        await one_turn()
        return admin.screen()

    first, second = asyncio.run(asked()), asyncio.run(asked())
    assert first[0] == "Compaction of Rook began: memories 1–16 into the short-term one."
    assert first[1].startswith("Compaction of Rook ended: its memory takes ")
    assert second == ["Nothing to compact: all of Rook's memories outside the newest are summarised."]
    assert (rook.memory.coverage.b, len(house.model.requests)) == (16, 1)


def test_4_12_the_status_tells_counts_ranges_times_tokens_and_health(tmp_path):
    eliza = Life(tmp_path, DEFAULT, talkative())
    eliza.live(200)
    asyncio.run(eliza.compact())
    lines = eliza.status(later_ms=120_000)
    assert lines[0] == "Memory of Eliza: 200 memories. 1–65 long ago · 66–129 lately · 130–200 word for word."
    assert lines[2] == "Word for word: memories 130–200, 71 of them, 852 tokens."
    recent, longterm = (one.tokens for one in (eliza.memory.recent, eliza.memory.longterm) if one)
    assert lines[3:5] == [
        f"Lately: memories 66–129, 64 of them, {recent} tokens, prose, made 2 minutes ago.",
        f"Long ago: memories 1–65, 65 of them, {longterm} tokens, prose, made 2 minutes ago.",
    ]
    assert "Last compaction: 2 minutes ago. Since the start: 2 cycles." in lines
    assert "Health: well. Every memory is written, and shown once." in lines
    assert max(map(len, lines)) <= 100


def test_4_13_two_agents_with_windows_of_24_and_64_compact_at_49_and_129(tmp_path):
    town = Town(tmp_path)
    town.summaries.hold()
    note = tmp_path / "agents/Moss/agent.md"
    note.write_text(note.read_text().replace("---\n", "---\nimmediate_window: 24\nrecent_window: 24\n", 1))
    town.agents.reload(load_settings(town.vault))
    due = {}

    async def story() -> None:
        for name in ("Moss", "Eliza"):
            agent = town.agents[name]
            while not agent.compactor.start_if_due():
                town.live(1, agent)
            due[name] = agent.memory.coverage.n
        await town.agents.stop()

    asyncio.run(story())
    assert due == {"Moss": 49, "Eliza": 129}


def test_4_14_base_and_chat_models_are_asked_from_one_template(tmp_path):
    requests = []
    for chat in (False, True):
        eliza = Life(tmp_path / str(chat), windows(4, 4), talkative(), chat=chat)
        eliza.live(9)
        asyncio.run(eliza.compact())
        requests += eliza.model.requests
    base, chat_request = requests
    assert base.prompt.endswith("\nSUMMARY:")
    assert chat_request.prompt == base.prompt.removesuffix("\nSUMMARY:")
    assert base.stop == chat_request.stop
    assert {"SUMMARY:", "\n\n"} <= set(base.stop)


def test_4_15_an_agent_s_prompt_comes_in_the_order_of_the_design(tmp_path):
    town = Town(tmp_path, "immediate_window: 4\nrecent_window: 4\nrebuild_every: 0")
    town.live(20)
    asyncio.run(town.compact())
    set_agent_property(town.vault, "Eliza", "template", "transcript_first")
    town.agents.adopt_notes(town.eliza)
    prompt, memory = town.eliza.prompt().text, town.eliza.memory
    assert memory.longterm
    assert memory.recent
    tail = [f"This is stone {one.seq} of my wall." for one in memory.view().tail]
    persona = town.eliza.note.profile.split("\n")[0]
    parts = [
        *("You are Eliza.", persona, "BASIC COMMANDS:", "look"),
        *("## Older Memories (Summary)", memory.longterm.text, "## Recent Past (Summary)", memory.recent.text),
        *("\n---\n", *tail, "\n---\n", "It is "),
    ]
    places = [0]
    for part in parts:
        places.append(prompt.index(part, places[-1]))
    assert places == sorted(places)
    assert prompt.endswith("~Eliza>")


def test_4_16_no_summary_is_over_its_cap_and_the_ledger_tells_what_it_cost_and_saved(tmp_path):
    brief = Life(tmp_path, windows(8, 8, summary_tokens=40, summary_floor_tokens=40), talkative())
    brief.live(100)
    asyncio.run(brief.compact())
    record = brief.compactor.stats
    assert max(s.tokens for _, s in brief.memory.summaries.leaves()) <= 40
    assert record.spent_tokens > 0
    assert record.saved_tokens > 0
    status = "\n".join(brief.status())
    assert f"{record.spent_tokens:,} tokens spent" in status
    assert f"{record.saved_tokens:,} saved in prompts" in status


def test_4_17_the_log_tells_each_step_in_the_words_of_the_design(tmp_path, caplog):
    caplog.set_level("INFO")
    texts = [
        "I heard Moss talk of the river, and we sat there until the light was gone.",
        "I heard Moss talk of the river until the light was gone again.",
        "I listened to Moss, who went on about the river as he likes to do.",
    ]
    eliza = Life(tmp_path, DEFAULT, ScriptedModel(*texts))
    eliza.live(129)
    asyncio.run(eliza.compact())
    eliza.live(64)
    asyncio.run(eliza.compact())
    assert [line for line in caplog.messages if line.startswith("[Memory] Eliza: ")] == [
        "[Memory] Eliza: Starting compaction (129 memories, 64 immediate, 64 recent)",
        "[Memory] Eliza: Short-term summary updated (74 chars)",
        "[Memory] Eliza: Compaction complete (first summary)",
        "[Memory] Eliza: Starting compaction (193 memories, 64 immediate, 64 recent)",
        "[Memory] Eliza: Long-term summary updated (62 chars)",
        "[Memory] Eliza: Short-term summary updated (66 chars)",
        "[Memory] Eliza: Compaction complete (waterfall)",
    ]


def test_4_18_an_agent_found_with_500_old_memory_files_is_summarised_from_the_first_on(tmp_path):
    folder = tmp_path / "agents/Eliza/memories"
    folder.mkdir(parents=True)
    for number in range(500):
        when = f"2025-03-{1 + number // 24:02}T{number % 24:02}:00:00Z"
        name = f"{when[:10].replace('-', '')}-{when[11:13]}0000-memory.md"
        front = f"---\ntimestamp: {when}\ntype: observed\nlocation: '[[The Landing]]'\n---\n"
        (folder / name).write_text(f"{front}# Memory\n\n{told(number + 1)}\n")
    eliza = Life(tmp_path, DEFAULT, talkative())
    asyncio.run(eliza.compact())
    assert [memory.text for memory in eliza.memory.journal.read(1, 500)] == [told(seq) for seq in range(1, 501)]
    assert ranges(eliza) == [(1, 321), (322, 385)]
    assert [leaf.last for _, leaf in eliza.memory.summaries.leaves()] == [65, 129, 193, 257, 321, 385]


def test_4_22_every_summary_file_has_its_measures_in_its_front_matter(tmp_path):
    eliza = Life(tmp_path, windows(4, 4), talkative())
    for _ in range(6):
        eliza.live(5)
        asyncio.run(eliza.compact())
    files = sorted((eliza.folder / "summaries").glob("*.md"))
    assert len(files) > 8
    for path in files:
        front = yaml.safe_load(path.read_text().split("---\n")[1])
        assert {"tokens_in", "tokens_out", "unsupported_share", "entities_kept"} <= set(front["scores"])
        assert front["scores"]["tokens_out"] == front["tokens"] < front["scores"]["tokens_in"]
        assert {"covers", "generation", "made", "model", "quality", "sources"} <= set(front)
