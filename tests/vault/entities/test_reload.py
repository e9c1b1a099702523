"""Edits of rooms, things and people come into force; what is not valid changes nothing and is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from config.settings import WorldSettings
from tests.vault.vault_of import vault_of
from vault.entities.reload import EntityReloader, ReloadResult, broken_exits, run_steps
from vault.entities.store import EntityStore, MergeBase, load_world
from vault.locations_log import LocationsLog
from vault.vault import Vault
from vault.watch import ChangeScanner
from world.edits import remove_room
from world.entities import Exit, Room, Thing
from world.events import Arrived, EntityChanged, Left, Moved, SystemMessage
from world.location_index import LocationIndex

SETTINGS = WorldSettings(start_room="Hall")
NOTES = {
    "rooms/Hall.md": "---\nnumber: 1\n---\nA hall.\n\n## Exits\n- **north**, n: [[Attic]]\n",
    "rooms/Attic.md": "---\nnumber: 2\n---\nDust.\n\n## Exits\n- **south**, s: [[Hall]]\n",
    "things/lamp.md": "---\nat: '[[Attic]]'\n---\nA dented lamp.\n",
    "things/bag.md": "---\nat: '[[Hall]]'\ncontainer: true\n---\nA bag.\n",
    "people/Ana.md": "Ana has flour on her sleeves.\n",
}


class House:
    """A running world and the vault that somebody edits meanwhile."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.vault = vault_of(root, NOTES)
        self.world = load_world(self.vault, SETTINGS)
        self.known = MergeBase(self.world)
        self.seen = ChangeScanner(self.vault)
        self.seen.baseline()
        self.store = EntityStore(self.vault, self.world, self.known)
        self.reload = EntityReloader(self.vault, self.world, self.known)

    def edit(self, path: str, text: str) -> None:
        vault_of(self.root, {path: text})

    def change(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text()
        assert old in text
        self.edit(path, text.replace(old, new))

    def scan(self) -> ReloadResult:
        """Take in what a scan finds."""
        return run_steps(self.reload.apply_in_steps(self.seen.scan()))

    def look(self) -> ReloadResult:
        """Take in what has changed, with the second look at what seems to be gone, and save what that altered."""
        taken = self.scan()
        if self.seen.is_waiting:
            more = self.scan()
            taken = ReloadResult([*taken.messages, *more.messages], [*taken.events, *more.events])
        self.save(taken)
        return taken

    def save(self, taken: ReloadResult) -> None:
        """Write what is not as its note says, as the running world does."""
        for event in taken.events:
            if isinstance(event, EntityChanged):
                self.store.save((event.kind, event.entity_id))
        LocationsLog(self.vault, self.world).save()

    def is_as_loaded_anew(self) -> bool:
        anew = load_world(Vault(self.root), SETTINGS if "Hall" in self.world.rooms else WorldSettings("", "Salon"))
        mine = self.world
        return (anew.rooms, anew.things, anew.characters) == (mine.rooms, mine.things, mine.characters)


@pytest.fixture
def house(tmp_path) -> House:
    return House(tmp_path)


def test_a_broken_room_stays_as_it_was_and_is_told_once(house):
    house.change("rooms/Attic.md", "number: 2", "number: [2")
    told = house.look().messages
    assert len(told) == 1
    assert told[0].startswith("rooms/Attic.md:3: the front matter is not valid YAML")
    assert told[0].endswith("What it said before still counts.")
    assert house.look().messages == []
    assert house.world.rooms["Attic"].description == "Dust."
    house.change("rooms/Attic.md", "number: [2", "number: 2")
    house.look()
    assert house.reload.broken == {}


def test_a_new_room_can_be_walked_into(house):
    house.edit("rooms/Roof.md", "---\nnumber: 3\n---\nSky.\n\n## Exits\n- **down**: [[Attic]]\n")
    house.change("rooms/Attic.md", "[[Hall]]", "[[Hall]]\n- **up**: [[Roof]]")
    assert house.look().messages == ["rooms/Attic.md: reloaded.", "rooms/Roof.md: loaded, as it is new."]
    assert house.world.rooms["Attic"].exits["up"] == Exit("up", "Roof")
    assert house.is_as_loaded_anew()


def test_an_exit_is_taken_in_as_soon_as_its_room_is_there(house):
    house.change("rooms/Attic.md", "[[Hall]]", "[[Hall]]\n- **up**: [[Roof]]")
    assert house.look().messages == [
        "rooms/Attic.md:8: the exit 'up' leads to 'Roof', which has no note in rooms. What it said before still counts."
    ]
    house.edit("rooms/Roof.md", "Sky.\n")
    assert house.look().messages == ["rooms/Roof.md: loaded, as it is new.", "rooms/Attic.md: reloaded."]
    assert house.world.rooms["Attic"].exits["up"] == Exit("up", "Roof")


def test_a_room_that_leads_to_one_that_is_not_valid_is_not_taken_in(house):
    house.edit("rooms/Roof.md", "Sky.\n\n## Exits\n- down\n")
    house.change("rooms/Attic.md", "[[Hall]]", "[[Hall]]\n- **up**: [[Roof]]")
    told = house.look().messages
    assert told[0].startswith("rooms/Roof.md:4: '- down' is not of the form")
    assert told[1].startswith("rooms/Attic.md: the exit 'up' leads to 'Roof', whose note is not valid.")
    assert "up" not in house.world.rooms["Attic"].exits


def test_a_renamed_room_takes_everything_along(house):
    house.world.characters["Ana"].room_id = "Attic"
    (house.root / "rooms/Attic.md").rename(house.root / "rooms/Loft.md")
    taken = house.look()
    assert taken.messages == ["rooms/Loft.md: was Attic before; everything in it came along."]
    world = house.world
    assert list(world.rooms) == ["Loft", "Hall"]
    assert world.characters["Ana"].room_id == "Loft"
    assert world.things["lamp"].place_id == "Loft"
    assert world.rooms["Hall"].exits["north"] == Exit("north", "Loft", ("n",))
    assert "- **north**, n: [[Loft]]" in (house.root / "rooms/Hall.md").read_text()
    assert house.is_as_loaded_anew()


def test_a_room_renamed_by_an_editor_that_changes_the_links_is_the_same(house):
    (house.root / "rooms/Attic.md").rename(house.root / "rooms/Loft.md")
    house.change("rooms/Hall.md", "[[Attic]]", "[[Loft]]")
    assert house.look().messages == ["rooms/Loft.md: was Attic before; everything in it came along."]
    assert house.world.rooms["Hall"].exits["north"] == Exit("north", "Loft", ("n",))
    assert house.is_as_loaded_anew()


def test_a_renamed_room_whose_note_goes_while_it_is_read_keeps_no_other_edit_out(house, monkeypatch):
    attic, hall = house.root / "rooms/Attic.md", house.root / "rooms/Hall.md"
    attic.rename(house.root / "rooms/Loft.md")
    house.change("rooms/Hall.md", "A hall.", "A long hall.")
    read = house.vault.read

    def read_and_remove(*parts):
        note = read(*parts)
        if parts == ("rooms", "Hall.md"):
            hall.unlink(missing_ok=True)
        return note

    monkeypatch.setattr(house.vault, "read", read_and_remove)
    assert "rooms/Loft.md: was Attic before; everything in it came along." in house.look().messages
    assert list(house.world.rooms) == ["Loft", "Hall"]


def test_the_renamed_start_room_is_still_the_start_room(house):
    (house.root / "rooms/Hall.md").rename(house.root / "rooms/Salon.md")
    house.look()
    assert house.world.start_room_id == "Salon"
    assert house.world.rooms["Attic"].exits["south"] == Exit("south", "Salon", ("s",))
    assert house.is_as_loaded_anew()


def test_a_copy_of_a_room_is_no_renaming(house):
    house.edit("rooms/Attic copy.md", (house.root / "rooms/Attic.md").read_text())
    assert house.look().messages == ["rooms/Attic copy.md: loaded, as it is new."]
    assert set(house.world.rooms) == {"Hall", "Attic", "Attic copy"}


def test_who_and_what_is_in_a_deleted_room_comes_to_the_start_room(house):
    ana = house.world.characters["Ana"]
    ana.room_id, ana.awake = "Attic", True
    (house.root / "rooms/Attic.md").unlink()
    taken = house.look()
    assert taken.messages == ["rooms/Attic.md: is gone; who and what was in it is in Hall, and no exit leads there."]
    assert taken.events == [
        SystemMessage("Ana", "Attic is gone. You find yourself in Hall."),
        Left("Ana", "Attic", "", "Hall"),
        Arrived("Ana", "Hall", "Attic"),
        Moved("", "lamp"),
        EntityChanged("", "room", "Hall"),
    ]
    assert (ana.room_id, house.world.things["lamp"].place_id) == ("Hall", "Hall")
    assert house.world.rooms["Hall"].exits == {}
    assert "north" not in (house.root / "rooms/Hall.md").read_text()


def test_the_start_room_cannot_go(house):
    (house.root / "rooms/Hall.md").unlink()
    assert house.look().messages == [
        "rooms/Hall.md: the start room cannot go; put the note back, or name another in config/world.md first."
    ]
    assert "Hall" in house.world.rooms


def test_a_room_that_is_away_for_a_moment_is_not_gone(house):
    text = (house.root / "rooms/Attic.md").read_text()
    (house.root / "rooms/Attic.md").unlink()
    assert house.scan() == ReloadResult()
    house.edit("rooms/Attic.md", text.replace("Dust.", "Light."))
    assert house.scan().messages == ["rooms/Attic.md: reloaded."]
    assert house.world.rooms["Hall"].exits["north"] == Exit("north", "Attic", ("n",))


def test_a_note_that_is_empty_for_a_moment_is_not_taken_in(house):
    house.edit("rooms/Attic.md", "")
    assert house.scan() == ReloadResult()
    assert house.seen.is_waiting
    house.edit("rooms/Attic.md", NOTES["rooms/Attic.md"])
    assert house.look().messages == []
    assert house.world.rooms["Attic"].description == "Dust."


def test_our_own_writing_is_no_edit(house):
    room = house.world.rooms["Attic"]
    room.description, room.properties = "Swept.", {"by": "Ana"}
    house.store.save(("room", "Attic"))
    house.world.things["bag"].writing = "Flour"
    house.store.save(("thing", "bag"))
    assert house.look() == ReloadResult()


def test_an_edit_and_what_is_not_written_yet_both_count(house):
    attic = house.world.rooms["Attic"]
    attic.exits["up"] = Exit("up", "Hall")  # made by a builder, a moment ago
    house.change("rooms/Attic.md", "Dust.\n\n## Exits\n", "Light.\n\n## Exits\n- **down**: [[Hall]]\n")
    assert house.look().events == [EntityChanged("", "room", "Attic")]
    assert (attic.description, sorted(attic.exits)) == ("Light.", ["down", "south", "up"])
    assert house.is_as_loaded_anew()


def test_things_come_change_move_and_go(house):
    house.edit("things/cup.md", "---\nat: '[[bag]]'\n---\nBlue.\n")
    house.change("things/bag.md", "[[Hall]]", "[[Attic]]")
    assert house.look().messages == ["things/bag.md: reloaded.", "things/cup.md: loaded, as it is new."]
    assert (house.world.things["bag"].place_id, house.world.things["cup"].place_id) == ("Attic", "bag")
    assert house.is_as_loaded_anew()
    (house.root / "things/bag.md").unlink()
    assert house.look().messages == ["things/bag.md: is gone, and so is the thing."]
    assert house.world.things["cup"].place_id == "Attic"
    assert house.is_as_loaded_anew()


def test_a_thing_that_somebody_carries_stays_with_them_when_its_words_are_edited(house):
    house.world.things["lamp"].place_id = "Ana"
    house.change("things/lamp.md", "dented", "polished")
    house.look()
    assert (house.world.things["lamp"].place_id, house.world.things["lamp"].description) == ("Ana", "A polished lamp.")


def test_a_thing_whose_note_still_names_a_renamed_room_can_be_edited(house):
    (house.root / "rooms/Attic.md").rename(house.root / "rooms/Loft.md")
    house.look()
    house.change("things/lamp.md", "dented", "polished")
    assert house.look().messages == ["things/lamp.md: reloaded."]
    assert house.world.things["lamp"].place_id == "Loft"


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("Moon", "at is 'Moon', which is not a room, person or thing."),
        ("lamp", "'lamp' would be inside itself (by its own note); put one of them elsewhere."),
    ],
)
def test_a_thing_at_nothing_is_refused_with_its_line(house, place, why):
    house.change("things/lamp.md", "[[Attic]]", f"[[{place}]]")
    assert house.look().messages == [f"things/lamp.md:2: {why} What it said before still counts."]


