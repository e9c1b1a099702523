"""Two people and three agents in one world that is built, edited by another process, killed, and goes on."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import pytest

from tests.integration.line_player import LinePlayer
from tests.integration.running import (
    ADMIN,
    CLEAN,
    ROOT,
    RunningServer,
    acts_of,
    eventually,
    journal_lines,
    new_vault,
    running,
)
from tests.integration.scripted_ollama import MODEL, scripted_ollama

pytestmark = pytest.mark.integration

AGENTS = ("Eliza", "Moss", "Odile")
SOON = 1.0
"""Within how many seconds an edit is in force."""
LOOK_SECONDS = 0.1
"""How long a look may take while agents think and somebody builds."""

HOUSE = (
    "@dig hatch, h to The Court, of Glass?",
    "hatch",
    "@describe here -> Panes, green with age.\\nOne is missing.",
    "@detail pane, panes -> You see yourself, twice.",
    "@dig north to Kitchen",
    "@dig down/up to Cellar",
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

    def shown(self, player: LinePlayer, line: str, mark: str) -> str:
        """Type a line and a thought, and return all that is shown up to that, in one line."""
        player.types(line)
        player.types(f"think {mark}")
        text = player.expects(f"You think: {mark}\n").replace("> ", "")  # where prompts come is a matter of moments
        return " ".join(text.split())


@contextmanager
def town(vault: Path) -> Iterator[Town]:
    with ExitStack() as stack:
        ollama = stack.enter_context(scripted_ollama())
        note = vault / "config" / "models.md"
        lines = note.read_text(encoding="utf-8").split("\n")
        told = (f"**ollama_host**: {ollama.host}" if line.startswith("**ollama_host**:") else line for line in lines)
        note.write_text("\n".join(told), encoding="utf-8")
        server = stack.enter_context(running(vault, f"ollama:{MODEL}"))
        server.says("The agents think with ")
        yield Town(server, server.player(ADMIN), server.player("Ana"))
        assert not server.failure


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    lively = {"think_seconds": 1, "think_jitter": 0, "react_seconds": 0.2}
    vault = new_vault(tmp_path / "world", {"config/agents.md": lively})
    for name in AGENTS:
        note = vault / "agents" / name / "agent.md"
        lines = note.read_text(encoding="utf-8").split("\n")
        note.write_text("\n".join(line for line in lines if not line.startswith("think_seconds:")), encoding="utf-8")
    return vault


def edit(path: Path, old: str, new: str) -> None:
    """Have another process replace words in a note."""
    subprocess.run([sys.executable, "-c", EDIT, str(path), old, new], env=CLEAN, check=True)


def test_people_and_agents_perceive_one_another_and_looking_stays_quick(vault):
    with town(vault) as here:
        here.ana.types("say The kettle sings in Eel Street. | I made that up")
        here.warden.expects('Ana says, "The kettle sings in Eel Street."')
        here.warden.types("whisper Ana Who is Eliza?")
        here.ana.expects('Warden whispers to you, "Who is Eliza?"')
        assert eventually(lambda: any("Eel Street" in line for line in journal_lines(vault).get("Eliza", [])))
        assert eventually(lambda: all(own_acts(vault, name) for name in AGENTS)), acts_of(vault)
        seconds = []
        for number, line in enumerate(HOUSE):
            here.warden.types(line)
            begin = time.monotonic()
            here.shown(here.ana, "look", f"of {number}")
            seconds.append(time.monotonic() - begin)
        assert median(seconds) < LOOK_SECONDS, seconds
        private = [path for path in vault.rglob("*") if path.is_file() and b"made that up" in path.read_bytes()]
        assert private == []
        assert "made that up" not in here.server.log + here.warden.text


def test_what_is_built_edited_and_killed_goes_on_as_it_was_seen(vault):
    with town(vault) as here:
        for number, line in enumerate(HOUSE):
            shown = here.shown(here.warden, line, f"so {number}")
            assert "There is no" not in shown and "Usage" not in shown, shown
        court = vault / "rooms" / "The Court, of Glass.md"
        edit(court, "One is missing.", "Two are missing.")
        here.warden.expects("rooms/The Court, of Glass.md: reloaded.", within=SOON)
        edit(court, "number:", "number: [")
        here.warden.expects("What it said before still counts.", within=SOON)
        assert "Panes, green with age. Two are missing." in here.shown(here.warden, "look", "yet")
        edit(court, "number: [", "number:")
        edit(court, "Two are missing.", "Three are missing.")
        here.warden.expects("rooms/The Court, of Glass.md: reloaded.", within=SOON)
        seen = world_as_told(here)
        here.ana.types("say Remember the last words.")
        here.warden.types("@dig east to Pantry")
        here.warden.expects("You dig a way to Pantry: east.")
        here.ana.expects('You say, "Remember the last words."')
        here.server.kill()
    checked = subprocess.run(
        [sys.executable, "-m", "server", "vault", "check", "--vault", str(vault)],
        cwd=ROOT,
        env=CLEAN,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "no faults" in checked.stdout, checked.stdout
    assert any("Remember the last words." in line for line in journal_lines(vault)["Eliza"])
    with town(vault) as here:
        ways = seen["here"].replace("down (Cellar)", "down (Cellar), east (Pantry)")
        assert world_as_told(here) == {**seen, "here": ways}
        assert "You go by the landing to The Landing." in here.shown(here.warden, "the landing", "home")
        eliza = len(own_acts(vault, "Eliza"))
        assert eventually(lambda: len(own_acts(vault, "Eliza")) > eliza)


def world_as_told(here: Town) -> dict[str, str]:
    """Return what the admin is shown of what it has built."""
    lines = {"here": "look", "detail": "look pane", "box": "look in umber box", "ball": "@examine globe"}
    return {name: here.shown(here.warden, line, f"of {name}") for name, line in lines.items()}


def own_acts(vault: Path, name: str) -> list[str]:
    """Return what one agent did of its own accord."""
    return [line for line in journal_lines(vault).get(name, []) if " acted · " in line]
