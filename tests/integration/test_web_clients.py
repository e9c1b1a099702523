"""Clients of another make at the page's port: each subprotocol, spoken with a library that the server does not use."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest
import websocket

from tests.integration.line_player import HOST, SECRET, without_telnet

pytestmark = [pytest.mark.integration, pytest.mark.client]

CHANGES = {"config/server.md": {"web_port": -1}}
WITHIN_SECONDS = 30
NORMAL_CLOSURE = 1000
GMCP, TELNET = "gmcp.mudstandards.org", "telnet.mudstandards.org"


class Client:
    """A program with a socket. `screen` is the text of binary frames, `told` are the text frames.

    `code` says why the socket was closed, 0 until it is.
    """

    def __init__(self, port: int, subprotocol: str) -> None:
        self.socket: Any = websocket.create_connection(
            f"ws://{HOST}:{port}/socket", subprotocols=[subprotocol], timeout=WITHIN_SECONDS, suppress_origin=True
        )
        assert self.socket.subprotocol == subprotocol
        self.screen, self.told = "", list[str]()
        self.is_closed = False
        self.code = 0

    def reads(self) -> None:
        opcode, content = self.socket.recv_data()
        if opcode == websocket.ABNF.OPCODE_TEXT:
            self.told.append(content.decode())
        elif opcode == websocket.ABNF.OPCODE_BINARY:
            self.takes(content)
        else:
            self.is_closed = True
            self.code = int.from_bytes(content[:2], "big")

    def takes(self, content: bytes) -> None:
        self.screen += content.decode()

    def types(self, line: str) -> None:
        self.socket.send_binary(line.encode())

    def sees(self, text: str) -> None:
        """Read until a text stands on the screen."""
        until = time.monotonic() + WITHIN_SECONDS
        while text not in self.screen:
            assert not self.is_closed and time.monotonic() < until, self.screen
            self.reads()

    def hears(self, start: str) -> str:
        """Read until a text frame begins like this, and return it."""
        until = time.monotonic() + WITHIN_SECONDS
        while not (found := [one for one in self.told if one.startswith(start)]):
            assert not self.is_closed and time.monotonic() < until, self.told
            self.reads()
        return found[-1]

    def comes_as(self, name: str) -> None:
        """Give a name and choose a password for it."""
        self.sees("By what name")
        self.types(name)
        self.sees("assword")
        self.types(SECRET)
        self.sees("Exits:")

    def leaves(self) -> None:
        self.types("quit")
        while not self.is_closed:
            self.reads()
        assert self.code == NORMAL_CLOSURE


class TelnetClient(Client):
    """One that speaks telnet in binary frames: it agrees to GMCP and answers nothing else."""

    def __init__(self, port: int) -> None:
        self.raw = b""
        self.is_agreed = False
        super().__init__(port, TELNET)

    def types(self, line: str) -> None:
        super().types(f"{line}\r\n")

    def takes(self, content: bytes) -> None:
        self.raw += content
        self.screen = without_telnet(self.raw)
        self.told = [found.decode() for found in re.findall(rb"\xff\xfa\xc9(.*?)\xff\xf0", self.raw, re.DOTALL)]
        if not self.is_agreed and b"\xff\xfb\xc9" in self.raw:  # WILL GMCP
            self.is_agreed = True
            self.socket.send_binary(b'\xff\xfd\xc9\xff\xfa\xc9Core.Supports.Set ["Room 1"]\xff\xf0')


def test_gmcp_stands_in_text_frames_and_lines_in_binary_ones(server):
    client = Client(server.web_port, GMCP)
    client.socket.send('Core.Supports.Set ["Room 1", "Comm.Channel 1"]')
    client.comes_as("Gwen")
    told = json.loads(client.hears("Room.Info").partition(" ")[2])
    assert (told["name"], "n" in told["exits"]) == ("The Landing", True)
    client.types("say by gmcp")
    client.sees('You say, "by gmcp"')
    assert re.search("\x1b\\[[0-9;]+m", client.screen)  # colours, without being asked for
    assert json.loads(client.hears("Comm.Channel.Text").partition(" ")[2])["talker"] == "Gwen"
    client.socket.send("Core.Ping")
    client.hears("Core.Ping")
    client.leaves()
    assert client.hears("Core.Goodbye")


def test_telnet_stands_in_binary_frames_with_its_options(server):
    client = TelnetClient(server.web_port)
    client.comes_as("Terence")
    assert client.is_agreed
    client.types("say by telnet")
    client.sees('You say, "by telnet"')
    assert json.loads(client.hears("Room.Info").partition(" ")[2])["name"] == "The Landing"
    client.leaves()


def test_all_of_them_are_in_one_world_with_telnet(server):
    port = server.web_port
    clients = [Client(port, GMCP), TelnetClient(port)]
    for client, name in zip(clients, ("Greta", "Tilda"), strict=True):
        client.comes_as(name)
    otto = server.player("Otto")
    otto.asks("say Good evening.")
    for client in clients:
        client.sees('Otto says, "Good evening."')
        client.leaves()
