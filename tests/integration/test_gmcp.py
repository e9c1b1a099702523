"""GMCP with TinTin++ and automud, which nobody here has written, and with a client that knows nothing of it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.integration.line_player import HOST, SECRET, LinePlayer
from tests.integration.programs import SEARCHED, TINTIN, Program, require, screen_of
from tests.integration.running import ADMIN, HURRIED, eventually, thinking

pytestmark = [pytest.mark.integration, pytest.mark.client]

AUTOMUD = Program("automud", "", "")
# TinTin++ agrees to GMCP only where somebody has said so; \x7B and \x7D are braces, which it would take for its own.
TELL = "#send {\\xFF\\xFA\\xC9%s\\xFF\\xF0\\}"
SUPPORTS = TELL % 'Core.Supports.Set ["Char 1","Room 1","Comm.Channel 1"]'
ZOE = TELL % f'Char.Login.Credentials \\x7B"account":"Zoe","password":"{SECRET}"\\x7D'
AGREE = "#send {\\xFF\\xFD\\xC9\\}"
SCRIPT = f"#event {{IAC WILL GMCP}} {{{AGREE};{SUPPORTS}}}\n#event {{IAC SB GMCP}} {{#showme {{told %0 %1}}}}\n"
LOGIN = f"#event {{IAC SB GMCP Char.Login.Default IAC SE}} {{{ZOE}}}\n"


@contextmanager
def automud(folder: Path) -> Iterator[Callable[..., str]]:
    """Give a function that runs one of automud's verbs and returns what it printed; hang up at the end."""
    require(AUTOMUD)
    path = shutil.which(AUTOMUD.name, path=SEARCHED)
    clean = {"HOME": str(folder), "PATH": SEARCHED, "LANG": "C.UTF-8", "TMPDIR": os.environ.get("TMPDIR", "/tmp")}

    def run(*words: str) -> str:
        command = [str(path), "-s", "gmcp", *words]
        done = subprocess.run(command, env=clean, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode in (0, 3), done.stderr + done.stdout
        return done.stdout

    try:
        yield run
    finally:
        run("close")


def state(run: Callable[..., str]) -> dict[str, Any]:
    """Return what automud knows of the game, by package."""
    known: dict[str, Any] = json.loads(run("state", "--json"))["gmcp"]
    return known


def test_tintin_sees_rooms_things_and_speech(server, tmp_path):
    witness = server.player("Witness")
    with screen_of(replace(TINTIN, script=SCRIPT), server.port, tmp_path) as screen:
        screen.enters("Ana")
        screen.shows("Exits: north (Pump Yard), east (Eel Stage), west (Ink Yard).")
        screen.shows("told Room.Info")
        screen.shows("told Char.Name")
        screen.types("north")
        screen.shows("told Room.Info", times=2)
        screen.types("south")
        screen.shows("told Room.Info", times=3)
        witness.types("say Good morning, Ana")
        shown = screen.shows("told Comm.Channel.Text")
        witness.close()
    # TinTin++ shows JSON as tables of its own: {num}{1}.
    numbers = re.findall(r"\{num\}\s*\{(\d+)\}", shown)
    assert len(numbers) == 3 and numbers[0] == numbers[2] != numbers[1], shown
    assert re.search(r"\{talker\}\s*\{Witness\}", shown), shown


def test_tintin_comes_in_by_itself(server, tmp_path):
    server.player("Zoe").close()
    with screen_of(replace(TINTIN, script=SCRIPT + LOGIN), server.port, tmp_path) as screen:
        screen.shows("told Char.Login.Result")
        screen.shows("Exits:")
        screen.types("say By myself")
        shown = screen.shows('You say, "By myself"')
    assert re.search(r"told Char.Login.Result \{success\}\s*\{(1|true)\}", shown), shown
    assert SECRET not in shown.split("told Char.Login.Result")[1]
    assert SECRET not in server.log


def test_automud_knows_where_it_is(server, tmp_path):
    with automud(tmp_path) as run:
        run("connect", HOST, str(server.port))
        run("send", "Ben")
        run("send", SECRET)
        assert eventually(lambda: "Room.Info" in state(run)), state(run)
        first = state(run)["Room.Info"]
        run("send", "north")
        assert eventually(lambda: state(run)["Room.Info"]["name"] == "Pump Yard"), state(run)
        known = state(run)
    assert first["name"] == "The Landing"
    assert first["exits"]["n"] == known["Room.Info"]["num"]
    assert known["Room.Info"]["exits"]["s"] == first["num"]
    assert known["Room.Info"]["area"] == "Fallwater"


def test_a_client_that_agrees_to_nothing_sees_no_byte_of_it_but_the_offer(server):
    player = LinePlayer(server.port)
    player.enters("Cleo")
    player.asks("north")
    player.asks("say hello")
    player.types("quit")
    player.is_shown_out()
    assert player._raw.count(b"\xc9") == 1
    assert b"\xff\xfb\xc9" in player._raw


def test_an_admin_is_told_what_agents_are_about(tmp_path):
    windows = {"config/memory_compaction.md": {"immediate_window": 8, "recent_window": 8}}
    with thinking(tmp_path / "world", {**HURRIED, **windows}) as (server, _):
        admin = LinePlayer(server.port)
        admin.socket.sendall(b'\xff\xfd\xc9\xff\xfa\xc9Core.Supports.Set ["Fallwater 1"]\xff\xf0')
        admin.enters(ADMIN)
        admin.types("@teleport me to The Weir")

        def whats() -> set[str]:
            admin.receives(0.1)
            told = re.findall(rb"\xc9Fallwater\.Agent ({.*?})\xff", admin._raw)
            return {json.loads(found)["what"] for found in told}

        assert eventually(lambda: whats() >= {"thinking", "acted", "compacted"}), (whats(), server.log)
