"""Whatever a model's server does: an admin reads what is wrong and what to do, the agents go on, and so does the world.

A server that is not there at all, or goes away, is in test_endpoints.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.integration.bad_models import BadServer, bad_server
from tests.integration.line_player import LinePlayer
from tests.integration.running import ADMIN, RunningServer, acts_of, eventually, serve_command, started
from tests.integration.scripted_ollama import MODEL
from tests.integration.test_endpoints import PROMPT_SECONDS, slowest_look, status, vault_with

pytestmark = pytest.mark.integration

MOST_MORE_BYTES = 80 * 1024 * 1024  # of which the answer itself may have 16, and what is read ahead
MOST_SENT = 40_000_000  # what fits into the buffers between the two comes on top


@dataclass(frozen=True)
class Town:
    """A world whose agents all think with one server."""

    server: RunningServer
    model: BadServer
    player: LinePlayer

    def status(self) -> str:
        """Return what @llm-status says, in one line."""
        return " ".join(status(self.player).split())


@contextmanager
def town_with(folder: Path, model: BadServer) -> Iterator[Town]:
    vault = vault_with(folder, [model.address], model.api)
    with started(serve_command("--vault", str(vault), "--port", "0"), vault) as server:
        yield Town(server, model, server.player(ADMIN))


@pytest.fixture(scope="module", params=["ollama", "openai"])
def town(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """One world for all of this module and each API; at the end nothing of it has left a traceback."""
    folder = tmp_path_factory.mktemp(request.param)
    with bad_server(request.param) as model, town_with(folder / "world", model) as town:
        assert eventually(lambda: model.answered > 2), town.server.log
        yield town
        assert not town.server.failure


@pytest.fixture(autouse=True)
def good_again(request: pytest.FixtureRequest) -> Iterator[None]:
    """After each, the server answers well, and soon so do the agents."""
    yield
    if "town" in request.fixturenames:
        town: Town = request.getfixturevalue("town")
        town.model.mode = "good"
        before = town.model.answered
        assert eventually(lambda: town.model.answered > before + 2), town.server.log
        assert eventually(lambda: " is well" in town.status() or ": well" in town.status()), town.status()


SAID = {
    "page": ("speak {api}'s API", "Check the address in config/models.md"),
    "no model": (f"has no model '{MODEL}'", "Run: ollama pull scripted|Load it there, or change model"),
    "unknown option": ("status 400: invalid option provided: repeat_penalty", "Take out the option that it names"),
    "broken": ("status 500: the runner has ended: out of memory", "own log if this goes on|look into its log."),
    "half a stream": ("broke off|API: ", "look into its log.|own log if this goes on.|Check the address"),
    "no end": ("sends more than 16 MB, more than any answer may have", "Check the address in config/models.md"),
    "one line": ("sends a line of more than 1 MB, more than any", "Check the address in config/models.md"),
}


def holds(told: str, wanted: str, api: str) -> bool:
    """Return whether a text holds what is wanted, or one of several with | between them."""
    name = {"ollama": "Ollama", "openai": "OpenAI"}[api]
    return any(one.format(api=name) in told for one in wanted.split("|"))


@pytest.mark.parametrize("mode", SAID)
def test_an_admin_reads_what_is_wrong_and_what_to_do_and_the_world_goes_on(town, mode):
    before, api = town.server.resident_bytes, town.model.api
    town.model.mode = mode
    problem, remedy = SAID[mode]
    assert eventually(lambda: holds(town.status(), problem, api)), town.status()
    told = town.status()
    assert holds(told, remedy, api), told
    assert "Traceback" not in told
    assert slowest_look(town.player) < PROMPT_SECONDS
    assert town.server.resident_bytes < before + MOST_MORE_BYTES
    assert town.model.sent < MOST_SENT


def test_counts_that_are_no_numbers_are_passed_over(town):
    town.model.mode = "no counts"
    done = len(acts_of(town.server.vault))
    assert eventually(lambda: len(acts_of(town.server.vault)) > done + 3)
    assert "nan" not in town.status().lower()
    assert slowest_look(town.player) < PROMPT_SECONDS


def test_likelihoods_that_are_no_numbers_cost_nobody_an_answer(town):
    town.model.mode = "no likelihood"
    before, done = town.model.answered, len(acts_of(town.server.vault))
    assert eventually(lambda: town.model.answered > before + 5 and len(acts_of(town.server.vault)) > done + 3)
    assert any("look" in act for act in acts_of(town.server.vault)[done:])  # the engine does some without a model
    assert " well" in town.status()


BAD_ADDRESSES = {
    "http://127.0.0.1:99999": "Port out of range",
    "http://127.0.0.1:port": "'http://127.0.0.1:port' is",
    "ftp://127.0.0.1:11434": "endpoints is 'ftp://127.0.0.1:11434'; expected",
    "127.0.0.1:11434": "endpoints is '127.0.0.1:11434'; expected",
}


@pytest.mark.parametrize("address", BAD_ADDRESSES)
def test_an_address_that_is_none_is_told_with_one_that_is_and_the_old_one_stays(town, address):
    note = town.server.vault / "config/models.md"
    good = note.read_text()
    try:
        note.write_text(good.replace(f"**endpoints**: {town.model.address}", f"**endpoints**: {address}"))
        told = town.server.says(BAD_ADDRESSES[address])
        assert "http://127.0.0.1:" in told.replace(f"'{address}'", "")
        assert slowest_look(town.player) < PROMPT_SECONDS
        before = town.model.answered
        assert eventually(lambda: town.model.answered > before + 2), town.server.log
    finally:
        note.write_text(good)


def test_a_world_with_nothing_but_such_an_address_opens_says_so_and_wakes_its_agents_once_it_is_mended(tmp_path):
    with bad_server("ollama") as model:
        vault = vault_with(tmp_path / "world", ["http://127.0.0.1:99999"])
        with started(serve_command("--vault", str(vault), "--port", "0"), vault) as server:
            player = server.player(ADMIN)
            assert slowest_look(player) < PROMPT_SECONDS
            player.types("@llm-status")
            told = " ".join(player.expects("http://127.0.0.1:11434.").split())
            assert "'http://127.0.0.1:99999' is no address for the model" in told
            assert "Check the address in config/models.md" in told
            note = vault / "config/models.md"
            note.write_text(note.read_text().replace("http://127.0.0.1:99999", model.address))
            assert eventually(lambda: model.answered > 2), server.log
            assert not server.failure
