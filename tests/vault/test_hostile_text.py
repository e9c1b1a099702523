"""Whatever somebody says, names or writes comes back from every note to the letter, and changes nothing else in it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.hostile import hostile_input, hostile_lines
from tests.vault.vault_of import load_person, load_thing
from vault.board_note import format_board, parse_board
from vault.entities.agent_notes import PersonalNotes
from vault.entities.schema import load_room, save_entity
from vault.markdown import one_line
from vault.memory.facts_note import CONFIDED, PEOPLE, PROMISES, Fact, format_fact, parse_fact
from vault.memory.memory_line import Memory, format_line, parse_line
from vault.memory.summaries import RECENT, Summary, SummaryFolder
from vault.note import parse_note
from vault.vault import Vault
from world.entities import Character, Detail, Room, Thing
from world.parsing import collapse_whitespace
from world.sanitize import clean_block, clean_line
from world.world import Board, Notice

ON_DISK = settings(max_examples=12)

cleaned = hostile_input.map(clean_line).map(collapse_whitespace)
"""What a line of hostile input is when it reaches a command."""

blocks = st.lists(hostile_lines.map(collapse_whitespace), max_size=4).map("\n".join).map(clean_block)


@contextmanager
def a_vault() -> Iterator[Vault]:
    with tempfile.TemporaryDirectory() as folder:
        yield Vault(Path(folder))


@given(cleaned, st.lists(st.sampled_from(["Ana", "Moss"]), unique=True), st.booleans())
def test_a_memory_is_one_line_and_the_same_again(text, people, pinned):
    memory = Memory(12, 1_795_248_000_000, "observed", "The Hall", one_line(text), tuple(people), 5, pinned)
    line = format_line(memory)
    assert len(line.splitlines()) == 1
    assert parse_line(line, memory.day) == memory


@given(cleaned.filter(bool), st.sampled_from([PEOPLE, PROMISES, CONFIDED]))
def test_what_is_known_of_somebody_is_one_line_and_the_same_again(text, section):
    value = "last seen in The Hall" if section == PEOPLE else one_line(text)
    fact = Fact(section, "Ana", value, 3, 4, 29_920_800, 2, remark=one_line(text) if section == PEOPLE else "")
    line = format_fact(fact, lambda seq: f"[[2026-11-21#^m{seq}]]")
    assert len(line.splitlines()) == 1
    assert parse_fact(line, section) == fact


@given(st.lists(cleaned.filter(bool), max_size=4))
def test_what_is_shared_is_read_as_it_was_shared_and_is_nothing_more(texts):
    entries = [Notice(n, "plan", text, "world", "Ana", "") for n, text in enumerate(texts, 1)]
    note = parse_note(format_board(Board(entries, len(entries) + 1)), "world/board.md")
    assert parse_board(note).entries == entries


@ON_DISK
@given(st.lists(cleaned.filter(bool), min_size=1, max_size=4))
def test_a_note_of_ones_own_has_the_lines_that_were_written(texts):
    owner = Character("Ana", "The Hall")
    with a_vault() as vault:
        notes = PersonalNotes(vault, lambda: 0)
        for text in texts:
            notes.add(owner, "Mine", text)
        assert notes.read(owner, "Mine") == "\n".join(texts)
        assert vault.read("people", "Ana", "notes", "Mine.md").properties == {"by": "[[Ana]]"}


@ON_DISK
@given(blocks, cleaned, cleaned)
def test_a_person_is_nobody_else_for_what_is_written_about_them(text, value, preference):
    ana = Character("Ana", "Hall", text, properties={"mood": value}, preferences={"lines": preference})
    with a_vault() as vault:
        save_entity(vault, ana)
        found = load_person(vault, "Ana", "Hall")
        assert (found.description, found.properties) == (text, {"mood": value})
        assert found.preferences == ana.preferences
        assert (found.role, found.is_agent, found.grants) == (ana.role, False, frozenset())
        assert vault.names("people") == ["Ana"]


@ON_DISK
@given(blocks, blocks.map(str.strip), cleaned)
def test_a_room_has_no_exit_and_no_detail_that_was_only_written_about(text, seen, value):
    room = Room("Hall", text, {}, {"crack": Detail("crack", seen, ())}, properties={"mood": value}, title=value)
    with a_vault() as vault:
        save_entity(vault, room)
        found = load_room(vault, "Hall")
        assert (found.description, found.exits, found.title) == (text, {}, value)
        assert found.details == room.details
        assert found.properties == room.properties


@ON_DISK
@given(blocks, blocks, cleaned)
def test_a_thing_is_as_it_was_written_on(text, writing, value):
    thing = Thing("slip", "Hall", text, title=value, writing=writing, properties={"mood": value})
    with a_vault() as vault:
        save_entity(vault, thing)
        found = load_thing(vault, "slip")
        assert (found.description, found.writing, found.title) == (text, writing, value)
        assert (found.fixed, found.is_container, found.properties) == (False, False, {"mood": value})


@ON_DISK
@given(cleaned.filter(bool))
def test_a_summary_is_the_text_that_a_model_wrote(text):
    summary = Summary(1, 12, text, 1, "prose", text, 3, 1_795_248_000_000, (text,), {"kept": 1.0})
    with a_vault() as vault:
        folder = SummaryFolder(vault, "Moss")
        folder.publish(None, summary)
        assert folder.read(RECENT) == summary
