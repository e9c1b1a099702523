"""Latency and cost of viewers, and views of a long life: `python -m bench.observe`.

50 agents live in a town and think with a scripted model. 20 observers look at it through the page's sockets: at the
feed, the town, a mind. An event's time is when the server took it in. It is at a viewer when its bytes are at the
socket; in tabs of Chromium, where there is one, when its line is painted.

How much slower the world is, is measured without a network: the same 50 agents take turns with and without 20 viewers,
in pairs, in processor time, so that other work on the machine counts little.

    python -m bench.observe
    python -m bench.observe --memories 1000000 --seconds 60 --record
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from twisted.internet.defer import execute
from twisted.internet.task import Clock

from agents.agent import Agent
from agents.commands.thought_commands import mind_command, thought_commands
from agents.memory.strategy import loaded_strategies
from agents.models.queue import ModelQueue
from agents.population import Population
from agents.views.memories import MemoryQuery, memory_page
from agents.views.tiers import Steps, run_steps
from bench.lib.reporting import Table, argument_parser, percentile, record
from bench.lib.screens import MAX_TABS, Town, open_chromium, open_tab, painted_ms, tab_left_open, town
from bench.lib.servers import AGENTS, resident_kib, write_journal
from server.observatory.observatory import Models, Observatory
from server.observatory.viewers import Viewer
from server.observatory.views import WHOLE
from tests.scripted_model import ScriptedModel
from vault.entities.store import load_world
from vault.vault import STARTER, Vault
from world.commands.table import world_commands
from world.entities import Character, Role
from world.game import Game

VIEWERS = 20
GOAL_MS = 250.0
GOAL_SHARE = 0.02
GOAL_MEGABYTES = 150.0
MAX_STEP_MS = 50.0
PROCESS_SECONDS = 5.0
COMPACTION_SECONDS = 15.0
WARM_UP_TURNS = 100
PAIRS = 30
TURNS_A_SECOND = 5
"""Turns of all agents a second, by the viewers' clock: 50 that think every ten seconds."""

VIEWS: Sequence[dict[str, str]] = (
    {"view": "feed"},
    {"view": "town"},
    {"view": "feed"},
    {"view": "mind", "agent": "Agentaa"},
)
COMMANDS = ("look", "emote nods", "say The river is high today.", "emote listens to the water")


def sockets(seconds: float, pairs: int, lines: int) -> Iterator[Table]:
    """Measure a server: from an event to a viewer's socket, what it works more while they look, and a tab left open.

    Without a Chromium there is no tab.
    """
    with town(VIEWERS, VIEWS) as seen, open_chromium() as browser:
        yield screens(seen, seconds)
        if browser is not None:
            yield paints(seen, browser, seconds)
        yield process(seen, pairs)
        if browser is not None:
            yield tabs(seen, browser, lines)


def screens(seen: Town, seconds: float) -> Table:
    """Measure from an event to a viewer's socket."""
    seen.look()
    for screen in seen.screens:
        screen.late_ms.clear()
    seen.read_for(seconds)
    late = sorted(one for screen in seen.screens for one in screen.late_ms)
    shown = [f"{percentile(late, share):.0f}" for share in (0.5, 0.95, 0.99)]
    row = [str(AGENTS), str(VIEWERS), str(len(late)), *shown, f"{GOAL_MS:.0f}"]
    heads = ["agents", "viewers", "entries seen", "p50 ms", "p95 ms", "p99 ms", "goal p95"]
    return Table(heads, [row], "From an event to a viewer's socket")


