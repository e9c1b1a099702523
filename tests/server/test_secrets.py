"""A password that is typed where a command is expected is shown, logged and stored nowhere."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from twisted.internet.task import Clock

from tests.server.fake_connection import Guest
from tests.server.front_door import lobby_of
from tests.server.monitored_world import world_of
from tests.server.web.browsing import Browser, House
from tests.world.inn import inn_game
from world.entities import Character, Role

SECRET = "hunter2"
LINES = [
    f"@password {SECRET}",
    f"  @PASSWORD old {SECRET}",
    f"@passwrd {SECRET}?",
    f"password {SECRET}!",
    f"connect Ana {SECRET}",
    f'connect "Ana Bell" {SECRET}',
    f"conn Ana {SECRET}",
    f"/connect Ana {SECRET}",
    f"login Ana {SECRET}",
    f"create Ana {SECRET} | for myself",
    f"alias pw = @password {SECRET}",
    f"pw {SECRET}",
    "!",
]


def written_below(folder: Path) -> str:
    return "\n".join(path.read_text("utf-8", "replace") for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def house(tmp_path):
    return House(tmp_path)


@pytest.mark.parametrize("is_hidden", [False, True])
def test_the_page_keeps_no_secret(house, caplog, is_hidden):
    caplog.set_level(logging.DEBUG)
    kept: list[str] = []
    for first in (True, False):
        house.registry.game.subscribe_lines(f"{first}", lambda *told: kept.append(repr(told)), first=first)
    house.registry.game.subscribe("events", lambda events: kept.append(repr(events)))
    browser = Browser(house)
    browser.enters("Ana", chosen="a long secret")
    window = browser.plays()
    window.types("alias pw = @password")
    for line in LINES:
        if is_hidden:
            window.typed += 1
            window.sends(line=SECRET, number=window.typed, secret=True)
            window.reads()
        else:
            window.types(line)
    everything = "\n".join([*window.texts, *kept, caplog.text, written_below(house.folder)])
    assert SECRET not in everything
    assert "say hello" in window.types("say hello")


@pytest.mark.parametrize("lines", [["Ana", SECRET], [f"connect Ana {SECRET}"], ["Ana", "", "Ana", SECRET]])
def test_ones_own_password_is_no_command(tmp_path, caplog, lines):
    caplog.set_level(logging.DEBUG)
    registry, kept = lobby_of(tmp_path, inn_game()), list[str]()
    registry.game.subscribe_lines("lines", lambda *told: kept.append(repr(told)))
    first = Guest(registry)
    first.enters("Ana", SECRET)
    first.hangs_up()
    ana = Guest(registry)
    ana.types(*lines)
    for password in (SECRET, "hunter3"):
        told = ana.types(f" {password} ")
        assert " ".join(told.split()) == "That was your password, so nothing was done with it. Nobody saw it. >"
        ana.types("@password", password, "hunter3")
    assert "hunter" not in "\n".join([*kept, caplog.text, written_below(tmp_path)])


@pytest.mark.parametrize("leads", [False, True])
def test_audit_chronicle_and_journals_keep_no_secret(tmp_path, caplog, leads):
    caplog.set_level(logging.DEBUG)
    fallwater = world_of(tmp_path, Clock())
    world = fallwater.world
    world.add_character(Character("Ada", world.start_room_id, role=Role.ADMIN, awake=True))
    perform = fallwater.registry.perform
    perform("Ada", "say this is kept")
    if leads:
        perform("Ada", "@possess Moss")
    for line in LINES:
        perform("Ada", line)
    fallwater.save()
    written = written_below(tmp_path)
    assert SECRET not in written + caplog.text
    assert "this is kept" in written
