"""The figures as they go over the wire, whatever they say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from server.telnet.codes import DO, DONT, IAC, MSSP, SB, SE, WILL
from server.telnet.mssp import as_text, encoded, is_request, mssp_option
from server.telnet.negotiation import Negotiator, Send, subnegotiation
from server.telnet.options import Client
from server.telnet.parser import Negotiation


def test_each_figure_is_a_variable_and_its_value():
    assert encoded({"NAME": "Fallwater", "PLAYERS": "3"}) == b"\x01NAME\x02Fallwater\x01PLAYERS\x023"


@given(st.dictionaries(st.text(), st.text(), max_size=4))
def test_no_value_can_end_the_figures_or_begin_another(figures):
    payload = encoded(figures)
    assert bytes([IAC]) not in payload
    assert b"\x00" not in payload
    assert payload.count(b"\x01") == payload.count(b"\x02") == len(figures)


def test_figures_are_offered_and_counted_anew_for_each_asker():
    counts = iter(["1", "2"])
    telnet = Negotiator([mssp_option(lambda: {"PLAYERS": next(counts)})], Client())
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
