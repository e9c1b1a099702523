"""What comes to mind unasked: what matters to the moment, from before the tail, to the letter, and never in a row."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.memory.journal_search import MAX_INDEXED, JournalSearch
from agents.memory.retrieval import (
    MIN_SCORE,
    REST_TURNS,
    NotesIndex,
    RetrievedMemory,
    Retriever,
    distinctive_words,
    query_terms,
)
from agents.memory.view import STEP_LINES, View
from agents.simulation.simulation import START_MS
from config.settings import MemorySettings
from tests.agents.components.test_facts import KEY, words
from tests.agents.house import House, said
from tests.agents.memory.views import seen
from tests.vault.failing_disk import FailingDisk
from tests.vault.vault_of import vault_of
from vault.markdown import LINE_BREAK
from vault.memory.archive_exchanges import newest_questions
from vault.memory.journal import Journal
from vault.memory.memory_line import Memory
from world.entities import Role

SMALL = MemorySettings(immediate_window=8, recent_window=8, rebuild_every=0, retry_seconds=0.1)
MILL = "The Mill"
VIOLIN = ["The violin is under the stairs.", *["Well."] * 20, "Who has a violin?"]
LONG_AGO = [VIOLIN[0], *["Well."] * (MAX_INDEXED + 8), VIOLIN[-1]]
NOUNS = ("lantern", "kettle", "anchor", "ledger", "heron", "copper", "saddle", "violin", "Quill", "Tobias", "91")


def told_of(house: House) -> list[str]:
    """Return the lines of the prompt that came to mind."""
    return [line for line in house.prompt("Rook").split("\n") if line.startswith(("[You remember", "[Your note"))]


def long_ago(house: House, line: str = "say The key hangs behind the clock.") -> int:
    """Let Ana say something that only summaries stand for afterwards; return the number of its memory."""
    house.player("Ana", Role.ADMIN).types(line)
    planted = house.agents["Rook"].memory.journal.last
    for _ in range(8):
        said(house, "Ben", 4)
        house.compact("Rook")
    return planted


def mind_of(root: Path, rows: list[str], name: str = "Eliza") -> tuple[Retriever, Journal]:
    """Return what comes to the mind of one who remembers these words of Moss."""
    journal = Journal(vault_of(root, {}, FailingDisk()), name)
    journal.load()
    for number, text in enumerate(rows):
        journal.append(Memory(0, START_MS + number * 1000, "observed", MILL, f'Moss says, "{text}"', ("Moss",)))
    journal.sync()
    return Retriever(JournalSearch(journal), NotesIndex(journal.vault, name)), journal


def view_of(journal: Journal, tail: int, name: str = "Eliza") -> View:
    """Return a view of which the newest so many memories are the tail."""
    first = journal.last - tail + 1
    return seen(name, journal.read(first, journal.last), first - 1, journal.last)


def recalled(mind: Retriever, journal: Journal, told: str = "") -> list[RetrievedMemory]:
    """Return what comes to mind where the newest memory is the whole tail."""
    return mind.retrieve(view_of(journal, 1), frozenset(), MILL, 3, told)


# In the prompt


def test_a_question_brings_an_old_answer_to_mind_that_is_no_new_memory(tmp_path: Path):
    house = House(tmp_path, settings=SMALL)
    planted = long_ago(house)
    assert told_of(house) == []
    house.game.perform("Ana", "say Rook, where is the key?")
    assert told_of(house) == [f"[You remember, 2026-11-21, memory {planted}: {KEY}]"]
    assert house.agents["Rook"].prompt().recalls(planted)
    assert sum("behind the clock" in text for text in words(house)) == 1


def test_the_archive_keeps_what_came_to_mind_with_its_score_and_where_each_section_stood(tmp_path: Path):
    house = House(tmp_path, settings=SMALL)
    planted = long_ago(house)
    house.game.perform("Ana", "say Rook, where is the key of the clock?")
    asyncio.run(house.agents["Rook"].tick())
    archive = house.agents["Rook"].memory.archive_writer.archive
    question = newest_questions(archive, 1)[0]
    (of, score), *_ = question.entry["retrieved"]
    assert of == planted
    assert score >= MIN_SCORE
    assert question.prompt_note("recollected") in question.prompt
    assert question.prompt_note("tail").endswith('Ana says, "Rook, where is the key of the clock?"')
    asked = house.agents["Rook"].asked
    assert asked is not None
    assert asked.question.prompt.text == question.prompt


def test_a_prompt_without_words_that_matter_is_as_it_was_before(tmp_path: Path):
    on, off = (House(tmp_path / name, settings=one) for name, one in (
        ("on", SMALL),
        ("off", MemorySettings(immediate_window=8, recent_window=8, rebuild_every=0, retry_seconds=0.1, recall=0)),
    ))  # fmt: skip
    for house in (on, off):
        long_ago(house)
    for line in ("say Good morning, Rook.", "say It is quiet today, is it not?", "emote looks into the fire"):
        for house in (on, off):
            house.game.perform("Ana", line)
        assert on.prompt("Rook") == off.prompt("Rook")


def test_what_stands_before_the_tail_s_end_is_the_same_with_what_comes_to_mind(tmp_path: Path):
    house = House(tmp_path, settings=SMALL)
    long_ago(house)
    before = house.prompt("Rook").split("\n---\n\n")[0].removesuffix("\n---")
    house.game.perform("Ana", "say Rook, where is the key?")
    prompt = house.prompt("Rook")
    assert prompt.startswith(before)
    assert prompt.index("[You remember") > prompt.rindex("\n---\n")


def test_with_recall_at_nothing_nothing_comes_to_mind(tmp_path: Path):
    house = House(tmp_path, settings=MemorySettings(immediate_window=8, recent_window=8, rebuild_every=0, recall=0))
    long_ago(house)
    house.game.perform("Ana", "say Rook, where is the key?")
    assert told_of(house) == []


def test_what_is_not_taken_up_rests_and_what_is_may_come_again(tmp_path: Path):
    house = House(tmp_path, settings=SMALL)
    long_ago(house)
    agent, shown = house.agents["Rook"], list[bool]()
    answers = ("say I could not tell you.", "emote shrugs", "look", "say Nobody asks a bard.", "go up", "go down")
    for answer in answers[: REST_TURNS + 2]:
        house.game.perform("Ana", "say Rook, where is the key?")
        house.model._script = [answer] * 2
        shown.append(bool(told_of(house)))
        asyncio.run(agent.tick())
    assert shown == [True] + [False] * REST_TURNS + [True]


def test_oldest_lines_give_way_before_what_comes_to_mind(tmp_path: Path):
    house = House(tmp_path, settings=SMALL)
    long_ago(house)
    said(house, "Ben", 40)
    house.game.perform("Ana", "say Rook, where is the key?")
    agent, without, short = house.agents["Rook"], list[int](), 0
    for tokens in range(agent.count_tokens(house.prompt("Rook")) + 400, 0, -20):
        house.model.context_tokens = tokens
        prompt = agent.prompt()
        if "[You remember" not in prompt.text:
            without.append(len(prompt.shown))
        elif prompt.unshown:
            short += 1
    assert short >= 5
    assert without and max(without) < 2 * STEP_LINES


def test_lines_without_room_come_to_mind(tmp_path: Path):
    house = House(tmp_path)
    house.player("Ana", Role.ADMIN).types("say The key hangs behind the clock.")
    planted = house.agents["Rook"].memory.journal.last
    said(house, "Ben", 60)
    house.game.perform("Ana", "say Rook, where is the key?")
    agent = house.agents["Rook"]
    assert not agent.prompt().recalls(planted)
    house.model.context_tokens = agent.count_tokens(house.prompt("Rook")) - 100
    assert planted in agent.prompt().unshown
    assert agent.prompt().recalls(planted)


def test_a_line_of_an_own_note_comes_to_mind_by_its_title_or_two_words(tmp_path: Path):
    house = House(tmp_path, settings=SMALL)
    notes = tmp_path / "agents/Rook/notes"
    notes.mkdir(parents=True)
    (notes / "Breakfast.md").write_text("Moss had a seed bun.\nOdile takes her herring cold.\n", encoding="utf-8")
    long_ago(house)
    house.game.perform("Ana", "say Rook, who takes herring?")
    assert told_of(house) == ["[Your note Breakfast: Odile takes her herring cold.]"]


def test_memory_why_says_what_came_to_mind(tmp_path: Path):
    house = House(tmp_path, settings=SMALL)
    planted = long_ago(house)
    ana = house.player("Ana", Role.ADMIN)
    ana.types("say Rook, where is the key?")
    ana.screen()
    ana.types(f"@memory-why Rook {planted}")
    assert ana.screen()[-1] == "Retrieval has just found it, so its own words are in the prompt."


# What comes to mind


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10_000), tail=st.integers(1, 20), most=st.integers(0, 3))
def test_at_most_so_many_come_to_mind_to_the_letter_and_never_of_the_tail(tmp_path_factory, seed, tail, most):
    rng = random.Random(seed)
    rows = [" ".join(rng.sample(NOUNS, rng.randint(1, 4))) + rng.choice(".?") for _ in range(rng.randint(21, 70))]
    mind, journal = mind_of(tmp_path_factory.mktemp("mind"), rows)
    view = view_of(journal, tail)
    found = mind.retrieve(view, frozenset(["Moss"]), MILL, most, "")
    again = Retriever(JournalSearch(journal), NotesIndex(journal.vault, "Eliza"))
    assert found == again.retrieve(view, frozenset(["Moss"]), MILL, most, "")
    assert len(found) <= most
    assert len({one.of for one in found}) == len(found)
    for one in found:
        assert isinstance(one.of, int)
        assert one.of < view.tail[0].seq
        (memory,) = journal.read(one.of, one.of)
        assert memory.text.replace(LINE_BREAK, " ") in one.line
        assert "\n" not in one.line
    assert journal.last == len(rows)


def test_words_that_many_memories_have_bring_nothing_to_mind(tmp_path: Path):
    mind, journal = mind_of(tmp_path, [f"The heron stands by gate {number}." for number in range(60)] + ["A heron!"])
    assert recalled(mind, journal) == []


def test_one_word_of_a_long_speech_is_not_enough(tmp_path: Path):
    rows = [f"The {noun} is mine." for noun in NOUNS] * 2 + ["lantern kettle anchor ledger copper saddle violin, all!"]
    mind, journal = mind_of(tmp_path, rows)
    assert recalled(mind, journal) == []


def test_what_the_prompt_tells_already_does_not_come_to_mind(tmp_path: Path):
    mind, journal = mind_of(tmp_path, VIOLIN)
    assert [one.of for one in recalled(mind, journal)] == [1]
    assert recalled(mind, journal, "Moss told me: The violin is under the stairs.") == []


def test_what_was_taken_up_does_not_rest(tmp_path: Path):
    mind, journal = mind_of(tmp_path, VIOLIN)
    shown = recalled(mind, journal)
    mind.end_turn(shown, "say Look under the stairs.")
    assert recalled(mind, journal) == shown
    mind.end_turn(shown, "say Moss, who knows of a violin.")
    assert recalled(mind, journal) == []


def test_of_a_journal_that_is_not_read_yet_nothing_comes_to_mind_this_turn(tmp_path: Path):
    mind, journal = mind_of(tmp_path, LONG_AGO)

    async def turns() -> list[list[RetrievedMemory]]:
        first = recalled(mind, journal)
        task = mind._finder._task
        assert task is not None
        await task
        return [first, recalled(mind, journal)]

    first, second = asyncio.run(turns())
    assert first == []
    assert [one.of for one in second] == [1]


def test_where_there_is_time_the_index_is_waited_for(tmp_path: Path):
    mind, journal = mind_of(tmp_path, LONG_AGO)
    mind._finder.has_time = True
    assert [one.of for one in recalled(mind, journal)] == [1]


def test_a_search_index_that_cannot_be_used_costs_a_turn_nothing_but_its_recollections(tmp_path: Path):
    mind, journal = mind_of(tmp_path, VIOLIN)
    (tmp_path / ".index").rename(tmp_path / "aside") if (tmp_path / ".index").exists() else None
    (tmp_path / ".index").write_text("no folder", encoding="utf-8")
    assert recalled(mind, journal) == []


# Words


def test_names_and_numbers_count_more_than_words_and_common_ones_less():
    assert distinctive_words("Did Tobias give 91 lanterns to the man?") == {
        "tobias": 1.3,
        "give": 0.6,
        "91": 1.3,
        "lanterns": 1.0,
        "man": 0.6,
    }


@pytest.mark.parametrize(
    ("memory", "weight"),
    [
        (Memory(1, 0, "told", MILL, 'Moss whispers to you, "violin"', ("Moss",), 6), 1.0),
        (Memory(1, 0, "observed", MILL, 'Moss says, "violin"', ("Moss",), 5), 1.0),
        (Memory(1, 0, "observed", MILL, 'Moss says, "violin?"', ("Moss",)), 0.9),
        (Memory(1, 0, "observed", MILL, 'Moss says, "violin"', ("Moss",)), 0.75),
        (Memory(1, 0, "acted", MILL, "say violin"), 0.5),
    ],
)
def test_what_is_said_to_the_agent_counts_most(memory: Memory, weight: float):
    assert query_terms([memory], "Eliza") == [{"violin": weight}]


def test_results_and_steps_of_its_own_remind_it_of_nothing():
    moment = [Memory(1, 0, "acted", MILL, "look at violin"), Memory(2, 0, "result", MILL, "A violin.")]
    assert query_terms(moment, "Eliza") == []
