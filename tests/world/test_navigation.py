"""The way from room to room is the shortest there is, and followers come along."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.world.inn import Player, inn, inn_game
from world.entities import Exit, Room
from world.events import Left
from world.navigation import STEPS, automap_of, draw_automap, party, shortest_path
from world.world import World

NAMES = {name: name for name in STEPS}
PARTY = ("Ana", "Ben", "Cat", "Rook")
LINES = st.sampled_from(
    [*(f"follow {name}" for name in PARTY), "unfollow", "north", "south", "out", "in", "back", "go the stable", "go on"]
)


def test_who_is_there_already_has_no_step_to_take():
    assert shortest_path(inn(), "The Yard", "The Yard") == []


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=20))
def test_a_way_leads_there_and_none_is_shorter(pairs):
    world = World(
        Room(str(n), exits={str(to): Exit(str(to), str(to)) for start, to in pairs if start == n}) for n in range(7)
    )
    way = shortest_path(world, "0", "6")
    steps = {"0": 0}
    for _ in range(7):
        for start, to in pairs:
            if str(start) in steps:
                steps[str(to)] = min(steps.get(str(to), 99), steps[str(start)] + 1)
    assert (len(way) if way is not None else None) == steps.get("6")
    stops = ["0", *(exit.room_id for exit in way or [])]
    assert all((int(start), int(to)) in pairs for start, to in pairwise(stops))


def town(**rooms: dict[str, str]) -> World:
    """Return a world of rooms with their exits, direction by direction."""
    return World(Room(name, exits={way: Exit(way, to) for way, to in exits.items()}) for name, exits in rooms.items())


def test_a_plan_is_drawn_with_its_ways_and_a_sign_for_each_room():
    world = town(
        a={"north": "b", "east": "c", "southeast": "d", "northwest": "e"},
        b={"south": "a", "west": "e"},
        c={"west": "a", "south": "d"},
        d={},
        e={},
    )
    assert draw_automap(world, automap_of(world, "a", 3, NAMES), NAMES) == [
        "[4]-[1]",
        "   \\ |",
        "    [@]-[2]",
        "       \\ |",
        "        [3]",
    ]


def test_ways_that_cross_make_an_x():
    world = town(a={"east": "b", "southeast": "c"}, b={"southwest": "d"}, c={}, d={})
    assert draw_automap(world, automap_of(world, "a", 3, NAMES), NAMES) == ["[@]-[1]", "   X", "[3] [2]"]


def test_a_room_whose_place_is_taken_or_that_has_none_is_told_of_instead():
    world = town(a={"north": "b", "up": "loft"}, b={"south": "c", "out": "yard"}, c={}, loft={}, yard={})
    plan = automap_of(world, "a", 3, NAMES)
    assert list(plan.places) == ["a", "b"]
    assert [(here, exit.room_id) for here, exit in plan.not_drawn] == [("a", "loft"), ("b", "c"), ("b", "yard")]


def test_no_room_is_further_than_the_steps_asked_for():
    world = town(**{str(n): {"east": str(n + 1)} for n in range(9)} | {"9": {}})
    assert list(automap_of(world, "0", 3, NAMES).places) == ["0", "1", "2", "3"]


@given(st.lists(st.tuples(st.integers(0, 30), st.sampled_from(sorted(STEPS)), st.integers(0, 30)), max_size=120))
def test_no_two_rooms_share_a_place_and_every_sign_stands_once(ways):
    rooms = {str(n): dict[str, str]() for n in range(31)}
    for start, direction, to in ways:
        rooms[str(start)][direction] = str(to)
    world = town(**rooms)
    plan = automap_of(world, "0", 3, NAMES)
    assert len(set(plan.places.values())) == len(plan.places)
    picture = "\n".join(draw_automap(world, plan, NAMES))
    assert all(picture.count(f"[{sign}]") == 1 for sign in plan.signs().values())
    assert len(plan.signs()) == len(plan.places)


def leaders(world: World, name: str) -> list[str]:
    """Return whom somebody follows, whom they follow and so on; endless if they go round."""
    found = [name]
    while (leader := world.characters[found[-1]].transient.following_id) and len(found) < 9:
        found.append(leader)
    return found


@given(st.lists(st.tuples(st.sampled_from(PARTY), LINES), max_size=40))
def test_however_people_follow_one_another_they_stay_together_and_never_go_in_a_circle(done):
    game = inn_game()
    for name, line in done:
        events = game.perform(name, line).events
        went = [event.actor_id for event in events if isinstance(event, Left)]
        assert len(went) == len(set(went))
        for one in game.world.awake():
            chain = leaders(game.world, one.name)
            assert len(chain) == len(set(chain))
            assert len({game.world.characters[other].room_id for other in chain}) == 1
            assert len(party(game.world, one)) == len({other.name for other in party(game.world, one)})


def test_who_is_taken_elsewhere_is_followed_no_longer():
    game = inn_game()
    ben = Player(game, "Ben")
    game.perform("Ben", "follow Ana")
    game.world.characters["Ana"].room_id = "The Yard"
    game.publish((Left("Ana", "The Common Room", "", "The Yard"),))
    game.perform("Ana", "in")
    game.perform("Ana", "north")
    assert ben.screen()[-2:] == ["Ana arrives from The Yard.", "Ana leaves north to The Kitchen."]
