"""Finding in a long life: it is read once, in the background, and holds up nobody."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agents.memory.looking.finding import Finder
from tests.vault.failing_disk import FailingDisk
from tests.vault.vault_of import vault_of
from vault.memory.journal import Journal
from vault.memory.memory_line import Memory

AT = 1_795_248_000_000
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


async def until(finder: Finder) -> None:
    assert finder._task is not None
    await finder._task


def test_the_journal_is_read_once_however_many_ask_and_everyone_is_answered(journal):
    finder, heard, reading = Finder(journal), list[str](), set[object]()

    async def ask() -> None:
        for word in ("0", "3", "4"):
            assert not finder.find_soon(f"owl {word}", lambda found: heard.append(found[0].text))
            reading.add(finder._task)
        await until(finder)

    asyncio.run(ask())
    assert len(reading) == 1
    assert heard == ["Owl 0 flies by.", "Owl 3 flies by.", "Owl 4 flies by."]


def test_others_go_on_while_a_journal_is_read(journal):
    finder, order = Finder(journal), list[str]()

    async def ask() -> None:
        finder.find_soon("owl", lambda found: order.append("found"))
        for _ in range(DAYS):
            await asyncio.sleep(0)
            order.append("another")
        await until(finder)

    asyncio.run(ask())
    assert order == ["another"] * DAYS + ["found"]


def test_nothing_is_answered_after_the_end(journal):
    finder, heard = Finder(journal), list[object]()

    async def ask() -> None:
        finder.find_soon("owl 1", heard.append)
        finder.find_soon("owl 2", heard.append)
        await asyncio.sleep(0)
        await finder.stop()

    asyncio.run(ask())
    assert heard == []


def test_whoever_asks_when_all_is_read_is_answered_at_once(journal):
    finder, heard = Finder(journal), list[str]()

    async def ask() -> None:
        finder.find_soon("owl", lambda found: None)
        await until(finder)
        assert finder.find_soon("owl 2", lambda found: heard.append(found[0].text))

    asyncio.run(ask())
    assert heard == ["Owl 2 flies by."]


def test_a_journal_that_cannot_be_read_answers_with_what_is_known_of_it_and_the_log_says_so(journal, caplog):
    finder, heard = Finder(journal), list[object]()
    path = journal.vault.path("agents", "Eliza", "journal", "2026-11-22.md")

    async def ask() -> None:
        finder.find_soon("owl", heard.append)
        path.unlink()
        path.mkdir()
        await until(finder)

    asyncio.run(ask())
    assert len(heard) == 1
    assert "not all of the journal can be searched: agents/Eliza/journal/2026-11-22.md: cannot be read" in caplog.text
