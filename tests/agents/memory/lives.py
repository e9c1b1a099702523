"""One agent's memory in a vault of its own, with a clock, a disk and a summariser that a test commands."""

from __future__ import annotations

import asyncio
import itertools
import os
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from agents.memory.compactor import Compactor, Outcome
from agents.memory.cost import PromptCost
from agents.memory.coverage import NONE
from agents.memory.inspection import expansion, status_text
from agents.memory.memory import AgentMemory
from agents.memory.strategy import StrategyRegistry
from agents.memory.summaries.formats import SECTIONS
from agents.memory.summaries.prompt import SummaryTemplates, load_summary_templates
from agents.memory.summaries.summarizing import Summarizer, SummarizerProfile, SummaryContext
from agents.models.model import Request
from agents.models.queue import ModelQueue
from agents.write_pool import WritePool
from config.settings import MemorySettings
from tests.agents.memory.views import KNOWN, memory_settings
from tests.english import ENGLISH
from tests.scripted_model import ScriptedModel
from tests.vault.failing_disk import FailingDisk
from vault.atomic_write import Disk
from vault.memory.memory_line import Range
from vault.vault import STARTER, Vault

NAME = "Eliza"
ROSTER = frozenset({"Eliza", "Moss", "Odile", "The Landing"})
MORNING_MS = 1_795_248_000_000  # 2026-11-21 08:00 UTC
HEADINGS = "under these six headings"
"""Part of what asks for a summary in sections."""

GOOD = ("heard Moss talk", "listened to Moss", "sat with Moss", "was told by Moss")


class Clock:
    """The time in milliseconds since 1970, which goes on when it is told to."""

    def __init__(self, ms: int = MORNING_MS) -> None:
        self.ms = ms

    def __call__(self) -> int:
        return self.ms


class QuickDisk(FailingDisk):
    """A disk that only notes how much of which file was forced; `forced` has sizes by inode."""

    def __init__(self) -> None:
        super().__init__()
        self.forced: dict[int, int] = {}

    def fsync(self, descriptor: int) -> None:
        self._may("fsync")
        found = os.fstat(descriptor)
        self.forced[found.st_ino] = found.st_size


@cache
def starter_templates(name: str) -> SummaryTemplates:
    """Return how somebody's summaries are asked for in a new vault."""
    return load_summary_templates(Vault(STARTER), name)


class Life:
    """A memory and its compactor, from one start to the next; `heard` is how what was asked for has ended."""

    def __init__(
        self,
        root: Path,
        settings: MemorySettings,
        model: ScriptedModel,
        *,
        disk: Disk | None = None,
        clock: Clock | None = None,
        style: str = "prose",
        chat: bool = False,
        turns: asyncio.Semaphore | None = None,
        name: str = NAME,
        pool: WritePool | None = None,
        strategies: StrategyRegistry = KNOWN,
        tail_tokens: int = 0,
    ) -> None:
        self.folder = root / "agents" / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.model = model
        self.clock = clock or Clock()
        self.queue = ModelQueue(model, now=lambda: 0.0)
        self.memory = AgentMemory(Vault(root, disk or QuickDisk()), name, settings, self.clock, strategies=strategies)
        self.memory.load()
        profile = SummarizerProfile(style, 0.3, settings.summary_tokens, 60.0, chat)
        context = SummaryContext(name, lambda: ROSTER, self.memory.memory)
        summarizer = Summarizer(context, [self.queue], starter_templates(name), profile)
        self.compactor = Compactor(
            self.memory,
            lambda: summarizer,
            turns or asyncio.Semaphore(1),
            self.clock,
            random.Random(1),
            PromptCost(model.count_tokens, tail_tokens=lambda: tail_tokens),
            pool=pool,
        )
        self.heard: list[Outcome] = []

    def live(self, count: int, text: str = "") -> None:
        """Record so many memories, a second apart; each tells something else unless there is a text."""
        for _ in range(count):
            self.clock.ms += 1000
            anew = f"Moss tells me once more about the river, for the time {self.memory.journal.last + 1}."
            self.memory.record("observed", text or anew, "The Landing", ("Moss",))

    async def compact(self) -> None:
        """Do whatever compaction is due, to its end."""
        self.compactor.start_if_due()
        await self.finish()

    async def force(self) -> str:
        """Ask for a compaction, wait for its end, and return what was said at once."""
        said = self.compactor.force(self.heard.append)
        await self.finish()
        return said.told(ENGLISH)

    async def rebuild(self) -> None:
        """Ask for a rebuild of the long-term summary, and wait for its end."""
        self.compactor.force_rebuild(self.heard.append)
        await self.finish()

    async def finish(self) -> None:
        """Wait until nothing is under way."""
        while self.compactor.is_running:
            await one_turn()

    async def begin(self) -> None:
        """Let what is due begin, and hold it where the model is asked; `model.release` lets it go on."""
        self.model.hold()
        self.compactor.start_if_due()
        await self.until_asked()

    async def until_asked(self) -> None:
        """Wait until the model has a request before it, or nothing is under way."""
        while self.compactor.is_running and not self.model.running:
            await one_turn()

    def status(self, later_ms: int = 0, unshown: Range = NONE) -> list[str]:
        """Return the lines of its status so many milliseconds from now, if there is no room for some memories."""
        now_ms, count_tokens = self.clock.ms + later_ms, self.model.count_tokens
        return status_text(self.memory, self.compactor, count_tokens, now_ms, ENGLISH, unshown).split("\n")

    def die(self) -> None:
        """Drop everything, as the end of a process does: nothing is saved, nothing tidied up."""
        self.memory.journal._open.close_file()


