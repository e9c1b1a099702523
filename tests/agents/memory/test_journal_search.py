"""Finding: the words of a question that tell something count, and a question that is found brings its answer."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agents.memory.journal_search import MAX_INDEXED, JournalSearch, query_terms
from tests.vault.failing_disk import FailingDisk
from tests.vault.vault_of import vault_of
from vault.memory.journal import Journal
from vault.memory.memory_line import Memory
from vault.vault import Vault

AT = 1_795_248_000_000
MILL, WEIR = "The Mill", "The Weir"
HUM = ("observed", MILL, "Ana hums.", "Ana")
ASKED = 'Moss says, "Who mended the brass lantern?"'


def finder_of(root: Path, *rows: tuple[str, ...]) -> JournalSearch:
    """Return a finder over memories of (kind, room, text) or (kind, room, text, person)."""
    journal = Journal(Vault(root), "Eliza")
    journal.load()
    for number, row in enumerate(rows):
        journal.append(Memory(0, AT + number * 1000, row[0], row[1], row[2], row[3:4]))
    journal.sync()
    return JournalSearch(journal)


def found(finder: JournalSearch, query: str) -> list[int]:
    return [memory.seq for memory in finder.find(query)]


def test_an_index_is_made_when_there_is_something_to_look_for_and_not_before(tmp_path: Path):
    finder = finder_of(tmp_path, HUM)
    assert finder.is_ready(0)
    assert finder.holding("hums", 1, 8) == []
    assert not (tmp_path / ".index" / "Eliza.words.sqlite").exists()
    finder.has_time = True
    assert finder.is_ready(1)
    assert finder.holding("hums", 2, 8) == [1]


def test_a_question_that_is_found_brings_what_was_answered(tmp_path: Path):
    finder = finder_of(
        tmp_path,
        ("observed", MILL, ASKED, "Moss"),
        HUM,
        ("observed", MILL, 'Ana says, "Odile did, on Friday."', "Ana"),
        ("observed", MILL, 'Moss says, "I see."', "Moss"),
    )
    assert found(finder, "brass lantern") == [1, 3]


def test_an_agent_s_own_question_brings_the_answer_to_it(tmp_path: Path):
    finder = finder_of(
        tmp_path,
        ("acted", MILL, "say Who mended the brass lantern?"),
        ("told", MILL, 'Ana whispers to you, "Odile did."', "Ana"),
    )
    assert found(finder, "brass lantern") == [1, 2]


@pytest.mark.parametrize(
    "rows",
    [
        [("observed", MILL, ASKED, "Moss"), ("observed", MILL, 'Moss says, "Well."', "Moss")],
        [("observed", MILL, ASKED, "Moss"), ("observed", WEIR, 'Ana says, "Well."', "Ana")],
        [("observed", MILL, ASKED, "Moss"), *[HUM] * 3, ("observed", MILL, 'Ana says, "Well."', "Ana")],
        [("observed", MILL, ASKED.replace("?", "."), "Moss"), ("observed", MILL, 'Ana says, "Well."', "Ana")],
        [("result", MILL, "A sign: who mends the lantern?"), ("observed", MILL, 'Ana says, "Well."', "Ana")],
        [("observed", MILL, ASKED, "Moss")],
    ],
)
def test_only_what_somebody_else_soon_says_there_is_an_answer(tmp_path: Path, rows):
    assert found(finder_of(tmp_path, *rows), "brass lantern") == [1]


def test_an_answer_that_is_found_by_itself_is_told_once(tmp_path: Path):
    finder = finder_of(
        tmp_path,
        ("observed", MILL, ASKED, "Moss"),
        ("observed", MILL, 'Ana says, "The brass lantern? Odile did."', "Ana"),
    )
    assert sorted(found(finder, "brass lantern")) == [1, 2]


def test_words_that_any_sentence_has_find_nothing_unless_there_are_no_others(tmp_path: Path):
    assert query_terms("What did Moss do with the brass lantern?") == "Moss brass lantern"
    assert query_terms("who is it") == "who is it"
    assert query_terms("") == ""
    rows = [("observed", MILL, 'Ana says, "What did he do with it?"', "Ana")] * 9
    finder = finder_of(tmp_path, ("observed", MILL, "Moss polishes the lantern.", "Moss"), *rows)
    assert found(finder, "What did he do with the lantern?") == [1]


def test_having_looked_for_something_is_not_what_is_found(tmp_path: Path):
    finder = finder_of(
        tmp_path,
        ("observed", MILL, "Moss polishes the brass lantern.", "Moss"),
        *[("acted", MILL, "recall brass lantern"), ("result", MILL, "You look for 'brass lantern' and recall 1.")] * 9,
        ("acted", MILL, "say brass lantern"),
    )
    assert sorted(found(finder, "brass lantern")) == [1, 20]


DAY_MS = 86_400_000
DAYS = 5


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """A journal of as many files as days, in each of which an owl of its own number is seen."""
    journal = Journal(vault_of(tmp_path, {}, FailingDisk()), "Eliza")
    journal.load()
    for day in range(DAYS):
        journal.append(Memory(0, AT + day * DAY_MS, "observed", "The Mill", f"Owl {day} flies by."))
    journal.close()
    return journal


async def until(finder: JournalSearch) -> None:
    assert finder._task is not None
    await finder._task


def test_the_journal_is_read_once_however_many_ask_and_everyone_is_answered(journal):
    finder, heard, reading = JournalSearch(journal), list[str](), set[object]()

    async def ask() -> None:
        for word in ("0", "3", "4"):
            assert not finder.find_soon(f"owl {word}", lambda found: heard.append(found[0].text))
            reading.add(finder._task)
        await until(finder)

    asyncio.run(ask())
    assert len(reading) == 1
    assert heard == ["Owl 0 flies by.", "Owl 3 flies by.", "Owl 4 flies by."]


def test_others_go_on_while_a_journal_is_read(journal):
    finder, order = JournalSearch(journal), list[str]()

    async def ask() -> None:
        finder.find_soon("owl", lambda found: order.append("found"))
        for _ in range(DAYS):
            await asyncio.sleep(0)
            order.append("another")
        await until(finder)

    asyncio.run(ask())
    assert order == ["another"] * DAYS + ["found"]


def test_one_large_unread_file_is_not_read_before_an_answer(tmp_path: Path):
    owls = [("observed", "The Mill", f"Owl {number} flies by.") for number in range(MAX_INDEXED)]
    finder, answers = finder_of(tmp_path, *owls), list[list[Memory]]()

    async def ask() -> bool:
        is_at_once = finder.find_soon("owl", answers.append)
        await until(finder)
        return is_at_once

    assert (asyncio.run(ask()), len(answers)) == (False, 1)


def test_nothing_is_answered_after_the_end(journal):
    finder, heard = JournalSearch(journal), list[object]()

    async def ask() -> None:
        finder.find_soon("owl 1", heard.append)
        finder.find_soon("owl 2", heard.append)
        await asyncio.sleep(0)
        await finder.stop()

    asyncio.run(ask())
    assert heard == []


def test_whoever_asks_when_all_is_read_is_answered_at_once(journal):
    finder, heard = JournalSearch(journal), list[str]()

    async def ask() -> None:
        finder.find_soon("owl", lambda found: None)
        await until(finder)
        assert finder.find_soon("owl 2", lambda found: heard.append(found[0].text))

    asyncio.run(ask())
    assert heard == ["Owl 2 flies by."]


def test_a_journal_that_cannot_be_read_answers_with_what_is_known_of_it_and_the_log_says_so(journal, caplog):
    finder, heard = JournalSearch(journal), list[object]()
    path = journal.vault.path("agents", "Eliza", "journal", "2026-11-22.md")

    async def ask() -> None:
        finder.find_soon("owl", heard.append)
        path.unlink()
        path.mkdir()
        await until(finder)

    asyncio.run(ask())
    assert len(heard) == 1
    assert "not all of the journal can be searched: agents/Eliza/journal/2026-11-22.md: cannot be read" in caplog.text


def test_midnight_and_our_own_lines_do_not_hide_the_journal(tmp_path: Path):
    day_ms = 86_400_000
    finder_of(tmp_path, *[HUM] * 20)
    journal = Journal(Vault(tmp_path), "Eliza")
    journal.load()
    finder = JournalSearch(journal)
    finder.has_time = True
    assert finder.is_ready(20)
    finder.has_time = False
    for days in (0, 1, 1, 2):
        journal.append(Memory(0, AT + day_ms * days, "observed", MILL, f"Moss hums on day {days}.", ("Moss",)))
    assert finder.is_ready(24)
    assert finder.holding("hums", 25, 3) == [24, 23, 22]
    assert finder.is_ready(24)


def test_lines_reworded_by_hand_are_read_again(tmp_path: Path):
    finder = finder_of(tmp_path, HUM, HUM)
    finder.has_time = True
    assert finder.is_ready(2)
    (path,) = (tmp_path / "agents" / "Eliza" / "journal").glob("*.md")
    path.write_text(path.read_text().replace("Ana hums. [with:: Ana] ^m1", "Ana whistles. [with:: Ana] ^m1"))
    journal = Journal(Vault(tmp_path), "Eliza")
    journal.load()
    finder = JournalSearch(journal)
    assert not finder.is_ready(2)  # it is read in the background
    finder.has_time = True
    assert finder.is_ready(2)
    assert (finder.holding("whistles", 9, 3), finder.holding("hums", 9, 3)) == ([1], [2])
