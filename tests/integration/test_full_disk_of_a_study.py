"""A study on a disk that is full: a real one, in memory, that is made larger for the second try."""

from __future__ import annotations

import random
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from bench.export import generate
from tests.integration.running import CLEAN, ROOT
from tests.integration.scripted_ollama import MODEL, scripted_ollama

pytestmark = pytest.mark.integration

PLAN = """# Full

**turns**: 4
**model**: ollama:{model}
**ollama_host**: {host}
**seeds**: 1-3
"""
TWICE = """
mount -t tmpfs -o size={kilobytes}k small {disk}
cd {disk}
tried() {{
    code=0
    {command} >"{told}/$1.told" 2>&1 || code=$?
    echo $code >"{told}/$1.code"
    ls -A {folder} >"{told}/$1.ls"
}}
{before}
tried full
mount -o remount,size=64m {disk}
tried roomy
"""


@pytest.fixture(autouse=True)
def _can_mount() -> None:
    """A disk of one's own takes a namespace of one's own."""
    command = ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no disk can be mounted here: run as root, or allow user namespaces")


def tried_twice(
    folder: Path, kilobytes: int, arguments: list[str], shown: str, before: str = ":"
) -> list[tuple[int, str, list[str]]]:
    """Run a command on a small disk, and again when it is larger.

    Return of each try the exit code, what was said, and what is in the folder `shown` on the disk.
    """
    told, disk = folder / "told", folder / "disk"
    told.mkdir()
    disk.mkdir()
    command = shlex.join([sys.executable, "-m", "server", *arguments])
    script = TWICE.format(
        kilobytes=kilobytes, disk=shlex.quote(str(disk)), command=command, told=told, folder=shown, before=before
    )
    env = {**CLEAN, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-euc", script], env=env, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return [
        (int((told / f"{name}.code").read_text()), (told / f"{name}.told").read_text(), listed(told / f"{name}.ls"))
        for name in ("full", "roomy")
    ]


def listed(path: Path) -> list[str]:
    return sorted(path.read_text("utf-8").splitlines())


def test_a_sweep_on_a_full_disk_says_so_keeps_what_is_done_and_goes_on_when_there_is_room(tmp_path):
    with scripted_ollama() as server:
        (tmp_path / "plan.md").write_text(PLAN.format(model=MODEL, host=server.host), "utf-8")
        before = f"cp {shlex.quote(str(tmp_path / 'plan.md'))} ."
        arguments = ["sweep", "plan.md", "--workers", "1"]
        full, roomy = tried_twice(tmp_path, 1500, arguments, "plan/runs", before)
    code, told, runs = full
    assert code == 1
    assert "fallwater: " in told
    assert "the disk is full" in told
    assert "the same command goes on with the others." in told
    assert "Traceback" not in told
    code, told, all_runs = roomy
    assert code == 0, told
    assert len(all_runs) == 3
    assert {run for run in runs if not run.startswith(".")} < set(all_runs)


def test_an_export_on_a_full_disk_says_so_and_leaves_nothing(tmp_path):
    generate(tmp_path / "town", 2_400, random.Random(1))
    arguments = ["export", str(tmp_path / "town"), "--to", "data"]
    full, roomy = tried_twice(tmp_path, 300, arguments, ".")
    assert full[0] == 1
    assert full[1].startswith("fallwater: ")
    assert "data: cannot be written: No space left on device. Make room, or give a folder on another disk" in full[1]
    assert full[2] == []
    assert (roomy[0], roomy[2]) == (0, ["data"])