def paints(seen: Town, browser: Any, seconds: float) -> Table:
    """Measure from an event to the painted screen, in tabs that take the places of some of the sockets."""
    seen.look()
    for screen in seen.screens[:MAX_TABS]:
        screen.say({"view": ""})
    pages = [open_tab(seen, browser, "feed", number) for number in range(MAX_TABS)]
    late = sorted(painted_ms(seen, pages, seconds))
    for page in pages:
        page.context.close()
    shown = [f"{percentile(late, share):.0f}" for share in (0.5, 0.95, 0.99)]
    row = [str(AGENTS), f"{MAX_TABS} tabs, {VIEWERS - MAX_TABS} sockets", str(len(late)), *shown, f"{GOAL_MS:.0f}"]
    heads = ["agents", "viewers", "lines painted", "p50 ms", "p95 ms", "p99 ms", "goal p95"]
    return Table(heads, [row], "From an event to its line, painted in Chromium")


def process(seen: Town, pairs: int) -> Table:
    """Measure the server's processor time for a turn of an agent, with and without viewers, in turn about."""
    shares: dict[bool, list[float]] = {False: [], True: []}
    turns = 0
    for pair in range(pairs):
        for is_seen in (False, True) if pair % 2 else (True, False):
            seen.look(is_seen)
            worked, taken = seen.worked(PROCESS_SECONDS)
            shares[is_seen].append(worked / PROCESS_SECONDS)
            turns += taken
    more = sorted(after - before for before, after in zip(shares[False], shares[True], strict=True))
    row = [str(pairs), f"{turns / (2 * pairs * PROCESS_SECONDS):.1f}"]
    row += [f"{statistics.median(one):.2%}" for one in shares.values()]
    row += [f"{statistics.median(more):+.2%}", f"{more[len(more) // 4]:+.2%} … {more[3 * len(more) // 4]:+.2%}"]
    heads = ["pairs", "turns a second", "works without", f"works with {VIEWERS}", "more, median", "middle half", "goal"]
    return Table(heads, [[*row, f"{GOAL_SHARE:.0%}"]], "What the server's process works, in shares of one processor")


def tabs(seen: Town, browser: Any, lines: int) -> Table:
    """Measure the memory of a tab that is left open while things happen."""
    rows = []
    for view in ("feed", "town", "mind/Agentaa"):
        before, after = tab_left_open(seen, browser, view, lines)
        rows.append([view, f"{lines:,}", f"{before.whole:.0f}", f"{after.whole:.0f}", f"{after.scripts:.1f}",
                     f"{after.elements:,}", str(after.lines), f"{GOAL_MEGABYTES:.0f}"])  # fmt: skip
    heads = ["view", "events", "MB at first", "MB after them", "of it scripts", "nodes", "lines in its feed", "goal MB"]
    return Table(heads, rows, "What a tab of Chromium takes that is left open")


class NullSocket:
    """A socket that costs nothing."""

    is_congested = False

    def send_text(self, content: bytes) -> None:
        """Send nowhere."""


class LongLife:
    """50 agents in the starter town, in this process, with an observatory by a clock that is moved by hand."""

    def __init__(self, root: Path) -> None:
        shutil.copytree(STARTER, root)
        shutil.rmtree(root / "agents")
        rooms = sorted(path.stem for path in (root / "rooms").glob("*.md"))
        for number in range(AGENTS):
            folder = root / "agents" / f"Agent{chr(97 + number // 26)}{chr(97 + number % 26)}"
            folder.mkdir(parents=True)
            home = rooms[number % len(rooms)]
            note = f"---\nroom: '[[{home}]]'\nbreak_loops: false\n---\nYou live here and like company.\n"
            (folder / "agent.md").write_text(note, "utf-8")
        vault, rng = Vault(root), random.Random(1)
        settings = loaded_strategies().load_settings(vault)
        self.game = Game(load_world(vault, settings.world), world_commands())
        self.agents = Population(vault, settings, self.game, rng, lambda: int(time.time() * 1000))
        self.clock = Clock()
        said = iter(COMMANDS * 1_000_000)
        self.queue = ModelQueue(ScriptedModel(lambda request: next(said)))
        self.observatory = Observatory(
            self.game,
            self.agents,
            Models(lambda: {"thinker": self.queue}, lambda: ""),
            self.clock,
            execute,
            lambda: int(self.clock.seconds() * 1000),
        )
        self.observatory.subscribe()
        self.game.commands.add(thought_commands(self.agents, self.game.publish))
        self.game.commands.add(mind_command(self.agents, self.game.publish))
        self._turn = 0

    async def turns(self, count: int, per_second: int) -> tuple[float, float]:
        """Let agents take so many turns; return the processor time of one, and of that for viewers, in seconds.

        `per_second` is by the viewers' clock, by which nothing else goes; with 0 it goes on as long as each turn took.
        """
        names, begun, for_viewers = sorted(self.agents), time.process_time(), 0.0
        for _ in range(count):
            before = time.process_time()
            await self.agents[names[self._turn % len(names)]].tick()
            self._turn += 1
            done = time.process_time()
            self.clock.advance(1 / per_second if per_second else done - before)
            for_viewers += time.process_time() - done
        return (time.process_time() - begun) / count, for_viewers / count

    def looks(self, number: int) -> Viewer:
        """Return somebody who looks at one of the views."""
        character = Character(f"Viewer {number}", self.game.world.start_room_id, role=Role.OBSERVER)
        viewer = self.observatory.open(NullSocket(), lambda: character)
        viewer.message_received(VIEWS[number % len(VIEWS)])
        return viewer


