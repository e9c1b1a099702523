"""A memory that begins anew, under its number: nothing is remembered any more, and nothing is deleted."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path

import pytest

from agents.memory.coverage import Coverage
from server.cli import run
from tests.agents.memory.lives import NAME, Life, windows
from tests.agents.memory.test_capabilities_archive import looks, various
from tests.server.test_cli import MemoryReactor


def lived(root: Path) -> Life:
    """Return a life with a journal, summaries and an archive, whose files are all closed."""
    life = Life(root, windows(8, 8), various())
    (life.folder / "agent.md").write_text("You are Eliza.\n", encoding="utf-8")
    looks(life.memory, 10)
    asyncio.run(life.compact())
    life.memory.close()
    return life


def contents(root: Path, *names: str) -> dict[str, str]:
    """Return a hash of every file in the folders of that name, by its path from there on."""
    paths = [path for name in names for folder in root.rglob(name) for path in folder.rglob("*") if path.is_file()]
    return {f"{path.parent.name}/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


@pytest.mark.parametrize("kept", [False, True])
def test_3_21_an_agent_can_begin_anew_and_its_archive_stays_or_goes_as_is_asked(tmp_path, capsys, kept):
    life = lived(tmp_path)
    before = contents(tmp_path, "journal", "summaries", "archive")
    assert {name.split("/")[0] for name in before} == {"journal", "summaries", "archive"}
    run(MemoryReactor(), ["reset-agent", NAME, "--vault", str(tmp_path), *(["--keep-archive"] if kept else [])])
    assert "Eliza remembers nothing now." in capsys.readouterr().out
    after = contents(tmp_path, "journal", "summaries", "archive")
    assert before.items() <= after.items()
    assert len(after) == len(before) + kept  # the archive that stays is told that numbers begin again
    assert (life.folder / "archive").exists() == kept
    again = Life(tmp_path, windows(8, 8), various())
    assert again.memory.coverage == Coverage(0, 0, 0)
    assert again.memory.view().tail == ()
    assert again.memory.warnings == []
    again.live(20)
    asyncio.run(again.compact())
    assert (again.memory.coverage.n, again.compactor.stats.last_error) == (20, "")
    assert [memory.seq for memory in again.memory.journal.read(1, 20)] == list(range(1, 21))
    again.memory.close()
    assert Life(tmp_path, windows(8, 8), various()).memory.journal.last == 20  # whatever a former life had counted to


@pytest.mark.parametrize(("name", "why"), [("Zebulon", "no agent 'Zebulon'; there are Eliza"), (NAME, "nothing yet")])
def test_3_21_who_is_not_there_or_remembers_nothing_cannot_begin_anew(tmp_path, name, why):
    folder = tmp_path / "agents" / NAME
    folder.mkdir(parents=True)
    (folder / "agent.md").write_text("You are Eliza.\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=why):
        run(MemoryReactor(), ["begin-anew", name, "--vault", str(tmp_path)])
