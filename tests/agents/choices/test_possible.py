"""What can be typed here and now, and that all of it is accepted."""

from __future__ import annotations

import pickle
import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.choices.possible import NOTHING, Form, possible, spelt
from tests.english import ENGLISH
from vault.vault import STARTER, Vault
from world.command import CommandTable, command
from world.commands.table import world_commands
from world.entities import Character, Detail, Exit, Role, Room, Thing
from world.game import Game
from world.message_catalog import Wording
from world.triggers import parse_trigger
from world.world import World

TABLE = world_commands()


def a_world() -> World:
    exits = {"north": Exit("north", "Yard", ("n", "pump")), "east": Exit("east", "Stage", ("bell tower",))}
    landing = Room("Landing", "Wet planks.", exits, {"river": Detail("river", "Brown.", ("water",))})
    return World(
        [landing, Room("Yard"), Room("Stage")],
        [
            Thing("lamp", "Landing"),
            Thing("letter", "Ana", writing="To Ben."),
            Thing("oar", "Yard"),
            Thing("mailbox", "Yard", is_container=True, fixed=True),
        ],
        [
            Character("Ana", "Landing", awake=True),
            Character("Old Ben", "Landing", awake=True, is_agent=True),
            Character("Cat", "Landing"),
            Character("Dot", "Yard", awake=True),
        ],
        wording=ENGLISH,
    )


def forms(world: World, name: str = "Ana", table: CommandTable = TABLE) -> dict[str, Form]:
    return dict(possible(world, world.characters[name], table))


def note_of_poses() -> dict[str, list[str]]:
    """Return the poses of the starter vault's note, by the name of their list."""
    bullets = re.findall(r"^\*\*(\w+)\*\*: (.*)$", Vault(STARTER).read_text("text", "poses.md"), re.MULTILINE)
    return {name: poses.split("; ") for name, poses in bullets}


def lines(form: Form) -> list[str]:
    """Every line that a form can spell, with one sentence for free text."""
    kinds = [word.kind for word in form.command.words if word.kind]
    fillings = product(*(form.choices.get(kind, ("Good day to you.",)) for kind in kinds))
    spellings = (spelt(form.command, dict(zip(kinds, filling, strict=True))) for filling in fillings)
    return [f"{form.command.verb} {text}".strip() for text in spellings]


def refusals(world: World) -> list[tuple[str, str]]:
    """Each possible line, tried in a copy of the world, that the game does not accept."""
    refused, frozen = [], pickle.dumps(world)
    for form in forms(world).values():
        for line in lines(form):
            performed = Game(pickle.loads(frozen), TABLE).perform("Ana", f"{line} | to see what happens")
            if not performed.accepted or performed.verb != form.command.verb:
                refused.append((line, performed.refusal))
    return refused


def test_the_gaps_are_filled_with_what_is_here():
    found = forms(a_world())
    assert found["go"].choices == {"exit": ("north", "east")}
    assert found["look"].choices == {"sight": (NOTHING, "Old Ben", "lamp", "letter", "river")}
    assert found["examine"].choices == {"sight": ("Old Ben", "lamp", "letter", "river")}
    assert found["get"].choices == {"near": ("lamp",)}
    assert found["give"].choices == {"carried": ("letter",), "person": ("Old Ben",)}
    assert found["where"].choices == {"text": (NOTHING,)}
    assert found["say"].choices == {}


def test_what_is_written_can_be_used_or_holds_things_is_offered_for_just_that():
    world = a_world()
    world.characters["Ana"].room_id = "Yard"
    world.things["oar"] = Thing("oar", "Yard", triggers=(parse_trigger("use", "", "show Splash."),))
    world.things["slate"] = Thing("slate", "Ana", properties={"writable": "true"})
    found = forms(world)
    assert found["read"].choices == {"writing": ("letter",)}
    assert found["write"].choices == {"writable": ("slate",)}
    assert found["use"].choices == {"usable": ("oar",)}
    assert found["put"].choices == {"carried": ("letter", "slate"), "container": ("mailbox",)}
    assert found["get"].choices == {"near": ("oar",)}
    assert refusals(world) == []


