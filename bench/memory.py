"""Measure what remembering costs: `python -m bench.memory [--only NAME] [--quick]`, each figure with its goal.

- length: appending one memory and making the view, at 1,000,000 memories and at 1,000, in turns in one run.
- start: opening a world with 100 agents of 10,000 memories each, beside one whose agents remember nothing.
- prefix: the share of a prompt's bytes that repeats the beginning of the prompt before, between two publications.
- look: the wait of a player for the answer to `look`, in turns without and with 50 agents being summarised by a model
  that takes 10 s a call. A `Session` on a terminal in memory, in the event loop of the agents: the wait counts from
  the moment the line is there, so that it includes everything that holds the loop up.
- recall: looking up the memories for a question in a life of 1,000,000 memories.
"""

from __future__ import annotations

import asyncio
import logging
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from twisted.internet.task import Clock

from agents.memory.journal_search import JournalSearch
from agents.memory.memory import AgentMemory
from agents.memory.retrieval import NotesIndex, Retriever
from agents.memory.view import Tier, View, tail_tier
from agents.models.model import Completion, OnText, Request
from agents.models.queue import ModelQueue
from agents.population import Population
from bench.lib.reporting import Table, argument_parser, percentile, publish, time_call
from bench.lib.worlds import NOW_MS, add_agent, open_population, write_journal
from config.settings import MemorySettings
from tests.agents.memory.lives import good_summaries, one_turn
from tests.scripted_model import ScriptedModel
from tests.server.fake_connection import FakeConnection, Guest
from tests.server.front_door import lobby_of
from vault.memory.archive_file import shared_length
from vault.memory.journal import Journal
from vault.memory.memory_line import Memory, Range, RangeSet
from vault.memory.summaries import Summary
from vault.vault import Vault, open_vault
from world.game import Game

NAME, PLACE, HOME = "Eliza", "The Landing", "Gauge House"
TAIL = 64
QUESTIONS = 200
TURNS, TURN = 30, 40
CALL_SECONDS = 10.0
LOOK_EVERY_SECONDS = 0.01

Row = tuple[str, str, str]
"""The measure, its figure, and its goal."""


@dataclass(frozen=True)
class Sizes:
    """The sizes of the measures: memories of a long and a short life, worlds, a story, and looks.

    `agents` have `each` memories at a start; `busy` agents with a `backlog` are summarised while somebody looks.
    """

    long: int = 1_000_000
    short: int = 1_000
    agents: int = 100
    each: int = 10_000
    story: int = 600
    busy: int = 50
    backlog: int = 2_000
    look_seconds: float = 40.0


QUICK = Sizes(long=10_000, agents=5, each=200, story=300, busy=3, backlog=200, look_seconds=1.0)
"""Enough to see that everything runs; no figure of it says anything."""


