"""Each kind of event, for its actor, the one it is meant for, a bystander and somebody elsewhere."""

from __future__ import annotations

import dataclasses

import pytest

from tests.world.inn import inn
from vault.message_notes import starter_sentences
from world import events
from world.entities import Thing
from world.events import (
    Announced,
    Arrived,
    Built,
    Dropped,
    Emoted,
    EntityChanged,
    Event,
    Followed,
    Gave,
    Left,
    LookedAt,
    Moved,
    Output,
    Paged,
    PutIn,
    QuitRequested,
    ReadThing,
    Recalled,
    Refused,
    RoomMessage,
    Said,
    Shared,
    Shouted,
    SystemMessage,
    Thought,
    Took,
    TookFrom,
    Unfollowed,
    Used,
    Whispered,
    Wrote,
)
from world.message_catalog import variables
from world.narration import SENTENCES, audience_of, narrate, values_of, with_article
from world.world import World

HERE, AWAY = "The Common Room", "The Yard"


@pytest.fixture
def world() -> World:
    """The inn with Ana, Ben and Cat in the common room, Rook in the kitchen and Dan asleep."""
    world = inn()
    world.characters["Cat"].room_id = HERE
    return world


def alike(own: str, others: str) -> dict[str, str]:
    """Return what is seen where it is alike to everybody else in the room."""
    return {"Ana": own, "Ben": others, "Cat": others}


# Ana acts; Ben is the one it is meant for, where there is one; Cat stands by; Rook is elsewhere.
SEEN: list[tuple[Event, dict[str, str]]] = [
    (Said("Ana", HERE, "Hi."), alike('You say, "Hi."', 'Ana says, "Hi."')),
    (
        Said("Ana", HERE, "Hi.", to_id="Ben"),
        {"Ana": 'You say to Ben, "Hi."', "Ben": 'Ana says to you, "Hi."', "Cat": 'Ana says to Ben, "Hi."'},
    ),
    (
        Built("Ana", HERE, "digs", "up", "The Attic"),
        alike("You dig a way to The Attic: up.", "Ana digs a way to The Attic: up."),
    ),
    (Followed("Ana", "Ben"), {"Ana": "You follow Ben.", "Ben": "Ana follows you."}),
    (Unfollowed("Ana", "Ben"), {"Ana": "You no longer follow Ben.", "Ben": "Ana no longer follows you."}),
    (Emoted("Ana", HERE, "nods"), alike("Ana nods.", "Ana nods.")),
    (
        Whispered("Ana", HERE, "Ben", "Hush."),
        {
            "Ana": 'You whisper to Ben, "Hush."',
            "Ben": 'Ana whispers to you, "Hush."',
            "Cat": "Ana whispers something to Ben.",
        },
    ),
    (Arrived("Ana", HERE, AWAY), alike("", "Ana arrives from The Yard.")),
    (Arrived("Ana", HERE), alike("", "Ana wakes up here.")),
    (Shared("Ana", HERE, "plan", "Go.", "scene", 1), alike('You share plan: "Go."', 'Ana shares plan: "Go."')),
    (
        Shared("Ana", HERE, "plan", "Go.", "world", 1),
        alike('You share plan with everyone: "Go."', 'Ana shares plan with everyone: "Go."'),
    ),
    (Recalled("Ana", "12: I slept.", "You recall 12."), {"Ana": "12: I slept."}),
    (Took("Ana", HERE, "oil lamp"), alike("You take the oil lamp.", "Ana takes the oil lamp.")),
    (Dropped("Ana", HERE, "oil lamp"), alike("You put down the oil lamp.", "Ana puts down the oil lamp.")),
    (
        Gave("Ana", HERE, "oil lamp", "Ben"),
        {
            "Ana": "You give the oil lamp to Ben.",
            "Ben": "Ana gives you the oil lamp.",
            "Cat": "Ana gives Ben the oil lamp.",
        },
    ),
    (
        PutIn("Ana", HERE, "copper coin", "oil lamp"),
        alike("You put the copper coin in the oil lamp.", "Ana puts the copper coin in the oil lamp."),
    ),
    (
        TookFrom("Ana", HERE, "copper coin", "oil lamp"),
        alike("You take the copper coin out of the oil lamp.", "Ana takes the copper coin out of the oil lamp."),
    ),
    (Used("Ana", HERE, "oil lamp"), alike("You use the oil lamp.", "Ana uses the oil lamp.")),
    (ReadThing("Ana", HERE, "oil lamp"), alike("You read the oil lamp.", "Ana reads the oil lamp.")),
    (
        Wrote("Ana", HERE, "oil lamp", "Mind the wick."),
        alike("You write on the oil lamp: Mind the wick.", "Ana writes something on the oil lamp."),
    ),
    (Moved("", "oil lamp"), {}),
    (
        Shouted("Ana", HERE, "Fire!"),
        {
            "Ana": 'You shout, "Fire!"',
            "Ben": 'Ana shouts, "Fire!"',
            "Cat": 'Ana shouts, "Fire!"',
            "Rook": 'Ana shouts from The Common Room, "Fire!"',
        },
    ),
    (Paged("Ana", "Rook", "Hi."), {"Ana": 'You tell Rook, "Hi."', "Rook": 'Ana tells you, "Hi."'}),
    (RoomMessage("", HERE, "A log falls."), alike("A log falls.", "A log falls.")),
    (Announced("", "Noon."), {"Ana": "Noon.", "Ben": "Noon.", "Cat": "Noon.", "Rook": "Noon."}),
    (EntityChanged("Ana", "thing", "oil lamp"), {}),
    (LookedAt("Ana", HERE, "Ben"), {"Ana": "", "Ben": "Ana looks at you.", "Cat": ""}),
    (Thought("Ana", "Cold."), {"Ana": "You think: Cold."}),
    (Output("Ana", "A table.\nA chair."), {"Ana": "A table.\nA chair."}),
    (Refused("Ana", "No."), {"Ana": "No."}),
    (SystemMessage("Ana", "It is late."), {"Ana": "It is late."}),
    (QuitRequested("Ana"), {"Ana": ""}),
]


