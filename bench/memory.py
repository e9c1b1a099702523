"""The cost of remembering: `python -m bench.memory [--only NAME] [--quick]`, each figure with its target.

- length: appending one memory and making the view, at 1,000,000 memories and at 1,000, in turns in one run.
- start: opening a world with 100 agents of 10,000 memories each, with its index and without, beside an empty one.
- prefix: the share of a prompt's bytes that repeats the beginning of the prompt before, between two publications.
- look: the wait of a player for the answer to `look`, in turns without and with 50 agents being summarised by a model
  that takes 10 s a call. A `Session` on a terminal in memory, in the event loop of the agents: the wait counts from
  the moment the line is there, so that it includes everything that holds the loop up.
- recall: reading a life of 1,000,000 memories into the index, and looking up the memories for a question.
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
from pathlib import Path

from twisted.internet.task import Clock

from agents.memory.journal_search import JournalSearch
from agents.memory.memory import AgentMemory
from agents.memory.retrieval import NotesIndex, Retriever
from agents.memory.strategy import loaded_strategies
from agents.memory.view import Tier, View, tail_tier
from agents.models.model import Completion, OnText, Request
from agents.models.queue import ModelQueue
from agents.population import Population
from bench.lib.reporting import argument_parser
from bench.lib.servers import write_journal
from config.settings import MemorySettings
from tests.agents.memory.lives import good_summaries, one_turn
from tests.scripted_model import ScriptedModel
from tests.server.fake_connection import FakeConnection, Guest
from tests.server.front_door import lobby_of
from vault.entities.store import load_world
from vault.memory.journal import Journal
from vault.memory.memory_line import Memory, Range, RangeSet
from vault.memory.summaries import Summary
from vault.vault import Vault, open_vault
from world.commands.table import world_commands
from world.game import Game

NOW_MS = 1_795_248_000_000
NAME, PLACE = "Eliza", "The Landing"
TAIL = 64
QUESTIONS = 200
TURNS, TURN = 30, 40
CALL_SECONDS = 10.0
LOOK_EVERY_SECONDS = 0.01


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


def length(root: Path, sizes: Sizes) -> None:
    """Compare a life of a million memories with one of a thousand."""
    lives, (short_life, long_life) = {}, (sizes.short, sizes.long)
    for count in (short_life, long_life):
        write_journal(root / "agents" / f"Of{count}", count, NOW_MS)
        memory = AgentMemory(Vault(root), f"Of{count}", MemorySettings(), lambda: NOW_MS + 1000)
        memory.load()
        memory.publish(Summary(1, count - 200, "I built a wall."), Summary(count - 199, count - 100, "And I rested."))
        lives[count] = memory
    costs: dict[int, list[float]] = {short_life: [], long_life: []}
    for turn in range(TURNS):
        for count, memory in sorted(lives.items(), reverse=bool(turn % 2)):
            for _ in range(TURN):
                started = time.perf_counter()
                memory.record("observed", "Moss lays one more stone.", "The Landing", ("Moss",))
                memory.view().tail_text()
                costs[count].append(time.perf_counter() - started)
    short, long = statistics.median(costs[short_life]), statistics.median(costs[long_life])
    row(f"append and view at {short_life:,}", f"{short * 1e6:.0f} µs", "")
    row(f"append and view at {long_life:,}", f"{long * 1e6:.0f} µs", f"ratio {long / short:.2f}; target ≤ 1.2")


def start(root: Path, sizes: Sizes) -> None:
    """Open worlds with and without long lives in them."""
    empty, _ = open_vault(root / "empty")
    nothing = time_opening(empty)
    row("start-up, empty world", *format_times(nothing))
    vault, _ = open_vault(root / "full")
    for number in range(sizes.agents):
        add_agent(vault, f"Agent{number:03}")
    row(f"start-up, {sizes.agents} agents who remember nothing", *format_times(time_opening(vault)))
    for number in range(sizes.agents):
        write_journal(vault.root / "agents" / f"Agent{number:03}", sizes.each, NOW_MS)
    row(
        f"start-up, {sizes.agents} × {sizes.each:,} memories, no index yet", *format_times(time_opening(vault, times=1))
    )
    full = time_opening(vault)
    row(f"start-up, {sizes.agents} × {sizes.each:,} memories, with the index", *format_times(full))
    row("... beyond an empty world", f"{full[0] - nothing[0]:.2f} s", "target ≤ 1 s")


def time_opening(vault: Vault, times: int = 3) -> tuple[float, float]:
    """Return how long it takes until everybody has their memory, and the CPU's share of it, in seconds; the best."""
    took = []
    for _ in range(times):
        started, cpu = time.perf_counter(), time.process_time()
        population(vault)
        took.append((time.perf_counter() - started, time.process_time() - cpu))
    return min(took)


