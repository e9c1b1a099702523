"""What was altered in the world stands in its note; what is gone is in the trash."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from config.settings import WorldSettings
from tests.vault.failing_disk import FailingDisk, Stopped
from tests.vault.vault_of import vault_of
from vault.atomic_write import Disk
from vault.entities.load import load_world
from vault.entities.merge_base import MergeBase
from vault.entities.store import EntityStore, NoteBusy
from vault.trash import move_to_trash, newest_in_trash
from vault.vault import Vault
from world.entities import Character, Exit, Role, Room, Thing

NOTES = {
    "rooms/Hall.md": "---\nnumber: 1\nmood: dusty # as ever\n---\nA hall.\n\n## Exits\n- **north**, n: [[Attic|up]]\n",
    "rooms/Attic.md": "Dust.\n\n## Exits\n- **south**: [[Hall]]\n",
    "things/lamp.md": "---\nat: '[[Attic]]'\n---\nA lamp.\n",
    "people/Ana.md": "Ana.\n",
    "agents/Moss/agent.md": "---\nroom: '[[Hall]]'\nthink_seconds: 20\n---\nYou are Moss.\n\n## Habits\nTea.\n",
}


SETTINGS = WorldSettings(start_room="Hall")


class House:
    """A world and its vault."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.vault = vault_of(root, NOTES)
        self.known = MergeBase()
        self.world = load_world(self.vault, SETTINGS, self.known)
        self.notes = EntityStore(self.vault, self.world, self.known)

    def text(self, path: str) -> str:
        return (self.root / path).read_text()

    def files(self) -> list[str]:
        return sorted(str(path.relative_to(self.root)) for path in self.root.rglob("*.md"))


@pytest.fixture
def house(tmp_path) -> House:
    return House(tmp_path)


@pytest.mark.parametrize(
    "edited",
    [NOTES["rooms/Hall.md"].replace("dusty", "bright"), NOTES["rooms/Hall.md"][:30], "", None],
    ids=["edited", "cut", "empty", "gone"],
)
def test_unread_edits_are_never_written_over(house, edited):
    house.world.rooms["Hall"].description = "A long hall."
    path = house.root / "rooms/Hall.md"
    path.unlink() if edited is None else path.write_text(edited)
    with pytest.raises(NoteBusy, match=r"rooms/Hall.md: is being edited"):
        house.notes.save(("room", "Hall"))
    assert (path.read_text() if path.exists() else None) == edited
    kept = house.notes.keep_aside(("room", "Hall"))
    assert house.text(kept) == NOTES["rooms/Hall.md"].replace("A hall.", "A long hall.")


def test_what_is_new_gets_a_note_and_a_room_a_number(house):
    house.world.rooms["Cellar"] = Room("Cellar", "Cold.", {"up": Exit("up", "Hall", ("u",))})
    house.world.things["oar"] = Thing("oar", "Ana", "Long.", article="an")
    for ref in (("room", "Cellar"), ("thing", "oar")):
        house.notes.save(ref)
    assert house.text("rooms/Cellar.md") == "---\nnumber: 2\n---\nCold.\n\n## Exits\n- **up**, u: [[Hall]]\n"
    assert house.text("things/oar.md") == "---\nat: '[[Ana]]'\ntags: [thing]\narticle: an\n---\nLong.\n"


def test_rooms_without_a_number_get_one_each_and_for_good(house):
    assert [room.room_id for room in house.notes.number_rooms()] == ["Attic"]
    house.notes.save(("room", "Attic"))
    assert house.text("rooms/Attic.md") == "---\nnumber: 2\n---\n" + NOTES["rooms/Attic.md"]
    assert house.notes.number_rooms() == []


def test_what_is_gone_is_in_the_trash_and_comes_out_of_it_with_all_that_its_note_had(house):
    room = house.world.rooms.pop("Hall")
    house.notes.save(("room", "Hall"))
    assert ".trash/rooms/Hall.md" in house.files() and "rooms/Hall.md" not in house.files()
    house.world.rooms["Hall"] = room
    house.notes.save(("room", "Hall"))
    assert house.text("rooms/Hall.md") == NOTES["rooms/Hall.md"]
    assert ".trash/rooms/Hall.md" not in house.files()


def test_what_was_put_by_last_comes_out_of_the_trash_although_an_older_one_was_taken_away(house):
    for text in ("One.", "Two.", "Three."):
        house.vault.write_text(f"{text}\n", "things", "oar.md")
        move_to_trash(house.vault, "things", "oar")
        if text == "Two.":
            (house.root / ".trash" / "things" / "oar.md").unlink()
    newest = newest_in_trash(house.vault, "things", "oar")
    assert house.vault.read_text(".trash", "things", f"{newest}.md") == "Three.\n"


