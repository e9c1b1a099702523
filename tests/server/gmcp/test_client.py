"""What a client is told besides text while its player lives in the world."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.settings import ServerSettings
from server.gmcp.client import MAX_MESSAGE_BURST, MAX_PACKAGES, Supports
from server.gmcp.packages import hash_room_id
from tests.server.fake_connection import Guest, entered
from tests.server.front_door import lobby_of
from tests.server.gmcp.talking import ALL, Talker
from tests.world.inn import inn_game
from world.entities import Exit, Role, Room


def supports(*names: str) -> Supports:
    found = Supports()
    found.replace(list(names))
    return found


@pytest.mark.parametrize(
    ("names", "package", "held"),
    [
        (["Room 1"], "Room.Info", True),
        (["room 1"], "Room.Info", True),
        (["ROOM.INFO"], "Room.Info", True),
        (["Room.Players 1"], "Room.Info", False),
        (["Roo 1"], "Room.Info", False),
        (["Char 1"], "Char.Items.List", True),
        (["Char.Items 1"], "Char.Name", False),
        ([], "Room.Info", False),
    ],
)
def test_a_package_is_held_by_its_name_or_one_above_it_in_whatever_case(names, package, held):
    assert supports(*names).holds(package) is held


def test_packages_come_and_go():
    found = supports("Char 1", "Room 1")
    found.add(["Comm 1"])
    found.remove(["room"])
    assert [found.holds(one) for one in ("Char.Name", "Room.Info", "Comm.Channel.Text")] == [True, False, True]
    found.replace(["Room 1"])
    assert [found.holds(one) for one in ("Char.Name", "Room.Info", "Comm.Channel.Text")] == [False, True, False]


def test_a_list_without_end_is_cut():
    found = supports(*(f"Package{number}" for number in range(MAX_PACKAGES + 10)))
    assert found.holds(f"Package{MAX_PACKAGES - 1}")
    assert not found.holds(f"Package{MAX_PACKAGES}")


@given(
    st.recursive(st.none() | st.text() | st.integers(), st.lists, max_leaves=6) | st.dictionaries(st.text(), st.text())
)
def test_anything_may_stand_for_a_list(payload):
    found = supports("Room 1")
    found.add(payload)
    assert found.holds("Room.Info")
    found.remove(payload)
    found.replace(payload)


HALL, KITCHEN, CELLAR = map(hash_room_id, ("The Common Room", "The Kitchen", "The Cellar"))


@pytest.fixture
def registry(tmp_path):
    return lobby_of(tmp_path, inn_game(), ServerSettings())


@pytest.fixture
def ana(registry):
    return inside(registry, "Ana")


def inside(registry, name, *supports) -> Talker:
    talker = Talker(registry, *(supports or ALL))
    talker.enters(name)
    return talker


# Coming in and walking


def test_whoever_comes_in_is_told_everything_once(ana):
    assert ana.told() == [
        "Char.Login.Default",
        "Char.Name",
        "Char.StatusVars",
        "Comm.Channel.List",
        "Fallwater.Commands",
        "Char.Items.List",
        "Room.Info",
        "Room.Players",
        "Char.Items.List",
        "Fallwater.Map",
        "Char.Status",
    ]


def test_a_room_is_told_with_its_number_and_where_its_exits_lead(registry, ana):
    registry.gmcp_updates.places.area = "The Inn"
    ana.told()
    ana.types("north")
    assert ana.told("Room.Info") == [
        {
            "num": KITCHEN,
            "name": "The Kitchen",
            "area": "The Inn",
            "environment": "",
            "exits": {"s": HALL},
            "details": [],
        }
    ]


def test_mappers_are_told_a_direction_for_short_if_one_can_walk_by_that(registry, ana):
    hall = registry.game.world.rooms["The Common Room"]
    exits = (
        Exit("up", "The Yard"),
        Exit("northeast", "The Yard", ("far", "ne")),
        Exit("Gate", "The Yard", ("g", "n2")),
    )
    hall.exits.update({one.name: one for one in exits})
    registry.game.publish(())
    assert set(ana.last("Room.Info")["exits"]) == {"n", "out", "d", "up", "ne", "Gate"}


def test_what_a_room_is_a_place_of_and_where_it_lies_are_told(registry, ana):
    yard = registry.game.world.rooms["The Yard"]
    yard.tags, yard.properties = ("domain/market", "mend this"), {"area": "Out of doors"}
    ana.types("out")
    told = ana.last("Room.Info")
    assert (told["area"], told["environment"], told["details"]) == ("Out of doors", "market", ["market"])


def test_two_steps_in_one_turn_are_two_rooms(registry, ana):
    ana.told()
    registry.game.perform("Ana", "north")
    registry.game.perform("Ana", "south")
    assert [told["num"] for told in ana.told("Room.Info")] == [KITCHEN, HALL]


def test_a_way_back_into_the_same_room_is_a_step_too(registry, ana):
    cellar = registry.game.world.rooms["The Cellar"]
    cellar.exits["around"] = Exit("around", "The Cellar")
    ana.types("down")
    ana.told()
    ana.types("around")
    assert [told["num"] for told in ana.told("Room.Info")] == [CELLAR]


def test_a_room_that_is_shaped_anew_is_told_anew_to_who_is_there(registry, ana):
    cat = inside(registry, "Cat")
    registry.login_services.accounts.set_role("Ana", Role.BUILDER)
    ana.told(), cat.told()
    ana.types("@dig attic to The Attic")
    assert "attic" in ana.last("Room.Info")["exits"]
    assert cat.told("Room.Info") == []


def test_an_edit_that_was_taken_in_is_told(registry, ana):
    ana.told()
    registry.game.world.rooms["The Common Room"].title = "The Taproom"
    registry.game.publish(())
    assert ana.last("Room.Info")["name"] == "The Taproom"
    registry.game.publish(())
    assert ana.told() == []


def test_a_room_whose_exit_leads_nowhere_is_told_without_it(registry, ana):
    room = registry.game.world.rooms["The Kitchen"]
    room.exits["hatch"] = Exit("hatch", "A Room That Is Gone")
    ana.types("north")
    assert ana.last("Room.Info")["exits"] == {"s": HALL}


# Who and what is there


def test_what_can_be_taken_and_what_holds_others_is_marked(registry):
    cat = inside(registry, "Cat")
    cat.types("east")
    items = cat.last("Char.Items.List")["items"]
    assert [(one["name"], one["attrib"]) for one in items] == [("oat chest", "c"), ("saddle bag", "ct"), ("slate", "t")]


def test_a_thing_is_known_by_nothing_that_its_title_hides(registry, ana):
    registry.game.world.things["brass lamp"].title = "plain box"
    registry.game.publish(())
    ana.tells("Char.Items.Room")
    items = ana.last("Char.Items.List")["items"]
    assert "brass" not in str(items) and "plain box" in str(items)


def test_a_client_may_ask_for_what_it_was_told_already(ana):
    ana.told()
    ana.tells("Char.Items.Inv", "")
    assert [one["name"] for one in ana.last("Char.Items.List")["items"]] == ["copper coin"]


# How one stands


def test_the_status_has_a_caption_for_each_of_its_parts(ana):
    found: dict[str, Any] = dict(ana.connection.told)
    assert found["Char.Status"].keys() == found["Char.StatusVars"].keys()
    assert found["Char.Status"] == {"role": "a player", "room": "The Common Room", "state": "awake", "following": ""}
    assert found["Char.Name"] == {"name": "Ana", "fullname": "Ana"}


def test_of_the_status_only_what_is_different_is_told(registry, ana):
    inside(registry, "Ben")
    ana.told()
    ana.types("afk tea")
    assert ana.told("Char.Status") == [{"state": "away"}]
    ana.types("follow Ben")
    assert ana.told("Char.Status") == [{"state": "awake", "following": "Ben"}]
    registry.game.perform("Ben", "north")
    assert ana.told("Char.Status") == [{"room": "The Kitchen"}]


# What is said


def test_what_is_said_is_told_as_it_reads_to_who_hears_it(registry, ana):
    ben = inside(registry, "Ben")
    ana.told(), ben.told()
    ana.types("say Good morning")
    assert ana.told("Comm.Channel.Text") == [{"channel": "say", "talker": "Ana", "text": 'You say, "Good morning"'}]
    assert ben.told("Comm.Channel.Text") == [{"channel": "say", "talker": "Ana", "text": 'Ana says, "Good morning"'}]


@pytest.mark.parametrize(
    ("line", "channel", "hears_it"),
    [
        ("tell Cat come in", "tell", ["Cat"]),
        ("shout fire", "shout", ["Ben", "Dan", "Cat"]),
        (":waves.", "emote", ["Ben", "Dan"]),
        ("whisper Ben the cellar", "whisper", ["Ben"]),
        ("think of the cellar", "", []),
        ("look", "", []),
    ],
)
def test_each_channel_reaches_whom_the_words_reach(registry, ana, line, channel, hears_it):
    others = {name: inside(registry, name) for name in ("Ben", "Dan", "Cat")}
    for one in (ana, *others.values()):
        one.told()
    ana.types(line)
    assert [told["channel"] for told in ana.told("Comm.Channel.Text")] == [channel] * bool(channel)
    assert [name for name, one in others.items() if one.told("Comm.Channel.Text")] == hears_it


def test_a_private_reason_is_told_to_nobody(registry, ana):
    ben = inside(registry, "Ben")
    ben.told()  # the commands, whose help may have such words
    ana.types("say hello | ben owes me a lamp", "north | away from ben")
    assert "owes" not in str(ben.connection.told) and "away from" not in str(ben.connection.told)


def test_a_guest_has_the_channels_that_a_guest_may_use(registry):
    guest = Talker(registry, *ALL)
    guest.types("guest")
    assert [one["name"] for one in guest.last("Comm.Channel.List")] == ["say", "emote", "whisper", "tell"]


# What agents are about


def test_who_is_in_the_same_room_is_told_what_an_agent_is_about(registry, ana):
    registry.game.wake("Rook", lambda event, text: None)
    registry.gmcp_updates.tell_of_agent("Rook", "thinking")
    assert ana.told("Fallwater.Agent") == []
    ana.types("north")
    ana.told()
    registry.gmcp_updates.tell_of_agent("Rook", "thinking")
    registry.gmcp_updates.tell_of_agent("Rook", "acted")
    assert ana.told("Fallwater.Agent") == [
        {"name": "Rook", "what": "thinking", "room": KITCHEN},
        {"name": "Rook", "what": "acted", "room": KITCHEN},
    ]


def test_an_agent_that_nobody_sees_is_told_of_to_admins_alone(registry, ana):
    ben = inside(registry, "Ben")
    registry.login_services.accounts.set_role("Ben", Role.ADMIN)
    registry.gmcp_updates.tell_of_agent("Rook", "compacted")
    assert ana.told("Fallwater.Agent") == []
    assert ben.told("Fallwater.Agent") == [{"name": "Rook", "what": "compacted", "room": KITCHEN}]


def test_the_commands_are_told_again_when_a_role_is_another_and_only_then(registry, ana):
    ana.told()
    registry.gmcp_updates.on_events(())
    assert ana.told("Fallwater.Commands") == []
    registry.login_services.accounts.set_role("Ana", Role.BUILDER)
    registry.gmcp_updates.on_events(())
    usages = [one["usage"].split(" ")[0] for one in ana.last("Fallwater.Commands")["commands"]]
    assert "@dig" in usages


def test_an_agent_that_is_no_more_is_told_of_to_nobody(registry, ana):
    ana.told()
    registry.gmcp_updates.tell_of_agent("Nobody", "acted")
    assert ana.told() == []


# What a client takes


def test_only_packages_that_the_client_takes_are_sent(registry):
    ben = inside(registry, "Ben", "Room.Info 1")
    assert ben.told() == ["Room.Info"]
    ben.types("say hello", "get brass lamp", "north")
    assert ben.told() == ["Room.Info"]


def test_a_package_that_is_added_later_is_told_then_and_no_other_again(registry):
    ben = inside(registry, "Ben", "Room 1")
    ben.told()
    ben.tells("Core.Supports.Add", ["comm 1"])
    assert ben.told() == ["Comm.Channel.List"]
    ben.tells("Core.Supports.Remove", ["Room"])
    ben.types("north", "say hello")
    assert ben.told() == ["Comm.Channel.Text"]


def test_what_a_client_calls_itself_is_logged_once_and_as_one_line(registry, caplog):
    with caplog.at_level(logging.INFO):
        talker = Talker(registry)
        talker.tells("Core.Hello", {"client": "Other"})
        Guest(registry).session.data_received("core.hello", {"client": "A\nb\x1b[31mc" + "d" * 100})
    assert [record.getMessage() for record in caplog.records] == [
        "the client at 127.0.0.1 is Mudlet",
        "the client at 127.0.0.1 is A bc" + "d" * 36,
    ]


def test_a_client_that_begins_to_speak_late_is_told_all_the_same(registry):
    ben = entered(registry, "Ben")
    ben.session.data_received("core.supports.set", ["room 1"])
    assert [name for name, _ in ben.connection.told] == ["Room.Info", "Room.Players"]


def test_a_client_that_never_speaks_is_told_nothing(registry, ana):
    ben = entered(registry, "Ben")
    ana.types("say hello", "north")
    ben.types("quit")
    assert ben.connection.told == []


def test_a_ping_comes_back_and_a_sign_of_life_needs_no_answer(ana):
    ana.told()
    ana.tells("Core.Ping", 120)
    ana.tells("core.ping")
    ana.tells("Core.KeepAlive")
    assert ana.connection.told == [("Core.Ping", 120), ("Core.Ping", None)]


@pytest.mark.parametrize("payload", [1e999, -1, True, "x" * 4000, [[]], 10**300])
def test_nothing_but_a_time_comes_back_with_a_ping(ana, payload):
    ana.told()
    ana.tells("Core.Ping", payload)
    assert ana.connection.told == [("Core.Ping", None)]


def test_the_end_is_told_with_its_reason(registry, ana):
    ana.told()
    ana.types("quit")
    assert ana.told("Core.Goodbye") == ["Sleep well."]


def test_whoever_is_taken_over_is_told_no_more(registry, ana):
    second = inside(registry, "Ana")
    assert ana.told("Core.Goodbye") == ["You have connected from somewhere else, and go on there."]
    second.told()
    second.types("north")
    assert ana.told() == []
    assert [told["num"] for told in second.told("Room.Info")] == [KITCHEN]


def test_a_flood_is_answered_within_bounds_and_later_again(registry, ana):
    ana.told()
    for _ in range(1000):
        ana.tells("Core.Ping")
    assert len(ana.told()) <= MAX_MESSAGE_BURST
    registry.clock.advance(1)
    ana.tells("Core.Ping")
    assert ana.told() == ["Core.Ping"]


def test_nothing_is_kept_when_the_last_client_has_gone(registry, ana):
    ana.types("north")
    ana.hangs_up()
    registry.clock.advance(0)
    assert not registry.gmcp_updates._listeners and not registry.gmcp_updates.places._seen


def test_what_many_hear_is_made_once(registry, ana):
    ben, dan = inside(registry, "Ben"), inside(registry, "Dan")
    for one in (ben, dan):
        one.connection.messages.clear()
    ana.types("say hello", "get brass lamp")
    assert len(ben.connection.messages) == 2
    assert all(one is other for one, other in zip(ben.connection.messages, dan.connection.messages, strict=True))


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=6,
)
PACKAGES = (
    "Core.Hello Core.Supports.Set Core.Supports.Add Core.Supports.Remove Core.Ping Core.KeepAlive Char.Items.Inv "
    "Char.Items.Room Char.Login.Credentials Room.Info Unheard.Of"
).split()


@pytest.fixture(scope="module")
def busy(tmp_path_factory):
    return inside(lobby_of(tmp_path_factory.mktemp("busy"), inn_game(), ServerSettings()), "Ana")


@given(st.sampled_from(PACKAGES), ANYTHING)
def test_whatever_a_client_tells_the_session_goes_on(busy, package, payload):
    busy.tells(package, payload)
    busy.session._registry.clock.advance(10)
    assert busy.types("say still here") == 'You say, "still here"\n> '


def test_rooms_that_come_to_be_have_numbers_at_once(registry, ana):
    registry.game.world.rooms["The Attic"] = Room("The Attic", number=77)
    registry.game.world.rooms["The Kitchen"].exits["up"] = Exit("up", "The Attic")
    ana.types("north")
    assert ana.last("Room.Info")["exits"]["up"] == 77
