"""How soon do those who look see what happens, how much slower is the world for it, and what does a long life cost?

50 agents live in a town and think with a scripted model. 20 observers look at it through the page's sockets: at the
feed, the town, a mind. An event's time is when the server took it in, and it is on the screen when its bytes are at
the viewer's socket; what a browser takes to draw it comes on top.

How much slower the world is, is measured without a network: the same 50 agents take turns with and without 20 viewers,
in pairs, in processor time, so that other work on the machine counts little.

    python -m bench.observe
    python -m bench.observe --memories 1000000 --seconds 60 --record
"""

from __future__ import annotations

import asyncio
import json
import random
import selectors
import shutil
import socket
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from twisted.internet.defer import execute
from twisted.internet.task import Clock

from agents.agent import Agent
from agents.memory.strategy import loaded_strategies
from agents.models.queue import ModelQueue
from agents.population import Population
from agents.views.memories import MemoryQuery, memory_page
from bench.lib.reporting import Table, argument_parser, percentile, record
from bench.lib.servers import AGENTS, SECRET, caller_name, fallwater, write_journal
from bench.web import HOST, Door, Page
from server.observatory.observatory import Models, Observatory
from server.observatory.viewers import Viewer
from tests.scripted_model import ScriptedModel
from tests.server.observatory.town_of import secrets_seen
from vault.entities.store import load_world
from vault.vault import STARTER, Vault
from world.commands.table import world_commands
from world.entities import Character, Role
from world.game import Game

VIEWERS = 20
GOAL_MS = 250.0
GOAL_SHARE = 0.02
MAX_STEP_MS = 50.0
TURNS = 200
PAIRS = 15
TURNS_A_LIFE = 1_000
TURNS_A_SECOND = 5
"""How often one of the agents takes a turn, by the viewers' clock: 50 that think every ten seconds."""

VIEWS: Sequence[dict[str, str]] = (
    {"view": "feed"},
    {"view": "town"},
    {"view": "feed"},
    {"view": "mind", "agent": "Agentaa"},
)
DEEDS = ("look", "emote nods", "say The river is high today.", "emote listens to the water")


class Screen(Page):
    """A viewer's socket: how late each entry of the feed was, in milliseconds."""

    def __init__(self, sock: socket.socket) -> None:
        super().__init__(sock)
        self.late_ms: list[float] = []
        self.seen = 0

    def _take(self, items: list[dict[str, Any]]) -> None:
        now_ms = time.time() * 1000
        for item in items:
            if "seen" in item:
                self.seen += 1
                self.late_ms += [now_ms - one["at"] for one in (item["seen"] or {}).get("more", ())]
        super()._take([item for item in items if "seen" not in item])


def screens(seconds: float) -> Table:
    """Measure from an event to a viewer's socket."""
    with socket.socket() as trying:
        trying.bind((HOST, 0))
        port = trying.getsockname()[1]
    with fallwater(VIEWERS + 2, AGENTS, {"web_port": port}, "observer"):
        door, watching = Door(port), selectors.DefaultSelector()
        pages = []
        for number in range(VIEWERS):
            told, _ = door.ask("/enter", {"name": caller_name(number), "password": SECRET})
            page = Screen(door.connect())
            page.say({"ticket": told["ticket"], "page": f"bench{number}"})
            while not page.last:
                page.read()
            page.say(VIEWS[number % len(VIEWS)])
            watching.register(page.sock, selectors.EVENT_READ, page)
            pages.append(page)
        _read_for(watching, 5.0)
        for page in pages:
            page.late_ms.clear()
        _read_for(watching, seconds)
    late = sorted(one for page in pages for one in page.late_ms)
    shown = [f"{percentile(late, share):.0f}" for share in (0.5, 0.95, 0.99)]
    row = [str(AGENTS), str(VIEWERS), str(len(late)), *shown, f"{GOAL_MS:.0f}"]
    heads = ["agents", "viewers", "entries seen", "p50 ms", "p95 ms", "p99 ms", "goal p95"]
    return Table(heads, [row], "From an event to a viewer's socket")


def _read_for(watching: selectors.BaseSelector, seconds: float) -> None:
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        for key, _ in watching.select(left):
            key.data.read()


class Outlet:
    """A socket that costs nothing."""

    is_congested = False

    def send_text(self, content: bytes) -> None:
        """Send nowhere."""


class Lived:
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
        said = iter(DEEDS * 1_000_000)
        self.queue = ModelQueue(ScriptedModel(lambda request: next(said)))
        self.observatory = Observatory(
            self.game,
            self.agents,
            Models(lambda: {"thinker": self.queue}, lambda: ""),
            self.clock,
            execute,
            lambda: int(time.time() * 1000),
        )
        self.observatory.subscribe()
        self._turn = 0

    async def turns(self, count: int) -> float:
        """Let agents take so many turns; return the processor time that one took, in seconds."""
        names, begun = sorted(self.agents), time.process_time()
        for _ in range(count):
            await self.agents[names[self._turn % len(names)]].tick()
            self._turn += 1
            self.clock.advance(1 / TURNS_A_SECOND)
        return (time.process_time() - begun) / count

    def looks(self, number: int) -> Viewer:
        """Return somebody who looks at one of the views."""
        character = Character(f"Viewer {number}", self.game.world.start_room_id, role=Role.OBSERVER)
        viewer = self.observatory.open(Outlet(), lambda: character)
        viewer.message_received(VIEWS[number % len(VIEWS)])
        return viewer


