"""Viewers at real sockets: one that does not read, one that asks without end, and an agent that goes meanwhile."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import websocket

from bench.lib.pages import Door
from server.accounts.database import default_folder
from server.accounts.passwords import Argon2
from server.accounts.schema import Account
from tests.integration.line_player import HOST, SECRET
from tests.integration.running import ADMIN, thinking
from tests.server.front_door import put_accounts

pytestmark = [pytest.mark.integration, pytest.mark.client]

WITHIN_SECONDS = 90
LINES = 4_000
"""Far more than the buffers of a socket hold."""

SETTINGS: dict[str, dict[str, Any]] = {
    "config/server.md": {"web_port": -1, "lines_per_second": 0, "max_output_bytes": 100_000},
    "config/agents.md": {"think_seconds": 5},
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    vault = tmp_path_factory.mktemp("seen") / "w"
    for name in ("Vera", "Iris"):
        put_accounts(default_folder(vault), Account(name, "admin", Argon2().hash(SECRET)))
    with thinking(vault, SETTINGS) as (server, _):
        yield server
        assert server.failure == ""


class Seer:
    """An admin at the page's socket. `small` takes in little at a time; `items` are all messages so far."""

    def __init__(self, port: int, name: str, small: bool = False) -> None:
        ticket = Door(port).ask("/enter", {"name": name, "password": SECRET})[0]["ticket"]
        options = ((socket.SOL_SOCKET, socket.SO_RCVBUF, 4096),) if small else ()
        self.socket: Any = websocket.create_connection(
            f"ws://{HOST}:{port}/socket",
            subprotocols=["page.fallwater"],
            origin=f"http://{HOST}:{port}",
            timeout=WITHIN_SECONDS,
            sockopt=options,
        )
        self.items: list[dict[str, Any]] = []
        self.is_closed = False
        self.says(ticket=ticket, page=name)
        self.awaits(lambda one: "hello" in one)

    def says(self, **message: Any) -> None:
        self.socket.send(json.dumps(message))

    def stays_without_reading(self, seconds: float) -> None:
        """Give a sign of life now and then. Raises: OSError once it is hung up on."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.says(ping=1)
            time.sleep(0.1)

    def reads(self) -> list[dict[str, Any]]:
        opcode, content = self.socket.recv_data()
        self.is_closed = opcode == websocket.ABNF.OPCODE_CLOSE
        found = json.loads(content) if opcode == websocket.ABNF.OPCODE_TEXT else []
        self.items += found
        return list(found)

    def awaits(self, fits: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        """Read until a message fits, and return it."""
        until = time.monotonic() + WITHIN_SECONDS
        while not self.is_closed and time.monotonic() < until:
            for one in self.reads():
                if fits(one):
                    return one
        raise AssertionError(self.items[-3:])


def tells(item: dict[str, Any], text: str) -> bool:
    """Return whether a message of the feed has an entry with a text."""
    shown = item.get("seen") or {}
    return any(text in one["text"] for one in (*shown.get("more", ()), *shown.get("entries", ())))


@pytest.fixture(scope="module")
def port(server) -> int:
    return int(server.web_port)


def test_one_who_stops_reading_is_sent_the_feed_as_it_is_later_and_holds_nobody_up(server, port):
    stuck, quick = Seer(port, "Vera", small=True), Seer(port, "Iris")
    typist = server.player("Tess")
    stuck.says(line="hush Tess", number=1)  # what it hears by playing must not be what fills its socket
    stuck.awaits(lambda one: one.get("took") == 1)
    for seer in (stuck, quick):
        seer.says(view="feed")
        seer.awaits(lambda one: one.get("view") == "feed")
    for number in range(LINES):
        typist.types(f"say Number {number}. {'The river is high today. ' * 30}")
        if number % 250 == 0:
            quick.awaits(partial(tells, text=f"Number {number}. "))
            stuck.says(ping=number)  # else it is taken for dead after a minute
    typist.asks("say That was all.")
    quick.awaits(partial(tells, text="That was all."))
    later = stuck.awaits(partial(tells, text="That was all."))
    assert "entries" in later["seen"], "all of it was sent, one by one"
    assert all(any(tells(one, f"Number {number}. ") for one in quick.items) for number in range(0, LINES, 500))


def test_one_who_asks_and_never_reads_is_hung_up_on_and_others_see_on(server, port):
    greedy, other = Seer(port, "Vera", small=True), Seer(port, "Iris")
    with pytest.raises(OSError):
        for number in range(1, 2_000):
            greedy.says(view="mind", agent="Eliza", id=number)
        greedy.stays_without_reading(WITHIN_SECONDS)
    other.says(view="mind", agent="Eliza", id=1)
    assert other.awaits(lambda one: one.get("id") == 1)["seen"]["agent"] == "Eliza"


def test_who_looks_at_a_mind_through_the_page_is_in_the_audit_log(server, port):
    seer = Seer(port, "Iris")
    seer.says(view="why", agent="Eliza", id=1)
    seer.awaits(lambda one: one.get("id") == 1)
    assert "observatory why Eliza" in server.player(ADMIN).asks("@audit Iris")


def test_an_agent_that_is_deleted_while_two_look_at_it_is_said_to_be_gone(server, port):
    seers = [Seer(port, name) for name in ("Vera", "Iris")]
    for seer in seers:
        seer.says(view="mind", agent="Moss")
        assert seer.awaits(lambda one: one.get("view") == "mind")["seen"]["agent"] == "Moss"
    (server.vault / "agents" / "Moss").rename(server.vault.parent / "Moss")  # in one step: it may be writing
    for seer in seers:
        assert "There is no agent 'Moss'." in seer.awaits(lambda one: one.get("unseen"))["unseen"]
    seers[0].says(view="town")
    assert seers[0].awaits(lambda one: one.get("view") == "town")["seen"]["rooms"]
