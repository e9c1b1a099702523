"""Notes become a world, and the world remembers where everyone and everything is."""

from __future__ import annotations

import logging

import pytest

from config.settings import WorldSettings
from tests.vault.vault_of import vault_of
from vault.entities.load import load_world
from vault.entities.merge_base import MergeBase
from vault.entities.store import EntityStore
from vault.errors import NoteError
from vault.locations_log import LOCATIONS, OPENING, LocationsLog
from vault.vault import STARTER, Vault
from world.entities import Character, Detail, Exit, Room, Thing
from world.navigation import shortest_path
from world.world import World

SETTINGS = WorldSettings(start_room="Hall")
NOTES = {
    "rooms/Hall.md": (
        "---\nnumber: 1\ntags: [room]\n---\nA long hall.\n\nIt echoes.\n\n"
        "## Exits\n- **north**, n, door: [[Attic]]\n\n## Details\n- **clock**, old clock: It has stopped.\n"
    ),
    "rooms/Attic.md": "Dust.\n\n## Exits\n- **south**, s: [[Hall|the hall]]\n",
    "things/lamp.md": "---\nat: '[[Attic]]'\naliases: [Light, lantern]\n---\nA dented lamp.\n",
    "people/Ana.md": "Ana has flour on her sleeves.\n",
    "agents/Moss/agent.md": "---\nroom: '[[Attic]]'\ndescription: A long, still man.\n---\nYou are Moss.\n",
}
BROKEN = "---\nat: [\n---\n"


def world_of(root, notes=None) -> World:
    """Return the world of the notes above and of others."""
    return load_world(vault_of(root, NOTES | (notes or {})), SETTINGS)


def opened(root, path: str, text: str | bytes) -> tuple[World, dict[str, str]]:
    """Return the world that has one more note, and which notes are not valid, with why."""
    vault, known = vault_of(root, NOTES), MergeBase()
    root.joinpath(path).write_bytes(text.encode() if isinstance(text, str) else text)
    return load_world(vault, SETTINGS, known), known.broken


def note(root) -> list[str]:
    """Return the lines of the whereabouts that name somebody or something."""
    return [line for line in root.joinpath(*LOCATIONS).read_text().splitlines() if line.startswith("- ")]


def test_notes_become_rooms_things_people_and_agents(tmp_path):
    world = world_of(tmp_path)
    assert world.rooms["Hall"] == Room(
        "Hall",
        "A long hall.\n\nIt echoes.",
        {"north": Exit("north", "Attic", ("n", "door"))},
        {"clock": Detail("clock", "It has stopped.", ("old clock",))},
        1,
        ("room",),
    )
    assert world.things["lamp"] == Thing("lamp", "Attic", "A dented lamp.", ("light", "lantern"))
    assert world.characters == {
        "Ana": Character("Ana", "Hall", "Ana has flour on her sleeves."),
        "Moss": Character("Moss", "Attic", "A long, still man.", is_agent=True),
    }
    assert world.start_room_id == "Hall"


def test_unknown_properties_are_the_builders_own_and_unknown_sections_change_nothing(tmp_path):
    text = "---\nmood: dusty\nnumber: high\n---\nDust.\n\n## Exits\n- **south**: [[Hall]]\n\n## To do\n- sweep\n"
    assert world_of(tmp_path, {"rooms/Attic.md": text}).rooms["Attic"] == Room(
        "Attic", "Dust.", {"south": Exit("south", "Hall")}, properties={"mood": "dusty"}
    )


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("- **up**:", "the exit 'up' leads nowhere; write '- **up**: [[A Room]]'."),
        ("- **stairs**, s: [[Hall]]", "two exits are called s; give one another name."),
        ("- south to the Hall", "'- south to the Hall' is not of the form '- **name**, alias: text'."),
        ("## Exits", "the section 'Exits' stands in line 6 already; make them one."),
        ("\n## Reactions\n| use | |", "'| use | |' has 2 cells; it needs three: on, when, do."),
    ],
)
def test_a_room_is_open_without_a_line_that_will_not_do(tmp_path, caplog, line, why):
    text = f"---\nnumber: 2\n---\nDust.\n\n## Exits\n- **south**, s: [[Hall]]\n{line}\n\n## Details\n- **bed**: Soft.\n"
    world, broken = opened(tmp_path, "rooms/Attic.md", text)
    expected = f"rooms/Attic.md:{text.split(chr(10)).index(line.split(chr(10))[-1], 7) + 1}: {why}"
    assert broken == {"rooms/Attic.md": expected}
    exits, bed = {"south": Exit("south", "Hall", ("s",))}, {"bed": Detail("bed", "Soft.")}
    assert world.rooms["Attic"] == Room("Attic", "Dust.", exits, bed, 2)
    assert [record.getMessage().partition(" The room")[0] for record in caplog.records] == [expected]


