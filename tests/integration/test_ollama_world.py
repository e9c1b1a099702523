"""A world whose agents think with a process that speaks Ollama's API, and what happens when that process dies."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from tests.integration.line_player import HOST, LONG
from tests.integration.ollama_server import MODEL
from tests.integration.running import ADMIN, HURRIED, eventually, model_server, new_vault, running

pytestmark = [pytest.mark.integration, pytest.mark.embedded, pytest.mark.ollama]

ollama = partial(model_server, "ollama_server", "--port")


def hurried_vault(folder: Path, port: int) -> Path:
    """Make a vault with one agent, who thinks every second, and with Ollama on this port."""
    host = {"ollama_host": f"http://{HOST}:{port}", "num_ctx": 4096}
    vault = new_vault(folder, {"config/models.md": host, **HURRIED})
    for name in ("Moss", "Odile"):  # a real model takes seconds for each
        shutil.rmtree(vault / "agents" / name)
    return vault


def commands_of(vault: Path) -> int:
    """Count what the agents tried, done or refused: a model as small as this one is refused half of the time."""
    return sum(path.read_text("utf-8").count('"event": "tool_call"') for path in vault.glob("agents/*/archive/*.jsonl"))


@pytest.fixture
def first_life() -> Iterator[ExitStack]:
    """What can be closed in the middle of a test, and is at its end."""
    with ExitStack() as life:
        yield life


def test_agents_rest_while_their_model_is_dead_and_act_again_when_it_is_back(first_life, tmp_path):
    port, _ = first_life.enter_context(ollama("0"))
    vault = hurried_vault(tmp_path / "world", port)
    with running(vault, f"ollama:{MODEL}") as server:
        server.says(f"The agents think with {MODEL} on Ollama at http://{HOST}:{port} (as asked).")
        player = server.player(ADMIN)
        assert eventually(lambda: commands_of(vault) > 0), server.log

        first_life.close()  # agents that think every second are in the midst of it
        server.says(" cannot think, and waits for its next beat: ")  # an errand's steps may need no model for long
        done = commands_of(vault)
        player.types("who")
        player.expects(f"{ADMIN} (you)\n")
        # The last to have been cut off may say so first; whoever asks from then on is not answered at all.
        gone = f"Last error: Ollama does not answer at http://{HOST}:{port}"
        assert eventually(lambda: gone in " ".join(player.asks("@llm-status").split())), server.log

        with ollama(str(port)):
            server.says(" can think again", within=3 * LONG)  # on a slow machine
            assert eventually(lambda: commands_of(vault) > done), server.log
            told = [line.partition(" WARNING ")[2].partition(",")[0] for line in server.lines if "cannot think" in line]
            assert len(set(told)) == len(told) > 0
            server.signal(signal.SIGTERM)
            assert server.exit_code() == 0
        assert not server.failure


def test_a_model_that_is_not_there_yet_is_told_with_the_remedy_and_the_world_is_open(tmp_path):
    with ollama("0") as (port, _), running(hurried_vault(tmp_path / "world", port), "ollama:nothing") as server:
        told = server.says("The agents sleep: ")
        assert f"Ollama at http://{HOST}:{port} has no model 'nothing' (it has: " in told
        assert "Run: ollama pull nothing" in told
        assert "Ana (you)" in server.player("Ana").asks("who")
