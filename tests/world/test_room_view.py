"""In a crowd one makes out a few of many; among few people all is visible, and what is known of each."""

from __future__ import annotations

import pytest

from tests.english import ENGLISH
from tests.world.inn import Player, inn_game
from world.entities import Character
from world.game import Game
from world.room_view import MAX_VISIBLE, format_duration
from world.world import Presence


def crowded(people: int = 30, crowd: int = 10) -> Game:
    """Return a game with so many more people in the common room, where so many are no crowd yet."""
    game = inn_game()
    game.world.crowd = crowd
    for number in range(1, people + 1):
        game.world.add_character(Character(f"Guest{number}", "The Common Room", awake=True))
    return game


def test_in_a_crowd_nobody_is_told_who_comes_and_goes_wakes_and_sleeps():
    game = crowded()
    ben = Player(game, "Ben")
    ana = Player(game, "Ana")
    for line in ("out", "in", "north", "south"):
        ana.types(line)
    game.sleep("Ana")
    ana.wake()
    assert ben.screen() == []
    assert ana.screen() == [
        "You go out to The Yard.",
        "You go by the house door to The Common Room.",
        "You go north to The Kitchen.",
        "You go south to The Common Room.",
    ]


def test_what_is_said_and_done_in_a_crowd_is_told_to_everyone():
    game = crowded()
    ben, ana = Player(game, "Ben"), Player(game, "Ana")
    ana.types("say Good morning.")
    ana.types("drop coin")
    assert ben.screen() == ['Ana says, "Good morning."', "Ana puts down the copper coin."]


@pytest.mark.parametrize(("people", "crowd", "told"), [(7, 10, True), (9, 10, False), (30, 0, True)])
def test_it_is_a_crowd_of_more_than_so_many_who_are_awake(people, crowd, told):
    game = crowded(people, crowd)  # with Ana and Ben, and Dan asleep
    ben = Player(game, "Ben")
    game.perform("Cat", "in")
    game.perform("Cat", "out")
    game.perform("Cat", "in")
    assert ben.screen() == (
        ["Cat arrives from The Yard.", "Cat leaves out to The Yard.", "Cat arrives from The Yard."] if told else []
    )


def test_the_last_who_go_are_seen_to_go_when_they_are_a_crowd_no_more():
    game = crowded(people=9)
    ben = Player(game, "Ben")
    game.perform("Guest1", "out")
    assert ben.screen() == ["Guest1 leaves out to The Yard."]


def test_whoever_goes_along_with_somebody_is_told_in_any_crowd():
    game = crowded()
    ana, ben = Player(game, "Ana"), Player(game, "Ben")
    ben.types("follow Ana")
    ana.types("out")
    ana.types("in")
    assert ben.screen()[1:] == [
        "You follow Ana out to The Yard.",
        "You follow Ana by the house door to The Common Room.",
    ]
    assert ana.screen() == [
        "Ben follows you.",
        "You go out to The Yard.",
        "Ben arrives from The Common Room.",
        "You go by the house door to The Common Room.",
        "Ben arrives from The Yard.",
    ]
    game.sleep("Ana")
    assert ben.screen() == ["Ana falls asleep and is gone."]
    assert game.world.characters["Ben"].transient.following_id == ""


def test_of_a_crowd_some_are_named_and_the_others_counted():
    game = crowded()
    ana = Player(game, "Ana")
    ana.types("look")
    first = ", ".join(["Ben", *(f"Guest{number}" for number in range(1, MAX_VISIBLE))])
    assert f"{first} and 11 others are here." in ana.screen()
    ana.types("who here")
    assert len(ana.screen()) == 1 + 32


def test_agents_are_made_out_before_people_and_first_of_all_whoever_whispered():
    game = crowded()
    game.perform("Rook", "south")
    game.perform("Cat", "in")
    game.perform("Cat", "whisper Ana Over here!")
    ana = Player(game, "Ana")
    ana.types("look")
    assert next(line for line in ana.screen() if "others" in line).startswith("Cat, Rook, Ben, Guest1, ")


def test_a_few_who_are_a_crowd_by_the_setting_are_all_named():
    game = crowded(people=2, crowd=1)
    ana = Player(game, "Ana")
    ana.types("look")
    assert "Ben, Guest1 and Guest2 are here." in ana.screen()


def test_who_is_not_found_in_a_crowd_is_not_told_of_everybody():
    game = crowded()
    ana = Player(game, "Ana")
    ana.types("follow nobody")
    first = ", ".join(["Ben", *(f"Guest{number}" for number in range(1, MAX_VISIBLE))])
    assert ana.screen() == [f"There is no 'nobody' here; {first}, … are."]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "a moment"),
        (59, "a moment"),
        (60, "a minute"),
        (119, "a minute"),
        (120, "2 minutes"),
        (3600, "an hour"),
        (7199, "an hour"),
        (86399, "23 hours"),
        (86400, "a day"),
        (864000, "10 days"),
    ],
)
def test_a_span_of_time_is_told_by_its_largest_unit(seconds, said):
    assert format_duration(seconds, ENGLISH) == said


def test_who_is_still_for_long_is_shown_as_such_and_who_sleeps_since_when():
    game = inn_game()
    known = {"Ben": Presence(idle_seconds=600), "Dan": Presence(away_seconds=7200)}
    game.world.presence = lambda one: known.get(one, Presence())
    ana = Player(game, "Ana")
    for line in ("who", "lastseen dan", "lastseen ben", "tell dan hello"):
        ana.types(line)
    assert ana.screen() == [
        "In the world now: 4",
        "  Ana (you)",
        "  Ben, still for 10 minutes",
        "  Cat",
        "  Rook (agent)",
        "Dan is asleep, and was last seen 2 hours ago.",
        "Ben is in The Common Room.",
        "Ben has been still for 10 minutes.",
        "Dan is asleep, and was last seen 2 hours ago.",
    ]
