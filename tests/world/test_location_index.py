"""What is where is known at once, and always as if one had looked everywhere."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from world.commands.table import world_commands
from world.entities import Character, Room, Thing
from world.errors import WorldError
from world.events import Output
from world.game import Game
from world.world import MAX_CONTAINER_DEPTH, World

PLACES = ("Hall", "Attic", "Ana")
NAMES = ("lamp", "coin", "oar", "cup")


def world() -> World:
    """Return two rooms, somebody and two things."""
    rooms, things = [Room("Hall"), Room("Attic")], [Thing("lamp", "Hall"), Thing("coin", "Ana")]
    return World(rooms, things, [Character("Ana", "Hall", awake=True)])


@given(
    st.lists(
        st.tuples(
            st.sampled_from("set del pop move setdefault update ior".split()), *map(st.sampled_from, (NAMES, PLACES))
        )
    )
)
def test_what_is_at_a_place_is_what_one_finds_by_looking_at_everything(changes):
    things = world().things
    for change, name, place in changes:
        match change:
            case "set":
                things[name] = Thing(name, place)
            case "setdefault":
                things.setdefault(name, Thing(name, place))
            case "update":
                things.update({name: Thing(name, place)})
            case "ior":
                things |= {name: Thing(name, place)}
            case "pop":
                things.pop(name, None)
            case "del" if name in things:
                del things[name]
            case "move" if name in things:
                things[name].place_id = place
        for one in PLACES:
            assert things.at(one) == [thing for thing in things.values() if thing.place_id == one]


@given(
    st.lists(st.tuples(st.sampled_from("add gone move awake agent".split()), *map(st.sampled_from, (NAMES, PLACES))))
)
def test_who_has_a_trait_at_a_place_is_who_one_finds_by_looking_at_everybody(changes):
    people = world().characters
    for change, thing, place in changes:
        name = f"Mr {thing}"
        match change:
            case "add":
                people[name] = Character(name, place, awake=place == "Hall", is_agent=True)
            case "gone":
                people.pop(name, None)
            case "move" if name in people:
                people[name].room_id = place
            case "awake" if name in people:
                people[name].awake = not people[name].awake
            case "agent" if name in people:
                people[name].is_agent = place == "Hall"
        for one in PLACES:
            for trait in ("awake", "is_agent"):
                found = [who for who in people.values() if who.room_id == one and getattr(who, trait)]
                assert people.at(one, trait) == found
                assert people.count_at(one, trait) == len(found)
                assert sorted(who.name for who in people.first_at(one, trait)) == sorted(who.name for who in found)


TAKEN = ("Hall", "hall", "LAMP", "ana", "Coin")


@pytest.mark.parametrize("name", TAKEN)
def test_no_two_of_a_world_have_names_that_differ_in_case_alone(name):
    one = world()
    before = {**one.rooms}, {**one.things}, {**one.characters}
    for add in (
        lambda: one.rooms.add([(name, Room(name))]),
        lambda: one.things.add([(name, Thing(name, "Hall"))]),
        lambda: one.add_character(Character(name, "Hall")),
    ):
        with pytest.raises(WorldError, match="name"):
            add()
    assert (one.rooms, one.things, one.characters) == before
    assert one.id_ignoring_case(name.upper()) == next(
        id for table in before for id in table if id.lower() == name.lower()
    )


@pytest.mark.parametrize("rooms", [["Ana"], ["Caf\u00e9", "cafe\u0301"], ["A", "A"], ["lamp"]])
def test_a_world_is_not_made_with_two_of_one_name(rooms):
    with pytest.raises(WorldError):
        World([Room(name) for name in rooms], [Thing("lamp", "Hall")], [Character("ana", rooms[0])])


def test_a_name_is_free_once_nobody_has_it():
    one = copy.deepcopy(world())
    del one.things["lamp"]
    one.add_character(Character("Lamp", "Hall"))
    with pytest.raises(WorldError):
        one.things["lamp"] = Thing("lamp", "Hall")
    assert (one.id_ignoring_case("lamp"), one.id_ignoring_case("oar")) == ("Lamp", None)


def test_a_thousand_bags_in_each_other_are_listed_as_deep_as_they_may_be():
    one = world()
    for number in range(1000):
        place = f"bag {number - 1}" if number else "Ana"
        one.things[f"bag {number}"] = Thing(f"bag {number}", place, is_container=True)
    one.things["sack"] = Thing("sack", "Ana", is_container=True)
    game = Game(one, world_commands())
    (carried,) = game.perform("Ana", "inventory").events
    assert isinstance(carried, Output)
    assert carried.text.count("\n") == MAX_CONTAINER_DEPTH
    assert game.perform("Ana", "put bag 0 in sack").refusal == "things.too_deep: sack"
    assert one.things["bag 0"].place_id == "Ana"


def test_what_came_or_moved_is_told_once():
    things = world().things
    assert [thing.name for thing in things.drain_moved()] == ["lamp", "coin"]
    things["lamp"].place_id = "Attic"
    things["lamp"].place_id = "Ana"
    things["lamp"].title = "brass lamp"
    things["oar"] = Thing("oar", "Hall")
    things["cup"] = Thing("cup", "Hall")
    del things["cup"]
    assert [thing.thing_id for thing in things.drain_moved()] == ["lamp", "oar"]
    assert things.drain_moved() == []


def test_nothing_hears_of_a_copy_or_of_what_is_gone():
    one = world()
    lamp = one.things["lamp"]
    copies = [copy.copy(lamp), copy.deepcopy(lamp), replace(lamp), one.things.pop("lamp")]
    one.things.drain_moved()
    for thing in copies:
        thing.place_id = "Attic"
    assert (one.things_at("Attic"), one.things.drain_moved()) == ([], [])


def test_a_copy_of_a_whole_world_lives_by_itself():
    one = world()
    another = copy.deepcopy(one)
    another.things["lamp"].place_id = "Attic"
    assert [thing.name for thing in another.things_at("Attic")] == ["lamp"]
    assert one.things_at("Hall") == [one.things["lamp"]]
    assert (
        another.things_at("Ana") == [another.things["coin"]] != [] and another.things["coin"] is not one.things["coin"]
    )
