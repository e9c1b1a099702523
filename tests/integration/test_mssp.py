"""The figures of a world as TinTin++ and a crawler that knows no telnet are told them."""

from __future__ import annotations

import re
import time
from dataclasses import replace

import pytest

from tests.integration.programs import NETCAT, TINTIN, screen_of

pytestmark = [pytest.mark.integration, pytest.mark.client]

CHANGES = {"config/server.md": {"hostname": "fallwater.example.org"}, "config/world.md": {"founded": 2026}}
ASK = "By what name shall we know you?"
# TinTin++ agrees to MSSP only where somebody has said so.
SCRIPT = r"""#event {IAC WILL MSSP} {#send {\xFF\xFD\x46\}}
#event {IAC SB MSSP} {#showme {figure %0 is %1}}
"""


def test_tintin_sees_the_figures_of_the_moment(server, tmp_path):
    opened = int(time.time())
    witness = server.player("Witness")
    with screen_of(replace(TINTIN, script=SCRIPT), server.port, tmp_path) as screen:
        screen.shows(ASK)
        shown = screen.shows("figure PAY FOR PERKS is 0")
    told = dict(re.findall(r"figure ([A-Z0-9 -]+) is (.+)", shown))
    assert told["NAME"] == "Fallwater"
    assert told["PLAYERS"] == "1"
    assert abs(int(told["UPTIME"]) - opened) < 600
    assert told["PORT"] == str(server.port)
    assert told["HOSTNAME"] == "fallwater.example.org"
    assert told["CREATED"] == "2026"
    assert "CONTACT" not in told
    witness.close()


def test_a_crawler_types_its_request_and_is_answered_in_lines(server, tmp_path):
    with screen_of(NETCAT, server.port, tmp_path) as screen:
        screen.shows(ASK)
        screen.types("MSSP-REQUEST")
        shown = screen.shows(ASK, times=2)
        screen.types("MSSP-REQUEST")
        screen.shows("MSSP-REPLY-END", times=2)
    assert "\nMSSP-REPLY-START\nNAME" in shown
    assert "password" not in shown
