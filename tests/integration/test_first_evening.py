"""A newcomer's first evening, through a real telnet program, with agents that think with the embedded model.

Then the power fails: after `kill -9` and a new start, whatever was told to anybody is still so.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.integration.programs import TELNET, Screen, screen_of
from tests.integration.running import (
    ADMIN,
    AGENTS,
    RunningServer,
    acts_of,
    eventually,
    journal_lines,
    new_vault,
    running,
)

pytestmark = [pytest.mark.integration, pytest.mark.embedded, pytest.mark.client]

EVENING_SECONDS = 60.0
# What Eliza does as another sees it: she says, takes, leaves. Being somewhere and waking up are no deeds.
DEED = re.compile(r"^Eliza (?!is |and |wakes |falls )[a-z]", re.MULTILINE)


@pytest.fixture(scope="module")
def evening(tmp_path_factory):
    """A server, and Ana at her telnet, who has entered."""
    folder = tmp_path_factory.mktemp("evening")
    with running(new_vault(folder / "world"), "embedded") as server:
        server.says("The agents think with the embedded model")
        with screen_of(TELNET, server.port, folder) as screen:
            screen.enters("Ana")
            screen.shows("Exits: north (Pump Yard)")
            yield server, screen


def test_a_newcomer_sees_an_agent_act_and_a_kill_loses_nothing(evening):
    server, screen = evening
    screen.types("get letter")
    screen.shows("You take the sealed letter.")
    screen.types("north")
    screen.shows("You go north to Pump Yard.")
    meet(screen, "Eliza")
    before = len(DEED.findall(screen.text()))
    screen.types("say Hello Eliza, I am Ana. I had bread and honey for breakfast.")
    acted = eventually(lambda: len(DEED.findall(screen.text())) > before, EVENING_SECONDS)
    assert acted, f"{screen.text()}\n{server.log}"
    assert acts_of(server.vault)
    leave_the_letter_and_take_the_bottle(screen)
    remembered = {name: remembered_by(server, name) for name in AGENTS}
    server.kill()
    screen.shows("Connection closed by foreign host.")
    assert not server.failure
    all_is_as_it_was(server.vault, journal_lines(server.vault), remembered)


def meet(screen: Screen, name: str) -> None:
    """Walk after an agent until it is in the same room; it may walk on meanwhile."""
    for attempt in range(1, 30):
        screen.types("where")
        screen.shows("Ana is in ", times=attempt)
        shown = screen.shows(f"{name} is in ", times=attempt)  # behind the prompt, if the line was typed ahead of it
        mine, theirs = (re.findall(rf"^(?:> )?{who} is in (.+)\.$", shown, re.MULTILINE)[-1] for who in ("Ana", name))
        if mine == theirs:
            return
        screen.types(f"go {theirs}")
    pytest.fail(f"{name} was not to be met:\n{screen.text()}")


def leave_the_letter_and_take_the_bottle(screen: Screen) -> None:
    for _ in range(8):
        screen.types("go ink yard")
    screen.shows("You are in Ink Yard already.")
    screen.types("drop letter")
    screen.shows("You put down the sealed letter.")
    screen.types("get ink bottle")
    screen.shows("You take the ink bottle.")


def all_is_as_it_was(vault: Path, before: dict[str, list[str]], remembered: dict[str, int]) -> None:
    places = whereabouts(vault)
    with running(vault, "embedded") as server:
        server.says("The agents think with the embedded model")
        player = server.player()
        assert player.enters("Ana").startswith("Ink Yard\n")
        assert "You carry an ink bottle." in player.asks("inventory")
        assert "You see a sealed letter here." in player.asks("look")
        assert set(re.findall(r"^  (\w+)", player.asks("who"), re.MULTILINE)) == {"Ana", *AGENTS}
        after = {name: remembered_by(server, name) for name in AGENTS}
        assert {name: after[name] >= count for name, count in remembered.items()} == dict.fromkeys(AGENTS, True)
        now = journal_lines(vault)
        assert {name: now[name][: len(lines)] for name, lines in before.items()} == before
        numbers = [int(line.rpartition("^m")[2]) for line in now["Eliza"]]
        assert numbers == list(range(1, len(numbers) + 1))
        assert places["Ana"] == "Ink Yard" == places["sealed letter"]
        assert not server.failure


def remembered_by(server: RunningServer, name: str) -> int:
    """Return how many memories an agent says it has; each is one that was acknowledged."""
    player = server.player(ADMIN)
    told = player.asks(f"@memory-status {name}")
    player.close()
    found = re.search(rf"Memory of {name}: (no|[\d,]+) memor(?:y|ies)\.", told)
    assert found, told
    return 0 if found[1] == "no" else int(found[1].replace(",", ""))


def whereabouts(vault: Path) -> dict[str, str]:
    """Return where everyone and everything is, as it stands on disk."""
    note = (vault / "world" / "whereabouts.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^- \[\[(.+?)\]\]: \[\[(.+?)\]\]$", note, re.MULTILINE))