def format_times(took: tuple[float, float]) -> tuple[str, str]:
    """Return wall time as a figure, and CPU time as a remark."""
    return f"{took[0]:.2f} s", f"CPU {took[1]:.2f} s"


def prefix(root: Path, sizes: Sizes) -> None:
    """Live one agent through several publications, and compare each prompt with the one before."""
    vault, _ = open_vault(root / "world")
    game, agents = population(vault)
    agents.wake(ModelQueue(ScriptedModel(lambda request: "look", context_tokens=100_000)), [ModelQueue(SlowModel(0))])
    eliza, shares, publications = agents["Eliza"], [], 0

    async def story() -> int:
        before, published = eliza.prompt().text.encode(), 0
        for number in range(sizes.story):
            eliza.memory.record(
                "observed", f'Moss says, "This is stone {number} of my wall."', "The Landing", ("Moss",)
            )
            prompt = eliza.prompt().text.encode()
            if eliza.compactor.stats.cycles == published:
                same = next((at for at, (a, b) in enumerate(zip(before, prompt, strict=False)) if a != b), len(before))
                shares.append(same / len(prompt))
            published, before = eliza.compactor.stats.cycles, prompt
            eliza.compactor.start_if_due()
            while eliza.compactor.is_running:
                await one_turn()
        await agents.stop()
        return published

    publications = asyncio.run(story())
    assert game.world.characters
    share = statistics.mean(shares[len(shares) // 4 :])
    row(f"unchanged prefix over {publications} publications", f"{share:.1%}", "target ≥ 90 %, aim 97 %")


def measure_looks(root: Path, sizes: Sizes) -> None:
    """Play while agents are summarised, and while they are not, in turns."""
    turns = [time_looks(root / f"turn {turn}", sizes) for turn in (1, 2)]
    without = [wait for turn in turns for wait in turn[0]]
    during = [wait for turn in turns for wait in turn[1]]
    cycles = sum(turn[2] for turn in turns)
    plain, busy = (sorted(waits)[int(len(waits) * 0.99)] for waits in (without, during))
    row("look, nobody is summarised: p99", f"{plain * 1000:.2f} ms", f"{len(without):,} looks")
    row(
        f"look, {sizes.busy} agents are, {CALL_SECONDS:g} s a call: p99",
        f"{busy * 1000:.2f} ms",
        f"{cycles} cycles done",
    )
    row("", f"{busy / plain:.2f} ×", f"target ≤ 1.2 ×; longest {max(without):.3f} s and {max(during):.3f} s")


def time_looks(root: Path, sizes: Sizes) -> tuple[list[float], list[float], int]:
    """Return the waits of half the looks without and half with summaries, in seconds, and the cycles done meanwhile.

    The world is a new one: compactors that were stopped begin nothing any more.
    """
    root.mkdir()
    vault, _ = open_vault(root / "world")
    for number in range(sizes.busy):
        add_agent(vault, f"Agent{number:03}")
        write_journal(vault.root / "agents" / f"Agent{number:03}", sizes.backlog, NOW_MS)
    game, agents = population(vault)
    clock, connection = player(root / "door", game)
    agents.wake(ModelQueue(ScriptedModel(lambda request: "look")), [ModelQueue(SlowModel(CALL_SECONDS))])

    async def story() -> tuple[list[float], list[float]]:
        without = await looks(clock, connection, sizes.look_seconds / 2)
        started = sum(agent.compactor.start_if_due() for agent in agents.values())
        assert started >= sizes.busy, started
        during = await looks(clock, connection, sizes.look_seconds / 2)
        await agents.stop()
        return without, during

    without, during = asyncio.run(story())
    return without, during, sum(agent.compactor.stats.cycles for agent in agents.values())


async def looks(clock: Clock, connection: FakeConnection, seconds: float) -> list[float]:
    """Look every 10 ms, and return how long each answer took from the moment it was asked for."""
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


def player(folder: Path, game: Game) -> tuple[Clock, FakeConnection]:
    """Let somebody in, whose account is kept in a folder."""
    folder.mkdir()
    clock = Clock()
    guest = Guest(lobby_of(folder, game, clock=clock))
    guest.enters("Bea")
    return clock, guest.connection


def population(vault: Vault) -> tuple[Game, Population]:
    """Open a world as the server does, without its sockets."""
    settings = loaded_strategies().load_settings(vault)
    game = Game(load_world(vault, settings.world), world_commands())
    return game, Population(vault, settings, game, random.Random(1), lambda: NOW_MS + 1000)


def recall(root: Path, sizes: Sizes) -> None:
    """Time what it takes to be reminded: many questions of twelve words, some rare and some in every memory."""
    memories = sizes.long
    write_journal(root / "agents" / NAME, memories, NOW_MS)
    journal = Journal(Vault(root), NAME)
    journal.load()
    finder = JournalSearch(journal)
    finder.has_time = True
    began = time.perf_counter()
    finder.is_ready(journal.last)
    reading = time.perf_counter() - began
    mind = Retriever(finder, NotesIndex(journal.vault, NAME))
    tail = journal.read(journal.last - TAIL + 1, journal.last)
    took, cpu, reminded = list[float](), list[float](), 0
    for number in range(QUESTIONS):
        said = (
            f'Moss says, "Eliza, which of my stones {number * 31 % memories} and {number * 977 % memories} lies in the '
            f'wall, and was the river {number % 90} inches high, or did the heron see the kettle of Quillon?"'
        )
        asked = Memory(journal.last + 1, NOW_MS, "observed", PLACE, said, ("Moss",), 5)
        covered = journal.last - TAIL
        older = Tier("older", RangeSet.of(Range(1, covered)))
        view = View(NAME, (older, tail_tier(covered, journal.last + 1, (*tail, asked))))
        began, began_cpu = time.perf_counter(), time.process_time()
        reminded += bool(mind.retrieve(view, frozenset(["Moss"]), PLACE, 3, ""))
        took.append((time.perf_counter() - began) * 1000)
        cpu.append((time.process_time() - began_cpu) * 1000)
    p95 = statistics.quantiles(took, n=20)[-1]
    row(f"recall: reading {memories:,} memories into the index", f"{reading:.1f} s", "")
    figure = f"{statistics.median(took):.1f} ms"
    remark = (
        f"p95 {p95:.1f} ms, CPU {statistics.median(cpu):.1f} ms; {reminded} of {QUESTIONS} brought something to mind"
    )
    row(f"recall: a look-up among {memories:,} memories", figure, remark)


def add_agent(vault: Vault, name: str) -> None:
    """Put one more agent where nobody else is in its way."""
    folder = vault.root / "agents" / name
    folder.mkdir(parents=True)
    (folder / "agent.md").write_text(f"---\nroom: '[[Gauge House]]'\n---\nYou are {name}.\n", encoding="utf-8")


def row(what: str, figure: str, remark: str) -> None:
    """Print a line of the table."""
    print(f"{what:58}{figure:>12}  {remark}", flush=True)


def main() -> None:
    """Print the table."""
    parts: dict[str, Callable[[Path, Sizes], None]]
    parts = {"length": length, "start": start, "prefix": prefix, "look": measure_looks, "recall": recall}
    options = argument_parser(__doc__)
    options.add_argument("--only", choices=parts, help="measure this alone")
    options.add_argument("--quick", action="store_true", help="little of everything, to see that it runs")
    given = options.parse_args()
    logging.disable(logging.WARNING)
    for name, measure in parts.items():
        if given.only in (None, name):
            with tempfile.TemporaryDirectory(prefix="fallwater-") as folder:
                measure(Path(folder), QUICK if given.quick else Sizes())


if __name__ == "__main__":
    main()
