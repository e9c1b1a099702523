"""What happens by itself, as everybody in the inn sees it."""

from __future__ import annotations

import pytest

from tests.world.inn import Player, inn
from world.commands.table import world_commands
from world.entities import Character, Room, Thing
from world.events import Event, Said
from world.game import Game
from world.game_time import GameTime
from world.run_triggers import MAX_TRIGGERS
from world.triggers import parse_trigger
from world.world import World

HERE = "The Common Room"
NOON, DUSK = GameTime(12 * 60), GameTime(19 * 60)


class House:
    """The inn with a table of reactions on some of what is in it; `lucky` decides what happens by chance."""

    def __init__(self, lucky: bool = True, **tables: list[tuple[str, str, str]]) -> None:
        self.world: World = inn()
        self.world.time = NOON
        owners: dict[str, Room | Thing | Character] = {
            "room": self.world.rooms[HERE],
            "lamp": self.world.things["oil lamp"],
            "rook": self.world.characters["Rook"],
        }
        for name, rows in tables.items():
            owners[name].triggers = tuple(parse_trigger(*row) for row in rows)
        self.saved: list[Event] = []
        self.game = Game(self.world, world_commands(), lambda times: lucky)
        self.game.subscribe("test", self.saved.extend)
        self.ana, self.ben, self.cat = (Player(self.game, name) for name in ("Ana", "Ben", "Cat"))

    def screens(self) -> dict[str, list[str]]:
        """Return what each screen shows since the last time, if anything."""
        shown = {one.name: one.screen() for one in (self.ana, self.ben, self.cat)}
        return {name: lines for name, lines in shown.items() if lines}


def test_a_room_shows_what_comes_of_an_arrival():
    house = House(room=[("arrive", "", "show The fire leans towards {actor}.")])
    house.cat.types("go house door")
    assert house.screens() == {
        "Ana": ["Cat arrives from The Yard.", "The fire leans towards Cat."],
        "Ben": ["Cat arrives from The Yard.", "The fire leans towards Cat."],
        "Cat": ["You go by the house door to The Common Room.", "The fire leans towards Cat."],
    }


def test_words_behind_say_have_to_be_said():
    house = House(room=[("say fire", "", "show The fire crackles.")])
    house.ana.types("say It is cold.")
    house.screens()
    house.ana.types("say Look at the FIRE!")
    assert house.screens()["Ben"] == ['Ana says, "Look at the FIRE!"', "The fire crackles."]


def test_what_is_told_is_told_to_who_did_it_alone():
    house = House(room=[("emote", "", "tell You feel watched.")])
    house.ana.types("emote yawns")
    assert house.screens() == {"Ana": ["Ana yawns.", "You feel watched."], "Ben": ["Ana yawns."]}


def test_the_first_row_that_fits_counts_and_what_it_sets_lasts():
    rows = [("get", "seen != yes", "set seen = yes; say Ah."), ("get", "seen = yes", "say You again.")]
    house = House(lamp=rows)
    for typed in ("get oil lamp", "drop oil lamp", "get oil lamp"):
        house.ana.types(typed)
    assert house.screens()["Ben"] == [
        "Ana takes the oil lamp.",
        'The oil lamp says, "Ah."',
        "Ana puts down the oil lamp.",
        "Ana takes the oil lamp.",
        'The oil lamp says, "You again."',
    ]
    assert house.world.things["oil lamp"].properties == {"seen": "yes"}


def test_the_table_of_a_thing_is_about_itself():
    house = House(lamp=[("get", "", "show It glows.")])
    house.ana.types("get brass lamp")
    assert house.screens()["Ben"] == ["Ana takes the brass lamp."]


def test_a_condition_on_the_time_of_day_and_on_what_is_carried():
    rows = [("say hello", "night", "show An owl."), ("say hello", "carries copper coin", "show A clink.")]
    house = House(room=rows)
    house.ben.types("say hello")
    house.ana.types("say hello")
    assert [line for line in house.screens()["Ben"] if not line.endswith('"')] == ["A clink."]


@pytest.mark.parametrize(("lucky", "shown"), [(True, ["A log falls."]), (False, [])])
def test_chance_is_asked_and_not_drawn(lucky, shown):
    house = House(lucky, room=[("emote", "1 in 7", "show A log falls.")])
    house.ana.types("emote waits")
    assert house.screens()["Ben"] == ["Ana waits.", *shown]


