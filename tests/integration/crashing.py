"""A process that lives an agent and dies: killed by itself at a named point, or from outside at any instant.

Run as `python -m tests.integration.crashing VAULT SEED POINT AFTER ASIDE`. It says `ack N` once memory N is written,
`pin N` once the pin N is, `forced INODE SIZE` once a file is on disk, and `draft THREAD` of each draft. With 1 as
`ASIDE`, summaries and facts are written in threads, as in a running world, and memories come meanwhile. `survive`
starts such processes on one vault, kills them, and looks at what is left by rules of its own.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agents.memory.facts.file import WRITE_MS, FactRegistry
from agents.write_pool import WritePool
from tests.agents.memory import on_disk
from tests.agents.memory.lives import NAME, Life, one_turn, talkative, windows
from tests.agents.memory.views import covered_by
from tests.english import ENGLISH
from vault.atomic_write import Disk

ROOT = Path(__file__).parents[2]
CLEAN = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
OPERATIONS = (
    *("append", "fsync", "draft", "publish"),
    *("rename leaf", "rename longterm", "rename former", "rename recent", "rename facts"),
)
POINTS = (
    *(f"{when} {what}" for what in OPERATIONS for when in ("before", "after")),
    "half-way append",
    "half-way draft",
)
LIVES = 2
MEMORIES = 60
DEADLINE_SECONDS = 30.0


class KillingDisk(Disk):
    """A disk at which the process dies: at the operation of that name, the `after`-th time it comes up."""

    def __init__(self, point: str, after: int) -> None:
        self._point = point
        self._left = after

    def append(self, descriptor: int, line: bytes) -> None:
        self.come_to("before append")
        if self._is_next("half-way append"):
            os.write(descriptor, line[: len(line) // 2])
        self.come_to("half-way append")
        super().append(descriptor, line)
        self.come_to("after append")

    def fsync(self, descriptor: int) -> None:
        self.come_to("before fsync")
        super().fsync(descriptor)
        found = os.fstat(descriptor)
        say(f"forced {found.st_ino} {found.st_size}")
        self.come_to("after fsync")

    def write_draft(self, draft: Path, text: bytes, durable: bool) -> None:
        self.come_to("before draft")
        if self._is_next("half-way draft"):
            draft.write_bytes(text[: len(text) // 2])
        self.come_to("half-way draft")
        super().write_draft(draft, text, durable)
        say(f"draft {threading.current_thread().name}")
        self.come_to("after draft")

    def replace(self, draft: Path, path: Path) -> None:
        what = re.sub(r"-.*", " kept", path.stem)
        kind = {"recent kept": "leaf", "longterm kept": "former"}.get(what, what)
        self.come_to(f"before rename {kind}")
        super().replace(draft, path)
        self.come_to(f"after rename {kind}")

    def come_to(self, point: str) -> None:
        """Die here if this is the time."""
        if point == self._point:
            self._left -= 1
            if self._left < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    def _is_next(self, point: str) -> bool:
        return point == self._point and self._left == 0


def say(line: str) -> None:
    """Say a line in one piece, in whatever thread."""
    os.write(1, f"{line}\n".encode())


async def live(root: Path, seed: int, point: str, after: int, is_pooled: bool) -> None:
    """Remember numbered things, pin some, and have them summarised, until the end."""
    rng, disk, pool = random.Random(seed), KillingDisk(point, after), WritePool()
    pool.is_open = is_pooled
    settings = windows(4, 6, rebuild_every=3, journal_fsync_ms=rng.choice([0, 50]))
    say("born")
    agent = Life(root, settings, talkative(), disk=disk, pool=pool)
    agent.clock.ms += 1000 * (agent.memory.journal.last + 1)
    publish = agent.memory.publish

    def dying(*summaries):
        disk.come_to("before publish")
        published = publish(*summaries)
        disk.come_to("after publish")
        return published

    agent.memory.publish = dying  # type: ignore[method-assign]
    journal = agent.memory.journal
    facts = FactRegistry(journal.vault, NAME, journal, agent.clock, pool=pool)
    say("ready")
    for _ in range(MEMORIES):
        number = agent.memory.journal.last + 1
        agent.clock.ms += rng.choice([1000, 1000, 20_000_000])
        agent.memory.record("observed", f"Moss tells me of the river for the time M{seed}x{number}M.", "The Landing")
        say(f"ack M{seed}x{number}M")
        if rng.random() < 0.2:
            agent.memory.journal.sync()
        if rng.random() < 0.2:
            agent.clock.ms += WRITE_MS
            facts.take_in()
        if rng.random() < 0.1:
            facts.pin(f"P{seed}x{number}P I owe Moss a song.", ENGLISH)
            say(f"pin P{seed}x{number}P")
        if is_pooled and rng.random() < 0.7:
            agent.compactor.start_if_due()
            await one_turn()
        else:
            await agent.compact()
    await agent.compactor.stop()
    agent.memory.close()
    facts.close()


KINDS = ("lost", "duplicated", "unstartable", "no partition", "false facts")


@dataclass
class Damage:
    """What was found after deaths: acknowledged memories that are gone or there twice, vaults that would not open.

    `faults` are sentences by kind.
    """

    deaths: int = 0
    cycles: int = 0
    acknowledged: int = 0
    faults: dict[str, list[str]] = field(default_factory=lambda: {kind: [] for kind in KINDS})

    @property
    def all_faults(self) -> list[str]:
        return [fault for faults in self.faults.values() for fault in faults]

    def add(self, other: Damage) -> None:
        """Add up."""
        self.deaths += other.deaths
        self.cycles += other.cycles
        self.acknowledged += other.acknowledged
        for kind, faults in other.faults.items():
            self.faults[kind] += faults

    def __str__(self) -> str:
        lived = f"{self.deaths} deaths, {self.acknowledged} memories acknowledged, {self.cycles} summaries accepted"
        return f"{lived}: {', '.join(f'{len(faults)} {kind}' for kind, faults in self.faults.items())}"


def survive(seed: int) -> Damage:
    """Live one agent several times over, each time to a sudden end, and return the damage found after each.

    Of each four seeds two write pool. Every other seed also loses power: of what was not forced to disk the newest
    journal file keeps a part.
    """
    damage, rng, gone = Damage(), random.Random(seed), set[int]()
    acknowledged: list[str] = []
    pinned: list[str] = []
    with tempfile.TemporaryDirectory(prefix="fallwater-") as folder:
        root = Path(folder)
        for life in range(LIVES):
            point = POINTS[(seed * LIVES + life) % len(POINTS)] if rng.random() < 0.7 else "never"
            after = rng.randrange(40 if "append" in point or "fsync" in point else 5)
            on_disk_before = {file.stat().st_ino: file.stat().st_size for file in root.glob("agents/*/journal/*.md")}
            instant = rng.uniform(0, 0.25) if point == "never" else None
            said, code = died(root, seed * 10 + life, point, after, instant, is_pooled=seed % 4 < 2)
            assert code in (0, -signal.SIGKILL), "\n".join(said)
            acknowledged += told(said, "ack")
            pinned += told(said, "pin")
            if seed % 2:
                agent = root / "agents/Eliza"
                before = _numbers(agent)
                kept = _without_power(agent, on_disk_before, said, rng)
                gone |= before - _numbers(agent)
                acknowledged = [mark for mark in acknowledged if mark in kept]
            damage.add(look(root, acknowledged, f"seed {seed}, life {life}, killed {point}", pinned, gone))
            damage.deaths += 1
        damage.acknowledged = len(acknowledged)
        damage.cycles = len(list(root.glob("agents/*/summaries/recent-*.md")))
    return damage


def _numbers(agent: Path) -> set[int]:
    return {int(seq) for line in _all_lines(on_disk.journal_files(agent)) for seq in re.findall(r" \^m(\d+)\Z", line)}


def told(said: list[str], what: str) -> list[str]:
    """Return of what a process has said that it was done."""
    return [line.removeprefix(f"{what} ") for line in said if line.startswith(f"{what} ")]


def died(
    root: Path, seed: int, point: str, after: int, instant_seconds: float | None = None, is_pooled: bool = True
) -> tuple[list[str], int]:
    """Let a process live until it is dead; return what it said and its exit code.

    With an instant it is killed from outside, so long after it was born.
    """
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "tests.integration.crashing",
            str(root),
            str(seed),
            point,
            str(after),
            str(int(is_pooled)),
        ],
        cwd=ROOT,
        env=CLEAN,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    assert process.stdout is not None
    said: list[str] = []
    if instant_seconds is not None:
        said.append(process.stdout.readline().rstrip("\n"))
        time.sleep(instant_seconds)
        process.kill()
    said += process.communicate(timeout=DEADLINE_SECONDS)[0].split("\n")
    return said, process.returncode


def _without_power(agent: Path, sizes_before: dict[int, int], said: list[str], rng: random.Random) -> set[str]:
    """Take away a part of what was not forced to disk in this life; return the marks that are left whole on disk."""
    files = on_disk.journal_files(agent)
    before = _all_lines(files)
    if files:
        found = files[-1].stat()
        sizes = [int(line.split()[2]) for line in said if line.startswith(f"forced {found.st_ino} ")]
        forced = min(max([sizes_before.get(found.st_ino, 0), *sizes]), found.st_size)
        with open(files[-1], "r+b") as file:
            file.truncate(rng.randint(forced, found.st_size))
    return {mark[0] for line in before & _all_lines(files) if (mark := re.search(r"M\d+x\d+M", line))}


def _all_lines(files: list[Path]) -> set[str]:
    return {line for path in files for line in path.read_text(encoding="utf-8", errors="replace").split("\n")}


def look(
    root: Path, acknowledged: list[str], where: str, pinned: Sequence[str] = (), gone: Collection[int] = ()
) -> Damage:
    """Open the vault again, and compare what is there with what was acknowledged, and the facts with the pins.

    `gone` are numbers whose lines a power cut has taken: each may be given again or not, as nothing else may.
    """
    damage = Damage()
    try:
        agent = Life(root, windows(4, 6), talkative())
        view = agent.memory.view()
        agent.memory.close()
    except Exception as error:
        damage.faults["unstartable"].append(f"{where}: {error!r}")
        return damage
    try:
        lines = on_disk.lines(agent.folder)
    except AssertionError as error:
        damage.faults["duplicated"].append(f"{where}: {error}")
        return damage
    text = "\n".join(lines.values())
    damage.faults["lost"] = [f"{where}: {mark}" for mark in acknowledged if text.count(mark) == 0]
    damage.faults["duplicated"] = [f"{where}: {mark}" for mark in acknowledged if text.count(mark) > 1]
    covered = covered_by(view)
    told = covered + [memory.seq for memory in view.tail]
    numbers = range(1, view.n + 1)
    if told != [seq for seq in numbers if seq in lines or seq in covered] or not set(numbers) - lines.keys() <= set(
        gone
    ):
        damage.faults["no partition"].append(f"{where}: {view.tiers}, {len(lines)} lines")
    last = max({0, *lines, *gone})
    false_facts = _false_facts(agent.folder / "facts.md", last, pinned)
    damage.faults["false facts"] = [f"{where}: {fault}" for fault in false_facts]
    return damage


def _false_facts(path: Path, memories: int, pinned: Sequence[str]) -> Iterator[str]:
    text = path.read_text(encoding="utf-8") if path.exists() else "upto: 0\n"
    upto = re.search(r"^upto: (\d+)$", text, re.MULTILINE)
    if not upto or int(upto[1]) > memories:
        yield f"of {memories} memories {upto and upto[0]}"
    yield from (f"{mark} {text.count(mark)} times" for mark in pinned if text.count(f"- {mark} ") != 1)


if __name__ == "__main__":
    asyncio.run(live(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), sys.argv[5] == "1"))
