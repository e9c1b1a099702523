"""Sweeps that are killed, what the engine of a sweep costs, and whether worlds share a server fairly.

`python -m bench.sweep [--runs 40] [--kills 5] [--turns 20] [--quick] [--parts kills,overhead,fairness]`.

`kills`: a sweep is killed with SIGKILL at random moments, and gone on with: how many runs were lost, or done twice.
`overhead`: the processor's time of a sweep without its report, beside that of the same `simulate` commands alone.
`fairness`: worlds share a server of two slots with a prefix cache: how evenly they go on, and how much is cached.
The model is a scripted one, in a process of its own. `--record` keeps the tables in `bench/results/`.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from bench.lib.reporting import Table, argument_parser, percent, record
from bench.lib.servers import scripted_model
from server.experiments.executor import command_line, environment

PARTS = ("kills", "overhead", "fairness")
PLAN = """# Bench

**turns**: {turns}
**seeds**: 1-{seeds}
**model**: ollama:scripted
**ollama_host**: {host}
"""
SLOTS = 2


def main() -> None:
    """Measure the parts that were asked for, and print a table each."""
    parser = argument_parser(__doc__, records=True)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--worlds", type=int, default=6)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--quick", action="store_true", help="4 runs, 1 kill, 3 turns")
    wanted = parser.parse_args()
    if wanted.quick:
        wanted.runs, wanted.kills, wanted.turns, wanted.worlds = 4, 1, 3, 3
    made = {"kills": kills, "overhead": overhead, "fairness": fairness}
    tables = [made[name](wanted) for name in wanted.parts.split(",")]
    for one in tables:
        print(f"\n{one}")
    if wanted.record:
        record("sweep", tables)


def kills(wanted: argparse.Namespace) -> Table:
    """Kill a sweep at random moments, and count what was lost and what was done twice."""
    rng, seen = random.Random(1), dict[str, tuple[int, bytes]]()
    lost = redone = 0
    with tempfile.TemporaryDirectory() as folder, scripted_model() as host:
        root = Path(folder)
        plan_in(root, wanted.turns, wanted.runs, host)
        runs = root / "plan" / "runs"
        for number in range(wanted.kills):
            process = start_sweep(root)
            share = wanted.runs * (number + rng.random()) / (wanted.kills + 1)
            while len(finished_runs(runs)) < share and process.poll() is None:
                time.sleep(0.05)
            os.killpg(process.pid, signal.SIGKILL) if number % 2 else process.kill()
            process.wait()
            found = finished_runs(runs)
            lost += len(seen.keys() - found.keys())
            redone += sum(found[name] != seen[name] for name in seen.keys() & found.keys())
            seen = found
        start_sweep(root).wait()
        found = finished_runs(runs)
        lost += len(seen.keys() - found.keys())
        redone += sum(found[name] != seen[name] for name in seen.keys() & found.keys())
    heads = ("runs", "kills", "done in the end", "lost", "done twice")
    return Table(heads, [[str(one) for one in (wanted.runs, wanted.kills, len(found), lost, redone)]], "Killed sweeps")


def overhead(wanted: argparse.Namespace) -> Table:
    """Compare the processor's time of a sweep with that of its commands, one after the other."""
    with tempfile.TemporaryDirectory() as folder, scripted_model() as host:
        root = Path(folder)
        plan_in(root, wanted.turns, wanted.runs, host)
        commands = commands_of(root, wanted.runs)
        bare = cpu_seconds_of(
            lambda: [
                subprocess.run(one, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                for one in commands
            ]
        )
        swept = cpu_seconds_of(lambda: start_sweep(root, "--workers", "1", "--no-report").wait())
    cells = [str(wanted.runs), f"{bare:.1f}", f"{swept:.1f}", percent(swept / bare - 1, 1)]
    return Table(("runs", "simulate alone, CPU s", "sweep, CPU s", "overhead"), [cells], "What the engine costs")


def fairness(wanted: argparse.Namespace) -> Table:
    """Let more worlds than slots share a server, and see how evenly they go on."""
    from bench.lib.slot_server import slot_server

    rows = []
    for worlds in (1, wanted.worlds):
        with tempfile.TemporaryDirectory() as folder, slot_server(SLOTS) as server:
            root = Path(folder)
            plan_in(root, wanted.turns, worlds, server.host, api="openai")
            process = start_sweep(root, "--workers", str(worlds))
            counts = list[list[int]]()
            while process.poll() is None:
                counts.append(answers_in(root / "plan" / "runs"))
                time.sleep(0.1)
            together = [one for one in counts if len(one) == worlds and min(one)]
            each = [last - first for first, last in zip(together[0], together[-1], strict=True)] if together else [0]
            rows.append([str(worlds), str(SLOTS), str(server.most), f"{min(each)} to {max(each)}"])
            rows[-1].append(percent(server.cached_share))
    heads = ("worlds", "slots", "most requests at a time", "answers of a world while all ran", "prompt cached")
    return Table(heads, rows, "Worlds that share a server")


def plan_in(root: Path, turns: int, seeds: int, host: str, api: str = "ollama") -> None:
    """Write the plan; with OpenAI's API the model is a profile."""
    text = PLAN.format(turns=turns, seeds=seeds, host=host)
    if api == "openai":
        text = f"**turns**: {turns}\n**seeds**: 1-{seeds}\n\n## Factors\n| factor | values |\n| --- | --- |\n"
        given = {"endpoints": host, "api": "openai", "model": "scripted", "concurrency": SLOTS, "mode": "chat"}
        text += "".join(f"| thinker.{name} | {value} |\n" for name, value in given.items())
        text += "| thinker.constraint | none |\n| steering | off |\n"
    (root / "plan.md").write_text(text, encoding="utf-8")


def start_sweep(root: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """Start the sweep of a folder in a session of its own."""
    command = command_line(["sweep", str(root / "plan.md"), *arguments])
    return subprocess.Popen(
        command, env=environment(), start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def commands_of(root: Path, runs: int) -> list[list[str]]:
    """Return the bare commands of the plan in a folder, with other folders for what comes of them."""
    from agents.memory.strategy import loaded_strategies
    from server.experiments.plan import read_plan, runs_of

    plan = read_plan(root / "plan.md", loaded_strategies().settings_kind)
    named = [(run.run_id, run.arguments) for run in runs_of(plan)]
    assert len(named) == runs
    return [command_line(["simulate", *given, "--out", str(root / "bare" / name), "--whole"]) for name, given in named]


def finished_runs(runs: Path) -> dict[str, tuple[int, bytes]]:
    """Return of each run that is done which folder it is, and when it was done."""
    done = [path for path in runs.iterdir() if not path.name.startswith(".")] if runs.is_dir() else []
    return {path.name: (path.stat().st_ino, (path / "timing.json").read_bytes()) for path in done}


def answers_in(runs: Path) -> list[int]:
    """Return how many answers each run has that goes on, by the names of the runs; none of those that are done."""
    parts = sorted(runs.glob(".*.part/recording.jsonl")) if runs.is_dir() else []
    found = []
    for part in parts:
        with suppress(FileNotFoundError):  # it became whole this moment
            found.append(part.read_bytes().count(b'"prompt": '))
    return found


def cpu_seconds_of(work: Callable[[], object]) -> float:
    """Return the processor's time that the processes take which a piece of work starts and waits for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
