"""The numbers by which client mappers know rooms."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from server.gmcp.rooms import LARGEST, RoomNumbers, derived
from world.entities import Room
from world.world import World


def numbers(*rooms: Room, derive=derived) -> dict[str, int]:
    found = RoomNumbers(World(rooms), derive)
    return {room.room_id: found.of(room.room_id) for room in rooms}


def test_a_room_has_the_number_of_its_note():
    assert numbers(Room("Hall", number=7), Room("Attic", number=3)) == {"Hall": 7, "Attic": 3}


def test_a_room_without_one_has_the_same_at_every_start():
    # As b2sum has it: printf Hall | b2sum -l 64, as a number modulo 2^31 - 1, and one more.
    assert numbers(Room("Hall")) == {"Hall": 1652401246}


@given(st.text())
def test_a_derived_number_is_one_that_every_mapper_can_count(room_id):
    assert 1 <= derived(room_id) <= LARGEST


def test_rooms_that_would_have_one_number_get_the_next_ones_in_the_order_of_their_ids():
    rooms = [Room("C"), Room("A"), Room("B"), Room("Taken", number=43)]
    expected = {"A": 42, "B": 44, "C": 45, "Taken": 43}
    assert numbers(*rooms, derive=lambda room_id: 42) == expected
    assert numbers(*reversed(rooms), derive=lambda room_id: 42) == expected


def test_behind_the_largest_number_comes_one():
    assert numbers(Room("A"), Room("B"), derive=lambda room_id: LARGEST) == {"A": LARGEST, "B": 1}


def test_of_two_notes_with_one_number_the_first_in_the_alphabet_has_it():
    found = numbers(Room("B", number=5), Room("A", number=5), derive=lambda room_id: 9)
    assert found == {"A": 5, "B": 9}


def test_a_number_too_large_for_a_mapper_is_not_given_out():
    assert numbers(Room("A", number=LARGEST + 1), derive=lambda room_id: 9) == {"A": 9}


def test_a_room_that_is_new_gets_a_number_when_it_is_asked_for():
    world = World([Room("A", number=1)])
    found = RoomNumbers(world)
    assert found.of("A") == 1
    world.rooms["B"] = Room("B", number=2)
    assert found.of("B") == 2