BODY = "Dust.\n\n## Exits\n- **south**: [[Hall]]\n"


@pytest.mark.parametrize(
    ("text", "start", "description"),
    [
        (f"---\nnumber: [\n---\n{BODY}", "rooms/Attic.md:3: the front matter is not valid YAML", "Dust."),
        (f"---\nnumber: 1\n\n{BODY}", "rooms/Attic.md:1: the front matter begins with '---'", "Dust."),
        (f"---\nnumber: 1\n---\nD\xfcst.{BODY[5:]}".encode("latin-1"), "rooms/Attic.md: not UTF-8 text", "D\ufffdst."),
    ],
)
def test_a_room_whose_properties_cannot_be_read_is_open_and_never_written(tmp_path, text, start, description):
    vault, known = vault_of(tmp_path, NOTES), MergeBase()
    raw = text if isinstance(text, bytes) else text.encode()
    (tmp_path / "rooms" / "Attic.md").write_bytes(raw)
    world = load_world(vault, SETTINGS, known)
    assert [why.startswith(start) for why in known.broken.values()] == [True]
    attic = world.rooms["Attic"]
    assert (attic.description, attic.exits) == (description, {"south": Exit("south", "Hall")})
    notes = EntityStore(vault, world, known)
    assert attic not in notes.number_rooms()
    attic.description = "Moss."
    with pytest.raises(NoteError):
        notes.save(("room", "Attic"))
    assert (tmp_path / "rooms" / "Attic.md").read_bytes() == raw


def test_a_start_room_of_which_nothing_can_be_read_lets_people_in(tmp_path):
    vault = vault_of(tmp_path, NOTES)
    (tmp_path / "rooms" / "Hall.md").unlink()
    (tmp_path / "rooms" / "Hall.md").mkdir()
    world = load_world(vault, SETTINGS)
    assert (world.start_room_id, world.rooms["Hall"]) == ("Hall", Room("Hall"))
    assert world.rooms["Attic"].exits["south"].room_id == "Hall"


@pytest.mark.parametrize(
    ("path", "other"),
    [("things/Ana.md", "people/Ana.md"), ("people/attic.md", "rooms/Attic.md"), ("rooms/hall.md", "rooms/Hall.md")],
)
def test_of_two_notes_of_one_name_one_is_left_out_with_both_named(tmp_path, path, other):
    _, broken = opened(tmp_path, path, "What?\n")
    name = path.partition("/")[2].removesuffix(".md")
    same = f"{name!r} is the name of {other} too; everything in a world has a name of its own. Rename one."
    assert broken == {path: f"{path}: {same}"}


def test_containers_inside_each_other_are_found_again_in_the_start_room(tmp_path):
    notes = {f"things/{a}.md": f"---\nat: '[[{b}]]'\ncontainer: true\n---\n" for a, b in ("ab", "bc", "ca")}
    known = MergeBase()
    world = load_world(vault_of(tmp_path, NOTES | notes), SETTINGS, known)
    assert [world.containing_room(world.things[name]) for name in "abc"] == [world.rooms["Hall"]] * 3
    assert known.broken == {
        "things/a.md": "things/a.md: 'a' would be inside itself (things/b.md, things/c.md); put one of them elsewhere."
    }


def test_a_start_room_that_does_not_exist_is_refused_with_the_rooms_there_are(tmp_path):
    with pytest.raises(NoteError, match=r"config/world.md: The start room 'Cellar' does not exist; rooms: Attic, Hall"):
        load_world(vault_of(tmp_path, NOTES), WorldSettings(start_room="Cellar"))


@pytest.mark.parametrize("path", ["things/lamp.md", "people/Ana.md", "agents/Moss/agent.md"])
def test_a_broken_thing_person_or_agent_is_left_out_and_the_others_live_on(tmp_path, caplog, path):
    world = world_of(tmp_path, {path: BROKEN})
    assert len(world.characters) + len(world.things) == 2
    assert [r.getMessage().startswith(f"left out: {path}:") for r in caplog.records] == [True]


