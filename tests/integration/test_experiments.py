"""Sweeps with real processes: killed at any time, and the same bytes from every executor."""

from __future__ import annotations

import json
import os
import random
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.integration.running import CLEAN, ROOT, eventually, fallwater
from tests.integration.scripted_ollama import MODEL, scripted_ollama

pytestmark = pytest.mark.integration

TURNS = 24
"""So many that agents meet and a model is asked: whoever is alone acts without one."""

PLAN = """# Which?

**turns**: {turns}
**model**: ollama:{model}
**ollama_host**: {host}
**seeds**: 1-{seeds}

## Factors
| factor | values |
| --- | --- |
| strategy | waterfall, window |
"""

SBATCH = """#!{python}
import os, re, subprocess, sys
script = sys.argv[-1]
text = open(script).read()
found = re.search(r"#SBATCH --array=0-(\\d+)", text)
count = int(found[1]) + 1 if found else 1
number = str(os.getpid())
output = re.search(r"#SBATCH --output=(\\S+)", text)[1]
for task in range(count):
    job = f"{{number}}_{{task}}" if found else number
    more = {{"SLURM_JOB_ID": job, "SLURM_ARRAY_JOB_ID": number, "SLURM_ARRAY_TASK_ID": str(task)}} if found else {{}}
    env = {{**os.environ, "SLURM_JOB_ID": number, **more, "SLURM_NTASKS": "1", "SLURM_PROCID": "0",
           "SLURM_LOCALID": "0", "SLURM_NODEID": "0", "SLURM_JOB_NUM_NODES": "1"}}
    subprocess.Popen(["sh", script], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                     stderr=subprocess.DEVNULL, start_new_session=True)
print(f"Submitted batch job {{number}}")
"""
SRUN = """#!{python}
import os, sys
words = sys.argv[1:]
while words and words[0].startswith("-"):
    flag = words.pop(0)
    if flag in ("--output", "--error"):
        words.pop(0)
os.execvp(words[0], words)
"""
QUIET = "#!/bin/sh\nexit 0\n"


def sweep(folder: Path, *arguments: str, env: Mapping[str, str] = CLEAN) -> subprocess.CompletedProcess[str]:
    return fallwater("sweep", "plan.md", *arguments, folder=folder, env=env)


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "server", "sweep", "plan.md", *arguments]


def with_root(env: Mapping[str, str]) -> dict[str, str]:
    return {**env, "PYTHONPATH": str(ROOT)}


def bytes_of(out: Path) -> dict[str, bytes]:
    """Return every file of the runs of a sweep but recordings and the times."""
    paths = [path for path in (out / "runs").rglob("*") if path.is_file()]
    told = {str(path.relative_to(out)): path.read_bytes() for path in paths}
    return {name: text for name, text in told.items() if not name.endswith(("timing.json", "recording.jsonl"))}


def plan(folder: Path, host: str, seeds: int) -> None:
    folder.mkdir(exist_ok=True)
    text = PLAN.format(turns=TURNS, model=MODEL, host=host, seeds=seeds)
    (folder / "plan.md").write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a plan, its sweep in `live`, and its replay on this machine in `local`."""
    folder = tmp_path_factory.mktemp("sweep")
    with scripted_ollama() as server:
        plan(folder, server.host, seeds=2)
        live = sweep(folder, "--out", "live")
        assert live.returncode == 0, live.stderr
        assert server.answered["generate"] >= 8
    local = sweep(folder, "--out", "local", "--replay-from", "live")
    assert local.returncode == 0, local.stderr
    return folder


def test_a_sweep_leaves_a_folder_a_run_a_report_and_its_figures(recorded):
    table = [json.loads(line) for line in (recorded / "live" / "runs.jsonl").read_text().splitlines()]
    assert sorted(row["run"] for row in table) == sorted(path.name for path in (recorded / "live" / "runs").iterdir())
    assert "4 runs are done, 0 are missing." in (recorded / "live" / "report.md").read_text()
    assert len((recorded / "live" / "runs.csv").read_text().splitlines()) == 5


def test_a_replay_of_a_sweep_has_the_same_bytes(recorded):
    assert bytes_of(recorded / "local") == bytes_of(recorded / "live")


def test_a_real_ray_cluster_of_two_nodes_gives_the_same_bytes_though_a_worker_is_killed(recorded):
    pytest.importorskip("ray", reason="Ray is missing: make integration installs it")
    arguments = command("--out", "ray", "--replay-from", "live", "--executor", "ray")
    workers: list[int] = []
    with ray_cluster(nodes=2) as (address, cluster_pid):
        process = subprocess.Popen(
            [*arguments, "--address", address], cwd=recorded, env=with_root(CLEAN), stderr=subprocess.PIPE, text=True
        )

        def works() -> bool:
            workers[:] = workers_of(cluster_pid)
            return bool(workers)

        assert eventually(works)
        os.kill(workers[0], signal.SIGKILL)
        _, complaint = process.communicate(timeout=120)
    assert process.returncode == 0, complaint
    assert bytes_of(recorded / "ray") == bytes_of(recorded / "local")


def test_a_ray_head_that_goes_away_ends_a_sweep_with_a_sentence_and_it_can_be_gone_on_with(recorded):
    pytest.importorskip("ray", reason="Ray is missing: make integration installs it")
    with scripted_ollama() as server:
        server.seconds = 10.0  # so that the runs last longer than it takes to notice
        plan(recorded / "lost", server.host, seeds=2)
        with ray_cluster(nodes=1) as (address, cluster_pid):
            arguments = command("--executor", "ray", "--address", address, "--workers", "1")
            process = subprocess.Popen(
                arguments, cwd=recorded / "lost", env=with_root(CLEAN), stderr=subprocess.PIPE, text=True
            )
            runs = recorded / "lost" / "plan" / "runs"
            until = time.monotonic() + 120
            while not (runs.is_dir() and any(runs.iterdir())) and time.monotonic() < until:
                time.sleep(0.1)
            os.kill(head_of(cluster_pid), signal.SIGKILL)
            _, complaint = process.communicate(timeout=120)
        assert process.returncode == 1
        assert "fallwater: " in complaint
        assert "the head of the Ray cluster at" in complaint
        assert "the same command goes on with the others." in complaint
        assert "Traceback" not in complaint
        server.seconds = 0.0
        again = sweep(recorded / "lost")
    assert again.returncode == 0, again.stderr


def test_slurm_gives_the_same_bytes(recorded, tmp_path):
    pytest.importorskip("submitit", reason="submitit is missing: pip install -e '.[slurm]'")
    env = CLEAN | {"PATH": f"{fake_slurm(tmp_path)}{os.pathsep}{CLEAN['PATH']}"}
    done = sweep(recorded, "--out", "slurm", "--replay-from", "live", "--executor", "slurm", env=env)
    assert done.returncode == 0, done.stderr
    assert bytes_of(recorded / "slurm") == bytes_of(recorded / "local")


@pytest.mark.parametrize("whom", ["the sweep alone", "the sweep and its runs"])
def test_kill_9_loses_no_run_and_doubles_none(tmp_path, whom):
    rng, seen = random.Random(whom), dict[str, tuple[int, bytes]]()
    with scripted_ollama() as server:
        plan(tmp_path, server.host, seeds=4)
        runs = tmp_path / "plan" / "runs"
        for _ in range(3):
            process = subprocess.Popen(
                command(), cwd=tmp_path, env=with_root(CLEAN), stderr=subprocess.DEVNULL, start_new_session=True
            )
            time.sleep(rng.uniform(3, 12))
            (os.killpg if whom == "the sweep and its runs" else os.kill)(process.pid, signal.SIGKILL)
            process.wait()
            before, seen = seen, finished(runs)
            assert before.items() <= seen.items()
        done = sweep(tmp_path)
    assert done.returncode == 0, done.stderr
    assert seen.items() <= finished(runs).items()
    assert len(finished(runs)) == 8
    assert [path.name for path in runs.iterdir() if path.name.startswith(".")] == []


def finished(runs: Path) -> dict[str, tuple[int, bytes]]:
    """Return which runs are done: each folder's own number, and when it was done."""
    if not runs.is_dir():
        return {}
    done = [path for path in runs.iterdir() if not path.name.startswith(".")]
    return {path.name: (path.stat().st_ino, (path / "timing.json").read_bytes()) for path in done}


