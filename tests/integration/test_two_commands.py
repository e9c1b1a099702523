"""The command that a newcomer gives, in a copy of the tree in which nothing has been prepared."""

from __future__ import annotations

import shutil
import signal
import subprocess
import time

import pytest

from tests.integration.running import CLEAN, ROOT, started

pytestmark = [pytest.mark.integration, pytest.mark.fresh]

INSTALL_SECONDS = 400.0
# What is prepared, left over or belongs to one machine; a clone of the tree has none of it.
NOT_IN_A_CLONE = shutil.ignore_patterns(
    ".git", ".venv", ".*_cache", ".hypothesis", "__pycache__", "*.egg-info", "build", "fallwater-world*"
)


LIVELINESS = [".venv/bin/python", "-m", "bench.liveliness", "--turns", "2", "--runs", "engine chooses verbs"]
"""What docs/research.md recommends, made short."""


def test_make_run_prepares_everything_and_opens_a_world_and_does_so_again(tmp_path, capsys):
    tree, vault = tmp_path / "fallwater", tmp_path / "world"
    shutil.copytree(ROOT, tree, ignore=NOT_IN_A_CLONE)
    command = ["make", "run", "MODEL=none", "PORT=0", f"VAULT={vault}"]
    seconds = []
    for start in ("You have just stepped ashore.", "Pump Yard\n"):
        began = time.monotonic()
        with started(command, vault, tree, INSTALL_SECONDS) as server:
            seconds.append(time.monotonic() - began)
            player = server.player()
            assert player.enters("Ana").startswith(start)
            player.asks("north")
            server.signal(signal.SIGINT)
            assert "The river goes on without you" in player.is_shown_out()
            server.says("Everything is saved. Good-bye.")
            assert not server.failure
    lively = subprocess.run(LIVELINESS, cwd=tree, env=CLEAN, capture_output=True, text=True, check=False)
    assert lively.returncode == 0 and "| engine chooses verbs | 2 |" in lively.stdout, lively.stderr
    with capsys.disabled():
        print(f"[make run: open after {seconds[0]:.1f} s from nothing, after {seconds[1]:.1f} s when prepared]", end="")