class SlowModel(ScriptedModel):
    """A model whose every summary is good, and takes its time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(good_summaries())
        self._seconds = seconds

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        await asyncio.sleep(self._seconds)
        return await super().complete(request, on_text)


def length(root: Path, sizes: Sizes) -> list[Row]:
    """Compare a life of a million memories with one of a thousand."""
    lives: dict[int, AgentMemory] = {}
    costs: dict[int, list[float]] = {sizes.short: [], sizes.long: []}
    for count in costs:
        write_journal(root / "agents" / f"Of{count}", count, NOW_MS)
        memory = AgentMemory(Vault(root), f"Of{count}", MemorySettings(), lambda: NOW_MS + 1000)
        memory.load()
        memory.publish(Summary(1, count - 200, "I built a wall."), Summary(count - 199, count - 100, "And I rested."))
        lives[count] = memory

    def remember(memory: AgentMemory) -> None:
        memory.record("observed", "Moss lays one more stone.", "The Landing", ("Moss",))
        memory.view().tail_text()

    for turn in range(TURNS):
        for count, memory in sorted(lives.items(), reverse=bool(turn % 2)):
            costs[count] += [time_call(partial(remember, memory)).seconds for _ in range(TURN)]
    short, long = (statistics.median(costs[count]) for count in (sizes.short, sizes.long))
    return [
        (f"append and view at {sizes.short:,}", f"{short * 1e6:.0f} µs", ""),
        (f"append and view at {sizes.long:,}", f"{long * 1e6:.0f} µs, {long / short:.2f} ×", "≤ 1.2 ×"),
    ]


def start(root: Path, sizes: Sizes) -> list[Row]:
    """Open a world before and after its agents have long lives, the second time with an index."""
    vault, _ = open_vault(root / "world")
    names = [f"Agent{number:03}" for number in range(sizes.agents)]
    for name in names:
        add_agent(vault.root, name, HOME)

    def opening(times: int) -> float:
        return min(time_call(partial(population, vault)).seconds for _ in range(times))

    nothing = opening(3)
    for name in names:
        write_journal(vault.root / "agents" / name, sizes.each, NOW_MS)
    opening(1)
    beyond = opening(3) - nothing
    return [(f"loading {sizes.agents} agents of {sizes.each:,} memories, with the index", f"{beyond:.2f} s", "≤ 1 s")]


def prefix(root: Path, sizes: Sizes) -> list[Row]:
    """Live one agent through several publications, and compare each prompt with the one before."""
    vault, _ = open_vault(root / "world")
    _, agents = population(vault)
    agents.wake(ModelQueue(ScriptedModel(lambda request: "look", context_tokens=100_000)), [ModelQueue(SlowModel(0))])
    eliza, shares = agents["Eliza"], list[float]()

    async def story() -> int:
        before, published = eliza.prompt().text, 0
        for number in range(sizes.story):
            eliza.memory.record(
                "observed", f'Moss says, "This is stone {number} of my wall."', "The Landing", ("Moss",)
            )
            prompt = eliza.prompt().text
            if eliza.compactor.stats.cycles == published:
                shares.append(shared_length(before, prompt) / len(prompt))
            published, before = eliza.compactor.stats.cycles, prompt
            eliza.compactor.start_if_due()
            while eliza.compactor.is_running:
                await one_turn()
        await agents.stop()
        return published

    publications = asyncio.run(story())
    share = statistics.mean(shares[len(shares) // 4 :])
    return [(f"unchanged prefix over {publications} publications", f"{share:.1%}", "≥ 90 %")]


def measure_looks(root: Path, sizes: Sizes) -> list[Row]:
    """Play while agents are summarised, and while they are not, in turns."""
    turns = [time_looks(root / f"turn {turn}", sizes) for turn in (1, 2)]
    plain, busy = (percentile([wait for turn in turns for wait in turn[at]], 0.99) for at in (0, 1))
    during = f"look, {sizes.busy} agents are, {CALL_SECONDS:g} s a call: p99"
    return [
        ("look, nobody is summarised: p99", f"{plain * 1000:.2f} ms", ""),
        (during, f"{busy * 1000:.2f} ms, {busy / plain:.2f} ×", "≤ 1.2 ×"),
    ]


def time_looks(root: Path, sizes: Sizes) -> tuple[list[float], list[float]]:
    """Return the waits of half the looks without and half with summaries, in seconds.

    The world is a new one: compactors that were stopped begin nothing any more.
    """
    vault, _ = open_vault(root / "world")
    for name in (f"Agent{number:03}" for number in range(sizes.busy)):
        add_agent(vault.root, name, HOME)
        write_journal(vault.root / "agents" / name, sizes.backlog, NOW_MS)
    game, agents = population(vault)
    (root / "door").mkdir()
    clock = Clock()
    guest = Guest(lobby_of(root / "door", game, clock=clock))
    guest.enters("Bea")
    agents.wake(ModelQueue(ScriptedModel(lambda request: "look")), [ModelQueue(SlowModel(CALL_SECONDS))])

    async def story() -> tuple[list[float], list[float]]:
        without = await looks(clock, guest.connection, sizes.look_seconds / 2)
        started = sum(agent.compactor.start_if_due() for agent in agents.values())
        assert started >= sizes.busy, started
        during = await looks(clock, guest.connection, sizes.look_seconds / 2)
        await agents.stop()
        return without, during

    return asyncio.run(story())


async def looks(clock: Clock, connection: FakeConnection, seconds: float) -> list[float]:
    """Look every 10 ms, and return how long each answer took from the moment its line was there."""
    waits = []
    due = time.perf_counter()
    until = due + seconds
    while (due := due + LOOK_EVERY_SECONDS) < until:
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        asked = min(due, time.perf_counter())
        connection.types("look")
        clock.advance(0)
        assert "Exits" in connection.screen()
        waits.append(time.perf_counter() - asked)
    return waits


def recall(root: Path, sizes: Sizes) -> list[Row]:
    """Time what it takes to be reminded: many questions of twelve words, some rare and some in every memory."""
    write_journal(root / "agents" / NAME, sizes.long, NOW_MS)
    journal = Journal(Vault(root), NAME)
    journal.load()
    finder = JournalSearch(journal)
    finder.has_time = True
    finder.is_ready(journal.last)
    mind = Retriever(finder, NotesIndex(journal.vault, NAME))
    covered = journal.last - TAIL
    tail, older = journal.read(covered + 1, journal.last), Tier("older", RangeSet.of(Range(1, covered)))
    took_ms = list[float]()
    for number in range(QUESTIONS):
        said = (
            f'Moss says, "Eliza, which of my stones {number * 31 % sizes.long} and {number * 977 % sizes.long} lies in '
            f'the wall, and was the river {number % 90} inches high, or did the heron see the kettle of Quillon?"'
        )
        asked = Memory(journal.last + 1, NOW_MS, "observed", PLACE, said, ("Moss",), 5)
        view = View(NAME, (older, tail_tier(covered, journal.last + 1, (*tail, asked))))
        retrieve = partial(mind.retrieve, view, frozenset(["Moss"]), PLACE, 3, "")
        took_ms.append(1000 * time_call(retrieve).seconds)
    figure = f"{statistics.median(took_ms):.1f} ms, p95 {percentile(took_ms, 0.95):.1f} ms"
    return [(f"finding among {sizes.long:,} memories", figure, "")]


def population(vault: Vault) -> tuple[Game, Population]:
    """Open a world as the server does, without its sockets."""
    return open_population(vault, random.Random(1), lambda: NOW_MS + 1000)


def main() -> None:
    """Print a table a measure."""
    parts: dict[str, Callable[[Path, Sizes], list[Row]]]
    parts = {"length": length, "start": start, "prefix": prefix, "look": measure_looks, "recall": recall}
    parser = argument_parser(__doc__)
    parser.add_argument("--only", choices=parts, help="measure this alone")
    parser.add_argument("--quick", action="store_true", help="little of everything, to see that it runs")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    sizes = QUICK if options.quick else Sizes()

    def measured(name: str) -> Table:
        with tempfile.TemporaryDirectory() as folder:
            return Table(["what", "figure", "goal"], parts[name](Path(folder), sizes), name)

    publish("memory", (measured(name) for name in parts if options.only in (None, name)), options.record)


if __name__ == "__main__":
    main()
