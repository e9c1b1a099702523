"""The first five minutes of docs/playing.md, typed word for word, by a guest and by a newcomer with a name."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.integration.line_player import LinePlayer
from tests.integration.running import ROOT, RunningServer, thinking

pytestmark = [pytest.mark.integration, pytest.mark.ollama]

ANSWERS = {
    "look": "The Landing\n",
    "look bell": "You ring it for the ferry.",
    "examine Eliza": "A small woman, inky to the second knuckle",
    "say Good morning, Eliza.": 'You say, "Good morning, Eliza."',
    "'Good morning": 'You say, "Good morning"',
    "get sealed letter": "You take the sealed letter.",
    "give letter to Eliza": "You give the sealed letter to Eliza.",
    "emote waves": "{name} waves.",
    ":waves": "{name} waves.",
    "whisper Eliza hello": 'You whisper to Eliza, "hello"',
    "tell Odile Where are you?": 'You tell Odile, "Where are you?"',
    "follow Eliza": "You follow Eliza.",
    "who": "Odile (agent)",
    "where Odile": "Odile is in Gauge House.",
    "map": "@  The Landing",
    "north": "You go north to Pump Yard.",
    "go The Weir": "You go north to Flood Stairs.",
    "go Moss": "Spray Garden is 1 more step away",
    "help": "Look around with look.",
    "help give": "give <carried> to <person>",
    "commands": "whisper",
    "say Yes, I know. | she must not find out": 'You say, "Yes, I know."\n> ',
}
"""What is shown behind each line of the table, among other things."""

STILL = {"config/agents.md": {"paused": "true"}}
"""Eliza would go for her ink before a slow newcomer has chosen a password."""


def lines_of_the_table() -> list[str]:
    """Return what the table tells a newcomer to type, in its order."""
    text = (ROOT / "docs" / "playing.md").read_text("utf-8")
    section = text.partition("\n## The first five minutes\n")[2].partition("\n## ")[0]
    cells = [re.split(r"(?<!\\)\|", row)[1] for row in section.splitlines() if row.startswith("| `")]
    return [line.replace("\\|", "|") for cell in cells for line in re.findall("`([^`]+)`", cell)]


@pytest.fixture
def server(tmp_path) -> Iterator[RunningServer]:
    """A world as it is made, with agents that nod and look and stay where they are."""
    with thinking(tmp_path / "world", STILL) as (server, _):
        yield server


def named(server: RunningServer) -> tuple[str, LinePlayer]:
    return "Ana", server.player("Ana")


def guest(server: RunningServer) -> tuple[str, LinePlayer]:
    player = server.player()
    player.enters_as_guest()
    return "Guest1", player


@pytest.mark.parametrize("enter", [guest, named])
def test_every_line_of_the_first_five_minutes_does_what_the_table_says(enter, server):
    name, player = enter(server)
    lines = lines_of_the_table()
    assert lines == list(ANSWERS)
    shown = {line: player.asks(line) for line in lines}
    missing = {line: text for line, text in shown.items() if ANSWERS[line].format(name=name) not in text}
    assert missing == {}
    assert not server.failure
