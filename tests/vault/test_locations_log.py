"""A move costs a line, and none is lost that was saved, whenever the world is stopped."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vault.failing_disk import FailingDisk, Stopped
from tests.vault.vault_of import vault_of
from vault import locations_log as module
from vault.errors import NoteError
from vault.locations_log import DRAFT, LOCATIONS, MIN_LINES_TO_COMPACT, LocationsLog
from vault.vault import Vault
from world.entities import Character, Room, Thing
from world.world import World

NAMES = [f"thing {number}" for number in range(8)]
PLACES = ["Hall", "Attic", "Ana", "thing 0"]


def world() -> World:
    """Return two rooms, somebody and eight things."""
    things = [Thing(name, "Hall", is_container=name == "thing 0") for name in NAMES]
    return World([Room("Hall", number=1), Room("Attic", number=2)], things, [Character("Ana", "Hall")])


def restored(vault: Vault) -> dict[str, str]:
    """Return where everyone and everything is in a world that begins now."""
    again = world()
    LocationsLog(Vault(vault.root), again).restore()
    return places(again)


def places(one: World) -> dict[str, str]:
    """Return where everyone and everything is."""
    found = {thing.thing_id: thing.place_id for thing in one.things.values()}
    return found | {character.name: character.room_id for character in one.characters.values()}


def text(root: Path) -> str:
    """Return the list as it is on disk."""
    return root.joinpath(*LOCATIONS).read_text()


def test_a_move_adds_one_line(tmp_path):
    one, vault = world(), Vault(tmp_path)
    whereabouts = LocationsLog(vault, one)
    whereabouts.save()
    before = text(tmp_path)
    one.things["thing 3"].place_id = "Ana"
    one.characters["Ana"].room_id = "Attic"
    whereabouts.save()
    assert text(tmp_path) == f"{before}- [[Ana]]: [[Attic]]\n- [[thing 3]]: [[Ana]]\n"
    assert restored(vault) == places(one)


def test_where_nothing_moved_nothing_is_written(tmp_path):
    disk = FailingDisk()
    one = world()
    whereabouts = LocationsLog(Vault(tmp_path, disk), one)
    whereabouts.save()
    done = len(disk.done)
    one.things["thing 1"].place_id = "Attic"
    one.things["thing 1"].place_id = "Hall"
    whereabouts.save()
    assert len(disk.done) == done


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ("- [[Ana]]: [[Attic]]\n- [[Ana]]: [[Hall]]", {"Ana": "Attic"}),  # the last line was cut off
        ("- [[Ana]]: [[Attic]]\n- [[Ana]]: [[Nowhere]]\n- [[Ana]]: [[Hall]]\n", {"Ana": "Hall"}),
        ("## Characters\n\nhello\n- [[Ana]]\n- : \n- [[Ana]]: [[Attic]]\n## Things\n- x\n", {"Ana": "Attic"}),
        (
            # a list of an older vault
            "Written by the world.\n\n## Characters\n- [[Ana]]: [[Attic]]\n\n## Things\n- [[thing 2]]: [[Ana]]\n",
            {"Ana": "Attic", "thing 2": "Ana"},
        ),
        (
            # things in what is no more, and stood in nothing else that is there
            "- [[thing 1]]: [[Guest1]]\n- [[Guest1]]: [[box]]\n- [[box]]: [[Guest1]]\n- [[thing 2]]: [[Guest2]]\n",
            {"thing 1": "Hall", "thing 2": "Hall"},
        ),
    ],
)
def test_the_last_whole_line_about_somebody_or_something_that_can_be_true_counts(tmp_path, lines, found):
    vault = vault_of(tmp_path, {"/".join(LOCATIONS): lines})
    assert {name: place for name, place in restored(vault).items() if name in found} == found


def test_a_guest_whom_a_crash_left_in_the_list_is_forgotten_and_somebody_with_a_broken_note_is_not(tmp_path):
    lines = ["- [[Guest1]]: [[Attic]]", "- [[Zed]]: [[Attic]]", "- [[thing 2]]: [[Guest1]]"]
    broken = {"people/Zed.md": "---\nrole: [\n---\n", "/".join(LOCATIONS): "\n".join([*lines, ""])}
    one, vault = world(), vault_of(tmp_path, broken)
    whereabouts = LocationsLog(vault, one)
    whereabouts.restore()
    whereabouts.save()
    assert places(one)["thing 2"] == "Attic"  # where the guest was who had it
    assert ("Guest1" in text(tmp_path), "- [[Zed]]: [[Attic]]\n" in text(tmp_path)) == (False, True)


def test_a_guest_who_has_gone_is_forgotten_when_the_list_is_shortened(tmp_path):
    one = world()
    one.add_character(Character("Guest1", "Hall"))
    whereabouts = LocationsLog(Vault(tmp_path), one)
    whereabouts.save()
    del one.characters["Guest1"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MIN_LINES_TO_COMPACT", 4)
        patch.setattr(module, "COMPACT_FACTOR", 1)
        for place in ("Attic", "Ana", "Hall", "Attic"):
            one.things["thing 1"].place_id = place
            whereabouts.save()
    assert "Guest1" not in text(tmp_path)


def test_no_room_gets_the_number_of_one_that_is_gone(tmp_path):
    one, vault = world(), Vault(tmp_path)
    whereabouts = LocationsLog(vault, one)
    whereabouts.save()
    one.rooms["Cellar"] = Room("Cellar", number=one.next_number())
    whereabouts.save()
    del one.rooms["Cellar"]
    again = world()
    LocationsLog(vault, again).restore()
    assert again.next_number() == 4


def test_what_somebody_else_has_written_meanwhile_is_replaced_by_the_whole_list(tmp_path):
    one, vault = world(), Vault(tmp_path)
    whereabouts = LocationsLog(vault, one)
    one.things["thing 1"].place_id = "Attic"
    whereabouts.save()
    for change in (
        lambda path: path.unlink(),
        lambda path: path.write_text("mine"),
        lambda path: path.rename(tmp_path / "x"),
    ):
        change(tmp_path.joinpath(*LOCATIONS))
        one.characters["Ana"].room_id = "Attic" if one.characters["Ana"].room_id == "Hall" else "Hall"
        whereabouts.save()
        assert restored(vault) == places(one)


def test_a_move_that_could_not_be_written_is_written_with_the_next(tmp_path):
    disk = FailingDisk()
    one, vault = world(), Vault(tmp_path, disk)
    whereabouts = LocationsLog(vault, one)
    whereabouts.save()
    one.things["thing 1"].place_id = "Attic"
    with disk.full(), pytest.raises(NoteError, match="No space left"):
        whereabouts.save()
    one.things["thing 2"].place_id = "Ana"
    whereabouts.save()
    assert restored(vault) == places(one)


def test_a_list_that_has_grown_long_is_shortened_in_pieces(tmp_path):
    one, vault = world(), Vault(tmp_path)
    whereabouts = LocationsLog(vault, one)
    longest = 0
    for turn in range(2 * MIN_LINES_TO_COMPACT):
        one.things["thing 1"].place_id = PLACES[turn % 3]
        whereabouts.save()
        longest = max(longest, text(tmp_path).count("\n") if turn % 50 == 0 else 0)
    assert MIN_LINES_TO_COMPACT - 50 < longest < MIN_LINES_TO_COMPACT + 100
    assert text(tmp_path).count("\n") < MIN_LINES_TO_COMPACT
    assert restored(vault) == places(one)
    assert not tmp_path.joinpath(*DRAFT).exists()


@given(
    st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(PLACES)), min_size=1, max_size=40),
    st.integers(0, 80),
    st.booleans(),
)
def test_whoever_stops_the_world_at_any_moment_loses_no_move_that_was_saved(tmp_path_factory, moves, after, stops):
    disk = FailingDisk()
    one, vault = world(), Vault(tmp_path_factory.mktemp("vault"), disk)
    whereabouts = LocationsLog(vault, one)
    seen = dict.fromkeys([*NAMES, "Ana"], "Hall")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MIN_LINES_TO_COMPACT", 4)
        patch.setattr(module, "COMPACT_FACTOR", 1)
        patch.setattr(module, "PIECE_LINES", 3)
        with disk.stopping(after) if stops else disk.full(after):
            for name, place in moves:
                one.things[name].place_id = place if place != name else "Hall"
                try:
                    whereabouts.save()
                except NoteError:
                    continue
                except Stopped:
                    break
                seen = places(one)
    if not stops:
        whereabouts.save()
        seen = places(one)
    found = restored(vault)
    moving = {name for name in seen if found[name] != seen[name]}
    assert moving <= ({name} if stops else set())