@pytest.mark.parametrize(
    ("text", "arguments", "complaint"),
    [
        ("**turns**: 5\n**seeds**: 1-1000000\n", (), "plan.md makes 1,000,000 runs. Give --yes if they are meant, or"),
        ("**turns**: 5\n**recal**: 1\n", (), "plan.md:2: there is no setting 'recal'; did you mean 'recall'?"),
        ("**turns**: 5\n", ("--workers", "0"), "--workers is 0; expected a number above 0."),
        ("**turns**: 5\n", ("--replay-from", "x"), "x: 1 of 1 runs have no recording here, as "),
        ("**turns**: 5\n", ("--executor", "slurm"), "--executor slurm: there is no sbatch on the path"),
    ],
)
def test_a_sweep_that_cannot_be_is_refused_in_a_line_and_leaves_nothing(tmp_path, text, arguments, complaint):
    (tmp_path / "plan.md").write_text(text, encoding="utf-8")
    refused = sweep(tmp_path, *arguments)
    assert refused.returncode == 1
    assert refused.stderr.startswith(f"fallwater: {complaint}")
    assert not (tmp_path / "plan" / "runs.csv").exists()


def fake_slurm(folder: Path) -> Path:
    """Make an `sbatch` that runs its jobs at once on this machine, and what else is asked for; return the folder."""
    programs = {"sbatch": SBATCH, "srun": SRUN, "sacct": QUIET, "scancel": QUIET, "squeue": QUIET}
    for name, text in programs.items():
        path = folder / name
        path.write_text(text.format(python=sys.executable) if "{python}" in text else text, encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return folder


def head_of(cluster_pid: int) -> int:
    """Return the process of the head of a cluster."""
    command = ["pgrep", "-P", str(cluster_pid), "gcs_server"]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[0])


def workers_of(cluster_pid: int) -> Iterator[int]:
    """Yield the processes of a cluster that are doing a run."""
    for raylet in children_of(cluster_pid, "raylet"):
        yield from children_of(raylet, "ray::run_command")


def children_of(pid: int, pattern: str) -> list[int]:
    found = subprocess.run(["pgrep", "-f", "-P", str(pid), pattern], capture_output=True, text=True, check=False)
    return [int(one) for one in found.stdout.split()]


@contextmanager
def ray_cluster(nodes: int) -> Iterator[tuple[str, int]]:
    """Begin a cluster of real nodes on this machine; yield its address and the process that began it, and end it."""
    code = (
        "import sys\n"
        "from ray.cluster_utils import Cluster\n"
        "cluster = Cluster(initialize_head=True, head_node_args={'num_cpus': 1, 'include_dashboard': False})\n"
        f"for _ in range({nodes - 1}): cluster.add_node(num_cpus=1)\n"
        "print(cluster.address, flush=True)\n"
        "sys.stdin.readline()\n"
        "cluster.shutdown()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=CLEAN
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        address = next(line for line in process.stdout if ":" in line and " " not in line.strip())
        yield address.strip(), process.pid
    finally:
        process.stdin.close()
        process.wait(timeout=60)
