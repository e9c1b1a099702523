"""Latency and cost of viewers, and views of a long life: `python -m bench.observe`.

50 agents live in a town and think with a scripted model. 20 observers look at it through the page's sockets: at the
feed, the town, a mind. An event's time is when the server took it in. It is at a viewer when its bytes are at the
socket; in tabs of Chromium, where there is one, when its line is painted.

How much slower the world is, is measured without a network: the same 50 agents take turns with and without 20 viewers,
in pairs, in processor time, so that other work on the machine counts little.

"""

from __future__ import annotations

import asyncio
import gc
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
from agents.models.queue import ModelQueue
from agents.views.memories import MemoryQuery, memory_page
from agents.views.tiers import Steps, run_steps
from bench.lib.pages import MAX_TABS, Town, open_chromium, open_tab, painted_ms, tab_left_open, town
from bench.lib.reporting import Table, argument_parser, percentile, publish, time_call
from bench.lib.servers import AGENTS
from bench.lib.worlds import add_agent, agent_name, open_population, write_journal
from server.observatory.observatory import Observatory
from server.observatory.viewers import Viewer
from server.observatory.views import WHOLE
from server.questions import Questions
from tests.scripted_model import ScriptedModel
from vault.vault import STARTER, Vault
from world.entities import Character, Role

VIEWERS = 20
GOAL_MS = 250.0
GOAL_SHARE = 0.02
GOAL_MEGABYTES = 150.0
MAX_STEP_MS = 50.0
PROCESS_SECONDS = 5.0
COMPACTION_SECONDS = 15.0
WARM_UP_ROUNDS = 2
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
    late = [one for screen in seen.screens for one in screen.late_ms]
    return _latencies(f"{VIEWERS} sockets", late, "From an event to a viewer's socket")


def paints(seen: Town, browser: Any, seconds: float) -> Table:
    """Measure from an event to the painted screen, in tabs that take the places of some of the sockets."""
    seen.look()
    for screen in seen.screens[:MAX_TABS]:
        screen.say({"view": ""})
    pages = []
    for number in range(MAX_TABS):
        pages.append(open_tab(seen, browser, "feed", number))
        seen.read_for(0.1)  # or the server hangs up on sockets that answer no ping
    late = painted_ms(seen, pages, seconds)
    for page in pages:
        page.context.close()
    viewers = f"{MAX_TABS} tabs, {VIEWERS - MAX_TABS} sockets"
    return _latencies(viewers, late, "From an event to its line, painted in Chromium")


def _latencies(viewers: str, late_ms: Sequence[float], title: str) -> Table:
    shown = [f"{percentile(late_ms, share):.0f}" for share in (0.5, 0.95, 0.99)]
    row = [str(AGENTS), viewers, str(len(late_ms)), *shown, f"{GOAL_MS:.0f}"]
    return Table(["agents", "viewers", "entries seen", "p50 ms", "p95 ms", "p99 ms", "goal p95"], [row], title)


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
    more = [after - before for before, after in zip(shares[False], shares[True], strict=True)]
    row = [str(pairs), f"{turns / (2 * pairs * PROCESS_SECONDS):.1f}"]
    row += [f"{statistics.median(one):.2%}" for one in shares.values()]
    row += [f"{percentile(more, share):+.2%}" for share in (0.5, 0.25, 0.75)]
    heads = ["pairs", "turns a second", "without", f"with {VIEWERS}", "more, median", "lower quarter", "upper quarter"]
    return Table(heads, [row], "What the server's process works, in shares of one processor")


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
        shutil.copytree(STARTER, root, ignore=shutil.ignore_patterns("agents"))
        rooms = sorted(path.stem for path in (root / "rooms").glob("*.md"))
        for number in range(AGENTS):
            add_agent(root, agent_name(number), rooms[number % len(rooms)], "break_loops: false\n")
        vault = Vault(root)
        self.game, self.agents = open_population(vault, random.Random(1), lambda: int(time.time() * 1000))
        self.clock = Clock()
        said = iter(COMMANDS * 1_000_000)
        self.queue = ModelQueue(ScriptedModel(lambda request: next(said)))
        self.observatory = Observatory(
            self.game,
            self.agents,
            lambda: {"thinker": self.queue},
            lambda: "",
            self.clock,
            Questions(execute, lambda: self.game.world.wording),
            lambda: int(self.clock.seconds() * 1000),
        )

    async def turns(self, per_second: int) -> tuple[float, float]:
        """Let each agent take a turn; return the processor time of one, and of that for viewers, in milliseconds.

        `per_second` is by the viewers' clock, by which nothing else goes; with 0 it goes on as long as each turn took.
        """
        begun, for_viewers = time.process_time(), 0.0
        for name in sorted(self.agents):
            before = time.process_time()
            await self.agents[name].tick()
            done = time.process_time()
            self.clock.advance(1 / per_second if per_second else done - before)
            for_viewers += time.process_time() - done
        return 1000 * (time.process_time() - begun) / AGENTS, 1000 * for_viewers / AGENTS

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
        for _ in range(WARM_UP_ROUNDS):
            await life.turns(per_second)
        for pair in range(pairs):
            times = {}
            for with_viewers in (False, True) if pair % 2 else (True, False):
                viewers = [life.looks(number) for number in range(VIEWERS)] if with_viewers else []
                times[with_viewers] = await life.turns(per_second)
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
        more = statistics.median(seen / without - 1 for without, seen, _ in found)
        share = statistics.median(own / (seen - own) for _, seen, own in found)
        times = [f"{statistics.median(one):.3f}" for one in zip(*found, strict=True)]
        rows.append([load, str(pairs), *times, f"{share:.1%}", f"{more:+.1%}", f"{GOAL_SHARE:.0%}"])
    heads = ["the world does", "pairs", "ms a turn", f"ms with {VIEWERS}", "for viewers", "share", "in pairs", "goal"]
    return Table(heads, rows, f"Processor time of a turn, {AGENTS} turns a run, sockets left out")


