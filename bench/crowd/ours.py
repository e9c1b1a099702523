"""Fallwater as it is measured: a vault with the town, in a process of its own."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.crowd.server import Served
from bench.crowd.town import DESCRIPTION, SEEN, SQUARE, room, rooms_for, town
from bench.lib.accounts import caller_name, prepare_people
from bench.lib.players import SECRET
from bench.lib.server_process import running
from vault.vault import STARTER

WIDE_OPEN: Mapping[str, object] = {
    # Nothing of this is what is measured, and one address is everybody's here.
    "max_connections": 20000,
    "connections_per_address": 0,
    "connects_per_minute": 0,
    "lines_per_second": 0,
    "login_seconds": 3600,
}
AGENTS = 50
MODEL = "scripted"
ANSWER_SECONDS = 1.5


@contextmanager
def fallwater(people: int, agents: int = 0, settings: Mapping[str, object] | None = None) -> Iterator[Served]:
    """Open a world in which so many people have an account.

    Agents, if any, think with a scripted model that takes 1.5 s an answer.
    """
    with tempfile.TemporaryDirectory() as folder, _scripted_model(agents) as host:
        vault = Path(folder) / "world"
        _write(vault, people, agents)
        _set(vault / "config" / "server.md", {**WIDE_OPEN, **(settings or {})})
        _set(vault / "config" / "world.md", {"start_room": SQUARE, "ambient_minutes": 0})
        prepare_people(vault, people, SQUARE)
        if host:
            _set(vault / "config" / "models.md", {"ollama_host": host})
        with running(f"ollama:{MODEL}" if agents else "none", vault) as server:
            yield Served("Fallwater", server.port, (server.process.pid,), b"name shall we", _comes_in)


def _comes_in(number: int) -> Sequence[tuple[bytes, bytes]]:
    return (caller_name(number).encode(), b"Password: "), (SECRET.encode(), SEEN)


def _write(vault: Path, people: int, agents: int) -> None:
    shutil.copytree(STARTER, vault, ignore=shutil.ignore_patterns("rooms", "things", "agents"))
    for name, exits in town(people).items():
        _room(vault, name, exits)
    for number in range(agents):
        home = room(number % rooms_for(people))
        note = f"---\nroom: '[[{home}]]'\nthink_seconds: 20\nbreak_loops: false\n---\nYou live here and like company.\n"
        path = vault / "agents" / f"Agent{chr(97 + number // 26)}{chr(97 + number % 26)}" / "agent.md"
        path.parent.mkdir(parents=True)
        path.write_text(note, "utf-8")


def _room(vault: Path, name: str, exits: Mapping[str, str]) -> None:
    ways = "\n".join(f"- **{way}**: [[{goal}]]" for way, goal in exits.items())
    (vault / "rooms").mkdir(exist_ok=True)
    (vault / "rooms" / f"{name}.md").write_text(f"{DESCRIPTION}\n\n## Exits\n{ways}\n", "utf-8")


def _set(note: Path, settings: Mapping[str, object]) -> None:
    """Change those settings of a note that it has."""
    text = note.read_text("utf-8")
    for name, value in settings.items():
        text = re.sub(rf"^\*\*{name}\*\*: .*$", f"**{name}**: {value}", text, flags=re.MULTILINE)
    note.write_text(text, "utf-8")


@contextmanager
def _scripted_model(agents: int) -> Iterator[str]:
    """Serve a model that looks, nods and summarises by rule; yield its address, or nothing if there are no agents."""
    if not agents:
        yield ""
        return
    command = [sys.executable, "-m", "tests.integration.scripted_ollama", "--seconds", str(ANSWER_SECONDS)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.terminate()
        process.wait(timeout=60)
