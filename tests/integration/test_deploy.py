"""The files in deploy/: systemd takes the units, and the container file copies what there is."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.running import ROOT

pytestmark = pytest.mark.integration

DEPLOY = ROOT / "deploy"
UNITS = ("fallwater.service", "fallwater.socket", "fallwater-tls.socket")


@pytest.fixture
def units(tmp_path: Path) -> list[str]:
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is missing: apt-get install systemd")
    for unit in UNITS:
        text = (DEPLOY / unit).read_text().replace("/opt/fallwater/.venv/bin/fallwater", sys.executable)
        (tmp_path / unit).write_text(text)
    return [str(tmp_path / unit) for unit in UNITS]


def test_systemd_takes_the_units_without_a_word(units):
    told = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False)
    assert (told.returncode, told.stderr) == (0, "")


def test_the_service_may_do_little(units):
    told = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", "--threshold=25", units[0]],
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stdout


def test_the_container_file_copies_what_is_there():
    lines = (DEPLOY / "Containerfile").read_text().splitlines()
    sources = [word for line in lines if line.startswith("COPY ") for word in line.split()[1:-1]]
    assert [source for source in sources if not (ROOT / source).exists()] == []
    assert {"config", "world", "vault", "agents", "server", "pyproject.toml", "constraints.txt"} <= set(sources)