async def paired(pairs: int, per_second: int) -> list[tuple[float, float, float]]:
    """Return the processor time of a turn without viewers, with them, and of that for them, a pair a row."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        life = LongLife(Path(folder) / "w")
        life.agents.wake(life.queue)
        await life.turns(WARM_UP_TURNS, per_second)
        for pair in range(pairs):
            times = {}
            for with_viewers in (False, True) if pair % 2 else (True, False):
                viewers = [life.looks(number) for number in range(VIEWERS)] if with_viewers else []
                times[with_viewers] = await life.turns(AGENTS, per_second)
                for one in viewers:
                    one.leave()
            found.append((times[False][0], *times[True]))
        await life.agents.stop()
        life.agents.close()
    return found


def slower(pairs: int) -> Table:
    """Measure by how much the world is slower while 20 look, when it has little to do and when it has no rest."""
    rows = []
    for per_second, load in ((TURNS_A_SECOND, f"{TURNS_A_SECOND} turns a second"), (0, "as many as it can")):
        found = asyncio.run(paired(pairs, per_second))
        more = sorted(seen / without - 1 for without, seen, _ in found)
        without, seen, for_viewers = (1000 * statistics.median(one) for one in zip(*found, strict=True))
        share = statistics.median(own / (seen - own) for _, seen, own in found)
        row = [load, str(pairs), f"{without:.3f}", f"{seen:.3f}", f"{for_viewers:.3f}", f"{share:.1%}"]
        middle = f"{more[len(more) // 4]:+.1%} … {more[3 * len(more) // 4]:+.1%}"
        rows.append([*row, f"{statistics.median(more):+.1%} ({middle})", f"{GOAL_SHARE:.0%}"])
    heads = ["the world does", "pairs", "ms a turn", f"ms with {VIEWERS}", "for viewers", "share", "in pairs", "goal"]
    return Table(heads, rows, f"Processor time of a turn, {AGENTS} turns a run, sockets left out")


def long_life(memories: int) -> Table:
    """Measure the longest step in which what is seen of one long memory is made."""
    with tempfile.TemporaryDirectory() as folder:
        life = LongLife(Path(folder) / "w")
        name = sorted(life.agents)[0]
        write_journal(Path(folder) / "w" / "agents" / name, memories, int(time.time() * 1000))
        before = resident_kib([os.getpid()])
        life.agents[name].memory.load()
        taken = (resident_kib([os.getpid()]) - before) / 1024
        rows = asyncio.run(_time_view(life, name, memories))
        life.agents.close()
    heads = ["what is looked at", "longest step, ms", "whole, ms", "goal, a step"]
    title = f"An agent of {memories:,} memories ({taken:.0f} MB): how long a look holds the reactor, in processor time"
    return Table(heads, [[*row, f"{MAX_STEP_MS:.0f}"] for row in rows], title)


async def _time_view(life: LongLife, name: str, memories: int) -> list[list[str]]:
    """Return the view, its longest step and its total in milliseconds, a row each."""
    life.agents.wake(life.queue)
    agent, shown = life.agents[name], life.observatory.views
    await agent.tick()
    newest = reversed(agent.memory.journal.read(memories, agent.memory.journal.last))
    action = next(one.seq for one in newest if one.kind == "acted")
    rows = []
    for label, query in (
        ("the newest memories", MemoryQuery()),
        ("memories from the middle", MemoryQuery(before=memories // 2)),
        ("of a place that none has", MemoryQuery(room="Nowhere")),
        ("with words, not indexed yet", MemoryQuery(words="lantern")),
    ):
        steps = _steps_ms(memory_page(agent, query))
        rows.append([label, f"{max(steps):.1f}", f"{sum(steps):.0f}"])
    admin = Character("Warden", life.game.world.start_room_id, role=Role.ADMIN, awake=True)
    life.game.world.add_character(admin)
    life.game.wake("Warden", lambda event, text: None)
    looks: list[tuple[str, Callable[[], object]]] = [
        (f"the view {view} {asked}".strip(), partial(shown.make, view, {"agent": name, "seq": asked}, WHOLE))
        for view, asked in (("mind", ""), ("why", ""), ("why", str(action)), ("prompt", ""), ("sentences", "1"))
    ]
    lines = f"@mind {name}", f"@why {name}", f"@why {name} {action}", f"@memories {name}"
    looks += [(line, partial(life.game.perform, "Warden", line)) for line in lines]
    for label, look in looks:
        begun = time.thread_time()
        look()
        taken = 1000 * (time.thread_time() - begun)
        rows.append([label, f"{taken:.1f}", f"{taken:.0f}"])
    rows.append(await _compacted(life, agent))
    await life.agents.stop()
    return rows


async def _compacted(life: LongLife, agent: Agent) -> list[str]:
    """Return the longest step while memories are summarised, a window after the other."""
    life.agents.write_pool.is_open = True  # as in a server
    gc.freeze()
    agent.compactor.start_if_due()
    steps, until = list[float](), time.monotonic() + COMPACTION_SECONDS
    while time.monotonic() < until and agent.compactor.is_running:
        begun = time.thread_time()
        await asyncio.sleep(0)
        steps.append(1000 * (time.thread_time() - begun))
    cycles = agent.compactor.stats.cycles
    return [f"{cycles} compactions, a step", f"{max(steps):.1f}", f"{sum(steps):.0f}"]


def _steps_ms(steps: Steps) -> list[float]:
    """Return how long each step of a view took, in milliseconds of the processor."""
    taken = list[float]()
    while True:
        begun = time.thread_time()
        is_over = run_steps(steps, 1) is not None
        taken.append(1000 * (time.thread_time() - begun))
        if is_over:
            return taken


def main() -> None:
    """Measure and print."""
    parser = argument_parser(__doc__, records=True)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long the viewers look")
    parser.add_argument("--lines", type=int, default=3_000, help="how much happens while a browser's tab is left open")
    parser.add_argument("--pairs", type=int, default=PAIRS, help="how many paired runs")
    parser.add_argument("--memories", type=int, default=1_000_000, help="how long the long life is")
    wanted = parser.parse_args()
    tables: list[Table] = []
    makes: list[Callable[[], Iterable[Table]]] = [
        lambda: sockets(wanted.seconds, wanted.pairs, wanted.lines),
        lambda: [slower(wanted.pairs)],
        lambda: [long_life(wanted.memories)],
    ]
    for table in (table for make in makes for table in make()):
        tables.append(table)
        print(f"{table}\n", flush=True)
    if wanted.record:
        print(json.dumps({"kept": str(record("observe", tables))}))


if __name__ == "__main__":
    main()