def test_containers_edited_into_each_other_are_refused_with_both_notes_and_stay(house):
    house.edit("things/box.md", "---\ncontainer: true\nat: '[[bag]]'\n---\n")
    house.look()
    house.change("things/bag.md", "[[Hall]]", "[[box]]")
    assert house.look().messages == [
        "things/bag.md:2: 'bag' would be inside itself (things/box.md); put one of them elsewhere. "
        "What it said before still counts."
    ]
    hall = house.world.rooms["Hall"]
    assert [house.world.containing_room(house.world.things[name]) for name in ("bag", "box")] == [hall, hall]


def test_a_room_that_opened_in_part_is_whole_once_its_note_is_mended(house):
    attic = house.root / "rooms" / "Attic.md"
    whole = attic.read_text()
    house.edit("rooms/Attic.md", whole.replace("---\nD", "tags: [\n---\nD").replace("[[Hall]]", "[[Hell]]"))
    house.known = MergeBase()
    house.world = load_world(house.vault, SETTINGS, house.known)
    house.reload = EntityReloader(house.vault, house.world, house.known)
    assert list(house.reload.broken) == ["rooms/Attic.md"]
    assert house.world.rooms["Attic"] == Room("Attic", "Dust.")
    house.edit("people/Ana.md", "Ana is somebody else.\n")
    assert house.look().messages == ["people/Ana.md: reloaded."]  # what is wrong is not told again at each edit
    house.edit("rooms/Attic.md", whole)
    assert house.look().messages == ["rooms/Attic.md: reloaded."]
    assert house.world.rooms["Attic"] == Room("Attic", "Dust.", {"south": Exit("south", "Hall", ("s",))}, number=2)
    assert (house.reload.broken, house.known.unread, attic.read_text()) == ({}, set(), whole)


