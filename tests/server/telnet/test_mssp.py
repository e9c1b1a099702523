"""The figures as they go over the wire, whatever they say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.settings import AgentSettings, MemorySettings, ModelSettings, ServerSettings, WorldSettings
from server.telnet.mssp import ServerStatus, as_text, encode_variables, is_request, mssp_option
from server.telnet.negotiation import Negotiator, Send, subnegotiation
from server.telnet.options import ClientInfo
from server.telnet.parser import DO, DONT, IAC, MSSP, SB, SE, WILL, Negotiation
from tests.server.fake_connection import Guest
from tests.server.front_door import lobby_of
from tests.world.inn import inn_game
from vault.config_notes import Settings


@given(st.dictionaries(st.text(), st.text(), max_size=4))
def test_no_value_can_end_the_figures_or_begin_another(figures):
    payload = encode_variables(figures)
    assert bytes([IAC]) not in payload
    assert b"\x00" not in payload
    assert payload.count(b"\x01") == payload.count(b"\x02") == len(figures)


def test_figures_are_offered_and_counted_anew_for_each_asker():
    counts = iter(["1", "2"])
    telnet = Negotiator([mssp_option(lambda: {"PLAYERS": next(counts)})], ClientInfo())
    assert telnet.open() == bytes([IAC, WILL, MSSP])
    ask = Negotiation(DO, MSSP)
    assert telnet.receive(ask) == [Send(bytes([IAC, SB, MSSP]) + b"\x01PLAYERS\x021" + bytes([IAC, SE]))]
    telnet.receive(Negotiation(DONT, MSSP))
    assert telnet.receive(ask)[-1] == Send(subnegotiation(MSSP, b"\x01PLAYERS\x022"))


def test_the_text_has_a_line_a_figure():
    assert as_text({"NAME": "A\tB\r\nMSSP-REPLY-END", "PLAYERS": "3"}) == (
        "\nMSSP-REPLY-START\nNAME\tA B MSSP-REPLY-END\nPLAYERS\t3\nMSSP-REPLY-END"
    )


def test_a_crawler_asks_in_any_case_and_nobody_else_does():
    assert is_request(" mssp-request ")
    assert not is_request("Mssp-Requesta")


OPENED = 1_795_000_000
ASK = "By what name shall we know you? "


class House:
    """An inn with its figures, whose settings and ports can be changed."""

    def __init__(self, folder) -> None:
        self.settings = Settings(
            ServerSettings(), WorldSettings(name="The Inn"), AgentSettings(), ModelSettings(), MemorySettings()
        )
        self.ports = (4000, 0)
        self.registry = lobby_of(folder, inn_game())
        playing = self.registry.playing
        self.figures = ServerStatus(
            self.registry.game.world, lambda: len(playing), lambda: self.settings, OPENED, lambda: self.ports
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
    house.ports = (4000, 4001)
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