def archived(memory: AgentMemory, event: str = "") -> list[dict[str, Any]]:
    """Return what the archive of a memory has, or what it has of one event."""
    memory.archive_writer.write()
    return [entry for _, entry in memory.archive_writer.archive.entries() if event in ("", entry["event"])]


def expanded(memory: AgentMemory, wanted: str) -> str:
    """Return what a reference or a range leads to, read here and now."""
    told = expansion(memory, wanted, ENGLISH)
    return told if isinstance(told, str) else told()


def outcomes(memory: AgentMemory) -> list[tuple[str, str]]:
    """Return the compactions that the archive tells of, each with its outcome."""
    return [(entry["event"], entry["outcome"]) for entry in archived(memory) if "outcome" in entry]


async def one_turn() -> None:
    """Let everything go on that can go on now."""
    await asyncio.sleep(0)


def windows(immediate: int, recent: int, **more: object) -> MemorySettings:
    """Return memory settings with these windows and no rebuilding unless it is asked for."""
    return memory_settings(**{"immediate_window": immediate, "recent_window": recent, "rebuild_every": 0} | more)


def talkative() -> ScriptedModel:
    """Return a model whose every summary is good."""
    return ScriptedModel(good_summaries())


def writer() -> ScriptedModel:
    """Return a model whose every summary is good, each another than the one before, in the form that is asked for."""
    descriptions_by_day_part = itertools.cycle(
        itertools.product("brown quick slow cold loud".split(), "mornings evenings rain".split())
    )

    def answer(request: Request) -> str:
        told = "I heard Moss talk of the river: {} in the {}.".format(*next(descriptions_by_day_part))
        return in_sections(told) if HEADINGS in request.prompt else told

    return ScriptedModel(answer)


def in_sections(fact: str, goal: str = "None.") -> str:
    """Return a summary in the six sections with one fact in it."""
    lines = {"User Goal": goal, "Confirmed Facts": fact}
    return "\n".join(f"## {name}\n{lines.get(name, 'None.')}" for name in SECTIONS)


def good_summaries() -> Callable[[Request], str]:
    """Return a writer of good summaries, each another than the one before, and too long to stay as it is."""
    times = itertools.cycle(GOOD)

    def reply(request: Request) -> str:
        rest = "it was a good time" if "long ago" in request.prompt else "we sat there until the light was gone"
        return f"I {next(times)} of the river, and {rest}."

    return reply
