"""Sockets of other programs: each subprotocol of mudstandards.org, and the rules that hold for all of them."""

from __future__ import annotations

import json

import pytest
from twisted.internet.error import ConnectionLost
from twisted.python.failure import Failure
from wsproto.events import BytesMessage, CloseConnection, TextMessage

from server.telnet.parser import DO, ECHO, IAC, WILL, WINDOW_SIZE
from server.web.programs import GMCP_PROTOCOL, TELNET_PROTOCOL
from tests.server.fake_connection import SECRET
from tests.server.web.browsing import Browser, House, open_socket


class Program:
    """A program at a socket: `screen` is what binary frames brought, `told` what text frames did."""

    def __init__(self, house: House, subprotocol: str, origin: str = "") -> None:
        self.house = house
        self.caller = open_socket(Browser(house), subprotocol, origin)
        self.screen, self.told = b"", list[str]()
        self.closed: int | None = None
        self.reads()

    def types(self, *lines: str) -> str:
        for line in lines:
            self.sends(line.encode())
        return self.shown()

    def sends(self, content: str | bytes) -> None:
        event = BytesMessage(content) if isinstance(content, bytes) else TextMessage(content)
        self.caller.dataReceived(self.caller.wire.send(event))
        self.reads()

    def shown(self) -> str:
        text, self.screen = self.screen.decode("utf-8", "replace"), b""
        return text

    def reads(self) -> None:
        self.house.goes_on()
        self.caller.wire.receive_data(self.caller.transport.value())
        self.caller.transport.clear()
        for event in self.caller.wire.events():
            if isinstance(event, BytesMessage):
                self.screen += event.data
            elif isinstance(event, TextMessage):
                self.told.append(event.data)
            elif isinstance(event, CloseConnection):
                self.closed = int(event.code)


@pytest.fixture
def house(tmp_path) -> House:
    return House(tmp_path)


def test_a_program_comes_in_by_the_dialogue_of_the_door_and_plays(house):
    program = Program(house, GMCP_PROTOCOL)
    assert program.shown() == "Welcome to the inn.\r\nBy what name shall we know you? "
    assert "Choose a password" in program.types("Ana")
    assert "The Common Room" in program.types(SECRET)
    assert program.types("say hello\r\n") == '\x1b[32mYou say, "hello"\x1b[0m\r\n> '
    assert house.registry.names_connected() == ["Ana"]


def test_telnet_is_spoken_through_binary_frames_options_and_all(house):
    program = Program(house, TELNET_PROTOCOL)
    assert bytes([IAC, DO, WINDOW_SIZE]) in program.screen
    program.sends(bytes([IAC, WILL, WINDOW_SIZE]))
    program.sends(b"Ana\r\n")
    assert bytes([IAC, WILL, ECHO]) in program.screen
    program.types(f"{SECRET}\r\n")
    house.goes_on(0.3)  # the client has told no terminal type
    program.reads()
    assert "The Common Room" in program.shown()
    assert program.types("say hel", "lo\r\n").startswith('You say, "hello"\r\n')


def test_gmcp_stands_in_text_frames(house):
    program = Program(house, GMCP_PROTOCOL)
    program.sends('Core.Supports.Set ["Room 1", "Char.Login 1"]')
    assert program.told == ['Char.Login.Default {"type":["password-credentials"]}']
    program.sends('Char.Login.Credentials {"account":"guest","password":"x"}')
    assert 'Char.Login.Result {"success":true,"message":""}' in program.told
    [room] = [text for text in program.told if text.startswith("Room.Info ")]
    assert json.loads(room.removeprefix("Room.Info "))["name"] == "The Common Room"


@pytest.mark.parametrize("text", ["", "{", "[1]", "x y {", "Room {", "look", "\ud7ff" * 9])
def test_malformed_gmcp_is_ignored(house, text):
    program = Program(house, GMCP_PROTOCOL)
    program.sends(text)
    assert "The Common Room" in program.types("guest")


def test_telnet_in_a_text_frame_is_refused(house):
    program = Program(house, TELNET_PROTOCOL)
    program.sends("look")
    assert program.closed == 1008


def test_several_lines_in_a_frame_are_several_and_a_long_one_is_none(house):
    program = Program(house, GMCP_PROTOCOL)
    program.types("guest")
    assert program.types("say one\nsay two").count("You say") == 2
    assert "longer than 4096 bytes" in program.types("say " + "x" * 5000)
    assert program.types("say one\n" * 2000).count("You say") == 1


def test_who_quits_is_closed_and_who_hangs_up_is_waited_for(house):
    program = Program(house, GMCP_PROTOCOL)
    program.types("Ana", SECRET)
    assert "Sleep well." in program.types("quit")
    assert program.closed == 1000
    other = Program(house, TELNET_PROTOCOL)
    other.types("Ana\r\n", f"{SECRET}\r\n")
    house.goes_on(0.3)
    other.caller.connectionLost(Failure(ConnectionLost()))
    assert house.registry.linkdead.names == ["Ana"]
