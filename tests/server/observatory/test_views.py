"""What the page is shown: by scope, live, in bounds, and the same as text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from twisted.internet.defer import execute

from agents.models.model import ModelError
from config.settings import WorldSettings
from server.chronicle.reading import reader_of
from server.chronicle.scope import EVERYTHING, PastAccess
from server.observatory.chronicle import ChronicleView
from server.observatory.feed import SHOWN_ENTRIES
from server.observatory.observatory import why_slow
from server.observatory.town import Town, layout_of, town_text
from server.observatory.viewers import MIN_SECONDS, MIND_SECONDS, POLL_SECONDS
from tests.english import ENGLISH
from tests.server.chronicle.lived_day import DAY, lived_vault
from tests.server.observatory.town_of import Outlet, Watched, secrets_seen
from tests.world.inn import Player, inn_game
from vault.vault import Vault
from world.entities import Exit, Role, Room

ROOM = "The Common Room"


def texts(shown: dict[str, Any] | list[Any]) -> str:
    return json.dumps(shown, ensure_ascii=False)


def past_of(life: Watched, access: PastAccess) -> list[dict[str, Any]]:
    """Return the entries of the feed that somebody may see."""
    return [shown for entry, scope in life.observatory.feed.past(access) if (shown := entry.shown(scope))]


def test_the_whole_feed_has_reasons_and_whispers_and_the_window_what_is_perceived(tmp_path: Path):
    life = Watched(tmp_path, "say hello | I am lonely", "whisper Ana The key is under the step. | she may know")
    life.turns(2)
    whole, window = (past_of(life, access) for access in (EVERYTHING, PastAccess("Ana")))
    assert [(one["text"], one["reason"], one["seq"]) for one in whole if one["who"] == "Rook"][-2:] == [
        ('Rook says, "hello"', "I am lonely", 1),
        ('Rook whispers to Ana, "The key is under the step."', "she may know", whole[-1]["seq"]),
    ]
    assert [one["text"] for one in window][-2:] == ['Rook says, "hello"', "Rook whispers something to Ana."]
    assert "lonely" not in texts(window)
    assert "step" not in texts(window)


def test_what_nobody_perceives_is_in_the_whole_feed_alone(tmp_path: Path):
    life = Watched(tmp_path, "think of tea | it is cold", "get moon | it shines")
    life.turns(2)
    kinds = [(one["kind"], one["reason"]) for one in past_of(life, EVERYTHING) if one["who"] == "Rook"]
    assert kinds[-2:] == [("thought", "it is cold"), ("refusal", "it shines")]
    assert "tea" not in texts(past_of(life, PastAccess("Ana")))


def test_who_comes_into_a_crowd_is_in_the_whole_feed_alone(life: Watched):
    life.game.world.crowd = 1
    life.game.perform("Cat", "go house door")
    whole, window = (past_of(life, access) for access in (EVERYTHING, PastAccess("Ana")))
    assert [one["text"] for one in whole][-1] == "Cat arrives from The Yard."
    assert window == []


@pytest.mark.parametrize("seed", range(4))
def test_no_reason_and_no_whisper_is_in_the_bytes_of_a_window_whatever_happens(tmp_path: Path, seed: int):
    reasons, whispers, size = secrets_seen(tmp_path, seed, 300)
    assert (reasons, whispers) == (0, 0)
    assert size > 10_000


@pytest.mark.parametrize("view", ["why", "memory", "bonds", "health", "prompt", "lines", "sentences"])
@pytest.mark.parametrize("role", [Role.GUEST, Role.PLAYER, Role.BUILDER])
def test_what_is_for_observers_is_refused_to_others_with_the_reason(tmp_path: Path, view: str, role: Role):
    life = Watched(tmp_path, "look | I am secretive")
    life.turns()
    answer = life.asked("Ben", role, view=view, agent="Rook")
    assert (answer["seen"], answer["unseen"]) == (None, f"The view '{view}' is for observers and admins.")


@pytest.mark.parametrize("role", [Role.OBSERVER, Role.ADMIN])
def test_observers_and_admins_see_minds_actions_memories_and_bonds(tmp_path: Path, role: Role):
    life = Watched(tmp_path, "look | I am secretive")
    life.turns()
    assert life.asked("Ben", role, view="mind", agent="Rook")["seen"]["turns"][0]["reason"] == "I am secretive"
    assert life.asked("Ben", role, view="why", agent="Rook", seq="1")["seen"]["command"] == "look"
    assert life.asked("Ben", role, view="memory", agent="Rook")["seen"]["n"] == life.memory.journal.last
    assert set(life.asked("Ben", role, view="bonds")["seen"]) == {"met", "promises", "told", "more"}
    assert "You are Rook." in life.asked("Ben", role, view="prompt", agent="Rook", seq="1")["seen"]["text"]
    assert life.asked("Ben", role, view="why", agent="Rook", form="text")["seen"]["text"].startswith("Why Rook did")


def test_a_mind_is_seen_through_the_window_only_where_it_is(tmp_path: Path):
    life = Watched(tmp_path, "look | I am secretive")
    life.turns()
    here = life.asked("Ben", Role.PLAYER, view="mind", agent="Rook")
    assert here["seen"]["is_window"]
    assert "secretive" not in texts(here)
    away = life.asked("Cat", Role.PLAYER, view="mind", agent="Rook")
    assert away["unseen"] == "Rook is not here, and only observers and admins see further."


def test_one_who_looks_is_sent_what_is_new_at_most_five_times_a_second(life: Watched):
    viewer, outlet = life.looks("Ben", Role.OBSERVER)
    viewer.message_received({"view": "feed"})
    assert [one["seen"]["entries"] for one in outlet.taken()] == [[]]
    for number in range(50):
        life.game.perform("Ana", f"say Number {number}.")
        life.clock.advance(0.02)
    life.goes_on(2 * MIN_SECONDS)
    messages = outlet.taken()
    assert len(messages) <= 7
    told = [entry["text"] for one in messages for entry in one["seen"]["more"]]
    assert told == [f'Ana says, "Number {number}."' for number in range(50)]


@pytest.mark.parametrize("view", ["town", "mind"])
def test_what_has_not_changed_is_not_made_again(lived: Watched, view: str):
    outlet = lived.watches("Ben", Role.OBSERVER, view=view, agent="Rook")
    made = lived.count_made()
    lived.goes_on(5.0)
    assert (made, outlet.taken()) == ([], [])
    lived.game.perform("Ana", "say hello")
    lived.goes_on(MIND_SECONDS + POLL_SECONDS)
    assert len(made) >= 1
    assert len(outlet.taken()) >= 1


def test_all_who_see_the_same_are_sent_the_same_bytes(life: Watched):
    outlets = [life.watches(name, Role.OBSERVER, view="feed") for name in ("Ana", "Ben")]
    life.game.perform("Ana", "say hello")
    life.goes_on()
    first, second = (outlet.sent for outlet in outlets)
    assert first != []
    assert first[0] is second[0]


def test_one_who_stops_reading_is_sent_nothing_and_later_the_feed_as_it_is(life: Watched):
    slow, quick = (life.watches(name, Role.OBSERVER, view="feed") for name in ("Ben", "Ana"))
    slow.is_congested = True
    for number in range(3 * SHOWN_ENTRIES):
        life.game.perform("Ana", f"say Number {number}.")
        life.goes_on(0.05)
    assert slow.sent == []
    assert len(quick.sent) > 10
    slow.is_congested = False
    life.game.perform("Ana", "say And now.")
    life.goes_on()
    (snapshot,) = slow.taken()
    assert len(snapshot["seen"]["entries"]) == SHOWN_ENTRIES
    assert snapshot["seen"]["entries"][-1]["text"] == 'Ana says, "And now."'


def test_a_role_that_is_taken_away_closes_the_view_at_the_next_update(tmp_path: Path):
    life = Watched(tmp_path, "say hello | I am lonely")
    outlet = life.watches("Ben", Role.OBSERVER, view="feed")
    life.ben.role = Role.PLAYER
    life.turns()
    life.goes_on()
    told = outlet.taken()
    assert "hello" in texts(told)
    assert "lonely" not in texts(told)


def test_the_window_follows_whoever_looks_through_it(life: Watched):
    viewer, outlet = life.looks("Ben")
    viewer.message_received({"view": "town"})
    (first,) = outlet.taken()
    assert [one["name"] for one in first["seen"]["rooms"][0]["people"]][:2] == ["Ana", "Ben"]
    life.game.perform("Ben", "go out")
    life.goes_on()
    assert outlet.taken()[-1]["seen"]["rooms"][0]["name"] == "The Yard"


def test_an_agent_that_goes_while_it_is_looked_at_is_said_to_be_gone(lived: Watched):
    outlet = lived.watches("Ben", Role.OBSERVER, view="mind", agent="Rook")
    del lived.agents["Rook"]
    lived.goes_on(POLL_SECONDS + MIND_SECONDS + 0.5)
    (told,) = outlet.taken()
    assert (told["seen"], told["unseen"]) == (None, "There is no agent 'Rook'. Agents: none.")


def test_nothing_is_made_and_no_clock_runs_once_nobody_looks(life: Watched):
    viewer, outlet = life.looks("Ben", Role.OBSERVER)
    viewer.message_received({"view": "town"})
    viewer.message_received({"view": ""})
    outlet.taken()
    life.game.perform("Ana", "say hello")
    life.goes_on(3.0)
    assert (outlet.sent, life.clock.getDelayedCalls(), life.observatory.viewers.count) == ([], [], 0)


@pytest.mark.parametrize(
    "message",
    [{"view": "mind"}, {"view": "why", "agent": "Zed"}, {"view": "why", "agent": "Rook", "seq": "x"},
     {"view": "lines", "agent": "Rook", "tier": "recent", "sentence": "4"}, {"view": "zoo"},
     {"view": "memory", "agent": "Rook", "kind": "fancy"}, {"view": "why", "agent": "Rook", "seq": "99999999"}],
)  # fmt: skip
def test_what_cannot_be_shown_is_answered_with_the_reason(lived: Watched, message: dict[str, str]):
    answer = lived.asked("Ben", Role.ADMIN, **message)
    assert answer["seen"] is None
    assert len(answer["unseen"]) > 10


def test_messages_of_any_shape_harm_nobody(lived: Watched):
    viewer, outlet = lived.looks("Ben", Role.ADMIN)
    for message in ({"view": "mind", "agent": ["Rook"]}, {"view": "why", "id": "x"}, {"view": "town", "id": 2**70},
                    {"view": "feed", **{f"k{n}": "v" * 9999 for n in range(99)}}, {"view": None}):  # fmt: skip
        viewer.message_received(message)
    lived.goes_on()
    assert isinstance(outlet, Outlet)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.integers(0, 11), st.sampled_from(["north", "east", "south", "west", "up", "door"]),
                          st.integers(0, 11)), max_size=40))  # fmt: skip
def test_every_room_has_one_place_and_every_place_one_room(exits: list[tuple[int, str, int]]):
    world = inn_game().world
    for number in range(12):
        ways = {name: Exit(name, f"Room {to}") for at, name, to in exits if at == number}
        world.rooms[f"Room {number}"] = Room(f"Room {number}", "", ways)
    layout = layout_of(world)
    assert set(layout.places) == set(world.rooms)
    assert len(set(layout.places.values())) == len(world.rooms)
    assert layout.left_out == 0
    assert layout_of(world, 5).left_out == len(world.rooms) - 5


def test_the_town_and_the_feed_are_told_as_text_by_scope(tmp_path: Path):
    life = Watched(tmp_path, "say hello | I am lonely")
    life.turns()
    life.ana.screen()
    life.ana.types("@feed")
    assert life.ana.screen()[-1] == 'Rook says, "hello"'
    life.ana.types("@town")
    assert f"{ROOM}: Ana, Ben and Rook" in life.ana.screen()
    life.game.world.characters["Ana"].role = Role.ADMIN
    life.ana.types("@feed")
    assert life.ana.screen()[-1] == 'Rook says, "hello" (I am lonely)'
    life.ana.types("@town")
    assert "The Yard: Cat" in life.ana.screen()


def test_the_feed_is_told_of_one_person_place_kind_or_with_some_words(life: Watched):
    life.game.world.characters["Ana"].role = Role.ADMIN
    for name, line in (("Ben", "say hello"), ("Cat", "emote sweeps the stones"), ("Ben", "emote yawns")):
        life.game.perform(name, line)
    told = {}
    for wanted in ("Cat", "yard", "speech", "yawns", "zebra"):
        life.ana.screen()
        life.ana.types(f"@feed {wanted}")
        told[wanted] = life.ana.screen()
    assert told == {
        "Cat": ["Cat sweeps the stones."], "yard": ["Cat sweeps the stones."], "speech": ['Ben says, "hello"'],
        "yawns": ["Ben yawns."], "zebra": ["Nothing has happened yet."],
    }  # fmt: skip


def test_the_town_of_a_time_has_everybody_where_they_were_then_and_says_so(life: Watched):
    town = Town(life.game, life.agents, frozenset, lambda: 0)
    shown = town.then({"Cat": ROOM, "Rook": "The Yard", "Eve": "A room that is gone"}, "2026-11-21T20:35")
    people = {room["name"]: [(one["name"], one["is_agent"]) for one in room["people"]] for room in shown["rooms"]}
    assert (people[ROOM], people["The Yard"]) == ([("Cat", False)], [("Rook", True)])
    text = town_text(shown, ENGLISH)
    assert text.startswith("Who was where at 2026-11-21 20:35 (UTC)")
    assert f"{ROOM}: Cat" in text


def test_the_command_tells_the_town_of_a_time_to_those_who_see_all_and_nobody_else(tmp_path: Path):
    life = Watched(tmp_path / "inn")
    vault = Vault(lived_vault(tmp_path / "lived"))
    reader = reader_of(vault, WorldSettings(), lambda: ENGLISH)
    life.observatory.add_chronicle(ChronicleView(reader, life.game.world, execute))
    told = {}
    for role in (Role.ADMIN, Role.PLAYER):
        life.game.world.characters["Ana"].role = role
        for line in (f"@town {DAY}T20", "@town yesterday", "@town"):
            life.ana.screen()
            life.ana.types(line)
            told[role, line] = life.ana.screen()[0]
    assert told[Role.ADMIN, f"@town {DAY}T20"] == f"Who was where at {DAY} 20 (UTC), as the chronicle tells; the rooms are those of now."  # noqa: E501  # fmt: skip
    assert told[Role.ADMIN, "@town yesterday"].startswith("'yesterday' is not a time.")
    assert told[Role.PLAYER, f"@town {DAY}T20"] == f"The view 'town@{DAY}T20' is for observers and admins."
    assert "Who was where" not in told[Role.ADMIN, "@town"]


@pytest.mark.parametrize("view", ["town", "mind"])
def test_a_window_shows_nothing_as_it_was_at_a_time(lived: Watched, view: str):
    answer = lived.asked("Ben", Role.PLAYER, view=view, agent="Rook", at="2026-11-21T20:35")
    assert answer["unseen"] == f"The view '{view}@2026-11-21T20:35' is for observers and admins."


def test_two_admins_at_one_mind_both_see_what_one_of_them_pins(lived: Watched):
    outlets = [lived.watches(name, Role.ADMIN, view="mind", agent="Rook") for name in ("Ana", "Ben")]
    lived.game.perform("Ana", "@memory-pin Rook The key is under the step.")
    lived.game.perform("Ben", "@memory-pin Rook The key is under the step.")
    lived.goes_on(POLL_SECONDS + MIND_SECONDS)
    for outlet in outlets:
        assert [one["text"] for one in outlet.taken()[-1]["seen"]["pins"]] == ["The key is under the step."]


def test_health_says_in_its_first_line_why_it_is_slow(tmp_path: Path):
    life = Watched(tmp_path, ModelError("The host is gone."), "look")
    observer = Player(life.game, "Ben")
    life.ben.role = Role.OBSERVER

    def first_line() -> str:
        observer.screen()
        observer.types("@health")
        return observer.screen()[0]

    assert first_line() == "There is no model, so nobody thinks. None was found."
    life.turns()
    assert first_line() == "scripted fails: The host is gone."
    life.turns()
    assert first_line().startswith("An answer takes ")


@pytest.mark.parametrize(
    ("timing", "late", "told"),
    [
        ({"queue": 7.0, "prompt": 1.0, "answer": 2.0}, 0.0, "7.0 s of it in the queue: 3 wait for 1 at a time."),
        ({"queue": 0.1, "prompt": 6.0, "answer": 2.0}, 0.0, "6.0 s of it to read the prompt; 40% of it comes"),
        ({"queue": 0.1, "prompt": 0.2, "answer": 2.0}, 0.0, "2.0 s of it to write at 12 tokens a second; 3 wait."),
        ({"load": 9.0, "answer": 2.0}, 0.0, "9.0 s of it to load the model."),
        ({}, 0.0, "An answer takes 2.5 s; 3 wait."),
        ({"answer": 2.0}, 0.9, "The server itself is busy: it was 0.9 s late."),
    ],
)
def test_what_weighs_most_is_why_it_is_slow(timing: dict[str, float], late: float, told: str):
    model: dict[str, Any] = {"failing": None, "answered": 9, "running": 1, "waiting": 3, "seconds": 2.5}
    model |= {"timing": timing, "tokens_per_second": 12.3, "cached_share": 0.4, "model": "m", "error": ""}
    assert told in why_slow({"models": [model], "late": late, "problem": ""}, ENGLISH)
