"""Edits of rooms, things and people come into force; what is not valid changes nothing and is told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.settings import WorldSettings
from tests.vault.vault_of import vault_of
from vault.entities.agent_notes import load_agent
from vault.entities.load import load_world
from vault.entities.merge_base import MergeBase
from vault.entities.reload import EntityReloader, ReloadResult, run_steps
from vault.entities.store import EntityStore, NoteBusy
from vault.errors import NoteError
from vault.locations_log import LocationsLog
from vault.vault import Vault
from vault.watch import CUT_SECONDS, MISSING_SECONDS, ChangeScanner
from world.edits import hide_character, missing_entities, prune
from world.entities import Character, Exit, Room, Thing
from world.events import EntityChanged, SystemMessage
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

    def __init__(self, root: Path, notes: Mapping[str, str] = NOTES) -> None:
        self.root = root
        self.vault = vault_of(root, notes)
        self.now = 0.0
        self.known = MergeBase(seconds=lambda: self.now)
        self.world = load_world(self.vault, SETTINGS, self.known)
        self.seen = ChangeScanner(self.vault, self.known.texts, lambda: self.now)
        self.seen.baseline()
        self.store = EntityStore(self.vault, self.world, self.known)
        self.reload = EntityReloader(self.vault, self.world, self.known)
        self.log = LocationsLog(self.vault, self.world)

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
        """Take in what has changed, with a look some time later at what seems to be gone; save what that altered."""
        taken = self.scan()
        if self.seen.is_waiting:
            self.now += MISSING_SECONDS
            more = self.scan()
            taken = ReloadResult([*taken.messages, *more.messages], [*taken.events, *more.events])
        self.save(taken)
        return taken

    def save(self, taken: ReloadResult) -> None:
        """Write what is not as its note says, as the running world does."""
        for event in taken.events:
            if isinstance(event, EntityChanged):
                self.store.save((event.kind, event.entity_id))
        self.log.save()

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


def test_exits_to_missing_entities_are_closed_until_the_room_is_there(house):
    house.change("rooms/Attic.md", "- **south**", "- **up**: [[Roof]]\n- **south**")
    assert house.look().messages == [
        "rooms/Attic.md: reloaded.",
        "rooms/Attic.md: the exit 'up' leads to 'Roof', which has no note in rooms; it is closed until there is one.",
    ]
    attic = house.world.rooms["Attic"]
    assert list(attic.exits) == ["south"]
    attic.description = "Swept."
    house.store.save(attic.ref)
    assert "- **up**: [[Roof]]\n- **south**" in (house.root / "rooms/Attic.md").read_text()
    house.edit("rooms/Roof.md", "---\nnumber: 3\n---\nSky.\n")
    assert house.look().messages == ["rooms/Roof.md: loaded, as it is new."]
    assert attic.exits == {"up": Exit("up", "Roof"), "south": Exit("south", "Hall", ("s",))}
    assert house.is_as_loaded_anew()


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


def test_the_renamed_start_room_is_still_the_start_room(house):
    (house.root / "rooms/Hall.md").rename(house.root / "rooms/Salon.md")
    house.look()
    assert house.world.start_room_id == "Salon"
    assert house.world.rooms["Attic"].exits["south"] == Exit("south", "Salon", ("s",))
    assert house.is_as_loaded_anew()


COPIES = [
    *("Attic.sync-conflict-20261127-120000-ABCDEF7", "Attic (Ana's conflicted copy 2026-11-27)"),
    *("Attic (conflicted copy 2026-11-27 120000)", "Attic (Conflicted copy laptop 202611271200)"),
    *("Attic (In Konflikt stehende Kopie von Ana 2026-11-27)", "Attic_conflict-20261127-120000"),
    *("Attic (SFConflict ana@inn.example 2026-11-27-12-00-00)", "Attic (conflict 20261127-120000)"),
    *("Attic_laptop_Nov-27-120000-2026_Conflict", "Attic_BACKUP_4711", "Attic.orig", "Attic.bak", "Attic~", "#Attic#"),
    *("Attic 2", "Attic copy", "Attic copy 3", "Attic - Kopie", "Attic - Copy (2)", "Attic (1)", "Attic-DESKTOP-4F2A"),
    *("Copy of Attic", "Copy (2) of Attic", "Kopie von Attic", "Attic (copy)", "Attic (another copy)", "Attic_backup"),
    *("Attic-copy", "Attic.conflict1", "Attic.path2", "Attic (wersja 1)", "Attic — копия", "Attic.theirs", "Attic_1"),
]


@pytest.mark.parametrize("name", COPIES)
def test_sync_copies_never_come_alive(tmp_path, name):
    house = House(tmp_path)
    for folder, original in (("rooms", "Attic"), ("things", "lamp"), ("people", "Ana")):
        text = (tmp_path / folder / f"{original}.md").read_text()
        house.edit(f"{folder}/{name.replace('Attic', original)}.md", text + "\nThe copy has a line of its own.\n")
    told = house.look().messages
    assert all("is named like a sync copy of" in sentence for sentence in told)
    assert (set(house.world.rooms), len(house.world.things), len(house.world.characters)) == ({"Hall", "Attic"}, 2, 1)
    assert house.is_as_loaded_anew()


COPY = "rooms/Cellar.md: has the number of rooms/Attic.md and says nearly the same, so it is a copy and not loaded."


def test_a_copy_of_a_room_under_any_name_is_refused_until_the_original_is_gone(house):
    house.edit("rooms/Cellar.md", NOTES["rooms/Attic.md"] + "\nDamp.\n")
    told = house.look().messages
    assert (len(told), told[0].startswith(COPY), set(house.world.rooms)) == (1, True, {"Hall", "Attic"})
    assert house.look().messages == []
    assert house.is_as_loaded_anew()
    (house.root / "rooms/Attic.md").unlink()
    assert "rooms/Cellar.md: was Attic before; everything in it came along." in house.look().messages
    assert house.is_as_loaded_anew()


def test_a_copy_of_a_room_that_is_linked_or_has_another_number_comes_alive(house):
    house.edit("rooms/Cellar.md", NOTES["rooms/Attic.md"])
    house.change("rooms/Hall.md", "## Exits", "## Exits\n- **down**: [[Cellar]]")
    house.edit("rooms/Crypt.md", NOTES["rooms/Attic.md"].replace("number: 2", "number: 7"))
    house.look()
    house.look()
    assert set(house.world.rooms) == {"Hall", "Attic", "Cellar", "Crypt"}
    assert house.is_as_loaded_anew()


def test_numbered_names_of_other_things_come_alive(house):
    house.edit("rooms/Attic 2.md", "---\nnumber: 7\n---\nA second attic.\n")
    house.edit("things/lamp 2.md", "---\nat: '[[Hall]]'\n---\nTall, of brass.\n")
    house.look()
    assert "Attic 2" in house.world.rooms and "lamp 2" in house.world.things


def test_a_deleted_room_is_hidden_and_comes_back_with_all_that_it_had(house):
    world, path = house.world, house.root / "rooms/Attic.md"
    world.put(Character("Ben", "Attic", awake=True))
    world.characters["Ana"].room_id = "Attic"
    hall, text = (house.root / "rooms/Hall.md").read_text(), path.read_text()
    path.unlink()
    taken = house.look()
    assert taken.messages == [
        "rooms/Attic.md: is gone. Its people are in Hall; its exits and what is in it come back with the note. "
        "What it said is in .trash/rooms/Attic.md."
    ]
    assert SystemMessage("Ben", "Attic is gone. You find yourself in Hall.") in taken.events
    assert (world.rooms["Hall"].exits, world.things_at("Hall")) == ({}, [world.things["bag"]])
    assert (house.root / "rooms/Hall.md").read_text() == hall
    again = load_world(Vault(house.root), SETTINGS)
    assert (again.rooms["Hall"].exits, again.things["lamp"].place_id) == ({}, "Attic")
    path.write_text(text)
    assert house.look().messages == ["rooms/Attic.md: is back, and so is what led there or was in it."]
    assert world.rooms["Hall"].exits == {"north": Exit("north", "Attic", ("n",))}
    assert {name: one.room_id for name, one in world.characters.items()} == {"Ana": "Attic", "Ben": "Hall"}
    assert world.things["lamp"].place_id == "Attic"


def test_what_led_to_a_missing_room_goes_when_it_is_pruned(house):
    (house.root / "rooms/Attic.md").unlink()
    house.look()
    assert list(missing_entities(house.world)) == ["Attic"]
    house.save(ReloadResult([], prune(house.world, "Attic")))
    assert missing_entities(house.world) == {}
    assert "north" not in (house.root / "rooms/Hall.md").read_text()
    assert house.world.things["lamp"].place_id == "Hall"
    assert house.is_as_loaded_anew()


INN = NOTES | {
    "rooms/Loft.md": "---\nnumber: 3\n---\nBare.\n",
    "things/box.md": "---\nat: '[[Hall]]'\ncontainer: true\n---\nA box.\n",
    "things/cup.md": "---\nat: '[[Hall]]'\n---\nA cup.\n",
    "things/key.md": "---\nat: '[[Hall]]'\n---\nA key.\n",
    "agents/Moss/agent.md": "---\nroom: '[[Hall]]'\n---\nYou are Moss.\n",
}
PLACES = {"Ana": "Attic", "Moss": "Loft", "bag": "Ana", "box": "bag", "cup": "box", "lamp": "Loft", "key": "Moss"}
AWAY = ["rooms/Attic.md", "rooms/Loft.md", "things/bag.md", "things/box.md", "things/cup.md", "people/Ana.md"]


class Inn(House):
    """A world in which everything has left its start place, with boxes in boxes; what is away comes back some day."""

    def __init__(self, root: Path) -> None:
        super().__init__(root, INN)
        for name, place in PLACES.items():
            one = self.world.things.get(name) or self.world.characters[name]
            setattr(one, one.PLACE, place)
        self.log.save()

    @property
    def places(self) -> dict[str, str]:
        world = self.world
        return {one.id: one.location_id for table in (world.characters, world.things) for one in table.values()}

    def restart(self) -> None:
        """End without a word, as by kill -9, and begin again."""
        self.log.close()
        super().__init__(self.root, {})
        self.log.save()

    def toggle(self, source: str) -> None:
        """Take a note away, or bring it back; the world sees that at its next look or start."""
        note, away = self.root / source, self.root / "elsewhere" / source
        away.parent.mkdir(parents=True, exist_ok=True)
        (note.replace(away) if note.exists() else away.replace(note)) if note.exists() or away.exists() else None

    def look(self) -> ReloadResult:
        """Take in what has changed, agents as the server does."""
        is_there = self.vault.exists("agents/Moss/agent.md")
        if is_there and "Moss" not in self.world.characters:
            self.world.add_character(load_agent(self.vault, "Moss").character)
        elif not is_there and "Moss" in self.world.characters:
            hide_character(self.world, "Moss")
        return super().look()


@given(st.lists(st.sampled_from([*AWAY, "agents/Moss/agent.md", "look", "restart"]), max_size=14), st.booleans())
def test_notes_that_were_away_come_back_with_place_and_contents(tmp_path_factory, acts, is_running):
    inn = Inn(tmp_path_factory.mktemp("inn"))
    for act in acts:
        inn.toggle(act) if act not in ("look", "restart") else getattr(inn, act)()
    for source in [*AWAY, "agents/Moss/agent.md"]:
        if not (inn.root / source).exists():
            inn.toggle(source)
    inn.look() if is_running else inn.restart()
    assert inn.places == PLACES
    inn.restart()
    assert inn.places == PLACES
    assert missing_entities(inn.world) == {}
    inn.log.close()


@pytest.mark.parametrize("restarts", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize(("source", "start"), [("things/box.md", "Hall"), ("people/Ana.md", "Hall")])
def test_notes_that_were_away_and_let_go_start_over(tmp_path, source, start, restarts):
    inn, name = Inn(tmp_path), Path(source).stem
    inside = [thing for thing, place in PLACES.items() if place == name]
    for act, restart in zip(
        (lambda: inn.toggle(source), lambda: inn.save(ReloadResult([], prune(inn.world, name)))), restarts, strict=True
    ):
        act()
        inn.restart() if restart else inn.look()
    was = inn.places
    inn.toggle(source)
    inn.look()
    assert inn.places == was | {name: start}
    assert {inn.world.things[thing].place_id for thing in inside} == {PLACES[name]}
    inn.log.close()


def test_the_start_room_cannot_go_and_its_note_is_written_again_with_what_was_not_saved(house):
    (house.root / "rooms/Hall.md").unlink()
    house.world.rooms["Hall"].properties["mood"] = "calm"
    assert house.look().messages == [
        "rooms/Hall.md: the start room cannot go before config/world.md names another, so the note is written again."
    ]
    assert house.look().messages == []
    assert "mood: calm" in (house.root / "rooms/Hall.md").read_text()
    assert house.is_as_loaded_anew()


def test_a_note_behind_a_link_out_of_the_vault_is_refused_by_name(house, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "Cellar.md"
    outside.write_text("Dark.")
    (house.root / "rooms/Cellar.md").symlink_to(outside)
    house.change("rooms/Attic.md", "Dust.", "Light.")
    told = house.look().messages
    assert told[0] == "rooms/Attic.md: reloaded."
    assert "'rooms/Cellar.md' lies outside the vault" in told[1] and told[1].endswith("Left out.")


def test_a_room_that_is_away_for_a_moment_is_not_gone(house):
    text = (house.root / "rooms/Attic.md").read_text()
    (house.root / "rooms/Attic.md").unlink()
    assert house.scan() == ReloadResult()
    house.edit("rooms/Attic.md", text.replace("Dust.", "Light."))
    assert house.scan().messages == ["rooms/Attic.md: reloaded."]
    assert house.world.rooms["Hall"].exits["north"] == Exit("north", "Attic", ("n",))


@pytest.mark.parametrize("length", [0, 20, 40])
def test_a_note_that_is_cut_for_a_moment_is_not_taken_in(house, length):
    house.edit("rooms/Attic.md", NOTES["rooms/Attic.md"][:length])
    assert house.scan() == ReloadResult()
    assert house.seen.is_waiting
    house.edit("rooms/Attic.md", NOTES["rooms/Attic.md"])
    assert house.look().messages == []
    assert house.world.rooms["Attic"].description == "Dust."


def test_a_note_that_stays_cut_counts_and_what_it_said_is_kept(house):
    house.edit("rooms/Attic.md", NOTES["rooms/Attic.md"][:25])
    assert house.scan() == ReloadResult()
    house.now += CUT_SECONDS
    assert house.scan().messages[0] == (
        "rooms/Attic.md: was cut short; what it said before is in .trash/rooms/Attic.md."
    )
    assert (house.root / ".trash/rooms/Attic.md").read_text() == NOTES["rooms/Attic.md"]


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


def written(house: House, **properties: str) -> str:
    """Have the world set properties of the attic; return the note as an editor has it that opened it before."""
    text = (house.root / "rooms/Attic.md").read_text()
    house.world.rooms["Attic"].properties |= properties
    house.store.save(("room", "Attic"))
    return text


@pytest.mark.parametrize("more", ["Light.", "Dust.\n%% Light. %%", "Dust.\n\n## To do\nLight."])
def test_an_older_copy_with_an_edit_loses_nothing_that_the_world_wrote(house, more):
    older = written(house, mood="calm")
    house.edit("rooms/Attic.md", older.replace("Dust.", more))
    told = "rooms/Attic.md: was saved from an older copy; what the world wrote is written again: mood."
    assert told in house.look().messages
    text = (house.root / "rooms/Attic.md").read_text()
    assert "Light." in text and "mood: calm" in text
    house.edit("rooms/Attic.md", older.replace("Dust.", "Bright."))  # once more: it is meant
    house.look()
    assert house.world.rooms["Attic"].properties == {}
    assert "mood: calm" in (house.root / ".trash/rooms/Attic.md").read_text()


@pytest.mark.parametrize("edit", [lambda text: text, lambda text: text.replace("number: 2", "number: 2\nmood: wild")])
def test_an_edit_that_replaces_what_the_world_wrote_counts_and_the_loser_is_kept(house, edit):
    older = written(house, mood="calm")
    house.edit("rooms/Attic.md", edit(older))
    told = house.look().messages
    assert told[-1] == (
        "rooms/Attic.md: the edit replaces what the world wrote: mood; the version before is in .trash/rooms/Attic.md."
    )
    assert (house.root / "rooms/Attic.md").read_text() == edit(older)
    assert "mood: calm" in (house.root / ".trash/rooms/Attic.md").read_text()


def test_an_edit_and_a_change_not_yet_written_of_the_same_words_both_stand(house):
    house.world.rooms["Attic"].description = "Swept."
    house.change("rooms/Attic.md", "Dust.", "Light.")
    with pytest.raises(NoteBusy):
        house.store.save(("room", "Attic"))
    house.look()
    assert house.world.rooms["Attic"].description == "Light."
    assert "Swept." in (house.root / ".trash/rooms/Attic.md").read_text()


def test_a_new_note_and_what_the_world_already_knows_of_it_both_count(house):
    house.world.put(Character("Ben", "Hall", preferences={"hush": "Ana"}))
    house.edit("people/Ben.md", "Ben is tall.\n")
    with pytest.raises(NoteBusy):
        house.store.save(("character", "Ben"))
    house.look()
    ben = house.world.characters["Ben"]
    assert (ben.description, ben.preferences) == ("Ben is tall.", {"hush": "Ana"})
    assert "hush: Ana" in (house.root / "people/Ben.md").read_text()


def test_an_edit_that_has_seen_what_the_world_wrote_may_remove_it(house):
    written(house, mood="calm")
    house.change("rooms/Attic.md", "Dust.", "Light.")
    house.look()
    house.change("rooms/Attic.md", "mood: calm\n", "")
    assert house.look().messages[0] == "rooms/Attic.md: reloaded."
    assert house.world.rooms["Attic"].properties == {}
    assert "mood: calm" in (house.root / ".trash/rooms/Attic.md").read_text()


MARKED = "<<<<<<< HEAD\n- **up**: [[Hall]]\n=======\n- **down**: [[Hall]]\n>>>>>>> ana\n"


def test_conflict_markers_are_refused_and_at_a_start_the_first_side_counts(house):
    text = (house.root / "rooms/Attic.md").read_text() + MARKED
    house.edit("rooms/Attic.md", text)
    assert house.look().messages == [
        "rooms/Attic.md:8: both sides of a merge conflict stand here, '<<<<<<<' to '>>>>>>>'; keep one of them. "
        "What it said before still counts."
    ]
    known = MergeBase()
    world = load_world(Vault(house.root), SETTINGS, known)
    assert list(world.rooms["Attic"].exits) == ["south", "up"]
    world.rooms["Attic"].description = "Swept."
    with pytest.raises(NoteError):
        EntityStore(house.vault, world, known).save(("room", "Attic"))
    assert (house.root / "rooms/Attic.md").read_text() == text


@pytest.mark.parametrize(
    "link",
    ["[[rooms/Hall|down]]", "[[Hall.md]]", "[[../rooms/Hall.md#Exits|x]]", "[down](rooms/Hall.md)", "[d](<Hall.md>)"],
)
@pytest.mark.parametrize("heading", ["## Exits:", "### Exits", "# exits", "## EXITS"])
def test_links_and_headings_of_obsidian_are_understood(house, link, heading):
    house.change("rooms/Attic.md", "## Exits\n- **south**, s: [[Hall]]", f"{heading}\n- **south**, s: {link}")
    house.look()
    assert house.world.rooms["Attic"].exits == {"south": Exit("south", "Hall", ("s",))}
    assert house.is_as_loaded_anew()


@pytest.mark.parametrize(
    ("heading", "why"),
    [
        ("Exits\n-----", "'Exits' is underlined, so it is no section; write '## Exits'."),
        ("Exits:\n===", "'Exits:' is underlined, so it is no section; write '## Exits'."),
        ("## Exists", "nothing reads the section 'Exists'; did you mean '## Exits'?"),
    ],
)
def test_headings_that_are_nearly_right_are_named(house, caplog, heading, why):
    house.change("rooms/Attic.md", "## Exits", heading)
    assert f"rooms/Attic.md:6: {why}" in house.look().messages
    load_world(Vault(house.root), SETTINGS)
    assert f"rooms/Attic.md:6: {why}" in [record.getMessage() for record in caplog.records]


def test_things_come_change_move_and_go(house):
    house.edit("things/cup.md", "---\nat: '[[bag]]'\n---\nBlue.\n")
    house.change("things/bag.md", "[[Hall]]", "[[Attic]]")
    assert house.look().messages == ["things/bag.md: reloaded.", "things/cup.md: loaded, as it is new."]
    assert (house.world.things["bag"].place_id, house.world.things["cup"].place_id) == ("Attic", "bag")
    assert house.is_as_loaded_anew()
    (house.root / "things/bag.md").unlink()
    assert house.look().messages == [
        "things/bag.md: is gone, and so is the thing. What it said is in .trash/things/bag.md."
    ]
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
    assert (list(house.world.rooms), house.world.things["lamp"].place_id) == (["Hall"], "Attic")


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
        "people/Ben.md: is gone; Ben starts over when they come back. What it said is in .trash/people/Ben.md.",
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
    assert (len(told), len(seen), seen[-1]) == (31, 31, 32)
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


def test_a_room_whose_note_has_lost_its_number_keeps_it_and_it_is_written_again(tmp_path):
    house = House(tmp_path)
    house.change("rooms/Attic.md", "---\nnumber: 2\n---\nDust.", "Much dust.")
    assert house.look().messages == ["rooms/Attic.md: reloaded."]
    attic = house.world.rooms["Attic"]
    assert (attic.number, attic.description) == (2, "Much dust.")
    assert "number: 2" in (tmp_path / "rooms" / "Attic.md").read_text()
    assert house.look().messages == []


def test_of_many_notes_that_are_gone_each_is_a_step_of_its_own(house):
    for number in range(30):
        house.edit(f"things/pebble {number}.md", "---\nat: '[[Hall]]'\n---\n")
    house.look()
    for note in (house.root / "things").glob("pebble *.md"):
        note.unlink()
    house.scan()
    house.now += MISSING_SECONDS
    left = [len(house.world.things) for _ in house.reload.apply_in_steps(house.seen.scan())]
    assert left == list(range(32, 2, -1))