def long_life(memories: int) -> Table:
    """Measure the longest step in which a view of one long memory is made."""
    with tempfile.TemporaryDirectory() as folder:
        life = LongLife(Path(folder) / "w")
        name = sorted(life.agents)[0]
        write_journal(Path(folder) / "w" / "agents" / name, memories, int(time.time() * 1000))
        life.agents[name].memory.load()
        rows = asyncio.run(_time_views(life, name, memories))
        life.agents.close()
    heads = ["view", "longest step, ms", "whole, ms", "goal, a step"]
    title = f"An agent of {memories:,} memories: how long a view holds the reactor, in processor time"
    return Table(heads, [[*row, f"{MAX_STEP_MS:.0f}"] for row in rows], title)


async def _time_views(life: LongLife, name: str, memories: int) -> list[list[str]]:
    """Return the view, its longest step and its total in milliseconds, a row each."""
    life.agents.wake(life.queue)
    agent, shown = life.agents[name], life.observatory.views
    await agent.tick()
    pages = {
        "the newest memories": MemoryQuery(),
        "memories from the middle": MemoryQuery(before=memories // 2),
        "of a place that none has": MemoryQuery(room="Nowhere"),
        "with words, not indexed yet": MemoryQuery(words="lantern"),
    }
    rows = [_row(label, _steps_ms(memory_page(agent, query))) for label, query in pages.items()]
    for view in ("mind", "why", "prompt", "sentences"):
        make = partial(shown.make, view, {"agent": name, "seq": "1" if view == "sentences" else ""}, WHOLE)
        rows.append(_row(f"the view {view}", [1000 * time_call(make).cpu_seconds]))
    rows.append(await _compacted(life, agent))
    await life.agents.stop()
    return rows


def _row(label: str, steps_ms: Sequence[float]) -> list[str]:
    return [label, f"{max(steps_ms):.1f}", f"{sum(steps_ms):.0f}"]


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
    return _row(f"{agent.compactor.stats.cycles} compactions, a step", steps)


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
    parser = argument_parser(__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long the viewers look")
    parser.add_argument("--lines", type=int, default=3_000, help="how much happens while a browser's tab is left open")
    parser.add_argument("--pairs", type=int, default=30, help="how many paired runs")
    parser.add_argument("--memories", type=int, default=1_000_000, help="how long the long life is")
    wanted = parser.parse_args()
    makes: list[Callable[[], Iterable[Table]]] = [
        lambda: sockets(wanted.seconds, wanted.pairs, wanted.lines),
        lambda: [slower(wanted.pairs)],
        lambda: [long_life(wanted.memories)],
    ]
    publish("observe", (table for make in makes for table in make()), wanted.record)


if __name__ == "__main__":
    main()