def test_something_else_under_an_old_name_does_not_come_out_of_the_trash(house):
    for description in ("A lamp.", "Another lamp."):
        house.world.things["lamp"] = Thing("lamp", "Hall", description)
        house.notes.save(("thing", "lamp"))
        del house.world.things["lamp"]
        house.notes.save(("thing", "lamp"))
    house.world.things["lamp"] = Thing("lamp", "Hall", "A new lamp.")
    house.notes.save(("thing", "lamp"))
    assert house.text("things/lamp.md") == "---\nat: '[[Hall]]'\ntags: [thing]\n---\nA new lamp.\n"
    assert [path for path in house.files() if "trash" in path] == [".trash/things/lamp 2.md", ".trash/things/lamp.md"]


def test_an_agent_s_settings_profile_and_unknown_sections_stay(house):
    moss = house.world.characters["Moss"]
    moss.description, moss.role, moss.grants = "A long man.", Role.BUILDER, frozenset({"@dig"})
    moss.properties["made_by"] = "Ana"
    house.notes.save(("character", "Moss"))
    head = (
        "room: '[[Hall]]'\nthink_seconds: 20\nmade_by: Ana\ndescription: A long man.\nrole: builder\ngrants: ['@dig']\n"
    )
    assert house.text("agents/Moss/agent.md") == f"---\n{head}---\nYou are Moss.\n\n## Habits\nTea.\n"


def test_a_person_s_role_is_never_written(house):
    ana = house.world.characters["Ana"]
    ana.role, ana.grants, ana.preferences = Role.ADMIN, frozenset({"@ban"}), {"brief": "on", "alias gn": "go north"}
    house.notes.save(("character", "Ana"))
    assert house.text("people/Ana.md") == "---\npreferences:\n  brief: on\n  alias gn: go north\n---\nAna.\n"


def test_guests_have_no_notes_and_an_agent_s_folder_is_never_put_by(house):
    house.world.characters["Guest 1"] = Character("Guest 1", "Hall", role=Role.GUEST)
    del house.world.characters["Moss"]
    for name in ("Guest 1", "Moss"):
        house.notes.save(("character", name))
    assert house.files() == sorted(NOTES)


@pytest.mark.parametrize("key", ["made_by", "changed_by"])
def test_what_builders_leave_on_an_agent_is_no_misspelt_setting(house, key):
    house.world.characters["Moss"].properties[key] = "Ana"
    house.notes.save(("character", "Moss"))
    assert load_world(house.vault, WorldSettings(start_room="Hall")).characters["Moss"].properties == {key: "Ana"}


def dug(house: House) -> list[tuple[str, str]]:
    house.world.rooms["Hall"].exits["down"] = Exit("down", "Cellar")
    house.world.rooms["Cellar"] = Room("Cellar", "Cold.", {"up": Exit("up", "Hall"), "on": Exit("on", "Vault")})
    house.world.rooms["Vault"] = Room("Vault", "Dark.", {"back": Exit("back", "Cellar")})
    return [("room", "Hall"), ("room", "Cellar"), ("room", "Vault")]


def destroyed(house: House) -> list[tuple[str, str]]:
    del house.world.rooms["Attic"]
    del house.world.rooms["Hall"].exits["north"]
    return [("room", "Attic"), ("room", "Hall")]


@pytest.mark.parametrize("alter", [dug, destroyed])
@pytest.mark.parametrize("after", range(12))
def test_a_world_that_dies_while_it_is_saved_starts_again(tmp_path, alter, after):
    house = House(tmp_path)
    disk = FailingDisk()
    notes = EntityStore(Vault(tmp_path, disk), house.world, house.known)
    refs = alter(house)
    try:
        with disk.stopping(after):
            for ref in refs:
                notes.save(ref)
    except Stopped:
        pass
    assert "Hall" in load_world(house.vault, SETTINGS).rooms


class EditedWhileWritten(Disk):
    """A disk on which an editor saves a note while the world writes its draft: by a rename, or in place."""

    def __init__(self) -> None:
        self.edit: Callable[[], object] = lambda: None

    def write_draft(self, draft: Path, text: bytes, durable: bool) -> None:
        self.edit, edit = lambda: None, self.edit
        edit()
        super().write_draft(draft, text, durable)


@pytest.mark.parametrize("is_renamed", [True, False])
def test_an_edit_between_the_reading_and_the_writing_of_a_note_is_not_written_over(tmp_path, is_renamed):
    vault_of(tmp_path, {"rooms/Hall.md": "A hall.\n"})
    disk, note, other = EditedWhileWritten(), tmp_path / "rooms" / "Hall.md", tmp_path / "other"
    vault, known = Vault(tmp_path, disk), MergeBase()
    world = load_world(vault, WorldSettings(start_room="Hall"), known)
    world.rooms["Hall"].properties["mood"] = "calm"
    other.write_text("A long hall.\n")
    disk.edit = (lambda: other.replace(note)) if is_renamed else (lambda: note.write_text("A long hall.\n"))
    with pytest.raises(NoteBusy):
        EntityStore(vault, world, known).save(("room", "Hall"))
    assert (note.read_text(), os.listdir(note.parent)) == ("A long hall.\n", ["Hall.md"])
