"""Building: what names will do, where everybody is when a room is gone, and that undoing leaves no trace."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.english import ENGLISH
from tests.world.inn import Player, inn, inn_game
from world.entities import Exit, Role
from world.errors import CommandError
from world.events import EntityChanged, Event, Moved
from world.find import exit_name_for, validate_name, validate_names, validate_text
from world.game import Game
from world.world import MAX_UNDO_STEPS, World, snapshot

LINES = [
    "@dig north to The Attic",
    "@dig attic door to The Attic",
    "@dig well to The Well",
    "@exit chute, c to The Cellar",
    "@exit trapdoor to The Well",
    "@unexit chute",
    "@unexit down",
    "@describe here -> It smells of work.",
    "@describe brass lamp -> Polished.",
    "@describe me -> Ana is busy.",
    "@detail window, pane -> It is dirty.",
    "@detail hearth ->",
    "@alias here/hearth -> stove",
    "@alias oil lamp -> light",
    "@rename oil lamp -> Old Smoky",
    "@rename here -> The Taproom",
    "@create stool",
    "@create wooden box",
    "@set wooden box container = yes",
    "@set here season = winter",
    "@set here season =",
    "@set brass lamp fixed = yes",
    "@destroy stool",
    "@destroy wooden box",
    "@destroy brass lamp",
    "@destroy The Cellar",
    "@destroy The Attic",
    "@destroy The Yard",
]


def building(*names: str) -> Game:
    """Return a game in the inn in which these are builders."""
    game = inn_game()
    for name in names or ("Ana",):
        game.world.characters[name].role = Role.BUILDER
    return game


def as_built(world: World) -> dict[str, object]:
    """Return all of a world that a builder can change, and where things are."""
    subjects = [(one.id, one) for one in world.entities()]
    places = {thing.thing_id: thing.place_id for thing in world.things.values()}
    return {name: snapshot(one) for name, one in subjects} | {"places": places}


@given(st.lists(st.sampled_from(LINES), max_size=14))
def test_whatever_a_builder_does_undoing_it_all_leaves_no_trace(lines):
    game = building()
    before = as_built(game.world)
    for line in lines:
        game.perform("Ana", line)
    while game.perform("Ana", "@undo").accepted:
        pass
    assert game.perform("Ana", "@undo").refusal == "You have nothing to undo."
    assert as_built(game.world) == before


@given(st.lists(st.tuples(st.sampled_from(["Ana", "Ben"]), st.sampled_from([*LINES, "@undo", "@undo 3"])), max_size=25))
def test_two_builders_never_leave_an_exit_to_nowhere_or_anybody_in_no_place(turns):
    game = building("Ana", "Ben")
    world = game.world
    for who, line in turns:
        refusal = game.perform(who, line).refusal
        assert refusal != ENGLISH("commands.went_wrong")
    assert {exit.room_id for room in world.rooms.values() for exit in room.exits.values()} <= set(world.rooms)
    assert {one.room_id for one in world.characters.values()} <= set(world.rooms)
    places = {*world.rooms, *world.things, *world.characters}
    assert {thing.place_id for thing in world.things.values()} <= places
    names = [name.casefold() for name in places]
    assert len(names) == len(set(names))


def test_who_is_in_a_room_that_is_destroyed_comes_next_door_awake_or_asleep():
    game = building("Cat")
    world = game.world
    world.characters["Dan"].room_id = world.characters["Cat"].room_id = "The Stable"
    game.perform("Cat", "@destroy here")
    assert [world.characters[name].room_id for name in ("Cat", "Dan")] == ["The Yard", "The Yard"]
    assert world.things["oat chest"].place_id == "The Yard"


def test_who_was_on_the_way_to_a_room_that_is_gone_is_told_so_and_nothing_breaks():
    game = building("Cat")
    ana = Player(game, "Ana")
    ana.types("go The Stable")
    ana.types("back")
    game.perform("Cat", "@destroy The Stable")
    ana.screen()
    for line in ("on", "go on", "back", "go The Stable"):
        ana.types(line)
    assert ENGLISH("commands.went_wrong") not in ana.screen()


def test_everything_that_changed_is_announced_to_be_saved():
    game = building()
    seen: list[Event] = []
    game.subscribe("test", seen.extend)
    game.perform("Ana", "@dig up to The Attic")
    game.perform("Ana", "@destroy The Cellar")
    altered = [(event.kind, event.entity_id) for event in seen if isinstance(event, EntityChanged)]
    assert altered[:2] == [("room", "The Common Room"), ("room", "The Attic")]
    assert set(altered[2:]) == {("room", "The Common Room"), ("room", "The Cellar")}


def test_what_was_in_a_container_that_is_destroyed_is_where_the_container_was():
    game = building()
    for line in ("@create box", "@set box container = yes", "put coin in box", "drop box"):
        game.perform("Ana", line)
    happened = game.perform("Ana", "@destroy box").events
    assert Moved("Ana", "copper coin") in happened
    assert game.world.things["copper coin"].place_id == "The Common Room"


def test_a_room_never_gets_the_number_of_one_that_is_gone():
    game = building()
    game.perform("Ana", "@dig up to The Attic")
    number = game.world.rooms["The Attic"].number
    game.perform("Ana", "@destroy The Attic")
    game.perform("Ana", "@dig up to The Loft")
    assert game.world.rooms["The Loft"].number == number + 1


def test_what_somebody_changed_is_not_undone_with_what_another_did_to_the_same_room():
    game = building("Ana", "Ben")
    game.perform("Ana", "@describe here -> Ana's words.")
    game.perform("Ben", "@exit chute to The Cellar")
    assert game.perform("Ana", "@undo").accepted
    room = game.world.rooms["The Common Room"]
    assert "chute" in room.exits
    assert room.description.startswith("A long table")


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ("@describe here -> Ana's words.", "@describe here -> Ben's words."),
        ("@dig up to The Attic", "@describe The Attic -> Dust."),
        ("@dig up to The Attic", "@exit stairs to The Attic"),
        ("@destroy The Cellar", "@dig down to The Cellar"),
        ("@destroy The Cellar", "@exit chute to The Kitchen"),
        ("@detail window -> Dirty.", "@detail window -> Clean."),
        ("@set here season = winter", "@set here season = summer"),
        ("@unexit down", "@destroy The Cellar"),
    ],
)
def test_what_somebody_else_has_changed_since_is_not_taken_back(mine, theirs):
    game = building("Ana", "Ben")
    assert game.perform("Ana", mine).accepted
    assert game.perform("Ben", theirs).accepted
    after = as_built(game.world)
    assert "somebody has changed it since" in game.perform("Ana", "@undo").refusal
    assert as_built(game.world) == after


def test_an_edit_from_outside_is_not_taken_back_either():
    game = building()
    game.perform("Ana", "@describe here -> Ana's words.")
    room = game.world.rooms["The Common Room"]
    game.world.rooms["The Common Room"] = replace(room, description="Typed in an editor.")
    assert not game.perform("Ana", "@undo").accepted


def test_only_so_many_acts_are_kept():
    game = building()
    for number in range(MAX_UNDO_STEPS + 3):
        game.perform("Ana", f"@describe here -> {number}")
    undone = 0
    while game.perform("Ana", "@undo").accepted:
        undone += 1
    assert undone == MAX_UNDO_STEPS


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("  The   Attic ", "The Attic"),
        ("Ellie's café", "Ellie's café"),
        ("Cafe\u0301", "Café"),
        ("Room 2", "Room 2"),
        ("a\x1b[31mb\x00", "ab"),
        ("{braces}", "{braces}"),
        ("空の部屋", "空の部屋"),
        ("The Court, of Glass?", "The Court, of Glass?"),
        ('"Under: the [Stairs]" #2 · a/b', '"Under: the [Stairs]" #2 · a/b'),
        (".hidden", ".hidden"),
    ],
)
def test_a_name_is_cleaned_and_kept(name, kept):
    assert validate_name(inn(), name) == kept


@pytest.mark.parametrize(
    "name",
    [
        "",
        "...",
        "—",
        "here",
        "ME",
        "..",
        "x" * 61,
        "é" * 61,
        "ana",
        "THE CELLAR",
        "rook",
    ],
)
def test_a_name_that_will_not_do_or_is_somebody_s_is_refused(name):
    with pytest.raises(CommandError):
        validate_name(inn(), name)


def test_what_no_file_name_can_hold_is_a_title():
    game = building("Ana")
    for line in ("@dig up to The Court, of Glass?", "@create key: left/right", "@create key; left right"):
        assert game.perform("Ana", line).accepted, line
    world = game.world
    assert world.rooms["The Court, of Glass"].title == "The Court, of Glass?"
    assert world.things["key left right"].title == "key: left/right"
    assert world.things["key; left right"].title == ""
    assert game.perform("Ana", "@describe key: left/right -> Of iron.").accepted
    assert world.things["key left right"].description == "Of iron."


def test_two_names_that_a_file_name_makes_one_are_two_things():
    game = building("Ana")
    for line in ("@create what?", "@create what!", '@create "what"'):
        assert game.perform("Ana", line).accepted, line
    called = {thing_id: one.name for thing_id, one in game.world.things.items() if "what" in thing_id}
    assert called == {"what": "what?", "what!": "what!", "what 2": '"what"'}


def test_something_can_keep_its_own_name():
    assert validate_name(inn(), "the cellar", besides="The Cellar") == "the cellar"


def test_names_come_in_a_list_each_once_and_in_small_letters():
    assert validate_names(inn(), "North, n , N,, north") == ("north", "n")
    with pytest.raises(CommandError):
        validate_names(inn(), " , ")


def test_a_text_can_have_several_lines_and_has_no_controls():
    assert validate_text(inn(), r"One.\nTwo.") == "One.\nTwo."
    assert validate_text(inn(), "a\x1b]0;title\x07b") == "ab"
    with pytest.raises(CommandError, match="a text has at most 4000"):
        validate_text(inn(), "x" * 4001)


def test_a_place_s_name_becomes_an_exit_s():
    assert exit_name_for("The Loft: upstairs, left") == "the loft upstairs left"


def test_exits_of_a_room_have_an_end():
    game = building()
    room = game.world.rooms["The Common Room"]
    room.exits |= {f"way{number}": Exit(f"way{number}", "The Yard") for number in range(32)}
    assert game.perform("Ana", "@exit more to The Yard").refusal == ("The Common Room has 32 exits, the maximum.")
