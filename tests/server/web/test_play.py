"""Play by the page: what is shown has numbers, and whatever happens to sockets, none is lost and none is doubled."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.session.speech import SpeechThrottle
from server.web.play import UNFINISHED
from server.web.socket import SILENT_SECONDS
from tests.server.fake_connection import Guest, entered
from tests.server.web.browsing import Browser, House, Window, guest_in


@pytest.fixture
def house(tmp_path):
    return House(tmp_path)


def ana_in(house: House) -> tuple[Browser, Window]:
    browser = Browser(house)
    browser.enters("Ana", chosen="a long secret")
    return browser, browser.plays()


def test_one_click_as_a_guest_stands_in_the_world(house):
    _, window = guest_in(house)
    assert window.texts[0] == "Type look."
    assert window.texts[1].startswith("The Common Room\nA long table")
    assert house.registry.names_connected() == ["Guest1"]
    Guest(house.registry)
    assert sorted(session.door for session in house.registry.sessions) == ["telnet", "web"]


def test_what_one_types_is_done_and_shown_with_its_own_number(house):
    _, window = ana_in(house)
    assert window.types("say hello") == ["say hello", 'You say, "hello"']
    assert window.shown[-2] == {"n": 2, "kind": "typed", "text": "say hello", "page": window.page, "typed": 1}
    assert window.shown[-1] == {"n": 3, "kind": "speech", "text": 'You say, "hello"'}


@pytest.mark.parametrize(
    ("line", "kind"),
    [("look", "scene"), ("look ana", None), ("say hi", "speech"), ("dance", "refusal"), ("help look", "marked")],
)
def test_texts_arrive_whole_with_their_kinds(house, line, kind):
    _, window = ana_in(house)
    window.types(line)
    assert [one.get("kind") for one in window.shown[-2:]] == ["typed", kind]


def test_the_page_is_told_the_room_its_people_its_things_and_the_map(house):
    _, window = ana_in(house)
    told = {item["data"]: item["payload"] for item in window.told if "data" in item}
    assert told["Room.Info"]["name"] == "The Common Room"
    assert [one["name"] for one in told["Room.Players"]] == ["Ana"]
    assert told["Fallwater.Map"]["exits"] == [
        {"name": "north", "room": "The Kitchen", "way": "north"},
        {"name": "out", "room": "The Yard", "way": ""},
        {"name": "down", "room": "The Cellar", "way": "down"},
    ]
    assert told["Fallwater.Map"]["rooms"][:2] == [
        {"name": "The Common Room", "x": 0, "y": 0},
        {"name": "The Kitchen", "x": 0, "y": -1},
    ]
    assert told["Fallwater.Map"]["ways"] == [[0, 1]]
    assert told["Fallwater.Map"]["words"][0] == "You are in The Common Room."
    look = {"usage": "look [<sight>]", "about": "Look at what is around you, or at something.", "group": "senses"}
    assert look in told["Fallwater.Commands"]["commands"]


def test_what_is_said_while_the_connection_is_lost_is_shown_when_it_is_back(house):
    browser, window = ana_in(house)
    window.is_cut()
    ben = entered(house.registry, "Ben")
    ben.types("say are you there?")
    house.goes_on(30)
    before = len(window.shown)
    browser.plays(page=window, resumes=True)
    assert window.texts[before:] == ["Ben wakes up here.", 'Ben says, "are you there?"']
    assert [one["n"] for one in window.shown] == list(range(1, len(window.shown) + 1))


def test_whose_connection_is_lost_stands_there_as_one_who_is_absent_and_falls_asleep_in_time(house):
    browser, window = ana_in(house)
    ben = entered(house.registry, "Ben")
    window.is_cut()
    assert "Ana, absent for a moment" in ben.types("who")
    assert house.registry.game.world.characters["Ana"].transient.is_linkdead
    house.goes_on(61)
    assert not house.registry.game.world.characters["Ana"].awake
    assert not house.registry.game.world.characters["Ana"].transient.is_linkdead
    assert "Ana falls asleep and is gone." in ben.screen()
    assert house.registry.names_connected() == ["Ben"]
    browser.plays(page=window, resumes=True)
    assert house.registry.game.world.characters["Ana"].awake


def test_a_new_window_reads_everything_from_the_beginning(house):
    browser, window = ana_in(house)
    window.types("say one")
    other = browser.plays()
    assert other.texts == window.texts


def test_of_two_windows_the_older_is_told_that_play_goes_on_in_the_other(house):
    browser, window = ana_in(house)
    other = browser.plays()
    window.reads()
    assert (window.last_told("end"), window.closed) == ("elsewhere", 1000)
    assert other.types("say here")[-1] == 'You say, "here"'
    assert house.registry.names_connected() == ["Ana"]


def test_a_character_is_taken_over_by_telnet_with_what_was_missed_and_back_again(house):
    browser, window = ana_in(house)
    window.is_cut()
    ben = entered(house.registry, "Ben")
    ben.types("say over here")
    telnet = Guest(house.registry)
    assert 'Ben says, "over here"' in telnet.enters("Ana")
    assert not house.registry.game.world.characters["Ana"].transient.is_linkdead
    # A page that comes back by itself takes nothing away from anybody.
    browser.plays(page=window, resumes=True)
    assert window.last_told("end") == "over"
    assert telnet.connection.is_open
    # Its visitor does.
    browser.plays(page=window)
    assert not telnet.connection.is_open
    assert window.types("say mine again")[-1] == 'You say, "mine again"'


def test_a_line_that_is_sent_again_is_not_done_again(house):
    _, window = ana_in(house)
    window.types("say once")
    window.sends(line="say once", number=1)
    window.reads()
    assert window.texts.count('You say, "once"') == 1


def test_who_comes_back_while_waited_for_is_counted_once_at_the_door_by_which_it_is(house):
    traffic = house.registry.traffic
    browser, window = ana_in(house)
    assert (traffic["web"].resumes, traffic["web"].sent_lines > 3) == (0, True)
    window.is_cut()
    browser.plays(page=window, resumes=True)
    assert (traffic["web"].resumes, traffic["telnet"].resumes) == (1, 0)
    browser.plays()  # another window: nobody was waited for
    assert traffic["web"].resumes == 1
    window = browser.plays()
    window.is_cut()
    ana = Guest(house.registry)
    ana.enters("Ana")
    assert (traffic["web"].resumes, traffic["telnet"].resumes) == (1, 1)
    ana.session.connection_lost("Connection was lost.")
    Guest(house.registry).enters("Ana")
    assert (traffic["web"].resumes, traffic["telnet"].resumes) == (1, 2)


class Looking:
    """What looks through a socket: it remembers what it was asked, and who asks."""

    def __init__(self, who):
        self.who, self.asked, self.has_left = who, [], False

    def message_received(self, message):
        self.asked.append((self.who().name, message))

    def leave(self):
        self.has_left = True


def test_what_a_page_asks_to_see_goes_to_whoever_looks_for_it_until_the_socket_is_lost(house):
    looking = []

    def observe(socket, who):
        looking.append(Looking(who))
        return looking[-1]

    house.door.observe = observe
    _, window = ana_in(house)
    window.sends(view="mind", agent="Rook", id=3)
    window.reads()
    assert looking[0].asked == [("Ana", {"view": "mind", "agent": "Rook", "id": 3})]
    assert window.types("say hello")[-1] == 'You say, "hello"'
    window.is_cut()
    assert looking[0].has_left


def test_where_nobody_may_look_a_page_that_asks_for_a_view_is_hung_up_on(house):
    _, window = ana_in(house)
    window.sends(view="town")
    window.reads()
    assert window.closed == 1008


def test_who_quits_is_told_that_it_is_over(house):
    _, window = ana_in(house)
    assert window.types("quit")[-1] == "Sleep well."
    assert (window.last_told("end"), window.closed) == ("over", 1000)
    assert house.registry.names_connected() == []


def test_when_the_world_restarts_the_page_is_told_to_come_again(house):
    _, window = ana_in(house)
    house.registry.send_home(lambda character, returns: f"Back in a moment: {returns}")
    window.reads()
    assert (window.texts[-1], window.last_told("end")) == ("Back in a moment: True", "restart")


def test_a_password_that_is_typed_in_play_is_asked_for_and_never_shown_or_written(house):
    _, window = ana_in(house)
    window.types("@password")
    asked = [item for item in window.told if "prompt" in item][-1]
    assert asked["hidden"] and asked["prompt"].startswith("Your password")
    window.types("a long secret")
    window.types("another secret")
    assert not any("secret" in text for text in window.texts)
    [path] = (house.folder / "web").iterdir()
    assert "secret" not in path.read_text()
    assert json.dumps({"window": [window.page, 3]}) in path.read_text()  # nothing but its number
    assert not [item for item in window.told if "prompt" in item][-1]["hidden"]


def test_a_line_that_is_too_long_is_not_taken_and_the_player_told(house):
    _, window = ana_in(house)
    assert window.types("say " + "x" * 5000) == ["That line was ignored: it is longer than 4096 bytes."]


def test_a_socket_from_which_nothing_comes_any_more_counts_as_lost(house):
    _, window = ana_in(house)
    house.clock.pump([1.0] * int(SILENT_SECONDS))
    assert not window.caller.transport.disconnected
    house.clock.pump([1.0] * 30)
    assert window.caller.transport.disconnected


def test_a_screen_reader_s_texts_have_no_columns(house):
    _, window = ana_in(house)
    window.sends(reader=True)
    window.reads()
    assert window.types("map")[-1].startswith("You are in The Common Room.")


actions = st.lists(
    st.one_of(
        st.tuples(st.just("types"), st.integers(0, 0)),
        st.tuples(st.just("hears"), st.integers(1, 3)),
        st.tuples(st.just("cut"), st.integers(0, 900)),
        st.tuples(st.just("cut unsent"), st.integers(0, 900)),
        st.tuples(st.just("kill"), st.integers(0, 900)),
    ),
    max_size=14,
)


@given(actions)
def test_whatever_is_cut_no_line_is_lost_and_none_is_doubled(todo):
    with tempfile.TemporaryDirectory() as folder:
        house = House(Path(folder))
        browser, window = ana_in(house)
        typed: list[str] = []
        spoken: list[str] = []
        for number, (what, size) in enumerate(todo):
            if what == "types":
                typed.append(f"say t{number}")
                window.types(typed[-1])
            elif what == "hears":
                for more in range(size):
                    spoken.append(f"h{number}.{more}")
                    house.registry.game.tell("Ana", spoken[-1])
                window.reads()
            elif what == "kill":
                typed.append(f"say t{number}")
                window.types(typed[-1])
                window.is_cut(size)
                house = browser.house = house.again()
                browser.plays(page=window, resumes=True)
            else:
                if what == "cut unsent":
                    window.is_in = False  # the connection is gone already, and nobody knows
                typed.append(f"say t{number}")
                window.types(typed[-1])
                spoken.append(f"h{number}")
                house.registry.game.tell("Ana", spoken[-1])
                window.is_cut(size)
                browser.plays(page=window, resumes=True)
        window.reads()
        assert [one["n"] for one in window.shown] == list(range(1, window.last + 1))
        assert [one["text"] for one in window.shown if one.get("kind") == "typed"] == typed
        assert [text for text in window.texts if text.startswith("h")] == spoken
        assert [text for text in window.texts if text.startswith("You say")] == [
            f'You say, "{line.removeprefix("say ")}"' for line in typed
        ]
        assert window.waiting == []


def killed_while_a_line_is_done(house: House, window: Window, text: str, done: bool) -> House:
    """Kill the house before what came of a line is written, before it is `done` or behind it."""
    game = house.registry.game

    def perform_and_die(character_id: str, line: str) -> None:
        if done:
            game.perform(character_id, line)
        raise KeyboardInterrupt

    house.registry.speech = SpeechThrottle(game, perform_and_die, lambda: house.settings, house.clock)
    window.typed += 1
    window.waiting.append({"line": text, "number": window.typed})
    with pytest.raises(KeyboardInterrupt):
        window.sends(line=text, number=window.typed)
        house.goes_on()
    return house.again()


@pytest.mark.parametrize("done", [True, False])
def test_a_line_that_is_done_when_the_process_is_killed_is_not_done_again_and_that_is_told(house, done):
    browser, window = ana_in(house)
    window.types("say one")
    browser.house = killed_while_a_line_is_done(house, window, "say two", done)
    window.is_in = False
    browser.plays(page=window, resumes=True)
    window.reads()
    assert 'You say, "two"' not in window.texts
    at = window.texts.index("say two")
    assert window.texts[at + 1] == UNFINISHED
    assert window.waiting == []
    assert window.types("say three")[-1] == 'You say, "three"'
    # It is told once.
    browser.house = browser.house.again()
    assert browser.plays().texts.count(UNFINISHED) == 1
