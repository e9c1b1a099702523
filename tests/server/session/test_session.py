"""Coming in, having a name, playing and going, as it looks on a screen."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from twisted.internet.task import Clock

from config.settings import ServerSettings
from server.session.registry import presence_by
from tests.server.fake_connection import Guest, entered
from tests.server.front_door import accounts_in, lobby_of
from tests.world.inn import inn_game
from world.entities import Role
from world.world import Presence

ROOM = (
    "The Common Room\n"
    "A long table, a low ceiling and a fire that never quite goes out.\n"
    "You see a brass lamp and an oil lamp here.\n"
)
EXITS = "Exits: north (The Kitchen), out (The Yard), down (The Cellar).\n"

NOW = datetime(2026, 11, 21, 8, tzinfo=UTC)


@pytest.fixture
def registry(tmp_path):
    return lobby_of(tmp_path, inn_game(), ServerSettings(login_seconds=60, max_connections=3, idle_minutes=10))


def test_a_caller_is_welcomed_and_asked_for_a_name(registry):
    assert Guest(registry).screen() == "Welcome to the inn.\nBy what name shall we know you? "


def test_a_newcomer_reads_the_first_steps_and_sees_the_room(registry):
    assert Guest(registry).enters("eve") == f"Type look.\n{ROOM}{EXITS}> "


def test_a_name_means_the_same_character_however_it_is_written(registry):
    first = entered(registry, "eve")
    first.types("north")
    first.hangs_up()
    assert Guest(registry).enters("EVE").startswith("The Kitchen\n")
    assert [name for name in registry.game.world.characters if name.casefold() == "eve"] == ["Eve"]


def test_an_empty_line_is_answered_with_the_same_question(registry):
    assert Guest(registry).types("  ") == "By what name shall we know you? "
    ana = entered(registry, "Ana")
    assert ana.types("") == "> "


def test_each_turn_ends_in_one_prompt_however_much_it_shows(registry):
    ana = entered(registry, "Ana")
    entered(registry, "Ben")
    ana.screen()
    prompts = ana.connection.prompts
    registry.game.perform("Ben", "say one")
    registry.game.perform("Ben", "say two")
    ana.connection.types("say three")
    assert ana.screen() == '\nBen says, "one"\nBen says, "two"\nYou say, "three"\n> '
    assert ana.connection.prompts == prompts + 1


def test_a_walk_ends_in_a_look_around(registry):
    ana = entered(registry, "Ana")
    assert ana.types("north") == (
        "You go north to The Kitchen.\n"
        "The Kitchen\nCopper pans, steam, and no window.\nYou see some apples here.\n"
        "Exits: south (The Common Room).\n> "
    )


def test_a_second_connection_takes_the_character_over_and_the_first_is_told(registry):
    first = entered(registry, "Ana")
    second = Guest(registry)
    assert second.enters("ana") == f"{ROOM}{EXITS}> "
    assert first.screen() == "\nYou have connected from somewhere else, and go on there.\n"
    assert not first.connection.is_open


def test_a_connection_that_was_taken_over_takes_nobody_with_it_when_it_ends(registry):
    first, second = entered(registry, "Ana"), entered(registry, "Ana")
    first.hangs_up()
    assert registry.game.world.characters["Ana"].awake
    assert second.types("say still here") == 'You say, "still here"\n> '


def test_whoever_quits_reads_the_farewell_and_falls_asleep_for_all_to_see(registry):
    ana, ben = entered(registry, "Ana"), entered(registry, "Ben")
    ben.screen()
    assert ana.types("quit") == "Sleep well.\n"
    assert not ana.connection.is_open
    ana.hangs_up()
    assert ben.screen() == "\nAna falls asleep and is gone.\n> "
    assert not registry.game.world.characters["Ana"].awake
    assert registry.playing == {"Ben": ben.session}


def test_whoever_does_not_come_in_in_time_is_let_go(registry):
    guest = Guest(registry)
    guest.screen()
    registry.clock.advance(60)
    assert guest.screen() == "\nNobody logged in, so the connection closes. Connect again whenever you like.\n"
    assert not guest.connection.is_open


def test_a_player_who_types_nothing_is_warned_a_minute_before_and_let_go(registry):
    ana = entered(registry, "Ana")
    registry.clock.advance(9 * 60)
    assert ana.screen() == (
        "\nYou have been still for long. In a minute the door closes behind you, unless\nyou type something.\n> "
    )
    registry.clock.advance(59)
    assert ana.screen() == ""
    registry.clock.advance(1)
    assert ana.screen() == ("\nYou have been still for 10 minutes, so you fall asleep. Come back whenever you\nlike.\n")
    assert not ana.connection.is_open


def test_a_line_after_the_warning_is_enough_to_stay(registry):
    ana = entered(registry, "Ana")
    registry.clock.advance(9 * 60 + 30)
    ana.types("look")
    registry.clock.advance(9 * 60 - 1)
    assert ana.screen() == ""
    registry.clock.advance(1)
    assert "In a minute the door closes" in ana.screen()


@pytest.mark.parametrize("role", [Role.BUILDER, Role.ADMIN])
def test_builders_and_admins_may_be_still_for_ever(registry, role):
    ana = entered(registry, "Ana")
    registry.login_services.accounts.set_role("Ana", role)
    for _ in range(100):
        registry.clock.advance(1000)
    assert (ana.screen(), ana.connection.is_open) == ("", True)


def test_nobody_is_let_go_where_the_setting_says_never(tmp_path):
    clock = Clock()
    ana = Guest(lobby_of(tmp_path, inn_game(), ServerSettings(idle_minutes=0), clock=clock))
    ana.enters("Ana")
    assert clock.getDelayedCalls() == []


FAR = "203.0.113.9"


@pytest.mark.parametrize(
    ("prepare", "told", "reason"),
    [
        (
            lambda registry: [Guest(registry) for _ in range(3)],
            "The world is full: 3 people are here. Come back later.\n",
            "full",
        ),
        (
            lambda registry: registry.login_services.accounts.bans.ban("203.0.113.0/24", None, "nothing but noise"),
            "You are banned: nothing but noise\n",
            "banned",
        ),
        (
            lambda registry: [registry.limiter.admit(FAR) for _ in range(21)],
            "There are 20 connections from your address, the maximum. Come back later.\n",
            "too_many_from_there",
        ),
    ],
    ids=["a full house", "a ban", "too many from an address"],
)
def test_a_caller_who_is_turned_away_reads_why_and_is_counted(registry, caplog, prepare, told, reason):
    prepare(registry)
    inside = set(registry.sessions)
    caller = Guest(registry, FAR)
    assert caller.screen() == told
    assert (caller.connection.is_open, registry.sessions) == (False, inside)
    assert registry.traffic["telnet"].refused == {reason: 1}
    assert f"{FAR} rejected: " in caplog.text
    caller.hangs_up()
    for session in inside:
        session.connection_lost("Connection was closed.")
    assert Guest(registry, "203.0.114.9").connection.is_open


def test_nothing_is_left_to_happen_when_all_have_gone(registry):
    guests = [Guest(registry), Guest(registry)]
    guests[0].enters("Ana")
    for guest in guests:
        guest.hangs_up()
    registry.clock.advance(60)
    assert registry.clock.getDelayedCalls() == []
    assert (registry.sessions, registry.playing) == (set(), {})


def test_everyone_connected_hears_an_announcement(registry):
    ana, nameless = Guest(registry), Guest(registry)
    ana.enters("Ana")
    nameless.screen()
    registry.announce("The world is closing.")
    assert ana.screen() == "\nThe world is closing.\n> "
    assert nameless.screen() == "\nThe world is closing.\nBy what name shall we know you? "


def test_sending_home_waits_for_the_last_connection(registry):
    ana, ben = Guest(registry), Guest(registry)
    ana.enters("Ana")
    sent = registry.send_home()
    assert ana.screen().endswith("Sleep well.\n")
    ana.hangs_up()
    assert not sent.called
    ben.hangs_up()
    assert sent.called


def test_nobody_need_be_sent_home_from_an_empty_house(registry):
    assert registry.send_home() is None


def test_whoever_comes_in_is_told_to_the_rest_of_the_server(registry):
    entered = []
    registry.entered = lambda character: entered.append(character.name)
    Guest(registry).enters("Ana")
    assert entered == ["Ana"]


def test_the_lobby_knows_who_is_connected_and_can_send_one_away(registry):
    ana, ben, nameless = Guest(registry), Guest(registry), Guest(registry)
    ana.enters("Ana")
    ben.enters("Ben")
    assert registry.names_connected() == ["Ana", "Ben"]
    assert registry.playing == {"Ana": ana.session, "Ben": ben.session}
    ana.screen()
    registry.kick("Ana", "Out with you.")
    assert ana.screen().endswith("Out with you.\n")
    assert [one.connection.is_open for one in (ana, ben, nameless)] == [False, True, True]
    registry.kick("Cat", "Out with you.")


def test_who_comes_and_goes_is_seen_at_that_time(registry):
    entered(registry, "Ana")
    assert f"{registry.login_services.accounts.last_seen('ana'):%Y-%m-%d %H:%M:%S %Z}" == "2026-11-18 11:06:40 UTC"


# Guests


def test_a_guest_gets_a_name_and_the_first_steps_and_is_asked_for_no_password(registry):
    first, second = Guest(registry), Guest(registry)
    assert first.types("guest") == f"Type look.\n{ROOM}{EXITS}> "
    assert second.types("GUEST").startswith("Type look.\n")
    assert registry.names_connected() == ["Guest1", "Guest2"]
    assert first.screen() == "\nGuest2 wakes up here.\n> "
    assert registry.game.world.characters["Guest1"].role == Role.GUEST


def test_of_a_guest_who_has_gone_nothing_is_left(registry, tmp_path):
    before = [path for path in tmp_path.rglob("*") if path.is_file()]
    ben, guest = Guest(registry), Guest(registry)
    ben.enters("Ben")
    guest.types("guest")
    ben.types("get brass lamp", "give brass lamp to Guest1")
    ben.screen()
    guest.hangs_up()
    assert ben.screen() == "\nGuest1 puts down the brass lamp.\nGuest1 falls asleep and is gone.\n> "
    assert "Guest1" not in registry.game.world.characters
    assert registry.game.world.things["brass lamp"].place_id == "The Common Room"
    assert [path.name for path in tmp_path.rglob("*") if path.is_file() and path not in before] == []
    assert accounts_in(tmp_path / "accounts").keys() == {"Ben"}
    assert Guest(registry).types("guest").startswith("Type look.")


def test_an_answer_to_a_guest_who_has_gone_reaches_nobody_and_no_number_is_given_twice(registry):
    ben, first, second = Guest(registry), Guest(registry), Guest(registry)
    ben.enters("Ben")
    first.types("guest")
    first.types("whisper Ben It is under the lamp.")
    first.hangs_up()
    second.types("guest")
    ben.screen()
    assert registry.names_connected() == ["Ben", "Guest2"]
    assert ben.types("reply I have it.") == "Nobody has told or whispered you anything yet.\n> "
    assert "I have it." not in second.screen()


def test_guests_are_refused_where_the_setting_says_so(tmp_path):
    registry = lobby_of(tmp_path, inn_game(), ServerSettings(guests=False))
    assert Guest(registry).types("guest") == (
        "This world has no guests. Give a name of your own.\nBy what name shall we know you? "
    )


def test_who_listens_is_given_one_prompt_a_line_typed_and_none_for_what_others_do(registry):
    ana = entered(registry, "Ana")
    ana.types("screenreader on")
    ben = entered(registry, "Ben")
    ben.types("say hello")
    ben.types("say again")
    assert ana.screen() == '\nBen wakes up here.\nBen says, "hello"\nBen says, "again"\n'
    assert ana.types("say hi") == 'You say, "hi"\n> '


def test_a_client_that_reads_aloud_is_believed_until_its_player_says_otherwise(registry):
    ana = entered(registry, "Ana")
    ana.connection.tells(screen_reader=True)
    assert ana.types("exits") == "Exits: you can go north to The Kitchen, out to The Yard or down to The Cellar.\n> "
    ana.types("screenreader off")
    assert ana.types("exits").startswith("Exits: north")


def test_who_wants_it_brief_walks_without_descriptions_and_can_still_look(registry):
    ana = entered(registry, "Ana")
    ana.types("brief")
    assert ana.types("north") == (
        "You go north to The Kitchen.\nThe Kitchen\nYou see some apples here.\nExits: south (The Common Room).\n> "
    )
    assert "Copper pans" in ana.types("look")


def test_a_password_is_nothing_that_could_be_repeated(registry):
    ana = entered(registry, "Ana")
    ana.types("say hi", "@password", "a long secret")
    doings = registry.game.world.characters["Ana"].transient
    assert (doings.last_line, list(doings.speech_history)) == ("", ['You say, "hi"'])
    assert ana.screen() == ""


def test_who_plays_is_still_and_who_does_not_is_gone_for_so_many_seconds():
    seen = {"Dan": NOW - timedelta(hours=2), "Ben": NOW - timedelta(days=9)}
    playing = {"Ben": SimpleNamespace(idle_seconds=61.9)}
    presence = presence_by(playing, seen.get, lambda: int(NOW.timestamp() * 1000))
    assert [presence(name) for name in ("Ben", "Dan", "Rook")] == [
        Presence(idle_seconds=61),
        Presence(away_seconds=7200),
        Presence(),
    ]
