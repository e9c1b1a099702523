"""A world with many endpoints: one is killed and comes back, one is not there yet, one is no model at all."""

from __future__ import annotations

import re
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from tests.integration.bad_models import bad_server
from tests.integration.line_player import HOST, LinePlayer
from tests.integration.running import (
    ADMIN,
    AGENTS,
    HURRIED,
    acts_of,
    eventually,
    free_port,
    model_server,
    new_vault,
    serve_command,
    started,
)
from tests.integration.scripted_ollama import MODEL

pytestmark = [pytest.mark.integration, pytest.mark.ollama]

PROMPT_SECONDS = 2.0  # what a `look` may take at most, on a machine that is busy with other things
ollama = partial(model_server, "scripted_ollama", "--seconds", "0.3", "--port")


def vault_with(folder: Path, addresses: list[str], api: str = "ollama") -> Path:
    """Make a vault whose agents think every second, with endpoints at these addresses."""
    vault = new_vault(folder, HURRIED)
    with (vault / "config/models.md").open("a", encoding="utf-8") as note:
        note.write(f"\n## thinker\n**endpoints**: {', '.join(addresses)}\n**api**: {api}\n**model**: {MODEL}\n")
    return vault


def address_of(port: int) -> str:
    """Return the address of an endpoint on this machine."""
    return f"http://{HOST}:{port}"


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


def slowest_look(player: LinePlayer) -> float:
    """Return how long the longest of ten looks took, in seconds."""
    return max(player.looks() for _ in range(10))


def test_agents_live_on_while_an_endpoint_is_killed_and_others_are_none_and_the_status_says_so(tmp_path):
    with ExitStack() as town:
        both = dict(town.enter_context(ollama("0")) for _ in range(2))
        later, strange = free_port(), town.enter_context(bad_server("ollama"))
        strange.mode, page = "page", strange.server_address[1]
        vault = vault_with(tmp_path / "world", [address_of(port) for port in (*both, later, page)])
        server = town.enter_context(started(serve_command("--vault", str(vault), "--port", "0"), vault))
        server.says(f"The agents think with {MODEL} at http://{HOST}:{next(iter(both))}.")
        player = server.player(ADMIN)
        assert eventually(lambda: len(acts_of(vault)) >= 5), server.log

        missing = endpoint_line(player, later)
        assert missing.startswith("failing, ")
        assert f"Last error: Ollama does not answer at http://{HOST}:{later}" in missing
        assert "Start it with: ollama serve" in missing
        told = endpoint_line(player, page)
        assert "does not speak Ollama's API" in told
        assert "Check the address in config/models.md; it ends with the port" in told

        gone = max(both, key=partial(answers, player))  # the other one may be nobody's choice, as both have time
        both[gone].kill()  # agents that think every second are in the midst of it
        assert eventually(lambda: endpoint_line(player, gone).startswith("failing, ")), server.log
        done = len(acts_of(vault))
        assert slowest_look(player) < PROMPT_SECONDS
        assert eventually(lambda: len(acts_of(vault)) > done + 5), server.log

        town.enter_context(ollama(str(gone)))
        town.enter_context(ollama(str(later)))
        for port in (gone, later):
            assert eventually(partial(is_well, player, port)), server.log
        assert slowest_look(player) < PROMPT_SECONDS
        assert "cannot think" not in server.log  # no thought was lost
        assert not server.failure


def test_an_endpoint_is_added_while_agents_think_and_the_next_thoughts_go_there(tmp_path):
    with ollama("0") as (first, _), ollama("0") as (second, _):
        vault = vault_with(tmp_path / "world", [address_of(first)])
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