def test_a_room_renamed_to_what_something_else_is_called_leaves_the_world_in_order(house):
    (house.root / "rooms" / "Attic.md").rename(house.root / "rooms" / "Bag.md")
    told = house.look().messages
    assert told[0] == "rooms/Bag.md: 'Bag' is the name of something else, 'bag'; give it one of its own. Left out."
    assert (list(house.world.rooms), house.world.things["lamp"].place_id) == (["Hall"], "Hall")


def test_many_new_notes_are_taken_in_without_a_look_at_everything_for_each(house):
    class Listed(LocationIndex[Thing]):
        times = 0

        def __iter__(self) -> Iterator[str]:
            Listed.times += 1
            return super().__iter__()

    house.world.things.__class__ = Listed
    for number in range(60):
        house.edit(f"things/pebble {number}.md", "---\nat: '[[Hall]]'\n---\n")
    house.look()
    assert (len(house.world.things_at("Hall")), Listed.times <= 3) == (61, True)


def test_rooms_that_lead_to_one_another_and_at_last_nowhere_are_looked_at_once_each():
    class Looked(dict[str, Room]):
        times = 0

        def __contains__(self, key: object) -> bool:
            Looked.times += 1
            return super().__contains__(key)

    chain = {f"rooms/{n}.md": Room(str(n), exits={"on": Exit("on", str(n + 1))}) for n in range(2000)}
    refused = broken_exits(chain, Looked())
    assert refused["rooms/0.md"] == "rooms/0.md: the exit 'on' leads to '1', whose note is not valid."
    assert (len(refused), Looked.times <= 3 * len(chain)) == (2000, True)


