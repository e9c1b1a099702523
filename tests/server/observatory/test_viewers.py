"""What viewers are sent, and when: together, in slices, nothing for those who do not read; and who looked at what."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from server.observatory.feed import SPEAKS_MS
from server.observatory.town import SILENCE_MS
from server.observatory.viewers import MIN_SECONDS, MIND_SECONDS, NOTED_SECONDS, POLL_SECONDS, SLICE_SECONDS
from server.observatory.views import WHOLE, View
from tests.server.observatory.town_of import Watched
from world.entities import Role


def test_who_looks_already_is_not_left_behind_by_one_who_comes(lived: Watched):
    first = lived.watches("Ana", Role.ADMIN, view="mind", agent="Rook")
    lived.goes_on(MIND_SECONDS)
    lived.game.perform("Ana", "@memory-pin Rook The key is under the step.")
    viewer, second = lived.looks("Ben", Role.ADMIN)
    viewer.message_received({"view": "mind", "agent": "Rook"})
    lived.goes_on(2 * POLL_SECONDS)
    last = [outlet.taken()[-1]["seen"]["pins"] for outlet in (first, second)]
    assert [[pin["text"] for pin in pins] for pins in last] == [["The key is under the step."]] * 2


def test_many_views_are_made_in_slices_between_which_others_go_on(life: Watched):
    calls: list[str] = []

    def takes_long(asked: Any) -> dict[str, str]:
        calls.append(asked["agent"])
        life.clock.rightNow += SLICE_SECONDS
        return {"at": str(life.clock.rightNow)}

    life.observatory.views.add(View("slow", takes_long, lambda shown, say: "", is_live=True))
    for number in range(3):
        life.watches("Ben", Role.OBSERVER, view="slow", agent=str(number))
    calls.clear()
    life.clock.rightNow += MIND_SECONDS
    life.observatory.viewers.mark_changed()
    life.clock.callLater(SLICE_SECONDS / 2, calls.append, "somebody else")
    life.clock.advance(0)
    assert sorted(calls) == ["0", "1", "2", "somebody else"]
    assert calls.index("somebody else") == 1


def test_for_one_who_stops_reading_nothing_is_made_again(lived: Watched):
    outlet = lived.watches("Ben", Role.OBSERVER, view="mind", agent="Rook")
    outlet.is_congested = True
    lived.game.perform("Ana", "say hello")
    lived.goes_on(3 * MIND_SECONDS)
    made = lived.count_made()
    lived.goes_on(5 * MIND_SECONDS)
    assert made == []
    outlet.taken()
    outlet.is_congested = False
    lived.goes_on(2 * MIND_SECONDS)
    assert len(outlet.taken()) == 1


def test_who_looks_at_what_is_private_is_noted_once_in_a_while(tmp_path: Path):
    life = Watched(tmp_path, "look | I am secretive")
    life.turns()
    viewer, _ = life.looks("Ben", Role.OBSERVER)
    mind, why = {"view": "mind", "agent": "Rook"}, {"view": "why", "agent": "Rook", "seq": "1", "id": 3}
    for message in ({"view": "town"}, {"view": "health"}, mind, {"view": "town"}, mind, why):
        viewer.message_received(message)
    noted = [("Ben", "mind Rook"), ("Ben", "why Rook 1")]
    assert life.noted == noted
    life.clock.advance(NOTED_SECONDS + 1)
    viewer.message_received({"view": "mind", "agent": "Rook"})
    assert life.noted == [*noted, ("Ben", "mind Rook")]


def test_a_look_through_the_window_is_noted_when_it_becomes_one_at_everything(life: Watched):
    life.watches("Ben", view="feed")
    assert life.noted == []
    life.ben.role = Role.OBSERVER
    life.game.perform("Ana", "say hello")
    life.goes_on()
    assert life.noted == [("Ben", "feed")]


def test_whom_a_player_has_hushed_is_not_in_the_window_but_for_what_is_for_the_player(life: Watched):
    life.game.world.characters["Cat"].room_id = life.ben.room_id
    outlets = [life.watches(name, view="feed") for name in ("Ben", "Cat")]
    life.game.perform("Ben", "hush Ana")
    for line in ("say It rains.", "say Ben, it rains.", "whisper Ben It pours.", "emote hums"):
        life.game.perform("Ana", line)
    life.goes_on()
    told = [[one["text"] for message in sent.taken() for part in message["seen"].values() for one in part]
            for sent in outlets]  # fmt: skip
    hum, whisper = "Ana hums.", "Ana whispers something to Ben."
    assert told == [['Ana says, "Ben, it rains."', whisper],
                    ['Ana says, "It rains."', 'Ana says, "Ben, it rains."', whisper, hum]]  # fmt: skip


def people(message: dict[str, Any], what: str) -> list[str]:
    """Return of whom a town shows something."""
    rooms = message["seen"].get("rooms") or message["seen"]["changed"].values()
    return [one["name"] for room in rooms for one in room["people"] if one.get(what)]


@pytest.mark.parametrize("role", [Role.PLAYER, Role.OBSERVER])
def test_the_town_shows_who_speaks_at_once_and_that_they_are_silent_a_bit_later(life: Watched, role: Role):
    outlet = life.watches("Ben", role, view="town")
    life.game.perform("Ana", "say hello")
    life.goes_on(MIN_SECONDS)
    assert people(outlet.taken()[-1], "speaks") == ["Ana"]
    life.goes_on((SPEAKS_MS + SILENCE_MS) / 1000 + POLL_SECONDS)
    assert people(outlet.taken()[-1], "speaks") == []


def put_together(town: dict[str, Any], messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a town as a page has it after these messages."""
    for seen in (message["seen"] for message in messages):
        changed = seen.get("changed", {})
        rooms = [changed.get(str(number), room) for number, room in enumerate(town.get("rooms", ()))]
        town = {**town, "rooms": rooms} if changed else seen
    return town


def test_only_the_rooms_that_are_others_are_sent_and_a_page_has_the_whole_town_from_them(life: Watched):
    rng = random.Random(3)
    viewer, outlet = life.looks("Ben", Role.OBSERVER)
    viewer.message_received({"view": "town"})
    town, changes = put_together({}, outlet.taken()), list[set[str]]()
    for _ in range(200):
        outlet.is_congested = rng.random() < 0.1
        if rng.random() < 0.1:
            life.watches("Cat", Role.OBSERVER, view="town")
        life.game.perform(rng.choice(["Ana", "Cat"]), rng.choice(["go out", "go house door", "go north", "say hi"]))
        life.goes_on(rng.choice([MIN_SECONDS, 3 * POLL_SECONDS]))
        messages = outlet.taken()
        changes += [set(one["seen"]["changed"]) for one in messages if "changed" in one["seen"]]
        town = put_together(town, messages)
        if not outlet.is_congested:
            life.goes_on((SPEAKS_MS + SILENCE_MS) / 1000 + POLL_SECONDS)
            town = put_together(town, outlet.taken())
            assert town == life.observatory.views.make_now("town", {}, WHOLE)
    assert 1 in map(len, changes)
    assert all(len(one) < len(town["rooms"]) for one in changes)


def test_the_town_is_made_twice_a_second_at_most_while_agents_begin_and_end_thoughts(life: Watched):
    life.watches("Ben", Role.OBSERVER, view="town")
    life.goes_on(2.0)
    made = life.count_made()
    for number in range(50):
        life.observatory.tell_of_agent("Rook", f"thought {number}")
        life.goes_on(0.05)
    assert 2 <= len(made) <= 5
    life.goes_on(2.0)
    made.clear()
    life.goes_on(5.0)
    assert made == []