def test_nobody_is_followed_twice_or_by_whom_they_follow():
    world = a_world()
    game = Game(world, TABLE)
    assert forms(world)["follow"].choices == {"person": ("Old Ben",)}
    game.perform("Ana", "follow Old Ben")
    assert "follow" not in forms(world)
    assert "follow" not in forms(world, "Old Ben")
    assert refusals(world) == []


def test_a_name_before_free_words_may_have_several_words():
    assert forms(a_world())["whisper"].choices == {"person": ("Old Ben",)}
    assert refusals(a_world()) == []


def test_who_is_alone_with_nothing_cannot_give_whisper_drop_or_take():
    world = a_world()
    world.characters["Ana"].room_id = "Stage"
    world.things["letter"].place_id = "Yard"
    assert set(forms(world)) & {"give", "whisper", "drop", "get", "go"} == set()


def test_commands_that_agents_are_not_told_of_are_left_out():
    assert set(forms(a_world())) & {"quit", "help", "commands"} == set()


def test_commands_above_the_role_are_left_out():
    @command("dig", role=Role.BUILDER)
    def dig(world, actor):
        """Make a room."""
        return []

    assert forms(a_world(), table=CommandTable([dig])) == {}


@pytest.mark.parametrize("usage", ["@tell <agent>", "@expand <range>", "explain <topic>"])
def test_commands_whose_gap_nothing_here_can_fill_are_left_out(usage):
    @command(usage)
    def act(world, actor, **arguments):
        """Do it."""
        return []

    assert forms(a_world(), table=CommandTable([act])) == {}


def test_a_name_that_two_things_share_is_not_offered():
    world = a_world()
    world.things["old lamp"] = Thing("old lamp", "Landing", aliases=("lamp",))
    assert forms(world)["get"].choices == {"near": ("old lamp",)}


def test_a_name_that_the_usage_would_take_apart_is_not_offered():
    world = a_world()
    world.things["letter to Ben"] = Thing("letter to Ben", "Ana")
    assert forms(world)["give"].choices["carried"] == ("letter",)


def test_poses_name_the_people_and_the_details_that_are_here():
    world = a_world()
    found = forms(world)["emote"].choices["text"]
    assert {"nods slowly", "smiles at Old Ben", "looks at the river"} <= set(found)
    assert not any("{" in pose or "Cat" in pose for pose in found)


def test_every_pose_of_the_note_is_offered_accepted_and_seen_as_it_stands_there():
    world = a_world()
    offered = forms(world)["emote"].choices["text"]
    notes = [pose for name in ("alone", "with_somebody", "with_something") for pose in note_of_poses()[name]]
    assert len(offered) == len({*notes}) == len(notes)
    seen = list[str]()
    game = Game(world, TABLE)
    game.wake("Old Ben", lambda event, sentence: seen.append(sentence))
    for pose in offered:
        assert game.perform("Ana", f"emote {pose}").accepted
    assert seen == [f"Ana {pose}." for pose in offered]


def test_a_world_without_poses_offers_none():
    world = a_world()
    world.wording = Wording({key: text for key, text in ENGLISH.sentences.items() if not key.startswith("poses.")})
    assert "emote" not in forms(world)
    assert refusals(world) == []


def test_everything_possible_is_accepted():
    assert refusals(a_world()) == []


names = st.lists(
    st.sampled_from("lamp oar old new red bell tower letter to at river Ben ben's north n water 2 key".split()),
    min_size=1,
    max_size=3,
).map(" ".join)
some_names = st.lists(names, max_size=3, unique=True)


@given(some_names, some_names, some_names, some_names, some_names)
def test_whatever_things_are_called_everything_possible_is_accepted(lying, carried, details, ways, people):
    exits = {way.lower(): Exit(way.lower(), "Yard") for way in ways}
    rooms = [Room("Landing", "", exits, {name: Detail(name, "") for name in details}), Room("Yard")]
    world = World(rooms, characters=[Character("Ana", "Landing", awake=True)], wording=ENGLISH)
    for name in people:
        if world.id_ignoring_case(name) is None:
            world.add_character(Character(name, "Landing", awake=True))
    for name, place in [*((name, "Landing") for name in lying), *((name, "Ana") for name in carried)]:
        if world.id_ignoring_case(name) is None:
            world.things[name] = Thing(name, place)
    assert refusals(world) == []
