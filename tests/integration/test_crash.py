"""A memory outlives the process that keeps it: killed at named points and at any instant, with and without power."""

from __future__ import annotations

import shutil
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.agents.memory import on_disk
from tests.agents.memory.lives import Life, talkative, windows
from tests.integration.crashing import POINTS, Damage, died, look, survive, told

pytestmark = pytest.mark.integration

SEEDS = range(40)


@pytest.mark.parametrize("point", POINTS)
def test_a_memory_outlives_a_kill(point, tmp_path):
    said, code = died(tmp_path, seed=1, point=point, after=0)
    assert code == -signal.SIGKILL, f"the process did not come to {point!r}: {said[-3:]}"
    acknowledged, pinned = told(said, "ack"), told(said, "pin")
    damage = look(tmp_path, acknowledged, point, pinned)
    assert damage.all_faults == []
    goes_on, code = died(tmp_path, seed=2, point="never", after=0)
    assert code == 0, goes_on
    assert any(one.startswith("write-pool") for one in told(goes_on, "draft")), "nothing was written in a thread"
    acknowledged, pinned = acknowledged + told(goes_on, "ack"), pinned + told(goes_on, "pin")
    damage = look(tmp_path, acknowledged, f"{point}, and a life after", pinned)
    assert damage.all_faults == []
    assert on_disk.boundaries(tmp_path / "agents/Eliza")[0] > 0, "it has not been summarised since"


def test_no_memory_is_lost_or_doubled_over_forty_lives_and_sudden_deaths():
    total = Damage()
    with ThreadPoolExecutor(2) as two:
        for damage in two.map(survive, SEEDS):
            total.add(damage)
    assert total.all_faults == []
    assert total.deaths == 2 * len(SEEDS)


def test_the_look_sees_what_is_gone_and_what_is_there_twice(tmp_path):
    agent = Life(tmp_path, windows(4, 6), talkative())
    for number in range(4):
        agent.memory.record("observed", f"This is M1x{number}M.")
    agent.memory.close()
    path = on_disk.journal_files(agent.folder)[0]
    whole = path.read_text()
    lines = whole.split("\n")
    marks = [f"M1x{number}M" for number in range(4)]
    assert look(tmp_path, marks, "whole").all_faults == []
    shutil.rmtree(tmp_path / ".index")  # or the line would be restored from the copy there
    path.write_text("\n".join([*lines[:-2], ""]))
    assert look(tmp_path, marks, "cut").faults["lost"] == ["cut: M1x3M"]
    path.write_text(whole + lines[-2].replace("^m4", "^m5") + "\n")
    assert look(tmp_path, marks, "twice").faults["duplicated"] == ["twice: M1x3M"]
    shutil.rmtree(tmp_path / ".index")
    path.write_text(whole)
    (agent.folder / "facts.md").write_text("---\nupto: 5\n---\n## Pinned\n- P1P I owe\n- P2P I owe\n- P2P I owe\n")
    found = look(tmp_path, marks, "facts", ["P1P", "P2P", "P3P"]).faults["false facts"]
    assert found == ["facts: of 4 memories upto: 5", "facts: P2P 2 times", "facts: P3P 0 times"]
