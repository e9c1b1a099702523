"""A vault of the older layout becomes one of ours: nothing is lost without a word, and nothing of it is touched."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from config.settings import AgentSettings, MemorySettings
from tests.vault.legacy_import.older_vault import OlderVault
from tests.vault.vault_of import files
from vault.check import check_vault
from vault.config_notes import load_settings
from vault.entities.agent_notes import load_agent
from vault.entities.load import load_world
from vault.errors import NoteError
from vault.legacy_import.places import Report
from vault.legacy_import.run import import_vault
from vault.memory.journal import Journal
from vault.memory.memory_line import Memory
from vault.memory.summaries import LONGTERM, RECENT, SummaryFolder
from vault.vault import Vault
from world.entities import Exit
from world.world import World

BERLIN = timezone(timedelta(hours=1))
START = datetime(2026, 3, 1, 9, 0, 0)
PROFILE = "You are Eliza.\n\nYou write:\n  - everything\n  - down."


@pytest.fixture
def older(tmp_path) -> OlderVault:
    """Three rooms in a row, a lamp, and an agent who is elsewhere than her note says."""
    older = OlderVault(tmp_path / "old")
    older.room("Hall", "A long hall.\n\nIt echoes.", connections=["[[Attic]]", "[[Cellar]]"], contents=["[[lamp]]"])
    older.room("Attic", "Dust.", aliases=["Loft"], properties=["mood: dusty"], flags=["dark", "quiet"])
    older.room("Cellar", "Damp.", exits=["[[Attic]] | Chute | up the rope"], contents=["[[Eliza]]"])
    older.agent(
        "Eliza",
        "Hall",
        "A small woman.",
        {"thinker.profile": PROFILE, "thinker.think_interval": "30", "thinker.memory_count": "8", "mood": "bright"},
    )
    older.memory("Eliza", START, "Moss waves.", occupants="[[Moss]], [[Ana]]")
    older.memory("Eliza", START + timedelta(minutes=5), "say Good morning", "Attic", "action")
    older.state(("Eliza", "Attic"), ("Ana", "Cellar"))
    return older


def imported(older: OlderVault) -> tuple[Vault, Report]:
    target = older.root.parent / "new"
    before = files(older.root)
    report = import_vault(older.root, target, BERLIN)
    assert files(older.root) == before
    return Vault(target), report


def world_in(vault: Vault) -> World:
    return load_world(vault, load_settings(vault).world)


def journal_of(vault: Vault, name: str = "Eliza") -> list[Memory]:
    journal = Journal(vault, name)
    journal.load()
    return journal.read(1, journal.last)


def test_rooms_are_taken_with_all_that_they_are(older):
    vault, report = imported(older)
    attic = world_in(vault).rooms["Attic"]
    assert (attic.description, attic.aliases) == ("Dust.", ("loft",))
    assert attic.properties == {
        "object_id": "location_17",
        "created": "2026-01-05T10:00:00Z",
        "modified": "2026-02-05T10:00:00Z",
        "mood": "dusty",
        "flags": "dark, quiet",
    }
    assert world_in(vault).rooms["Hall"].description == "A long hall.\n\nIt echoes."
    assert sorted(room.number for room in world_in(vault).rooms.values()) == [1, 2, 3]
    assert report.problems == []


def test_connections_lead_both_ways_and_exits_one_way(older):
    rooms = world_in(imported(older)[0]).rooms
    assert rooms["Hall"].exits == {"attic": Exit("attic", "Attic"), "cellar": Exit("cellar", "Cellar")}
    assert rooms["Attic"].exits == {"hall": Exit("hall", "Hall")}
    assert rooms["Cellar"].exits == {
        "attic": Exit("attic", "Attic", ("chute", "up the rope")),
        "hall": Exit("hall", "Hall"),
    }


def test_a_connection_that_both_sides_name_is_one(older):
    older.room("Attic", "Dust.", connections=["[[Hall]]"])
    assert world_in(imported(older)[0]).rooms["Attic"].exits == {"hall": Exit("hall", "Hall")}


def test_the_world_state_says_where_everyone_is(older):
    vault, report = imported(older)
    world = world_in(vault)
    assert {name: one.room_id for name, one in world.characters.items()} == {"Eliza": "Attic", "Ana": "Cellar"}
    assert (world.characters["Eliza"].is_agent, world.characters["Ana"].is_agent) == (True, False)
    assert world.things["lamp"].place_id == "Hall"
    assert "Ana is a person, as world_state.md has it." in report.taken


def test_an_agent_is_who_it_was_to_the_letter(older):
    vault, _ = imported(older)
    note = load_agent(vault, "Eliza")
    assert (note.profile, note.character.description, note.character.room_id) == (PROFILE, "A small woman.", "Hall")
    assert note.agent_settings(AgentSettings()).think_seconds == 30
    assert note.memory_settings(MemorySettings()).immediate_window == 8
    assert note.character.properties["mood"] == "bright"


def test_unknown_properties_of_a_thinker_are_kept(older):
    older.agent("Eliza", "Hall", properties={"thinker.profile": "Eliza.", "thinker.temper": "calm", "room": "blue"})
    properties = load_agent(imported(older)[0], "Eliza").character.properties
    assert (properties["thinker.temper"], properties["old_room"]) == ("calm", "blue")


def test_memories_become_the_journal_with_local_times_read_as_local(older):
    memories = journal_of(imported(older)[0])
    at_ms = round(datetime(2026, 3, 1, 8, 0, 0, tzinfo=UTC).timestamp() * 1000)  # nine in Berlin
    assert memories == [
        Memory(1, at_ms, "observed", "Hall", "Moss waves.", ("Moss", "Ana")),
        Memory(2, at_ms + 300_000, "acted", "Attic", "say Good morning"),
    ]


def test_memories_with_odd_names_and_broken_heads_are_taken_too(older):
    older.write("agents/Eliza/memories/a thought.md", "---\ntimestamp: 2026-03-01T09:01:00Z\n---\nA thought.\n")
    older.write("agents/Eliza/memories/20260301-090200-memory.md", "No head at all.\n")
    older.write("agents/Eliza/memories/20260301-090300-memory-2.md", "---\ntimestamp: noon\ntype: [thought\n---\nHm.\n")
    older.write("agents/Eliza/memories/undated.md", "Sometime.\n")
    older.write("agents/Eliza/memories/20260301-090400-x.md", "# I shouted\n\nvery loudly\n")
    vault, report = imported(older)
    assert [memory.text for memory in journal_of(vault)] == [
        "Moss waves.",
        "A thought.",
        "Sometime.",
        "No head at all.",
        "Hm.",
        "I shouted ⏎ very loudly",
        "say Good morning",
    ]
    assert report.problems == [
        "agents/Eliza/memories/undated.md: neither it nor its name says when it was; put after the one before it."
    ]


def test_memories_of_one_second_keep_their_order_by_name(older):
    for name in ("b", "a", "c"):
        older.write(f"agents/Eliza/memories/20260301-100000-{name}.md", f"It was {name}.\n")
    assert [memory.text for memory in journal_of(imported(older)[0])][2:] == ["It was a.", "It was b.", "It was c."]


def test_notes_are_copied_to_the_letter(older):
    text = "---\ntype: note\n---\n# Plan\n\n- find [[Moss]]\n"
    older.write("agents/Eliza/notes/The Plan.md", text)
    vault, _ = imported(older)
    assert vault.read_text("agents", "Eliza", "notes", "The Plan.md") == text


def with_summaries(older: OlderVault) -> None:
    """Give Eliza 40 more memories, two dated summaries, and those in force."""
    older.memories("Eliza", START + timedelta(hours=1), 40)
    for name in ("recent-20260301-100000", "recent-20260301-110000", "recent", "longterm"):
        older.summary("Eliza", name, f"The {name}.", START + timedelta(hours=2))


def test_old_summaries_are_kept_and_none_is_in_force(older):
    with_summaries(older)
    vault, report = imported(older)
    folder = SummaryFolder(vault, "Eliza")
    assert (folder.read(LONGTERM), folder.read(RECENT), list(folder.leaves())) == (None, None, [])
    kept = [path.read_text() for path in (vault.root / "agents/Eliza/summaries").iterdir()]
    assert sorted(text.splitlines()[-1] for text in kept) == [
        "The longterm.",
        "The recent-20260301-100000.",
        "The recent-20260301-110000.",
        "The recent.",
    ]
    assert journal_of(vault)[-1].seq == 42
    assert "Eliza: 4 old summaries are kept; new ones are made of the memories." in report.taken
    assert report.problems == []


def test_what_leads_nowhere_is_told_with_its_line(older):
    hall = (older.root / "world/locations/Hall.md").read_text().split("\n")
    path = older.room("Cellar", "Damp.", connections=["[[Attic]]", "[[The Moon]]"], contents=["[[lamp]]"])
    older.state(("Eliza", "The Sun"))
    lines = path.read_text().split("\n")
    _, report = imported(older)
    assert report.problems == [
        f"world/locations/Cellar.md:{lines.index('- [[The Moon]]') + 1}: "
        "there is no room 'The Moon', so no way leads there.",
        f"world/locations/Hall.md:{hall.index('- [[lamp]]') + 1}: lamp lies somewhere else already.",
        "world/world_state.md:6: Eliza is in 'The Sun', which is no room; left where it was.",
    ]


def test_names_that_files_links_or_others_cannot_hold_are_changed_everywhere(older):
    older.room("Café · Noir", "Steam.", connections=["[[Hall]]"], contents=["[[hall]]", "[[iron*key]]"])
    older.room("Über", "Up.", file=unicodedata.normalize("NFD", "Über"), connections=["[[Café · Noir]]"])
    older.agent("Attic", "Café · Noir", properties={"thinker.profile": "You are the attic."})
    older.memory("Attic", START, "Steam.", "Café · Noir")
    vault, report = imported(older)
    world = world_in(vault)
    assert world.rooms["Café Noir"].name == "Café · Noir"
    assert world.rooms["Über"].exits == {"café · noir": Exit("café · noir", "Café Noir")}
    assert world.characters["Attic 2"].room_id == "Café Noir"
    assert [memory.room for memory in journal_of(vault, "Attic 2")] == ["Café Noir"]
    assert (world.things["iron key"].name, world.things["iron key"].place_id) == ("iron*key", "Café Noir")
    assert report.problems == ["agents/Attic/agent.md: 'Attic' is called 'Attic 2' now: its name is taken or no name."]


@pytest.mark.parametrize("interval", ["often", "0", ""])
def test_settings_that_will_not_do_are_told_and_the_rest_is_taken(older, interval):
    older.agent("Eliza", "Hall", properties={"thinker.profile": "Eliza.", "thinker.think_interval": interval})
    vault, report = imported(older)
    assert load_agent(vault, "Eliza").agent_settings(AgentSettings()).think_seconds == 20
    assert report.problems == [
        f"agents/Eliza/agent.md:16: thinker.think_interval is {interval!r}; expected a number from 0.5 to 86400. "
        "What counts for all agents counts for this one."
    ]


def test_files_that_are_no_text_and_folders_without_agents_are_told(older):
    (older.root / "world/locations/Attic.md").write_bytes(b"# Attic\n\n## Description\nD\xfcst.\n")
    older.write("agents/Nobody/memories/20260301-090000-memory.md", "Hm.\n")
    vault, report = imported(older)
    assert world_in(vault).rooms["Attic"].description == "D\ufffdst."
    assert report.problems == [
        "world/locations/Attic.md:4: not UTF-8 text; what could not be read stands there as \ufffd.",
        "agents/Nobody: there is no agent.md that can be read, so nobody lives here.",
    ]


def test_the_new_vault_checks_without_a_fault(older):
    with_summaries(older)
    vault, _ = imported(older)
    assert [str(finding) for finding in check_vault(vault, 0) if not finding.is_remark] == []


def test_newcomers_arrive_where_most_rooms_lead_to_each_other(older):
    older.room("A well", "Deep.", exits=["[[Hall]]", "[[Attic]]", "[[Cellar]]"])  # nothing leads back into it
    vault, report = imported(older)
    assert load_settings(vault).world.start_room == "Cellar"
    assert report.taken[-1] == "Newcomers arrive in Cellar; start_room in config/world.md says so."


@pytest.mark.parametrize("what", ["a file", "a folder with something in it"])
def test_what_is_there_is_never_written_over(older, what):
    target = older.root.parent / "new"
    if what == "a file":
        target.write_text("a diary")
    else:
        (target / "rooms").mkdir(parents=True)
    with pytest.raises(NoteError, match="something is there already; give an empty or a new folder with --vault."):
        import_vault(older.root, target)


def test_an_empty_folder_is_filled(older):
    (older.root.parent / "new").mkdir()
    assert imported(older)[0].exists("rooms", "Hall.md")


@pytest.mark.parametrize("inside", [".", "new", "../"])
def test_the_new_vault_does_not_lie_in_the_old_one_or_around_it(older, inside):
    with pytest.raises(NoteError, match="with --vault"):
        import_vault(older.root, older.root / inside)


def test_what_is_no_vault_of_the_layout_is_refused_and_nothing_is_made(tmp_path):
    (tmp_path / "old").mkdir()
    with pytest.raises(NoteError, match="there is no folder world/locations in it"):
        import_vault(tmp_path / "old", tmp_path / "new")
    OlderVault(tmp_path / "old").state(("Ana", "Hall"))
    Path(tmp_path / "old/world/locations").mkdir()
    with pytest.raises(NoteError, match="there is no room in world/locations"):
        import_vault(tmp_path / "old", tmp_path / "new")
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