async def paired(pairs: int) -> list[tuple[float, float]]:
    """Return the processor time of a turn without viewers and with them, in turn about, a pair a row."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        life = Lived(Path(folder) / "w")
        life.agents.wake(life.queue)
        await life.turns(TURNS)
        for pair in range(pairs):
            times = {}
            for with_viewers in (False, True) if pair % 2 else (True, False):
                viewers = [life.looks(number) for number in range(VIEWERS)] if with_viewers else []
                times[with_viewers] = await life.turns(TURNS)
                for one in viewers:
                    one.leave()
            found.append((times[False], times[True]))
        await life.agents.stop()
        life.agents.close()
    return found


def slower(pairs: int) -> Table:
    """Measure by how much the world is slower while 20 look."""
    found = asyncio.run(paired(pairs))
    shares = sorted(with_viewers / without - 1 for without, with_viewers in found)
    without, with_viewers = (1000 * statistics.median(one) for one in zip(*found, strict=True))
    row = [str(len(found)), f"{without:.3f}", f"{with_viewers:.3f}", f"{statistics.median(shares):+.2%}"]
    row += [f"{shares[len(shares) // 4]:+.2%} … {shares[3 * len(shares) // 4]:+.2%}", f"{GOAL_SHARE:.0%}"]
    heads = ["pairs", "ms a turn without", f"ms a turn with {VIEWERS}", "slower, median", "middle half", "goal"]
    return Table(heads, [row], f"Processor time of a turn of {AGENTS} agents, {TURNS} turns a run")


def long_life(memories: int) -> Table:
    """Measure the longest step in which a page of one long memory is made."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        life = Lived(Path(folder) / "w")
        name = sorted(life.agents)[0]
        write_journal(Path(folder) / "w" / "agents" / name, memories, int(time.time() * 1000))
        agent = life.agents[name]
        agent.memory.load()
        for label, query in (
            ("the newest", MemoryQuery()),
            ("from the middle", MemoryQuery(before=memories // 2)),
            ("a place that none has", MemoryQuery(room="Nowhere")),
            ("words, before they are indexed", MemoryQuery(words="lantern")),
        ):
            steps, whole = _steps_ms(agent, query)
            rows.append([f"{memories:,}", label, f"{max(steps):.1f}", f"{whole:.0f}", f"{MAX_STEP_MS:.0f}"])
        life.agents.close()
    heads = ["memories", "page", "longest step, ms", "whole, ms", "goal, a step"]
    return Table(heads, rows, "A page of memories: how long it holds the reactor")


def _steps_ms(agent: Agent, query: MemoryQuery) -> tuple[list[float], float]:
    """Return how long each step of a page took, in milliseconds, and all of them."""
    taken, steps = list[float](), memory_page(agent, query)
    while True:
        begun = time.perf_counter()
        try:
            next(steps)
        except StopIteration:
            taken.append(1000 * (time.perf_counter() - begun))
            return taken, sum(taken)
        taken.append(1000 * (time.perf_counter() - begun))


def windows(turns: int) -> Table:
    """Count the private reasons and private words in what windows are sent, whatever people and agents do."""
    found = [0, 0, 0]
    for seed in range(turns // TURNS_A_LIFE):
        with tempfile.TemporaryDirectory() as folder:
            found = [sum(pair) for pair in zip(found, secrets_seen(Path(folder), seed, TURNS_A_LIFE), strict=True)]
    heads = ["turns", "bytes", "private reasons", "words in private", "goal"]
    return Table(
        heads, [[f"{turns:,}", f"{found[2]:,}", str(found[0]), str(found[1]), "0"]], "What windows let through"
    )


def main() -> None:
    """Measure and print."""
    parser = argument_parser(__doc__, records=True)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long the viewers look")
    parser.add_argument("--pairs", type=int, default=PAIRS, help="how many paired runs")
    parser.add_argument("--memories", type=int, default=1_000_000, help="how long the long life is")
    parser.add_argument("--turns", type=int, default=10_000, help="how many turns windows look at")
    wanted = parser.parse_args()
    tables: list[Table] = []
    for make, given in (
        (screens, wanted.seconds),
        (slower, wanted.pairs),
        (long_life, wanted.memories),
        (windows, wanted.turns),
    ):
        tables.append(make(given))
        print(f"{tables[-1]}\n", flush=True)
    if wanted.record:
        print(json.dumps({"kept": str(record("observe", tables))}))


if __name__ == "__main__":
    main()
