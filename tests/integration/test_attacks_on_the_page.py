"""Attacks on the browsers' door: frames, fragments, packed bombs, idle upgrades, and clients that do not read."""

from __future__ import annotations

import json
import socket
import struct
import zlib
from contextlib import suppress

import pytest

from bench.lib.pages import Door
from tests.integration.attacking import attack, read_all, read_until
from tests.integration.line_player import HOST
from tests.integration.running import eventually

pytestmark = pytest.mark.integration

SESSIONS_PER_ADDRESS = 40
CHANGES = {
    "config/server.md": {"web_port": -1, "max_connections": 500, "connections_per_address": SESSIONS_PER_ADDRESS}
}
ABSENT = "absent for a moment"
KEY = b"\0\0\0\0"  # which masks nothing, and is a mask all the same
MEGABYTE = 1_000_000
UPGRADES = 10_000


def upgrade(port, origin=None, protocol="page.fallwater", host="", packs=True):
    site = f"{HOST}:{port}"
    lines = [
        "GET /socket HTTP/1.1",
        f"Host: {host or site}",
        f"Origin: {origin or f'http://{site}'}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Extensions: {'permessage-deflate' if packs else 'none'}",
        f"Sec-WebSocket-Protocol: {protocol}",
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def frame(payload, opcode=1, fin=True, packed=False, size=None):
    size = len(payload) if size is None else size
    first = bytes([fin << 7 | packed << 6 | opcode])
    if size < 126:
        return first + bytes([128 | size]) + KEY + payload
    if size < 65536:
        return first + b"\xfe" + struct.pack("!H", size) + KEY + payload
    return first + b"\xff" + struct.pack("!Q", size) + KEY + payload


def opens(target, buffer=0, packs=True, host=HOST):
    """Open a socket and wait for its handshake."""
    port = target.server.web_port
    caller = target.calls(host, buffer, port)
    caller.sendall(upgrade(port, packs=packs))
    assert caller.recv(4096).startswith(b"HTTP/1.1 101 ")
    return caller


def comes_in(target, buffer=0, packs=True, host=HOST):
    """Come in as a guest; return the socket."""
    ticket = Door(target.server.web_port, host).ask("/enter", {"name": "guest"})[0]["ticket"]
    caller = opens(target, buffer, packs, host)
    caller.sendall(frame(json.dumps({"ticket": ticket}).encode()))
    assert caller.recv(65536)
    return caller


def test_a_frame_of_64_megabytes_is_refused_long_before_its_end(target):
    with attack(target, "a frame of 64 MB"):
        for come in (opens, comes_in):
            caller, sent = come(target), 0
            with suppress(OSError):
                caller.sendall(frame(b"", 2, size=64 * MEGABYTE))
                for _ in range(64):
                    caller.sendall(b"x" * MEGABYTE)
                    sent += 1
            assert sent < 64
    assert eventually(lambda: "a message of more than 65536 bytes" in target.server.log)


def test_a_flood_of_fragments_of_packed_bombs_and_of_pings_ends_its_sockets_alone(target):
    packing = zlib.compressobj(9, zlib.DEFLATED, -15)
    bomb = packing.compress(bytes(60 * MEGABYTE)) + packing.flush(zlib.Z_SYNC_FLUSH)
    floods = {
        "fragments": frame(b"x", fin=False) + frame(b"x" * 1000, 0, fin=False) * 8000,
        "empty fragments": frame(b"", fin=False) + frame(b"", 0, fin=False) * 60_000,
        "a bomb": frame(bomb[:-4], packed=True),
        "pings": frame(b"", 9) * 100_000,
        "invalid UTF-8": frame(b"\xff\xfe" * 20_000),
        "nonsense": b"\xc3\x28" * 100_000,
        "unknown messages": frame(b'{"what":"ever"}') * 10_000,
    }
    with attack(target, "floods of frames"):
        for flood in floods.values():
            for come in (opens, comes_in):
                caller = come(target)
                with suppress(OSError):
                    caller.sendall(flood)
                read_all(caller)  # until it is hung up on
    for why in ("a message in more than 16 fragments", "more than 64 pings", "invalid message"):
        target.server.says(why)


def test_ten_thousand_idle_upgrades_are_bounded(target):
    port = target.server.web_port
    request, kept, refused, most = upgrade(port), list[socket.socket](), 0, 0
    with attack(target, "10,000 idle upgrades", fills=True):
        for number in range(UPGRADES):
            if number % 250 == 0:
                most = max(most, target.server.sockets)
            caller = socket.create_connection((HOST, port), timeout=20)
            try:
                caller.sendall(request)
                answered = caller.recv(4096) if len(kept) >= 400 else b"unread"
            except ConnectionError:
                answered = b""
            if answered:
                kept.append(caller)
            else:
                refused += 1
                caller.close()
        for caller in kept:
            caller.close()
    assert most <= 500 + 64 + 16  # what may connect, what may be told why not, and the server's own
    assert refused > UPGRADES / 2
    target.server.says("rejected: too many connections")


def test_who_never_reads_costs_a_bounded_queue(target):
    with attack(target, "a socket that is never read"):
        caller = comes_in(target, buffer=4096, packs=False)
        caller.settimeout(1)
        with suppress(OSError):
            for number in range(1, 9000):
                caller.sendall(frame(json.dumps({"line": "commands", "number": number}).encode()))
        target.server.says("does not read; dropped with")


def test_other_pages_other_names_and_stolen_tickets_are_refused(target):
    port = target.server.web_port
    with attack(target, "forged requests"):
        for request in (
            upgrade(port, origin="https://evil.example"),
            upgrade(port, origin="null"),
            upgrade(port, host=f"evil.example:{port}"),
            upgrade(port, protocol="chat"),
            f"GET / HTTP/1.1\r\nHost: evil.example:{port}\r\n\r\n".encode(),
            b"GET / HTTP/1.1\r\n\r\n",
            b"POST /enter HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n",
            b"GET /" + b"x" * 100_000,
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 500,
        ):
            caller = target.calls(port=port)
            caller.settimeout(2)
            with suppress(OSError):
                caller.sendall(request)
            with suppress(OSError):
                assert not caller.recv(4096).startswith((b"HTTP/1.1 101", b"HTTP/1.1 200"))
        thief = opens(target)
        thief.sendall(frame(json.dumps({"ticket": "x" * 32}).encode()))
        read_all(thief)
    for why in ("the origin b'https://evil.example'", "the host b'evil.example", "its ticket is unknown"):
        target.server.says(why)


@pytest.mark.parametrize("views", [("chronicle",), ("feed", "town", "health", "mind", "bonds", "memory", "chronicle")])
def test_flood_of_questions_delays_nobody(target, views):
    with attack(target, f"600 questions about {len(views)} views", new_files=("chronicle.sqlite*",)):
        guest = comes_in(target, packs=False)
        asked = [{"view": views[number % len(views)], "of": "Eliza", "id": number} for number in range(1, 600)]
        guest.sendall(b"".join(frame(json.dumps(one).encode()) for one in [*asked, {"view": "chronicle", "id": 600}]))
        read_until(guest, b'"id": 600')


def test_sessions_without_a_socket_are_bounded(target):
    before = target.bystander.asks("who").count(ABSENT)
    with attack(target, "120 page sessions without a socket"):
        for _ in range(120):
            comes_in(target, host="127.0.0.5").close()
    assert 0 < target.bystander.asks("who").count(ABSENT) - before <= SESSIONS_PER_ADDRESS
