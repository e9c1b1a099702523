"""Being told to stop: people hear of it, everything is kept, and it is over soon."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from tests.integration.running import CLEAN, ROOT, journal_lines, new_vault, running

pytestmark = pytest.mark.integration

BOUND_SECONDS = 30.0  # on an idle machine it takes less than one


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_a_signal_ends_the_world_with_everything_saved_and_everybody_told(number, tmp_path):
    vault = new_vault(tmp_path / "world")
    with running(vault) as server:
        ana, ben, nobody = server.player("Ana"), server.player("Ben"), server.player()
        ana.asks("get letter")
        ana.asks("north")
        ben.expects("Ana leaves north to Pump Yard.")
        nobody.expects("By what name")
        began = time.monotonic()
        server.signal(number)
        goodbyes = [player.is_shown_out(BOUND_SECONDS) for player in (ana, ben, nobody)]
        code = server.exit_code(BOUND_SECONDS)
        assert (code, server.lines[-1]) == (0, "Everything is saved. Good-bye.")
        assert time.monotonic() - began < BOUND_SECONDS
        assert [said.count("The world is closing. Everything is kept; come back soon.") for said in goodbyes] == [1] * 3
        assert [said.count("The river goes on without you") for said in goodbyes] == [1] * 3
        assert not server.failure
    with running(vault, port=server.port) as again:  # the port is free at once
        ana = again.player()
        assert ana.enters("Ana").startswith("Pump Yard\n")
        assert "You carry a sealed letter." in ana.asks("inventory")
        assert again.player().enters("Ben").startswith("The Landing\n")


def test_a_second_signal_while_the_world_is_closing_changes_nothing(tmp_path):
    with running(new_vault(tmp_path / "world")) as server:
        player = server.player("Ana")
        for _ in range(3):
            server.signal(signal.SIGINT)
        player.is_shown_out()
        assert server.exit_code(BOUND_SECONDS) == 0
        assert not server.failure
        assert "Unhandled" not in server.log


@pytest.mark.embedded
def test_a_world_that_thinks_ends_within_bounds_and_keeps_every_memory(tmp_path):
    vault = new_vault(tmp_path / "world")
    with running(vault, "embedded") as server:
        server.says("The agents think with the embedded model")
        ana = server.player("Ana")
        for number in range(20):
            ana.asks(f"say Eliza, remember the number {number}.")
        server.signal(signal.SIGTERM)
        assert "The world is closing." in ana.is_shown_out()
        assert server.exit_code(BOUND_SECONDS) == 0
        assert server.lines[-1] == "Everything is saved. Good-bye."
        assert not server.failure
    kept = "\n".join(line for lines in journal_lines(vault).values() for line in lines)
    assert [kept.count(f"remember the number {number}.") >= 1 for number in range(20)] == [True] * 20


@pytest.mark.embedded
def test_a_world_whose_model_is_still_loading_can_be_stopped(tmp_path):
    with running(new_vault(tmp_path / "world"), "embedded") as server:
        server.signal(signal.SIGTERM)
        assert server.exit_code(BOUND_SECONDS) == 0
        assert not server.failure


INTERRUPTED_WHILE_IT_IS_IMPORTED = """
import sys, types

class Interrupted(types.ModuleType):
    def __getattr__(self, name):
        raise KeyboardInterrupt

sys.modules["server.cli"] = Interrupted("server.cli")
from server.__main__ import main
main()
"""


def test_a_program_that_is_interrupted_before_it_is_there_says_nothing():
    command = [sys.executable, "-c", INTERRUPTED_WHILE_IT_IS_IMPORTED]
    ended = subprocess.run(command, cwd=ROOT, env=CLEAN, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")