@pytest.mark.parametrize(("event", "seen"), SEEN, ids=lambda value: type(value).__name__)
def test_each_viewer_gets_a_sentence_of_its_own(world, event, seen):
    assert {viewer.name: narrate(event, viewer, world) for viewer in audience_of(event, world)} == seen


@pytest.mark.parametrize(
    ("exit", "to_room_id", "seen"),
    [
        ("out", AWAY, alike("You go out to The Yard.", "Ana leaves out to The Yard.")),
        ("", AWAY, alike("You are in The Yard all at once.", "Ana is gone all at once.")),
        ("", "", {"Ben": "Ana falls asleep and is gone.", "Cat": "Ana falls asleep and is gone."}),
    ],
)
def test_going_is_seen_by_those_who_stay_and_by_who_is_awake_to_see_it(world, exit, to_room_id, seen):
    left, ana = Left("Ana", HERE, exit, to_room_id), world.characters["Ana"]
    ana.room_id, ana.awake = to_room_id or HERE, bool(to_room_id)
    assert {viewer.name: narrate(left, viewer, world) for viewer in audience_of(left, world)} == seen


def test_a_room_and_a_thing_are_called_by_their_titles(world):
    world.rooms[AWAY].title = "The Old Yard"
    world.things["oil lamp"].title = "storm lantern"
    ben = world.characters["Ben"]
    assert narrate(Left("Ana", HERE, "out", AWAY), ben, world) == "Ana leaves out to The Old Yard."
    assert narrate(Took("Ana", HERE, "oil lamp"), ben, world) == "Ana takes the storm lantern."


def test_every_kind_of_event_is_tried_above():
    kinds = {
        kind
        for kind in vars(events).values()
        if isinstance(kind, type) and issubclass(kind, Event) and kind is not Event
    }
    assert kinds - {type(event) for event, _ in SEEN} == {Left}


@pytest.mark.parametrize("event", [event for event, _ in SEEN], ids=lambda event: type(event).__name__)
def test_what_has_happened_cannot_be_changed(event):
    with pytest.raises(dataclasses.FrozenInstanceError):
        event.actor_id = "Ben"


@pytest.mark.parametrize(
    ("pose", "shown"),
    [
        ("waves", "Ana waves."),
        ("waves!", "Ana waves!"),
        ("'s lamp flickers", "Ana's lamp flickers."),
        (", tired, sits down", "Ana, tired, sits down."),
        ('says "so"', 'Ana says "so"'),
        ("wonders…", "Ana wonders…"),
    ],
)
def test_a_pose_is_a_sentence(world, pose, shown):
    assert narrate(Emoted("Ana", HERE, pose), world.characters["Ben"], world) == shown


def test_a_thing_gets_the_article_that_it_needs():
    names = ["lamp", "oar", "keys", "glass", "cactus", "Iron Key", "木箱", "Ämter"]
    assert [with_article(Thing(name, HERE)) for name in names] == [
        "a lamp",
        "an oar",
        "some keys",
        "a glass",
        "a cactus",
        "an Iron Key",
        "木箱",
        "a Ämter",
    ]


def test_each_sentence_of_an_event_is_given_all_of_its_variables():
    known, world = starter_sentences(), inn()
    given = set(values_of(Took("Ana", "Landing", "lamp"), "Ana", world))
    said = [key for sentences in SENTENCES.values() for key in sentences]
    assert [(key, lacking) for key in said if (lacking := variables(known[key]) - given)] == []
