"""Two people and three agents in one world that is built, edited by another process, killed, and goes on."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import pytest

from tests.integration.line_player import LinePlayer
from tests.integration.running import (
    ADMIN,
    AGENTS,
    CLEAN,
    RunningServer,
    acts_of,
    eventually,
    fallwater,
    journal_lines,
    new_vault,
    running,
)
from tests.integration.scripted_ollama import MODEL, scripted_ollama

pytestmark = pytest.mark.integration

SOON = 1.0
"""Within how many seconds an edit is in force."""
LOOK_SECONDS = 0.1
"""How long a look may take while agents think and somebody builds."""

MOST_SAID = 30

HOUSE = (
    "@dig hatch, h to The Court, of Glass?",
    "hatch",
    "@describe here -> Panes, green with age.\\nOne is missing.",
    "@detail pane, panes -> You see yourself, twice.",
    "@dig north to Kitchen",
    "@dig down/up to Wächter's Cellar",
    "@create umber box",
    "@set umber box container = yes",
    "@create glass ball",
    "@alias glass ball -> globe",
    "put globe in umber box",
    "drop umber box",
)
EDIT = """
import pathlib, sys
path = pathlib.Path(sys.argv[1])
path.write_text(path.read_text(encoding="utf-8").replace(sys.argv[2], sys.argv[3], 1), encoding="utf-8")
"""


@dataclass
class Town:
    """A running world, an admin who builds in it, and somebody who looks on."""

    server: RunningServer
    warden: LinePlayer
    ana: LinePlayer

    def shown(self, line: str) -> str:
        """Type a line as the admin, and return all that is shown for it, in one line."""
        return " ".join(self.warden.asks(line).replace("> ", "").split())  # where prompts come is a matter of moments


@contextmanager
def town(vault: Path) -> Iterator[Town]:
    with running(vault, f"ollama:{MODEL}") as server:
        server.says("The agents think with ")
        yield Town(server, server.player(ADMIN), server.player("Ana"))
        assert not server.failure


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Path]:
    lively = {"think_seconds": 1, "think_jitter": 0, "react_seconds": 0.2}
    with scripted_ollama() as ollama:
        models = {"ollama_host": ollama.host}
        vault = new_vault(tmp_path / "world", {"config/agents.md": lively, "config/models.md": models})
        for name in AGENTS:
            note = vault / "agents" / name / "agent.md"
            lines = note.read_text(encoding="utf-8").split("\n")
            own = [line for line in lines if not line.startswith("think_seconds:")]
            note.write_text("\n".join(own), encoding="utf-8")
        yield vault


COMING_AND_GOING = re.compile(rf"\b(?:{'|'.join(AGENTS)}) [^.]*\. ?")
"""What is told of agents, who walk about meanwhile."""


def edit(path: Path, old: str, new: str) -> None:
    """Have another process replace words in a note."""
    subprocess.run([sys.executable, "-c", EDIT, str(path), old, new], env=CLEAN, check=True)


def test_people_and_agents_perceive_one_another_and_looking_stays_quick(vault):
    with town(vault) as here:
        said = "say The kettle sings in Eel Street. | I made that up"
        here.ana.types(said)
        here.warden.expects('Ana says, "The kettle sings in Eel Street."')
        here.warden.types("whisper Ana Who is Eliza?")
        here.ana.expects('Warden whispers to you, "Who is Eliza?"')

        def is_heard() -> bool:
            return any("Eel Street" in line for line in journal_lines(vault).get("Eliza", []))

        for _ in range(MOST_SAID):  # she walks about, and may have left before Ana had come
            if eventually(is_heard, within=1.0):
                break
            here.ana.types(said)
        assert is_heard()
        assert eventually(lambda: all(own_acts(vault, name) for name in AGENTS)), acts_of(vault)
        seconds = []
        for line in HOUSE:
            here.warden.types(line)
            seconds.append(here.ana.looks())
        assert median(seconds) < LOOK_SECONDS, seconds
        private = [path for path in vault.rglob("*") if path.is_file() and b"made that up" in path.read_bytes()]
        assert private == []
        assert "made that up" not in here.server.log + here.warden.text


def test_what_is_built_edited_and_killed_goes_on_as_it_was_seen(vault):
    with town(vault) as here:
        for line in HOUSE:
            shown = here.shown(line)
            assert "There is no" not in shown and "Usage" not in shown, shown
        court = vault / "rooms" / "The Court, of Glass.md"
        edit(court, "One is missing.", "Two are missing.")
        here.warden.expects("rooms/The Court, of Glass.md: reloaded.", within=SOON)
        edit(court, "number:", "number: [")
        here.warden.expects("What it said before still counts.", within=SOON)
        assert "Panes, green with age. Two are missing." in here.shown("look")
        edit(court, "number: [", "number:")
        edit(court, "Two are missing.", "Three are missing.")
        here.warden.expects("rooms/The Court, of Glass.md: reloaded.", within=SOON)
        seen = world_as_told(here)
        here.ana.types("say Remember the last words.")
        here.warden.types("@dig east to Pantry")
        here.warden.expects("You dig a way to Pantry: east.")
        here.ana.expects('You say, "Remember the last words."')
        here.server.kill()
    checked = fallwater("vault", "check", "--vault", str(vault))
    assert "no faults" in checked.stdout, checked.stdout
    assert any("Remember the last words." in line for line in journal_lines(vault)["Eliza"])
    with town(vault) as here:
        ways = seen["here"].replace("down (Wächter's Cellar)", "down (Wächter's Cellar), east (Pantry)")
        assert world_as_told(here) == {**seen, "here": ways}
        ball, trash = vault / "things" / "glass ball.md", vault / ".trash" / "things" / "glass ball.md"
        here.shown("@destroy globe")
        assert (ball.exists(), trash.exists()) == (False, True)
        here.shown("@undo")
        assert ball.exists()
        assert "You go by the landing to The Landing." in here.shown("the landing")
        eliza = len(own_acts(vault, "Eliza"))
        assert eventually(lambda: len(own_acts(vault, "Eliza")) > eliza)


def world_as_told(here: Town) -> dict[str, str]:
    """Return what the admin is shown of what it has built."""
    lines = {"here": "look", "detail": "look pane", "box": "look in umber box", "ball": "@examine globe"}
    return {name: COMING_AND_GOING.sub("", here.shown(line)) for name, line in lines.items()}


def own_acts(vault: Path, name: str) -> list[str]:
    """Return what one agent did of its own accord."""
    return [line for line in journal_lines(vault).get(name, []) if " acted · " in line]
