"""The search index finds words over the whole journal, keeps up with it, and is no more than a cache."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.vault.failing_disk import FailingDisk
from tests.vault.vault_of import vault_of
from vault.errors import NoteError
from vault.memory.caches import MAX_LINES_PER_STEP, SearchIndex
from vault.memory.journal import Journal
from vault.memory.memory_line import Memory
from vault.vault import Vault

AT = 1_795_248_000_000
DAY_MS = 86_400_000


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return vault_of(tmp_path, {}, FailingDisk())


def journal_of(vault: Vault, *texts: str, days: int = 1) -> Journal:
    """Return a journal with these memories, spread over so many days."""
    journal = Journal(vault, "Eliza")
    journal.load()
    for number, text in enumerate(texts):
        at = AT + number * days // max(1, len(texts)) * DAY_MS
        journal.append(Memory(0, at, "observed", "The Mill", text, ("Moss",)))
    journal.close()
    return journal


def indexed(vault: Vault) -> SearchIndex:
    """Return an index that has taken in the whole journal."""
    index = SearchIndex(vault, "Eliza")
    for name in index.stale():
        index.index_file(name)
    return index


def found(vault: Vault, query: str, most: int = 10) -> list[int]:
    index = indexed(vault)
    numbers = index.find(query, most)
    index.close()
    return numbers


def test_the_memory_that_has_most_and_rarest_of_the_words_comes_first(vault: Vault):
    journal_of(vault, "The lamp is lit.", "The brass lamp hangs in the mill.", "The river is high.", "A lamp, a lamp!")
    assert found(vault, "brass lamp")[0] == 2
    assert sorted(found(vault, "brass lamp")) == [1, 2, 4]
    assert found(vault, "lamps", 2) != []  # another form of the word is found as well
    assert found(vault, "owl") == []


def test_who_and_where_are_found_too(vault: Vault):
    journal_of(vault, "It rains.")
    assert found(vault, "moss") == [1]
    assert found(vault, "mill") == [1]


@pytest.mark.parametrize("query", ["", " !?", '"', "lamp AND", "NEAR(", "* ^ : - ( )", "x" * 10_000, "é " * 5000])
def test_no_query_is_an_error(vault: Vault, query: str):
    journal_of(vault, "The lamp is lit.")
    assert found(vault, query) in ([], [1])


def test_only_files_that_have_changed_are_read_again(vault: Vault):
    journal = journal_of(vault, *[f"Day {number}." for number in range(6)], days=3)
    index = SearchIndex(vault, "Eliza")
    assert index.stale() == ["2026-11-23.md", "2026-11-22.md", "2026-11-21.md"]
    for name in index.stale():
        index.index_file(name)
    assert index.stale() == []
    journal.append(Memory(0, AT + 2 * DAY_MS, "observed", "", "An owl."))
    assert index.stale() == ["2026-11-23.md"]
    index.index_file("2026-11-23.md")
    assert index.find("owl", 5) == [7]
    index.close()


def test_edits_by_hand_are_found_and_what_was_taken_out_is_not(vault: Vault):
    journal_of(vault, "The lamp is lit.", "The river is high.")
    assert found(vault, "lamp") == [1]
    path = vault.path("agents", "Eliza", "journal", "2026-11-21.md")
    path.write_text(path.read_text().replace("lamp is lit", "heron is back"))
    assert (found(vault, "lamp"), found(vault, "heron")) == ([], [1])
    path.unlink()
    assert found(vault, "river") == []


def test_what_was_looked_for_is_not_found(vault: Vault):
    journal_of(vault, "@memory-find lamp", "The lamp is lit.")
    assert found(vault, "lamp") == [2]


@pytest.mark.parametrize("damage", ["delete", "garbage", "empty", "other"])
def test_a_cache_that_is_gone_or_broken_is_made_anew(vault: Vault, damage: str):
    journal_of(vault, "The lamp is lit.")
    assert found(vault, "lamp") == [1]
    (path,) = vault.path(".index").glob("*.sqlite")
    if damage == "delete":
        path.unlink()
    else:
        path.write_bytes({"garbage": b"x" * 5000, "empty": b"", "other": b"SQLite format 3\0" + b"\1" * 4000}[damage])
    assert found(vault, "lamp") == [1]


def test_a_cache_that_somebody_else_holds_is_not_thrown_away(vault: Vault):
    journal_of(vault, "The lamp is lit.")
    assert found(vault, "lamp") == [1]
    (path,) = vault.path(".index").glob("*.sqlite")
    before = path.stat().st_ino
    index = SearchIndex(vault, "Eliza")
    assert index.find("lamp", 1) == [1]

    def refuse(db: sqlite3.Connection) -> None:
        error = sqlite3.OperationalError("database is locked")
        error.sqlite_errorcode = sqlite3.SQLITE_BUSY
        raise error

    with pytest.raises(NoteError, match="database is locked"):
        index._database.change(refuse)
    assert (path.stat().st_ino, index.find("lamp", 9)) == (before, [1])
    index.close()


def test_a_cache_that_cannot_be_made_is_told(vault: Vault):
    journal_of(vault, "The lamp is lit.")
    shutil.rmtree(vault.path(".index"))
    vault.path(".index").write_text("in the way")
    with pytest.raises(NoteError, match=r"\.index/Eliza\.words\.sqlite: cannot be made"):
        found(vault, "lamp")


def test_a_file_is_read_in_steps_and_is_read_again_if_that_was_cut_short(vault: Vault):
    journal_of(vault, *(f"Owl {number}." for number in range(3 * MAX_LINES_PER_STEP)))
    index = SearchIndex(vault, "Eliza")
    (name,) = index.stale()
    steps = index.steps(name)
    next(steps)
    steps.close()
    assert index.stale() == [name]
    assert len(list(index.steps(name))) > 2
    assert index.stale() == []
    assert index.find("owl", 10_000) != []
    assert len(index.find("owl", 10_000)) == 3 * MAX_LINES_PER_STEP  # none twice
    index.close()


def test_of_two_lines_with_one_number_the_first_is_found_as_everywhere(vault: Vault):
    journal_of(vault, "It rains.")
    path = next(vault.path("agents", "Eliza", "journal").iterdir())
    path.write_text(path.read_text() + "- 10:00:00.000 observed · The Mill · It snows. ^m1\n")
    assert (found(vault, "rains"), found(vault, "snows")) == ([1], [])


def test_the_newest_memories_below_a_number_that_say_a_word_are_found_newest_first(vault: Vault):
    journal_of(vault, "A lamp.", "Two lamps.", "Rain.", "The lamp!", "Moss mends a lamp.")
    index = indexed(vault)
    assert index.holding("lamp", 5, 10) == [4, 2, 1]
    assert index.holding("lamp", 5, 2) == [4, 2]
    assert index.holding("mill", 9, 10) == []  # where it was does not count


def test_memories_are_added_to_the_index_without_reading_their_file(vault: Vault):
    journal = journal_of(vault, "A lamp.", "An owl.")
    index = SearchIndex(vault, "Eliza")
    (segment,) = journal.files
    assert (segment.name, index.reached(segment.name)) == ("2026-11-21.md", 0)
    index.add(segment, journal.read(1, 1))
    index.add(segment, journal.read(1, 2))
    assert index.reached(segment.name) == 2
    assert index.holding("lamp", 9, 10) == [1]
    assert (index.stale(), index.is_grown(segment)) == ([], True)


def test_who_else_opens_the_index_finds_what_was_added_and_adds_without_waiting(vault: Vault):
    journal = journal_of(vault, "Owl 1.", "Owl 2.")
    (segment,), index, other = journal.files, SearchIndex(vault, "Eliza"), SearchIndex(vault, "Eliza")
    index.add(segment, journal.read(1, 1))
    assert (other.reached(segment.name), on_disk(vault)) == (1, 1)
    other.add(segment, journal.read(2, 2))
    assert index.holding("owl", 9, 10) == [2, 1]


def on_disk(vault: Vault) -> int:
    """Return how many memories of Eliza's another process finds in her index."""
    database = sqlite3.connect(vault.path(".index", "Eliza.words.sqlite"))
    (count,) = database.execute("SELECT count(*) FROM lines").fetchone()
    database.close()
    return int(count)


def test_one_memory_is_read_by_its_number_alone_and_of_two_the_first_counts(vault: Vault):
    journal = journal_of(vault, *[f"See ^m{number}, number {number}." for number in range(1, 14)])
    path = vault.path("agents", "Eliza", "journal", "2026-11-21.md")
    text = path.read_text(encoding="utf-8")
    path.write_text(text + "- 09:00:00.000 observed · The Mill · Another. ^m1\n", encoding="utf-8")
    again = Journal(vault, "Eliza")
    again.load()
    again._cache = []
    assert [memory.text for seq in (1, 12, 13) for memory in again.read(seq, seq)] == [
        memory.text for seq in (1, 12, 13) for memory in journal.read(seq, seq)
    ]