def test_a_name_that_something_else_has_is_refused(house):
    house.edit("things/hall.md", "---\nat: '[[Hall]]'\n---\n")
    assert house.look().messages == [
        "things/hall.md: 'hall' is the name of something else, 'Hall'; give it one of its own. Left out."
    ]


def test_people_change_come_and_go_but_not_who_is_here(house):
    ana = house.world.characters["Ana"]
    house.edit("people/Ana.md", "Ana is grey with dust.\n")
    house.edit("people/Ben.md", "Ben is tall.\n")
    house.look()
    assert (ana.description, house.world.characters["Ben"].room_id) == ("Ana is grey with dust.", "Hall")
    ana.awake = True
    for name in ("Ana", "Ben"):
        (house.root / f"people/{name}.md").unlink()
    assert house.look().messages == [
        "people/Ana.md: Ana is here, so the note is written again.",
        "people/Ben.md: is gone; Ben starts over when they come back.",
    ]
    assert list(house.world.characters) == ["Ana"]
    assert "Ana is grey with dust." in (house.root / "people/Ana.md").read_text()


def exits_to_nowhere(house: House) -> list[tuple[str, str]]:
    rooms = house.world.rooms
    return [(name, e.room_id) for name, room in rooms.items() for e in room.exits.values() if e.room_id not in rooms]