def test_the_note_is_made_of_links_that_an_editor_follows(tmp_path):
    LocationsLog(Vault(tmp_path), world_of(tmp_path)).save()
    assert tmp_path.joinpath(*LOCATIONS).read_text() == (
        f"{OPENING}\n\nLast room number: 1\n\n- [[Moss]]: [[Attic]]\n- [[Ana]]: [[Hall]]\n- [[lamp]]: [[Attic]]\n"
    )


def test_the_number_of_a_guest_is_given_once_also_after_a_restart(tmp_path):
    world, log = (made := world_of(tmp_path)), LocationsLog(Vault(tmp_path), made)
    log.save()
    world.last_guest = 7
    log.save()
    assert load_world(Vault(tmp_path), SETTINGS).last_guest == 7
    log.close()
    LocationsLog(Vault(tmp_path), load_world(Vault(tmp_path), SETTINGS)).save()  # written anew
    assert load_world(Vault(tmp_path), SETTINGS).last_guest == 7


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("things/lamp.md", "- [[lamp]]: [[Hall]]"),
        ("people/Ana.md", "- [[Ana]]: [[Attic]]"),
        ("agents/Moss/agent.md", "- [[Moss]]: [[Hall]]"),
    ],
)
def test_the_place_of_whoever_was_left_out_is_kept_until_its_note_is_mended(tmp_path, path, line):
    world = world_of(tmp_path)
    world.characters["Ana"].room_id, world.characters["Moss"].room_id = "Attic", "Hall"
    world.things["lamp"].place_id = "Hall"
    LocationsLog(Vault(tmp_path), world).save()
    without = world_of(tmp_path, {path: BROKEN})
    LocationsLog(Vault(tmp_path), without).save()
    assert line in note(tmp_path)
    LocationsLog(Vault(tmp_path), world_of(tmp_path)).save()
    assert note(tmp_path).count(line) == 1


def test_whoever_comes_back_under_an_old_name_has_one_place(tmp_path):
    notes = {"/".join(LOCATIONS): "## Characters\n- [[Eve]]: [[Attic]]\n"}
    world = world_of(tmp_path, notes)
    whereabouts = LocationsLog(Vault(tmp_path), world)
    world.add_character(Character("Eve", "Hall"))
    whereabouts.save()
    assert [line for line in note(tmp_path) if "Eve" in line] == ["- [[Eve]]: [[Attic]]"]


def test_strays_are_moved_to_the_start_room_with_a_warning(tmp_path, caplog):
    notes = {
        "things/lamp.md": "A lamp that is nowhere.\n",
        "agents/Moss/agent.md": "---\nroom: '[[Cellar]]'\n---\nYou are Moss.\n",
    }
    world = world_of(tmp_path, notes)
    assert (world.things["lamp"].place_id, world.characters["Moss"].room_id) == ("Hall", "Hall")
    assert [r.getMessage() for r in caplog.records] == [
        "Moss was in 'Cellar', which does not exist; moved to Hall",
        "lamp was at '', which does not exist; moved to Hall",
    ]


def test_the_starter_world_is_read_without_a_warning(caplog):
    caplog.set_level(logging.INFO)
    world = load_world(Vault(STARTER), WorldSettings())
    assert caplog.records == []
    assert len(world.rooms) >= 9
    assert sorted(c.name for c in world.characters.values()) == ["Eliza", "Moss", "Odile"]


def test_every_exit_of_the_starter_world_has_a_way_back():
    rooms = load_world(Vault(STARTER), WorldSettings()).rooms
    ways = {(room.room_id, exit.room_id) for room in rooms.values() for exit in room.exits.values()}
    assert {way for way in ways if way[::-1] not in ways} == set()


def test_every_room_of_the_starter_world_can_be_reached():
    world = load_world(Vault(STARTER), WorldSettings())
    assert [room for room in world.rooms if shortest_path(world, world.start_room_id, room) is None] == []


def test_every_room_of_the_starter_world_has_a_description_details_and_a_number_of_its_own():
    rooms = load_world(Vault(STARTER), WorldSettings()).rooms.values()
    assert [room.name for room in rooms if not room.description or not room.details] == []
    assert sorted(room.number for room in rooms) == list(range(1, len(rooms) + 1))
