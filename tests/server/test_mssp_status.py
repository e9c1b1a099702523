"""The figures that lists of worlds are told: of this very moment, and nothing that nobody knows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from config.settings import AgentSettings, MemorySettings, ModelSettings, ServerSettings, WorldSettings
from server.mssp_status import ServerStatus, codebase
from server.net.listeners import Ports
from tests.server.fake_connection import Guest
from tests.server.front_door import lobby_of
from tests.world.inn import inn_game
from vault.config_notes import Settings

OPENED = 1_795_000_000
ASK = "By what name shall we know you? "


class FakePorts(Ports):
    telnet_port = 4000
    tls_port = 0

    def __init__(self) -> None:
        """Listen nowhere."""


class House:
    """An inn with its figures, whose settings and ports can be changed."""

    def __init__(self, folder) -> None:
        self.settings = Settings(
            ServerSettings(), WorldSettings(name="The Inn"), AgentSettings(), ModelSettings(), MemorySettings()
        )
        self.ports = FakePorts()
        self.registry = lobby_of(folder, inn_game())
        self.figures = ServerStatus(
            self.registry.game.world, self.registry, lambda: self.settings, OPENED, lambda: self.ports
        )


@pytest.fixture
def house(tmp_path):
    return House(tmp_path)


def test_the_required_figures_come_first_and_are_those_of_now(house):
    assert list(house.figures().items())[:3] == [("NAME", "The Inn"), ("PLAYERS", "0"), ("UPTIME", str(OPENED))]
    guest = Guest(house.registry)
    assert house.figures()["PLAYERS"] == "0"  # at the door is not in
    guest.enters("Eve")
    assert house.figures()["PLAYERS"] == "1"
    guest.types("quit")
    guest.hangs_up()
    assert house.figures()["PLAYERS"] == "0"


def test_the_version_is_looked_up_on_disk_once_however_often_somebody_asks(house, monkeypatch):
    looked_up = []

    def version(name: str) -> str:
        looked_up.append(name)
        return "1.2.3"

    monkeypatch.setattr("server.mssp_status.version", version)
    codebase.cache_clear()
    assert [house.figures()["CODEBASE"] for _ in range(100)] == ["Fallwater 1.2.3"] * 100
    assert looked_up == ["fallwater"]
    codebase.cache_clear()


def test_what_nobody_has_set_is_not_told(house):
    told = house.figures()
    assert all(told.values())
    assert not {"HOSTNAME", "CONTACT", "WEBSITE", "LANGUAGE", "LOCATION", "CREATED", "GENRE", "TLS"} & set(told)


def test_what_is_set_is_told_at_once(house):
    house.settings = replace(
        house.settings,
        server=ServerSettings(hostname="inn.example.org", compression=False),
        world=WorldSettings(contact="keeper@example.org", language="English", founded=2026),
    )
    house.ports.tls_port = 4001
    told = house.figures()
    assert told["HOSTNAME"] == "inn.example.org"
    assert (told["PORT"], told["TLS"]) == ("4000", "4001")
    assert (told["CONTACT"], told["LANGUAGE"], told["CREATED"]) == ("keeper@example.org", "English", "2026")
    assert told["MCCP"] == "0"


def test_rooms_things_and_agents_are_counted(house):
    before, world = house.figures(), house.registry.game.world
    assert before["ROOMS"] == str(len(world.rooms))
    del world.things[next(iter(world.things))]
    assert int(house.figures()["OBJECTS"]) == int(before["OBJECTS"]) - 1
