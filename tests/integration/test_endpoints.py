"""A world with many endpoints: one is killed and comes back, one is not there yet, one is no model at all."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.integration.line_player import HOST, LinePlayer
from tests.integration.running import ADMIN, CLEAN, ROOT, acts_of, eventually, new_vault, serve_command, started
from tests.integration.scripted_ollama import MODEL, serve

pytestmark = [pytest.mark.integration, pytest.mark.ollama]

AGENTS = ("Eliza", "Moss", "Odile")
PROMPT_SECONDS = 2.0  # what a `look` may take at most, on a machine that is busy with other things


@contextmanager
def ollama(port: int = 0) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """Serve Ollama's API in a process of its own, killed at the end; yield its port and the process."""
    command = [sys.executable, "-m", "tests.integration.scripted_ollama", "--port", str(port), "--seconds", "0.3"]
    with subprocess.Popen(command, cwd=ROOT, env=CLEAN, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline()), process
        finally:
            process.kill()


class _Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        page = b"<html><body>It works!</body></html>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    do_POST = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""


@contextmanager
def web_page() -> Iterator[int]:
    """Serve a web page and nothing else; yield the port."""
    with serve(ThreadingHTTPServer((HOST, 0), _Page)) as server:
        yield server.server_address[1]


def free_port() -> int:
    """Return a port on which nobody listens."""
    with socket.socket() as one:
        one.bind((HOST, 0))
        return int(one.getsockname()[1])


def vault_with(folder: Path, ports: list[int]) -> Path:
    """Make a vault whose agents think every second, with endpoints on these ports."""
    agents = {f"agents/{name}/agent.md": {"think_seconds": 1} for name in AGENTS}
    vault = new_vault(folder, {**agents, "config/agents.md": {"break_loops": "false"}})  # the model repeats itself
    addresses = ", ".join(f"http://{HOST}:{port}" for port in ports)
    with (vault / "config/models.md").open("a", encoding="utf-8") as note:
        note.write(f"\n## thinker\n**endpoints**: {addresses}\n**model**: {MODEL}\n")
    return vault


def status(player: LinePlayer) -> str:
    """Return what @llm-status says, up to the last agent."""
    player.types("@llm-status")
    player.expects("Model: ")
    return player.expects(f"{AGENTS[-1]}: ")


def endpoint_line(player: LinePlayer, port: int) -> str:
    """Return what @llm-status says of an endpoint, with what follows it."""
    told = " ".join(status(player).split())
    _, found, after = told.partition(f"Endpoint {MODEL} at http://{HOST}:{port}: ")
    assert found, told
    return after.partition("Endpoint ")[0]


def is_well(player: LinePlayer, port: int) -> bool:
    """Return whether @llm-status says so of an endpoint."""
    return endpoint_line(player, port).startswith("well")


def answers(player: LinePlayer, port: int) -> int:
    """Return how many answers @llm-status says that an endpoint has given."""
    found = re.search(r"It has answered (\d+)", endpoint_line(player, port))
    return int(found[1]) if found else 0


def slowest_look(player: LinePlayer, times: int = 10) -> float:
    """Return how long the longest of so many looks took, in seconds."""
    seconds = []
    for _ in range(times):
        begun = time.monotonic()
        player.types("look")
        player.expects("Exits: ")
        seconds.append(time.monotonic() - begun)
    return max(seconds)


def test_agents_live_on_while_an_endpoint_is_killed_and_others_are_none_and_the_status_says_so(tmp_path):
    with ExitStack() as town:
        both = dict([town.enter_context(ollama()), town.enter_context(ollama())])
        later, page = free_port(), town.enter_context(web_page())
        vault = vault_with(tmp_path / "world", [*both, later, page])
        server = town.enter_context(started(serve_command("--vault", str(vault), "--port", "0"), vault))
        server.says(f"The agents think with {MODEL} at http://{HOST}:{next(iter(both))}.")
        player = server.player(ADMIN)
        assert eventually(lambda: len(acts_of(vault)) >= 5), server.log

        missing = endpoint_line(player, later)
        assert missing.startswith("failing, ")
        assert f"Last error: Ollama does not answer at http://{HOST}:{later}" in missing
        assert "Start it with: ollama serve" in missing
        strange = endpoint_line(player, page)
        assert "does not speak Ollama's API" in strange
        assert "Check the address in config/models.md; it ends with the port" in strange

        gone = max(both, key=partial(answers, player))  # the other one may be nobody's choice, as both have time
        both[gone].kill()  # agents that think every second are in the midst of it
        assert eventually(lambda: endpoint_line(player, gone).startswith("failing, ")), server.log
        done = len(acts_of(vault))
        assert slowest_look(player) < PROMPT_SECONDS
        assert eventually(lambda: len(acts_of(vault)) > done + 5), server.log

        town.enter_context(ollama(gone))
        town.enter_context(ollama(later))
        for port in (gone, later):
            assert eventually(partial(is_well, player, port)), server.log
        assert slowest_look(player) < PROMPT_SECONDS
        assert "cannot think" not in server.log  # no thought was lost
        assert not server.failure


def test_an_endpoint_is_added_while_agents_think_and_the_next_thoughts_go_there(tmp_path):
    with ollama() as (first, _), ollama() as (second, _):
        vault = vault_with(tmp_path / "world", [first])
        with started(serve_command("--vault", str(vault), "--port", "0"), vault) as server:
            player = server.player(ADMIN)
            assert eventually(lambda: len(acts_of(vault)) >= 3), server.log
            note = vault / "config/models.md"
            addresses = f"**endpoints**: http://{HOST}:{first}"
            note.write_text(note.read_text().replace(addresses, f"**endpoints**: http://{HOST}:{second}"))
            server.says(f"The agents think with {MODEL} at http://{HOST}:{second}.")
            done = len(acts_of(vault))
            assert eventually(lambda: len(acts_of(vault)) > done + 3), server.log
            assert endpoint_line(player, second).startswith("well")
            assert f"http://{HOST}:{first}" not in status(player)
            assert "cannot think" not in server.log
