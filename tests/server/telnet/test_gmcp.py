"""GMCP on the wire: whatever a client sends, and what goes out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.connection.connection import Message
from server.telnet.negotiation import GmcpReceived, subnegotiation
from server.telnet.options import framed, read_gmcp
from server.telnet.parser import DO, DONT, GMCP, IAC, SB, SE
from tests.server.telnet.in_memory import LoginView

AGREED = bytes([IAC, DO, GMCP])
SCALARS = st.none() | st.booleans() | st.integers() | st.text()
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)


def said(message: Message) -> tuple[str, object]:
    """Return what a client makes of a message."""
    content = framed(message)
    assert content[:3] == bytes([IAC, SB, GMCP]) and content[-2:] == bytes([IAC, SE])
    name, _, text = content[3:-2].replace(b"\xff\xff", b"\xff").partition(b" ")
    return name.decode(), json.loads(text) if text else None


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'Core.Hello {"client":"Mudlet"}', GmcpReceived("Core.Hello", {"client": "Mudlet"})),
        (b"core.ping", GmcpReceived("core.ping", None)),
        (b"Core.Ping ", GmcpReceived("Core.Ping", None)),
        (b'Core.Supports.Set ["Room 1"]', GmcpReceived("Core.Supports.Set", ["Room 1"])),
        (
            'Char.Login.Credentials {"account":"Zoë"}'.encode(),
            GmcpReceived("Char.Login.Credentials", {"account": "Zoë"}),
        ),
    ],
)
def test_a_package_is_told_with_what_its_json_says(content, told):
    assert read_gmcp(None, content) == [told]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b" {}",
        b"Core.Hello {",
        b"Core.Hello {}{}",
        b'Core.Hello {"client":"\xff"}',
        b"Core.Hello \xc0\xaf",
        b"Core.Ping NaN",
        b"Core.Ping -Infinity",
        b"Core.Hello " + b"[" * 4000,
        b"Core.Hello " + b"9" * 6000,
        b"Core..Hello {}",
        b".Core {}",
        b"Core.\x1b[2J {}",
        b"A" * 40 + b" {}",
        b"A.b.c.d.e.f.g.h {}",
        "Größe {}".encode(),
    ],
)
def test_what_is_no_package_no_text_or_no_json_is_not_heard(content):
    assert read_gmcp(None, content) == []


@given(JSON)
def test_what_goes_out_is_json_in_utf_8_without_a_control(payload):
    message = Message("Room.Info", payload)
    content = framed(message)
    assert said(message) == ("Room.Info", payload)
    text = content[3:-2].decode("utf-8")
    assert not [char for char in text if ord(char) < 32 or 127 <= ord(char) < 160 or char in "\u2028\u2029"]


def test_the_bytes_of_a_message_are_made_once():
    message = Message("Char.Name", {"name": "Ana"})
    assert message.encoded is message.encoded


@pytest.mark.parametrize("answer", [b"", bytes([IAC, DONT, GMCP]), AGREED + bytes([IAC, DONT, GMCP])])
def test_a_client_that_does_not_agree_gets_nothing(answer):
    client = LoginView()
    client.receives(answer)
    client.shows()
    client.terminal.send_data(Message("Core.Goodbye", "Sleep well."))
    assert client.shows() == b""


def test_both_sides_tell_in_order_with_the_text():
    client = LoginView()
    client.receives(AGREED + subnegotiation(GMCP, b"Core.Hello {}") + b"look\r\n")
    assert (client.player.told, client.player.lines) == ([("Core.Hello", {})], ["look"])
    client.terminal.show("The Hall")
    client.terminal.send_data(Message("Room.Info", {"num": 1}))
    client.terminal.show("Dust.")
    assert client.shows() == b"The Hall\r\n" + subnegotiation(GMCP, b'Room.Info {"num":1}') + b"Dust.\r\n"


@given(st.lists(st.binary(max_size=60), max_size=8))
def test_the_connection_goes_on_whatever_is_told(contents):
    client = LoginView()
    client.receives(AGREED, *(subnegotiation(GMCP, content) for content in contents), b"look\r\n")
    client.turns(50)
    assert client.player.lines == ["look"]
