"""A session at a door that has neither lines nor colours: what is shown arrives whole, with its kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from server.connection.connection import MARKED, RAW, SCENE, Capabilities, Identification, Message
from server.session.session import Session
from tests.server.fake_connection import SECRET
from tests.server.front_door import TEXTS, lobby_of
from tests.world.inn import inn_game

ROOM = (
    "The Common Room\nA long table, a low ceiling and a fire that never quite goes out.\n"
    "You see a brass lamp and an oil lamp here.\nExits: north (The Kitchen), out (The Yard), down (The Cellar)."
)


class PageConnection:
    """What a page in a browser would be: texts with their kinds, a field to type in, and messages."""

    host = "127.0.0.1"
    capabilities = Capabilities(width=20, links=True)
    identification = Identification.FINAL

    def __init__(self) -> None:
        self.is_open = True
        self.is_hidden = self.is_held = False
        self.shown: list[tuple[str, str]] = []
        self.messages: list[Message] = []
        self.preferences: Callable[[], Mapping[str, str]] = dict

    def prefer(self, preferences: Callable[[], Mapping[str, str]]) -> None:
        self.preferences = preferences

    def show(self, text: str, kind: str = "") -> None:
        if self.is_open:
            self.shown.append((kind, text))

    def prompt(self) -> None: ...

    def send_data(self, message: Message) -> None:
        self.messages.append(message)

    def hide_typing(self, hidden: bool) -> None:
        self.is_hidden = hidden

    def hold(self, held: bool) -> None:
        self.is_held = held

    def close(self) -> None:
        self.is_open = False


class Visitor:
    """Ana's session and the page that it speaks to."""

    def __init__(self, registry) -> None:
        self.page = PageConnection()
        self.session = Session(registry)
        self.session.connection_made(self.page)

    def types(self, line: str) -> list[tuple[str, str]]:
        self.page.shown.clear()
        self.session.line_received(line)
        return self.page.shown


@pytest.fixture
def registry(tmp_path):
    return lobby_of(tmp_path, inn_game())


@pytest.fixture
def ana(registry):
    return Visitor(registry)


def test_the_door_asks_and_hides_a_password_in_its_own_words(ana):
    assert ana.page.shown == [(MARKED, TEXTS.welcome)]
    assert ana.session.prompt(False).endswith("? ")
    ana.types("Ana")
    assert (ana.session.prompt(True), ana.page.is_hidden) == ("Choose a password: ", True)
    assert ana.types(SECRET) == [(SCENE, ROOM)]
    assert (ana.session.prompt(True), ana.page.is_hidden) == ("> ", False)


def test_texts_arrive_whole_with_their_kinds(ana, registry):
    ana.types("Ana")
    ana.types(SECRET)
    assert ana.types("look") == [(SCENE, ROOM)]
    assert ana.types("say Good evening to all who are here") == [
        ("speech", 'You say, "Good evening to all who are here"')
    ]
    assert [kind for kind, _ in ana.types("dance")] == ["refusal"]
    assert [kind for kind, _ in ana.types("help look")] == [MARKED]


def test_what_is_for_a_program_is_raw(ana):
    assert ana.types("mssp-request")[0][0] == RAW


def test_the_page_sees_what_its_player_prefers(ana):
    ana.types("Ana")
    ana.types(SECRET)
    ana.types("color off")
    assert ana.page.preferences() == {"color": "off"}


def test_data_goes_both_ways(ana):
    ana.session.data_received("Core.Ping", 120)
    assert ana.page.messages == [Message("Core.Ping", 120)]


def test_the_end_is_said_before_it_comes(ana):
    ana.types("Ana")
    ana.types(SECRET)
    assert ana.types("quit") == [(MARKED, TEXTS.farewell)]
    assert not ana.page.is_open