def begun(house: House, seen: list[int]) -> ReloadResult:
    """Take all steps, and after each look whether every exit leads somewhere."""
    steps = house.reload.apply_in_steps(house.seen.scan())
    while True:
        try:
            next(steps)
        except StopIteration as ended:
            taken: ReloadResult = ended.value
            return taken
        seen.append(len(house.world.rooms))
        assert exits_to_nowhere(house) == []


def test_after_every_step_all_exits_lead_somewhere_and_what_is_new_is_there_at_once(house):
    for number in range(30):
        on = f"- **on**: [[Cave {(number + 1) % 30}]]\n- **out**: [[Hall]]\n"
        house.edit(f"rooms/Cave {number}.md", f"---\nnumber: {number + 10}\n---\nDark.\n\n## Exits\n{on}")
    house.change("rooms/Hall.md", "## Exits", "## Exits\n- **under**: [[Cave 0]]")
    seen: list[int] = []
    told = begun(house, seen).messages
    assert (len(told), set(seen), len(seen)) == (31, {2, 32}, 32)
    assert house.world.rooms["Hall"].exits["under"].room_id == "Cave 0"


def test_what_the_world_writes_between_two_steps_is_kept(house):
    house.change("rooms/Attic.md", "Dust.", "Dust and mice.")
    house.change("rooms/Hall.md", "---\n", "---\ntags: [old]\n")
    steps = house.reload.apply_in_steps(house.seen.scan())
    next(steps)
    next(steps)
    house.world.rooms["Attic"].title = "The Attic"
    house.save(ReloadResult([], [EntityChanged("", "room", "Attic")]))
    run_steps(steps)
    attic = house.world.rooms["Attic"]
    assert (attic.title, attic.description) == ("The Attic", "Dust and mice.")


def test_a_room_that_is_removed_between_two_steps_does_not_come_back(house):
    house.change("rooms/Attic.md", "Dust.", "Dust and mice.")
    house.change("rooms/Hall.md", "number: 1", "number: 1\ntags: [old]")
    steps = house.reload.apply_in_steps(house.seen.scan())
    for _ in range(3):
        next(steps)
    remove_room(house.world, "Attic")
    run_steps(steps)
    assert "Attic" not in house.world.rooms
    assert exits_to_nowhere(house) == []


def test_a_room_whose_note_has_lost_its_number_keeps_it_and_it_is_written_again(tmp_path):
    house = House(tmp_path)
    house.change("rooms/Attic.md", "---\nnumber: 2\n---\nDust.", "Much dust.")
    assert house.look().messages == ["rooms/Attic.md: reloaded."]
    attic = house.world.rooms["Attic"]
    assert (attic.number, attic.description) == (2, "Much dust.")
    assert "number: 2" in (tmp_path / "rooms" / "Attic.md").read_text()
    assert house.look().messages == []