def test_somebody_can_be_taken_elsewhere_after_all_have_seen_what_it_did():
    house = House(room=[("say down", "", "move {actor} to The Cellar")])
    house.ana.types("say down")
    assert house.screens() == {
        "Ana": ['You say, "down"', "You are in The Cellar all at once."],
        "Ben": ['Ana says, "down"', "Ana is gone all at once."],
    }
    assert house.world.characters["Ana"].room_id == "The Cellar"


def test_a_thing_can_be_given_and_moved():
    rows = [("say please", "", "give oil lamp to {actor}"), ("say away", "", "move oil lamp to The Cellar")]
    house = House(room=rows)
    house.ana.types("say please")
    assert house.screens()["Ben"] == ['Ana says, "please"', "Ana takes the oil lamp."]
    house.ana.types("say away")
    assert house.world.things["oil lamp"].place_id == "The Cellar"


def test_what_lies_elsewhere_cannot_be_given():
    house = House(room=[("say please", "", "give apples to {actor}")])
    house.ana.types("say please")
    assert house.screens()["Ben"] == ['Ana says, "please"']
    assert house.world.things["apples"].place_id == "The Kitchen"


def test_a_name_that_is_no_more_does_nothing():
    house = House(room=[("say please", "", "give gold to {actor}; move {actor} to Nowhere; show Hm.")])
    house.ana.types("say please")
    assert house.screens()["Ben"] == ['Ana says, "please"', "Hm."]


def test_reactions_set_off_no_reactions():
    rows = [("say fire", "", "move {actor} to The Yard"), ("leave", "", "show Somebody left.")]
    house = House(room=rows, lamp=[("say fire", "", "say fire fire")])
    house.ana.types("say fire")
    assert "Somebody left." not in house.screens()["Ben"]


def test_one_event_sets_off_so_many_reactions_and_no_more():
    house = House()
    for thing_id in [f"box {number}" for number in range(MAX_TRIGGERS + 5)]:
        house.world.things[thing_id] = type(house.world.things["oil lamp"])(thing_id, HERE)
        house.world.things[thing_id].triggers = (parse_trigger("emote", "", "show Tick."),)
    house.ana.types("emote waits")
    assert house.screens()["Ben"].count("Tick.") == MAX_TRIGGERS


def test_a_detail_of_a_room_can_be_used_in_the_table_of_the_room():
    house = House(room=[("use hearth", "", "show Sparks fly.")])
    house.ana.types("use fireplace")
    assert house.screens() == {
        "Ana": ["You use the hearth.", "Sparks fly."],
        "Ben": ["Ana uses the hearth.", "Sparks fly."],
    }
    house.ana.types("use brass lamp")
    assert house.screens() == {"Ana": ["You cannot think of a use for brass lamp here."]}


def test_an_agent_says_what_its_table_has_it_say_in_its_own_voice():
    house = House(rook=[("arrive", "", "say Wipe your feet, {actor}.")])
    house.ana.types("go north")
    assert house.screens()["Ana"] == ["You go north to The Kitchen.", 'Rook says, "Wipe your feet, Ana."']
    assert Said("Rook", "The Kitchen", "Wipe your feet, Ana.", is_scripted=True) in house.saved


def test_the_light_goes_for_everyone_and_errands_are_told_to_whom_they_concern():
    house = House(room=[("dusk", "", "show The lamps are lit.")], rook=[("dusk", "", "remind Stir the soup.")])
    rook = Player(house.game, "Rook")
    house.game.advance_time(DUSK)
    assert house.screens() == {
        "Ana": ["The light is going.", "The lamps are lit."],
        "Ben": ["The light is going.", "The lamps are lit."],
        "Cat": ["The light is going."],
    }
    assert rook.screen() == ["The light is going.", "Stir the soup."]


def test_what_happens_every_so_often_happens_when_its_time_has_come_and_somebody_is_there():
    house = House(room=[("every 30", "", "show The clock strikes.")])
    house.game.advance_time(GameTime(12 * 60 + 29))
    assert house.screens() == {}
    house.game.advance_time(GameTime(12 * 60 + 30))
    assert house.screens() == {"Ana": ["The clock strikes."], "Ben": ["The clock strikes."]}
    for name in ("Ana", "Ben"):
        house.game.sleep(name)
    house.screens()
    house.game.advance_time(GameTime(13 * 60))
    assert house.screens() == {}


def test_a_world_that_is_told_its_first_time_has_no_past():
    house = House(room=[("every 30", "", "show The clock strikes.")])
    house.world.time = GameTime()
    house.game.advance_time(DUSK)
    assert house.screens() == {}
