"""Rooms as clients are sent them, their numbers, and when they are sent again."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.task import Clock

from config.settings import ServerSettings
from server.connection.connection import Message
from server.gmcp.packages import MAX_ROOM_NUMBER, RoomNumbers, hash_room_id, items_of
from tests.server.front_door import lobby_of
from tests.server.gmcp.talking import ALL, Talker
from tests.world.inn import inn_game
from world.entities import Character, Role, Room
from world.room_view import MAX_VISIBLE
from world.world import World


@pytest.mark.parametrize(
    ("rooms", "derived", "numbers"),
    [
        ([Room("Hall", number=7), Room("Attic", number=3)], None, {"Hall": 7, "Attic": 3}),
        # As b2sum has it: printf Hall | b2sum -l 64, as a number modulo 2^31 - 1, and one more.
        ([Room("Hall")], None, {"Hall": 1652401246}),
        (
            [Room("C"), Room("A"), Room("B"), Room("Taken", number=43)],
            42,
            {"A": 42, "B": 44, "C": 45, "Taken": 43},
        ),
        ([Room("A"), Room("B")], MAX_ROOM_NUMBER, {"A": MAX_ROOM_NUMBER, "B": 1}),
        ([Room("B", number=5), Room("A", number=5)], 9, {"A": 5, "B": 9}),
        ([Room("A", number=MAX_ROOM_NUMBER + 1)], 9, {"A": 9}),
    ],
    ids=[
        "the number of the note",
        "without one the same at every start",
        "what is taken goes to the next in the order of ids",
        "behind the largest comes one",
        "of two notes the first in the alphabet has it",
        "none that is too large for a mapper",
    ],
)
def test_each_room_has_a_number_of_its_own_whatever_the_order_of_rooms(rooms, derived, numbers):
    derive = (lambda room_id: derived) if derived else hash_room_id
    for world in (World(rooms), World(rooms[::-1])):
        found = RoomNumbers(world, derive)
        assert {room.room_id: found.of(room.room_id) for room in rooms} == numbers


@given(st.text())
def test_a_derived_number_is_one_that_every_mapper_can_count(room_id):
    assert 1 <= hash_room_id(room_id) <= MAX_ROOM_NUMBER


NAMES = ("Ana", "Ben", "Cat")
LINES = (
    "north south out in down up east west go~house~door get~all drop~all get~brass~lamp drop~brass~lamp get~apples "
    "give~copper~coin~to~Ben give~copper~coin~to~Ana put~slate~in~bag get~slate~from~bag put~copper~coin~in~bag "
    "get~bag say~hello whisper~Ben~hello :waves. shout~hey tell~Cat~hello follow~Ana follow~Ben unfollow afk~tea look "
    "quit @create~a~kettle @destroy~kettle @rename~here~to~The~Room @dig~hatch~to~Attic @teleport~me~to~The~Yard !"
).split()


class Listener:
    """What a client knows by what it was told."""

    def __init__(self, talker: Talker) -> None:
        self.talker = talker
        self.room: dict[str, Any] = {}
        self.people: set[str] = set()
        self.items: dict[str, dict[str, Any]] = {"room": {}, "inv": {}}
        self.status: dict[str, str] = {}

    def take_in(self) -> None:
        """Follow what was told since the last time."""
        told: list[tuple[str, Any]] = self.talker.connection.told[:]
        self.talker.connection.told.clear()
        for package, payload in told:
            match package:
                case "Room.Info":
                    self.room = payload
                case "Room.Players":
                    self.people = {one["name"] for one in payload}
                case "Room.AddPlayer":
                    assert payload["name"] not in self.people
                    self.people.add(payload["name"])
                case "Room.RemovePlayer":
                    self.people.remove(payload)
                case "Char.Items.List":
                    self.items[payload["location"]] = {one["id"]: one for one in payload["items"]}
                case "Char.Items.Add":
                    assert payload["item"]["id"] not in self.items[payload["location"]]
                    self.items[payload["location"]][payload["item"]["id"]] = payload["item"]
                case "Char.Items.Update":
                    self.items[payload["location"]][payload["item"]["id"]] = payload["item"]
                case "Char.Items.Remove":
                    del self.items[payload["location"]][payload["item"]["id"]]
                case "Char.Status":
                    self.status |= payload


@given(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(LINES)), max_size=25))
def test_what_was_told_is_what_is_so(deeds):
    with TemporaryDirectory() as folder:
        registry = lobby_of(Path(folder), inn_game(), ServerSettings())
        world, known = registry.game.world, {}
        for name in NAMES:
            known[name] = Listener(Talker(registry, *ALL))
            known[name].talker.enters(name)
            registry.login_services.accounts.set_role(name, Role.BUILDER)
        for name, line in deeds:
            if not known[name].talker.connection.is_open:
                known[name].talker.hangs_up()
                known[name] = Listener(Talker(registry, *ALL))
                known[name].talker.enters(name)
            known[name].talker.types(line.replace("~", " "))
            for other, client in known.items():
                client.talker.screen()
                if client.talker.connection.is_open:
                    client.take_in()
                    check(world, other, client)


def check(world, name, client):
    """Compare what a client knows with the world."""
    character = world.characters[name]
    room = world.room_of(character)
    assert client.room["name"] == room.name
    assert {room.exits_by_name[way].name for way in client.room["exits"]} == set(room.exits)
    assert client.people == {one.name for one in world.occupants(room.room_id)}
    for location, place_id in (("room", room.room_id), ("inv", name)):
        expected = {(one.id, one.name) for one in items_of(world.things_at(place_id))}
        assert {(one["id"], one["name"]) for one in client.items[location].values()} == expected
    assert client.status["room"] == room.name


def test_in_a_crowd_clients_are_told_of_the_few_who_are_made_out_and_of_what_they_do_themselves(tmp_path):
    registry = lobby_of(tmp_path, inn_game(), ServerSettings())
    world = registry.game.world
    world.crowd = 10
    for number in range(1, 41):
        world.add_character(Character(f"Guest{number}", "The Common Room", awake=True))
    ana = Talker(registry, *ALL)
    ana.enters("Ana")
    assert len(ana.last("Room.Players")) == MAX_VISIBLE
    ben = Talker(registry, *ALL)
    ben.enters("Ben")
    ben.types("drop all")
    ana.told()
    registry.game.perform("Cat", "in")
    registry.game.perform("Guest40", "out")
    assert ana.told() == []
    ana.types("give copper coin to Ben")
    assert ana.last("Char.Items.Remove")["item"]["name"] == "copper coin"
    assert ben.last("Char.Items.Add")["item"]["name"] == "copper coin"


class Counting:
    """A client of which is only known how often it is to look."""

    def __init__(self) -> None:
        self.looks = 0

    def refresh(self) -> None:
        self.looks += 1

    def tell_of_agent(self, agent: Character, message: Message) -> None:
        raise AssertionError


def test_when_a_guest_is_no_more_only_clients_where_the_guest_was_look(tmp_path):
    clock = Clock()
    registry = lobby_of(tmp_path, inn_game(), ServerSettings(), clock=clock)
    world, gmcp_updates = registry.game.world, registry.gmcp_updates
    guest = registry.guests.make()
    registry.game.wake(guest.name, lambda event, text: None)
    here, elsewhere = Counting(), Counting()
    gmcp_updates.join(here, world.characters["Ana"])
    gmcp_updates.join(elsewhere, world.characters["Cat"])
    registry.guests.leave(guest)
    clock.advance(0)
    assert (here.looks, elsewhere.looks) == (1, 0)
